// Thoughtbox end to end: agents with real clients; servers and stores in separate processes.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { compile, connect, NO_SESSIONS, serve, startRedis, until } from "./peers.mjs";

const folder = mkdtempSync(join(tmpdir(), "thoughtbox-"));
const stores = { SQLite: join(folder, "thoughtbox.db") };
let redis;

/** Every SDK, transport, era and store at least twice. */
const setups = [
  { server: "sdk1", client: 1, era: "legacy", over: "stdio", in: "SQLite" },
  { server: "sdk1", client: 2, era: "legacy", over: "http", in: "Redis" },
  { server: "sdk2", client: 2, era: "legacy", over: "stdio", in: "Redis" },
  { server: "sdk2", client: 1, era: "legacy", over: "http", in: "SQLite" },
  { server: "sdk2", client: 2, era: "modern", over: "stdio", in: "SQLite" },
  { server: "sdk2", client: 2, era: "modern", over: "http", in: "Redis" },
];
const nameOf = ({ server, client, era, over, in: store }) =>
  `server ${server}, client ${client}.x, ${era}, ${over}, ${store}`;
const options = { timeout: 120_000 };

before(async () => {
  compile();
  redis = await startRedis(folder);
  stores.Redis = redis.url;
});
after(async () => {
  await redis?.stop();
  rmSync(folder, { recursive: true, force: true });
});

let roots = 0;
/** Returns a root that no other test uses. Its path does not exist, as for a client on another machine. */
const freshRoot = () => `file:///Users/dev/project-${++roots}`;

const none = { success: false, message: NO_SESSIONS };
const NOT_BOUND =
  /^No root is bound, so no session was looked for\. Bind a root, or pass the id of one of the \d+ sessions\.$/;

