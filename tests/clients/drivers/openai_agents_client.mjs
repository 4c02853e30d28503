// Calls a tool with @openai/agents: openai_agents_client.mjs MODULES SERVER TOOL.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, command, tool] = process.argv.slice(2);
const installed = createRequire(join(modules, "driver.js"));
const { MCPServerStdio } = await import(pathToFileURL(installed.resolve("@openai/agents")).href);
const server = new MCPServerStdio({ name: "notes", command });
await server.connect();
await server.listTools();
console.log(JSON.stringify(await server.callTool(tool, {})));
await server.close();
