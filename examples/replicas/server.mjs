// node server.mjs redis-url [port]: one of several replicas of a server. Clients of 2026-07-28 are served by any of them;
// the sessions of earlier clients continue on another replica from what Redis holds.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import {
  createMcpHandler,
  isLegacyRequest,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { rootwise } from "rootwise/mcp";
import { redisStore } from "./store.mjs";

const [url = "redis://127.0.0.1:6379", port = "0"] = process.argv.slice(2);
const store = redisStore(url);
const replica = randomUUID().slice(0, 8);

function make() {
  const server = new McpServer({ name: "replicas", version: "1.0.0" });
  const projects = rootwise(server, { store, local: true });
  server.registerTool(
    "where",
    { description: "Says which project this is, and which replica answered." },
    async (ctx) => {
      const { path } = await projects.project(ctx);
      return { content: [{ type: "text", text: JSON.stringify({ path, replica }) }] };
    },
  );
  projects.registerTools();
  return server;
}

const modern = createMcpHandler(make);
const sessions = new Map();

/** A client that disappears is never noticed, so that the sessions which were opened first leave; a store keeps them. */
const MAX_SESSIONS = 1_000;

/** A transport for a session that begins here, or that began on another replica. */
async function open(id) {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => id,
    onsessionclosed: async () => {
      sessions.delete(id);
      await store.ended(id);
    },
  });
  sessions.set(id, transport);
  await make().connect(transport);
  if (sessions.size > MAX_SESSIONS) {
    const [[oldest, left]] = sessions;
    sessions.delete(oldest);
    await left.close();
  }
  return transport;
}

/** Brings a session here: the SDK's transport must see the handshake once more, and its answer goes nowhere. */
async function move(id, address) {
  const initialize = await store.beginning(id);
  if (!initialize) return undefined;
  const transport = await open(id);
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const post = async (message, more) =>
    (
      await transport.handleRequest(
        new Request(address, { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify(message) }),
      )
    ).text();
  await post(initialize);
  await post({ jsonrpc: "2.0", method: "notifications/initialized" }, { "mcp-session-id": id });
  return transport;
}

const moving = new Map();

async function legacy(request) {
  const id = request.headers.get("mcp-session-id");
  if (id === null) {
    const message = await request
      .clone()
      .json()
      .catch(() => undefined);
    // Only a handshake begins a session: junk leaves nothing here.
    if (message?.method !== "initialize") return new Response("Begin with initialize.", { status: 400 });
    const fresh = randomUUID();
    await store.began(fresh, message);
    return (await open(fresh)).handleRequest(request);
  }
  if (!sessions.has(id)) {
    // Requests that arrive together move their session once.
    if (!moving.has(id))
      moving.set(
        id,
        move(id, request.url).finally(() => moving.delete(id)),
      );
    await moving.get(id);
  }
  return sessions.get(id)?.handleRequest(request) ?? new Response(null, { status: 404 });
}

const fetch = async (request) => ((await isLegacyRequest(request.clone())) ? legacy(request) : modern.fetch(request));
const server = createServer(toNodeHandler({ fetch }, { onerror: (error) => process.stderr.write(`${error.stack}\n`) }));
server.listen(Number(port), "127.0.0.1", () => process.stdout.write(`http://127.0.0.1:${server.address().port}/mcp\n`));
