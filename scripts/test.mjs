// npm test: runs all checks in named steps. Developers and .ci/run use the same command.
import { parseArgs } from "node:util";
import { bold, dim, green, main, prepare, red, seconds, Stop } from "./tools.mjs";
import { beginResults } from "./results.mjs";
import { steps } from "./steps.mjs";

const help = `npm test -- [options]

Installs and builds what it needs, runs every step, and prints a table of results.

  --list          list the steps
  --only a,b      run only these steps
  --from a        start at this step
  --skip a,b      skip these steps
  --sequences n   number of random sequences to compare between the bindings (default: 2000)
  --keep-going    continue after a failed step
  --help          print this text`;

main(async () => {
  const { values } = parseArgs({
    options: {
      list: { type: "boolean" },
      only: { type: "string" },
      from: { type: "string" },
      skip: { type: "string" },
      sequences: { type: "string" },
      "keep-going": { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help) return console.log(help);
  if (values.list) {
    for (const step of steps) console.log(`${step.name.padEnd(12)} ${step.what}`);
    return;
  }
  if (values.sequences) process.env.ROOTWISE_SEQUENCES = values.sequences;

  const chosen = choose(values);
  const began = performance.now();
  const results = [];
  await prepare();
  for (const step of chosen) {
    console.log(`\n${bold(`[${results.length + 1}/${chosen.length}] ${step.name}`)}: ${step.what}`);
    const stepBegan = performance.now();
    beginResults(step.name);
    try {
      await step.run();
      results.push({ step, time: seconds(stepBegan) });
    } catch (error) {
      if (!(error instanceof Stop)) throw error;
      console.error(red(`${step.name} failed: ${error.message}`));
      results.push({ step, time: seconds(stepBegan), failed: true });
      if (!values["keep-going"]) break;
    }
  }
  table(chosen, results);
  console.log(`\n${results.filter((result) => !result.failed).length} of ${chosen.length} steps passed in ${seconds(began)}`);
  const failed = results.filter((result) => result.failed).map((result) => result.step.name);
  if (failed.length > 0) throw new Stop(`failed: ${failed.join(", ")}. Repeat only these: npm test -- --only ${failed.join(",")}`);
});

function choose({ only, from, skip }) {
  const named = (name) => {
    const index = steps.findIndex((step) => step.name === name);
    if (index < 0) throw new Stop(`unknown step \`${name}\`; npm test -- --list lists the steps`);
    return index;
  };
  if (only) {
    const wanted = only.split(",").map(named);
    return steps.filter((_, index) => wanted.includes(index));
  }
  const left = from ? steps.slice(named(from)) : steps;
  const skipped = skip ? skip.split(",").map((name) => steps[named(name)]) : [];
  return left.filter((step) => !skipped.includes(step));
}

function table(chosen, results) {
  console.log();
  for (const [index, step] of chosen.entries()) {
    const result = results[index];
    const word = !result ? dim("not run") : result.failed ? red("FAILED ") : green("passed ");
    console.log(`  ${word}  ${step.name.padEnd(12)} ${result ? result.time.padStart(8) : ""}`);
  }
}
