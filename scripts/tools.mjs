// Shared by all commands: locating the repository, running programs, terminal output.
import { spawn, spawnSync } from "node:child_process";
import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync, readFileSync, statSync } from "node:fs";
import { resolve as absolute, delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const at = (...parts) => join(root, ...parts);

const colours = process.stdout.isTTY && !process.env.NO_COLOR;
const paint = (code) => (text) => (colours ? `\u001b[${code}m${text}\u001b[0m` : String(text));
export const bold = paint(1);
export const dim = paint(2);
export const red = paint(31);
export const green = paint(32);
export const yellow = paint(33);
export const cyan = paint(36);

export const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;
export const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;

/** Stops with a message and without a stack trace, for problems that the user can fix. */
export class Stop extends Error {}

/** Runs a program with its output on the terminal, and passed to `line` if given; throws `Stop` if the program fails. */
export function run(program, args, { line, ...options } = {}) {
  console.log(dim(`$ ${[program, ...args].join(" ")}`));
  return new Promise((resolve, reject) => {
    const stdio = ["inherit", line ? "pipe" : "inherit", "inherit"];
    const child = spawn(program, args, { cwd: root, stdio, ...options, env: { ...process.env, ...options.env } });
    if (line) {
      createInterface({ input: child.stdout }).on("line", (text) => {
        console.log(text);
        line(text);
      });
    }
    child.on("error", (error) => reject(new Stop(`cannot start ${program}: ${error.message}`)));
    child.on("close", (code, signal) => {
      if (code === 0) resolve();
      else reject(new Stop(`${program} ${args[0] ?? ""} ended with ${signal ?? `code ${code}`}`));
    });
  });
}

/** Runs a program and shows only that it runs; its output goes into a file and is printed if the program fails. */
export async function quietly(what, program, args) {
  mkdirSync(at("target", "logs"), { recursive: true });
  const log = at("target", "logs", "quiet.log");
  const file = openSync(log, "w");
  const began = performance.now();
  const child = spawn(program, args, { cwd: root, stdio: ["ignore", file, file] });
  closeSync(file);
  const terminal = process.stdout.isTTY;
  if (!terminal) console.log(`${what} …`);
  const timer = setInterval(() => terminal && process.stdout.write(`\r\u001b[K${what} … ${seconds(began)}`), 500);
  const problem = await new Promise((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.on("close", (code, signal) => resolve(code === 0 ? undefined : `it ended with ${signal ?? `code ${code}`}`));
  });
  clearInterval(timer);
  if (terminal) process.stdout.write("\r\u001b[K");
  if (problem) throw new Stop(`${readFileSync(log, "utf8")}\n${what} failed: ${problem}`);
  console.log(`${what}: done in ${seconds(began)}`);
}

/** Returns the path of the first of these programs that exists, or undefined. */
export function which(...programs) {
  const files = programs.flatMap((program) =>
    (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, program)),
  );
  return files.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Runs a program and returns its output. */
export function read(program, args, options = {}) {
  const done = spawnSync(program, args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 30, ...options });
  if (done.error) throw new Stop(`cannot start ${program}: ${done.error.message}`);
  if (done.status !== 0) throw new Stop(`${program} ${args.join(" ")} failed:\n${done.stderr}`);
  return done.stdout;
}

/** What every command of the debug profile selects: with another selection, cargo chooses other features for the dependencies and compiles them again. */
export const WORKSPACE = ["--workspace", "--all-features"];

/** Builds what tests run or load. A test can provoke a panic in every binding. */
export function debugBuild() {
  read("cargo", ["build", "--quiet", ...WORKSPACE, "--lib", "--bins", "--examples"]);
  return join(targetFolder(), "debug");
}

/** Builds the Rust API pages: warnings are errors, and every page links to the other pages of the site. */
export function cargoDoc() {
  const flags = ["-D", "warnings", "--html-before-content", at("site", "rustdoc.html")];
  return run("cargo", ["doc", "--no-deps", ...WORKSPACE], {
    env: { CARGO_ENCODED_RUSTDOCFLAGS: flags.join("\u001f") },
  });
}

export const cargo = (...args) => run("cargo", args);
export const node = (...args) => run(process.execPath, args);

/** Runs a program of an installed npm package, without npx. */
export const bin = (name, ...args) => run(process.execPath, [binPath(name), ...args]);

function binPath(name) {
  const owner = { tsc: "typescript", "wasm-opt": "binaryen", biome: "@biomejs/biome" }[name] ?? name;
  const home = at("node_modules", owner);
  const { bin: entry } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
  return join(home, typeof entry === "string" ? entry : entry[name]);
}

let target;
/** Returns cargo's target folder. */
export function targetFolder() {
  target ??= process.env.CARGO_TARGET_DIR
    ? absolute(process.env.CARGO_TARGET_DIR)
    : JSON.parse(read("cargo", ["metadata", "--format-version", "1", "--no-deps"])).target_directory;
  return target;
}

/** Returns the version of the oldest Rust that the crates promise to build with, as rustup names it. */
export function oldestRust() {
  const [, version] = /^rust-version = "(\d+\.\d+)"$/m.exec(readFileSync(at("Cargo.toml"), "utf8"));
  return `${version}.0`;
}

let published;
/** Returns the names of the crates that are published. */
export function publishedCrates() {
  published ??= JSON.parse(read("cargo", ["metadata", "--format-version", "1", "--no-deps"])).packages.filter(
    ({ publish }) => publish === null,
  );
  return published.map(({ name }) => name);
}

const WASM = "wasm32-unknown-unknown";

/** Checks that all required tools are present and installs the missing ones if possible. */
export async function prepare({ quiet = false } = {}) {
  const [major] = process.versions.node.split(".").map(Number);
  if (major < 20) throw new Stop(`Node 20 or newer is required; this is ${process.version}`);
  if (spawnSync("cargo", ["--version"], { cwd: root }).status !== 0) {
    // rustup installs the toolchain automatically only if its settings allow it.
    console.log("Installing the Rust toolchain that rust-toolchain.toml names (once).");
    const installed = spawnSync("rustup", ["toolchain", "install"], { cwd: root, stdio: "inherit" });
    if (installed.status !== 0) throw new Stop("Rust is not installed; install rustup, which installs the rest");
  }
  const installed = spawnSync("rustup", ["target", "list", "--installed"], { cwd: root, encoding: "utf8" });
  if (installed.status === 0 && !installed.stdout.includes(WASM)) await run("rustup", ["target", "add", WASM]);
  if (!isInstalled()) {
    // Biome, Vite, rolldown and workerd are pinned to versions that have packages for every platform: if one is missing,
    // `npm ci` treats the lock file as damaged.
    const what = "Installing the npm packages that building and testing need (once, and when they change)";
    const command = ["npm", ["ci", "--no-audit", "--no-fund"]];
    if (quiet) await quietly(what, ...command);
    else {
      console.log(`${what}.`);
      await run(...command);
    }
  }
}

/** npm keeps a list of installed packages; the list is older than a lock file that changed afterwards. */
function isInstalled() {
  const installed = at("node_modules", ".package-lock.json");
  return existsSync(installed) && statSync(installed).mtimeMs >= statSync(at("package-lock.json")).mtimeMs;
}

/** Runs a command's main function and turns failures into an exit code. */
export async function main(work) {
  try {
    await work();
  } catch (error) {
    console.error(red(error instanceof Stop ? error.message : error.stack));
    process.exitCode = 1;
  }
}
