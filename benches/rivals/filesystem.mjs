// The published server @modelcontextprotocol/server-filesystem, and its roots code. It is installed from npm below target/.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { at, run } from "../../scripts/tools.mjs";

const NAME = "@modelcontextprotocol/server-filesystem";
export const VERSION = "2026.8.31";

const home = at("target", "bench", "filesystem");
const inside = (...parts) => join(home, "node_modules", NAME, ...parts);

export async function install() {
  const manifest = inside("package.json");
  if (existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).version === VERSION) return;
  mkdirSync(home, { recursive: true });
  const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--no-save", "--prefix", home];
  await run("npm", ["install", ...flags, `${NAME}@${VERSION}`]);
}

/** The file that node runs. */
export const program = () => inside("dist", "index.js");

/** Returns its function that makes folders of roots: each is resolved and examined, one after the other. */
export async function load() {
  const { getValidRootDirectories } = await import(pathToFileURL(inside("dist", "roots-utils.js")));
  return getValidRootDirectories;
}
