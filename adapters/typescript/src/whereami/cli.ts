#!/usr/bin/env node
import { serveHttp } from "./http.js";
import { serveStdio } from "./sdk.js";
import { makeServer } from "./server.js";

const help = `rootwise whereami [options]

An MCP server that shows what a client tells its servers, and which project each policy would pick. Add it to your
client's configuration and call its tool \`whereami\`.

  --http [port]   Streamable HTTP on 127.0.0.1 instead of stdio; without a port a free one is taken
  --project path  what a server configured for one project would be started with
  --help          this text`;

function stop(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}

const [command, ...args] = process.argv.slice(2);
const at = args.indexOf("--http");
if (args.includes("--help") || command === "--help" || command === undefined) process.stdout.write(`${help}\n`);
else if (command !== "whereami") stop(`rootwise has no command ${command}.\n\n${help}`);
else if (at >= 0) serveHttp(Number(args[at + 1]) || 0, stop);
else serveStdio(makeServer);
