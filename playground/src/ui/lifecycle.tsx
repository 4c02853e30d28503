import type { JSX } from "preact";
import { type Edge, edges, idOf, states, wordsOf } from "../lifecycle.js";
import type { Track } from "../track.js";

const WIDTH = 110;
const HEIGHT = 36;

const PLACES: Record<string, [x: number, y: number]> = {
  notready: [57, 20],
  notasked: [180, 20],
  pending: [118, 92],
  overdue: [303, 92],
  listed: [57, 168],
  refused: [180, 168],
  timedout: [303, 168],
  undeclared: [57, 222],
  stale: [180, 222],
  several: [303, 222],
};

export function LifeCycle({ track, cursor }: { track: Track; cursor: number }) {
  const now = stateAt(track, cursor);
  const before = stateAt(track, cursor - 1);
  const lit = now && idOf(now);
  const came = before && idOf(before);
  const words = now ? wordsOf(now) : "not ready";
  return (
    <figure class="lifecycle">
      <figcaption>
        The client's roots: <strong>{words}</strong>
      </figcaption>
      <svg viewBox="0 0 360 242" role="img" aria-label={`State of the list of roots: ${words}`}>
        <defs>
          <marker
            id="tip"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="6"
            markerHeight="6"
            orient="auto-start-reverse"
          >
            <path d="M0 0 8 4 0 8z" />
          </marker>
        </defs>
        {edges.map((edge) => (
          <Way
            edge={edge}
            isLit={edge.from === came && edge.to === lit && came !== lit}
            key={`${edge.from} ${edge.to}`}
          />
        ))}
        {states.map(({ id, label }) => (
          <Node id={id} label={label} isLit={id === lit} key={id} />
        ))}
      </svg>
    </figure>
  );
}

const stateAt = (track: Track, cursor: number) => track.frames[cursor]?.explanation?.roots.state;

function Node({ id, label, isLit }: { id: string; label: string; isLit: boolean }): JSX.Element {
  const [x, y] = PLACES[id] ?? [0, 0];
  const [one = "", other] = halves(label);
  const isAside = ["undeclared", "stale", "several"].includes(id);
  return (
    <g class={`state${isLit ? " lit" : ""}${isAside ? " aside" : ""}`}>
      <rect x={x - WIDTH / 2} y={y - HEIGHT / 2} width={WIDTH} height={HEIGHT} rx={8} />
      <text x={x} y={other ? y - 2 : y + 4}>
        {one}
      </text>
      {other && (
        <text x={x} y={y + 11}>
          {other}
        </text>
      )}
    </g>
  );
}

/** A label that is too long for one line, in two. */
function halves(label: string): string[] {
  if (label.length <= 15) return [label];
  const words = label.split(" ");
  const half = Math.ceil(words.length / 2);
  return [words.slice(0, half).join(" "), words.slice(half).join(" ")];
}

function Way({ edge, isLit }: { edge: Edge; isLit: boolean }): JSX.Element {
  const [x1, y1] = PLACES[edge.from] ?? [0, 0];
  const [x2, y2] = PLACES[edge.to] ?? [0, 0];
  const [dx, dy] = [x2 - x1, y2 - y1];
  const length = Math.hypot(dx, dy);
  // Beside the way back, if there is one.
  const aside = edges.some(({ from, to }) => from === edge.to && to === edge.from) ? 6 : 0;
  const [ox, oy] = [(-dy / length) * aside, (dx / length) * aside];
  // From border to border, where the line crosses them.
  const leaves = borderAlong(dx, dy, ox, oy);
  const arrives = borderAlong(-dx, -dy, ox, oy);
  return (
    <g class={`edge${isLit ? " lit" : ""}`}>
      <line
        x1={x1 + ox + dx * leaves}
        y1={y1 + oy + dy * leaves}
        x2={x2 + ox - dx * arrives}
        y2={y2 + oy - dy * arrives}
        marker-end="url(#tip)"
      />
      {isLit && (
        <text x={(x1 + x2) / 2 + ox} y={(y1 + y2) / 2 + oy + 4}>
          {edge.label}
        </text>
      )}
    </g>
  );
}

/** The part of a way after which a line leaves the box of a state, if it begins beside the middle of the box. */
function borderAlong(dx: number, dy: number, ox: number, oy: number): number {
  const across = (size: number, way: number, beside: number) =>
    way === 0 ? Number.POSITIVE_INFINITY : (size / 2 - Math.sign(way) * beside) / Math.abs(way);
  return Math.min(across(WIDTH, dx, ox), across(HEIGHT, dy, oy));
}
