#!/usr/bin/env node
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { findProgram } from "./program.js";
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

/** Starts the program of this platform with the same command line; it reads and writes the same streams. */
function start(program: string): void {
  const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => stop(`rootwise cannot start ${program}: ${error.message}`));
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + (signal ? constants.signals[signal] : 0);
  });
}

const [command, ...args] = process.argv.slice(2);
const at = args.indexOf("--http");
const program = findProgram();
// Only this server speaks HTTP.
if (command === "whereami" && at >= 0) {
  if (args.includes("--help")) process.stdout.write(`${help}\n`);
  else serveHttp(Number(args[at + 1]) || 0, stop);
} else if (typeof program === "string") start(program);
else if (args.includes("--help") || command === "--help" || command === "-h" || command === undefined)
  process.stdout.write(`${help}\n\n${program.missing}\n`);
else if (command === "whereami") serveStdio(makeServer);
else stop(`rootwise cannot run ${command}: ${program.missing}`);
