// The stories of the playground in the documentation: each is linked, and the picture shows those of today.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { stories, storyList, titlesHash } from "../../playground/readme.mjs";
import { at } from "../../scripts/tools.mjs";

const below = (folder) => readdirSync(at(folder), { recursive: true }).map((name) => `${folder}/${name}`);
const pages = [
  "README.md",
  ...below("docs").filter((name) => name.endsWith(".md")),
  ...below("examples").filter((name) => /^examples\/[^/]+\/README\.md$/.test(name)),
];

test("every story is linked where its rules are explained, by a text that says what is played", () => {
  const linked = new Map();
  const link = /\[([^\]]+)\]\([^)#]*playground\/README\.md#([\w-]+)\)/g;
  for (const page of pages)
    for (const [, text, id] of readFileSync(at(page), "utf8").matchAll(link)) linked.set(id, text);
  assert.deepEqual([...linked.keys()].sort(), stories.map(({ id }) => id).sort());
  for (const [id, text] of linked) assert.ok(text.split(" ").length >= 3, `${id}: ${text}`);
});

test("the list of stories in playground/README.md is current", () => {
  const readme = readFileSync(at("playground/README.md"), "utf8");
  assert.ok(readme.includes(storyList()), "run npm run playground -- --list");
});

test("the picture of the playground shows the stories of today", () => {
  const hash = readFileSync(at("playground/picture.png.sha256"), "utf8").trim();
  assert.equal(hash, titlesHash(), "draw it again: npm run playground -- --picture playground/picture.png");
});
