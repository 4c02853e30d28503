// Real clients of the TypeScript SDKs, 1.x and 2.x, in this process; servers run in separate processes.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { targetFolder } from "../../scripts/tools.mjs";

export const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/** The test servers, with the eras they serve; `E2E_SERVER=rmcp` runs the same tests with the one in Rust. */
export const servers = process.env.E2E_SERVER
  ? { [process.env.E2E_SERVER]: ["legacy", "modern"] }
  : { sdk1: ["legacy"], sdk2: ["legacy", "modern"] };

/** All combinations of client SDK, server, era and transport. */
export const pairs = Object.entries(servers)
  .flatMap(([server, eras]) => [
    { server, client: 1, era: "legacy" },
    ...eras.map((era) => ({ server, client: 2, era })),
  ])
  .flatMap((pair) =>
    ["stdio", "http"].map((over) => ({
      ...pair,
      over,
      name: `server ${pair.server}, client ${pair.client}.x, ${pair.era}, ${over}`,
    })),
  );

const environment = (options, env) => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  E2E_OPTIONS: JSON.stringify(options),
  // A server in Rust whose test gives it another home folder would not find cargo's.
  ...(process.env.E2E_SERVER && { CARGO_TARGET_DIR: targetFolder() }),
  ...env,
});

/**
 * Starts an HTTP server; close it with `stop`.
 */
export async function serve(server, { options = {}, env = {}, cwd, flags = [] } = {}) {
  const child = spawn(process.execPath, [at(`servers/${server}.mjs`), "--http", ...flags], {
    cwd,
    env: environment(options, env),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [url] = await once(createInterface(child.stdout), "line", { signal: AbortSignal.timeout(30_000) });
  return {
    url,
    async stop() {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
}

/** HTTP servers that tests share: one per way of starting it. A client there meets the sessions of other tests, as it would anywhere. */
export function sharedServers() {
  const started = new Map();
  return {
    async url(server, { options, env, cwd }) {
      const key = JSON.stringify([server, options, env, cwd]);
      if (!started.has(key)) started.set(key, serve(server, { options, env, cwd }));
      return (await started.get(key)).url;
    },
    stop: () => Promise.all([...started.values()].map(async (server) => (await server).stop())),
  };
}

/** A transport of this client's generation: to a process of its own, or over HTTP to `url`. */
export function connectTo({ client, server, over }, url, { options = {}, env = {}, headers } = {}) {
  if (over === "http") {
    const Http = client === 1 ? Http1 : Http2;
    return new Http(new URL(url), headers ? { requestInit: { headers } } : {});
  }
  const Stdio = client === 1 ? Stdio1 : Stdio2;
  const args = [at(`servers/${server}.mjs`)];
  return new Stdio({ command: process.execPath, args, env: environment(options, env), stderr: "inherit" });
}

/**
 * Connects a client to a server of its own, or over HTTP to `url`.
 *
 * `roots` is what it answers: a list, a function, or undefined for a client that declares no roots. A `manual` client does
 * not make a call again by itself.
 */
export async function connect(
  pair,
  { roots, options = {}, env = {}, cwd, args = [], flags = [], url, query = "", headers, info, elicit, manual } = {},
) {
  const capabilities = {
    ...(roots === undefined ? {} : { roots: { listChanged: true } }),
    ...(elicit ? { elicitation: {} } : {}),
  };
  const client =
    pair.client === 1
      ? new Client1(info ?? { name: "e2e", version: "1" }, { capabilities })
      : new Client2(info ?? { name: "e2e", version: "1" }, {
          capabilities,
          versionNegotiation: { mode: pair.era === "modern" ? { pin: "2026-07-28" } : "legacy" },
          inputRequired: { autoFulfill: !manual },
        });
  const state = { asked: 0, roots };
  const answer = async () => {
    state.asked += 1;
    return { roots: typeof state.roots === "function" ? await state.roots() : state.roots };
  };
  if (roots !== undefined) client.setRequestHandler(pair.client === 1 ? ListRootsRequestSchema : "roots/list", answer);
  if (elicit) client.setRequestHandler(pair.client === 1 ? ElicitRequestSchema : "elicitation/create", elicit);

  let own;
  let transport;
  if (pair.over === "stdio") {
    const Stdio = pair.client === 1 ? Stdio1 : Stdio2;
    const server = {
      command: process.execPath,
      args: [at(`servers/${pair.server}.mjs`), ...args],
      env: environment(options, env),
      stderr: "inherit",
    };
    transport = new Stdio(cwd ? { ...server, cwd } : server);
  } else {
    if (!url) own = await serve(pair.server, { options, env, cwd, flags });
    const Http = pair.client === 1 ? Http1 : Http2;
    transport = new Http(new URL(`${url ?? own.url}${query}`), headers ? { requestInit: { headers } } : {});
  }
  try {
    await client.connect(transport);
  } catch (error) {
    await own?.stop();
    throw error;
  }
  return {
    client,
    transport,
    state,
    /** Calls a tool; returns its text, parsed if it is JSON, and whether it failed. */
    async call(name, args = {}, extra) {
      const result =
        pair.client === 1
          ? await client.callTool({ name, arguments: args }, undefined, extra)
          : await client.callTool({ name, arguments: args }, extra);
      const text = result.content.map((part) => part.text).join("\n");
      return { text, failed: result.isError === true, value: parsed(text) };
    },
    async changed(to) {
      state.roots = to;
      await client.sendRootsListChanged();
    },
    async close() {
      await client.close().catch(() => {});
      await own?.stop();
    },
  };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
