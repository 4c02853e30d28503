// node sdk1.mjs [folder ...]: the server on @modelcontextprotocol/sdk 1.x, over stdio.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { filesystem } from "./filesystem.mjs";

const server = new McpServer({ name: "filesystem", version: "1.0.0" });
filesystem(server, { folders: process.argv.slice(2) });
await server.connect(new StdioServerTransport());
