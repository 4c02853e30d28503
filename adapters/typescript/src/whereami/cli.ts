#!/usr/bin/env node
import { serveHttp } from "./http.js";
import { load, makeServer, type ServerClass, type WhereServer } from "./server.js";

const help = `rootwise whereami [options]

An MCP server that shows what a client tells its servers, and which project each policy would pick. Add it to your
client's configuration and call its tool \`whereami\`.

  --http [port]   Streamable HTTP on 127.0.0.1 instead of stdio; without a port a free one is taken
  --project path  what a server configured for one project would be started with
  --help          this text

It runs on @modelcontextprotocol/server 2.x or @modelcontextprotocol/sdk 1.x, whichever is installed beside it:
  npx -p rootwise -p @modelcontextprotocol/server rootwise whereami`;

interface Sdk2 {
  McpServer: ServerClass;
}
interface Stdio2 {
  serveStdio(factory: () => WhereServer): unknown;
}

function stop(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}

async function main([command, ...args]: string[]): Promise<void> {
  if (args.includes("--help") || command === "--help" || command === undefined) return void process.stdout.write(`${help}\n`);
  if (command !== "whereami") return stop(`rootwise has no command ${command}.\n\n${help}`);
  const at = args.indexOf("--http");
  if (at >= 0) return serveHttp(Number(args[at + 1]) || 0, stop);

  const second = load<Sdk2>("@modelcontextprotocol/server");
  const stdio = second && load<Stdio2>("@modelcontextprotocol/server/stdio");
  if (second && stdio) return void stdio.serveStdio(() => makeServer(second.McpServer, "SDK 2.x"));
  const first = load<{ McpServer: ServerClass }>("@modelcontextprotocol/sdk/server/mcp.js");
  if (!first) return stop(`No MCP SDK is installed.\n\n${help}`);
  const { StdioServerTransport } = load<{ StdioServerTransport: new () => never }>("@modelcontextprotocol/sdk/server/stdio.js")!;
  await makeServer(first.McpServer, "SDK 1.x").connect(new StdioServerTransport());
}

main(process.argv.slice(2)).catch((error: Error) => stop(error.stack ?? error.message));
