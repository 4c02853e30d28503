// A server on @modelcontextprotocol/sdk 1.x: stdio, or --http with sessions, or --http --stateless, or --http --json.
import { randomUUID } from "node:crypto";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";
import { listen, offer } from "./offer.mjs";

const has = (flag) => process.argv.includes(flag);

function make() {
  const server = new McpServer({ name: "e2e-1", version: "1.0.0" });
  offer(server, { z, shape: (shape) => shape, generation: 1 });
  return server;
}

if (!has("--http")) {
  await make().connect(new StdioServerTransport());
} else {
  const sessions = new Map();
  const open = async () => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: has("--stateless") ? undefined : randomUUID,
      enableJsonResponse: has("--json"),
      onsessioninitialized: (id) => sessions.set(id, transport),
      onsessionclosed: (id) => sessions.delete(id),
    });
    await make().connect(transport);
    return transport;
  };
  await listen(async (req, res) => {
    if (req.method === "GET") return res.writeHead(405).end();
    const transport = sessions.get(req.headers["mcp-session-id"]) ?? (await open());
    await transport.handleRequest(req, res);
  });
}
