// Other people's data and code: what a client sends beside its project, what another package changes, what a callback throws.
// None of it may end the process, decide whose folder counts, or cost a call its project.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { Client as Client2, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as Memory1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as Server1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { createMcpHandler, InMemoryTransport as Memory2, McpServer as Server2 } from "@modelcontextprotocol/server";
import { presets } from "rootwise";
import { Connection, hostFacts } from "rootwise/driver";
import { rootwise } from "rootwise/mcp";
import { at } from "../../scripts/tools.mjs";

const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-foreign-")));
after(() => rmSync(base, { recursive: true, force: true }));
const alpha = join(base, "alpha");
mkdirSync(alpha);
const info = { name: "foreign", version: "1" };
const text = (text) => ({ content: [{ type: "text", text }] });
const roots = { roots: [{ uri: `file://${alpha}` }] };

/** Runs a module in a process of its own; returns its last line. */
function alone(code, ...flags) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, "--input-type=module", "-e", code], {
    cwd: at("."),
    encoding: "utf8",
    timeout: 60_000,
  });
  assert.equal(status, 0, stderr);
  return stdout.trim().split("\n").at(-1);
}

const generations = [
  {
    name: "SDK 1.x",
    Server: Server1,
    Client: Client1,
    Memory: Memory1,
    method: ListRootsRequestSchema,
    from: "@modelcontextprotocol/sdk/server/mcp.js",
    memory: "@modelcontextprotocol/sdk/inMemory.js",
  },
  {
    name: "SDK 2.x",
    Server: Server2,
    Client: Client2,
    Memory: Memory2,
    method: "roots/list",
    from: "@modelcontextprotocol/server",
    memory: "@modelcontextprotocol/server",
  },
];

