// Starts the test server that is written in Rust, on rmcp, in place of this process.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { targetFolder } from "../../../scripts/tools.mjs";

// Before the server starts: on a busy machine a test may have used it already when this process goes on.
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => server.kill(signal));
const server = spawn(join(targetFolder(), "debug", "examples", "offer"), process.argv.slice(2), { stdio: "inherit" });
server.on("error", (error) => {
  process.stderr.write(`${error.message}; build it with: cargo build -p rootwise-rmcp --example offer\n`);
  process.exitCode = 1;
});
server.on("exit", (code) => process.exit(code ?? 0));
