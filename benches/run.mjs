// node benches/run.mjs: measures what `rootwise run` costs: calls to a server alone and behind it, in turns, and its memory over many calls.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { targetFolder } from "../scripts/tools.mjs";

const HELP = `node benches/run.mjs [options] [-- SERVER ARGUMENTS]

Prints the median time of a call to a server alone and behind \`rootwise run\`, measured in turns, and the memory of the program while
it passes many calls. Build first: cargo build --release -p rootwise-cli --bin rootwise --example scripted.

  --tool NAME   the tool to call; by default one of the tests' own server, which answers at once
  --args JSON   its arguments; {path} is the folder that the server is given
  --calls N     calls that are measured on each side (3000)
  --long N      calls of the long run (1000000); 0 leaves it out
  --help        this text`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tool: { type: "string", default: "other" },
    args: { type: "string", default: "{}" },
    calls: { type: "string", default: "3000" },
    long: { type: "string", default: "1000000" },
    help: { type: "boolean" },
  },
});
const release = join(targetFolder(), "release");
const program = join(release, "rootwise");
if (values.help || !existsSync(program)) {
  console.log(HELP);
  process.exit(values.help ? 0 : 1);
}

const folder = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-bench-")));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
mkdirSync(join(folder, ".git"));
const filled = (text) => text.replaceAll("{path}", folder);
const server = positionals.length > 0 ? positionals : [join(release, "examples", "scripted")];
const call = { name: values.tool, arguments: JSON.parse(filled(values.args)) };

/** A client of a command; `ask` resolves with the answer. */
async function connect([command, ...args]) {
  const child = spawn(command, args, { cwd: folder, stdio: ["pipe", "pipe", "ignore"] });
  const waiting = new Map();
  let last = 0;
  createInterface(child.stdout).on("line", (line) => {
    const message = JSON.parse(line);
    if (message.method) return;
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  });
  const write = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const ask = (method, params) =>
    new Promise((done) => {
      last += 1;
      waiting.set(last, done);
      write({ id: last, method, params });
    });
  const clientInfo = { name: "bench", version: "1" };
  await ask("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  write({ method: "notifications/initialized" });
  return { child, ask };
}

const median = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)];

const sides = [await connect(server.map(filled)), await connect([program, "run", "--", ...server])];
const times = [[], []];
const calls = Number(values.calls);
for (let round = 0; round < calls * 1.2; round++) {
  for (const [side, { ask }] of sides.entries()) {
    const began = process.hrtime.bigint();
    const { error, result } = await ask("tools/call", call);
    if (error || result.isError) throw new Error(JSON.stringify(error ?? result));
    // The first ones warm up.
    if (round >= calls * 0.2) times[side].push(Number(process.hrtime.bigint() - began) / 1000);
  }
}
const [alone, behind] = times.map(median);
console.log(
  `a call: ${alone.toFixed(1)} µs alone, ${behind.toFixed(1)} µs behind rootwise run, ${(behind - alone).toFixed(1)} µs more (${((behind / alone - 1) * 100).toFixed(1)} %)`,
);

const [, { child, ask }] = sides;
const long = Number(values.long);
const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))[1]);
if (long > 0 && process.platform === "linux") {
  const seen = [];
  let sent = 0;
  const began = performance.now();
  // As many in flight as a busy client has.
  const lane = async () => {
    while (sent < long) {
      sent += 1;
      if (sent % Math.ceil(long / 10) === 0) seen.push(memory());
      await ask("tools/call", call);
    }
  };
  await Promise.all(Array.from({ length: 64 }, lane));
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`${long} calls, 64 in flight: ${seconds} s; memory in KiB on the way: ${seen.join(", ")}`);
}
for (const { child } of sides) child.stdin.end();
