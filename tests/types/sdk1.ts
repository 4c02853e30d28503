// Compiled but never run: checks the types that the compiler infers for handlers of SDK 1.x. Every `@ts-expect-error` fails without an error.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { NoProjectError, type Project, projectGate, rootwise } from "rootwise/mcp";
import { z } from "zod";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Equal<A, B>): void => {};

const server = new McpServer({ name: "types", version: "1" });
const projects = rootwise(server, { policy: "recommended", allowedDirs: ["/srv"] });
const text = (text: string) => ({ content: [{ type: "text" as const, text }] });

server.registerTool("plain", { inputSchema: { q: z.string(), n: z.number().optional() } }, async ({ q, n }, extra) => {
  same<typeof q, string>(true);
  same<typeof n, number | undefined>(true);
  const project = await projects.project(extra, { argument: q });
  same<typeof project, Readonly<Project>>(true);
  return text(project.name);
});

server.registerTool("wrapped", { inputSchema: { q: z.string() } }, projects.tool(async (project, { q }, extra) => {
  same<typeof q, string>(true);
  same<typeof project, Readonly<Project>>(true);
  extra.signal.throwIfAborted();
  return text(`${project.displayName} ${q}`);
}));

server.registerTool("bare", {}, projects.tool(async (project) => text(project.id)));

// @ts-expect-error no such argument
server.registerTool("wrong", { inputSchema: { q: z.string() } }, projects.tool(async (_project, { other }) => text(String(other))));

// @ts-expect-error not a tool result
server.registerTool("result", { inputSchema: { q: z.string() } }, projects.tool(async (project) => project.name));

// @ts-expect-error not a context
projects.project({});

// @ts-expect-error not a server
rootwise({});

// @ts-expect-error no such preset
rootwise(server, { policy: "nothing" });

export const code: (error: unknown) => string | undefined = (error) => (error instanceof NoProjectError && error.code === "no_project" ? error.instruction : undefined);
export const gate = projectGate({ header: "X-Workspace-Id", allowedDirs: ["/srv"] });
