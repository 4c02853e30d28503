// Real clients of both SDKs run in this process; servers and Redis run in separate processes.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { needs } from "../../scripts/needs.mjs";

const DEADLINE_MS = 20_000;
const MODERN = "2026-07-28";
const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/** The answer where a project has no sessions. */
export const NO_SESSIONS = "No sessions found for project. Use start_new to begin.";

/** Compiles the servers, in strict mode; a type error is a failure. */
export function compile() {
  execFileSync("npx", ["tsc", "-p", "examples/thoughtbox"], { cwd: at("../.."), stdio: "inherit" });
}

/** Waits until a condition holds. */
export async function until(holds, what) {
  for (const end = Date.now() + DEADLINE_MS; !(await holds()); await sleep(10)) {
    if (Date.now() > end) throw new Error(`not within ${DEADLINE_MS} ms: ${what()}`);
  }
}

/** Collects what a process writes to a stream. */
function recorded(stream) {
  let text = "";
  stream.setEncoding("utf8").on("data", (chunk) => (text += chunk));
  return () => text;
}

/** Ends a process and waits until it is gone. */
async function end(child, signal) {
  child.kill(signal);
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

const environment = (env) => ({ PATH: process.env.PATH, HOME: process.env.HOME, ...env });
const command = ({ server, store, preset = "thoughtbox", options = [] }) => {
  return [at(`dist/${server}.js`), "--preset", preset, "--store", store, ...options];
};

/** Starts a server that speaks HTTP. */
export async function serve(setup, env = {}) {
  const args = [...command(setup), "--port", "0"];
  const child = spawn(process.execPath, args, { env: environment(env), stdio: ["ignore", "pipe", "pipe"] });
  const log = recorded(child.stderr);
  const [url] = await Promise.race([
    once(createInterface(child.stdout), "line"),
    once(child, "exit").then(() => Promise.reject(new Error(`the server did not start: ${log()}`))),
  ]);
  return { url, log, stop: (signal) => end(child, signal) };
}

/**
 * An agent with a client and its own server, unless `at` is the address of a server.
 *
 * `roots` are the URIs that its client lists; without them the client does not support roots.
 */
export async function connect(setup, { roots, at: served, env = {} } = {}) {
  const { client: generation, era, over } = setup;
  const capabilities = roots ? { roots: { listChanged: true } } : {};
  const info = { name: "agent", version: "1" };
  const client =
    generation === 1
      ? new Client1(info, { capabilities })
      : new Client2(info, {
          capabilities,
          versionNegotiation: { mode: era === "modern" ? { pin: MODERN } : "legacy" },
        });
  const state = { roots, asked: 0 };
  if (roots) {
    client.setRequestHandler(generation === 1 ? ListRootsRequestSchema : "roots/list", async () => {
      state.asked += 1;
      return { roots: state.roots.map((uri) => ({ uri })) };
    });
  }

  let own;
  let transport;
  let log;
  if (over === "stdio") {
    const Stdio = generation === 1 ? Stdio1 : Stdio2;
    transport = new Stdio({ command: process.execPath, args: command(setup), env: environment(env), stderr: "pipe" });
    log = recorded(transport.stderr);
  } else {
    own = served ? undefined : await serve(setup, env);
    ({ log } = served ?? own);
    transport = new (generation === 1 ? Http1 : Http2)(new URL((served ?? own).url));
  }
  await client.connect(transport);
  return new Agent({ client, transport, state, log, era, own });
}

class Agent {
  /** The argument that a client of 2026-07-28 passes in every call, because the server binds nothing for it. */
  #each = {};

  constructor(parts) {
    Object.assign(this, parts);
  }

  /** Calls a tool and throws if its result is an error. */
  async call(name, args) {
    const { content, isError } = await this.client.callTool({ name, arguments: args });
    if (isError) throw new Error(content[0].text);
    return JSON.parse(content[0].text);
  }

  init(operation, args = {}) {
    return this.call("init", { operation, ...this.#each, ...args });
  }

  /** Chooses the root to work in, as its era requires. */
  async bind(uri) {
    if (this.era === "modern") this.#each = { mcpRootUri: uri };
    else await this.init("bind_root", { rootUri: uri });
    return this;
  }

  /** Starts a session and adds thoughts; returns the id of the session. */
  async think(...thoughts) {
    const { session } = await this.init("start_new");
    for (const thought of thoughts) await this.call("thought", { sessionId: session.id, thought });
    return session.id;
  }

  /** Waits for a line in the server's log. */
  logged(line) {
    return until(
      () => this.log().split("\n").includes(line),
      () => `${line} in\n${this.log()}`,
    );
  }

  /** Closes the client and its own server. */
  async close() {
    await this.client.close();
    await this.own?.stop();
  }

  /** Kills this agent's own server without warning. */
  async kill() {
    if (this.own) await this.own.stop("SIGKILL");
    else process.kill(this.transport.pid, "SIGKILL");
    await this.client.close();
  }
}

/** Starts a Redis server that confirms writes only after they are on disk. */
export async function startRedis(folder) {
  const program = needs.redis.find() ?? "redis-server";
  const socket = join(folder, "redis.sock");
  const settings = { port: "0", unixsocket: socket, dir: folder, save: "", appendonly: "yes", appendfsync: "always" };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  const log = recorded(child.stdout);
  const failed = once(child, "error").then(([error]) => {
    const advice = "npm run doctor says how to install it; REDIS_SERVER names one in another place";
    throw new Error(`${program} cannot be started (${error.message}): ${advice}`);
  });
  try {
    await Promise.race([failed, until(() => /ready to accept connections/i.test(log()), log)]);
  } catch (error) {
    child.kill();
    throw error;
  }
  return { url: `unix://${socket}`, stop: (signal) => end(child, signal) };
}
