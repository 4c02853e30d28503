// The MCP server, on whichever SDK is installed. Both are loaded by name at run time, so neither is a dependency.
import { createRequire } from "node:module";
import { join } from "node:path";
import { version } from "../generated/version.js";
import { rootwise, type AnyServer, type CallContext } from "../mcp/index.js";
import { rendered, report, type Seen } from "./report.js";

type Handler = (context: CallContext) => Promise<object>;
export interface WhereServer extends AnyServer {
  registerTool(name: string, config: object, handler: Handler): unknown;
  server: { getClientCapabilities(): unknown; getClientVersion(): unknown; getNegotiatedProtocolVersion?(): string | undefined };
}
export type ServerClass = new (info: { name: string; version: string }, options?: object) => WhereServer;

/** Loads a module of an SDK: as this package sees it, else as the folder it was started in does. */
export function load<T>(name: string): T | undefined {
  for (const from of [require, createRequire(join(process.cwd(), "package.json"))]) {
    try {
      return from(name) as T;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "MODULE_NOT_FOUND" && code !== "ERR_PACKAGE_PATH_NOT_EXPORTED") throw error;
    }
  }
  return undefined;
}

/** What a call tells about its client, in the words of either generation. */
interface Context {
  readonly sessionId?: string;
  readonly _meta?: Record<string, unknown>;
  readonly requestInfo?: { headers?: Record<string, string | string[] | undefined>; url?: URL };
  readonly mcpReq?: { _meta?: Record<string, unknown>; envelope?: Record<string, unknown> };
  readonly http?: { req?: Request };
}

const META = "io.modelcontextprotocol/";

export function makeServer(McpServer: ServerClass, sdk: string): WhereServer {
  const server = new McpServer({ name: "rootwise-whereami", version });
  const projects = rootwise(server);
  let initialized: string | undefined;
  // Only SDK 2.x tells the version; what the client asked for is the next best thing.
  const connect = server.connect;
  server.connect = (transport: never) => {
    const channel = transport as { onmessage?: (message: { method?: string; params?: { protocolVersion?: string } }, extra?: unknown) => void };
    const { onmessage } = channel;
    channel.onmessage = (message, extra) => {
      if (message.method === "initialize") initialized = message.params?.protocolVersion;
      onmessage?.(message, extra);
    };
    return connect.call(server, transport);
  };
  const description = "Shows what this client tells its servers: capabilities, roots, environment, working directory, and which project each policy would pick and why.";
  server.registerTool("whereami", { title: "Where am I?", description, annotations: { readOnlyHint: true } }, async (context) => {
    const began = performance.now();
    const roots = await projects.roots(context);
    const waitedMs = Math.round(performance.now() - began);
    const full = await report({ ...seen(context as Context, server, initialized), roots, waitedMs, sdk });
    return { content: [{ type: "text", text: rendered(full) }], structuredContent: JSON.parse(JSON.stringify(full)) as object };
  });
  projects.registerTools();
  return server;
}

function seen(context: Context, { server }: WhereServer, initialized: string | undefined): Omit<Seen, "roots" | "waitedMs" | "sdk"> {
  const envelope = context.mcpReq?.envelope;
  const protocol = (envelope?.[`${META}protocolVersion`] as string | undefined) ?? server.getNegotiatedProtocolVersion?.() ?? initialized;
  const modern = protocol !== undefined && protocol >= "2026-07-28";
  const web = context.http?.req;
  const node = context.requestInfo;
  return {
    client: (modern ? envelope?.[`${META}clientInfo`] : undefined) ?? server.getClientVersion(),
    capabilities: (modern ? envelope?.[`${META}clientCapabilities`] : undefined) ?? server.getClientCapabilities(),
    protocol,
    era: modern ? "modern" : "legacy",
    transport: web || node ? "http" : "stdio",
    meta: context.mcpReq?._meta ?? context._meta,
    headers: web ? named([...web.headers]) : named(Object.entries(node?.headers ?? {}).map(([name, value]) => [name, String(value)])),
    query: named([...((web ? new URL(web.url) : node?.url)?.searchParams ?? [])]),
  };
}

/** Only headers and parameters a preset reads keep their value; others may be anybody's secret. */
const telling = /project|workspace/i;
const named = (entries: [string, string][]) => Object.fromEntries(entries.filter(([name]) => telling.test(name)));
