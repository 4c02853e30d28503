import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Lane, Row } from "../rows.js";
import { duration } from "../rows.js";
import type { Track } from "../track.js";

/** Every row is as high, so that only those in view need to exist. */
const ROW = 44;
/** Rows that are drawn above and below the view. */
const MARGIN = 6;

const PLACE: Record<Lane, number> = { client: 0, server: 1, disk: 2 };

export function Sequence({ track, cursor, scrub }: { track: Track; cursor: number; scrub: (to: number) => void }) {
  const view = useRef<HTMLElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(520);
  const end = track.ends[cursor] ?? 0;
  const start = cursor > 0 ? (track.ends[cursor - 1] ?? 0) : 0;

  useLayoutEffect(() => {
    const element = view.current;
    if (!element) return;
    const watch = new ResizeObserver(() => setHeight(element.clientHeight));
    watch.observe(element);
    return () => watch.disconnect();
  }, []);

  // The rows of the step that is shown are in view.
  useLayoutEffect(() => {
    const element = view.current;
    if (!element) return;
    const lowest = end * ROW - element.clientHeight + ROW;
    const highest = start * ROW - ROW;
    if (element.scrollTop < lowest) element.scrollTop = lowest;
    if (element.scrollTop > Math.max(0, highest)) element.scrollTop = Math.max(0, highest);
  }, [start, end, track]);

  const first = Math.max(0, Math.floor(top / ROW) - MARGIN);
  const count = Math.ceil(height / ROW) + 2 * MARGIN;
  const rows = track.rows.slice(first, Math.min(end, first + count));
  const step = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    scrub(cursor + by);
  };
  const jump = (event: MouseEvent) => {
    const row = (event.target as HTMLElement).closest<HTMLElement>("[data-frame]");
    if (row) scrub(Number(row.dataset.frame));
  };

  return (
    <div class="sequence">
      <div class="lanes" aria-hidden="true">
        <span>client</span>
        <span>server</span>
        <span>disk</span>
      </div>
      <section
        class="rows"
        ref={view}
        aria-label="Messages between client, server and disk; the arrow keys step"
        tabIndex={0}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
        onKeyDown={step}
        onClick={jump}
      >
        <ol style={{ height: `${end * ROW}px` }}>
          {rows.map((row, index) => (
            <SequenceRow row={row} place={first + index} isCurrent={row.frame === cursor} key={first + index} />
          ))}
        </ol>
      </section>
    </div>
  );
}

function SequenceRow({ row, place, isCurrent }: { row: Row; place: number; isCurrent: boolean }) {
  const { from, to, text, tone, frame, time } = row;
  const isArrow = from !== to;
  const [left, right] = [Math.min(PLACE[from], PLACE[to]), Math.max(PLACE[from], PLACE[to])];
  const kind = isArrow
    ? `arrow l${left}${right} ${PLACE[to] > PLACE[from] ? "rightward" : "leftward"}`
    : `here at-${from}`;
  return (
    <li
      class={`row ${kind} ${tone}${isCurrent ? " current" : ""}`}
      style={{ top: `${place * ROW}px` }}
      data-frame={frame}
      title={text}
    >
      <span class="time">{duration(time)}</span>
      <span class="way">
        <span class="hidden">{isArrow ? `${from} to ${to}: ` : `${from}: `}</span>
        <span class="text">{text}</span>
      </span>
    </li>
  );
}