for (const { name, Server, Client, Memory, method, from, memory } of generations) {
  describe(name, () => {
    /** A server whose tool says where it is, and its client; `change` edits each message of the client. */
    const meet = async ({
      options = {},
      capabilities = { roots: {} },
      answer = () => roots,
      change = (message) => message,
    } = {}) => {
      const logs = [];
      const server = new Server(info);
      const projects = rootwise(server, {
        local: true,
        host: { cwd: "/" },
        log: (line) => logs.push(line),
        ...options,
      });
      server.registerTool("where", {}, async (ctx) => text((await projects.project(ctx)).path));
      const client = new Client(info, { capabilities });
      client.setRequestHandler(method, answer);
      const [one, other] = Memory.createLinkedPair();
      const send = other.send.bind(other);
      other.send = (message, more) => send(change(message), more);
      await Promise.all([server.connect(one), client.connect(other)]);
      return {
        client,
        logs,
        projects,
        where: async (params = {}) =>
          (await client.callTool({ name: "where", arguments: {}, ...params })).content[0].text,
      };
    };

    test("an initialize of 2 MB still declares roots", async () => {
      const experimental = { "x/big": { text: "x".repeat(2_000_000) } };
      const { client, where, logs } = await meet({ capabilities: { roots: {}, experimental } });
      assert.equal(await where(), alpha);
      assert.deepEqual(
        logs.filter(({ code }) => code === "event_failed"),
        [],
      );
      await client.close();
    });

    test("foreign _meta of 1.2 MB, and 1e999 in it, do not concern the call", async () => {
      const { client, where } = await meet();
      const foreign = "x".repeat(1_200_000);
      assert.equal(await where({ _meta: { "x/foreign": foreign, number: 1e999 } }), alpha);
      // Beside the value that the policy reads.
      assert.equal(
        await where({ _meta: { "codex/sandbox-state-meta": { foreign, deep: { foreign }, sandboxCwd: base } } }),
        base,
      );
      // In its place.
      assert.equal(await where({ _meta: { "agent-working-dir": foreign } }), alpha);
      assert.equal(await where({ _meta: { "agent-working-dir": { foreign } } }), alpha);
      await client.close();
    });

    test("the folders of Codex are read as keys of an object", async () => {
      const { client, where } = await meet();
      const workspaces = (...folders) => ({
        _meta: {
          "x-codex-turn-metadata": { workspaces: Object.fromEntries(folders.map((folder) => [folder, { git: "x" }])) },
        },
      });
      assert.equal(await where(workspaces(base)), base);
      assert.equal(await where(workspaces()), alpha);
      assert.equal(await where({ _meta: { "x-codex-turn-metadata": { workspaces: [base] } } }), alpha);
      const many = Array.from({ length: 100_000 }, (_, index) => `/nowhere/${index}`);
      assert.equal(await where(workspaces(base, ...many)), base);
      await client.close();
    });

    test("an error message of 2 MB is an error like any other", async () => {
      const answer = () => {
        throw Object.assign(new Error("y".repeat(2_000_000)), { code: -32000 });
      };
      const { client, where, logs } = await meet({ answer });
      assert.match(await where(), /project/);
      assert.deepEqual(
        logs.filter(({ code }) => code === "event_failed"),
        [],
      );
      await client.close();
    });

    test("callbacks that reject or throw anything end neither the call nor the process", { timeout: 90_000 }, () => {
      const code = `
        import { McpServer } from ${JSON.stringify(from)};
        import { InMemoryTransport } from ${JSON.stringify(memory)};
        import { rootwise } from "rootwise/mcp";
        process.on("warning", () => {});
        const bad = [async () => { throw new Error("later"); }, () => { throw Object.create(null); }, async () => { throw Object.create(null); }, () => ({ get then() { throw 1; } }), () => ({ then(_, no) { no(Symbol()); } })];
        for (const run of bad) {
          const server = new McpServer({ name: "x", version: "1" });
          const projects = rootwise(server, { local: true, host: { cwd: "/" }, log: run, store: undefined });
          projects.onChange(run);
          projects.onRootsChange(run);
          server.registerTool("where", {}, async (ctx) => ({ content: [{ type: "text", text: (await projects.project(ctx)).path }] }));
          const [one, other] = InMemoryTransport.createLinkedPair();
          const said = new Promise((resolve) => (other.onmessage = (message) => {
            if (message.method === "roots/list") other.send({ jsonrpc: "2.0", id: message.id, result: { roots: [{ uri: "bad" }, { uri: "file://${base}" }] } });
            if (message.id === 2) resolve(message.result.content[0].text);
          }));
          await server.connect(one);
          await other.start();
          await other.send({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: { roots: {} }, clientInfo: { name: "c", version: "1" } } });
          await other.send({ jsonrpc: "2.0", method: "notifications/initialized" });
          await other.send({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "where", arguments: {} } });
          console.log(await said);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }`;
      assert.equal(alone(code), base);
    });

    test("a state that comes with other messages is not kept", { timeout: 90_000 }, () => {
      const code = `
        import { McpServer } from ${JSON.stringify(from)};
        import { InMemoryTransport } from ${JSON.stringify(memory)};
        import { rootwise } from "rootwise/mcp";
        const server = new McpServer({ name: "x", version: "1" });
        rootwise(server);
        const [one, other] = InMemoryTransport.createLinkedPair();
        let answers = 0;
        other.onmessage = () => (answers += 1);
        await server.connect(one);
        await other.start();
        for (let id = 1; id <= 100; id += 1) {
          for (const method of ["ping", "tools/call"]) await other.send(JSON.parse(JSON.stringify({ jsonrpc: "2.0", id: method + id, method, params: { name: "x", requestState: "s" + id + "x".repeat(3_500_000) } })));
          await new Promise((resolve) => setImmediate(resolve));
        }
        console.log(answers > 0);`;
      assert.equal(alone(code, "--max-old-space-size=128"), "true");
    });

    test("a changed Object.prototype makes no client local and names no project", { timeout: 90_000 }, () => {
      const code = `
        import { McpServer } from ${JSON.stringify(from)};
        import { hostFacts, projectGate, rootwise } from "rootwise/mcp";
        Object.assign(Object.prototype, { local: true, server: "/usr", argument: "/usr", target: "/usr", policy: "nothing", allowedDirs: ["/"], requirePath: false, CLAUDE_PROJECT_DIR: "/usr", "x-project-path": "/usr" });
        const gate = projectGate();
        const { refusal, project } = await gate.check({ headers: new Headers({ "x-project-path": "/etc" }), url: "http://localhost/" });
        const server = new McpServer({ name: "x", version: "1" });
        const projects = rootwise(server);
        const seen = await new Promise((resolve) => gate({ headers: {}, url: "/" }, {}, () => resolve("passed")));
        const signal = new AbortController().signal;
        const context = { signal, requestInfo: { headers: {} }, http: { req: new Request("http://localhost/") }, mcpReq: { signal, method: "tools/list" } };
        const where = await projects.project(context).then(({ path }) => path, ({ code }) => code);
        console.log(JSON.stringify([refusal?.status, project?.path, seen, where, hostFacts("http").env]));`;
      assert.equal(alone(code), JSON.stringify([400, null, "passed", "no_project", {}]));
    });
  });
}

