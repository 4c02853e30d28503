// Packages that only some tests use: other versions of the SDKs, bundlers, package managers, runtimes. Each folder has a
// package.json and a lock file of its own and is installed when it is needed first.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { at } from "../scripts/tools.mjs";

/** Finds paths in the `node_modules` of a folder, which is installed first if its lock file changed. */
export function packagesOf(folder) {
  const home = at(folder);
  const mark = join(home, "node_modules", ".installed.json");
  const lock = readFileSync(join(home, "package-lock.json"), "utf8");
  if (!existsSync(mark) || readFileSync(mark, "utf8") !== lock) {
    // Not `npm ci`: it refuses a lock file without the optional packages of other platforms, which not every registry has.
    const done = spawnSync("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts"], {
      cwd: home,
      stdio: ["ignore", "inherit", "inherit"],
    });
    if (done.status !== 0) throw new Error(`the packages of ${folder} cannot be installed`);
    writeFileSync(mark, lock);
  }
  return (...parts) => join(home, "node_modules", ...parts);
}
