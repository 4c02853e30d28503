// What the documentation promises beside its examples: links that lead somewhere, and a picture that shows what is printed.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { picture, words } from "../../scripts/picture.mjs";
import { play } from "../../scripts/scenes.mjs";
import * as terminal from "../../scripts/terminal.mjs";
import { at, debugBuild, read } from "../../scripts/tools.mjs";
import { pages as sitePages, placeOf } from "../../site/pages.mjs";

const pages = read("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"])
  .trim()
  .split("\n")
  .filter((page) => existsSync(at(page)));

test("every link between pages leads to a file, and to a heading of it", () => {
  assert.ok(pages.length > 20, `found only ${pages.length} pages`);
  const dead = pages.flatMap((page) => {
    const text = readFileSync(at(page), "utf8")
      .replaceAll(/^```[\s\S]*?^```/gm, "")
      .replaceAll(/`[^`\n]*`/g, "");
    return [...text.matchAll(/\]\(([^)\s]+)\)|<img src="([^"]+)"/g)]
      .map(([, link, image]) => link ?? image)
      .filter((link) => isDead(page, link))
      .map((link) => `${page}: ${link}`);
  });
  assert.deepEqual(dead, []);
});

test("every page of the documentation is in the site", () => {
  const shown = new Set(sitePages.map(({ file }) => file));
  assert.deepEqual(
    pages.filter((page) => page.startsWith("docs/") && !shown.has(page)),
    [],
  );
});

test("no page shows a line that rustdoc would hide", () => {
  const blocks = (page) => readFileSync(at(page), "utf8").match(/^```rust[\s\S]*?^```/gm) ?? [];
  const all = pages.flatMap((page) => blocks(page).map((code) => ({ page, code })));
  assert.ok(all.length > 20, `found only ${all.length} examples`);
  assert.deepEqual(
    all.filter(({ code }) => /^# /m.test(code)).map(({ page }) => page),
    [],
  );
});

/** The pages whose examples a test runs, by language: this list says where, and each of those tests reads the whole page. */
function tested() {
  const docs = pages.filter((page) => page.startsWith("docs/"));
  const crates = ["core", ...["rootwise-host", "rootwise-rmcp"].map((name) => `adapters/rust/${name}`)];
  const included = crates.flatMap((crate) => {
    const source = readFileSync(at(crate, "src", "lib.rs"), "utf8");
    return [...source.matchAll(/include_str!\("(.+\.md)"\)/g)].map(([, page]) => join(crate, "src", page));
  });
  const script = ["README.md", "adapters/typescript/README.md", ...docs];
  return {
    js: script, // examples.test.mjs
    ts: script, // examples.test.mjs
    python: ["README.md", "adapters/python/README.md", ...docs], // adapters/python/tests/e2e/test_readme.py
    rust: included, // documentation tests
    c: ["bindings-c/README.md"], // tests/backends/c.test.mjs
  };
}

test("a test runs every example", () => {
  const runs = tested();
  const languages = new RegExp(`^\`\`\`(${Object.keys(runs).join("|")})\\b(?!,ignore)`, "gm");
  const examples = pages.flatMap((page) =>
    [...readFileSync(at(page), "utf8").matchAll(languages)].map(([, language]) => ({ page, language })),
  );
  assert.ok(examples.length > 30, `found only ${examples.length} examples`);
  assert.deepEqual(
    examples.filter(({ page, language }) => !runs[language].includes(page)),
    [],
  );
});

test("every page that shows how to have the user asked shows the line of the guide, whose examples run", () => {
  const guide = readFileSync(at("docs/guides/switching.md"), "utf8");
  const [, section] = /^## Ask the user\n([\s\S]*?)^## /m.exec(guide);
  const lines = [...section.matchAll(/^\| (?:TypeScript|Python|Rust) \| `(.+)` \|$/gm)].map(([, line]) => line);
  const examples = section.match(/^```[\s\S]*?^```/gm).map((code) => code.replaceAll(/\s+/g, " "));
  assert.equal(lines.length, 3);
  for (const line of lines) {
    // The example may have more options.
    const start = line.replace(/ \}\)$/, "");
    assert.ok(
      examples.some((code) => code.includes(start)),
      `no example has ${line}`,
    );
  }
  for (const page of ["docs/mcp.md", "adapters/python/README.md", "adapters/rust/README.md"]) {
    const text = readFileSync(at(page), "utf8");
    assert.ok(
      lines.some((line) => text.includes(`\`${line}\``)),
      page,
    );
  }
});

function isDead(page, link) {
  // rustdoc checks links to Rust items.
  if (/^(https?:|mailto:|\/api\/)|::/.test(link)) return false;
  const [path, heading] = link.split("#");
  // A page that only the site shows.
  if (path.startsWith("/")) return !sitePages.some((shown) => path === `/${placeOf(shown).replace(/\.md$/, ".html")}`);
  const file = path === "" ? at(page) : at(join(dirname(page), path));
  if (!existsSync(file)) return true;
  return heading !== undefined && file.endsWith(".md") && !headings(readFileSync(file, "utf8")).includes(heading);
}

const headings = (text) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s-]/gu, "")
      .trim()
      .replaceAll(/\s/g, "-"),
  );

test("the picture in the README shows what npm start prints", { timeout: 120_000 }, async () => {
  const rows = [];
  await play(join(debugBuild(), "rootwise"), (row) => rows.push(row));
  const drawn = readFileSync(at("docs", "start.svg"), "utf8");
  assert.deepEqual(words(drawn), words(picture(rows)), "draw it again: npm start -- --picture docs/start.svg");
});

test("the picture in the guide shows what its session prints", { timeout: 120_000 }, async () => {
  const shown = terminal.words(readFileSync(at("docs", "guides", "run.svg"), "utf8"));
  assert.equal(
    shown,
    terminal.words(await terminal.printed(join(debugBuild(), "rootwise"))),
    "draw it again: npm run terminal",
  );
});
