// Drawn, because not every system has these signs in its fonts.
const PATHS = {
  first: "M3 3v10M13 3 6 8l7 5z",
  back: "M11 3 4 8l7 5z",
  forward: "M5 3l7 5-7 5z",
  last: "M13 3v10M3 3l7 5-7 5z",
  remove: "M4 4l8 8M12 4l-8 8",
  folder: "M2 4.5h4l1.5 1.5H14v7H2z",
  file: "M4 2.5h5l3 3v8H4z",
  link: "M3 12c0-5 3-6 8-6M8 3l3.5 3L8 9",
  won: "M3 8.5l3.5 3.5L13 4.5",
  equal: "M3 6h10M3 10h10",
  unequal: "M3 6h10M3 10h10M10.5 3l-5 10",
  absent: "M5 8h6",
  off: "M8 4a4 4 0 1 0 0 8 4 4 0 1 0 0-8",
  waiting: "M8 3a5 5 0 1 0 0 10A5 5 0 1 0 8 3M8 5v3.5l2 1.5",
};

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
