// Environments for tools written in Python.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { at, run } from "./tools.mjs";

/** uv makes environments much faster than pip; adapters/python/test.py uses the same version. */
const UV = "0.13.7";

const home = (name) => at("target", "python", name);
const program = (folder, name) =>
  process.platform === "win32" ? join(folder, "Scripts", `${name}.exe`) : join(folder, "bin", name);

/** Returns the interpreter of an environment with these packages, which is made again when the list changes. */
export async function environment(name, packages) {
  const python = program(home(name), "python");
  const mark = join(home(name), "made-from.json");
  const wanted = JSON.stringify(packages);
  if (existsSync(mark) && readFileSync(mark, "utf8") === wanted) return python;
  const uv = await installedUv();
  await run(uv, ["venv", "--quiet", "--clear", "--no-project", "--python", "python3", home(name)]);
  await run(uv, ["pip", "install", "--quiet", "--python", python, ...packages]);
  writeFileSync(mark, wanted);
  return python;
}

let installed;
/** Installs uv once, also if several environments are made at once, here or in other steps. */
function installedUv() {
  installed ??= installUv();
  return installed;
}

async function installUv() {
  const made = home(`uv-${UV}`);
  if (!existsSync(made)) {
    mkdirSync(home("."), { recursive: true });
    // Another step may do the same: the folder appears as a whole, and the first one wins.
    const fresh = home(`uv-${process.pid}`);
    await run("python3", ["-m", "venv", "--clear", fresh]);
    await run(program(fresh, "python"), [
      "-m",
      "pip",
      "install",
      "--quiet",
      "--disable-pip-version-check",
      `uv==${UV}`,
    ]);
    try {
      renameSync(fresh, made);
    } catch (error) {
      if (!existsSync(made)) throw error;
      rmSync(fresh, { recursive: true });
    }
  }
  return program(made, "uv");
}
