// node benches/mcp.mjs: compares the cost of a tool call that asks for its project with the same call to a server without
// Rootwise, over the in-memory transports of both SDKs: within the fresh time, where the project is known, and after it, where every call
// asks the client and checks the disk again. The rival of the latter is a server that does the same by hand. All servers are
// measured in turns in one run. The figures are processor time, because elapsed time would include other work of the machine. A
// second server without Rootwise shows the difference between two equal servers.
import { stat } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Client as Client2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as Memory1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as Server1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { InMemoryTransport as Memory2, McpServer as Server2 } from "@modelcontextprotocol/server";
import { backend, presets } from "rootwise";
import { rootwise } from "rootwise/mcp";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "500" }, calls: { type: "string", default: "100" } },
});
const [rounds, calls] = [Number(values.rounds), Number(values.calls)];
const text = (text) => ({ content: [{ type: "text", text }] });

/** The tool of each kind of server. */
const kinds = {
  bare: () => async () => text("share"),
  equal: () => async () => text("share"),
  fresh: (server) => {
    const projects = rootwise(server, { local: true });
    return async (ctx) => text((await projects.project(ctx)).name);
  },
  "by hand":
    (server, { list }) =>
    async () => {
      const { roots } = await list(server);
      const path = fileURLToPath(roots[0].uri);
      if (!(await stat(path)).isDirectory()) throw new Error("not a folder");
      return text(path.split("/").at(-1));
    },
  refreshed: (server) => {
    const policy = { ...presets.recommended, timing: { maxAgeMs: 0 } };
    const projects = rootwise(server, { local: true, policy });
    return async (ctx) => text((await projects.project(ctx)).name);
  },
};

async function connected({ Server, Client, Memory, method, ...sdk }, kind) {
  const server = new Server({ name: "bench", version: "1" });
  server.registerTool("where", {}, kinds[kind](server, sdk));
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

console.log(`backend ${backend.kind}, ${rounds} rounds of ${calls} calls, medians`);
for (const [name, sdk] of [
  [
    "SDK 1.x",
    {
      Server: Server1,
      Client: Client1,
      Memory: Memory1,
      method: ListRootsRequestSchema,
      list: ({ server }) => server.listRoots(),
    },
  ],
  [
    "SDK 2.x",
    {
      Server: Server2,
      Client: Client2,
      Memory: Memory2,
      method: "roots/list",
      list: ({ server }) => server.listRoots(),
    },
  ],
]) {
  const names = Object.keys(kinds);
  const clients = Object.fromEntries(await Promise.all(names.map(async (kind) => [kind, await connected(sdk, kind)])));
  const took = Object.fromEntries(names.map((kind) => [kind, []]));
  for (let round = -20; round < rounds; round += 1) {
    // The first server in a round is at a disadvantage, so they take turns.
    for (let turn = 0; turn < names.length; turn += 1) {
      const which = names[(round + 20 + turn) % names.length];
      const each = await time(clients[which]);
      if (round >= 0) took[which].push(each);
    }
  }
  const ratio = (which, to) => median(took[which].map((each, round) => each / took[to][round])).toFixed(3);
  const cost = (which) => `${median(took[which]).toFixed(1)} µs`;
  console.log(
    `${name}: ${cost("bare")} without, ${cost("fresh")} with a fresh project, ratio ${ratio("fresh", "bare")} (two equal servers ${ratio("equal", "bare")})`,
  );
  console.log(
    `${name}: ${cost("by hand")} asking by hand in every call, ${cost("refreshed")} with a project that every call refreshes, ratio ${ratio("refreshed", "by hand")}`,
  );
  for (const client of Object.values(clients)) await client.close();
}
