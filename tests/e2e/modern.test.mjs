// Edge cases of the adapter with clients of revision 2026-07-28, with the real SDK in one process.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { Client as Client2, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import {
  createMcpHandler,
  createRequestStateCodec,
  McpServer as Server2,
  ResourceTemplate,
  Server as LowServer2,
} from "@modelcontextprotocol/server";
import { rootwise } from "rootwise/mcp";

const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-adapter-")));
after(() => rmSync(base, { recursive: true, force: true }));
const alpha = join(base, "alpha");
const inner = join(alpha, "inner");
for (const path of [inner, join(alpha, ".git")]) mkdirSync(path, { recursive: true });
const info = { name: "adapter", version: "1" };
const local = { host: { local: true } };
const roots = async () => ({ roots: [{ uri: `file://${alpha}` }] });
const text = (text) => ({ content: [{ type: "text", text }] });
const called = async (client, name) => (await client.callTool({ name, arguments: {} })).content[0].text;

describe("SDK 2.x, 2026-07-28", () => {
  /** Connects a modern client to a server that is created for every request. */
  const meet = async (make) => {
    const handler = createMcpHandler(make);
    const client = new Client2(info, {
      capabilities: { roots: {} },
      versionNegotiation: { mode: { pin: "2026-07-28" } },
    });
    client.setRequestHandler("roots/list", roots);
    const fetch = (input, init) => handler.fetch(new Request(input, init));
    await client.connect(new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), { fetch }));
    return client;
  };

  test("a handler that is replaced later is guarded too", async () => {
    const client = await meet(() => {
      const server = new Server2(info);
      const projects = rootwise(server, local);
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
        const list = async (ctx) => ({
          resources: [],
          ...(await projects.project(ctx).then(
            (project) => void (seen = project),
            (error) => void (seen = error),
          )),
        });
        server.registerResource("files", new ResourceTemplate("file:///{path}", { list }), {}, async () => ({
          contents: [],
        }));
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
    const client = new Client2(info, {
      capabilities: { roots: {}, elicitation: {} },
      versionNegotiation: { mode: { pin: "2026-07-28" } },
      ...mode,
    });
    const counts = { roots: 0, words: 0 };
    client.setRequestHandler("roots/list", async () => ((counts.roots += 1), roots()));
    client.setRequestHandler(
      "elicitation/create",
      async () => ((counts.words += 1), { action: "accept", content: { word: "yes" } }),
    );
    const fetch = (input, init) => handler.fetch(new Request(input, init));
    await client.connect(new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), { fetch }));
    return { client, counts };
  };

  for (const [name, options] of [
    ["plain state", {}],
    ["signed state", { requestState: { verify: codec.verify } }],
  ]) {
    test(`a tool that asks its own question first keeps its answer and its ${name}, and asks once`, {
      timeout: 20_000,
    }, async () => {
      const { client, counts } = await talkative(() => {
        const server = new Server2(info, options);
        const projects = rootwise(server, local);
        server.registerTool("word", {}, async (ctx) => {
          const { word } = ctx.mcpReq.inputResponses?.own?.content ?? {};
          const state = ctx.mcpReq.requestState();
          if (!word)
            return {
              resultType: "input_required",
              inputRequests: { own },
              requestState: options.requestState ? await codec.mint({ step: 2 }, ctx) : "step 2",
            };
          return text(`${(await projects.project(ctx)).path} ${word} ${JSON.stringify(state)}`);
        });
        return server;
      });
      assert.equal(
        await called(client, "word"),
        `${alpha} yes ${JSON.stringify(options.requestState ? { step: 2 } : "step 2")}`,
      );
      assert.deepEqual(counts, { roots: 1, words: 1 });
      await client.close();
    });

    test(`our question keeps the ${name} that the tool sent before`, { timeout: 20_000 }, async () => {
      const { client } = await talkative(
        () => {
          const server = new Server2(info, options);
          const projects = rootwise(server, local);
          server.registerTool("mint", {}, async (ctx) => text(await codec.mint({ step: 2 }, ctx)));
          server.registerTool("word", {}, async (ctx) => text((await projects.project(ctx)).path));
          return server;
        },
        { inputRequired: { autoFulfill: false } },
      );
      const requestState = options.requestState ? await called(client, "mint") : "step 2";
      const again = await client.callTool(
        { name: "word", arguments: {}, requestState, inputResponses: { own: { action: "accept", content: {} } } },
        { allowInputRequired: true },
      );
      assert.equal(again.requestState, requestState);
      assert.deepEqual(again.inputRequests, { rootwise: { method: "roots/list" } });
      await client.close();
    });
  }

  test("a tool with a question and no project does not have the client asked for what an option decides", async () => {
    const { client, counts } = await talkative(() => {
      const server = new Server2(info);
      rootwise(server, { host: { local: true, arguments: { project: alpha } } });
      server.registerTool("word", {}, async (ctx) =>
        ctx.mcpReq.inputResponses?.own ? text("done") : { resultType: "input_required", inputRequests: { own } },
      );
      return server;
    });
    assert.equal(await called(client, "word"), "done");
    assert.deepEqual(counts, { roots: 0, words: 1 });
    await client.close();
  });

  test("the advice after switch_project was refused works", async () => {
    const make = () => {
      const server = new Server2(info);
      const projects = rootwise(server, local);
      projects.registerTools();
      server.registerTool("where", {}, async (ctx) => text((await projects.project(ctx)).path));
      return server;
    };
    const handler = createMcpHandler(make);
    const client = new Client2(info, {
      capabilities: { roots: {} },
      versionNegotiation: { mode: { pin: "2026-07-28" } },
    });
    let root = base;
    client.setRequestHandler("roots/list", async () => ({ roots: [{ uri: `file://${root}` }] }));
    const headers = {};
    const fetch = (input, init) =>
      handler.fetch(
        new Request(input, { ...init, headers: { ...Object.fromEntries(new Headers(init.headers)), ...headers } }),
      );
    await client.connect(new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), { fetch }));
    const { content, isError } = await client.callTool({ name: "switch_project", arguments: { project: alpha } });
    assert.equal(isError, true);
    assert.match(content[0].text, /open the folder in the client/);
    const [, header] = /the `([^`]+)` header/.exec(content[0].text);
    root = alpha;
    assert.equal(await called(client, "where"), alpha);
    root = base;
    headers[header] = alpha;
    assert.equal(await called(client, "where"), alpha);
    await client.close();
  });

  test("two instances on one server get their projects with one question", { timeout: 20_000 }, async () => {
    const { client, counts } = await talkative(() => {
      const server = new Server2(info);
      const [one, two] = [rootwise(server, local), rootwise(server, local)];
      server.registerTool("both", {}, async (ctx) =>
        text(`${(await one.project(ctx)).path} ${(await two.project(ctx)).path}`),
      );
      return server;
    });
    assert.equal(await called(client, "both"), `${alpha} ${alpha}`);
    assert.deepEqual(counts, { roots: 1, words: 0 });
    await client.close();
  });

  test("a low-level server is guarded by its request handlers", async () => {
    const client = await meet(() => {
      const server = new LowServer2(info, { capabilities: { tools: {} } });
      const projects = rootwise(server, local);
      server.setRequestHandler("tools/call", async (_request, ctx) => text((await projects.project(ctx)).path));
      return server;
    });
    assert.equal(await called(client, "where"), alpha);
    await client.close();
  });
});