test("a client of 2026-07-28 may send large answers to a tool's own questions, and a huge answer to ours is none", async () => {
  const handler = createMcpHandler(() => {
    const server = new Server2(info);
    const projects = rootwise(server, { local: true, host: { cwd: "/" } });
    server.registerTool("where", {}, async (ctx) =>
      text(
        await projects.project(ctx).then(
          ({ path }) => path,
          ({ code }) => code,
        ),
      ),
    );
    return server;
  });
  const call = async (inputResponses) => {
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": { roots: {}, elicitation: {} },
      "io.modelcontextprotocol/clientInfo": info,
    };
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "where", arguments: {}, inputResponses, _meta: meta },
    });
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "where",
    };
    const response = await handler.fetch(new Request("http://localhost/mcp", { method: "POST", headers, body }));
    const { result } = JSON.parse((await response.text()).replace(/^.*?data: /s, "").trim());
    return result.content[0].text;
  };
  const own = { action: "accept", content: { text: "z".repeat(1_300_000) } };
  assert.equal(await call({ own, rootwise: roots }), alpha);
  assert.equal(await call({ rootwise: { roots: [{ uri: `file:///${"a".repeat(2_000_000)}` }] } }), "no_project");
});

describe("a call that is over", () => {
  test("a background job of a 2026-07-28 call is told so, and its question escapes no call", async () => {
    const jobs = [];
    let end;
    const ended = new Promise((resolve) => (end = resolve));
    const handler = createMcpHandler(() => {
      const server = new Server2(info);
      const projects = rootwise(server, { local: true, host: { cwd: "/" } });
      server.registerTool("start", {}, async (ctx) => {
        jobs.push(ended.then(() => projects.project(ctx)));
        return text("started");
      });
      return server;
    });
    const client = new Client2(info, {
      capabilities: { roots: {} },
      versionNegotiation: { mode: { pin: "2026-07-28" } },
    });
    client.setRequestHandler("roots/list", async () => roots);
    await client.connect(
      new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), {
        fetch: (url, init) => handler.fetch(new Request(url, init)),
      }),
    );
    assert.equal((await client.callTool({ name: "start", arguments: {} })).content[0].text, "started");
    end();
    await assert.rejects(jobs[0], { name: "NoProjectError", code: "call_over", message: /call that asked is over/ });
    await client.close();
  });

  test("over a pipe, a job of an earlier client is told that its call is over", async () => {
    for (const { Server, Client, Memory, method } of generations) {
      const server = new Server(info);
      const projects = rootwise(server, { local: true, host: { cwd: "/" } });
      let job;
      let end;
      const ended = new Promise((resolve) => (end = resolve));
      server.registerTool("start", {}, async (ctx) => {
        job = ended.then(() => projects.project(ctx));
        return text("started");
      });
      const client = new Client(info, { capabilities: { roots: {} } });
      client.setRequestHandler(method, async () => roots);
      const [one, other] = Memory.createLinkedPair();
      await Promise.all([server.connect(one), client.connect(other)]);
      await client.callTool({ name: "start", arguments: {} });
      end();
      await assert.rejects(job, { name: "NoProjectError", code: "call_over", message: /call that asked is over/ });
      await client.close();
    }
  });
});

test("a saved connection is exactly what its key sealed: no list beside it is read", () => {
  const key = "a secret that only the replicas of this server have";
  const host = { ...hostFacts("stdio"), local: true };
  const connection = new Connection({ host, snapshotKey: key });
  const saved = connection.snapshot();
  new Connection({ host, snapshotKey: key, saved }).close();
  const requests = Array.from({ length: 1_000_000 }, (_, index) => index);
  for (const wrong of [
    JSON.stringify({ state: saved, requests }),
    JSON.stringify({ ...JSON.parse(saved), requests }),
  ]) {
    assert.throws(() => new Connection({ host, snapshotKey: key, saved: wrong }), { code: "bad_snapshot" });
  }
  connection.close();
});

test("folders whose names are not UTF-8 are no project, and cost no call anything", {
  skip: process.platform !== "linux" && "only Linux takes such names",
  timeout: 60_000,
}, async () => {
  const odd = Buffer.concat([Buffer.from(join(base, "odd-")), Buffer.from([0xff])]);
  mkdirSync(odd);
  // The folder that Node's text of that name would be.
  mkdirSync(join(base, "odd-\ufffd"));
  const link = join(base, "link");
  symlinkSync(odd, link);
  const connection = new Connection({
    policy: presets.recommended,
    host: { ...hostFacts("stdio"), local: true, cwd: "/" },
  });
  const { path, realPath } = await connection.ask({ server: link });
  assert.deepEqual([path, realPath], [link, undefined]);
  connection.close();
  const code = `import { hostFacts } from ${JSON.stringify(at("dist/driver/index.js"))}; console.log(hostFacts("stdio").cwd ?? "none");`;
  const command = 'cd "$(printf "$1")" && exec "$2" --input-type=module -e "$3"';
  const { stdout, stderr } = spawnSync("sh", ["-c", command, "sh", join(base, "odd-\\377"), process.execPath, code], {
    encoding: "utf8",
    env: { ...process.env, HOME: join(base, "odd-\ufffd") },
  });
  assert.equal(stdout.trim(), "none", stderr);
});
