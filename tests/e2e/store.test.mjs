// Sessions in a store, with two replicas in this process and a store that the test controls.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { NodeStreamableHTTPServerTransport } from "@modelcontextprotocol/node";
import { McpServer as Server1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { McpServer as Server2 } from "@modelcontextprotocol/server";
import { rootwise } from "rootwise/mcp";
import { ask, list, Peer, said, selectAnywhere, within } from "./raw.mjs";

const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-store-")));
after(() => rmSync(base, { recursive: true, force: true }));
const [a, b, c] = ["a", "b", "c"].map((name) => {
  mkdirSync(join(base, name));
  return join(base, name);
});
const text = (text) => ({ content: [{ type: "text", text }] });

const memory = () => {
  const values = new Map();
  return {
    values,
    load: async (id) => values.get(id),
    save: async (id, state, previous) => values.get(id) === previous && (values.set(id, state), true),
  };
};

const generations = [
  { name: "SDK 1.x", Server: Server1, Transport: StreamableHTTPServerTransport },
  { name: "SDK 2.x", Server: Server2, Transport: NodeStreamableHTTPServerTransport },
];

for (const { name, Server, Transport } of generations) {
  describe(name, { timeout: 60_000 }, () => {
    /** A replica that has the session with this id, and a client that is connected to it. */
    const replica = async (store, id = "session") => {
      const logs = [];
      const server = new Server({ name: "store", version: "1" });
      const projects = rootwise(server, {
        store,
        policy: selectAnywhere,
        host: { local: true, cwd: "/" },
        log: (line) => logs.push(line),
      });
      const tool = (name, run) =>
        server.registerTool(name, {}, async (ctx) => text((await run(ctx).catch((error) => error.code)) ?? "none"));
      tool("where", async (ctx) => (await projects.project(ctx)).path);
      tool("current", async (ctx) => projects.current(ctx)?.path);
      tool("where_current", async (ctx) => (await projects.project(ctx), projects.current(ctx)?.path));
      tool("roots", async (ctx) => (await projects.roots(ctx)).roots.map(({ path }) => path).join());
      for (const [name, path] of Object.entries({ b, c }))
        tool(`select_${name}`, async (ctx) => (await projects.select(ctx, path)).project.path);
      const transport = new Transport({ sessionIdGenerator: () => id });
      await server.connect(transport);
      const http = createServer((req, res) => transport.handleRequest(req, res));
      http.listen(0, "127.0.0.1");
      await once(http, "listening");
      const peer = await new Peer(`http://127.0.0.1:${http.address().port}/mcp`).open();
      return { peer, logs, stop: () => (http.closeAllConnections(), http.close()) };
    };
    const scenario = (name, run) =>
      test(name, async () => {
        const store = memory();
        const replicas = [await replica(store), await replica(store)];
        try {
          await run({ store, one: replicas[0].peer, two: replicas[1].peer, replicas });
        } finally {
          for (const { stop } of replicas) stop();
        }
      });

    scenario("what is known at once is never older than what another replica did", async ({ one, two }) => {
      assert.equal((await ask(one, list(a))).text, a);
      assert.equal((await ask(two, list(a), "select_c")).text, c);
      assert.equal((await ask(one, list(a), "current")).text, "none");
      assert.equal((await ask(one, list(a), "where_current")).text, c);
    });

    scenario("a call that waits keeps no other call in an old project", async ({ one, two }) => {
      assert.equal((await ask(one, list(a), "select_b")).text, b);
      const waiting = await one.call("roots");
      assert.equal((await within(waiting.next())).method, "roots/list");
      assert.equal((await ask(two, list(a), "select_c")).text, c);
      assert.equal((await ask(one, list(a))).text, c);
      // The call that waited starts again in the new state.
      let message;
      do {
        message = await within(waiting.next());
        if (message.method === "roots/list") await (await one.answer(message.id, list(a))).text();
      } while (message.method);
      assert.equal(said(message), a);
    });

    scenario("many calls of one session at once all get its project", async ({ store, one, two }) => {
      const { load, save } = store;
      store.load = async (...args) => (await setTimeout(Math.random() * 5), load(...args));
      store.save = async (...args) => {
        const saved = await save(...args);
        await setTimeout(Math.random() * 5);
        return saved;
      };
      assert.equal((await ask(one, list(a), "select_b")).text, b);
      const all = await Promise.all(
        Array.from({ length: 40 }, (_, turn) => ask(one, list(a), turn % 4 ? "where" : "select_b")),
      );
      assert.deepEqual([...new Set(all.map(({ text }) => text))], [b]);
      assert.equal((await ask(two, list(a))).text, b);
    });

    test("a store that has no state may return null, as Redis does", async () => {
      const store = memory();
      const { load, save } = store;
      Object.assign(store, { load: async (id) => (await load(id)) ?? null, save });
      const { peer, logs, stop } = await replica(store);
      try {
        assert.equal((await ask(peer, list(a))).text, a);
        assert.deepEqual(
          logs.filter(({ level }) => level === "warning"),
          [],
        );
      } finally {
        stop();
      }
    });

    scenario("a state that the store lost is saved again", async ({ store, one, two }) => {
      assert.equal((await ask(one, list(a), "select_b")).text, b);
      store.values.clear();
      assert.equal((await ask(one, list(a))).text, b);
      assert.equal(store.values.size, 1, "a call that changes nothing saves it");
      assert.equal((await ask(two, list(a))).text, b);
      store.values.clear();
      assert.equal((await ask(one, list(a), "select_c")).text, c);
      assert.equal((await ask(two, list(a))).text, c);
      assert.equal((await ask(one, list(a), "select_b")).text, b);
    });

    scenario("a write that the store lost breaks no later call", async ({ store, one, two }) => {
      const { save } = store;
      store.save = async () => true;
      assert.equal((await ask(one, list(a), "select_b")).text, b);
      store.save = save;
      assert.equal((await ask(one, list(a), "select_c")).text, c);
      assert.equal((await ask(two, list(a))).text, c);
    });

    scenario("a state that the store rolled back is what counts", async ({ store, one, two }) => {
      assert.equal((await ask(one, list(a), "select_b")).text, b);
      const old = store.values.get("session");
      assert.equal((await ask(one, list(a), "select_c")).text, c);
      store.values.set("session", old);
      assert.equal((await ask(one, list(a))).text, b);
      assert.equal((await ask(two, list(a))).text, b);
      assert.equal((await ask(one, list(a), "select_c")).text, c);
      assert.equal((await ask(two, list(a))).text, c);
    });

    test("the state of another session is not continued", async () => {
      const store = memory();
      const mine = await replica(store, "mine");
      const theirs = await replica(store, "theirs");
      try {
        assert.equal((await ask(theirs.peer, list(c), "select_c")).text, c);
        store.values.set("mine", store.values.get("theirs"));
        assert.equal((await ask(mine.peer, list(a))).text, a);
        assert.match(mine.logs.map(({ message }) => message).join("\n"), /another session/);
        assert.equal((await ask(mine.peer, list(a), "select_b")).text, b);
        assert.equal((await ask(theirs.peer, list(c))).text, c);
        for (const junk of [
          "",
          "null",
          "{",
          "[]",
          JSON.stringify({ session: "mine" }),
          JSON.stringify({ session: "mine", connection: "{}" }),
        ]) {
          store.values.set("mine", junk);
          assert.equal((await ask(mine.peer, list(a))).text, b, junk);
        }
      } finally {
        mine.stop();
        theirs.stop();
      }
    });

    test("with a key, a state that somebody else wrote is not continued", async () => {
      const key = "a secret that only the replicas of this server have";
      const [own, strange] = [{ ...memory(), key }, memory()];
      const [one, two, stranger] = [await replica(own), await replica(own), await replica(strange)];
      try {
        assert.equal((await ask(one.peer, list(a), "select_b")).text, b);
        assert.equal((await ask(two.peer, list(a))).text, b);
        assert.equal((await ask(stranger.peer, list(a), "select_c")).text, c);
        own.values.set("session", strange.values.get("session"));
        assert.equal((await ask(one.peer, list(a))).text, b);
        // Sealed, but for another session.
        const other = await replica(own, "other");
        assert.equal((await ask(other.peer, list(a), "select_c")).text, c);
        own.values.set("session", own.values.get("other").replace('"other"', '"session"'));
        assert.equal((await ask(one.peer, list(a))).text, b);
        assert.match(one.logs.map(({ message }) => message).join("\n"), /cannot be continued/);
        other.stop();
      } finally {
        for (const { stop } of [one, two, stranger]) stop();
      }
    });

    scenario("a store that fails or stays silent fails the call and not the session", async ({ store, one }) => {
      assert.equal((await ask(one, list(a), "select_b")).text, b);
      const { load } = store;
      store.load = async () => Promise.reject(new Error("down"));
      assert.equal((await ask(one, list(a))).text, "unconfirmed");
      store.load = () => new Promise(() => {});
      const calls = await Promise.all(Array.from({ length: 10 }, () => one.call()));
      for (const { next } of calls) assert.equal(said(await within(next(), 20_000)), "unconfirmed");
      store.load = load;
      assert.equal((await ask(one, list(a))).text, b);
    });
  });
}
