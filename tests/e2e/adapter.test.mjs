// Edge cases of the adapter, with real SDKs in one process.
import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Client as Client2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as Memory1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server as LowServer1 } from "@modelcontextprotocol/sdk/server/index.js";
import { McpServer as Server1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { CallToolRequestSchema, ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { InMemoryTransport as Memory2, McpServer as Server2, Server as LowServer2 } from "@modelcontextprotocol/server";
import { presets, readyTools, RootwiseError } from "rootwise";
import { NoProjectError, projectGate, rootwise } from "rootwise/mcp";
import { z } from "zod";
import { connect, pairs } from "./clients.mjs";

const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-adapter-")));
after(() => rmSync(base, { recursive: true, force: true }));
const alpha = join(base, "alpha");
const inner = join(alpha, "inner");
for (const path of [inner, join(alpha, ".git")]) mkdirSync(path, { recursive: true });
const info = { name: "adapter", version: "1" };
const local = { host: { local: true } };
const roots = async () => ({ roots: [{ uri: `file://${alpha}` }] });
const text = (text) => ({ content: [{ type: "text", text }] });
const called = async (client, name) => (await client.callTool({ name, arguments: {} })).content[0].text;

const generations = [
  { name: "SDK 1.x", Server: Server1, Client: Client1, Memory: Memory1, method: ListRootsRequestSchema },
  { name: "SDK 2.x", Server: Server2, Client: Client2, Memory: Memory2, method: "roots/list" },
];

for (const { name, Server, Client, Memory, method } of generations) {
  describe(name, () => {
    const meet = async (server) => {
      const client = new Client(info, { capabilities: { roots: { listChanged: true } } });
      client.setRequestHandler(method, roots);
      const [one, other] = Memory.createLinkedPair();
      await Promise.all([server.connect(one), client.connect(other)]);
      return client;
    };

    test("invalid options are refused at once", () => {
      const server = new Server(info);
      const refused = (options) =>
        assert.throws(
          () => rootwise(server, options),
          (error) => error instanceof RootwiseError && error.code === "bad_options",
        );
      refused({ policy: "nothing" });
      refused({ policy: { name: "broken", sources: [{ from: "nowhere" }] } });
      assert.throws(() => rootwise({}), RootwiseError);
    });

    test("a hint that comes once waits for a tool that shows it", async () => {
      const server = new Server(info);
      const policy = {
        name: "hints",
        sources: [{ from: "roots" }],
        hints: [
          { sources: ["roots"], text: "Tip", once: true },
          { sources: ["roots"], text: "Always" },
        ],
      };
      const projects = rootwise(server, { policy, ...local });
      server.registerTool("quiet", {}, async (context) => text((await projects.project(context)).path));
      server.registerTool("shown", {}, async (context) =>
        text((await projects.projectAndHints(context)).hints.join("|")),
      );
      const client = await meet(server);
      assert.equal(await called(client, "quiet"), alpha);
      assert.equal(await called(client, "shown"), "Tip|Always");
      assert.equal(await called(client, "shown"), "Always");
      await client.close();
    });

    test("an allowed folder that does not exist is reported before a client comes, and once", async () => {
      const server = new Server(info);
      // A folder of its own for each SDK: one that is missing is reported once in a process.
      const missing = join(base, `nowhere ${name}`);
      const lines = [];
      const told = new EventEmitter();
      const log = (line) => {
        lines.push(line.code);
        told.emit(line.code, line.message);
      };
      const projects = rootwise(server, { allowedDirs: [base, missing], log, ...local });
      server.registerTool("where", {}, async (context) => text((await projects.project(context)).path));
      const [message] = await once(told, "allowed_dir_unusable");
      assert.ok(message.includes(missing), message);
      const client = await meet(server);
      assert.equal(await called(client, "where"), alpha);
      assert.equal(lines.filter((code) => code === "allowed_dir_unusable").length, 1);
      await client.close();
    });

    test("wrong options are refused at once, by name", () => {
      const refused = (options, name) =>
        assert.throws(
          () => rootwise(new Server(info), options),
          (error) => error instanceof RootwiseError && error.code === "bad_options" && error.message.includes(name),
          `${name}: ${JSON.stringify(options)}`,
        );
      refused({ allowedDirs: ["./x"] }, "allowedDirs[0]");
      refused({ allowedDirs: [base, "x"] }, "allowedDirs[1]");
      refused({ allowedDirs: base }, "allowedDirs");
      refused({ allowedDirs: [7] }, "allowedDirs[0]");
      refused({ allowed: [base] }, "allowed");
      refused({ policy: "recomended" }, "recomended");
      refused({ policy: "recomended" }, "cocosearch");
      refused({ policy: { name: "empty", sources: [] } }, "sources");
      refused({ policy: { timing: { callerTimeoutMs: "soon" } } }, "timing.callerTimeoutMs");
      refused({ policy: [] }, "policy");
      refused({ policy: null }, "policy");
      refused({ host: { style: "dos" } }, "style");
      refused({ host: { allowedDirs: ["x"] } }, "host.allowedDirs[0]");
      refused({ host: { unknown: true } }, "unknown");
      refused({ host: "local" }, "host");
      refused({ log: "console" }, "log");
      refused({ beforeCall: true }, "beforeCall");
      refused({ asyncContext: 1 }, "asyncContext");
      refused({ store: { load() {} } }, "store");
      refused({ store: { load() {}, save() {}, key: "short" } }, "store.key");
      refused({ argument: "" }, "argument");
      refused({ argument: 7 }, "argument");
      refused({ argument: "path", policy: { name: "own", sources: [{ from: "roots" }] } }, 'no source "argument"');
      refused({ requirePath: "no" }, "requirePath");
      // The type would promise a path that such a policy does not.
      refused({ policy: "thoughtbox" }, "requirePath: false");
      refused({ policy: { ...presets.recommended, requirePath: false } }, "requirePath");
      for (const requirePath of [true, false]) rootwise(new Server(info), { policy: "thoughtbox", requirePath });
      refused(null, "options");
      refused("recommended", "options");
      refused([], "options");
      const projects = rootwise(new Server(info));
      for (const [run, place] of [
        [() => projects.registerTools({ whch: "where" }), "whch"],
        [() => projects.registerTools({ which: 7 }), "which"],
        [() => projects.registerTools({ switch: "" }), "switch"],
        [() => projects.registerTools(null), "names"],
        [() => projects.onChange(7), "listener"],
        [() => projects.onRootsChange(), "listener"],
        [() => projects.tool("where"), "handler"],
      ]) {
        assert.throws(run, (error) => error instanceof RootwiseError && error.message.includes(`at ${place}:`), place);
      }
      for (const server of [undefined, null, {}, { server: {} }, "server", 7]) {
        assert.throws(
          () => rootwise(server),
          (error) => error instanceof RootwiseError && /at server/.test(error.message),
        );
      }
      rootwise(new Server(info), {
        policy: undefined,
        allowedDirs: undefined,
        host: { local: undefined, cwd: undefined },
        log: undefined,
        beforeCall: undefined,
      });
      for (const options of [
        { headr: "x" },
        { header: "" },
        { query: 7 },
        { maxPending: 0 },
        { requirePath: 1 },
        { allowedDirs: ["x"] },
        { policy: "x" },
        null,
      ]) {
        assert.throws(() => projectGate(options), RootwiseError, JSON.stringify(options));
      }
    });

    test("a context that is none is refused by name", async () => {
      const projects = rootwise(new Server(info));
      for (const context of [undefined, {}, null, "ctx"])
        await assert.rejects(projects.project(context), { code: "bad_options", message: /context/ });
      for (const by of [{}, { folder: "x" }, { name: "a", path: "/b" }, 7, null])
        await assert.rejects(projects.select({ signal: new AbortController().signal, mcpReq: {} }, by), {
          code: "bad_options",
          message: /by/,
        });
    });

    test("the argument that the option names is read from tools and prompts, and a hint comes first", async () => {
      const shape = Server === Server1 ? (shape) => shape : z.object;
      const server = new Server(info);
      const projects = rootwise(server, { local: true, argument: "project" });
      const project = z.any().optional();
      server.registerTool(
        "where",
        { inputSchema: shape({ project, other: z.string().optional() }) },
        async ({ other }, ctx) => text((await projects.project(ctx, { argument: other })).path),
      );
      server.registerTool("current", { inputSchema: shape({ project }) }, async (_args, ctx) =>
        text(
          `${projects.current(ctx)?.path} ${(await projects.explain(ctx)).tried.find(({ verdict }) => verdict === "won").value}`,
        ),
      );
      server.registerTool(
        "wrapped",
        { inputSchema: shape({ project }) },
        projects.tool(async ({ path }) => text(path)),
      );
      server.registerPrompt("brief", { argsSchema: shape({ project: z.string() }) }, async (_args, ctx) => ({
        messages: [{ role: "user", content: { type: "text", text: (await projects.project(ctx)).path } }],
      }));
      projects.registerTools();
      const client = await meet(server);
      const call = async (name, args = {}) => (await client.callTool({ name, arguments: args })).content[0].text;
      // Before and after the answer of a plain call is cached.
      for (let round = 0; round < 3; round += 1) {
        assert.equal(await call("where", { project: inner }), inner);
        assert.equal(await call("where"), alpha);
        assert.equal(await call("where", { project: null }), alpha);
        assert.equal(await call("wrapped", { project: `file://${inner}` }), inner);
      }
      assert.equal(await call("where", { project: inner, other: alpha }), alpha);
      assert.equal(await call("current", { project: inner }), `undefined ${inner}`);
      for (const wrong of ["relative", 7, ["/usr"], { path: "/usr" }])
        assert.match(
          await call("where", { project: wrong }),
          /argument value .* (cannot be used|has no single safe reading)|relative/,
          JSON.stringify(wrong),
        );
      const { messages } = await client.getPrompt({ name: "brief", arguments: { project: inner } });
      assert.equal(messages[0].content.text, inner);
      // The tool that selects has a parameter of the same name, which is not the project of the call.
      assert.match(await call("switch_project", { project: "alpha" }), /alpha/);
      await client.close();
    });

    test("the ready-made tools are those of the core", async () => {
      const server = new Server(info);
      rootwise(server, local).registerTools({ list: "roots" });
      const client = await meet(server);
      const { which, switch: change, list } = readyTools();
      const { tools } = await client.listTools();
      for (const ready of [which, change, { ...list, name: "roots" }]) {
        const { title, description, annotations, inputSchema } = tools.find(({ name }) => name === ready.name);
        assert.deepEqual([title, description, annotations], [ready.title, ready.description, ready.annotations]);
        assert.deepEqual(inputSchema.properties ?? {}, ready.inputSchema.properties);
        assert.deepEqual(inputSchema.required ?? [], ready.inputSchema.required ?? []);
      }
      await client.close();
    });

    test("helpers need no context, and a hook runs before each call", async () => {
      const server = new Server(info);
      const seen = [];
      const projects = rootwise(server, {
        local: true,
        asyncContext: true,
        beforeCall: async (ctx) => {
          await setImmediate();
          seen.push((await projects.project(ctx)).path);
        },
      });
      const helper = async () => {
        await setImmediate();
        return (await projects.project()).path;
      };
      server.registerTool("where", {}, async () => text(await helper()));
      const client = await meet(server);
      assert.equal(await called(client, "where"), alpha);
      assert.deepEqual(seen, [alpha]);
      await assert.rejects(projects.project(), { code: "bad_options" });
      await client.close();
    });

    test("a hook that throws fails the call and not the server", async () => {
      const server = new Server(info);
      let calls = 0;
      rootwise(server, {
        local: true,
        beforeCall: () => {
          if ((calls += 1) === 1) throw new Error("not now");
        },
      });
      server.registerTool("where", {}, async () => text("ran"));
      const client = await meet(server);
      assert.equal(await called(client, "where"), "not now");
      assert.equal(await called(client, "where"), "ran");
      await client.close();
    });

    test("calls at once keep their own contexts", async () => {
      const server = new Server(info);
      const projects = rootwise(server, { local: true, asyncContext: true });
      const contexts = new Set();
      server.registerTool("where", {}, async (ctx) => {
        await setImmediate();
        contexts.add(ctx);
        return text((await projects.project()).path);
      });
      const client = await meet(server);
      const all = await Promise.all(Array.from({ length: 20 }, () => called(client, "where")));
      assert.deepEqual([...new Set(all)], [alpha]);
      assert.equal(contexts.size, 20);
      await client.close();
    });

    test("two instances on one server share nothing and both find their project", async () => {
      const server = new Server(info);
      const [one, two] = [rootwise(server, { local: true }), rootwise(server, { local: true, policy: "cocosearch" })];
      server.registerTool("where", {}, async (ctx) =>
        text(`${(await one.project(ctx)).path} ${(await two.project(ctx)).path}`),
      );
      server.registerTool("choose", {}, async (ctx) => text((await one.select(ctx, inner)).project.path));
      const client = await meet(server);
      assert.equal(await called(client, "where"), `${alpha} ${alpha}`);
      assert.equal(await called(client, "choose"), inner);
      assert.equal(await called(client, "where"), `${inner} ${alpha}`);
      await client.close();
    });

    test("a cancelled call has a code of its own", async () => {
      const server = new Server(info);
      const projects = rootwise(server, { local: true });
      let ended;
      const settled = new Promise((resolve) => (ended = resolve));
      server.registerTool("where", {}, async (ctx) => {
        await projects.project(ctx).then(ended, ended);
        return text("late");
      });
      const client = new Client(info, { capabilities: { roots: {} } });
      let ask;
      const asked = new Promise((resolve) => (ask = resolve));
      client.setRequestHandler(method, () => (ask(), new Promise(() => {})));
      const [one, other] = Memory.createLinkedPair();
      await Promise.all([server.connect(one), client.connect(other)]);
      const abort = new AbortController();
      const options = { signal: abort.signal };
      const call = assert.rejects(
        client.callTool({ name: "where", arguments: {} }, ...(Client === Client1 ? [undefined, options] : [options])),
      );
      await asked;
      abort.abort("enough");
      assert.equal((await settled).code, "cancelled");
      await call;
      await client.close();
    });

    /** A server whose client answers `roots/list` with whatever `answer` returns. */
    const answering = async (answer, options) => {
      const logs = [];
      const server = new Server(info);
      const projects = rootwise(server, {
        local: true,
        log: (line) => logs.push(line),
        host: { cwd: "/" },
        ...options,
      });
      server.registerTool("where", {}, async (ctx) => text((await projects.project(ctx)).path));
      const client = new Client(info, { capabilities: { roots: {} } });
      const [one, other] = Memory.createLinkedPair();
      const send = other.send.bind(other);
      other.send = async (message, more) => {
        if (message.result && Object.hasOwn(message.result, "roots")) message = { ...message, result: await answer() };
        return send(message, more);
      };
      client.setRequestHandler(method, roots);
      await Promise.all([server.connect(one), client.connect(other)]);
      return { client, logs };
    };

    test("an answer that is too deep fails at once", async () => {
      let deep = [];
      for (let depth = 0; depth < 20_000; depth += 1) deep = [deep];
      const { client, logs } = await answering(() => ({ roots: deep }));
      assert.match(await called(client, "where"), /project/);
      assert.deepEqual(
        logs.filter(({ code }) => code === "wait_expired"),
        [],
      );
      assert.deepEqual(
        logs.filter(({ message }) => message.startsWith("requestAnswered")).map(({ code }) => code),
        ["event_failed"],
      );
      await client.close();
    });

    test("a wait that expires is logged", async () => {
      const policy = { ...presets.recommended, timing: { callerTimeoutMs: 100, requestTimeoutMs: 5_000 } };
      const { client, logs } = await answering(() => new Promise(() => {}), { policy });
      assert.match(await called(client, "where"), /project/);
      assert.deepEqual(
        logs.filter(({ code }) => code === "wait_expired").map(({ level }) => level),
        ["warning"],
      );
      await client.close();
    });

    test("a server that assigns its own hooks afterwards keeps working", async () => {
      const server = new Server(info);
      const projects = rootwise(server, { local: true });
      server.registerTool("where", {}, async (ctx) => text((await projects.project(ctx)).path));
      let theirs = 0;
      server.server.oninitialized = () => (theirs += 1);
      server.server.onclose = () => (theirs += 1);
      const client = await meet(server);
      assert.equal(await called(client, "where"), alpha);
      await client.close();
      assert.equal(theirs, 2);
    });

    test("capabilities may be declared before anything is registered", async () => {
      const server = new Server(info, { capabilities: { tools: {} } });
      const projects = rootwise(server, { local: true });
      server.registerTool("where", {}, async (ctx) => text((await projects.project(ctx)).path));
      const client = await meet(server);
      // Several calls, so that the answer is cached.
      for (let calls = 0; calls < 3; calls += 1) assert.equal(await called(client, "where"), alpha);
      await client.close();
    });

    test("a callback that throws logs a warning and breaks nothing", async () => {
      const server = new Server(info);
      const projects = rootwise(server, { local: true });
      projects.onChange(() => {
        throw new Error("theirs");
      });
      server.registerTool("where", {}, async (ctx) => text((await projects.project(ctx)).path));
      const warned = once(process, "warning");
      const client = await meet(server);
      assert.equal(await called(client, "where"), alpha);
      assert.equal((await warned)[0].message, "theirs");
      await client.close();
    });

    test("a missing project is an error with a code and an instruction", async () => {
      const server = new Server(info);
      const projects = rootwise(server, {
        local: true,
        policy: { ...presets.recommended, sources: [{ from: "argument" }] },
        argument: "folder",
      });
      let seen;
      server.registerTool("where", {}, async (ctx) =>
        text(await projects.project(ctx).catch((error) => ((seen = error), "caught"))),
      );
      const client = await meet(server);
      assert.equal(await called(client, "where"), "caught");
      assert.ok(seen instanceof NoProjectError && seen instanceof RootwiseError);
      assert.equal(seen.code, "no_project");
      assert.ok(seen.instruction && seen.message.includes(seen.instruction));
      assert.ok(seen.explanation.text.includes("argument"));
      await client.close();
    });

    test("a listener is told who changed its project, and when the connection ends", async () => {
      const server = new Server(info);
      const projects = rootwise(server);
      const changes = [];
      projects.onChange((project, previous, connection) => changes.push([project?.path, previous?.path, connection]));
      server.registerTool("where", {}, async (ctx) => text((await projects.project(ctx)).path));
      for (let turn = 0; turn < 2; turn += 1) {
        const client = await meet(server);
        assert.equal(await called(client, "where"), alpha);
        await client.close();
      }
      const [first, , second] = changes.map(([, , { id }]) => id);
      assert.notEqual(first, second);
      const told = (id) => [
        [alpha, undefined, { id, client: "adapter", ended: false }],
        [undefined, alpha, { id, client: "adapter", ended: true }],
      ];
      assert.deepEqual(changes, [...told(first), ...told(second)]);
    });

    test("a project that cannot change is not unselected, and the error says so", async () => {
      const server = new Server(info);
      const projects = rootwise(server, {
        policy: { ...presets.recommended, memory: { ...presets.recommended.memory, pin: "immutable" } },
      });
      const codes = [];
      server.registerTool("unselect", {}, async (ctx) => {
        await projects.project(ctx);
        for (const change of [() => projects.select(ctx, inner), () => projects.unselect(ctx)])
          await change().catch((error) => codes.push([error.name, error.code]));
        return text((await projects.project(ctx)).path);
      });
      const client = await meet(server);
      assert.equal(await called(client, "unselect"), alpha);
      assert.deepEqual(codes, [
        ["NoProjectError", "immutable"],
        ["NoProjectError", "immutable"],
      ]);
      await client.close();
    });

    test("a removed selection leaves the project that counts, or none, and a connection that is over removes none", async () => {
      const server = new Server(info);
      const policy = { ...presets.recommended, roots: { ...presets.recommended.roots, pick: "only" } };
      const projects = rootwise(server, { policy, ...local });
      let kept;
      server.registerTool("unselect", {}, async (ctx) => {
        kept = ctx;
        await projects.select(ctx, inner);
        return text(String((await projects.unselect(ctx))?.path));
      });
      const client = await meet(server);
      assert.equal(await called(client, "unselect"), alpha);
      const two = [alpha, inner].map((folder) => ({ uri: `file://${folder}` }));
      client.setRequestHandler(method, async () => ({ roots: two }));
      await client.sendRootsListChanged();
      // Two roots and no selection: nothing says which one counts, and the removal is no failure.
      assert.equal(await called(client, "unselect"), "undefined");
      await client.close();
      await assert.rejects(projects.unselect(kept), (error) => error instanceof NoProjectError);
    });

    test("an argument of a call that the policy does not read is refused", async () => {
      const server = new Server(info);
      const projects = rootwise(server, { policy: { name: "own", sources: [{ from: "roots" }] }, ...local });
      server.registerTool("where", {}, async (ctx) => {
        const refused = projects.project(ctx, { argument: inner });
        await assert.rejects(refused, (error) => error instanceof RootwiseError && error.code === "bad_options");
        return text((await projects.project(ctx, { argument: undefined })).path);
      });
      const client = await meet(server);
      assert.equal(await called(client, "where"), alpha);
      await client.close();
    });

    test("closing the connection answers all waiting calls", async () => {
      const server = new Server(info);
      const projects = rootwise(server, { local: true });
      let ended;
      const settled = new Promise((resolve) => (ended = resolve));
      server.registerTool("where", {}, async (ctx) => {
        await projects.project(ctx).then(ended, ended);
        return text("late");
      });
      const client = new Client(info, { capabilities: { roots: {} } });
      let ask;
      const asked = new Promise((resolve) => (ask = resolve));
      client.setRequestHandler(method, () => (ask(), new Promise(() => {})));
      const [one, other] = Memory.createLinkedPair();
      await Promise.all([server.connect(one), client.connect(other)]);
      const call = assert.rejects(called(client, "where"));
      await asked;
      await client.close();
      assert.equal((await settled).code, "closed");
      await call;
    });
  });
}

for (const { name, Low, Client, Memory, method, schema } of [
  {
    name: "SDK 1.x",
    Low: LowServer1,
    Client: Client1,
    Memory: Memory1,
    method: ListRootsRequestSchema,
    schema: CallToolRequestSchema,
  },
  { name: "SDK 2.x", Low: LowServer2, Client: Client2, Memory: Memory2, method: "roots/list", schema: "tools/call" },
]) {
  test(`${name}: on a low-level server no project is a tool result, too`, async () => {
    const server = new Low(info, { capabilities: { tools: {} } });
    const projects = rootwise(server, {
      local: true,
      asyncContext: true,
      host: { cwd: "/" },
      argument: "project_path",
    });
    server.setRequestHandler(schema, async () => text((await projects.project()).path));
    const client = new Client(info, { capabilities: { roots: {} } });
    const list = [];
    client.setRequestHandler(method, async () => ({ roots: list }));
    const [one, other] = Memory.createLinkedPair();
    await Promise.all([server.connect(one), client.connect(other)]);
    const { content, isError } = await client.callTool({ name: "where", arguments: {} });
    assert.equal(isError, true);
    assert.match(content[0].text, /as `project_path` in the call/);
    assert.equal((await client.callTool({ name: "where", arguments: { project_path: alpha } })).content[0].text, alpha);
    await client.close();
  });
}

test("SDK 1.x: the option `argument` is refused where earlier tools would not be read", () => {
  const server = new Server1(info);
  server.registerTool("early", {}, async () => text(""));
  assert.throws(() => rootwise(server, { argument: "project" }), { code: "bad_options", message: /registered before/ });
  rootwise(server, { local: true });
});

test("SDK 1.x: what was said before anybody watched is caught up with", async () => {
  const server = new Server1(info);
  let projects;
  server.registerTool("where", {}, async (extra) => text((await projects.project(extra)).path));
  const client = new Client1(info, { capabilities: { roots: {} } });
  client.setRequestHandler(ListRootsRequestSchema, roots);
  const [one, other] = Memory1.createLinkedPair();
  await Promise.all([server.connect(one), client.connect(other)]);
  projects = rootwise(server, { local: true });
  assert.equal(await called(client, "where"), alpha);
  await client.close();
});

for (const pair of pairs.filter(({ over, client }) => over === "stdio" && client === 2)) {
  test(`${pair.name}: the command line names the project in either spelling`, { timeout: 60_000 }, async () => {
    for (const args of [[`--project=${alpha}`], ["--verbose", "--project", alpha]]) {
      const peer = await connect(pair, { args, roots: [{ uri: "file:///usr/share" }] });
      try {
        assert.deepEqual((await peer.call("where")).value, {
          name: "alpha",
          path: alpha,
          source: "configured",
          via: "project",
        });
        assert.equal(peer.state.asked, 0);
      } finally {
        await peer.close();
      }
    }
  });
}
