// Shared by the tests: the program, folders, exact input through a pipe, and real clients.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Client as Client2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const here = fileURLToPath(new URL(".", import.meta.url));
// The commands of the README.
execFileSync("make", ["--silent"], { cwd: here, stdio: ["ignore", "inherit", "inherit"] });
export const program = join(here, "wolfram-loop");
export const preset = join(here, "../../core/presets/wolfram.json");

export const { timing } = JSON.parse(readFileSync(preset, "utf8"));

/** Creates folders by name inside `base` and removes them after the test. */
export function folders(t, ...names) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "wolfram-loop-")));
  chmodSync(base, 0o755);
  t.after(() => rmSync(base, { recursive: true, force: true }));
  return Object.fromEntries(
    [["base", base], ...names.map((name) => [name, join(base, name)])].map(([name, path]) => {
      mkdirSync(path, { recursive: true });
      return [name, path];
    }),
  );
}

export const root = (path, name) => ({ uri: pathToFileURL(path).href, name });

/** Writes a file with a modified preset. */
export function changedPreset(base, changes) {
  const policy = JSON.parse(readFileSync(preset, "utf8"));
  for (const [part, change] of Object.entries(changes)) policy[part] = { ...policy[part], ...change };
  const file = join(base, "policy.json");
  writeFileSync(file, JSON.stringify(policy));
  return file;
}

const line = (message) => JSON.stringify({ jsonrpc: "2.0", ...message });
export const request = (id, method, params) => line({ id, method, params });
export const initialize = (capabilities, clientInfo = { name: "test", version: "1" }) =>
  request(1, "initialize", { protocolVersion: "2024-11-05", capabilities, clientInfo });
export const notification = (method) => line({ method: `notifications/${method}` });
export const initialized = notification("initialized");
export const changed = notification("roots/list_changed");
export const call = (id, name) => request(id, "tools/call", { name, arguments: {} });
export const answer = (id, ...roots) => result(id, { roots });
export const result = (id, value) => line({ id, result: value });
export const error = (id, code, message) => line({ id, error: { code, message } });

/** Summarises a line of the server. */
export function short(text) {
  if (text.startsWith("[")) return `batch of ${JSON.parse(text).length}`;
  const { id, method, params, result, error } = JSON.parse(text);
  if (method) return `${method} ${id ?? params.requestId}`;
  if (error) return `${id}: error ${error.code}`;
  return result.content ? `${id}: ${result.content[0].text}` : `${id}: ok`;
}

const DEADLINE = 20_000;
/** For a server that is not the program in C. */
const SLOW_DEADLINE = 180_000;

/** Sends all lines at once and closes the input; returns the output and the log. */
export function play(lines, { cwd, policy = preset, as, run = program, options = [], args } = {}) {
  const done = spawnSync(run, args ?? ["--preset", policy, ...options], {
    cwd,
    input: `${lines.join("\n")}\n`,
    encoding: "utf8",
    timeout: args ? SLOW_DEADLINE : DEADLINE,
    ...as,
  });
  assert.equal(done.status, 0, `${done.error ?? done.signal ?? done.stderr}`);
  const raw = done.stdout.split("\n").slice(0, -1);
  return { raw, said: raw.map(short), log: done.stderr };
}

/** A pipe to a server: `send` lines, read the `next` one, and `end` it. */
export function open(t, { cwd, policy = preset, run = program, args } = {}) {
  const deadline = args ? SLOW_DEADLINE : DEADLINE;
  const child = spawn(run, args ?? ["--preset", policy], { cwd, stdio: ["pipe", "pipe", "pipe"] });
  t.after(() => child.kill());
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (chunk) => (log += chunk));
  return {
    send: (...messages) => child.stdin.write(`${messages.join("\n")}\n`),
    async next() {
      const late = AbortSignal.timeout(deadline);
      const { value, done } = await Promise.race([
        lines.next(),
        once(late, "abort").then(() => assert.fail("the server is silent")),
      ]);
      assert.ok(!done, `the server is gone: ${log}`);
      return value;
    },
    async end() {
      const closed = once(child, "close", { signal: AbortSignal.timeout(deadline) });
      child.stdin.end();
      const [code] = await closed;
      assert.equal(code, 0, log);
      return log;
    },
  };
}

/** The official clients: two for revisions up to 2025-11-25, one for 2026-07-28, one that negotiates the revision. */
const clients = {
  "1.x": { Client: Client1, Stdio: Stdio1, method: ListRootsRequestSchema },
  "2.x": { Client: Client2, Stdio: Stdio2, method: "roots/list", mode: "legacy" },
  "2.x modern": { Client: Client2, Stdio: Stdio2, method: "roots/list", mode: { pin: "2026-07-28" } },
  "2.x auto": { Client: Client2, Stdio: Stdio2, method: "roots/list", mode: "auto" },
};

/** Connects a client of that kind; `roots` is its answer, undefined for a client without roots. */
export async function connect(t, kind, { cwd, roots, run = program, args = ["--preset", preset] }) {
  const { Client, Stdio, method, mode } = clients[kind];
  const capabilities = roots ? { roots: { listChanged: true } } : {};
  const client = new Client(
    { name: "test", version: "1" },
    { capabilities, ...(mode && { versionNegotiation: { mode } }) },
  );
  const state = { asked: 0, roots };
  if (roots) {
    client.setRequestHandler(method, () => {
      state.asked += 1;
      return { roots: state.roots };
    });
  }
  t.after(() => client.close());
  await client.connect(new Stdio({ command: run, args, cwd, stderr: "ignore" }));
  return {
    client,
    state,
    async call(name) {
      const { content } = await client.callTool({ name, arguments: {} });
      return content[0].text;
    },
    async changed(roots) {
      state.roots = roots;
      await client.sendRootsListChanged();
    },
  };
}
