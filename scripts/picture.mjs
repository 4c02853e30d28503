// Draws the table of `npm start` as an SVG, for the README: `npm start -- --picture docs/start.svg`.

const COLUMNS = [
  { title: "client", x: 24, colour: () => "#8ecbd6", text: (row) => row.client },
  {
    title: "project",
    x: 330,
    colour: (row) => (row.project === "started-here" ? "#e3c06f" : "#8fce9b"),
    text: (row) => row.project,
  },
  { title: "time", x: 528, colour: () => "#d7dae0", anchor: "end", text: (row) => `${row.milliseconds} ms` },
  { title: "known from", x: 552, colour: () => "#d7dae0", text: (row) => row.from },
];
const WIDTH = 920;
const LINE = 23;
const TOP = 84;

export function picture(rows) {
  const height = TOP + rows.length * LINE + 20;
  const escaped = (text) =>
    text
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replace(/^ +/, (indent) => "\u00a0".repeat(indent.length));
  const cell = ({ x, anchor }, y, colour, text) =>
    `<text x="${x}" y="${y}" fill="${colour}"${anchor ? ` text-anchor="${anchor}"` : ""}>${escaped(text)}</text>`;
  const lines = rows.map((row, index) =>
    COLUMNS.map((column) => cell(column, TOP + index * LINE, column.colour(row), column.text(row))).join(""),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13.5">`,
    `<rect width="${WIDTH}" height="${height}" rx="10" fill="#1d2128"/>`,
    `<text x="24" y="32" fill="#ffffff" font-weight="bold">$ npm start</text>`,
    COLUMNS.map((column) => cell(column, 60, "#8a919c", column.title)).join(""),
    ...lines,
    "</svg>",
    "",
  ].join("\n");
}

/** The texts of a picture, without the times, which differ from run to run. */
export function words(svg) {
  return [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text.replace(/^\d+ ms$/, "… ms"));
}
