// Edge cases of the adapter, with real SDKs in one process.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { Client as Client2, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as Memory1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as Server1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { createMcpHandler, InMemoryTransport as Memory2, McpServer as Server2, ResourceTemplate, Server as LowServer2 } from "@modelcontextprotocol/server";
import { presets, RootwiseError } from "rootwise";
import { NoProjectError, rootwise } from "rootwise/mcp";
import { connect, pairs } from "./clients.mjs";

const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-adapter-")));
after(() => rmSync(base, { recursive: true, force: true }));
const alpha = join(base, "alpha");
mkdirSync(alpha);
const info = { name: "adapter", version: "1" };
const roots = async () => ({ roots: [{ uri: `file://${alpha}` }] });
const text = (text) => ({ content: [{ type: "text", text }] });
const called = async (client, name) => (await client.callTool({ name, arguments: {} })).content[0].text;

const generations = [
  { name: "SDK 1.x", Server: Server1, Client: Client1, Memory: Memory1, method: ListRootsRequestSchema },
  { name: "SDK 2.x", Server: Server2, Client: Client2, Memory: Memory2, method: "roots/list" },
];

for (const { name, Server, Client, Memory, method } of generations) {
  describe(name, () => {
    const meet = async (server) => {
      const client = new Client(info, { capabilities: { roots: { listChanged: true } } });
      client.setRequestHandler(method, roots);
      const [one, other] = Memory.createLinkedPair();
      await Promise.all([server.connect(one), client.connect(other)]);
      return client;
    };

    test("invalid options are refused at once", () => {
      const server = new Server(info);
      const refused = (options) => assert.throws(() => rootwise(server, options), (error) => error instanceof RootwiseError && error.code === "bad_options");
      refused({ policy: "nothing" });
      refused({ policy: { name: "broken", sources: [{ from: "nowhere" }] } });
      assert.throws(() => rootwise({}), RootwiseError);
    });

    test("a server that assigns its own hooks later keeps working", async () => {
      const server = new Server(info);
      const projects = rootwise(server);
      server.registerTool("where", {}, async (ctx) => text((await projects.project(ctx)).path));
      let theirs = 0;
      server.server.oninitialized = () => (theirs += 1);
      server.server.onclose = () => (theirs += 1);
      const client = await meet(server);
      assert.equal(await called(client, "where"), alpha);
      await client.close();
      assert.equal(theirs, 2);
    });

    test("capabilities may be declared before anything is registered", async () => {
      const server = new Server(info, { capabilities: { tools: {} } });
      const projects = rootwise(server);
      server.registerTool("where", {}, async (ctx) => text((await projects.project(ctx)).path));
      const client = await meet(server);
      // Several calls, so that the answer is cached.
      for (let calls = 0; calls < 3; calls += 1) assert.equal(await called(client, "where"), alpha);
      await client.close();
    });

    test("a callback that throws logs a warning and breaks nothing", async () => {
      const server = new Server(info);
      const projects = rootwise(server);
      projects.onChange(() => {
        throw new Error("theirs");
      });
      server.registerTool("where", {}, async (ctx) => text((await projects.project(ctx)).path));
      const warned = once(process, "warning");
      const client = await meet(server);
      assert.equal(await called(client, "where"), alpha);
      assert.equal((await warned)[0].message, "theirs");
      await client.close();
    });

    test("a missing project is an error with a code and an instruction", async () => {
      const server = new Server(info);
      const projects = rootwise(server, { policy: { ...presets.recommended, sources: [{ from: "argument" }] } });
      let seen;
      server.registerTool("where", {}, async (ctx) => text(await projects.project(ctx).catch((error) => ((seen = error), "caught"))));
      const client = await meet(server);
      assert.equal(await called(client, "where"), "caught");
      assert.ok(seen instanceof NoProjectError && seen instanceof RootwiseError);
      assert.equal(seen.code, "no_project");
      assert.ok(seen.instruction && seen.message.includes(seen.instruction));
      assert.ok(seen.explanation.text.includes("argument"));
      await client.close();
    });

    test("closing the connection answers all waiting calls", async () => {
      const server = new Server(info);
      const projects = rootwise(server);
      let ended;
      const settled = new Promise((resolve) => (ended = resolve));
      server.registerTool("where", {}, async (ctx) => {
        await projects.project(ctx).then(ended, ended);
        return text("late");
      });
      const client = new Client(info, { capabilities: { roots: {} } });
      let ask;
      const asked = new Promise((resolve) => (ask = resolve));
      client.setRequestHandler(method, () => (ask(), new Promise(() => {})));
      const [one, other] = Memory.createLinkedPair();
      await Promise.all([server.connect(one), client.connect(other)]);
      const call = assert.rejects(called(client, "where"));
      await asked;
      await client.close();
      assert.equal((await settled).code, "closed");
      await call;
    });
  });
}

