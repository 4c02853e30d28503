// Tests the plain module as a host in any language would use it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { at } from "../../scripts/tools.mjs";
import { PlainModule } from "./plain-host.mjs";

const bytes = readFileSync(at("dist/rootwise-plain.wasm"));
const options = JSON.stringify({ host: { style: "posix" } });

/** Reads the section ids of a module from its bytes. */
function sections(module) {
  const found = [];
  for (let at = 8; at < module.length; ) {
    const id = module[at];
    let size = 0;
    let shift = 0;
    do {
      at += 1;
      size += (module[at] & 0x7f) * 2 ** shift;
      shift += 7;
    } while (module[at] & 0x80);
    found.push(id);
    at += 1 + size;
  }
  return found;
}

test("has no import section and exports what its manual lists", () => {
  const IMPORTS = 2;
  assert.ok(!sections(bytes).includes(IMPORTS));
  // Proves that the reader works: the module with glue has imports.
  assert.ok(sections(readFileSync(at("dist/rootwise.wasm"))).includes(IMPORTS));
  const module = new WebAssembly.Module(bytes);
  assert.deepEqual(WebAssembly.Module.imports(module), []);
  const names = WebAssembly.Module.exports(module)
    .map(({ name }) => name)
    .filter((name) => !name.startsWith("__"));
  assert.deepEqual(names.sort(), [
    "alloc",
    "call",
    "close",
    "explain",
    "free",
    "handle",
    "memory",
    "open",
    "restore",
    "snapshot",
  ]);
  const manual = readFileSync(at("bindings-wasm/PLAIN.md"), "utf8");
  for (const name of names) assert.match(manual, new RegExp(`\`${name}\\b`), `the manual does not mention ${name}`);
});

test("handles are never reused, and stale ones return errors", () => {
  const module = new PlainModule(bytes);
  const first = JSON.parse(module.open(options)).handle;
  module.close(first);
  module.close(first);
  const second = JSON.parse(module.open(options)).handle;
  assert.notEqual(first, second);
  assert.match(module.handle(first, '{"type":"clientReady"}', 0), /"used_after_close"/);
  assert.match(module.explain(first), /"used_after_close"/);
  assert.match(module.snapshot(99), /"used_after_close"/);
  assert.match(module.handle(second, '{"type":"clientReady"}', 0), /"actions":\[\]/);
});

test("answers arbitrary bytes with an error", () => {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes));
  const start = exports.alloc(2);
  new Uint8Array(exports.memory.buffer, start, 2).set([0xff, 0xfe]);
  const result = exports.open(start, 2);
  const text = new TextDecoder().decode(
    new Uint8Array(exports.memory.buffer, Number(result >> 32n), Number(result & 0xffffffffn)),
  );
  assert.match(text, /"bad_text"/);
  const module = new PlainModule(bytes);
  assert.match(module.open(""), /"bad_options"/);
  assert.match(module.call("[]"), /"bad_options"/);
  assert.match(module.restore("{}", options, 0), /"bad_snapshot"/);
});
