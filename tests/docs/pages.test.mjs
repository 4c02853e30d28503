// What the documentation promises beside its examples: links that lead somewhere, and a picture that shows what is printed.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { picture, words } from "../../scripts/picture.mjs";
import { play } from "../../scripts/scenes.mjs";
import { at, read } from "../../scripts/tools.mjs";

const pages = read("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"]).trim().split("\n").filter((page) => existsSync(at(page)));

test("every link between pages leads to a file, and to a heading of it", () => {
  assert.ok(pages.length > 20, `found only ${pages.length} pages`);
  const dead = pages.flatMap((page) => {
    const text = readFileSync(at(page), "utf8").replaceAll(/^```[\s\S]*?^```/gm, "").replaceAll(/`[^`\n]*`/g, "");
    return [...text.matchAll(/\]\(([^)\s]+)\)|<img src="([^"]+)"/g)].map(([, link, image]) => link ?? image).filter((link) => isDead(page, link)).map((link) => `${page}: ${link}`);
  });
  assert.deepEqual(dead, []);
});

test("the lines for rmcp are those of the example that rootwise-rmcp compiles", () => {
  const [, fragment] = /```rust,ignore\n([\s\S]*?)```/.exec(readFileSync(at("README.md"), "utf8"));
  const lines = fragment.split("\n").map((line) => line.replace(/\s*\/\/.*/, "").trim()).filter(Boolean);
  const example = readFileSync(at("adapters/rust/rootwise-rmcp/README.md"), "utf8");
  assert.equal(lines.length, 3);
  assert.deepEqual(lines.filter((line) => !example.includes(line)), []);
});

function isDead(page, link) {
  // rustdoc checks links to Rust items.
  if (/^(https?:|mailto:|\/api\/)|::/.test(link)) return false;
  const [path, heading] = link.split("#");
  const file = path === "" ? at(page) : at(join(dirname(page), path));
  if (!existsSync(file)) return true;
  return heading !== undefined && file.endsWith(".md") && !headings(readFileSync(file, "utf8")).includes(heading);
}

const headings = (text) => [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) => title.toLowerCase().replaceAll(/[^\p{L}\p{N}\s-]/gu, "").trim().replaceAll(/\s/g, "-"));

test("the picture in the README shows what npm start prints", { timeout: 120_000 }, async () => {
  const rows = [];
  await play((row) => rows.push(row));
  const drawn = readFileSync(at("docs", "start.svg"), "utf8");
  assert.deepEqual(words(drawn), words(picture(rows)), "draw it again: npm start -- --picture docs/start.svg");
});
