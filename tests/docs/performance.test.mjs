// The page of figures is what benches/bench.json gives, and says what it must.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { aimOf, filesOf } from "../../benches/page.mjs";
import { ratioOf, quantile } from "../../benches/figures.mjs";
import { readBench } from "../../benches/results.mjs";
import { rows } from "../../benches/rows.mjs";
import { at } from "../../scripts/tools.mjs";

const bench = readBench();
const AGAIN = "make it again: npm run bench -- --page";

test("the page and its plots are what the figures give", () => {
  const files = filesOf(bench);
  for (const [file, text] of Object.entries(files)) {
    assert.ok(existsSync(at("docs", file)), `docs/${file} is missing; ${AGAIN}`);
    assert.equal(readFileSync(at("docs", file), "utf8"), text, `docs/${file} is out of date; ${AGAIN}`);
  }
  const plots = readdirSync(at("docs", "performance")).map((name) => `performance/${name}`);
  assert.deepEqual(
    plots.filter((name) => !files[name]),
    [],
  );
});

test("the page has every row, with figures or as not measured, and no row that is gone is kept", () => {
  const page = filesOf(bench)["performance.md"];
  for (const { name, title } of rows) {
    const [, section] = page.split(`## ${title}\n`);
    assert.ok(section, `the page has no section for ${name}`);
    const measured = bench.rows[name]?.figures.length > 0;
    assert.match(section.split("\n## ")[0], measured ? /\nMeasured on / : /\nNot measured in the last run/, name);
  }
  const known = rows.map(({ name }) => name);
  assert.deepEqual(
    Object.keys(bench.rows).filter((name) => !known.includes(name)),
    [],
  );
});

test("a row that misses an aim says what its limit is", () => {
  const missed = rows.filter(({ name }) => bench.rows[name]?.figures.some((figure) => aimOf(figure)?.met === false));
  assert.deepEqual(
    missed.filter(({ limits }) => !limits).map(({ name }) => name),
    [],
  );
});

test("a ratio compares measurements of the same round", () => {
  // The machine became three times slower after two rounds, for both alike.
  assert.deepEqual(ratioOf([2, 2, 6, 6], [1, 1, 3, 3]), { median: 2, low: 2, high: 2 });
  assert.equal(quantile([4, 1, 3, 2], 0.5), 2.5);
});

test("an aim that is missed is not called met", () => {
  const ratio = (median) => ({ median, low: median, high: median });
  const figure = (median) => ({ value: 1, unit: "µs", ratio: ratio(median), aim: { most: 1.03, of: "ratio" } });
  assert.equal(aimOf(figure(1.03)).met, true);
  assert.equal(aimOf(figure(1.031)).met, false);
  assert.equal(aimOf({ ...figure(1), value: 9, aim: { most: 8, of: "value" } }).met, false);
  assert.equal(aimOf({ ...figure(1), aim: undefined }), undefined);
});
