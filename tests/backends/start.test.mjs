// What a process pays before its first project.
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { at, read } from "../../scripts/tools.mjs";

/** The modules of Node that this script loads, of those that cost a millisecond or more. */
const costly = (script) => {
  const names = "process.moduleLoadList.filter((name) => /^NativeModule (crypto|zlib|http|https|net)$/.test(name))";
  const code = `const { createRequire } = await import("node:module");
    const require = createRequire("/"); ${script}; console.log(JSON.stringify(${names}))`;
  return JSON.parse(read(process.execPath, ["--input-type=module", "-e", code]));
};
const file = (...parts) => JSON.stringify(join(...parts));

test("importing rootwise/mcp loads no part of Node that is costly", () => {
  assert.deepEqual(costly(`require(${file(at("dist", "cjs", "mcp", "index.js"))})`), []);
});

test("the WebAssembly module is read from its file, and where only the code was packed, from the code", () => {
  const used = (dist) =>
    costly(`if (require(${file(dist, "cjs", "node", "wasm.js")}).basename("/p/one", "posix") !== "one") throw 0`);
  assert.deepEqual(used(at("dist")), []);
  const packed = mkdtempSync(join(tmpdir(), "rootwise-packed-"));
  try {
    cpSync(at("dist", "cjs"), join(packed, "cjs"), { recursive: true });
    assert.deepEqual(used(packed), ["NativeModule zlib"]);
  } finally {
    rmSync(packed, { recursive: true, force: true });
  }
});
