// The platforms for which the addon and the program are built, and the small packages that contain them.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { at } from "./tools.mjs";

/**
 * Keys are the names that the loader uses; npm installs only the package whose `os`, `cpu` and `libc` match. `target` is
 * Rust's name. Zig links all Linux targets on one machine, those with glibc for every system since 2014 (`zig`, `wheel`).
 */
export const platforms = {
  "darwin-arm64": { os: "darwin", cpu: "arm64", target: "aarch64-apple-darwin" },
  "darwin-x64": { os: "darwin", cpu: "x64", target: "x86_64-apple-darwin" },
  "linux-arm64-gnu": {
    os: "linux",
    cpu: "arm64",
    libc: "glibc",
    target: "aarch64-unknown-linux-gnu",
    zig: ".2.17",
    wheel: "manylinux2014",
  },
  "linux-arm64-musl": {
    os: "linux",
    cpu: "arm64",
    libc: "musl",
    target: "aarch64-unknown-linux-musl",
    zig: "",
    wheel: "musllinux_1_2",
  },
  "linux-x64-gnu": {
    os: "linux",
    cpu: "x64",
    libc: "glibc",
    target: "x86_64-unknown-linux-gnu",
    zig: ".2.17",
    wheel: "manylinux2014",
  },
  "linux-x64-musl": {
    os: "linux",
    cpu: "x64",
    libc: "musl",
    target: "x86_64-unknown-linux-musl",
    zig: "",
    wheel: "musllinux_1_2",
  },
  "win32-arm64-msvc": { os: "win32", cpu: "arm64", target: "aarch64-pc-windows-msvc" },
  "win32-x64-msvc": { os: "win32", cpu: "x64", target: "x86_64-pc-windows-msvc" },
};

/** The licences of the crates inside, in every package. */
export const THIRD_PARTY = "THIRD-PARTY-LICENSES.txt";

/** The name of this machine's platform. */
export function platform() {
  const { platform: os, arch } = process;
  if (os === "win32") return `win32-${arch}-msvc`;
  if (os !== "linux") return `${os}-${arch}`;
  return `linux-${arch}-${process.report.getReport().header.glibcVersionRuntime ? "gnu" : "musl"}`;
}

export const addonFile = () => at("npm", platform(), "rootwise.node");

/** The name of the program's file on a platform. */
export const programName = (os = process.platform) => (os === "win32" ? "rootwise.exe" : "rootwise");

export const programFile = () => at("npm", platform(), programName());

/** The package.json of each platform. */
export function platformPackages() {
  const { version, license, engines } = JSON.parse(readFileSync(at("package.json"), "utf8"));
  return Object.entries(platforms).map(([name, { os, cpu, libc }]) => ({
    file: at("npm", name, "package.json"),
    content: {
      name: `@rootwise/${name}`,
      version,
      description: `The program and the Node addon of rootwise for ${name}`,
      license,
      main: "rootwise.node",
      files: ["rootwise.node", programName(os), THIRD_PARTY],
      engines,
      os: [os],
      cpu: [cpu],
      ...(libc && { libc: [libc] }),
    },
  }));
}

/** Writes or checks one file; returns whether it was up to date. */
export function settle(file, text, { check }) {
  const same = existsSync(file) && readFileSync(file, "utf8") === text;
  if (!same && !check) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return same;
}
