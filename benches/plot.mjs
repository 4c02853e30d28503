// Plots as SVG. They have two sets of colours, and follow the reader's choice of light or dark.

const [WIDTH, LINE, TOP, LABEL] = [860, 26, 48, 430];
const STYLE = `<style>
.text{font:13px system-ui,sans-serif;fill:#1f2328}.small{font-size:11px;fill:#59636e}.bar{fill:#4c78a8}.missed{fill:#c4572a}.plain{fill:#9aa4af}
.line{stroke:#1f2328}.aim{stroke:#1a7f37;stroke-width:2}.grid{stroke:#d1d9e0}
@media(prefers-color-scheme:dark){.text{fill:#f0f6fc}.small{fill:#9198a1}.bar{fill:#6ea8d9}.missed{fill:#f0883e}.plain{fill:#656c76}
.line{stroke:#f0f6fc}.aim{stroke:#3fb950}.grid{stroke:#3d444d}}
</style>`;

const escaped = (text) =>
  text.replaceAll("`", "").replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const fixed = (value) => Number(value.toFixed(1));

/** A bar for each ratio with its spread, and a mark at its aim; on a logarithmic scale if they are far apart. */
export function bars(title, figures) {
  const values = figures.flatMap(({ ratio, aim }) => [ratio.high, ratio.low, aim?.of === "ratio" ? aim.most : 1]);
  const [least, most] = [Math.min(1, ...values), Math.max(1, ...values)];
  const isWide = most / least > 20;
  // Where all ratios are near 1, what matters is the difference.
  const from = isWide ? least : most < 2 && least > 0.5 ? Math.min(0.95, least - 0.02) : 0;
  const scale = isWide ? (value) => Math.log(value / (from * 0.8)) : (value) => value - from;
  const room = WIDTH - LABEL - 90;
  const x = (value) => fixed(LABEL + (room * Math.max(0, scale(value))) / scale(most));
  const rows = figures.map((figure, index) => {
    const { name, beside, ratio, aim } = figure;
    const y = TOP + index * LINE;
    const limit = aim?.of === "ratio" ? aim.most : undefined;
    const kind = limit === undefined ? "plain" : ratio.median <= limit ? "bar" : "missed";
    const label = shortened(`${name} / ${beside}`, 68);
    return [
      `<text class="text small" x="${LABEL - 8}" y="${y + 13}" text-anchor="end">${escaped(label)}<title>${escaped(`${name}, beside ${beside}`)}</title></text>`,
      `<rect class="${kind}" x="${LABEL}" y="${y + 2}" width="${fixed(Math.max(1, x(ratio.median) - LABEL))}" height="15"/>`,
      `<path class="line" d="M${x(ratio.low)} ${y + 9.5}H${x(ratio.high)}"/>`,
      limit === undefined ? "" : `<path class="aim" d="M${x(limit)} ${y}v19"/>`,
      `<text class="text small" x="${fixed(Math.max(x(ratio.high), limit === undefined ? 0 : x(limit)) + 6)}" y="${y + 13}">${ratio.median.toFixed(ratio.median < 2 ? 3 : 1)}</text>`,
    ].join("");
  });
  const height = TOP + figures.length * LINE + 8;
  const one = 1 > from ? `<path class="grid" d="M${x(1)} ${TOP - 6}V${height - 8}"/>` : "";
  const about = `ratio${isWide ? ", logarithmic" : ""}; the thin line is 1, a green mark the aim, the dark line the middle half of the rounds`;
  return svg(title, about, height, [one, ...rows]);
}

/** The factor by which the time of each event grows from n to 10 n, with the line at 10. */
export function growthPlot(title, figures) {
  return bars(
    title,
    figures.map((figure) => ({ ...figure, beside: "a tenth" })),
  );
}

function svg(title, about, height, parts) {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escaped(title)}">
${STYLE}
<text class="text" x="8" y="18" font-weight="600">${escaped(title)}</text>
<text class="text small" x="8" y="34">${escaped(about)}</text>
${parts.filter(Boolean).join("\n")}
</svg>
`;
}

const shortened = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
