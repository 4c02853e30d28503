// The three lines of the README in a server on SDK 1.x.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { rootwise } from "rootwise/mcp"; // 1

const server = new McpServer({ name: "notes", version: "1.0.0" });
const projects = rootwise(server); // 2

server.registerTool("where", { inputSchema: {} }, async (_arguments, context) => {
  const project = await projects.project(context); // 3
  return { content: [{ type: "text", text: `${project.name} is at ${project.path}` }] };
});
await server.connect(new StdioServerTransport());
