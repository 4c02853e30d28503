// The cases of functions that need no resolver, with the same answers in every language.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { at } from "../../scripts/tools.mjs";
import { backends } from "./backends.mjs";
import { replayInC } from "./c.mjs";

const cases = ["paths", "hosts"].flatMap((file) =>
  JSON.parse(readFileSync(at(`tests/functions/${file}.json`), "utf8")),
);

for (const [name, backend] of Object.entries(backends))
  test(`${name}: every case of tests/functions`, () => {
    for (const { name: sentence, call, expect } of cases)
      assert.deepEqual(JSON.parse(backend.call(JSON.stringify(call))), expect, sentence);
  });

test("C: every case of tests/functions", () => {
  const replies = replayInC(cases.map(({ call }) => call));
  for (const [index, { name, expect }] of cases.entries())
    assert.deepEqual(replies[index].map((text) => JSON.parse(text)).at(0), expect, name);
});
