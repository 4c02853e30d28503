// Mutation testing of the core: the mutants of cargo-mutants, all in one build, each behind a switch.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { at, dim, red, root } from "./tools.mjs";

const HELP = `npm run mutants -- [options]

Lists the mutants of core/ with cargo-mutants (cargo install cargo-mutants), writes them into a copy of the sources, each behind
a switch, builds the tests once, and runs them with one mutant at a time switched on.

  --only words   only the mutants whose description contains the words
  --suites a,b   the test suites in this order; the first one that fails has caught the mutant
  --jobs n       the number of mutants that are tried at the same time (1)
  --again        only those that the last run did not try or did not catch
  --help         print this text

target/mutants/results.json has the result of every mutant.`;

// Cheap suites come first.
const SUITES =
  "edges,reuse,surface,transitions,presets,recovery,serde,snapshots,vectors,testing,clients,robustness,paths,display,endpoint,sequences";
// A mutant that uses more has no end. The cases are random: a few of them find what they find at all.
const CPU_SECONDS = 60;
const SETTINGS = {
  CI: "1",
  RUST_BACKTRACE: "0",
  PROPTEST_CASES: "32",
  PROPTEST_DISABLE_FAILURE_PERSISTENCE: "1",
  ROOTWISE_CASES: "150",
};

const args = process.argv.slice(2);
const option = (name, otherwise) => (args.includes(name) ? (args[args.indexOf(name) + 1] ?? "") : otherwise);
if (args.includes("--help") || args.includes("-h")) {
  console.log(HELP);
  process.exit(0);
}

const folder = at("target/mutants");
const copy = join(folder, "tree");
const file = (name) => join(folder, name);
const read = (name) => JSON.parse(readFileSync(file(name), "utf8"));
const build = ["--profile", "mutants", "-p", "rootwise", "--features", "std,testing", "--message-format", "json"];

function succeed(program, programArgs, options = {}) {
  const done = spawnSync(program, programArgs, { cwd: root, encoding: "utf8", maxBuffer: 1 << 30, ...options });
  if (done.status !== 0) {
    console.error(red(`${program} ${programArgs.join(" ")} failed`), done.stderr ?? done.error);
    process.exit(1);
  }
  return done.stdout;
}

function cargo(cargoArgs) {
  const env = {
    ...process.env,
    RUSTFLAGS: `${process.env.RUSTFLAGS ?? ""} --cap-lints=allow`,
    CARGO_TARGET_DIR: file("build"),
  };
  const done = spawnSync("cargo", [...cargoArgs, ...build], { cwd: copy, env, encoding: "utf8", maxBuffer: 1 << 30 });
  const messages = done.stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return { ...done, messages };
}

/** The mutants that an error of the compiler is in, innermost first; a missing arm is one of the match below the error. */
function culprits({ code, spans }) {
  return spans.flatMap(({ file_name: name, byte_start: start, byte_end: end }) => {
    if (!existsSync(join(copy, name))) return [];
    const text = readFileSync(join(copy, name)).toString("latin1");
    if (code?.code === "E0004") {
      const arms = text.slice(start).split("\n").slice(0, 10).join("\n");
      return [...arms.matchAll(/\/\*<(\d+)\*\/ if !/g)].map((found) => Number(found[1]));
    }
    const around = [...text.matchAll(/\/\*<(\d+)\*\//g)]
      .map((found) => ({
        id: Number(found[1]),
        from: found.index,
        to: text.indexOf(`/*${found[1]}>*/`, found.index) + 12,
      }))
      .filter(({ from, to }) => from <= start && end <= to);
    return around
      .sort((one, other) => one.to - one.from - (other.to - other.from))
      .slice(0, 1)
      .map(({ id }) => id);
  });
}

function prepare(listed) {
  rmSync(copy, { recursive: true, force: true });
  const tracked = succeed("git", [
    "ls-files",
    "core",
    "docs",
    "tests",
    "README.md",
    "rust-toolchain.toml",
    "Cargo.lock",
  ])
    .split("\n")
    .filter(Boolean);
  for (const path of tracked) cpSync(at(path), join(copy, path));
  const workspace = readFileSync(at("Cargo.toml"), "utf8")
    .replace(/members = \[[^\]]*\]/, 'members = ["core"]')
    .replace(/exclude = \[[^\]]*\]\n/, "");
  writeFileSync(join(copy, "Cargo.toml"), `${workspace}\n[profile.mutants]\ninherits = "dev"\ndebug = false\n`);
  const leftOut = new Set();
  for (;;) {
    rmSync(join(copy, "core/src"), { recursive: true });
    cpSync(at("core/src"), join(copy, "core/src"), { recursive: true });
    writeFileSync(file("left-out.json"), JSON.stringify([...leftOut]));
    const tool = ["run", "-q", "--manifest-path", at("core/mutants/Cargo.toml"), "--target-dir", file("tool"), "--"];
    const written = JSON.parse(succeed("cargo", [...tool, copy, file("list.json"), file("left-out.json")]));
    const { messages, status, stderr } = cargo(["check"]);
    const errors = messages.filter(({ message }) => message?.level === "error").map(({ message }) => message);
    const found = errors.flatMap(culprits);
    console.log(dim(`${written.length} of ${listed.length} mutants behind switches, ${errors.length} errors`));
    if (status === 0) return written;
    if (found.length === 0) {
      console.error(red("The mutants do not compile:"), errors.map(({ rendered }) => rendered).join("\n") || stderr);
      process.exit(1);
    }
    for (const id of found) leftOut.add(id);
  }
}

