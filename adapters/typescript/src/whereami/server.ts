import { version } from "../generated/version.js";
import { rootwise } from "../mcp/index.js";
import { rendered, report, type Seen } from "./report.js";
import { McpServer, type ServerContext } from "./sdk.js";

const META = "io.modelcontextprotocol/";

export function makeServer(): McpServer {
  const server = new McpServer({ name: "rootwise-whereami", version });
  // Also over HTTP, which is served on loopback only.
  const projects = rootwise(server, { host: { local: true } });
  const description =
    "Shows what this client tells its servers: capabilities, roots, environment, working directory, and which project each policy would pick and why.";
  server.registerTool(
    "whereami",
    { title: "Where am I?", description, annotations: { readOnlyHint: true } },
    async (context) => {
      const began = performance.now();
      const roots = await projects.roots(context);
      const waitedMs = Math.round(performance.now() - began);
      const full = await report({ ...seen(context, server), roots, waitedMs });
      const text = rendered(full);
      // Some clients show only the structured content: there it begins with the same report, by lines, which are legible as JSON too.
      const structuredContent = JSON.parse(JSON.stringify({ report: text.split("\n"), ...full }));
      return { content: [{ type: "text", text }], structuredContent };
    },
  );
  projects.registerTools();
  return server;
}

/** Facts about the client of a call; a modern call carries them itself. */
function seen({ mcpReq, http }: ServerContext, { server }: McpServer): Omit<Seen, "roots" | "waitedMs"> {
  const envelope = mcpReq.envelope as Record<string, unknown> | undefined;
  const protocol =
    (envelope?.[`${META}protocolVersion`] as string | undefined) ?? server.getNegotiatedProtocolVersion();
  const modern = protocol !== undefined && protocol >= "2026-07-28";
  const request = http?.req;
  return {
    client: (modern ? envelope?.[`${META}clientInfo`] : undefined) ?? server.getClientVersion(),
    capabilities: (modern ? envelope?.[`${META}clientCapabilities`] : undefined) ?? server.getClientCapabilities(),
    protocol,
    era: modern ? "modern" : "legacy",
    transport: request ? "http" : "stdio",
    meta: mcpReq._meta,
    headers: named([...(request?.headers ?? [])]),
    query: named([...(request ? new URL(request.url).searchParams : [])]),
  };
}

/** Only headers and parameters about projects keep their value; others may be secrets. */
const telling = /project|workspace/i;
const named = (entries: [string, string][]) => Object.fromEntries(entries.filter(([name]) => telling.test(name)));
