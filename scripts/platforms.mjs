// The platforms for which the addon is built, and the small packages that contain it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { at } from "./tools.mjs";

/** Keys are the names that the loader uses; npm installs only the package whose `os`, `cpu` and `libc` match. */
export const platforms = {
  "darwin-arm64": { os: "darwin", cpu: "arm64" },
  "darwin-x64": { os: "darwin", cpu: "x64" },
  "linux-arm64-gnu": { os: "linux", cpu: "arm64", libc: "glibc" },
  "linux-arm64-musl": { os: "linux", cpu: "arm64", libc: "musl" },
  "linux-x64-gnu": { os: "linux", cpu: "x64", libc: "glibc" },
  "linux-x64-musl": { os: "linux", cpu: "x64", libc: "musl" },
  "win32-arm64-msvc": { os: "win32", cpu: "arm64" },
  "win32-x64-msvc": { os: "win32", cpu: "x64" },
};

/** The name of this machine's platform. */
export function platform() {
  const { platform: os, arch } = process;
  if (os === "win32") return `win32-${arch}-msvc`;
  if (os !== "linux") return `${os}-${arch}`;
  return `linux-${arch}-${process.report.getReport().header.glibcVersionRuntime ? "gnu" : "musl"}`;
}

export const addonFile = () => at("npm", platform(), "rootwise.node");

/** The package.json of each platform. */
export function platformPackages() {
  const { version, license, engines } = JSON.parse(readFileSync(at("package.json"), "utf8"));
  return Object.entries(platforms).map(([name, { os, cpu, libc }]) => ({
    file: at("npm", name, "package.json"),
    content: {
      name: `@rootwise/${name}`,
      version,
      description: `The Node addon of rootwise for ${name}`,
      license,
      main: "rootwise.node",
      files: ["rootwise.node"],
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
