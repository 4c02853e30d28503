// Runs all vectors in one place and compares: with the recordings, and byte for byte with the core.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { record } from "../../scripts/results.mjs";
import { replay } from "./rust.mjs";
import { vectors, wrong } from "./vectors.mjs";

const all = vectors();
export const conversations = all.map(({ conversation }) => conversation);
export const reference = replay(conversations);

let places = 0;
const held = new Map(all.map(({ name }) => [name, 0]));

/** Tests all vectors in one place; `converse` returns its output for the conversations. */
export function vectorsIn(place, converse) {
  places += 1;
  test(`${all.length} vectors ${place}`, async () => {
    assert.ok(all.length >= 100, `found only ${all.length} vectors`);
    const said = await converse();
    const problems = [];
    for (const [index, vector] of all.entries()) {
      const problem =
        wrong(vector, said[index]) ??
        (isDeepStrictEqual(said[index], reference[index]) ? undefined : "differs from the core");
      if (problem) problems.push(`${vector.name}: ${problem}`);
      else held.set(vector.name, held.get(vector.name) + 1);
    }
    assert.deepEqual(problems, []);
  });
}

after(() => {
  for (const { name, covers } of all)
    record({ suite: "vectors", test: name, covers, passed: held.get(name) === places });
});
