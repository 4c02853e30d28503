// The server for the conformance suite, on loopback: sessions for legacy clients, one server per request for modern clients.
import { randomUUID } from "node:crypto";
import {
  createMcpHandler,
  isLegacyRequest,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { listen, reply } from "../e2e/servers/offer.mjs";
import { offer, requestState } from "./fixtures.mjs";

function make() {
  const server = new McpServer(
    { name: "conformance", version: "1.0.0" },
    { capabilities: { logging: {} }, requestState: { verify: requestState.verify } },
  );
  offer(server, modern.notify);
  return server;
}

/** Stores sent messages, so that a client can resume a stream. */
function eventStore() {
  const events = [];
  return {
    storeEvent: async (stream, message) => String(events.push({ stream, message })),
    getStreamIdForEventId: async (id) => events[Number(id) - 1]?.stream,
    replayEventsAfter: async (id, { send }) => {
      const { stream } = events[Number(id) - 1];
      for (const [index, event] of events.entries())
        if (index >= Number(id) && event.stream === stream) await send(String(index + 1), event.message);
      return stream;
    },
  };
}

const modern = createMcpHandler(make);
const sessions = new Map();

async function legacy(request) {
  const id = request.headers.get("mcp-session-id");
  if (id !== null) return sessions.get(id)?.handleRequest(request) ?? new Response("no such session", { status: 404 });
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    eventStore: eventStore(),
    retryInterval: 100,
    onsessioninitialized: (id) => sessions.set(id, transport),
    onsessionclosed: (id) => sessions.delete(id),
  });
  await make().connect(transport);
  return transport.handleRequest(request);
}

const local = /^(?:http:\/\/)?(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;

await listen(async ({ headers }, res, web) => {
  if (![headers.host, headers.origin ?? "localhost"].every((name) => local.test(name))) return res.writeHead(403).end();
  const request = web();
  await reply(res, await ((await isLegacyRequest(request.clone())) ? legacy(request) : modern.fetch(request)));
});
