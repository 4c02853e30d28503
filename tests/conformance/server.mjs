// The server the conformance suite talks to: its tool answers with the project Rootwise found.
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { rootwise } from "rootwise/mcp";
import { listen, reply } from "../e2e/servers/offer.mjs";

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: "conformance", version: "1.0.0" });
  const projects = rootwise(server);
  const description = "Names the client's project";
  server.registerTool("test_input_required_result_list_roots", { description }, async (ctx) => {
    const { roots } = await projects.roots(ctx);
    return { content: [{ type: "text", text: roots.map(({ uri }) => uri).join("\n") }] };
  });
  return server;
});

await listen(async (_req, res, web) => reply(res, await handler.fetch(web())));
