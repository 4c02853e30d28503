// A server on @modelcontextprotocol/server 2.x, both eras: stdio, or --http with sessions for legacy clients, or --http
// --stateless, with one server per request.
import { randomUUID } from "node:crypto";
import {
  createMcpHandler,
  isLegacyRequest,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { listen, offer, reply } from "./offer.mjs";

const has = (flag) => process.argv.includes(flag);

function make() {
  const server = new McpServer({ name: "e2e-2", version: "1.0.0" });
  offer(server, { z, shape: (shape) => z.object(shape), generation: 2 });
  return server;
}

if (!has("--http")) {
  serveStdio(make);
} else {
  const handler = createMcpHandler(make);
  const sessions = new Map();
  const legacy = async (request) => {
    let transport = sessions.get(request.headers.get("mcp-session-id"));
    if (!transport) {
      transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        enableJsonResponse: has("--json"),
        onsessioninitialized: (id) => sessions.set(id, transport),
        onsessionclosed: (id) => sessions.delete(id),
      });
      await make().connect(transport);
    }
    return transport.handleRequest(request);
  };
  await listen(async (req, res, web) => {
    if (req.method === "GET") return res.writeHead(405).end();
    const request = web();
    const sessionful = !has("--stateless") && (await isLegacyRequest(request.clone()));
    await reply(res, sessionful ? await legacy(request) : await handler.fetch(request));
  });
}
