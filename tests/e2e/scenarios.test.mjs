// Every pair of server and client, both eras, over stdio and HTTP: the project that each kind of client gets.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { presets } from "rootwise";
import { connect, pairs, sharedServers } from "./clients.mjs";

const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-e2e-")));
const servers = sharedServers();
after(async () => {
  await servers.stop();
  rmSync(base, { recursive: true, force: true });
});
const folder = (name) => {
  mkdirSync(join(base, name), { recursive: true });
  return join(base, name);
};
const [alpha, beta, env, empty, inner] = ["alpha", "beta", "from-env", "empty", "alpha/inner"].map(folder);
const uri = (path) => `file://${path}`;

/** A server over HTTP that was started for its clients, with their variables. */
const local = { local: true, dedicated: true };
const hasty = { ...presets.recommended, timing: { callerTimeoutMs: 1_000, requestTimeoutMs: 20_000 } };
const insistent = { ...presets.recommended, roots: { ...presets.recommended.roots, requireCapability: false } };
/** Never asks again by itself, so that the number of requests does not depend on the speed of the machine. */
const lasting = { ...presets.recommended, timing: { ...presets.recommended.timing, maxAgeMs: null } };
const fromEnv = { env: { CLAUDE_PROJECT_DIR: env } };

/** Connects, runs, closes, and checks that no error was left unhandled. With `alone`, the server has no other client. */
const scenario = (name, pair, { alone = false, ...settings }, run) =>
  test(name, { timeout: 60_000 }, async () => {
    const all = { cwd: empty, ...settings, options: { host: local, ...settings.options } };
    const peer = await connect(
      pair,
      pair.over === "http" && !alone ? { ...all, url: await servers.url(pair.server, all) } : all,
    );
    try {
      await run(peer);
      assert.equal((await peer.call("counts")).value.rejections, 0);
    } finally {
      await peer.close();
    }
  });

/** A promise with its resolve function. */
function later() {
  let resolve;
  const promise = new Promise((settle) => (resolve = settle));
  return { promise, resolve };
}

