import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { computed, figure, inTurns } from "../figures.mjs";
import { at } from "../../scripts/tools.mjs";

const CALLS = 50;

export default {
  name: "typescript",
  title: "A tool call in TypeScript",
  needs: ["package"],
  what: `Processor time of a tool call whose project is known and fresh, beside the same call to a server that knows nothing about projects. In memory, client and server share a process;
over stdio and HTTP the server is a process of its own, and only its time counts. Then a call that asks client and disk again, beside the server that does so in every call by hand
(\`benches/rivals/asking.mjs\`), and the careful cache by hand, which never notices a missed notification or a folder that is gone.`,
  limits: `A known project costs a look at whose call it is, at the session and at its clock, and the observer of the transport, which keeps calls and their ends in order. In memory that is divided by a call that no pipe and
no network carries; over stdio and HTTP, where servers live, the same cost is divided by the call as it is. A call that asks again crosses the boundary to Rust five times and examines the folder with its
real path and its markers, where the code by hand makes one \`stat\`.`,
  async measure({ quick }) {
    // Built parts are loaded only here, so that the page can be made without them.
    const servers = await import("../servers/typescript.mjs");
    const figures = [];
    for (const sdk of Object.values(servers.SDKS)) figures.push(...(await inMemory(servers, sdk, quick)));
    for (const [generation, { title }] of Object.entries(servers.SDKS))
      for (const way of ["stdio", "http"]) figures.push(...(await between(generation, title, way, quick)));
    return figures;
  },
};

async function inMemory({ connected, KINDS }, sdk, quick) {
  const works = {};
  const clients = [];
  for (const kind of Object.keys(KINDS)) {
    const client = await connected(sdk, kind);
    clients.push(client);
    await client.call();
    works[kind] = () => computed(CALLS, client.call);
  }
  // The first call examines the disk, and this transport never yields the thread for that.
  await setTimeout(200);
  const took = await inTurns(works, { rounds: quick ? 10 : 300, warm: 20 });
  for (const client of clients) await client.close();
  const bare = { beside: took.without, than: "without Rootwise" };
  const title = (what) => `${sdk.title} in memory: ${what}`;
  return [
    figure(title("known project"), { samples: took.known, ...bare, aim: 1.03 }),
    figure(title("two equal servers"), { samples: took.equal, ...bare }),
    figure(title("careful cache by hand"), { samples: took["cached by hand"], ...bare }),
    figure(title("a call that asks again"), {
      samples: took.refreshed,
      beside: took["asking by hand"],
      than: "asking in every call by hand",
      aim: 1.1,
    }),
  ];
}

/** Servers in processes of their own. */
async function between(generation, sdk, way, quick) {
  const works = {};
  const servers = [];
  for (const kind of ["without", "equal", "known"]) {
    const server = await (way === "stdio" ? overStdio : overHttp)(generation, kind);
    servers.push(server);
    const busy = async () => Number((await server.ask("tools/call", { name: "computed" })).content[0].text);
    const call = () => server.ask("tools/call", { name: "where", arguments: {} });
    works[kind] = async () => {
      const before = await busy();
      for (let made = 0; made < CALLS; made += 1) await call();
      return ((await busy()) - before) / CALLS;
    };
  }
  const took = await inTurns(works, { rounds: quick ? 4 : way === "stdio" ? 100 : 50, warm: quick ? 2 : 15 });
  for (const { child } of servers) child.stdin.end();
  const bare = { beside: took.without, than: "without Rootwise" };
  const title = (what) => `${sdk} over ${way === "stdio" ? "stdio" : "HTTP"}: ${what}`;
  return [
    figure(title("known project"), { samples: took.known, ...bare, aim: 1.03 }),
    figure(title("two equal servers"), { samples: took.equal, ...bare }),
  ];
}

const LIST = { roots: [{ uri: "file:///usr/share" }] };
const INITIALIZE = {
  protocolVersion: "2025-11-25",
  capabilities: { roots: {} },
  clientInfo: { name: "bench", version: "1" },
};

function start(generation, way, kind) {
  const args = [at("benches", "servers", "typescript.mjs"), generation, way, kind];
  return spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
}

/** A client that only writes and reads lines, so that it takes little from the machine. */
async function overStdio(generation, kind) {
  const child = start(generation, "stdio", kind);
  const waiting = new Map();
  const write = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  createInterface(child.stdout).on("line", (line) => {
    const { id, method, result, error } = JSON.parse(line);
    if (method === "roots/list") return write({ id, result: LIST });
    const { resolve, reject } = waiting.get(id) ?? {};
    waiting.delete(id);
    return error || result.isError ? reject(new Error(line)) : resolve(result);
  });
  let last = 0;
  const ask = (method, params) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      write({ id: last, method, params });
    });
  await ask("initialize", INITIALIZE);
  write({ method: "notifications/initialized" });
  return { child, ask };
}

async function overHttp(generation, kind) {
  const child = start(generation, "http", kind);
  const [url] = await new Promise((resolve) => createInterface(child.stdout).once("line", (line) => resolve([line])));
  let session;
  const post = (message) =>
    fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(session && { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
  let last = 0;
  const ask = async (method, params) => {
    last += 1;
    const response = await post({ id: last, method, params });
    session ??= response.headers.get("mcp-session-id");
    let result;
    let rest = "";
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      rest += chunk;
      const lines = rest.split("\n");
      rest = lines.pop();
      for (const line of lines) {
        if (!line.startsWith("data:") || line.trim() === "data:") continue;
        const message = JSON.parse(line.slice(5));
        if (message.method === "roots/list") await (await post({ id: message.id, result: LIST })).text();
        else if (message.error || message.result?.isError) throw new Error(line);
        else if (message.id === last) result = message.result;
      }
    }
    if (!result) throw new Error(`no result of ${method}`);
    return result;
  };
  await ask("initialize", INITIALIZE);
  await (await post({ method: "notifications/initialized" })).text();
  return { child, ask };
}
