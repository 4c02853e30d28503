// Runs the official conformance suite against a server on rmcp, with and without Rootwise. rmcp.json lists the checks that fail:
// those of the server without Rootwise are rmcp's, the others have a reason each.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { targetFolder } from "../../scripts/tools.mjs";
import { assertComplete, checksOf, failuresOf, revisions, summarise } from "./suite.mjs";

const server = join(targetFolder(), "debug", "examples", "conformance");
const expected = JSON.parse(readFileSync(new URL("rmcp.json", import.meta.url), "utf8"));
const named = (list, revision) =>
  list
    .filter((entry) => entry.revision === revision)
    .map(({ check }) => check)
    .sort();

let withRootwise;
let without;

before(
  async () => {
    withRootwise = await checksOf([server]);
    without = await checksOf([server, "--without"]);
  },
  { timeout: 900_000 },
);

test("every scenario runs in every revision that has it, or has a reason not to", () => assertComplete(withRootwise));

for (const revision of revisions) {
  test(`${revision}: without Rootwise, the checks fail that are known to`, () => {
    const failures = failuresOf(without[revision]);
    assert.deepEqual(
      failures.map(({ check }) => check).sort(),
      named(expected.rmcp, revision),
      JSON.stringify(failures, null, 2),
    );
    summarise(`${revision}, without Rootwise`, without[revision]);
  });

  test(`${revision}: with Rootwise, the same checks fail and those that have a reason`, () => {
    const failures = failuresOf(withRootwise[revision]);
    const known = [...named(expected.rmcp, revision), ...named(expected.rootwise, revision)].sort();
    assert.deepEqual(failures.map(({ check }) => check).sort(), known, JSON.stringify(failures, null, 2));
    summarise(`${revision}, with Rootwise`, withRootwise[revision]);
  });
}
