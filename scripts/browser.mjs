// Finds a Chromium for the tests: one that is installed, else the one that the npm package @sparticuz/chromium carries, which
// needs no rights and none of the system's libraries. That package is for Linux on x64.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { packagesOf } from "../tests/tools.mjs";
import { at, which } from "./tools.mjs";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge"];
const APPLICATIONS = ["Chromium", "Google Chrome", "Microsoft Edge"].map(
  (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
);
const home = at("target", "browser");
const carried = join(home, "chromium");

export function installedBrowser() {
  return process.env.CHROMIUM ?? which(...NAMES) ?? APPLICATIONS.find(existsSync);
}

export const carriedBrowser = () => (existsSync(carried) ? carried : undefined);

/** Unpacks the carried browser into target/, not into /tmp, where another user could have put a file of that name. */
export function unpackBrowser() {
  if (process.platform !== "linux" || process.arch !== "x64") return;
  const packed = packagesOf("tests/browser");
  const unpacked = (name) => brotliDecompressSync(readFileSync(packed("@sparticuz/chromium/bin", name)));
  mkdirSync(home, { recursive: true });
  execFileSync("tar", ["-x", "-C", home], { input: unpacked("al2023.tar.br") });
  execFileSync("tar", ["-x", "-C", home], { input: unpacked("fonts.tar.br") });
  writeFileSync(`${carried}.part`, unpacked("chromium.br"));
  chmodSync(`${carried}.part`, 0o755);
  renameSync(`${carried}.part`, carried);
}

/** How to start the browser: its path and the environment that it needs. */
export function browser() {
  const installed = installedBrowser();
  if (installed) return { executablePath: installed, env: process.env };
  return {
    executablePath: carried,
    env: { ...process.env, LD_LIBRARY_PATH: join(home, "lib"), FONTCONFIG_FILE: fontConfiguration() },
  };
}

/** The configuration that the package carries names folders of its own machine: a page with text would end the browser. */
function fontConfiguration() {
  const file = join(home, "rootwise-fonts.conf");
  if (existsSync(file) || !existsSync(home)) return file;
  const folders = [join(home, "fonts"), "/usr/share/fonts"].map((folder) => `<dir>${folder}</dir>`).join("");
  const cache = `<cachedir>${join(home, "font-cache")}</cachedir>`;
  // As a whole, because another step may start its browser at this moment.
  writeFileSync(`${file}.${process.pid}`, `<?xml version="1.0"?><fontconfig>${folders}${cache}</fontconfig>\n`);
  renameSync(`${file}.${process.pid}`, file);
  return file;
}
