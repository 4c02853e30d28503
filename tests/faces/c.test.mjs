// Tests the C library from a C host, including all possible mistakes.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { at, read, targetFolder } from "../../scripts/tools.mjs";
import { compiled, program } from "./c.mjs";

test("mistakes and panics return error texts, and the process continues", () => {
  const lines = read(program("edges"), []).trimEnd().split("\n");
  const seen = lines.map((line) => {
    const [, what, said] = /^(.*?): (.*)$/.exec(line);
    const { error, value, actions } = JSON.parse(said);
    return `${what}: ${error?.code ?? value ?? (actions ? "fine" : said)}`;
  });
  assert.deepEqual(seen, [
    'open: {"deadline":null,"project":null,"eventBytes":6356992}',
    'open: {"deadline":null,"project":null,"eventBytes":6356992}',
    "options null: bad_text",
    "resolver null: 1",
    "options empty: bad_options",
    "options not UTF-8: bad_text",
    "options longer than memory: bad_text",
    "no place: no_handle",
    "snapshot null: bad_text",
    "snapshot bad: bad_snapshot",
    "prefix not UTF-8: bad_text",
    "event null: bad_text",
    "event not UTF-8: bad_text",
    "time not a time: bad_event",
    "call null: bad_text",
    "call: /a b",
    "resolver null: used_after_close",
    "resolver null: used_after_close",
    "resolver null: used_after_close",
    "provoked: dead",
    "afterwards: dead",
    "afterwards: dead",
    "afterwards: dead",
    "its neighbour: fine",
  ]);
});

test("the program in the manual of the C library compiles, and prints what its comment says", () => {
  const [, code] = /^```c\n([\s\S]*?)^```/m.exec(readFileSync(at("bindings-c/README.md"), "utf8"));
  const [, start, end] = /printf\(.*\); \/\* (.*)\.\.\.(.*) \*\//.exec(code);
  const file = join(targetFolder(), "c-programs", "manual.c");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, code);
  const printed = read(compiled(file), []).trim();
  assert.ok(printed.startsWith(start) && printed.endsWith(end), printed);
});
