// node benches/mcp.mjs: what a tool call that already has its project costs, against the same call without Rootwise, over
// the in-memory transports of both SDKs. The two are measured in turns, so that what else the machine does hits both;
// processor time is counted, because that other work would be in the time on the wall.
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as Memory1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as Server1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { Client as Client2 } from "@modelcontextprotocol/client";
import { InMemoryTransport as Memory2, McpServer as Server2 } from "@modelcontextprotocol/server";
import { backend } from "rootwise";
import { rootwise } from "rootwise/mcp";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "60" }, calls: { type: "string", default: "300" } } });
const [rounds, calls] = [Number(values.rounds), Number(values.calls)];
const text = (text) => ({ content: [{ type: "text", text }] });
const roots = async () => ({ roots: [{ uri: "file:///usr/share" }] });

async function pair(Server, Client, Memory, method) {
  const server = new Server({ name: "bench", version: "1" });
  server.registerTool("bare", {}, async () => text("share"));
  const projects = rootwise(server);
  server.registerTool("with", {}, async (ctx) => text((await projects.project(ctx)).name));
  const client = new Client({ name: "bench", version: "1" }, { capabilities: { roots: {} } });
  client.setRequestHandler(method, roots);
  const [one, other] = Memory.createLinkedPair();
  await Promise.all([server.connect(one), client.connect(other)]);
  return client;
}

async function time(client, name) {
  const began = process.cpuUsage();
  for (let call = 0; call < calls; call += 1) await client.callTool({ name, arguments: {} });
  const { user, system } = process.cpuUsage(began);
  return (user + system) / calls;
}

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

console.log(`face ${backend.face}, ${rounds} rounds of ${calls} calls, medians of processor time in µs`);
for (const [name, client] of [
  ["SDK 1.x", await pair(Server1, Client1, Memory1, ListRootsRequestSchema)],
  ["SDK 2.x", await pair(Server2, Client2, Memory2, "roots/list")],
]) {
  // The first call has the disk looked at, and this transport leaves no room for that: it never lets go of the thread.
  await client.callTool({ name: "with", arguments: {} });
  await setTimeout(200);
  for (let warm = 0; warm < 5; warm += 1) for (const tool of ["bare", "with"]) await time(client, tool);
  const [bare, having, ratios] = [[], [], []];
  for (let round = 0; round < rounds; round += 1) {
    // Whoever goes first in a round is at a disadvantage, so they take turns.
    const order = round % 2 === 0 ? ["bare", "with"] : ["with", "bare"];
    const took = {};
    for (const tool of order) took[tool] = await time(client, tool);
    bare.push(took.bare);
    having.push(took.with);
    ratios.push(took.with / took.bare);
  }
  console.log(`${name}: bare ${median(bare).toFixed(1)}, with its project ${median(having).toFixed(1)}, ratio ${median(ratios).toFixed(3)}`);
  await client.close();
}
