// Runs every JavaScript example of the documentation unchanged. (The packaging tests run the example for Workers, the tests of
// the core run those in Rust, those of the Python package those in Python.)
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, test } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { at } from "../../scripts/tools.mjs";

const docs = readdirSync(at("docs"), { recursive: true })
  .filter((file) => file.endsWith(".md"))
  .sort()
  .map((file) => `docs/${file}`);
const PAGES = ["README.md", "adapters/typescript/README.md", ...docs];

const READY_MADE = ["which_project", "switch_project", "list_roots"];

const project = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-example-")));
after(() => rmSync(project, { recursive: true, force: true }));

const examples = (page) =>
  [...readFileSync(at(page), "utf8").matchAll(/^```js\n([\s\S]*?)^```/gm)].map(([, code]) => code);

for (const page of PAGES) {
  for (const [index, code] of examples(page).entries()) {
    test(`${page}, example ${index + 1}`, { timeout: 60_000 }, async () => {
      // The file is below the package, so that it can import the package by name, like an installed copy.
      const folder = at("target/examples");
      mkdirSync(folder, { recursive: true });
      const file = join(folder, `${page.replaceAll(/\W/g, "-")}-${index + 1}.mjs`);
      writeFileSync(file, code);
      await (/serveStdio|StdioServerTransport/.test(code) ? serves(file) : prints(file, code));
    });
  }
}

/** A program that must print the text in the comment after each `console.log`. */
function prints(file, code) {
  const done = spawnSync(process.execPath, [file], { encoding: "utf8", timeout: 30_000 });
  assert.equal(done.status, 0, done.stderr);
  const promised = [...code.matchAll(/console\.log\(.*\); \/\/ (.+)$/gm)];
  assert.ok(
    promised.length > 0 || !code.includes("console.log("),
    "a console.log without a comment that says what it prints",
  );
  for (const [, said] of code.matchAll(/console\.log\(.*\); \/\/ (.+)$/gm)) {
    assert.ok(done.stdout.includes(said), `prints "${said}", got:\n${done.stdout}`);
  }
}

/** A server whose tool must return the project of its client. */
async function serves(file) {
  const client = new Client({ name: "reader", version: "1" }, { capabilities: { roots: {} } });
  client.setRequestHandler("roots/list", async () => ({ roots: [{ uri: `file://${project}` }] }));
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [file], stderr: "inherit" }));
  try {
    const { tools } = await client.listTools();
    const [tool, ...more] = tools.map(({ name }) => name).filter((name) => !READY_MADE.includes(name));
    assert.deepEqual(more, []);
    const { content, isError } = await client.callTool({ name: tool, arguments: { q: "why" } });
    assert.ok(
      !isError && content[0].text.includes(basename(project)) && content[0].text.includes(project),
      content[0].text,
    );
  } finally {
    await client.close();
  }
}
