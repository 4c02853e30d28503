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
import { createMcpHandler, createRequestStateCodec, InMemoryTransport as Memory2, McpServer as Server2, ResourceTemplate, Server as LowServer2 } from "@modelcontextprotocol/server";
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

  test("a list of resources gets the project that is known without asking, or is told why there is none", async () => {
    for (const host of [{ arguments: { project: alpha } }, { cwd: "/" }]) {
      let seen;
      const client = await meet(() => {
        const server = new Server2(info);
        const projects = rootwise(server, { host: { local: true, ...host } });
        const list = async (ctx) => ({ resources: [], ...(await projects.project(ctx).then((project) => void (seen = project), (error) => void (seen = error))) });
        server.registerResource("files", new ResourceTemplate("file:///{path}", { list }), {}, async () => ({ contents: [] }));
        return server;
      });
      await client.listResources();
      if (host.arguments) assert.equal(seen.path, alpha);
      else {
        assert.equal(seen.code, "no_project");
        assert.match(seen.message, /not by a list/);
        assert.doesNotMatch(seen.message, /registered/);
      }
      await client.close();
    }
  });

  const requestedSchema = { type: "object", properties: { word: { type: "string" } }, required: ["word"] };
  const own = { method: "elicitation/create", params: { mode: "form", message: "A word?", requestedSchema } };
  const codec = createRequestStateCodec({ key: new Uint8Array(32) });

  /** A client that answers a question for a word, and counts. */
  const talkative = async (make, mode = {}) => {
    const handler = createMcpHandler(make);
    const client = new Client2(info, { capabilities: { roots: {}, elicitation: {} }, versionNegotiation: { mode: { pin: "2026-07-28" } }, ...mode });
    const counts = { roots: 0, words: 0 };
    client.setRequestHandler("roots/list", async () => ((counts.roots += 1), roots()));
    client.setRequestHandler("elicitation/create", async () => ((counts.words += 1), { action: "accept", content: { word: "yes" } }));
    const fetch = (input, init) => handler.fetch(new Request(input, init));
    await client.connect(new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), { fetch }));
    return { client, counts };
  };

  for (const [name, options] of [["plain state", {}], ["signed state", { requestState: { verify: codec.verify } }]]) {
    test(`a tool that asks its own question first keeps its answer and its ${name}, and asks once`, { timeout: 20_000 }, async () => {
      const { client, counts } = await talkative(() => {
        const server = new Server2(info, options);
        const projects = rootwise(server);
        server.registerTool("word", {}, async (ctx) => {
          const { word } = ctx.mcpReq.inputResponses?.own?.content ?? {};
          const state = ctx.mcpReq.requestState();
          if (!word) return { resultType: "input_required", inputRequests: { own }, requestState: options.requestState ? await codec.mint({ step: 2 }, ctx) : "step 2" };
          return text(`${(await projects.project(ctx)).path} ${word} ${JSON.stringify(state)}`);
        });
        return server;
      });
      assert.equal(await called(client, "word"), `${alpha} yes ${JSON.stringify(options.requestState ? { step: 2 } : "step 2")}`);
      assert.deepEqual(counts, { roots: 1, words: 1 });
      await client.close();
    });

    test(`our question keeps the ${name} that the tool sent before`, { timeout: 20_000 }, async () => {
      const { client } = await talkative(
        () => {
          const server = new Server2(info, options);
          const projects = rootwise(server);
          server.registerTool("mint", {}, async (ctx) => text(await codec.mint({ step: 2 }, ctx)));
          server.registerTool("word", {}, async (ctx) => text((await projects.project(ctx)).path));
          return server;
        },
        { inputRequired: { autoFulfill: false } },
      );
      const requestState = options.requestState ? await called(client, "mint") : "step 2";
      const again = await client.callTool({ name: "word", arguments: {}, requestState, inputResponses: { own: { action: "accept", content: {} } } }, { allowInputRequired: true });
      assert.equal(again.requestState, requestState);
      assert.deepEqual(again.inputRequests, { rootwise: { method: "roots/list" } });
      await client.close();
    });
  }

  test("a tool with a question and no project does not have the client asked for what an option decides", async () => {
    const { client, counts } = await talkative(() => {
      const server = new Server2(info);
      rootwise(server, { host: { local: true, arguments: { project: alpha } } });
      server.registerTool("word", {}, async (ctx) => (ctx.mcpReq.inputResponses?.own ? text("done") : { resultType: "input_required", inputRequests: { own } }));
      return server;
    });
    assert.equal(await called(client, "word"), "done");
    assert.deepEqual(counts, { roots: 0, words: 1 });
    await client.close();
  });

  test("two instances on one server get their projects with one question", { timeout: 20_000 }, async () => {
    const { client, counts } = await talkative(() => {
      const server = new Server2(info);
      const [one, two] = [rootwise(server), rootwise(server)];
      server.registerTool("both", {}, async (ctx) => text(`${(await one.project(ctx)).path} ${(await two.project(ctx)).path}`));
      return server;
    });
    assert.equal(await called(client, "both"), `${alpha} ${alpha}`);
    assert.deepEqual(counts, { roots: 1, words: 0 });
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
