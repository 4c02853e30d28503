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
const aimsIn = ({ figures }) => figures.filter(({ aim }) => aim).length;
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

test("a row that is not measured is named on the page, and no row that is gone is kept", (context) => {
  const page = readFileSync(at("docs", "performance.md"), "utf8");
  for (const { name, title } of rows.filter(({ name }) => !(bench.rows[name]?.figures.length > 0))) {
    assert.match(page, new RegExp(`${title}\\]\\(#.+?\\): not measured`), name);
    context.diagnostic(`${title} is not measured yet: npm run bench -- --only ${name}`);
  }
  const known = rows.map(({ name }) => name);
  assert.deepEqual(
    Object.keys(bench.rows).filter((name) => !known.includes(name)),
    [],
  );
});

test("every row has its section, also where it is not measured, and its aims count as not met then", () => {
  const [first, ...rest] = rows;
  const some = {
    rows: Object.fromEntries(rest.flatMap(({ name }) => (bench.rows[name] ? [[name, bench.rows[name]]] : []))),
  };
  const page = filesOf(some)["performance.md"];
  for (const { title } of rows) assert.ok(page.includes(`\n## ${title}\n`), title);
  assert.ok(page.includes(`): not measured, ${first.aims} aims`), page.slice(0, 3000));
  const [, all] = /\d+ of (\d+) aims are met/.exec(page);
  assert.equal(
    Number(all),
    rows.reduce((sum, { name, aims }) => sum + (some.rows[name]?.figures.length ? aimsIn(some.rows[name]) : aims), 0),
  );
});

test("a measured row has the aims that it says", () => {
  const aims = ({ name }) => aimsIn(bench.rows[name]);
  const measured = rows.filter(({ name }) => bench.rows[name]?.figures.length > 0);
  assert.deepEqual(
    measured.map((row) => [row.name, aims(row)]),
    measured.map(({ name, aims }) => [name, aims]),
  );
});

test("a row that misses an aim says what its limit is, and what was tried", () => {
  const missed = rows.filter(({ name }) => bench.rows[name]?.figures.some((figure) => aimOf(figure)?.met === false));
  assert.deepEqual(
    missed.filter(({ limit, tried }) => !limit || !tried).map(({ name }) => name),
    [],
  );
  const page = filesOf(bench)["performance.md"];
  for (const { limit, tried } of missed) for (const text of [limit, tried]) assert.ok(page.includes(text), text);
});

test("the page names a busy machine", () => {
  const [{ name }] = rows;
  const row = { date: "", machine: "", versions: "", commit: "", figures: [{ name: "x", unit: "µs", value: 1 }] };
  const shown = (load) => filesOf({ rows: { [name]: { ...row, load, processors: 2 } } })["performance.md"];
  assert.ok(shown(2.1).includes("The machine was busy"));
  assert.ok(!shown(2).includes("The machine was busy"));
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