test("SDK 1.x: a handshake before the adapter was attached is taken into account", async () => {
  const server = new Server1(info);
  let projects;
  server.registerTool("where", {}, async (extra) => text((await projects.project(extra)).path));
  const client = new Client1(info, { capabilities: { roots: {} } });
  client.setRequestHandler(ListRootsRequestSchema, roots);
  const [one, other] = Memory1.createLinkedPair();
  await Promise.all([server.connect(one), client.connect(other)]);
  projects = rootwise(server);
  assert.equal(await called(client, "where"), alpha);
  await client.close();
});

describe("SDK 2.x, 2026-07-28", () => {
  /** Connects a modern client to a server that is created for every request. */
  const meet = async (make) => {
    const handler = createMcpHandler(make);
    const client = new Client2(info, { capabilities: { roots: {} }, versionNegotiation: { mode: { pin: "2026-07-28" } } });
    client.setRequestHandler("roots/list", roots);
    const fetch = (input, init) => handler.fetch(new Request(input, init));
    await client.connect(new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), { fetch }));
    return client;
  };

  test("a handler that is replaced later is guarded too", async () => {
    const client = await meet(() => {
      const server = new Server2(info);
      const projects = rootwise(server);
      const tool = server.registerTool("where", {}, async () => text("old"));
      tool.update({ callback: async (ctx) => text((await projects.project(ctx)).path) });
      return server;
    });
    assert.equal(await called(client, "where"), alpha);
    await client.close();
  });

  test("a request that cannot be repeated cannot ask for input", async () => {
    let seen;
    const client = await meet(() => {
      const server = new Server2(info);
      const projects = rootwise(server);
      const list = async (ctx) => ({ resources: [], ...(await projects.project(ctx).catch((error) => void (seen = error))) });
      server.registerResource("files", new ResourceTemplate("file:///{path}", { list }), {}, async () => ({ contents: [] }));
      return server;
    });
    await client.listResources();
    assert.equal(seen.code, "bad_options");
    assert.match(seen.message, /not one of a tool, a prompt or a resource/);
    await client.close();
  });

  test("a low-level server is guarded by its request handlers", async () => {
    const client = await meet(() => {
      const server = new LowServer2(info, { capabilities: { tools: {} } });
      const projects = rootwise(server);
      server.setRequestHandler("tools/call", async (_request, ctx) => text((await projects.project(ctx)).path));
      return server;
    });
    assert.equal(await called(client, "where"), alpha);
    await client.close();
  });
});

for (const pair of pairs.filter(({ over, client }) => over === "stdio" && client === 2)) {
  test(`${pair.name}: the command line names the project in either spelling`, { timeout: 60_000 }, async () => {
    for (const args of [[`--project=${alpha}`], ["--verbose", "--project", alpha]]) {
      const peer = await connect(pair, { args, roots: [{ uri: "file:///usr/share" }] });
      try {
        assert.deepEqual((await peer.call("where")).value, { name: "alpha", path: alpha, source: "configured", via: "project" });
        assert.equal(peer.state.asked, 0);
      } finally {
        await peer.close();
      }
    }
  });
}
