// A server whose tool shows its user a form, to see what a client does where nobody can fill it in.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new McpServer({ name: "notes", version: "1.0.0" });
const requestedSchema = {
  type: "object",
  properties: { project: { type: "string", title: "Project", enum: ["alpha", "beta"] } },
  required: ["project"],
};

server.registerTool("where", { inputSchema: {} }, async () => {
  const { action } = await server.server.elicitInput({ mode: "form", message: "Which project?", requestedSchema });
  return { content: [{ type: "text", text: action }] };
});
await server.connect(new StdioServerTransport());
