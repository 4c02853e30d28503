// Builds the Python extension in the debug profile, for the Python that runs the tests.
import { join } from "node:path";
import { at, debugBuild } from "../../scripts/tools.mjs";
import { replayWith } from "./rust.mjs";

const libraries = { win32: "rootwise_python.dll", darwin: "librootwise_python.dylib" };
export const python = process.platform === "win32" ? "python" : "python3";

let built;
export function library() {
  built ??= join(debugBuild(), libraries[process.platform] ?? "librootwise_python.so");
  return built;
}

/** Plays each conversation through the Python extension and returns its output, as `replay` does for the core. */
export function replayInPython(conversations) {
  return replayWith([python, at("tests/backends/python/replay.py"), library()], conversations);
}
