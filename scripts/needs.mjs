// What building and testing need besides packages of npm, crates.io and PyPI: how to find each thing and how to install it.
// `npm test` and `npm run doctor` use this list, and nothing else installs anything on the system.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { carriedBrowser, installedBrowser, unpackBrowser } from "./browser.mjs";
import { at, dim, oldestRust, run, Stop, which } from "./tools.mjs";

const says = (program, args, options) => {
  const done = spawnSync(program, args, { encoding: "utf8", ...options });
  return done.status === 0 ? `${done.stdout}${done.stderr}`.trim().split("\n")[0] : undefined;
};

/** Compiled here, because no registry has it ready: without optimisation and without its part for the network, in a minute. */
const DENY = "0.20.2";
const DENY_FILE = at("target", "cargo-deny", "bin", process.platform === "win32" ? "cargo-deny.exe" : "cargo-deny");
const DENY_INSTALL = `install --locked --debug --no-default-features cargo-deny@${DENY} --root target/cargo-deny`.split(
  " ",
);

/** The path of cargo-deny: ours, or the one on the path. */
export const cargoDeny = () => (existsSync(DENY_FILE) ? DENY_FILE : which("cargo-deny"));

/** Node and Rust are not here: without them no command of this repository runs, and `prepare` says what to do. */
export const needs = {
  compiler: {
    what: "a C compiler; Rust links with it",
    find: () => which("cc"),
    apt: ["gcc", "libc6-dev"],
    by: { darwin: "xcode-select --install" },
  },
  make: {
    what: "make, for the example in C",
    find: () => which("make"),
    apt: ["make"],
    by: { darwin: "xcode-select --install" },
  },
  git: { what: "git", find: () => which("git"), apt: ["git"], brew: ["git"] },
  python: {
    what: "Python 3.10 or newer that can create environments",
    find: () =>
      says("python3", [
        "-c",
        "import sys, venv, ensurepip; assert sys.version_info >= (3, 10); print(sys.executable, sys.version.split()[0])",
      ]),
    apt: ["python3", "python3-venv"],
    brew: ["python"],
  },
  msrv: {
    what: `Rust ${oldestRust()}, the oldest version that the crates support`,
    find: () => says("rustup", ["run", oldestRust(), "rustc", "--version"]),
    carry: () => install(...toolchain()),
    by: Object.fromEntries(["linux", "darwin", "win32"].map((system) => [system, toolchain().join(" ")])),
  },
  deny: {
    what: `cargo-deny ${DENY}, which checks licences and origins of crates`,
    find: () => cargoDeny(),
    carry: () => install("cargo", ...DENY_INSTALL),
    by: Object.fromEntries(["linux", "darwin", "win32"].map((system) => [system, `cargo ${DENY_INSTALL.join(" ")}`])),
  },
  jansson: {
    what: "Jansson, the JSON library of the example in C",
    find: () =>
      says("cc", ["-E", "-include", "jansson.h", "-x", "c", "/dev/null", "-o", "/dev/null"], { env: homebrew() }) !==
      undefined
        ? "jansson.h"
        : undefined,
    apt: ["libjansson-dev"],
    brew: ["jansson"],
  },
  redis: {
    what: "a Redis server, for the examples that share state",
    find: () => process.env.REDIS_SERVER ?? which("redis-server", "valkey-server"),
    apt: ["redis-server"],
    brew: ["redis"],
  },
  valgrind: {
    what: "valgrind, which counts instructions (Linux only)",
    find: () => which("valgrind"),
    apt: ["valgrind"],
  },
  browser: {
    what: "Chromium, for WebAssembly in a browser",
    find: () => installedBrowser() ?? carriedBrowser(),
    carry: unpackBrowser,
    apt: ["chromium"],
    brew: ["chromium"],
  },
};

function toolchain() {
  return ["rustup", "toolchain", "install", oldestRust(), "--profile", "minimal"];
}

