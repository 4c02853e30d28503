import type { Model } from "../model.js";
import { duration } from "../rows.js";
import { Icon } from "./icon.js";

/** The way through the story: back, forth, play, and a slider over all steps. */
export function Bar({ model }: { model: Model }) {
  const { cursor, last, frame } = model;
  return (
    <section class="bar" aria-label="Steps">
      <button type="button" aria-label="First step" disabled={cursor === 0} onClick={() => model.scrub(0)}>
        <Icon name="first" />
      </button>
      <button type="button" aria-label="Step back" disabled={cursor === 0} onClick={() => model.scrub(cursor - 1)}>
        <Icon name="back" />
      </button>
      <button type="button" class="play" aria-pressed={model.isPlaying} onClick={() => model.toggle()}>
        {model.isPlaying ? "Pause" : "Play"}
      </button>
      <button type="button" aria-label="Step forward" disabled={cursor >= last} onClick={() => model.scrub(cursor + 1)}>
        <Icon name="forward" />
      </button>
      <button type="button" aria-label="Last step" disabled={cursor >= last} onClick={() => model.scrub(last)}>
        <Icon name="last" />
      </button>
      <input
        type="range"
        aria-label="Step"
        aria-valuetext={`step ${cursor} of ${last}`}
        min={0}
        max={last}
        value={cursor}
        onInput={(event) => model.scrub(event.currentTarget.valueAsNumber)}
      />
      <span class="count">
        {model.isBusy ? "…" : `${cursor} / ${last}`} <small>{duration(frame?.now ?? 0)}</small>
      </span>
    </section>
  );
}
