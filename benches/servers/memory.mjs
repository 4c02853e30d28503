// node --expose-gc benches/servers/memory.mjs loop|connection|without|known COUNT [CHURN]: prints the memory of one idle client whose
// project is known, and the memory of the process after each tenth of CHURN clients that took the place of the oldest ones, as JSON.
import { setTimeout } from "node:timers/promises";
import { Connection, hostFacts, Loop } from "rootwise/driver";
import { connected, SDKS } from "./typescript.mjs";

const [what, count, churn = "0"] = process.argv.slice(2);
const list = { roots: [{ uri: "file:///usr/share" }] };
const params = {
  protocolVersion: "2025-11-25",
  capabilities: { roots: { listChanged: true } },
  clientInfo: { name: "bench", version: "1" },
};
const send = async () => list;

/** Each opens one client, and returns what ends it. */
const openers = {
  /** A session of one loop, as in a server with many clients. */
  loop() {
    const loop = new Loop({ open: () => ({ host: hostFacts("stdio") }), send, log: () => {} });
    return async () => {
      const session = loop.openSession({ transport: "stdio" });
      loop.feed({ type: "clientInitialized", session, ...params });
      loop.feed({ type: "clientReady", session });
      const { outcome } = await loop.ask({ type: "asked", session });
      if (outcome !== "resolved") throw new Error(outcome);
      return () => loop.closeSession(session);
    };
  },
  /** A loop of its own. */
  connection: () => async () => {
    const connection = new Connection({ host: hostFacts("stdio"), sender: { send } });
    connection.initialized(params);
    connection.ready();
    await connection.ask();
    return () => connection.close();
  },
  /** A server of the SDK and its client, without Rootwise. */
  without: () => () => served("without"),
  /** The same with Rootwise: the SDKs make a server for each client. */
  known: () => () => served("known"),
};

async function served(kind) {
  const client = await connected(SDKS[2], kind);
  await client.call();
  return client.close;
}

async function memory() {
  for (let round = 0; round < 3; round += 1) {
    await setTimeout(50);
    global.gc();
  }
  return process.memoryUsage().rss;
}

const open = openers[what]();
const closers = [];
for (let made = 0; made < 200; made += 1) closers.push(await open());
const before = await memory();
for (let made = 0; made < Number(count); made += 1) closers.push(await open());
const bytesEach = Math.round(((await memory()) - before) / Number(count));
const resident = [];
let oldest = 0;
for (let tenth = 0; tenth < 10 && churn !== "0"; tenth += 1) {
  for (let made = 0; made < Number(churn) / 10; made += 1) {
    await closers[oldest]();
    closers[oldest] = await open();
    oldest = (oldest + 1) % closers.length;
  }
  resident.push(await memory());
}
console.log(JSON.stringify({ bytesEach, resident }));
process.exit();
