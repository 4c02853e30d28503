// npm run check: what a change in core/ most often breaks, in less than a minute.
import { parseArgs } from "node:util";
import { cargo, main, prepare, seconds } from "./tools.mjs";

const help = `npm run check -- [options]

Checks a change in core/: format, lints, all tests of the crate. npm test -- --changed runs every step that the change can affect.

  --help   print this text`;

main(async () => {
  const { values } = parseArgs({ options: { help: { type: "boolean" } } });
  if (values.help) return console.log(help);
  await prepare();
  const began = performance.now();
  await cargo("fmt", "--all", "--check");
  await cargo("clippy", "--quiet", "-p", "rootwise", "--all-targets", "--", "-D", "warnings");
  await cargo("test", "--quiet", "-p", "rootwise");
  console.log(`Checked in ${seconds(began)}. Before a pull request: npm test`);
});
