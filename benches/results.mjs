// Where the figures are kept, and the files that are made of them.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, platform, release } from "node:os";
import { at, read } from "../scripts/tools.mjs";
import { filesOf } from "./page.mjs";

const FILE = at("benches", "bench.json");

export const readBench = () => JSON.parse(readFileSync(FILE, "utf8"));

export function writeBench(bench) {
  writeFileSync(FILE, `${JSON.stringify(bench, null, 1)}\n`);
  console.log("Written: benches/bench.json");
}

/** Writes docs/performance.md and its plots. */
export function writePage(bench) {
  const folder = at("docs", "performance");
  mkdirSync(folder, { recursive: true });
  for (const old of readdirSync(folder)) if (old.endsWith(".svg")) rmSync(at("docs", "performance", old));
  for (const [file, text] of Object.entries(filesOf(bench))) writeFileSync(at("docs", file), text);
  console.log("Written: docs/performance.md and its plots");
}

/** When, of what and on what a row was measured; `before` is the load when it began. */
export function machine(before) {
  const version = (program) => read(program, ["--version"]).trim().split(" ").slice(0, 2).join(" ");
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? process.arch}, ${platform()} ${release().split("-")[0]}`,
    versions: [`Node ${process.versions.node}`, version("rustc"), version("python3")].join(", "),
    commit: commit(),
    processors: availableParallelism(),
    load: Math.max(before, load()),
  };
}

/** The commit that is measured, with a plus sign if files differ from it. */
function commit() {
  try {
    const changed = read("git", [
      "status",
      "--porcelain",
      "--untracked-files=no",
      "--",
      ":!benches/bench.json",
      ":!docs",
    ]);
    return `${read("git", ["rev-parse", "--short=12", "HEAD"]).trim()}${changed.trim() === "" ? "" : "+"}`;
  } catch {
    return "";
  }
}

/** How many programs wanted a processor in the last minute: a busy machine shows in the spread. */
export function load() {
  try {
    return Number(readFileSync("/proc/loadavg", "utf8").split(" ")[0]);
  } catch {
    return 0;
  }
}
