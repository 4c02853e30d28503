// Runs every JavaScript and TypeScript example of the documentation unchanged. (The packaging tests run the example for Workers,
// the tests of the crates run those in Rust, those of the Python package those in Python.)
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { at } from "../../scripts/tools.mjs";
import { team } from "./team.mjs";

const docs = readdirSync(at("docs"), { recursive: true })
  .filter((file) => file.endsWith(".md"))
  .sort()
  .map((file) => `docs/${file}`);
const PAGES = ["README.md", "adapters/typescript/README.md", ...docs];

const READY_MADE = ["which_project", "switch_project", "list_roots"];

const project = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-example-")));
after(() => rmSync(project, { recursive: true, force: true }));

// The files are below the package, so that they can import the package by name, like an installed copy.
const home = at("target/examples");
rmSync(home, { recursive: true, force: true });

/** The examples of a page as files; the words "Save this as `name`" before an example name its file. */
function examples(page) {
  const folder = join(home, page.replaceAll(/\W/g, "-"));
  const blocks = /(?:Save this as `([\w.]+)`.*\n\n)?^```(js|ts)\n([\s\S]*?)^```/gm;
  return [...readFileSync(at(page), "utf8").matchAll(blocks)].map(([, name, language, code], index) => {
    const source = join(folder, name ?? `example-${index + 1}.${language}`);
    return { folder, source, file: source.replace(/\.ts$/, ".js"), code };
  });
}

const tutorial = readFileSync(at("docs/tutorials/typescript.md"), "utf8");
const all = PAGES.flatMap((page) => examples(page).map((example, index) => ({ ...example, page, index })));
for (const { folder, source, code } of all) {
  mkdirSync(folder, { recursive: true });
  // In an example it stands for the folder of all projects.
  writeFileSync(source, code.replaceAll("/srv/projects", project));
}

// Valid as TypeScript too; the packaging tests run it.
const [, tests] = /^```js test\n([\s\S]*?)^```/m.exec(readFileSync(at("docs/guides/testing.md"), "utf8"));
writeFileSync(join(home, "tests.ts"), tests);

before(() => {
  // The settings that the tutorial recommends.
  const [, settings] = /Save this as `tsconfig.json`.*\n\n```json\n([\s\S]*?)^```/m.exec(tutorial);
  writeFileSync(join(home, "tsconfig.json"), settings);
  const tsc = spawnSync(process.execPath, [at("node_modules/typescript/bin/tsc"), "-p", home], { encoding: "utf8" });
  assert.equal(tsc.status, 0, tsc.stdout + tsc.stderr);
});

for (const { page, index, file, folder, code } of all) {
  test(`${page}, example ${index + 1}`, { timeout: 60_000 }, async () => {
    if (code.includes("StdioClientTransport"))
      return code.includes("switch_project") ? switches(file, folder) : asks(file, folder);
    if (/serveStdio|StdioServerTransport/.test(code) && !code.includes("fakeHost(")) return serves(file);
    if (code.includes(".listen(")) return team(process.execPath, [file], project);
    prints(file, code);
  });
}

test("there are examples of every kind", () => {
  for (const kind of ["StdioClientTransport", "serveStdio", ".listen(", "console.log("])
    assert.ok(
      all.some(({ code }) => code.includes(kind)),
      kind,
    );
});

/** A program that must print the text in the comment after each `console.log`. */
function prints(file, code) {
  const done = spawnSync(process.execPath, [file], { encoding: "utf8", timeout: 30_000 });
  assert.equal(done.status, 0, done.stderr);
  const promised = [...code.matchAll(/console\.log\(.*\); \/\/ (.+)$/gm)];
  assert.ok(
    promised.length > 0 || !code.includes("console.log("),
    "a console.log without a comment that says what it prints",
  );
  for (const [, said] of promised) assert.ok(done.stdout.includes(said), `prints "${said}", got:\n${done.stdout}`);
}

/** A client that has the folders of its command line open, and prints what the server of its page answers. */
function asks(file, cwd) {
  const run = (...folders) =>
    spawnSync(process.execPath, [file, ...folders], { cwd, encoding: "utf8", timeout: 30_000 });
  const open = run(project);
  assert.equal(open.status, 0, open.stderr);
  assert.ok(open.stdout.includes(`${basename(project)} (${project})`), open.stdout);
  const none = run();
  assert.equal(none.status, 0, none.stderr);
  assert.ok(tutorial.includes(`\`\`\`text\n${none.stdout}\`\`\``), none.stdout);
}

/** A client that switches to the last of its folders. */
function switches(file, cwd) {
  const other = join(project, "other");
  mkdirSync(other);
  const done = spawnSync(process.execPath, [file, project, other], { cwd, encoding: "utf8", timeout: 30_000 });
  assert.equal(done.status, 0, done.stderr);
  const expected = [`${basename(project)} is at ${project}`, "Project set to: other", `other is at ${other}`, ""];
  assert.deepEqual(done.stdout.split("\n"), expected);
}

function client() {
  const client = new Client({ name: "reader", version: "1" }, { capabilities: { roots: {} } });
  client.setRequestHandler("roots/list", async () => ({ roots: [{ uri: `file://${project}` }] }));
  return client;
}

/** A server whose tool must return the project of its client. */
async function serves(file) {
  const reader = client();
  await reader.connect(new StdioClientTransport({ command: process.execPath, args: [file], stderr: "inherit" }));
  try {
    const { tools } = await reader.listTools();
    const [tool, ...more] = tools.map(({ name }) => name).filter((name) => !READY_MADE.includes(name));
    assert.deepEqual(more, []);
    const { content, isError } = await reader.callTool({ name: tool, arguments: { q: "why" } });
    assert.ok(
      !isError && content[0].text.includes(basename(project)) && content[0].text.includes(project),
      content[0].text,
    );
  } finally {
    await reader.close();
  }
}
