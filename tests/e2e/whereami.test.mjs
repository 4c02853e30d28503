// The server that a person adds to a client to see what that client sends.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { presets } from "rootwise";
import { debugBuild } from "../../scripts/tools.mjs";

const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-whereami-")));
after(() => rmSync(base, { recursive: true, force: true }));
const folder = (name) => {
  mkdirSync(join(base, name), { recursive: true });
  return join(base, name);
};
const [alpha, beta, cwd] = ["alpha", "beta", "cwd"].map(folder);
const program = join(debugBuild(), "rootwise");
const env = {
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  CLAUDE_PROJECT_DIR: beta,
  SECRET_TOKEN: "do-not-show-this",
  MY_PROJECT: "s3cret-too",
};

function makeClient(mode, roots) {
  const client = new Client(
    { name: "curious", version: "3" },
    { capabilities: { roots: {} }, versionNegotiation: { mode } },
  );
  client.setRequestHandler("roots/list", async () => ({ roots }));
  return client;
}

/** Connects, calls the tool, returns its text and data. */
async function whereami(transport, { mode = "legacy", roots = [{ uri: `file://${alpha}` }] } = {}) {
  const client = makeClient(mode, roots);
  await client.connect(transport);
  try {
    const { content, structuredContent } = await client.callTool({ name: "whereami", arguments: {} });
    // A client that shows only the structured content shows the same report.
    assert.equal(structuredContent.report.join("\n"), content[0].text);
    return { text: content[0].text, data: structuredContent };
  } finally {
    await client.close();
  }
}

const stdio = () => new StdioClientTransport({ command: program, args: ["whereami"], env, cwd, stderr: "inherit" });

for (const [mode, era] of [
  ["legacy", "legacy"],
  [{ pin: "2026-07-28" }, "modern"],
]) {
  test(`shows what a ${era} client sends, over stdio`, { timeout: 60_000 }, async () => {
    const { text, data } = await whereami(stdio(), { mode });
    assert.match(text, /client {6}curious 3/);
    assert.match(text, new RegExp(`\\(${era}\\), over stdio`));
    assert.ok(text.includes(`file://${alpha}`));
    assert.ok(text.includes(`CLAUDE_PROJECT_DIR=${beta}`));
    assert.ok(text.includes(`cwd         ${cwd}`));
    assert.deepEqual(data.choices.map(({ preset }) => preset).sort(), Object.keys(presets).sort());
    assert.deepEqual(data.choices[0].project, { name: "alpha", path: alpha, source: "roots" });
    assert.match(data.choices[0].why, /CLAUDE_PROJECT_DIR\) would give another project/);
  });
}

test("hides values that are unrelated to projects", { timeout: 60_000 }, async () => {
  const { text, data } = await whereami(stdio());
  for (const shown of [text, JSON.stringify(data)]) {
    assert.ok(!shown.includes("do-not-show-this"));
    assert.ok(!shown.includes("s3cret-too"));
  }
  assert.ok(data.environment.hidden.includes("SECRET_TOKEN"));
});

test("says in words what became of the roots", { timeout: 60_000 }, async () => {
  const gone = join(alpha, "gone");
  const { text } = await whereami(stdio(), { roots: [{ uri: `file://${gone}` }] });
  assert.match(text, /^## Roots: listed, \d+ ms$/m);
  assert.ok(text.includes(`file://${gone} (cannot be used: the path does not exist)`), text);
  const { text: none } = await whereami(stdio(), { roots: [{ uri: "${workspaceFolder}" }] });
  assert.match(none, /^## Roots: none that can be read, \d+ ms$/m);
});

test("text from a client cannot imitate a line of the report", { timeout: 60_000 }, async () => {
  const { text } = await whereami(stdio(), {
    roots: [{ uri: `file://${alpha}%0A## Roots: forged` }, { uri: "file:///x\n## Roots: forged" }],
  });
  assert.equal(text.split("\n").filter((line) => line.startsWith("## Roots")).length, 1);
});

test("serves Streamable HTTP on loopback, and only there", { timeout: 60_000 }, async () => {
  const child = spawn(program, ["whereami", "--http"], {
    env,
    cwd,
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [line] = await once(createInterface(child.stdout), "line");
    const url = new URL(line);
    assert.equal(url.hostname, "127.0.0.1");
    for (const mode of ["legacy", { pin: "2026-07-28" }]) {
      const transport = new StreamableHTTPClientTransport(url, {
        requestInit: { headers: { "X-Project-Path": beta } },
      });
      const { data, text } = await whereami(transport, { mode });
      assert.deepEqual(data.choices[0].project, { name: "beta", path: beta, source: "header", via: "x-project-path" });
      assert.match(text, /over http/);
    }
    for (const mode of ["legacy", { pin: "2026-07-28" }]) {
      const { data } = await whereami(new StreamableHTTPClientTransport(url), { mode });
      assert.deepEqual(data.choices[0].project, { name: "alpha", path: alpha, source: "roots" });
    }
    const { request } = await import("node:http");
    // A page under a name of its own that leads here, and a page of another site.
    for (const [headers, status] of [
      [{ host: "evil.example" }, 403],
      [{ origin: "https://evil.example" }, 403],
      [{ origin: "null" }, 403],
      [{ origin: "http://localhost.evil.example" }, 403],
      [{ origin: "http://localhost:6274" }, 406],
    ]) {
      const sent = request({ port: url.port, host: "127.0.0.1", path: "/mcp", method: "GET", headers });
      sent.end();
      const [response] = await once(sent, "response");
      assert.equal(response.statusCode, status, JSON.stringify(headers));
      response.resume();
    }
  } finally {
    child.kill();
    await once(child, "exit");
  }
});

test("serves clients of SDK 1.x as well", { timeout: 60_000 }, async () => {
  const client = new Client1({ name: "elderly", version: "1" }, { capabilities: { roots: {} } });
  client.setRequestHandler(ListRootsRequestSchema, async () => ({ roots: [{ uri: `file://${alpha}` }] }));
  await client.connect(new Stdio1({ command: program, args: ["whereami"], env, cwd, stderr: "inherit" }));
  try {
    const { content, structuredContent } = await client.callTool({ name: "whereami", arguments: {} });
    assert.match(content[0].text, /protocol {4}20\d\d-\d\d-\d\d \(legacy\)/);
    assert.equal(structuredContent.choices[0].project.path, alpha);
  } finally {
    await client.close();
  }
});