for (const setup of setups) {
  const { era, over } = setup;

  describe(nameOf(setup), () => {
    let shared;
    before(async () => {
      setup.store = stores[setup.in];
      if (over === "http") shared = await serve(setup);
    });
    after(() => shared?.stop());

    /** Runs agents and closes them. Agents with a `bound` root have bound it first. */
    const agents = async (plans, work) => {
      const open = async ({ bound, ...plan }) => {
        const agent = await connect(setup, { at: shared, ...(bound && { roots: [bound] }), ...plan });
        return bound ? agent.bind(bound) : agent;
      };
      const opened = await Promise.allSettled(plans.map(open));
      const all = opened.flatMap(({ value }) => value ?? []);
      try {
        for (const { reason } of opened) if (reason) throw reason;
        await work(...all);
      } finally {
        for (const agent of all) await agent.close();
      }
    };

    test(
      "the agent lists the roots and binds one of them; of several roots none is used automatically [T-14]",
      options,
      async () => {
        const [x, y] = [freshRoot(), freshRoot()];
        await agents([{ roots: [x, y] }], async (agent) => {
          await agent.init("start_new", { mcpRootUri: freshRoot() });
          const listed = await agent.init("list_roots");
          assert.deepEqual(
            listed.roots.map(({ uri }) => uri),
            [x, y],
          );

          const unbound = await agent.init("load_context");
          assert.match(unbound.message, NOT_BOUND);
          assert.match(unbound.hint, /Several roots are open and none is bound[^]*Call list_roots, then bind_root/);
          await agent.logged("warning: No root is bound; bind a root to recover sessions by project");

          if (era === "modern" && over === "http") {
            const message = "Nothing stays bound for this client: pass mcpRootUri with every operation";
            await assert.rejects(agent.init("bind_root", { rootUri: y }), { message });
          } else {
            await assert.rejects(agent.init("bind_root"), {
              message: "bind_root operation requires rootUri parameter",
            });
            const stranger = freshRoot();
            await assert.rejects(agent.init("bind_root", { rootUri: stranger }), {
              message: `Root not found: ${stranger}. Available: ${x}, ${y}`,
            });
            assert.equal((await agent.init("bind_root", { rootUri: y })).boundRoot, y);
          }
          await agent.bind(y);
          const { session } = await agent.init("start_new");
          assert.equal(session.mcpRootUri, y);
          assert.deepEqual(await agent.init("load_context", { mcpRootUri: x }), none);
        });
      },
    );

    test(
      "start_new stores the bound root and its key, and a default title if none is given [T-02, T-03]",
      options,
      async () => {
        const x = freshRoot();
        await agents([{ bound: x }], async (agent) => {
          const began = Date.now();
          const { session } = await agent.init("start_new");
          const { id, createdAt, title, ...rest } = session;
          const [, now] = /^Session (\d+)$/.exec(title);
          assert.ok(began <= Number(now) && Number(now) <= Date.now(), title);
          assert.equal(createdAt, new Date(Number(now)).toISOString());
          assert.deepEqual(rest, {
            ...{ updatedAt: createdAt, thoughtCount: 0, linkedProjects: [], pinned: false, archived: false },
            ...{ mcpRootUri: x, project: x.replace("file://", "") },
          });
          const named = await agent.init("start_new", { title: "Why the cache is slow", domain: "performance" });
          assert.deepEqual([named.session.title, named.session.domain], ["Why the cache is slow", "performance"]);
        });
      },
    );

    test(
      "a client without roots needs the id, and its sessions belong to no root [T-02, T-04, T-11]",
      options,
      async () => {
        await agents([{}, { bound: freshRoot() }], async (rootless, other) => {
          const { session, hint } = await rootless.init("start_new");
          assert.equal("mcpRootUri" in session || "project" in session, false);
          assert.equal(typeof hint, "string");
          await rootless.call("thought", { sessionId: session.id, thought: "alone" });

          const unfound = await rootless.init("load_context");
          assert.equal(unfound.success, false);
          assert.match(unfound.message, NOT_BOUND);
          await rootless.logged("warning: No root is bound; bind a root to recover sessions by project");
          assert.deepEqual((await rootless.init("list_sessions")).sessions, []);
          assert.deepEqual(await other.init("load_context"), none);

          const found = await rootless.init("load_context", { sessionId: session.id });
          assert.deepEqual([found.success, found.session.id, found.thoughts], [true, session.id, ["alone"]]);
        });
      },
    );

    test(
      "the newest session of the root is recovered and reported to the agent and in the log [T-05, T-08, T-12, T-18]",
      options,
      async () => {
        const x = freshRoot();
        await agents([{ bound: x }, { bound: x }], async (agent, later) => {
          const a = await agent.think("a1");
          const b = await agent.think("b1", "b2");
          const newest = await later.init("load_context");
          assert.deepEqual([newest.session.id, newest.thoughts], [b, ["b1", "b2"]]);
          assert.match(
            newest.message,
            new RegExp(`^Auto-recovered session ${b} \\(2 thoughts, last updated \\d+ s ago\\)$`),
          );
          await later.logged(`info: [Init] Auto-recovered session ${b} for root ${x}`);

          await agent.call("thought", { sessionId: a, thought: "a2" });
          assert.deepEqual(
            (await later.init("load_context")).thoughts,
            ["a1", "a2"],
            "what was thought in last is newest",
          );
        });
      },
    );

    test("an explicit id wins although the root has a newer session [T-04, T-06, T-18]", options, async () => {
      const x = freshRoot();
      await agents([{ bound: x }], async (agent) => {
        const a = await agent.think("a1");
        const b = await agent.think("b1");
        const found = await agent.init("load_context", { sessionId: a, mcpRootUri: x });
        assert.deepEqual([found.session.id, found.thoughts], [a, ["a1"]]);
        assert.equal((await agent.init("load_context", { sessionId: b })).session.id, b);
        assert.deepEqual(await agent.init("load_context", { sessionId: "zzz" }), {
          success: false,
          message: "Session zzz not found",
        });
      });
    });

    test(
      "a root without sessions returns the advice to start one, and an unknown id is never replaced by a guess [T-09, T-10, T-18]",
      options,
      async () => {
        await agents([{ bound: freshRoot() }], async (agent) => {
          assert.deepEqual(await agent.init("load_context"), none);
          await agent.think("something");
          const unknown = { success: false, message: "Session abc-123 not found" };
          assert.deepEqual(await agent.init("load_context", { sessionId: "abc-123" }), unknown);
          assert.deepEqual(await agent.init("update_session", { sessionId: "abc-123", pinned: true }), unknown);
          assert.deepEqual(await agent.call("thought", { sessionId: "abc-123", thought: "lost?" }), unknown);
        });
      },
    );

    test(
      "sessions are listed only for their root, best first, and the agent can choose [T-07, T-15]",
      options,
      async () => {
        const [x, y] = [freshRoot(), freshRoot()];
        await agents([{ bound: x }, { bound: y }], async (agent, elsewhere) => {
          const a = await agent.think("a1");
          const c = await elsewhere.think("c1");
          const b = await agent.think("b1");
          const ids = async (who) => (await who.init("list_sessions")).sessions.map(({ id }) => id);
          assert.deepEqual(await ids(agent), [b, a]);
          assert.deepEqual(await ids(elsewhere), [c]);
          assert.deepEqual((await agent.init("load_context", { sessionId: a })).thoughts, ["a1"]);
        });
      },
    );

    test("a session of another root is allowed by its id, with a line in the log [T-16]", options, async () => {
      const [x, y] = [freshRoot(), freshRoot()];
      await agents([{ bound: x }, { bound: y }], async (agent, elsewhere) => {
        const own = await elsewhere.think("own");
        const other = await agent.think("of x");
        assert.equal((await elsewhere.init("load_context", { sessionId: own })).success, true);
        const found = await elsewhere.init("load_context", { sessionId: other });
        assert.deepEqual([found.success, found.thoughts, found.session.mcpRootUri], [true, ["of x"], x]);
        await elsewhere.logged(`info: Session ${other} belongs to another root`);
        assert.doesNotMatch(elsewhere.log(), new RegExp(`${own} belongs`));
        assert.equal((await elsewhere.init("load_context")).session.id, own);
      });
    });

    test(
      "a pinned session is preferred, an archived one is found only by its id, and both can be named [T-15, T-19]",
      options,
      async () => {
        await agents([{ bound: freshRoot() }], async (agent) => {
          const a = await agent.think("a1");
          const b = await agent.think("b1");
          const change = (sessionId, changes) => agent.init("update_session", { sessionId, ...changes });
          const loaded = async () => (await agent.init("load_context")).session;
          await change(a, { pinned: true, title: "The plan" });
          assert.deepEqual([(await loaded()).id, (await loaded()).title], [a, "The plan"]);
          await change(b, { pinned: true });
          assert.equal((await loaded()).id, b, "of two the newest");
          await change(b, { archived: true });
          assert.equal((await loaded()).id, a);
          assert.deepEqual(
            (await agent.init("list_sessions")).sessions.map(({ id }) => id),
            [a],
          );
          assert.equal((await agent.init("load_context", { sessionId: b })).success, true);
          await change(b, { archived: false, pinned: false });
          await change(a, { pinned: false });
          assert.equal((await loaded()).id, b);
        });
      },
    );

    test(
      "every spelling of a root is the same project, and a different case is another project [T-01, T-07, T-20]",
      options,
      async () => {
        const base = freshRoot();
        const canonical = `${base}/my%20project`;
        const spellings = [
          `${canonical}/`,
          canonical.replace("file://", "file://localhost"),
          `${base}/./other/../my%20pr%6Fject`,
          `${base}/my project`,
        ];
        const otherCase = `${base}/My%20Project`;
        await agents([{ bound: canonical }, { roots: [...spellings, otherCase] }], async (agent, other) => {
          const id = await agent.think("one");
          for (const spelling of spellings) {
            await other.bind(spelling);
            const { session } = await other.init("load_context");
            assert.deepEqual([session?.id, session?.mcpRootUri], [id, canonical], spelling);
          }
          await other.bind(otherCase);
          assert.deepEqual(await other.init("load_context"), none);
        });
      },
    );

    test(
      "times are compared as times, equal times keep their order, and the age is reported [T-08, T-13, T-21]",
      options,
      async () => {
        const { openStore } = await import("./dist/store.js");
        const store = await openStore(setup.store);
        const project = (uri) => ({ mcpRootUri: uri, project: uri.replace("file://", "") });
        const session = (name, uri, createdAt) =>
          store.createSession({ id: `${name}-${uri.split("-").at(-1)}`, title: name, createdAt, ...project(uri) });
        const [x, y, z, w] = [freshRoot(), freshRoot(), freshRoot(), freshRoot()];
        try {
          await session("later-as-text", x, "2026-01-17T10:00:00+02:00");
          await session("later-in-fact", x, "2026-01-17T09:00:00Z");
          await session("unreadable", w, "yesterday");
          await session("dated", w, "2026-01-17T09:00:00Z");
          for (const name of ["first", "second", "third"]) await session(name, y, "2026-01-17T09:00:00Z");
          const ago = new Date(Date.now() - 121_000).toISOString();
          await session("abc", z, ago);
          for (let number = 1; number <= 47; number += 1)
            await store.addThought(`abc-${z.split("-").at(-1)}`, `thought ${number}`, ago);
        } finally {
          await store.close();
        }
        await agents([{ roots: [x, y, z, w] }], async (agent) => {
          const titles = async () => (await agent.init("list_sessions")).sessions.map(({ title }) => title);
          await agent.bind(x);
          assert.deepEqual(await titles(), ["later-in-fact", "later-as-text"]);
          await agent.bind(y);
          assert.deepEqual(await titles(), ["first", "second", "third"]);
          assert.equal((await agent.init("load_context")).session.title, "first");
          await agent.bind(z);
          const { message, session, thoughts } = await agent.init("load_context");
          assert.equal(message, `Auto-recovered session ${session.id} (47 thoughts, last updated 2 min ago)`);
          assert.equal(thoughts.at(-1), "thought 47");
          await agent.bind(w);
          const found = await agent.init("load_context");
          assert.equal(found.session.title, "dated", "a time that nobody can read is never the newest");
          assert.deepEqual(await titles(), ["dated", "unreadable"]);
          await until(
            () => /^warning: Session unreadable-\d+: `updatedAt` is not a time/m.test(agent.log()),
            () => `the problem in\n${agent.log()}`,
          );
          const { id } = (await agent.init("list_sessions")).sessions[1];
          assert.equal((await agent.init("load_context", { sessionId: id })).session.title, "unreadable");
        });
      },
    );

    test(
      "a new client with a new MCP session continues where the last one stopped [T-01, T-05, T-17, T-18]",
      options,
      async () => {
        const x = freshRoot();
        const seen = [];
        for (const [index, thought] of ["one", "two", "three"].entries()) {
          await agents([{ bound: x }], async (agent) => {
            seen.push(agent.transport.sessionId ?? agent.transport.pid);
            if (index === 0) await agent.init("start_new");
            const { session } = await agent.init("load_context");
            await agent.call("thought", { sessionId: session.id, thought });
          });
        }
        if (over === "stdio" || era === "legacy") assert.equal(new Set(seen).size, 3, "three MCP sessions");
        await agents([{ bound: x }], async (agent) =>
          assert.deepEqual((await agent.init("load_context")).thoughts, ["one", "two", "three"]),
        );
      },
    );

    test("a new session with one root finds the last one by load_context alone [T-17, T-18]", options, async () => {
      const x = freshRoot();
      let id;
      await agents([{ roots: [x] }], async (agent) => {
        id = (await agent.init("start_new")).session.id;
        await agent.call("thought", { sessionId: id, thought: "before the timeout" });
      });
      await agents([{ roots: [x] }], async (agent) => {
        const { success, session, thoughts } = await agent.init("load_context");
        assert.deepEqual([success, session.id, session.mcpRootUri, thoughts], [true, id, x, ["before the timeout"]]);
      });
      await agents([{ roots: [freshRoot()] }], async (agent) =>
        assert.deepEqual(await agent.init("load_context"), none),
      );
    });

    test("a session that is linked to another root is found there too [T-19]", options, async () => {
      const [x, y] = [freshRoot(), freshRoot()];
      await agents([{ bound: x }, { bound: y }], async (agent, elsewhere) => {
        const id = await agent.think("about both");
        assert.deepEqual(await elsewhere.init("load_context"), none);
        for (const linkRootUri of [`${y}/`, y]) await agent.init("update_session", { sessionId: id, linkRootUri });
        const { session, thoughts } = await elsewhere.init("load_context");
        assert.deepEqual(
          [session.id, session.linkedProjects, thoughts],
          [id, [y.replace("file://", "")], ["about both"]],
        );
        assert.doesNotMatch(elsewhere.log(), new RegExp(`${id} belongs to another root`));
        const own = await elsewhere.think("own");
        assert.deepEqual(
          (await elsewhere.init("list_sessions")).sessions.map(({ id }) => id),
          [own, id],
        );
      });
    });

    // A client on another machine writes paths in its own way; over stdio it is on this machine.
    if (over === "http" && process.platform !== "win32") {
      test("a client on Windows continues its sessions, also through links [T-07, T-19, T-20]", options, async () => {
        const name = freshRoot().split("/").at(-1);
        const x = `file:///c%3A/Users/dev/${name}`;
        const other = freshRoot();
        await agents(
          [{ bound: x }, { bound: `file:///C:/Users/DEV/${name}/` }, { bound: other }],
          async (agent, later, elsewhere) => {
            const id = await agent.think("on Windows");
            const { session, thoughts } = await later.init("load_context");
            assert.deepEqual([session?.id, thoughts], [id, ["on Windows"]]);
            assert.equal(session.project, `C:\\USERS\\DEV\\${name.toUpperCase()}`);
            assert.equal((await later.init("load_context", { sessionId: id })).success, true);
            assert.doesNotMatch(later.log(), new RegExp(`${id} belongs to another root`));

            const linked = await elsewhere.think("linked");
            await elsewhere.init("update_session", { sessionId: linked, linkRootUri: x });
            const listed = (await later.init("list_sessions")).sessions.map(({ id }) => id);
            assert.deepEqual(listed, [linked, id]);
          },
        );
      });
    }

    // The server binds nothing for clients of 2026-07-28.
    if (era === "legacy") {
      test("a bound root stays when the client's list changes [T-01]", options, async () => {
        const [x, y] = [freshRoot(), freshRoot()];
        await agents([{ bound: x }], async (agent) => {
          const id = await agent.think("kept");
          agent.state.roots = [y];
          await agent.client.sendRootsListChanged();
          assert.equal((await agent.init("load_context")).session.id, id);
        });
      });
    }

    test("no confirmed thought is lost when the server is killed three times [T-01, T-17, T-18]", options, async () => {
      const x = freshRoot();
      const confirmed = [];
      for (let round = 1; round <= 3; round += 1) {
        const agent = await (await connect(setup, { roots: [x] })).bind(x);
        const sessionId = round === 1 ? await agent.think() : (await agent.init("load_context")).session.id;
        const goal = confirmed.length + 10;
        let killed = false;
        const keepThinking = async (who) => {
          for (let n = 1; !killed; n += 1) {
            const thought = `${round}.${who}.${n}`;
            await agent.call("thought", { sessionId, thought });
            confirmed.push(thought);
          }
        };
        const work = [1, 2, 3].map((who) => keepThinking(who).catch(() => {}));
        await until(
          () => confirmed.length >= goal,
          () => `${confirmed.length} thoughts`,
        );
        killed = true;
        await agent.kill();
        await Promise.all(work);
      }
      const agent = await (await connect(setup, { roots: [x] })).bind(x);
      try {
        const { session, thoughts } = await agent.init("load_context");
        assert.deepEqual(
          confirmed.filter((thought) => !thoughts.includes(thought)),
          [],
        );
        assert.equal(new Set(thoughts).size, session.thoughtCount);
        const next = await agent.call("thought", { sessionId: session.id, thought: "after" });
        assert.equal(next.thoughtNumber, session.thoughtCount + 1);
      } finally {
        await agent.close();
      }
    });

    test("two servers share a store, and each thought gets its own number [T-01, T-17]", options, async () => {
      const x = freshRoot();
      const replicas = [];
      try {
        for (let n = 0; n < 2; n += 1) replicas.push(await (await connect(setup, { roots: [x] })).bind(x));
        const sessionId = await replicas[0].think();
        const thoughts = Array.from({ length: 40 }, (_, index) => `thought ${index}`);
        const add = (thought, index) => replicas[index % 2].call("thought", { sessionId, thought });
        const numbers = (await Promise.all(thoughts.map(add))).map(({ thoughtNumber }) => thoughtNumber);
        assert.deepEqual(
          numbers.toSorted((a, b) => a - b),
          thoughts.map((_, index) => index + 1),
        );
        for (const replica of replicas) {
          const loaded = await replica.init("load_context");
          assert.deepEqual(
            numbers.map((number) => loaded.thoughts[number - 1]),
            thoughts,
          );
        }
      } finally {
        for (const replica of replicas) await replica.close();
      }
    });

    // The folders of a client are those of this disk only where the server runs beside it.
    const noGit = spawnSync("git", ["--version"]).status === 0 ? false : "there is no git";
    const worktrees = { ...options, skip: over === "http" ? "the client may be on another machine" : noGit };
    test("with --identity repository, a worktree continues the session of the main checkout", worktrees, async () => {
      const work = realpathSync(mkdtempSync(join(folder, "work-")));
      const git = (place, ...args) => {
        const who = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
        const env = { ...process.env, HOME: work, GIT_CONFIG_NOSYSTEM: "1" };
        execFileSync("git", [...who, ...args], { cwd: join(work, place), env, stdio: "pipe" });
      };
      mkdirSync(join(work, "app"));
      git("app", "init", "-q");
      git("app", "commit", "-q", "--allow-empty", "-m", "first");
      git("app", "worktree", "add", "-q", "../fix");
      for (const identity of ["repository", "folder"]) {
        const at = (place) => {
          const plan = { roots: [`file://${join(work, place)}`] };
          return connect({ ...setup, options: ["--identity", identity] }, plan).then((one) => one.bind(plan.roots[0]));
        };
        const [main, fix] = [await at("app"), await at("fix")];
        try {
          const { session } = await main.init("start_new", { title: identity });
          const found = await fix.init("load_context");
          if (identity === "repository") assert.equal(found.session.id, session.id);
          else assert.deepEqual(found, none);
        } finally {
          for (const one of [main, fix]) await one.close();
        }
      }
    });

    describe("as shipped", () => {
      const shipped = { preset: "thoughtbox-shipped" };
      const agent = async (plan, work) => {
        const one = await connect({ ...setup, ...shipped }, plan);
        try {
          await work(one);
        } finally {
          await one.close();
        }
      };

      test("the first root is the project permanently and needs no binding", options, async () => {
        const [x, y] = [freshRoot(), freshRoot()];
        await agent({ roots: [x, y] }, async (one) => {
          const empty = await one.init("load_context");
          const message =
            "No sessions found in this workspace. Start one with tb.thought({ thought, nextThoughtNeeded: true }).";
          assert.deepEqual(empty, { success: false, message });
          const id = await one.think("hm");
          assert.equal((await one.init("load_context")).session.id, id);
          if (era === "legacy") {
            const name = x.split("/").at(-1);
            await assert.rejects(one.init("bind_root", { rootUri: y }), {
              message: `Storage already scoped to project "${name}", cannot change to "${y}"`,
            });
          }
        });
      });

      test("THOUGHTBOX_PROJECT wins over roots, and the client is not asked", options, async () => {
        const name = `alpha-${++roots}`;
        await agent({ roots: [freshRoot()], env: { THOUGHTBOX_PROJECT: name } }, async (one) => {
          const { session } = await one.init("start_new");
          assert.deepEqual([session.project, session.mcpRootUri], [`name:${name}`, undefined]);
          assert.equal((await one.init("load_context")).session.id, session.id);
          assert.equal(one.state.asked, 0);
        });
      });

      test("without a project nothing is stored", options, async () => {
        await agent({}, async (one) => {
          const message =
            "Project scope not established. Set THOUGHTBOX_PROJECT (or pass workspaceId) or connect a client that provides MCP roots.";
          await assert.rejects(one.init("start_new"), { message });
          await assert.rejects(one.init("load_context"), { message });
        });
      });
    });
  });
}
