// Runs every vector on every backend: the recorded actions, and the same bytes as the core.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { record } from "../../scripts/results.mjs";
import { root } from "../../scripts/tools.mjs";
import { withPage } from "./browser.mjs";
import { program } from "./c.mjs";
import { faces } from "./faces.mjs";
import { play } from "./play.mjs";
import { replay, replayWith } from "./rust.mjs";
import { vectors, wrong } from "./vectors.mjs";

const all = vectors();
const conversations = all.map(({ conversation }) => conversation);
const reference = replay(conversations);

let places = 0;
const held = new Map(all.map(({ name }) => [name, 0]));

/** Tests all vectors in one place; `converse` returns its output for the conversations. */
function vectorsIn(place, converse) {
  places += 1;
  test(`${all.length} vectors ${place}`, async () => {
    assert.ok(all.length >= 100, `found only ${all.length} vectors`);
    const said = await converse();
    const problems = [];
    for (const [index, vector] of all.entries()) {
      const problem = wrong(vector, said[index]) ?? (isDeepStrictEqual(said[index], reference[index]) ? undefined : "differs from the core");
      if (problem) problems.push(`${vector.name}: ${problem}`);
      else held.set(vector.name, held.get(vector.name) + 1);
    }
    assert.deepEqual(problems, []);
  });
}

after(() => {
  for (const { name, covers } of all) record({ suite: "vectors", test: name, covers, passed: held.get(name) === places });
});

vectorsIn("in Rust", () => reference);

vectorsIn("in C", () => replayWith(program("replay"), conversations));

for (const [name, face] of Object.entries(faces)) {
  vectorsIn(`on ${name} in Node`, () => conversations.map((conversation) => play(face, conversation)));
}

vectorsIn("on wasm in Chromium", () =>
  withPage(root, async (page, address) => {
    await page.goto(`${address}/blank.html`);
    return page.evaluate(async (conversations) => {
      const { WasmBackend } = await import("/dist/esm/wasm.js");
      const { play } = await import("/tests/faces/play.mjs");
      const module = await WebAssembly.compileStreaming(fetch("/dist/rootwise.wasm"));
      const face = new WasmBackend(() => module);
      return conversations.map((conversation) => play(face, conversation));
    }, conversations);
  }),
);
