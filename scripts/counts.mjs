// npm run counts: counts the instructions of the core in fixed scenarios, and compares them with benches/counts.json.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { at, bold, cargo, dim, green, main, prepare, read, red, Stop, targetFolder, which, yellow } from "./tools.mjs";

const help = `npm run counts -- [options]

Counts the instructions that the core executes in each scenario of benches/core/src/scenarios.rs, with callgrind, and fails if one
takes more than benches/counts.json allows. Counts do not depend on the load of a machine. They depend on the compiler, which
rust-toolchain.toml pins.

  --update     write what was counted into benches/counts.json
  --only a,b   count only these scenarios
  --help       this text`;

const TABLE = at("benches", "counts.json");

/** What a count may differ by: the C library of a machine copies memory in its own way. */
const TOLERANCE = 0.02;

/** The count of one repetition is the difference between two runs, so that the start of the program does not count. */
const [FEW, MANY] = [10, 30];

main(async () => {
  const flag = { type: "boolean" };
  const { values } = parseArgs({ options: { update: flag, only: { type: "string" }, help: flag } });
  if (values.help) return console.log(help);
  if (process.platform !== "linux") return console.log("Nothing is counted: valgrind runs on Linux only.");
  if (!which("valgrind")) throw new Stop("valgrind is not installed; npm run doctor says how to install it");
  await prepare();
  // With the addon, so that both use one build of the core.
  await cargo("build", "--release", "-p", "rootwise-node", "-p", "rootwise-bench");
  const program = join(targetFolder(), "release", "rootwise-bench");
  const compiler = read("rustc", ["--version"]).trim();
  const machine = `${process.platform}-${process.arch}`;
  const table = existsSync(TABLE) ? JSON.parse(readFileSync(TABLE, "utf8")) : { counts: {} };

  const known = read(program, ["list"]).trim().split("\n");
  const wanted = values.only?.split(",") ?? known;
  const unknown = wanted.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Stop(`unknown scenario: ${unknown.join(", ")}; there are ${known.join(", ")}`);
  const comparable = !values.update && table.machine === machine;
  if (!values.update && !comparable)
    console.log(yellow(`benches/counts.json is for ${table.machine}: on ${machine} the counts are only printed.`));

  console.log(bold(`${"instructions".padEnd(24)}${"table".padStart(10)}${"counted".padStart(10)}  change`));
  const counts = {};
  const [above, missing] = [[], []];
  for (const name of wanted) {
    const count = counted(program, name);
    counts[name] = count;
    const before = table.counts[name];
    const change = before === undefined ? undefined : count / before - 1;
    const isWorse = comparable && (change === undefined || change > TOLERANCE);
    if (isWorse) (change === undefined ? missing : above).push(name);
    console.log(
      `${name.padEnd(24)}${String(before ?? "–").padStart(10)}${String(count).padStart(10)}  ${shown(change, isWorse)}`,
    );
  }

  if (values.update) {
    const kept = values.only ? table.counts : {};
    const rows = known.map((name) => [name, counts[name] ?? kept[name]]).filter(([, count]) => count !== undefined);
    const written = { machine, compiler, counts: Object.fromEntries(rows) };
    writeFileSync(TABLE, `${JSON.stringify(written, null, 2)}\n`);
    return console.log("Written: benches/counts.json");
  }
  if (comparable && table.compiler !== compiler)
    throw new Stop(`benches/counts.json was counted with ${table.compiler}, this is ${compiler}.\n${HOW}`);
  if (comparable && !values.only && Object.keys(table.counts).some((name) => !known.includes(name)))
    throw new Stop(`benches/counts.json has scenarios that no longer exist.\n${HOW}`);
  const problems = [];
  if (missing.length > 0)
    problems.push(
      `Not in benches/counts.json: ${missing.join(", ")}.\nAdd what is new: npm run counts -- --update --only ${missing.join(",")}`,
    );
  if (above.length > 0)
    problems.push(
      `More than ${TOLERANCE * 100} % above the table: ${above.join(", ")}.\n` +
        `Find the functions: valgrind --tool=callgrind ${program} repeat ${above[0]} 100, then callgrind_annotate.\n${HOW}`,
    );
  if (problems.length > 0) throw new Stop(problems.join("\n\n"));
});

const HOW = "If the change is wanted, write the new counts and commit them: npm run counts -- --update";

/** Instructions of one repetition of a scenario. */
function counted(program, name) {
  const [few, many] = [FEW, MANY].map((times) => instructions(program, name, times));
  return Math.round((many - few) / (MANY - FEW));
}

function instructions(program, name, times) {
  const flags = ["--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-fd=1"];
  // An environment of its own: its size would move the stack.
  const output = read("valgrind", [...flags, program, "repeat", name, String(times)], {
    env: { PATH: process.env.PATH, GLIBC_TUNABLES: "glibc.cpu.hwcaps=-AVX512F,-AVX2,-AVX,-ERMS,-FSRM" },
  });
  const found = /Collected : (\d+)/.exec(output);
  if (!found) throw new Stop(`valgrind did not count:\n${output}`);
  return Number(found[1]);
}

function shown(change, isWorse) {
  if (change === undefined) return red("not in the table");
  const text = `${change < 0 ? "" : "+"}${(change * 100).toFixed(2)} %`;
  if (isWorse) return red(text);
  return change < -TOLERANCE ? green(`${text}, worth an update of the table`) : dim(text);
}