mkdirSync(folder, { recursive: true });
writeFileSync(file("list.json"), succeed("cargo", ["mutants", "-p", "rootwise", "--list", "--json"]));
const listed = read("list.json");
const written = prepare(listed);
const suites = option("--suites", SUITES).split(",");
const { messages, status, stderr } = cargo(["test", "--no-run", ...suites.flatMap((name) => ["--test", name])]);
if (status !== 0) {
  console.error(red("The tests do not compile:"), stderr);
  process.exit(1);
}
const programs = Object.fromEntries(
  messages.filter(({ executable }) => executable).map(({ target, executable }) => [target.name, executable]),
);

/** Runs a suite; a test that looks for statics in the sources would find the switch. */
function suite(name, env) {
  const limited = [
    "-c",
    `ulimit -t ${CPU_SECONDS}; exec "$0" "$@"`,
    programs[name],
    "-q",
    "--skip",
    "no_resolver_knows_of_another",
  ];
  const child = spawn("sh", limited, {
    cwd: join(copy, "core"),
    env: { ...process.env, ...SETTINGS, ...env },
    stdio: "ignore",
  });
  return new Promise((resolve) =>
    child.on("close", (code, signal) => resolve(code === 0 ? undefined : (signal ?? `code ${code}`))),
  );
}

const reached = {};
for (const name of suites) {
  const list = file(`reached.${name}`);
  rmSync(list, { force: true });
  if (await suite(name, { MUTANTS_REACHED: list })) {
    console.error(red(`${name} fails without a mutant`));
    process.exit(1);
  }
  reached[name] = new Set(existsSync(list) ? readFileSync(list, "utf8").split("\n").map(Number) : []);
}

const earlier = args.includes("--again") && existsSync(file("results.json")) ? read("results.json") : {};
const results = { ...earlier };
const only = option("--only", "");
const todo = written.filter((id) => listed[id - 1].name.includes(only) && !earlier[listed[id - 1].name]?.caught);
let tried = 0;
async function work() {
  for (let id = todo.shift(); id !== undefined; id = todo.shift()) {
    const result = { caught: undefined, how: undefined, suites: suites.filter((name) => reached[name].has(id)) };
    for (const name of result.suites) {
      result.how = await suite(name, { MUTANT: String(id) });
      if (result.how) {
        result.caught = name;
        break;
      }
    }
    results[listed[id - 1].name] = result;
    if (!result.caught) console.log(`${red("missed")} ${listed[id - 1].name}`);
    tried += 1;
    if (tried % 20 === 0) writeFileSync(file("results.json"), JSON.stringify(results));
  }
}
await Promise.all(Array.from({ length: Number(option("--jobs", "1")) }, work));
writeFileSync(file("results.json"), JSON.stringify(results));
const all = Object.values(results);
const caught = all.filter((result) => result.caught).length;
console.log(
  `${listed.length} mutants, ${written.length} behind switches, ${all.length} tried: ${caught} caught, ${all.length - caught} missed.`,
);
console.log("The others do not compile, or not behind a switch; cargo mutants itself tries them.");
