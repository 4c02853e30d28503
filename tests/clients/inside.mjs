// The part of a run that happens in the sandbox: starts the model, what the client needs, and the client; ends with the client.
// The sandbox has namespaces of its own for network and processes, so nothing is left when this process ends.
import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, openSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { serveModel } from "./model.mjs";

const plan = JSON.parse(readFileSync(process.argv[2], "utf8"));
const output = openSync(plan.output, "a");

const up = spawnSync("ip", ["link", "set", "lo", "up"], { encoding: "utf8" });
if (up.status !== 0) fail(`loopback cannot be switched on: ${up.error?.message ?? up.stderr}`);
const others = Object.keys(networkInterfaces()).filter((name) => name !== "lo");
if (others.length > 0) fail(`this is not a sandbox: it has the network ${others.join(", ")}`);

await serveModel(plan.calls, plan.port, (line) => appendFileSync(plan.modelLog, `${JSON.stringify(line)}\n`));
for (const helper of plan.helpers) {
  start(helper);
  await listening(helper.port);
}
const ends = [];
for (const program of plan.programs) {
  ends.push(new Promise((resolve) => start(program).on("close", (code, signal) => resolve(code ?? signal))));
  await wait(program.pauseMs ?? 0);
}
const codes = await Promise.all(ends);
console.log(JSON.stringify({ codes }));
process.exit(0);

function start({ command: [program, ...args], cwd, env }) {
  const child = spawn(program, args, { cwd, env, stdio: ["ignore", output, output] });
  child.on("error", (error) => appendFileSync(plan.output, `${program} cannot be started: ${error.message}\n`));
  return child;
}

async function listening(port) {
  for (let tries = 0; tries < 300; tries++) {
    const connected = await new Promise((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
      socket.unref().on("connect", () => socket.destroy());
    });
    if (connected) return;
    await wait(100);
  }
  fail(`nothing listens on port ${port} after 30 seconds`);
}

function fail(why) {
  console.error(why);
  process.exit(2);
}
