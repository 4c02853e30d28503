// Calls a tool with @ai-sdk/mcp: ai_sdk_client.mjs MODULES SERVER TOOL.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, command, tool] = process.argv.slice(2);
const installed = createRequire(join(modules, "driver.js"));
const load = (name) => import(pathToFileURL(installed.resolve(name)).href);

const { createMCPClient } = await load("@ai-sdk/mcp");
const { Experimental_StdioMCPTransport: Stdio } = await load("@ai-sdk/mcp/mcp-stdio");
const client = await createMCPClient({ transport: new Stdio({ command }) });
const tools = await client.tools();
console.log(JSON.stringify(await tools[tool].execute({}, { messages: [], toolCallId: "1" })));
await client.close();
