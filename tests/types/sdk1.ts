// Compiled but never run: checks the types that the compiler infers for handlers of SDK 1.x. Every `@ts-expect-error` fails without an error.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { ServerNotification, ServerRequest } from "@modelcontextprotocol/sdk/types.js";
import {
  type CallContext,
  NoProjectError,
  type Project,
  projectGate,
  type Rootwise,
  rootwise,
  type RootwiseOptions,
} from "rootwise/mcp";
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

server.registerTool(
  "wrapped",
  { inputSchema: { q: z.string() } },
  projects.tool(async (project, { q }, extra) => {
    same<typeof q, string>(true);
    same<typeof project, Readonly<Project>>(true);
    extra.signal.throwIfAborted();
    return text(`${project.displayName} ${q}`);
  }),
);

server.registerTool(
  "bare",
  {},
  projects.tool(async (project) => text(project.id)),
);

server.registerTool(
  "context",
  {},
  projects.tool(async (project, context) => {
    same<typeof context, RequestHandlerExtra<ServerRequest, ServerNotification>>(true);
    await context.sendNotification({ method: "notifications/tools/list_changed" });
    const { roots } = await projects.roots(context);
    return text(`${project.id} ${roots.map(({ realPath, problem }) => realPath ?? problem).join(" ")}`);
  }),
);

// Options may be undefined.
projects.registerTools({ which: undefined, switch: false, list: undefined });

server.registerTool("helper", {}, async () => text((await projects.project()).name));

// A prompt without arguments; the SDKs give the type of arguments to its context.
const said = (text: string) => ({ messages: [{ role: "user" as const, content: { type: "text" as const, text } }] });
server.registerPrompt(
  "wrapped",
  {},
  projects.tool(async (project) => said(project.name)),
);
server.registerPrompt(
  "context",
  {},
  projects.tool(async (project, context) => said(`${project.name} ${(await projects.roots(context)).roots.length}`)),
);

// A server in a variable of a wider type, and type arguments that are given.
const wide: Rootwise = rootwise<true>(server);
wide.tool(async (_project, context) => same<typeof context, CallContext>(true));

// A project has a path, and no `!` is needed, unless the server says that it needs none.
export async function paths(context: CallContext): Promise<void> {
  const { path, clientPath, realPath } = await projects.project(context);
  same<typeof path, string>(true);
  same<typeof clientPath, string | undefined>(true);
  same<typeof realPath, string | undefined>(true);
  same<Awaited<ReturnType<typeof projects.select>>["project"]["path"], string>(true);
  same<Project["path"], string>(true);
  const identities = rootwise(server, { requirePath: false });
  const withoutPaths: Rootwise<false> = identities;
  same<Awaited<ReturnType<typeof identities.project>>, Readonly<Project<false>>>(true);
  same<Project<false>["path"], string | undefined>(true);
  identities.onChange((project) => same<typeof project, Readonly<Project<false>> | undefined>(true));
  identities.tool(async (project) => same<typeof project.path, string | undefined>(true));
  const either = rootwise(server, { requirePath: Math.random() > 0.5 });
  same<Awaited<ReturnType<typeof either.project>>["path"], string | undefined>(true);
  const explicit: Rootwise[] = [
    rootwise(server),
    rootwise(server, {}),
    rootwise(server, { requirePath: true }),
    rootwise(server, { requirePath: undefined }),
  ];
  same<Awaited<ReturnType<(typeof explicit)[0]["project"]>>["path"], string>(true);
  const options: RootwiseOptions = { policy: "recommended" };
  const folder: string = (await rootwise(server, options).project(context)).path;
  const needsFolder = (project: Project): string => project.path;
  // @ts-expect-error such a project may have no path
  needsFolder(await identities.project(context));
  return void [withoutPaths, folder, needsFolder(await projects.project(context))];
}

// Options may be undefined, as they are when they come from a configuration.
const configured: { policy?: "recommended"; allowedDirs?: string[]; local?: boolean } = {};
rootwise(server, {
  policy: configured.policy,
  allowedDirs: configured.allowedDirs,
  log: undefined,
  host: { local: configured.local, cwd: undefined },
  beforeCall: undefined,
});
projectGate({
  header: undefined,
  query: "project",
  allowedDirs: configured.allowedDirs,
  required: undefined,
  host: undefined,
});

projects.onChange((project, previous) => {
  same<typeof project, Readonly<Project> | undefined>(true);
  same<typeof previous, Readonly<Project> | undefined>(true);
});
projects.onRootsChange(({ roots }, previous) => void [roots.length, previous?.state]);

export async function choose(context: CallContext): Promise<void> {
  await projects.select(context, "/srv/a");
  for (const by of [{ name: "a" }, { path: "/srv/a" }, { uri: "file:///srv/a" }, { root: "a" }])
    await projects.select(context, by);
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

const wrongArgument = projects.tool(async (_project, { other }: { other: string }, _context: CallContext) =>
  text(other),
);
// @ts-expect-error there is no such argument
server.registerTool("wrong", { inputSchema: { q: z.string() } }, wrongArgument);

const wrongResult = projects.tool(async (project, _given: { q: string }, _context: CallContext) => project.name);
// @ts-expect-error not a tool result
server.registerTool("result", { inputSchema: { q: z.string() } }, wrongResult);

// @ts-expect-error not a context
projects.project({ q: "arguments" });

// @ts-expect-error not a server
rootwise({});

// @ts-expect-error no such preset
rootwise(server, { policy: "nothing" });

export const code: (error: unknown) => string | undefined = (error) =>
  error instanceof NoProjectError && error.code === "no_project" ? error.instruction : undefined;
export const gate = projectGate({ header: "X-Workspace-Id", allowedDirs: ["/srv"] });

rootwise(server, {
  caller: ({ authInfo }) => authInfo?.clientId,
  allowedDirs: ({ authInfo }) => [`/srv/${authInfo?.clientId}`],
});
// @ts-expect-error: a name is a text
rootwise(server, { caller: () => 7 });
