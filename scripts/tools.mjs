// What the commands share: finding the repository, running programs, and words on the terminal.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
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

/** Stops with a message and without a stack: for what the user can mend. */
export class Stop extends Error {}

/** Runs a program with its output on the terminal, and to `line` if given; anything but success stops. */
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
    child.on("error", (error) => reject(new Stop(`${program} cannot be started: ${error.message}`)));
    child.on("close", (code, signal) => {
      if (code === 0) resolve();
      else reject(new Stop(`${program} ${args[0] ?? ""} ended with ${signal ?? `code ${code}`}`));
    });
  });
}

/** Runs a program and gives back what it printed. */
export function read(program, args, options = {}) {
  const done = spawnSync(program, args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 30, ...options });
  if (done.error) throw new Stop(`${program} cannot be started: ${done.error.message}`);
  if (done.status !== 0) throw new Stop(`${program} ${args.join(" ")} failed:\n${done.stderr}`);
  return done.stdout;
}

export const cargo = (...args) => run("cargo", args);
export const node = (...args) => run(process.execPath, args);

/** A program that an npm package brought, without npx in between. */
export const bin = (name, ...args) => run(process.execPath, [binPath(name), ...args]);

function binPath(name) {
  const owner = { tsc: "typescript", "wasm-opt": "binaryen" }[name] ?? name;
  const home = at("node_modules", owner);
  const { bin: entry } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
  return join(home, typeof entry === "string" ? entry : entry[name]);
}

let target;
/** Where cargo puts what it builds. */
export function targetFolder() {
  target ??= JSON.parse(read("cargo", ["metadata", "--format-version", "1", "--no-deps"])).target_directory;
  return target;
}

const WASM = "wasm32-unknown-unknown";

/** Makes sure that what everything else needs is there; installs what can be installed. */
export async function prepare() {
  const [major] = process.versions.node.split(".").map(Number);
  if (major < 20) throw new Stop(`Node 20 or newer is needed; this is ${process.version}`);
  if (spawnSync("cargo", ["--version"], { cwd: root }).status !== 0) {
    // rustup fetches it by itself only where it is allowed to.
    console.log("Installing the Rust toolchain that rust-toolchain.toml names (once).");
    const installed = spawnSync("rustup", ["toolchain", "install"], { cwd: root, stdio: "inherit" });
    if (installed.status !== 0) throw new Stop("there is no Rust here; install rustup, it brings the rest");
  }
  const installed = spawnSync("rustup", ["target", "list", "--installed"], { cwd: root, encoding: "utf8" });
  if (installed.status === 0 && !installed.stdout.includes(WASM)) await run("rustup", ["target", "add", WASM]);
  if (!isInstalled()) {
    // Vite, rolldown and workerd are held at versions whose packages for every platform are there: with one missing,
    // `npm ci` takes the lock file for damaged.
    console.log("Installing the npm packages that building and testing need (once, and when they change).");
    await run("npm", ["ci", "--no-audit", "--no-fund"]);
  }
}

/** npm keeps a list of what it installed; it is older than a lock file that has changed since. */
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
