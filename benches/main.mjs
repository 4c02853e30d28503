// npm run bench: measures Rootwise beside what people would use instead, and makes docs/performance.md from what it measured.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { at, bold, dim, main, prepare, seconds, Stop, yellow } from "../scripts/tools.mjs";
import { aimOf, shownRatio, shownValue } from "./page.mjs";
import { load, machine, readBench, writeBench, writePage } from "./results.mjs";
import { names, rows } from "./rows.mjs";
import { provide } from "./setup.mjs";

const help = `npm run bench -- [options]

Measures Rootwise beside what people would use instead, in turns in one run, and prints every figure as a ratio. Writes
benches/bench.json, and from it docs/performance.md with its plots. It builds what is missing, which takes several minutes more.

  --only a,b   measure only these rows: ${names.join(", ")}
               the others keep their figures
  --quick      a few rounds, to see that everything runs; writes nothing
  --page       measure nothing; make the page and the plots again
  --help       this text`;

main(async () => {
  const flag = { type: "boolean" };
  const options = { only: { type: "string" }, quick: flag, page: flag, help: flag, inside: { type: "string" } };
  const { values } = parseArgs({ options: { ...options, result: { type: "string" } } });
  if (values.help) return console.log(help);
  if (values.inside) return inside(values);
  if (values.page) return writePage(readBench());

  const unknown = (values.only?.split(",") ?? []).filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Stop(`unknown row: ${unknown.join(", ")}; npm run bench -- --help names them`);
  const chosen = rows.filter(({ name }) => !values.only || values.only.split(",").includes(name));
  const began = performance.now();
  await prepare();
  await provide(new Set(chosen.flatMap(({ needs }) => needs)));
  console.log(bold(`Prepared in ${seconds(began)}.`));
  const bench = values.only ? readBench() : { rows: {} };
  for (const [at, { name, title }] of chosen.entries()) {
    const start = performance.now();
    console.log(bold(`\n[${at + 1}/${chosen.length}] ${title} (${name})`));
    const before = load();
    const figures = await measured(name, values.quick);
    bench.rows[name] = { ...machine(before), figures };
    if (bench.rows[name].load > availableParallelism())
      console.log(yellow("  The machine was busy: the figures spread more than on an idle one."));
    for (const figure of figures) print(figure);
    console.log(dim(`measured in ${seconds(start)}`));
  }
  console.log(bold(`\nDone in ${seconds(began)}.`));
  if (values.quick) return console.log("Nothing is written after --quick.");
  writeBench(bench);
  writePage(bench);
});

/** Measures a row in a process of its own, so that none changes the memory or the compiled code of another. */
async function measured(name, quick) {
  const folder = at("target", "bench");
  mkdirSync(folder, { recursive: true });
  const result = join(folder, `${name}.json`);
  rmSync(result, { force: true });
  const args = [at("benches", "main.mjs"), "--inside", name, "--result", result, ...(quick ? ["--quick"] : [])];
  const began = performance.now();
  // A long row says every half minute that it still runs.
  const timer = setInterval(() => console.log(dim(`  … ${seconds(began)}`)), 30_000);
  const child = spawn(process.execPath, ["--expose-gc", ...args], { stdio: ["ignore", "inherit", "inherit"] });
  const code = await new Promise((resolve) => child.on("close", resolve));
  clearInterval(timer);
  if (code !== 0) throw new Stop(`the row ${name} failed`);
  return JSON.parse(readFileSync(result, "utf8"));
}

async function inside({ inside: name, result, quick }) {
  const { writeFileSync } = await import("node:fs");
  const row = rows.find((row) => row.name === name);
  writeFileSync(result, JSON.stringify(await row.measure({ quick })));
  // Servers and clients of a row end with its process.
  process.exit();
}

function print(figure) {
  const { name, beside } = figure;
  const aim = aimOf(figure);
  const words = [
    shownValue(figure),
    beside && `${shownRatio(figure)} × ${beside}`,
    aim && `aim ${aim.text}: ${aim.met ? "met" : "NOT MET"}`,
  ];
  console.log(`  ${name}\n    ${words.filter(Boolean).join("; ")}`);
}
