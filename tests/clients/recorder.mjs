// Stands between a client and its server on stdio, passes everything on and writes it into a file, one JSON line each.
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

/** Starts the server in place of this process; the file gets working directory and environment first, then the messages. */
export function record(file, [program, ...args]) {
  const write = (line) => appendFileSync(file, `${JSON.stringify({ process: process.pid, ...line })}\n`);
  write({ cwd: process.cwd(), env: { ...process.env } });
  const server = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const listen = (from, input) =>
    createInterface({ input }).on("line", (line) => {
      try {
        write({ from, message: JSON.parse(line) });
      } catch {
        write({ from, text: line });
      }
    });
  listen("client", process.stdin);
  listen("server", server.stdout);
  process.stdin.pipe(server.stdin);
  server.stdout.pipe(process.stdout);
  // A client that closes the pipe first has heard enough.
  for (const pipe of [server.stdin, process.stdout]) pipe.on("error", () => {});
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => server.kill(signal));
  server.on("exit", (code) => process.exit(code ?? 1));
}
