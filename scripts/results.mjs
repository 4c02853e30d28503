// Records what tests cover and whether they passed, as lines of JSON, `{ suite, test, covers, passed }`, in the file that
// ROOTWISE_RESULTS names. This module is also a reporter that records results for `node --test`, beside the readable reporter.
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { at, root, run, Stop } from "./tools.mjs";

const folder = at("target", "results");
const ID = "[A-Z]-?\\d+";
const IDS = `${ID}(?:, ${ID})*`;
const TITLE = new RegExp(`^(.*) \\[(${IDS})\\]$`);
const RUST_TEST = new RegExp(`^// Covers (${IDS})\\.\\n#\\[test\\]\\nfn (\\w+)`, "gm");

/** Starts recording for this step and deletes its older results. */
export function beginResults(step) {
  mkdirSync(folder, { recursive: true });
  process.env.ROOTWISE_RESULTS = join(folder, `${step}.jsonl`);
  rmSync(process.env.ROOTWISE_RESULTS, { force: true });
}

export function record(result) {
  if (process.env.ROOTWISE_RESULTS) appendFileSync(process.env.ROOTWISE_RESULTS, `${JSON.stringify(result)}\n`);
}

/** Every recorded result. */
export function results() {
  mkdirSync(folder, { recursive: true });
  return readdirSync(folder)
    .filter((file) => file.endsWith(".jsonl"))
    .sort()
    .flatMap((file) => {
      return readFileSync(join(folder, file), "utf8")
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    });
}

/** Node tests name ids at the end of their title: `a title [G-01, A1]`. */
export default async function* reporter(events) {
  for await (const { type, data } of events) {
    if (type !== "test:pass" && type !== "test:fail") continue;
    const named = TITLE.exec(data.name);
    // A skipped test has not run.
    if (!named || data.skip !== undefined) continue;
    const passed = type === "test:pass" && data.todo === undefined;
    record({ suite: relative(root, data.file), test: named[1], covers: named[2].split(", "), passed });
    yield "";
  }
}

/** Runs the Rust tests, some of which name ids in the line above: `// Covers T-02, T-07.` */
export function cargoTest(...args) {
  const covering = rustTests();
  const line = (text) => {
    const said = /^test (?:\w+::)*(\w+) \.\.\. (\w+)/.exec(text);
    const test = said && covering.get(said[1]);
    if (test) record({ ...test, passed: said[2] === "ok" });
  };
  return run("cargo", ["test", ...args], { line });
}

function rustTests() {
  const found = new Map();
  for (const file of readdirSync(at("core/tests"), { recursive: true })
    .filter((file) => file.endsWith(".rs"))
    .sort()) {
    const suite = `core/tests/${file}`;
    for (const [, ids, test] of readFileSync(at(suite), "utf8").matchAll(RUST_TEST)) {
      if (found.has(test)) throw new Stop(`two tests with a \`Covers\` line are named ${test}`);
      found.set(test, { suite, test, covers: ids.split(", ") });
    }
  }
  return found;
}
