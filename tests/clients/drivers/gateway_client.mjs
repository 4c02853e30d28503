// A client with one root that reaches a server through a gateway: gateway_client.mjs TRANSPORT TARGET ROOT TOOL FILE.
// It stays connected for a few seconds, in which another client may come; the file gets the last result.
import { appendFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const [transport, target, root, tool, file] = process.argv.slice(2);
const transports = {
  http: () => new StreamableHTTPClientTransport(new URL(target)),
  sse: () => new SSEClientTransport(new URL(target)),
  stdio: () =>
    new StdioClientTransport({ command: "/bin/sh", args: ["-c", target], env: process.env, stderr: "inherit" }),
};
const client = new Client({ name: "gateway-client", version: "1.0.0" }, { capabilities: { roots: {} } });
client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: pathToFileURL(root).href }] }));
await client.connect(transports[transport]());
let result;
for (let calls = 0; calls < 4; calls++) {
  result = await client
    .callTool({ name: tool, arguments: {} })
    .catch((error) => ({ isError: true, text: error.message }));
  await wait(1500);
}
const text = result.text ?? result.content.map((part) => part.text).join("\n");
appendFileSync(file, `${JSON.stringify({ root, text, isError: result.isError === true })}\n`);
await client.close();
