// Environments for tools written in Python.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { at, run } from "./tools.mjs";

/** Returns the interpreter of an environment with these packages, which is made again when the list changes. */
export async function environment(name, packages) {
  const home = at("target", "python", name);
  const python = process.platform === "win32" ? join(home, "Scripts", "python.exe") : join(home, "bin", "python");
  const mark = join(home, "made-from.json");
  const wanted = JSON.stringify(packages);
  if (existsSync(mark) && readFileSync(mark, "utf8") === wanted) return python;
  mkdirSync(home, { recursive: true });
  await run("python3", ["-m", "venv", "--clear", home]);
  // Python compiles what is imported; to compile all of it takes longer than to install it.
  await run(python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile", ...packages]);
  writeFileSync(mark, wanted);
  return python;
}
