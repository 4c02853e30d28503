// Makes docs/performance.md and its plots from the figures alone.
import { bars, growthPlot } from "./plot.mjs";
import { rows } from "./rows.mjs";

const digits = (value) =>
  value >= 1000 ? Math.round(value).toLocaleString("en-US") : String(Number(value.toPrecision(3)));

export const shownValue = ({ value, unit }) => `${digits(value)} ${unit}`;

export const shownRatio = ({ ratio }) => {
  const shown = (value) => (value < 10 ? value.toFixed(ratio.median < 2 ? 3 : 1) : digits(value));
  return ratio.low === ratio.high
    ? shown(ratio.median)
    : `${shown(ratio.median)} (${shown(ratio.low)} – ${shown(ratio.high)})`;
};

/** The aim of a figure as text, and whether the figure meets it. */
export function aimOf({ aim, value, ratio, unit }) {
  if (!aim) return undefined;
  const reached = aim.of === "ratio" ? ratio.median : value;
  const text = aim.of === "ratio" ? `≤ ${aim.most} ×` : `≤ ${digits(aim.most)} ${unit}`;
  return { text, met: reached <= aim.most };
}

/** The files of docs/ that these figures give, by their path. */
export function filesOf(bench) {
  const shown = rows.filter(({ name }) => bench.rows[name]?.figures.length > 0);
  const plots = shown.map((row) => [`performance/${row.name}.svg`, plotOf(row, bench.rows[row.name].figures)]);
  return {
    "performance.md": pageOf(shown, bench),
    ...Object.fromEntries(plots.filter(([, svg]) => svg)),
  };
}

function plotOf({ name, title }, figures) {
  if (name === "growth") return growthPlot(title, figures);
  const withRatio = figures.filter(({ ratio }) => ratio);
  return withRatio.length > 0 ? bars(title, withRatio) : undefined;
}

const HEAD = `# Performance

<!-- Made by \`npm run bench\` from benches/bench.json: change benches/, not this page. -->

What Rootwise costs beside what people would use instead. \`npm run bench\` measures all of it: every piece of work takes its turn in every round, so that whatever else the machine
does meets all of them, and a ratio compares measurements of the same round. Shown are the median, and in parentheses the quarter of the rounds below and above it. Times are
processor time where not stated otherwise.

No figure is a reason to answer from an old list or an old look at the disk: the rivals by hand keep what they once heard, Rootwise asks again after a second
([freshness](guides/freshness.md)).
`;

function pageOf(shown, bench) {
  // Other pages link to every section, measured or not.
  const sections = rows.map((row) => (shown.includes(row) ? sectionOf(row, bench.rows[row.name]) : unmeasured(row)));
  return `${[HEAD, summaryOf(shown, bench), ...sections, COUNTS].join("\n").trimEnd()}\n`;
}

const unmeasured = ({ name, title, what }) =>
  `## ${title}\n\n${what}\n\nNot measured in the last run; \`npm run bench -- --only ${name}\` does it.\n`;

function summaryOf(shown, bench) {
  const lines = shown.flatMap(({ name, title }) =>
    bench.rows[name].figures.filter(({ aim }) => aim).map((figure) => ({ title, figure, aim: aimOf(figure) })),
  );
  const open = rows.filter((row) => !shown.includes(row) && row.aims > 0);
  const all = lines.length + open.reduce((sum, { aims }) => sum + aims, 0);
  const met = lines.filter(({ aim }) => aim.met).length;
  const missed = lines.filter(({ aim }) => !aim.met);
  const list = missed.map(({ title, figure, aim }) => {
    const reached = figure.aim.of === "ratio" ? `${shownRatio(figure)} ×` : shownValue(figure);
    return `- [${title}](#${anchorOf(title)}): ${figure.name}: ${reached}, aim ${aim.text}`;
  });
  list.push(
    ...open.map(({ title, aims }) => `- [${title}](#${anchorOf(title)}): not measured, ${countOf(aims, "aim")}`),
  );
  const text = `${met} of ${countOf(all, "aim")} ${all === 1 ? "is" : "are"} met.`;
  return `## Aims\n\n${text}${list.length > 0 ? ` Not met:\n\n${list.join("\n")}\n` : "\n"}`;
}

const countOf = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

const anchorOf = (title) =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");

function sectionOf({ name, title, what, limit, tried }, row) {
  const { figures } = row;
  const compared = figures.some(({ ratio }) => ratio);
  const table = figures.map((figure) => {
    const aim = aimOf(figure);
    const cells = [figure.name, shownValue(figure)];
    if (compared) cells.push(figure.ratio ? shownRatio(figure) : "–", figure.beside ?? "–");
    cells.push(aim ? `${aim.text} ${aim.met ? "✓" : "✗"}` : "");
    return `| ${cells.join(" | ")} |`;
  });
  const head = compared
    ? "| figure | value | ratio | to | aim |\n|---|---:|---|---|---|"
    : "| figure | value | aim |\n|---|---:|---|";
  const plot = compared ? `![${title}, as ratios](performance/${name}.svg)\n` : undefined;
  const parts = [
    `## ${title}\n`,
    `${what}\n`,
    `${head}\n${table.join("\n")}\n`,
    plot,
    limit && `*The limit.* ${limit}\n`,
    tried && `*What was tried.* ${tried}\n`,
    `${measuredOn(row)}\n`,
  ];
  return parts.filter(Boolean).join("\n");
}

/** When, of what and on what a row was measured; a busy machine is named, because it spreads every ratio. */
function measuredOn({ date, commit, machine, versions, load, processors }) {
  const text = `Measured on ${date}${commit ? `, commit ${commit}` : ""}: ${machine}; ${versions}; load ${load}.`;
  if (load <= processors) return text;
  return `${text}\n\n> **The machine was busy:** more programs wanted a processor (${load}) than it has (${processors}). The ratios still compare the same rounds, but they spread; measure again on an idle machine.`;
}

const COUNTS = `## Instructions

Times depend on the machine; instructions hardly do. \`npm run counts\` counts what the core executes in fixed scenarios with callgrind, and fails if one takes 2 % more than
[benches/counts.json](../benches/counts.json) says. It is a step of \`npm test\`, so that a regression shows on any machine. Nothing in the tests measures time.
`;
