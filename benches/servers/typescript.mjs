// Servers on both generations of the SDK with one tool that names the project, in every kind that is compared. As a program,
// `node benches/servers/typescript.mjs 2 stdio known` serves one of them, with `modern` behind it for clients of 2026-07-28; its tool `computed` says what the process computed.
import { createServer } from "node:http";
import { pathToFileURL } from "node:url";
import { Client as Client2 } from "@modelcontextprotocol/client";
import { NodeStreamableHTTPServerTransport as Http2, toNodeHandler } from "@modelcontextprotocol/node";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as Memory1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as Server1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport as Stdio1 } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport as Http1 } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import {
  ListRootsRequestSchema,
  ListRootsResultSchema,
  RootsListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import {
  createMcpHandler,
  InMemoryTransport as Memory2,
  inputRequired,
  McpServer as Server2,
} from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport as Stdio2 } from "@modelcontextprotocol/server/stdio";
import { presets } from "rootwise";
import { rootwise } from "rootwise/mcp";
import { askingByResult, askingProject } from "../rivals/asking.mjs";
import { Careful } from "../rivals/careful.mjs";

export const SDKS = {
  1: {
    title: "SDK 1.x",
    Server: Server1,
    Client: Client1,
    Memory: Memory1,
    Stdio: Stdio1,
    Http: Http1,
    listRoots: ListRootsRequestSchema,
    ask: ({ sendRequest }) => sendRequest({ method: "roots/list" }, ListRootsResultSchema),
    rootsChanged: RootsListChangedNotificationSchema,
  },
  2: {
    title: "SDK 2.x",
    Server: Server2,
    Client: Client2,
    Memory: Memory2,
    Stdio: Stdio2,
    Http: Http2,
    listRoots: "roots/list",
    ask: ({ mcpReq }) => mcpReq.send({ method: "roots/list" }),
    rootsChanged: "notifications/roots/list_changed",
  },
};

const text = (text) => ({ content: [{ type: "text", text }] });

function known(server, options) {
  const projects = rootwise(server, { local: true, ...options });
  return async (context) => text((await projects.project(context)).name);
}

/** The tool of each kind of server. */
export const KINDS = {
  without: () => async () => text("share"),
  // The same again: what the machine does to two equal servers.
  equal: () => async () => text("share"),
  known: (server) => known(server),
  refreshed: (server) => known(server, { policy: { ...presets.recommended, timing: { maxAgeMs: 0 } } }),
  "cached by hand": ({ server }, { rootsChanged }) => {
    const careful = new Careful(() => server.listRoots());
    server.oninitialized = () => careful.initialized({ capabilities: server.getClientCapabilities() });
    server.setNotificationHandler(rootsChanged, () => careful.rootsChanged());
    return async () => text((await careful.project()).name);
  },
  // On the stream of the call, which is the only one that every client over HTTP has.
  "asking by hand":
    (_server, { ask }) =>
    async (context) =>
      text((await askingProject(() => ask(context))).name),
  "asking by result":
    () =>
    async ({ mcpReq }) =>
      askingByResult(mcpReq.inputResponses, inputRequired, ({ name }) => text(name)),
};

/** The kinds that a client of one era can use. */
export const kindsOf = (modern) => [
  ...["without", "equal", "known", "refreshed"],
  ...(modern ? ["asking by result"] : ["cached by hand", "asking by hand"]),
];

export function serverOf(sdk, kind) {
  const server = new sdk.Server({ name: "bench", version: "1" });
  // Before the tool, because Rootwise listens to what is registered.
  const tool = KINDS[kind](server, sdk);
  server.registerTool("where", {}, tool);
  server.registerTool("computed", {}, async () => {
    const { user, system } = process.cpuUsage();
    return text(String(user + system));
  });
  return server;
}

/** A client whose server runs in this process too. */
export async function connected(sdk, kind, { modern = false } = {}) {
  const versionNegotiation = { mode: modern ? { pin: "2026-07-28" } : "legacy" };
  const client = new sdk.Client({ name: "bench", version: "1" }, { capabilities: { roots: {} }, versionNegotiation });
  client.setRequestHandler(sdk.listRoots, async () => ({ roots: [{ uri: "file:///usr/share" }] }));
  const [one, other] = sdk.Memory.createLinkedPair();
  // Only a server that is served offers the revision of 2026-07-28.
  if (modern) serveStdio(() => serverOf(sdk, kind), { transport: one });
  else await serverOf(sdk, kind).connect(one);
  await client.connect(other);
  const call = async () => {
    const result = await client.callTool({ name: "where", arguments: {} });
    if (result.content[0].text !== "share") throw new Error(`${sdk.title}, ${kind}: ${JSON.stringify(result)}`);
  };
  return { client, call, close: () => client.close() };
}

function serveHttp(sdk, kind) {
  const sessions = new Map();
  const http = createServer(async (request, response) => {
    let transport = sessions.get(request.headers["mcp-session-id"]);
    if (!transport) {
      transport = new sdk.Http({
        sessionIdGenerator: () => crypto.randomUUID(),
        onsessioninitialized: (id) => sessions.set(id, transport),
      });
      await serverOf(sdk, kind).connect(transport);
    }
    await transport.handleRequest(request, response);
  });
  http.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${http.address().port}/`));
  process.stdin.on("end", () => process.exit()).resume();
}

/** Over HTTP, every request of 2026-07-28 has a server of its own. */
function serveModern(way, make) {
  if (way === "stdio") return serveStdio(make);
  const http = createServer(toNodeHandler(createMcpHandler(make)));
  http.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${http.address().port}/`));
  return process.stdin.on("end", () => process.exit()).resume();
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [generation, way, kind, era] = process.argv.slice(2);
  const sdk = SDKS[generation];
  if (era === "modern") serveModern(way, () => serverOf(sdk, kind));
  else if (way === "stdio") await serverOf(sdk, kind).connect(new sdk.Stdio());
  else serveHttp(sdk, kind);
}
