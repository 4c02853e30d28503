// Streams that break, streams that are missing, and calls without a session: hand-written HTTP against every transport of
// both SDKs, so that the test decides when a stream ends.
import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { after, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { NodeStreamableHTTPServerTransport } from "@modelcontextprotocol/node";
import { McpServer as Server1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { WebStandardStreamableHTTPServerTransport as Web1 } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import {
  createMcpHandler,
  McpServer as Server2,
  WebStandardStreamableHTTPServerTransport as Web2,
} from "@modelcontextprotocol/server";
import express from "express";
import { presets } from "rootwise";
import { rootwise } from "rootwise/mcp";
import { packagesOf } from "../tools.mjs";
import { ask, list, messages, Peer, said, within } from "./raw.mjs";
import { reply } from "./servers/offer.mjs";
import { tenUsers } from "./users.mjs";

const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-streams-")));
after(() => rmSync(base, { recursive: true, force: true }));
const folder = (name) => {
  mkdirSync(join(base, name));
  return join(base, name);
};
const [a, b, c] = ["a", "b", "c"].map(folder);
const text = (text) => ({ content: [{ type: "text", text }] });

/** As frameworks do it: the signal of the request says that the client is gone. */
function webRequest(req, res) {
  const abort = new AbortController();
  if (res.destroyed) abort.abort();
  else res.once("close", () => abort.abort());
  const body = req.method === "POST" ? { body: req.body ? JSON.stringify(req.body) : Readable.toWeb(req) } : {};
  return new Request(`http://${req.headers.host}${req.url}`, {
    method: req.method,
    headers: req.headers,
    signal: abort.signal,
    duplex: "half",
    ...body,
  });
}
const overWeb = async (transport, req, res) => reply(res, await transport.handleRequest(webRequest(req, res)));
const overNode = (transport, req, res) => transport.handleRequest(req, res, req.body);

const transports = [
  { name: "SDK 1.x, Node", Server: Server1, Transport: StreamableHTTPServerTransport, handle: overNode },
  { name: "SDK 1.x, web", Server: Server1, Transport: Web1, handle: overWeb },
  { name: "SDK 2.x, Node", Server: Server2, Transport: NodeStreamableHTTPServerTransport, handle: overNode },
  { name: "SDK 2.x, web", Server: Server2, Transport: Web2, handle: overWeb },
];

const sdks = packagesOf("tests/e2e/sdks");
for (const version of ["1.20", "1.22", "1.26"]) {
  const part = (name) => import(sdks(`sdk-${version}`, "dist/esm/server", name));
  const [{ McpServer }, http] = await Promise.all([part("mcp.js"), part("streamableHttp.js")]);
  transports.push({
    name: `SDK ${version}, Node`,
    Server: McpServer,
    Transport: http.StreamableHTTPServerTransport,
    handle: overNode,
    shares: version < "1.26",
  });
}

/** A server's own transport, which hides from us what it gives to the one of the SDK. */
class Hiding extends Web1 {
  handleRequest(request) {
    return super.handleRequest(request);
  }
}
transports.push({ name: "a transport that shows nothing", Server: Server1, Transport: Hiding, handle: overWeb });

let contexts = 0;
const { run } = AsyncLocalStorage.prototype;
AsyncLocalStorage.prototype.run = function (...args) {
  contexts += 1;
  return run.apply(this, args);
};

/** Keeps the events of streams in memory, in their order. */
function eventStore() {
  const events = [];
  return {
    async storeEvent(stream, message) {
      events.push({ stream, message });
      return `${events.length}`;
    },
    async replayEventsAfter(id, { send }) {
      const { stream } = events[id - 1];
      for (let at = Number(id); at < events.length; at += 1)
        if (events[at].stream === stream) await send(`${at + 1}`, events[at].message);
      return stream;
    },
  };
}

/** A server with sessions; its tool names the project. */
async function serve(
  { Server, Transport, handle },
  { json = false, stateless = false, shared = false, eventStore, before, options = {} } = {},
) {
  const sessions = new Map();
  let only;
  let calls = 0;
  let [dropped, ended] = [0, 0];
  const jobs = [];
  const logs = [];
  const errors = [];
  const open = async () => {
    const server = new Server({ name: "streams", version: "1" });
    const projects = rootwise(server, { local: true, host: { cwd: "/" }, log: (line) => logs.push(line), ...options });
    server.registerTool("where", {}, async (ctx) => {
      calls += 1;
      try {
        return text((await projects.project(ctx)).path);
      } catch (error) {
        errors.push(error);
        return { ...text(`${error.code}: ${error.message}`), isError: true };
      }
    });
    server.registerTool("select_c", {}, async (ctx) =>
      text((await projects.select(ctx, c).catch((error) => ({ message: error.code }))).message),
    );
    server.registerTool("start", {}, async (ctx) => (jobs.push(() => projects.project(ctx)), text("started")));
    server.registerTool("current", {}, async (ctx) => text(projects.current(ctx)?.path ?? "none"));
    const transport = new Transport({
      sessionIdGenerator: stateless ? undefined : randomUUID,
      enableJsonResponse: json,
      eventStore,
      onsessioninitialized: (id) => sessions.set(id, transport),
    });
    await server.connect(transport);
    return transport;
  };
  const serve = async (req, res) => {
    const transport = sessions.get(req.headers["mcp-session-id"]) ?? (await (shared ? (only ??= open()) : open()));
    await handle(transport, req, res).catch(() => res.destroy());
  };
  const http = createServer(before ? express().use(express.json(), before, serve) : serve);
  http.on("request", (_req, res) => res.once("close", () => (res.writableFinished ? (ended += 1) : (dropped += 1))));
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  return {
    url: `http://127.0.0.1:${http.address().port}/mcp`,
    get calls() {
      return calls;
    },
    get dropped() {
      return dropped;
    },
    get ended() {
      return ended;
    },
    jobs,
    logs,
    errors,
    stop: () => (http.closeAllConnections(), http.close()),
  };
}

for (const transport of transports) {
  describe(transport.name, () => {
    const scenario = (name, options, run) =>
      test(name, { timeout: 60_000 }, async () => {
        const server = await serve(transport, options);
        try {
          await run(server, await new Peer(server.url).open());
        } finally {
          server.stop();
        }
      });

    scenario("a call that drops while it asks leaves the next call to ask again", {}, async (server, peer) => {
      assert.deepEqual(await ask(peer, list(a)), { text: a, asked: 1 });
      await peer.notify("notifications/roots/list_changed");
      const { next, drop } = await peer.call();
      assert.equal((await within(next())).method, "roots/list");
      drop();
      await next().catch(() => {});
      assert.deepEqual(await ask(peer, list(b)), { text: b, asked: 1 });
      assert.deepEqual(await ask(peer, list(b)), { text: b, asked: 0 });
      // The tool of the dropped call did not run in the old project.
      assert.deepEqual(
        server.errors.map(({ code }) => code),
        ["cancelled"],
      );
    });

    scenario("the first call may drop", {}, async (_server, peer) => {
      const { next, drop } = await peer.call();
      assert.equal((await within(next())).method, "roots/list");
      drop();
      await next().catch(() => {});
      assert.deepEqual(await ask(peer, list(a)), { text: a, asked: 1 });
    });

    scenario(
      "a call that waits for the requests of dropped ones gets a request of its own",
      {},
      async (server, peer) => {
        const calls = [];
        // Earlier SDKs send nothing, not even headers, before the first message.
        for (let number = 1; number <= 4; number += 1) {
          calls.push(peer.call());
          while (server.calls < number) await setTimeout(5);
        }
        const last = calls.pop();
        for (const call of calls) {
          const { next, drop } = await within(call);
          assert.equal((await within(next())).method, "roots/list");
          drop();
          await next().catch(() => {});
        }
        const { next } = await within(last);
        const { id, method } = await within(next());
        assert.equal(method, "roots/list");
        await (await peer.answer(id, list(b))).text();
        assert.equal(said(await within(next())), b);
      },
    );

    scenario("an answer to a request that was abandoned changes nothing", {}, async (_server, peer) => {
      const { next, drop } = await peer.call();
      const { id } = await within(next());
      drop();
      await next().catch(() => {});
      assert.deepEqual(await ask(peer, list(b)), { text: b, asked: 1 });
      await (await peer.answer(id, list(a))).text();
      assert.deepEqual(await ask(peer, list(b)), { text: b, asked: 0 });
    });

    scenario("any number of calls may drop in a row", {}, async (server, peer) => {
      for (let calls = 0; calls < 8; calls += 1) {
        const { next, drop } = await peer.call();
        assert.equal((await within(next())).method, "roots/list", `call ${calls}`);
        drop();
        await next().catch(() => {});
        for (let turn = 0; turn < 100 && server.errors.length <= calls; turn += 1) await setTimeout(5);
      }
      assert.deepEqual(await ask(peer, list(a)), { text: a, asked: 1 });
    });

    scenario("a dropped call of one client costs another nothing", {}, async ({ url }, peer) => {
      const other = await new Peer(url).open();
      const { next, drop } = await peer.call();
      await within(next());
      assert.deepEqual(await ask(other, list(c)), { text: c, asked: 1 });
      drop();
      await next().catch(() => {});
      assert.deepEqual(await ask(other, list(c)), { text: c, asked: 0 });
      assert.deepEqual(await ask(peer, list(a)), { text: a, asked: 1 });
    });

    test("a call that drops before the server sees it costs the session nothing", { timeout: 60_000 }, async () => {
      const held = [];
      let isHolding = false;
      // Such as a middleware that looks up a token.
      const before = (_req, res, next) => (isHolding ? held.push({ res, next }) : next());
      const server = await serve(transport, { before });
      try {
        const peer = await new Peer(server.url).open();
        isHolding = true;
        const abort = new AbortController();
        const call = peer
          .post({ id: 1000, method: "tools/call", params: { name: "where", arguments: {} } }, abort.signal)
          .catch(() => {});
        while (held.length === 0) await setTimeout(5);
        abort.abort();
        await call;
        const [{ res, next }] = held;
        while (!res.destroyed) await setTimeout(5);
        isHolding = false;
        next();
        while (server.calls === 0) await setTimeout(5);
        assert.deepEqual(await ask(peer, list(a)), { text: a, asked: 1 });
        assert.deepEqual(
          server.errors.map(({ code }) => code),
          ["call_over"],
        );
      } finally {
        server.stop();
      }
    });

    const timing = { callerTimeoutMs: 1_000, requestTimeoutMs: 30_000 };
    const resumable = (name, run) =>
      test(name, { timeout: 60_000 }, async () => {
        const server = await serve(transport, {
          eventStore: eventStore(),
          options: { policy: { ...presets.recommended, timing } },
        });
        try {
          await run(server, await new Peer(server.url).open());
        } finally {
          server.stop();
        }
      });

    resumable("a dropped call that nobody resumes leaves later calls to ask again", async (server, peer) => {
      const { next, drop } = await peer.call();
      assert.equal((await within(next())).method, "roots/list");
      drop();
      await next().catch(() => {});
      while (server.errors.length === 0) await setTimeout(10);
      assert.deepEqual(
        server.errors.map(({ code }) => code),
        ["cancelled"],
      );
      for (let turn = 0; turn < 2; turn += 1)
        assert.deepEqual(await ask(peer, list(a)), { text: a, asked: turn === 0 ? 1 : 0 });
    });

    resumable("a call that waits beside a dropped one is asked at once, on its own stream", async (server, peer) => {
      const first = await peer.call();
      assert.equal((await within(first.next())).method, "roots/list");
      const second = peer.call();
      while (server.calls < 2) await setTimeout(5);
      first.drop();
      await first.next().catch(() => {});
      const { next } = await within(second);
      const { id } = await within(next());
      await (await peer.answer(id, list(b))).text();
      assert.equal(said(await within(next())), b);
    });

    resumable("a dropped call that is resumed in time continues", async (server, peer) => {
      const { next, drop } = await peer.call();
      const { id } = await within(next());
      drop();
      await next().catch(() => {});
      // Earlier SDKs take a late end of the first stream for the end of the next.
      while (server.dropped === 0) await setTimeout(5);
      const stream = await peer.get(next.last);
      await (await peer.answer(id, list(a))).text();
      assert.equal(said(await within(stream.next())), a);
      assert.deepEqual(server.errors, []);
      stream.drop();
    });

    test("the query of a request names its project", { timeout: 60_000 }, async () => {
      const server = await serve(transport);
      try {
        const peer = await new Peer(`${server.url}?project_path=${encodeURIComponent(b)}`).open();
        assert.deepEqual(await ask(peer, list(a)), { text: b, asked: 0 });
      } finally {
        server.stop();
      }
    });

    scenario("a change is asked for at once where the client has an open GET stream", {}, async (_server, peer) => {
      assert.deepEqual(await ask(peer, list(a)), { text: a, asked: 1 });
      const stream = await peer.get();
      await peer.notify("notifications/roots/list_changed");
      const { id, method } = await within(stream.next());
      assert.equal(method, "roots/list");
      await (await peer.answer(id, list(b))).text();
      assert.deepEqual(await ask(peer, list(c)), { text: b, asked: 0 });
      // Without a stream, the next call asks.
      stream.drop();
      await stream.next().catch(() => {});
      await peer.notify("notifications/roots/list_changed");
      assert.deepEqual(await ask(peer, list(c)), { text: c, asked: 1 });
    });

    scenario("work that outlives its call is told that the call is over", {}, async (server, peer) => {
      const { next } = await peer.call("start");
      assert.equal(said(await within(next())), "started");
      await next();
      // The handshake has two responses.
      while (server.ended < 3) await setTimeout(5);
      await assert.rejects(server.jobs[0](), { name: "NoProjectError", code: "call_over" });
    });

    scenario(
      "where calls are answered in JSON, the client is asked over its GET stream",
      { json: true },
      async (server, peer) => {
        const stream = await peer.get();
        const call = peer.call();
        const { id, method } = await within(stream.next());
        assert.equal(method, "roots/list");
        await (await peer.answer(id, list(a))).text();
        assert.equal(said(await (await within(call)).next()), a);
        assert.deepEqual(
          server.logs.filter(({ code }) => code === "cannot_ask"),
          [],
        );
        stream.drop();
      },
    );

    scenario(
      "where calls are answered in JSON and no GET stream is open, the call says so at once",
      { json: true },
      async (server, peer) => {
        for (let calls = 0; calls < 5; calls += 1) {
          assert.match(
            said(await (await within(peer.call())).next()),
            /^no_project: .*cannot be asked for its roots here/s,
          );
        }
        assert.equal(server.logs.filter(({ code }) => code === "cannot_ask").length, 1);
        // A stream that opens later is used, whatever failed before.
        const stream = await peer.get();
        const call = peer.call();
        const { id } = await within(stream.next());
        await (await peer.answer(id, list(b))).text();
        assert.equal(said(await (await within(call)).next()), b);
        stream.drop();
      },
    );

    scenario(
      "a GET stream that drops while the client is asked ends the wait",
      { json: true },
      async (_server, peer) => {
        const stream = await peer.get();
        const call = peer.call();
        await within(stream.next());
        stream.drop();
        await stream.next().catch(() => {});
        assert.match(said(await (await within(call)).next()), /^no_project/);
        const again = await peer.get();
        const second = peer.call();
        const { id } = await within(again.next());
        await (await peer.answer(id, list(a))).text();
        assert.equal(said(await (await within(second)).next()), a);
        again.drop();
      },
    );

    // Earlier versions let one server without sessions serve every client.
    // Before Node 24, it makes every promise of the process slower.
    test(`its calls ${transport.Transport === Hiding ? "need" : "do without"} AsyncLocalStorage`, () =>
      assert.equal(contexts > 0, transport.Transport === Hiding));

    for (const shared of transport.shares ? [false, true] : [false])
      test(`calls without a session share nothing${shared ? ", on one server" : ""}`, { timeout: 60_000 }, async () => {
        const server = await serve(transport, { stateless: true, shared });
        try {
          const one = shared ? await new Peer(server.url).open() : new Peer(server.url);
          const two = new Peer(server.url);
          assert.equal((await ask(one, list(a), "select_c")).text, "pass_each_call");
          for (const peer of [one, two, one]) {
            assert.match((await ask(peer, list(a))).text, /^no_project: .*no session/s);
            assert.equal((await ask(peer, list(a), "current")).text, "none");
          }
          // Ids of calls that run at once would collide there.
          if (shared) return;
          const all = await Promise.all(
            Array.from({ length: 20 }, (_, turn) =>
              ask(new Peer(server.url), list(a), turn % 2 ? "where" : "select_c"),
            ),
          );
          assert.ok(
            all.every(({ text }, turn) => (turn % 2 ? text.startsWith("no_project") : text === "pass_each_call")),
            JSON.stringify(all),
          );
        } finally {
          server.stop();
        }
      });
  });
}

for (const transport of transports.filter(({ name }) => name.endsWith("x, Node"))) {
  test(`${transport.name}: ten users with random changes, dropped and cancelled calls get their own newest project, and none waits`, {
    timeout: 120_000,
  }, async () => {
    const server = await serve(transport);
    try {
      await tenUsers(server.url, base);
    } finally {
      server.stop();
    }
  });
}

test("SDK 2.x, createMcpHandler: a client of an earlier revision has no session there; it is logged once for all servers that are made alike", {
  timeout: 60_000,
}, async () => {
  const logs = [];
  const handlerOf = (name) =>
    createMcpHandler(() => {
      const server = new Server2({ name, version: "1" });
      const projects = rootwise(server, { log: (line) => logs.push({ name, ...line }), host: { cwd: "/" } });
      server.registerTool("where", {}, async (ctx) => text((await projects.project(ctx)).path));
      return server;
    });
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  for (const handler of ["logs once", "logs too"].flatMap((name) => Array(3).fill(handlerOf(name)))) {
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "where", arguments: {} },
    });
    const { result } = await messages(
      await handler.fetch(new Request("http://localhost/mcp", { method: "POST", headers, body })),
    )();
    assert.ok(result.isError);
    assert.match(result.content[0].text, /keeps no session/);
    assert.doesNotMatch(result.content[0].text, /declares no roots/);
  }
  assert.deepEqual(
    logs.filter(({ code }) => code === "cannot_ask").map(({ name }) => name),
    ["logs once", "logs too"],
  );
});
