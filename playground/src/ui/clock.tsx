import { useState } from "preact/hooks";
import type { Model } from "../model.js";
import { duration } from "../rows.js";
import type { Frame } from "../stage.js";

/** The dial shows a minute, with more room for short times. */
const DIAL_MS = 60_000;
const turnOf = (ms: number) => Math.sqrt(Math.min(Math.max(ms, 0), DIAL_MS) / DIAL_MS);
/** The slider of the same scale, in steps that can be read. */
const msOf = (turn: number) => {
  const exact = turn * turn * DIAL_MS;
  const step = exact < 1_000 ? 50 : exact < 10_000 ? 250 : 1_000;
  return Math.max(step, Math.round(exact / step) * step);
};

export function Clock({ model, frame }: { model: Model; frame: Frame | undefined }) {
  const [ms, setMs] = useState(1_000);
  const left = frame && frame.deadline !== null ? Math.max(0, frame.deadline - frame.now) : undefined;
  return (
    <section class="clock" aria-label="Clock">
      <svg
        viewBox="0 0 100 100"
        role="img"
        aria-label={left === undefined ? "No deadline" : `Deadline in ${duration(left)}`}
      >
        <circle class="face" cx="50" cy="50" r="44" />
        {[0, 0.25, 0.5, 0.75].map((turn) => (
          <Hand turn={turn} from={40} to={44} kind="tick" key={turn} />
        ))}
        {left !== undefined && (
          <circle
            class="left"
            cx="50"
            cy="50"
            r="37"
            pathLength={1}
            stroke-dasharray={`${Math.max(0.02, turnOf(left))} 1`}
          />
        )}
        <Hand turn={turnOf(ms)} from={0} to={32} kind="hand" />
        <circle class="pivot" cx="50" cy="50" r="3" />
      </svg>
      <div class="winder">
        <p>
          {duration(frame?.now ?? 0)}{" "}
          <span class={left === undefined ? "" : "waiting"}>
            {left === undefined ? "no deadline" : `deadline in ${duration(left)}`}
          </span>
        </p>
        <label>
          Wind by {duration(ms)}
          <input
            type="range"
            min={0.03}
            max={1}
            step={0.01}
            value={turnOf(ms)}
            aria-valuetext={duration(ms)}
            onInput={(event) => setMs(msOf(event.currentTarget.valueAsNumber))}
          />
        </label>
        <div class="buttons">
          <button type="button" onClick={() => void model.play({ do: "wait", ms })}>
            Wind
          </button>
          <button type="button" disabled={left === undefined} onClick={() => void model.play({ do: "deadline" })}>
            To the deadline
          </button>
        </div>
      </div>
    </section>
  );
}

function Hand({ turn, from, to, kind }: { turn: number; from: number; to: number; kind: string }) {
  const [x, y] = [Math.sin(turn * 2 * Math.PI), -Math.cos(turn * 2 * Math.PI)];
  return <line class={kind} x1={50 + x * from} y1={50 + y * from} x2={50 + x * to} y2={50 + y * to} />;
}