for (const pair of pairs) {
  const modern = pair.era === "modern";
  /** Over HTTP nothing ties the calls of a modern client together; on a pipe they come from the client that started the server. */
  const alone = modern && pair.over === "http";
  describe(pair.name, () => {
    scenario(
      "roots name the project and are requested once if possible",
      pair,
      { roots: [{ uri: uri(alpha), name: "Alpha" }] },
      async (peer) => {
        for (let calls = 1; calls <= 3; calls += 1) {
          const { value } = await peer.call("where");
          assert.deepEqual(value, { name: "alpha", path: alpha, source: "roots" });
          assert.equal(peer.state.asked, alone ? calls : 1);
        }
      },
    );

    scenario(
      "the wrapper, a prompt and a resource get the same project",
      pair,
      { roots: [{ uri: uri(alpha) }] },
      async (peer) => {
        assert.deepEqual((await peer.call("wrapped", { q: "why" })).value, {
          name: "alpha",
          path: alpha,
          source: "roots",
          q: "why",
        });
        const { messages } = await peer.client.getPrompt({ name: "brief" });
        assert.equal(messages[0].content.text, "alpha");
        const { contents } = await peer.client.readResource({ uri: "project://info" });
        assert.equal(contents[0].text, "alpha");
      },
    );

    scenario(
      "of several roots the first counts, or the one that contains the target [A10]",
      pair,
      { roots: [{ uri: uri(alpha) }, { uri: uri(beta) }] },
      async (peer) => {
        assert.equal((await peer.call("where")).value.path, alpha);
        assert.equal((await peer.call("target", { path: join(beta, "file.txt") })).value.path, beta);
      },
    );

    scenario("a client without roots is not asked [C3]", pair, fromEnv, async (peer) => {
      assert.deepEqual((await peer.call("where")).value, {
        name: "from-env",
        path: env,
        source: "env",
        via: "CLAUDE_PROJECT_DIR",
      });
      assert.equal(peer.state.asked, 0);
    });

    scenario(
      "a client without roots still gets its project from a policy that asks every client",
      pair,
      { ...fromEnv, options: { policy: insistent } },
      async (peer) => {
        assert.equal((await peer.call("where")).value.source, "env");
      },
    );

    scenario("a missing project returns a helpful result [C14]", pair, {}, async (peer) => {
      const { failed, text } = await peer.call("where");
      assert.ok(failed);
      assert.match(text, /project/);
      assert.match(text, /^No project was found: the client declares no roots.*\n(?:Call|Pass|Send|Start) .*`/);
      assert.equal((await peer.call("current")).text, "none");
    });

    scenario("an empty list falls through to the next source", pair, { roots: [], ...fromEnv }, async (peer) => {
      assert.equal((await peer.call("where")).value.source, "env");
      assert.equal((await peer.call("where")).value.source, "env");
      assert.equal(peer.state.asked, alone ? 2 : 1);
    });

    scenario(
      "bad entries affect only themselves [E8, E9]",
      pair,
      {
        roots: [
          { uri: "https://example.com/x" },
          { uri: "file://elsewhere/x" },
          { uri: "relative" },
          { uri: uri(alpha) },
        ],
      },
      async (peer) => {
        assert.equal((await peer.call("where")).value.path, alpha);
        const { roots } = (await peer.call("roots")).value;
        assert.deepEqual(
          roots.map(({ problem }) => problem ?? null).map((problem) => problem !== null),
          [true, true, true, false],
        );
      },
    );

    scenario(
      "50 concurrent legacy calls cause one request [C11]",
      pair,
      { roots: [{ uri: uri(alpha) }], options: { policy: lasting } },
      async (peer) => {
        const all = await Promise.all(Array.from({ length: 50 }, () => peer.call("where")));
        assert.deepEqual([...new Set(all.map(({ value }) => value?.path))], [alpha]);
        // A modern client is asked by the results of the calls that arrive before its first list.
        if (modern && !alone) assert.ok(peer.state.asked >= 1 && peer.state.asked <= 50);
        else assert.equal(peer.state.asked, alone ? 50 : 1);
      },
    );

    scenario("a call waits for the roots [C1]", pair, { roots: [] }, async (peer) => {
      const asked = later();
      const release = later();
      peer.state.roots = async () => {
        asked.resolve();
        await release.promise;
        return [{ uri: uri(alpha) }];
      };
      const call = peer.call("where");
      await asked.promise;
      assert.equal(await Promise.race([call, Promise.resolve("waiting")]), "waiting");
      release.resolve();
      assert.equal((await call).value.path, alpha);
    });

    const spellings = ["file:///c%3A/code/app", "file:///C:/code/app", "file:///c:/code/app/", "C:\\code\\app"];
    const windows = { requirePath: false, host: { local: false } };
    scenario(
      "Windows spellings mean one folder",
      pair,
      { roots: spellings.map((text) => ({ uri: text })), options: windows },
      async (peer) => {
        const { roots } = (await peer.call("roots")).value;
        assert.deepEqual([...new Set(roots.map(({ clientPath }) => clientPath.toLowerCase()))], ["c:\\code\\app"]);
        const { name, path } = (await peer.call("where")).value;
        assert.deepEqual([name, path], ["app", undefined]);
      },
    );

    scenario(
      "a project named in the call wins; a bad one is refused [F8]",
      pair,
      { roots: [{ uri: uri(alpha) }] },
      async (peer) => {
        assert.deepEqual((await peer.call("named", { project: inner })).value, {
          name: "inner",
          path: inner,
          source: "argument",
        });
        const { failed, text } = await peer.call("named", { project: "not/absolute" });
        assert.ok(failed);
        assert.match(text, /not\/absolute/);
      },
    );

    scenario(
      "a handler that swallows exceptions still gets its project",
      pair,
      { roots: [{ uri: uri(alpha) }] },
      async (peer) => {
        assert.equal((await peer.call("swallow")).value?.path, alpha);
      },
    );

    scenario(
      "a tool that was registered too early returns an error on SDK 2.x",
      pair,
      { roots: [{ uri: uri(alpha) }] },
      async (peer) => {
        await peer.call("where");
        const { failed, text } = await peer.call("early");
        assert.equal(failed, pair.server === "sdk2");
        if (failed) assert.match(text, /registered before rootwise\(server\)/);
      },
    );

    scenario(
      "the ready-made tools explain, switch and list",
      pair,
      { roots: [{ uri: uri(alpha), name: "Alpha" }, { uri: uri(beta) }] },
      async (peer) => {
        assert.match((await peer.call("which_project")).text, /roots/);
        assert.match((await peer.call("list_roots")).text, /2 folders/);
        const { failed, text } = await peer.call("switch_project", { project: beta });
        // Where each call can name its project, the answer says how.
        assert.equal(failed, alone && !text.includes("with each call"), text);
        const { path, source } = (await peer.call("where")).value;
        assert.deepEqual([path, source], alone ? [alpha, "roots"] : [beta, "selected"]);
      },
    );

    if (modern) {
      scenario(
        "roots are read again in every call that may not use older ones [G6]",
        pair,
        { alone: true, roots: [{ uri: uri(alpha) }], options: alone ? {} : { policy: { timing: { maxAgeMs: 0 } } } },
        async (peer) => {
          assert.equal((await peer.call("where")).value.path, alpha);
          peer.state.roots = [{ uri: uri(beta) }];
          assert.equal((await peer.call("where")).value.path, beta);
          assert.equal((await peer.call("changes")).value.length, alone ? 0 : 2);
        },
      );

      const elicit = async () => ({ action: "accept", content: { word: "yes" } });
      scenario(
        "a tool with its own input requests keeps its project",
        pair,
        { roots: [{ uri: uri(alpha) }], elicit },
        async (peer) => {
          assert.equal((await peer.call("rounds")).text, "alpha yes");
          assert.equal(peer.state.asked, 2);
        },
      );

      scenario(
        "a client that never answers blocks only its own call",
        pair,
        { roots: () => new Promise(() => {}) },
        async (peer) => {
          // This call never ends in the client, not even by an abort signal.
          peer.call("where").catch(() => {});
          // The server does not wait for it and answers other calls.
          assert.equal((await peer.call("counts")).value.rejections, 0);
        },
      );

      const manual = { roots: [], manual: true };
      scenario(
        "a call that is not repeated leaves no state, and a call repeated without answers is asked again",
        pair,
        manual,
        async (peer) => {
          const call = (again) =>
            peer.client.callTool({ name: "where", arguments: {}, ...again }, { allowInputRequired: true });
          const asking = { resultType: "input_required", inputRequests: { rootwise: { method: "roots/list" } } };
          const elsewhere = { other: { roots: [{ uri: uri(beta) }] } };
          for (const again of [{}, {}, { inputResponses: {} }, { inputResponses: elsewhere }]) {
            const { resultType, inputRequests } = await call(again);
            assert.deepEqual({ resultType, inputRequests }, asking);
          }
          const { content } = await call({
            inputResponses: { ...elsewhere, rootwise: { roots: [{ uri: uri(alpha) }] } },
          });
          assert.equal(JSON.parse(content[0].text).path, alpha);
        },
      );

      scenario(
        "a client that fails to list its roots fails its own call",
        pair,
        { roots: () => Promise.reject(new Error("no")) },
        async (peer) => {
          await assert.rejects(peer.call("where"));
        },
      );
    } else {
      const silent = { roots: () => new Promise(() => {}), options: { policy: hasty, host: local }, ...fromEnv };
      scenario(
        "a client that never answers costs one wait, and the next source counts [C2]",
        pair,
        silent,
        async (peer) => {
          assert.equal((await peer.call("where")).value.source, "env");
          assert.equal((await peer.call("where")).value.source, "env");
          assert.equal(peer.state.asked, 1);
        },
      );

      scenario(
        "a late answer counts and is announced [C4]",
        pair,
        { alone: true, ...silent, roots: [] },
        async (peer) => {
          const release = later();
          peer.state.roots = async () => {
            await release.promise;
            return [{ uri: uri(alpha) }];
          };
          assert.equal((await peer.call("where")).value.source, "env");
          release.resolve();
          let last;
          do last = (await peer.call("where")).value;
          while (last.source === "env");
          assert.equal(last.path, alpha);
          assert.equal(peer.state.asked, 1);
          assert.deepEqual((await peer.call("changes")).value, [
            [null, env],
            [env, alpha],
          ]);
        },
      );

      const unknown = () => Promise.reject(Object.assign(new Error("Method not found"), { code: -32601 }));
      scenario(
        "a client that declared roots but does not support them is asked once [C12]",
        pair,
        { roots: unknown, ...fromEnv },
        async (peer) => {
          assert.equal((await peer.call("where")).value.source, "env");
          assert.equal((await peer.call("where")).value.source, "env");
          assert.equal(peer.state.asked, 1);
        },
      );

      scenario(
        "changed roots change the project [D1, D2]",
        pair,
        { alone: true, roots: [{ uri: uri(alpha) }] },
        async (peer) => {
          // Several calls, so that the answer is cached.
          for (let calls = 0; calls < 5; calls += 1) assert.equal((await peer.call("where")).value.path, alpha);
          await peer.changed([{ uri: uri(beta) }]);
          assert.equal((await peer.call("where")).value.path, beta);
          assert.equal(peer.state.asked, 2);
          const changes = (await peer.call("changes")).value;
          assert.deepEqual([changes.at(0), changes.at(-1)[1]], [[null, alpha], beta]);
        },
      );

      scenario("a cancelled call does not affect the answers of others", pair, { roots: [] }, async (peer) => {
        const asked = later();
        const release = later();
        peer.state.roots = async () => {
          asked.resolve();
          await release.promise;
          return [{ uri: uri(alpha) }];
        };
        const cancel = new AbortController();
        const first = assert.rejects(peer.call("where", {}, { signal: cancel.signal }));
        await asked.promise;
        const second = peer.call("where");
        cancel.abort("enough");
        await first;
        release.resolve();
        assert.equal((await second).value.path, alpha);
      });
    }
  });
}
