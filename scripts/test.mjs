// npm test: runs all checks in named steps. Developers and .ci/run use the same command.
import { existsSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { command, homebrew, needs, provide } from "./needs.mjs";
import { beginResults } from "./results.mjs";
import { runSteps } from "./runner.mjs";
import { steps } from "./steps.mjs";
import { at, dim, green, main, prepare, read, red, seconds, Stop, yellow } from "./tools.mjs";

const help = `npm test -- [options]

Installs and builds what it needs, runs every step, and prints a table of results. A step that needs something which is missing
and cannot be installed is left out; with CI=true that is a failure.

  --list            list the steps that would run
  --only a,b        run only these steps
  --from a          start at this step
  --skip a,b        skip these steps
  --changed         run only the steps that your changes can affect: uncommitted files, and commits since --since
  --since commit    with --changed: compare with this commit (default: where this branch left main)
  --keep-going      continue after a failed step
  --verbose         print the output of every step as it comes; steps then run one after the other
  --no-install      do not install anything on the system
  --sequences n     number of random sequences to compare between the bindings (default: 10000)
  --help            print this text

The output of a step is in target/logs/<step>.log; npm test prints it when the step fails.`;

main(async () => {
  const flag = { type: "boolean" };
  const text = { type: "string" };
  const { values } = parseArgs({
    options: {
      ...{
        list: flag,
        only: text,
        from: text,
        skip: text,
        changed: flag,
        since: text,
        "keep-going": flag,
        verbose: flag,
      },
      ...{ "no-install": flag, sequences: text, help: flag, inside: text },
    },
  });
  if (values.help) return console.log(help);
  if (values.inside) return inside(values.inside);
  if (values.list) {
    for (const { name, what } of choose(values)) console.log(`${name.padEnd(12)} ${what}`);
    return;
  }
  if (values.sequences) process.env.ROOTWISE_SEQUENCES = values.sequences;
  if (values["no-install"]) process.env.ROOTWISE_INSTALL = "0";
  // In continuous integration, random tests take other cases for every commit, and the same ones for the same commit; and nothing is
  // compiled twice there, so that records for the next build would only cost time.
  if (process.env.CI) {
    process.env.CARGO_INCREMENTAL ??= "0";
    process.env.ROOTWISE_SEED ??= String(parseInt(read("git", ["rev-parse", "HEAD"]).slice(0, 7), 16));
  }

  const chosen = choose(values);
  if (chosen.length === 0) return console.log("No step reads a file that changed.");
  const began = performance.now();
  await prepare();
  const absent = await provide([...new Set(["compiler", "git", ...chosen.flatMap((step) => step.needs ?? [])])]);
  if (absent.includes("compiler"))
    throw new Stop(`There is no C compiler, and Rust cannot link without one: ${command(["compiler"])}`);
  const results = await runSteps(chosen, {
    absent,
    keepGoing: values["keep-going"],
    verbose: values.verbose || chosen.length === 1,
  });
  report(chosen, results, absent, began);
});

/** The process of one step. */
async function inside(name) {
  Object.assign(process.env, homebrew());
  beginResults(name);
  await named(name).run();
}

function named(name) {
  const step = steps.find((step) => step.name === name);
  if (!step) throw new Stop(`unknown step \`${name}\`; npm test -- --list lists the steps`);
  return step;
}

function choose({ only, from, skip, changed, since }) {
  const listed = (names) => (names ? names.split(",").map(named) : []);
  if (only) return steps.filter((step) => listed(only).includes(step));
  const left = steps.slice(from ? steps.indexOf(named(from)) : 0).filter((step) => !listed(skip).includes(step));
  return changed || since ? affected(left, since) : left;
}

/** The steps that read a changed file. A change of the commands themselves affects every step. */
function affected(candidates, since) {
  const base = since ?? read("git", ["merge-base", "HEAD", "main"]).trim();
  const changed =
    read("git", ["diff", "--name-only", base]) + read("git", ["ls-files", "--others", "--exclude-standard"]);
  const files = changed.split("\n").filter(Boolean);
  if (files.some((file) => /^scripts\/(test|steps|runner|tools|needs)\.mjs$/.test(file))) return candidates;
  const reads = (step) => step.reads.some((start) => files.some((file) => file.startsWith(start)));
  const hit = candidates.filter(reads);
  const built = existsSync(at("dist", "rootwise.wasm"));
  return candidates.filter(
    (step) =>
      hit.includes(step) || (step.name === "build" && !built && hit.some((other) => other.after?.includes("build"))),
  );
}

/** Keeps the times of a complete run, for `npm run bench`. */
function record(chosen, results, began) {
  const times = Object.fromEntries(chosen.map((step) => [step.name, parseFloat(results.get(step).time)]));
  const whole = (performance.now() - began) / 1000;
  writeFileSync(at("target", "logs", "times.json"), `${JSON.stringify({ whole, steps: times }, null, 1)}\n`);
}

function report(chosen, results, absent, began) {
  const words = {
    passed: green("passed  "),
    failed: red("FAILED  "),
    "left out": yellow("left out"),
    "not run": dim("not run "),
  };
  console.log();
  for (const [step, { state, time, why }] of results)
    console.log(`  ${words[state]}  ${step.name.padEnd(12)} ${(time ?? "").padStart(8)}  ${dim(why ?? "")}`.trimEnd());
  if (chosen.length === steps.length && chosen.every((step) => results.get(step).state === "passed"))
    record(chosen, results, began);
  const named = (state) => chosen.filter((step) => results.get(step).state === state).map((step) => step.name);
  console.log(`\n${named("passed").length} of ${chosen.length} steps passed in ${seconds(began)}`);
  const out = named("left out");
  if (out.length > 0) {
    console.log(
      yellow(
        `Left out: ${out.join(", ")}. This installs what is missing (${absent.map((name) => needs[name].what).join("; ")}):`,
      ),
    );
    console.log(`  ${command(absent)}`);
  }
  const failed = named("failed");
  if (failed.length > 0)
    throw new Stop(`failed: ${failed.join(", ")}. Repeat only these: npm test -- --only ${failed.join(",")}`);
  if (out.length > 0 && process.env.CI === "true")
    throw new Stop("A step that is left out is a failure where CI=true.");
}
