// Proves that the tests detect bugs: plants each bug of tests/planted-bugs.json alone in a copy of the core and runs the tests.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { at, bold, dim, green, red, seconds } from "./tools.mjs";

const HELP = `npm run planted-bugs -- [options]

Plants known bugs in a copy of the core, one at a time, and checks that the tests detect each.

  --only words   plant the bugs whose description contains the words
  --list         only list the bugs
  --help         print this text

The bugs are in tests/planted-bugs.json. The sources are copied below target/; the originals do not change.`;

// The fastest suite comes first; the first suite that fails has detected the bug.
const SUITES = [
  "vectors",
  "surface",
  "transitions",
  "recovery",
  "snapshots",
  "endpoint",
  "sequences",
  "paths",
  "robustness",
];

const args = process.argv.slice(2);
if (args.includes("--help") || args.includes("-h")) {
  console.log(HELP);
  process.exit(0);
}
const only = args.includes("--only") ? (args[args.indexOf("--only") + 1] ?? "") : "";
const bugs = JSON.parse(readFileSync(at("tests/planted-bugs.json"), "utf8")).filter(({ bug }) => bug.includes(only));
if (args.includes("--list")) {
  for (const { bug, file } of bugs) console.log(`${bug} ${dim(`(core/src/${file})`)}`);
  process.exit(0);
}

const copy = at("target/planted-bugs");
rmSync(copy, { recursive: true, force: true });
mkdirSync(copy, { recursive: true });
for (const part of [
  "core",
  "docs",
  "README.md",
  "rust-toolchain.toml",
  "tests/functions",
  "tests/vectors",
  "tests/coverage.json",
]) {
  cpSync(at(part), join(copy, part), { recursive: true });
}
cpSync(at("Cargo.lock"), join(copy, "Cargo.lock"));
const workspace = readFileSync(at("Cargo.toml"), "utf8").replace(/members = \[[^\]]*\]/, 'members = ["core"]');
writeFileSync(join(copy, "Cargo.toml"), workspace.replace(/exclude = \[[^\]]*\]\n/, ""));

const test = (suite) => {
  const env = { ...process.env, CARGO_TARGET_DIR: at("target/planted-bugs-build"), RUST_BACKTRACE: "0" };
  const done = spawnSync("cargo", ["test", "-q", "-p", "rootwise", "--test", suite], {
    cwd: copy,
    env,
    encoding: "utf8",
  });
  const broken = /error(\[E\d+\])?: (?!test failed)/.test(done.stderr);
  return {
    passed: done.status === 0,
    broken: broken && !/test result: FAILED/.test(done.stdout),
    output: done.stdout + done.stderr,
  };
};

console.log("Without a bug: every suite must pass.");
for (const suite of SUITES) {
  const since = performance.now();
  const { passed, output } = test(suite);
  if (!passed) {
    console.error(`${red("fails")} ${suite} without a planted bug:\n${output}`);
    process.exit(1);
  }
  console.log(`  ${green("passes")} ${suite} ${dim(seconds(since))}`);
}

let missed = 0;
for (const [index, { bug, file, find, replace }] of bugs.entries()) {
  const since = performance.now();
  const path = join(copy, "core/src", file);
  const sound = readFileSync(path, "utf8");
  if (sound.split(find).length !== 2) {
    console.error(`${red("stale")} ${bug}: core/src/${file} must contain this exactly once: ${find.trim()}`);
    missed += 1;
    continue;
  }
  writeFileSync(
    path,
    sound.replace(find, () => replace),
  );
  const noticed = SUITES.find((suite) => {
    const { passed, broken, output } = test(suite);
    if (broken) throw new Error(`planting "${bug}" does not compile:\n${output}`);
    return !passed;
  });
  writeFileSync(path, sound);
  if (!noticed) missed += 1;
  const verdict = noticed ? green(`detected by ${noticed}`) : red("not detected");
  console.log(`${String(index + 1).padStart(2)}/${bugs.length} ${bug}: ${verdict} ${dim(seconds(since))}`);
}
console.log(
  bold(missed ? red(`${missed} of ${bugs.length} bugs were not detected`) : `all ${bugs.length} bugs were detected`),
);
process.exit(missed ? 1 : 0);
