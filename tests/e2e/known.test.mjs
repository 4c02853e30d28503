// A known project costs a call of 2026-07-28 no event; whatever may lead to another answer is seen. Counted in events, with time that
// stands still.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { InMemoryTransport, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { Endpoint } from "rootwise";
import { rootwise } from "rootwise/mcp";
import { fakeHost } from "rootwise/testing";

const KEY = "io.modelcontextprotocol/";
const ROOTS = { roots: {} };

let events = [];
const handle = Endpoint.prototype.handle;
beforeEach(() => {
  Endpoint.prototype.handle = function (event, now) {
    events.push(event.type);
    return handle.call(this, event, now);
  };
});
const ends = [];
afterEach(() => {
  Endpoint.prototype.handle = handle;
  for (const end of ends.splice(0).reverse()) end();
});

/** A server on a pipe, and what calls it: resolves with the text of a tool, and the types of the events that it caused. */
async function meet({ capabilities = ROOTS, options = {} } = {}) {
  const machine = fakeHost({ files: ["/w/a/.git/", "/w/b/.git/"] });
  const [near, far] = InMemoryTransport.createLinkedPair();
  ends.push(
    () => machine.end(),
    () => void far.close(),
  );
  serveStdio(
    () => {
      const server = new McpServer({ name: "known", version: "1" });
      const projects = rootwise(server, options);
      const where = async (_, context) => ({
        content: [{ type: "text", text: (await projects.project(context)).name }],
      });
      // The SDK validates arguments with any schema of this kind.
      const anything = {
        "~standard": {
          version: 1,
          vendor: "test",
          validate: (value) => ({ value }),
          jsonSchema: { input: () => ({ type: "object" }), output: () => ({ type: "object" }) },
        },
      };
      server.registerTool("where", { inputSchema: anything }, where);
      server.registerTool("word", {}, async (context) => {
        await projects.project(context);
        const params = { mode: "form", message: "A word?", requestedSchema: { type: "object", properties: {} } };
        return { resultType: "input_required", inputRequests: { own: { method: "elicitation/create", params } } };
      });
      projects.registerTools();
      return server;
    },
    { transport: near },
  );
  const waiting = new Map();
  far.onmessage = ({ id, result, error }) => waiting.get(id)?.(result ?? error);
  await far.start();
  const client = { folders: ["a", "b"], rounds: 0 };
  const request = (params) =>
    new Promise((resolve) => {
      const id = waiting.size + 1;
      waiting.set(id, resolve);
      void far.send({ jsonrpc: "2.0", id, method: "tools/call", params });
    });
  client.call = async ({
    name = "where",
    args = {},
    meta = {},
    declares = capabilities,
    info = "one",
    more = {},
  } = {}) => {
    events = [];
    const _meta = {
      [`${KEY}protocolVersion`]: "2026-07-28",
      [`${KEY}clientCapabilities`]: declares,
      [`${KEY}clientInfo`]: { name: info, version: "1" },
      ...meta,
    };
    const params = { name, arguments: args, _meta, ...more };
    let result = await request(params);
    while (result.inputRequests?.rootwise) {
      client.rounds += 1;
      const roots = { roots: client.folders.map((name) => ({ uri: `file:///w/${name}` })) };
      result = await request({ ...params, inputResponses: { rootwise: roots } });
    }
    return { text: result.content?.[0].text ?? JSON.stringify(result), events };
  };
  client.advance = (ms) => machine.advance(ms);
  return client;
}

/** A client whose project is known: the next call like the last ones causes no event. */
async function known(options) {
  const client = await meet(options);
  await client.call();
  await client.call();
  assert.deepEqual(await client.call(), { text: "a", events: [] });
  client.rounds = 0;
  return client;
}

test("a known project costs a call of 2026-07-28 no event", async () => {
  const client = await known();
  // Progress, tracing and whatever else a client sends of which nobody reads anything.
  assert.deepEqual(await client.call({ meta: { progressToken: 7, traceparent: "00-1-2-01" } }), {
    text: "a",
    events: [],
  });
  assert.equal(client.rounds, 0);
});

for (const [what, call, expected] of [
  ["a conversation", { meta: { threadId: "c1" } }, "a"],
  ["a value in `_meta` that the policy reads", { meta: { "agent-working-dir": "/w/b" } }, "b"],
  ["an argument that names a project", { args: { project: "/w/b" } }, "b"],
  ["roots of its own", { more: { inputResponses: { rootwise: { roots: [{ uri: "file:///w/b" }] } } } }, "b"],
  ["a client that declares something else", { declares: { ...ROOTS, elicitation: {} } }, "a"],
])
  test(`a call with ${what} is answered for itself`, async () => {
    const client = await known({ options: { argument: "project" } });
    const { text, events } = await client.call(call);
    assert.equal(text, expected);
    assert.ok(events.includes("callStarted") && events.includes("asked"), events.join());
  });

test("a second client on the pipe is noticed after calls that caused no event, and gets nothing of the first one", async () => {
  const client = await known();
  client.folders = ["b"];
  assert.equal((await client.call({ info: "two" })).text, "b");
  client.folders = ["a"];
  for (let call = 0; call < 3; call += 1) {
    const { text, events } = await client.call();
    assert.equal(text, "a");
    assert.ok(events.includes("asked"), "each call is asked for its own roots from now on");
  }
  assert.equal(client.rounds, 4);
});

test("after the fresh time the client is asked again", async () => {
  const client = await known();
  await client.advance(999);
  assert.deepEqual(await client.call(), { text: "a", events: [] });
  await client.advance(1);
  client.folders = ["b"];
  assert.equal((await client.call()).text, "b");
  assert.equal(client.rounds, 1);
});

test("a selection counts for the next call", async () => {
  const client = await known();
  await client.call({ name: "switch_project", args: { project: "b" } });
  assert.equal((await client.call()).text, "b");
});

test("a question of the handler's own reaches the client after a known answer", async () => {
  const client = await known({ capabilities: { ...ROOTS, elicitation: {} } });
  const { text, events } = await client.call({ name: "word" });
  assert.deepEqual(Object.keys(JSON.parse(text).inputRequests), ["own"]);
  assert.deepEqual(events, ["callStarted", "callReturned", "callEnded"]);
});
