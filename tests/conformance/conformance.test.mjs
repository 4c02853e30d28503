// Runs the official conformance suite against a server built with the adapter for TypeScript.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { assertComplete, checksOf, failuresOf, revisions, summarise } from "./suite.mjs";

let checks;

before(
  async () => {
    checks = await checksOf([process.execPath, fileURLToPath(new URL("server.mjs", import.meta.url))]);
  },
  { timeout: 900_000 },
);

test("every scenario runs in every revision that has it, or has a reason not to", () => assertComplete(checks));

for (const revision of revisions) {
  test(`${revision}: every check passes`, () => {
    assert.deepEqual(failuresOf(checks[revision]), []);
    summarise(revision, checks[revision]);
  });
}
