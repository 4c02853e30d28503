#!/usr/bin/env node
// `npx rootwise`: the program in Rust, with the same command line and the same streams.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { findProgram } from "./find.js";

function stop(message: string): void {
  process.stderr.write(`rootwise: ${message}\n`);
  process.exitCode = 1;
}

function start(program: string): void {
  const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => stop(`cannot start ${program}: ${error.message}`));
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + (signal ? constants.signals[signal] : 0);
  });
}

const program = findProgram();
if (typeof program === "string") start(program);
else stop(program.missing);
