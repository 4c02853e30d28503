#!/usr/bin/env node
// `npx rootwise`: the program in Rust, with the same command line and the same streams.
import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import { findPrograms } from "./find.js";

function stop(message: string): void {
  process.stderr.write(`rootwise: ${message}\n`);
  process.exitCode = 1;
}

let child: ChildProcess | undefined;

function start(program: string, others: readonly string[]): void {
  // The program names the command that its users type: what npx installs is on nobody's PATH.
  const launcher = process.env.npm_command === "exec" ? { ROOTWISE_LAUNCHER: "npx -y rootwise" } : {};
  child = spawn(program, process.argv.slice(2), { stdio: "inherit", env: { ...process.env, ...launcher } });
  child.on("error", (error) => {
    const [next, ...rest] = others;
    // Some versions of npm install the programs of both C libraries; the wrong one cannot be started.
    if (next) start(next, rest);
    else stop(`cannot start ${program}: ${error.message}`);
  });
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + (signal ? constants.signals[signal] : 0);
  });
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
for (const signal of signals) process.on(signal, () => child?.kill(signal));

const found = findPrograms();
if (Array.isArray(found)) start(found[0], found.slice(1));
else stop(found.missing);
