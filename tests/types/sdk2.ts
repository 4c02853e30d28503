// Compiled but never run: checks the types that the compiler infers for handlers of SDK 2.x. Every `@ts-expect-error` fails without an error.
import { McpServer } from "@modelcontextprotocol/server";
import { type CallContext, NoProjectError, type Project, projectGate, rootwise } from "rootwise/mcp";
import { z } from "zod";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Equal<A, B>): void => {};

const server = new McpServer({ name: "types", version: "1" });
const projects = rootwise(server, { policy: "recommended", allowedDirs: ["/srv"] });
const text = (text: string) => ({ content: [{ type: "text" as const, text }] });

server.registerTool("plain", { inputSchema: z.object({ q: z.string(), n: z.number().optional() }) }, async ({ q, n }, ctx) => {
  same<typeof q, string>(true);
  same<typeof n, number | undefined>(true);
  const project = await projects.project(ctx, { argument: q });
  same<typeof project, Readonly<Project>>(true);
  return text(project.name);
});

server.registerTool("wrapped", { inputSchema: z.object({ q: z.string() }) }, projects.tool(async (project, { q }, ctx) => {
  same<typeof q, string>(true);
  same<typeof project, Readonly<Project>>(true);
  ctx.mcpReq.signal.throwIfAborted();
  return text(`${project.displayName} ${q}`);
}));

server.registerTool("bare", {}, projects.tool(async (project) => text(project.id)));

server.registerTool("context", {}, projects.tool(async (project, context) => {
  same<typeof context, CallContext>(true);
  const { roots } = await projects.roots(context);
  return text(`${project.id} ${roots.map(({ realPath, problem }) => realPath ?? problem).join(" ")}`);
}));

server.registerTool("helper", {}, async () => text((await projects.project()).name));

// Options may be undefined, as they are when they come from a configuration.
const configured: { policy?: "recommended"; allowedDirs?: string[]; local?: boolean } = {};
rootwise(server, { policy: configured.policy, allowedDirs: configured.allowedDirs, log: undefined, host: { local: configured.local, cwd: undefined }, beforeCall: undefined });
projectGate({ header: undefined, query: "project", allowedDirs: configured.allowedDirs, required: undefined, host: undefined });

projects.onChange((project, previous) => {
  same<typeof project, Readonly<Project> | undefined>(true);
  same<typeof previous, Readonly<Project> | undefined>(true);
});
projects.onRootsChange(({ roots }, previous) => void [roots.length, previous?.state]);

export async function choose(context: CallContext): Promise<void> {
  await projects.select(context, "/srv/a");
  for (const by of [{ name: "a" }, { path: "/srv/a" }, { uri: "file:///srv/a" }, { root: "a" }]) await projects.select(context, by);
  // @ts-expect-error no such way to name a project
  await projects.select(context, { folder: "/srv/a" });
  const { text } = await projects.explain(context);
  same<typeof text, string>(true);
  const safe = await projects.resolve(context, "a.txt");
  same<typeof safe, string>(true);
  const current = projects.current(context);
  same<typeof current, Readonly<Project> | undefined>(true);
}

// @ts-expect-error no such option
rootwise(server, { allowed: ["/srv"] });

// @ts-expect-error there is no such argument
server.registerTool("wrong", { inputSchema: z.object({ q: z.string() }) }, projects.tool(async (_project, { other }) => text(String(other))));

// @ts-expect-error not a tool result
server.registerTool("result", { inputSchema: z.object({ q: z.string() }) }, projects.tool(async (project) => project.name));

// @ts-expect-error not a context
projects.project({});

// @ts-expect-error not a server
rootwise({});

// @ts-expect-error no such preset
rootwise(server, { policy: "nothing" });

export const code: (error: unknown) => string | undefined = (error) => (error instanceof NoProjectError && error.code === "no_project" ? error.instruction : undefined);
export const gate = projectGate({ header: "X-Workspace-Id", allowedDirs: ["/srv"] });
