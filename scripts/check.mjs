// npm run check: what a change in core/ most often breaks, in less than a minute.
import { parseArgs } from "node:util";
import { cargo, main, prepare, read, seconds } from "./tools.mjs";

/** Suites that play many random sequences or large inputs; `npm test` runs them. */
const LONG = ["corpus", "cost", "endpoint", "robustness", "sequences"];

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

/** The test files of the crate, without those that need a feature. */
function suites() {
  const { packages } = JSON.parse(read("cargo", ["metadata", "--format-version", "1", "--no-deps"]));
  const { targets } = packages.find(({ name }) => name === "rootwise");
  const tests = targets.filter(({ kind, "required-features": features }) => kind.includes("test") && !features);
  return tests.map(({ name }) => name).filter((name) => !LONG.includes(name));
}
