// npm run check: what a change in core/ most often breaks, in less than a minute.
import { existsSync, readdirSync } from "node:fs";
import { parseArgs } from "node:util";
import { at, cargo, main, prepare, seconds } from "./tools.mjs";

/** Suites that play many random sequences or large inputs; `npm test` runs them. */
const LONG = ["corpus", "cost", "robustness", "sequences"];

const help = `npm run check -- [options]

Checks a change in core/: format, lints, and the tests of the crate without its long suites (${LONG.join(", ")}).
npm test -- --changed runs every step that the change can affect.

  --help   print this text`;

main(async () => {
  const { values } = parseArgs({ options: { help: { type: "boolean" } } });
  if (values.help) return console.log(help);
  await prepare();
  const began = performance.now();
  await cargo("fmt", "--all", "--check");
  await cargo("clippy", "--quiet", "-p", "rootwise", "--all-targets", "--", "-D", "warnings");
  await cargo("test", "--quiet", "-p", "rootwise", "--lib", ...suites().flatMap((name) => ["--test", name]));
  console.log(`Checked in ${seconds(began)}. Before a pull request: npm test`);
});

function suites() {
  const names = readdirSync(at("core", "tests")).map((name) => (existsSync(at("core", "tests", name, "main.rs")) ? name : /^(.*)\.rs$/.exec(name)?.[1]));
  return names.filter((name) => name && !LONG.includes(name)).sort();
}
