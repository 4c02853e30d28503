// Every vector on every face: the recorded actions, and the very bytes that the core itself gives.
import assert from "node:assert/strict";
import { test } from "node:test";
import { root } from "../../scripts/tools.mjs";
import { withPage } from "./browser.mjs";
import { faces } from "./faces.mjs";
import { play } from "./play.mjs";
import { replay } from "./rust.mjs";
import { vectors, wrong } from "./vectors.mjs";

const all = vectors();
const conversations = all.map(({ conversation }) => conversation);
const reference = replay(conversations);

function check(said) {
  assert.ok(all.length >= 100, `only ${all.length} vectors were found`);
  for (const [index, vector] of all.entries()) {
    assert.equal(wrong(vector, said[index]), undefined, vector.name);
    assert.deepEqual(said[index], reference[index], vector.name);
  }
}

test(`${all.length} vectors in Rust`, () => check(reference));

for (const [name, face] of Object.entries(faces)) {
  test(`${all.length} vectors on ${name} in Node`, () => check(conversations.map((conversation) => play(face, conversation))));
}

test(`${all.length} vectors on wasm in Chromium`, async () => {
  const said = await withPage(root, async (page, address) => {
    await page.goto(`${address}/blank.html`);
    return page.evaluate(async (conversations) => {
      const { WasmFace } = await import("/dist/esm/wasm.js");
      const { play } = await import("/tests/faces/play.mjs");
      const module = await WebAssembly.compileStreaming(fetch("/dist/rootwise.wasm"));
      const face = new WasmFace(() => module);
      return conversations.map((conversation) => play(face, conversation));
    }, conversations);
  });
  check(said);
});
