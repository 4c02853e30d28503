// The tools, prompts and resources of every test server, for both SDKs.
import { rootwise } from "rootwise/mcp";

const text = (value) => ({
  content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }],
});
const shown = (project) =>
  project && { name: project.name, path: project.path, source: project.source, via: project.via };

/** Registers everything; `shape` makes the generation's input schema from a zod shape. */
export function offer(server, { z, shape, generation }) {
  const options = settings();
  // SDK 1.x refuses the option `argument` if there are tools already.
  if (!options.argument) server.registerTool("early", {}, async (ctx) => text(shown(await projects.project(ctx))));
  const projects = rootwise(server, options);
  const changes = [];
  projects.onChange((project, previous, { shared }) =>
    changes.push([previous?.path ?? null, project?.path ?? null, ...(shared ? [shared] : [])]),
  );

  server.registerTool("where", {}, async (ctx) => text(shown(await projects.project(ctx))));
  server.registerTool(
    "wrapped",
    { inputSchema: shape({ q: z.string() }) },
    projects.tool(async (project, { q }) => text({ ...shown(project), q })),
  );
  server.registerTool("named", { inputSchema: shape({ project: z.string() }) }, async ({ project }, ctx) =>
    text(shown(await projects.project(ctx, { argument: project }))),
  );
  server.registerTool(
    "by_argument",
    { inputSchema: shape({ project_path: z.string().optional() }) },
    async (_args, ctx) => text(shown(await projects.project(ctx))),
  );
  server.registerTool("target", { inputSchema: shape({ path: z.string() }) }, async ({ path }, ctx) =>
    text(shown(await projects.project(ctx, { target: path }))),
  );
  server.registerTool("file", { inputSchema: shape({ path: z.string() }) }, async ({ path }, ctx) =>
    text(await projects.resolveFile(ctx, path)),
  );
  server.registerTool("repository", { inputSchema: shape({ path: z.string() }) }, async ({ path: target }, ctx) => {
    const { path, key, slug, repository, package: found } = await projects.project(ctx, { target });
    return text({ path, key, slug, repository, package: found });
  });
  server.registerTool("swallow", {}, async (ctx) => {
    try {
      return text(shown(await projects.project(ctx)));
    } catch (error) {
      return text(`swallowed ${error.name}`);
    }
  });
  server.registerTool("current", {}, async (ctx) => text(shown(projects.current(ctx)) ?? "none"));
  server.registerTool("roots", {}, async (ctx) => text(await projects.roots(ctx)));
  server.registerTool("changes", {}, async () => text(changes));
  server.registerTool("counts", {}, async () => text({ rejections, listeners: process.listenerCount("exit") }));
  server.registerPrompt("brief", {}, async (ctx) => ({
    messages: [{ role: "user", content: { type: "text", text: (await projects.project(ctx)).name } }],
  }));
  server.registerResource("info", "project://info", {}, async (uri, ctx) => ({
    contents: [{ uri: uri.href, text: (await projects.project(ctx)).name }],
  }));
  if (generation === 2) {
    server.registerTool("rounds", {}, async (ctx) => {
      const project = await projects.project(ctx);
      const answer = ctx.mcpReq.inputResponses?.own;
      if (answer) return text(`${project.name} ${answer.content?.word}`);
      const requestedSchema = { type: "object", properties: { word: { type: "string" } }, required: ["word"] };
      const own = { method: "elicitation/create", params: { mode: "form", message: "A word?", requestedSchema } };
      return { resultType: "input_required", inputRequests: { own } };
    });
  }
  projects.registerTools(process.env.E2E_TOOLS ? JSON.parse(process.env.E2E_TOOLS) : {});
  return projects;
}

function settings() {
  const { policy, ...rest } = JSON.parse(process.env.E2E_OPTIONS ?? "{}");
  return policy ? { ...rest, policy } : rest;
}

let rejections = 0;
process.on("unhandledRejection", (error) => {
  rejections += 1;
  process.stderr.write(`unhandled rejection: ${error?.stack ?? error}\n`);
});

/** Serves web-style handlers over Node's HTTP on loopback and says where. */
export async function listen(handle) {
  const { createServer } = await import("node:http");
  const { Readable } = await import("node:stream");
  const server = createServer(async (req, res) => {
    try {
      await handle(req, res, () => {
        const body = req.method === "GET" || req.method === "HEAD" ? undefined : Readable.toWeb(req);
        return new Request(`http://${req.headers.host}${req.url}`, {
          method: req.method,
          headers: req.headers,
          body,
          duplex: "half",
        });
      });
    } catch (error) {
      process.stderr.write(`${error.stack}\n`);
      if (!res.headersSent) res.writeHead(500);
      res.end();
    }
  });
  server.listen(0, "127.0.0.1", () => process.stdout.write(`http://127.0.0.1:${server.address().port}/mcp\n`));
}

/** Writes a web response to Node's; a client that disconnects cancels it. */
export async function reply(res, response) {
  res.writeHead(response.status, Object.fromEntries(response.headers));
  res.flushHeaders();
  const reader = response.body?.getReader();
  res.once("close", () => reader?.cancel().catch(() => {}));
  for (let part = await reader?.read(); part && !part.done; part = await reader.read()) res.write(part.value);
  res.end();
}