function install(program, ...args) {
  if (process.env.ROOTWISE_INSTALL === "0") throw new Stop("ROOTWISE_INSTALL=0 forbids it");
  const { error, status } = spawnSync(program, args, { stdio: "inherit" });
  if (error || status !== 0) throw new Stop(error?.message ?? `${program} ended with code ${status}`);
}

/** The environment in which a C compiler finds what Homebrew installed; its folders are not on the compiler's own paths. */
export function homebrew() {
  const prefix = process.platform === "darwin" ? says("brew", ["--prefix"]) : undefined;
  return prefix ? { ...process.env, CPATH: join(prefix, "include"), LIBRARY_PATH: join(prefix, "lib") } : process.env;
}

/** The names of the needs that are not met. */
export const missing = (names = Object.keys(needs)) => names.filter((name) => !needs[name].find());

/** The one command that installs these, or a sentence that says what to install. */
export function command(names) {
  const own = names.map((name) => needs[name].by?.[process.platform]).filter(Boolean);
  const packages = (manager) => [...new Set(names.flatMap((name) => needs[name][manager] ?? []))];
  const commands = [...new Set(own)];
  const administrator = process.platform === "linux" && process.getuid() !== 0 ? ["sudo"] : [];
  if (process.platform === "linux" && which("apt-get") && packages("apt").length > 0)
    commands.push(
      [...administrator, "apt-get", "install", "-y", "--no-install-recommends", ...packages("apt")].join(" "),
    );
  else if (process.platform === "darwin" && which("brew") && packages("brew").length > 0)
    commands.push(["brew", "install", ...packages("brew")].join(" "));
  else if (commands.length === 0) return `install ${names.map((name) => needs[name].what).join("; ")}`;
  return commands.join(" && ");
}

/** Why nothing may be installed here, or undefined. */
function obstacle() {
  if (process.env.ROOTWISE_INSTALL === "0") return "ROOTWISE_INSTALL=0 forbids it";
  if (process.platform === "darwin") return which("brew") ? undefined : "Homebrew is not installed";
  if (process.platform !== "linux" || !which("apt-get")) return "it works with apt and Homebrew only";
  if (process.getuid() === 0) return undefined;
  if (!which("sudo")) return "this is not root, and there is no sudo";
  if (!process.stdin.isTTY && spawnSync("sudo", ["-n", "true"]).status !== 0)
    return "sudo needs a password, and there is no terminal to type it";
  return undefined;
}

/** Brings what a package of a registry carries, or rustup; this needs no rights. */
function carry(names) {
  for (const name of names.filter((name) => needs[name].carry)) {
    console.log(`Bringing ${needs[name].what}.`);
    try {
      needs[name].carry();
    } catch (error) {
      console.log(dim(`It cannot be brought: ${error.message}`));
    }
  }
}

/** Installs what is missing, if that is possible; returns the names that are still missing. */
export async function provide(names) {
  carry(missing(names));
  const wanted = missing(names);
  if (wanted.length === 0) return [];
  console.log(`Missing: ${wanted.map((name) => `${name} (${needs[name].what})`).join(", ")}.`);
  const reason = obstacle();
  if (reason) {
    console.log(`Nothing is installed, because ${reason}. By hand: ${command(wanted)}`);
    return wanted;
  }
  const automatic = wanted.filter((name) => needs[name][process.platform === "darwin" ? "brew" : "apt"]);
  if (automatic.length === 0) return wanted;
  try {
    const [program, ...args] = command(automatic).split(" ");
    const update =
      process.platform === "linux" ? [...(program === "sudo" ? ["sudo"] : []), "apt-get", "update", "-qq"] : undefined;
    if (update) await run(update[0], update.slice(1));
    await run(program, args, { env: { DEBIAN_FRONTEND: "noninteractive" } });
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    console.log(dim(`They cannot be installed: ${error.message}`));
  }
  return missing(wanted);
}
