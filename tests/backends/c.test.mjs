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

/** The programs in the manual of the C library, each with its output. */
function manual() {
  const texts = [...readFileSync(at("bindings-c/README.md"), "utf8").matchAll(/^```c\n([\s\S]*?)^```/gm)];
  return texts.map(([, code], index) => {
    const file = join(targetFolder(), "c-programs", `manual-${index}.c`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, code);
    return { code, printed: read(compiled(file), []).trim() };
  });
}

test("the programs in the manual of the C library compile, and do what their comments say", () => {
  const [resolver, endpoint] = manual();
  const [, start, end] = /printf\(.*\); \/\* (.*)\.\.\.(.*) \*\//.exec(resolver.code);
  assert.ok(resolver.printed.startsWith(start) && resolver.printed.endsWith(end), resolver.printed);
  const expected = [...endpoint.code.matchAll(/^ +tell\(.*\); \/\* (.*)\*\/$/gm)].map(([, actions]) => actions.trim());
  const performed = endpoint.printed.split("\n").map((reply) =>
    JSON.parse(reply)
      .actions.map(({ type }) => type)
      .join(" "),
  );
  assert.deepEqual(performed, expected);
});
