// The team of the guide "Over HTTP": two users with folders below one, and what the server of the guide must do for them.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

/** Makes the folders of the team below `base`, which stands for `/srv/projects`. */
export function folders(base) {
  for (const folder of ["ann/shop", "ann/blog", "bob/site"]) mkdirSync(join(base, folder), { recursive: true });
}

/** Starts the server and checks what it says to its users. */
export async function team(command, args, base) {
  folders(base);
  const env = { ...process.env, PORT: "0", PROJECTS: base };
  const server = spawn(command, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  try {
    let url;
    let said = "";
    for await (const line of createInterface(server.stdout)) {
      said += line;
      const port = /(?:port: |127\.0\.0\.1:)(\d+)/.exec(said)?.[1];
      if (port) url = new URL(`http://127.0.0.1:${port}/mcp`);
      if (url) break;
    }
    assert.ok(url, `printed no port: ${said}`);
    await works(url, (folder) => join(base, folder));
  } finally {
    if (server.exitCode === null) {
      server.kill();
      await once(server, "exit");
    }
  }
}

async function works(url, at) {
  assert.equal((await fetch(url, { method: "POST", body: "{}" })).status, 401);

  const ann = await connect(url, "ann", [at("ann/shop"), at("ann/blog")]);
  assert.deepEqual(await call(ann, "status"), { text: `ann works in ${at("ann/shop")}`, failed: false });
  assert.equal((await call(ann, "switch_project", { project: at("ann/blog") })).failed, false);
  assert.deepEqual(await call(ann, "status"), { text: `ann works in ${at("ann/blog")}`, failed: false });
  assert.equal((await call(ann, "switch_project", { project: at("bob/site") })).failed, true);

  const bob = await connect(url, "bob", [at("ann/shop")]);
  const foreign = await call(bob, "status");
  assert.ok(foreign.failed && !foreign.text.includes("works in"), foreign.text);

  // A session belongs to its user.
  const headers = {
    authorization: "Bearer token-of-bob",
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-session-id": ann.transport.sessionId,
    "mcp-protocol-version": "2025-11-25",
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 9, method: "tools/call", params: { name: "status" } });
  assert.equal((await fetch(url, { method: "POST", headers, body })).status, 404);

  const modern = await connect(url, "ann", [at("ann/shop")], "2026-07-28");
  assert.deepEqual(await call(modern, "status"), { text: `ann works in ${at("ann/shop")}`, failed: false });
  const other = { project_path: at("ann/blog") };
  assert.deepEqual(await call(modern, "status", other), { text: `ann works in ${at("ann/blog")}`, failed: false });
  assert.equal((await call(modern, "status", { project_path: at("bob/site") })).failed, true);

  for (const client of [ann, bob, modern]) await client.close();
}

async function connect(url, user, roots, version) {
  const mode = version ? { pin: version } : "legacy";
  const client = new Client(
    { name: "team", version: "1" },
    { capabilities: { roots: {} }, versionNegotiation: { mode } },
  );
  client.setRequestHandler("roots/list", () => ({ roots: roots.map((folder) => ({ uri: `file://${folder}` })) }));
  const requestInit = { headers: { authorization: `Bearer token-of-${user}` } };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  return client;
}

async function call(client, name, given = {}) {
  const { content, isError = false } = await client.callTool({ name, arguments: given });
  return { text: content[0].text, failed: isError };
}
