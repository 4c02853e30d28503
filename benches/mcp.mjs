// node benches/mcp.mjs: compares the cost of a tool call whose project is known with the same call to a server without
// Rootwise, over the in-memory transports of both SDKs. All servers are measured in turns in one run. The figures are processor time,
// because elapsed time would include other work of the machine. A second server without Rootwise shows the difference
// between two equal servers.
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Client as Client2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as Memory1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as Server1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { InMemoryTransport as Memory2, McpServer as Server2 } from "@modelcontextprotocol/server";
import { backend } from "rootwise";
import { rootwise } from "rootwise/mcp";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "500" }, calls: { type: "string", default: "100" } } });
const [rounds, calls] = [Number(values.rounds), Number(values.calls)];
const text = (text) => ({ content: [{ type: "text", text }] });

async function connected({ Server, Client, Memory, method }, withProject) {
  const server = new Server({ name: "bench", version: "1" });
  const projects = withProject ? rootwise(server) : undefined;
  server.registerTool("where", {}, projects ? async (ctx) => text((await projects.project(ctx)).name) : async () => text("share"));
  const client = new Client({ name: "bench", version: "1" }, { capabilities: { roots: {} } });
  client.setRequestHandler(method, async () => ({ roots: [{ uri: "file:///usr/share" }] }));
  const [one, other] = Memory.createLinkedPair();
  await Promise.all([server.connect(one), client.connect(other)]);
  // The first call probes the disk, and this transport never yields the thread for that.
  await client.callTool({ name: "where", arguments: {} });
  await setTimeout(200);
  return client;
}

/** Microseconds of processor time per call. */
async function time(client) {
  const began = process.cpuUsage();
  for (let call = 0; call < calls; call += 1) await client.callTool({ name: "where", arguments: {} });
  const { user, system } = process.cpuUsage(began);
  return (user + system) / calls;
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

console.log(`face ${backend.face}, ${rounds} rounds of ${calls} calls, medians`);
for (const [name, sdk] of [
  ["SDK 1.x", { Server: Server1, Client: Client1, Memory: Memory1, method: ListRootsRequestSchema }],
  ["SDK 2.x", { Server: Server2, Client: Client2, Memory: Memory2, method: "roots/list" }],
]) {
  const clients = { bare: await connected(sdk, false), equal: await connected(sdk, false), having: await connected(sdk, true) };
  const took = { bare: [], equal: [], having: [] };
  const names = Object.keys(clients);
  for (let round = -20; round < rounds; round += 1) {
    // The first server in a round is at a disadvantage, so they take turns.
    for (let turn = 0; turn < 3; turn += 1) {
      const which = names[(round + 21 + turn) % 3];
      const each = await time(clients[which]);
      if (round >= 0) took[which].push(each);
    }
  }
  const ratio = (which) => median(took[which].map((each, round) => each / took.bare[round])).toFixed(3);
  console.log(`${name}: ${median(took.bare).toFixed(1)} µs without, ${median(took.having).toFixed(1)} µs with its project, ratio ${ratio("having")} (two equal servers ${ratio("equal")})`);
  for (const client of Object.values(clients)) await client.close();
}
