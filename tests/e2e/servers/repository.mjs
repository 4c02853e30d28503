// A server that tells the repository of its client's project; its policy is its argument.
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { rootwise } from "rootwise/mcp";
import { z } from "zod";

const text = (value) => ({ content: [{ type: "text", text: JSON.stringify(value) }] });

export function repositoryServer(options) {
  const server = new McpServer({ name: "repository", version: "1" });
  const projects = rootwise(server, options);
  const changes = [];
  projects.onChange((project, previous, { shared }) =>
    changes.push({ from: previous?.path, to: project?.path, shared }),
  );
  server.registerTool("project", { inputSchema: z.object({ target: z.string().optional() }) }, async (args, ctx) => {
    const { path, key, slug, source, repository, package: found } = await projects.project(ctx, args);
    return text({ path, key, slug, source, repository, package: found });
  });
  server.registerTool("changes", {}, async () => text(changes));
  return server;
}

const [, script, policy] = process.argv;
if (script?.endsWith("servers/repository.mjs"))
  await repositoryServer({ policy: JSON.parse(policy ?? "{}") }).connect(new StdioServerTransport());
