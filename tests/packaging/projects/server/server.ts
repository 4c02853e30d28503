// A server as users bundle it. Its tool says which project it works in and what it runs on.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { backend, projectKey } from "rootwise";
import { type CallContext, rootwise } from "rootwise/mcp";

const server = new McpServer({ name: "bundled", version: "1.0.0" });
const projects = rootwise(server);
server.registerTool("where", {}, async (ctx: CallContext) => {
  const { path } = await projects.project(ctx);
  return {
    content: [
      {
        type: "text",
        text: JSON.stringify({ path, backend: backend.kind, key: projectKey("file:///p/one", "posix") }),
      },
    ],
  };
});
projects.registerTools();
server.connect(new StdioServerTransport());
