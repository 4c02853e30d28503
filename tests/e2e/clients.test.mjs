// Servers of both SDKs with clients that are not TypeScript.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { presets } from "rootwise";
import { at, serve } from "./clients.mjs";
import { peers, play } from "./peers.mjs";

const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-clients-")));
after(() => rmSync(base, { recursive: true, force: true }));
const folder = (name) => {
  mkdirSync(join(base, name), { recursive: true });
  return join(base, name);
};
const [alpha, beta, env, empty] = ["alpha", "beta", "from-env", "empty"].map(folder);
const uri = (path) => `file://${path}`;
const hasty = { ...presets.recommended, timing: { waitMs: 250, lifeMs: 20_000 } };

/** What is played: the client's roots, the steps, and what must come of them. */
function scenarios(name, modern) {
  const variables = { CLAUDE_PROJECT_DIR: env };
  const twice = [{ call: "where" }, { call: "where" }];
  const same = {
    "roots, and 50 calls at once": {
      roots: [uri(alpha), uri(beta)],
      steps: [{ call: "where", times: 50 }, { call: "where" }],
      check: (results, asked) => {
        assert.equal(results.flat().length, 51);
        for (const project of results.flat()) assert.deepEqual(project, { name: "alpha", path: alpha, source: "roots" });
        assert.equal(asked, modern ? 51 : 1);
      },
    },
    "none declared": { roots: null, variables, steps: twice, check: fromEnv(0) },
    "an empty list": { roots: [], variables, steps: twice, check: fromEnv(modern ? 2 : 1) },
    "nothing at all": { roots: null, steps: [{ call: "where" }], check: ([[text]]) => assert.match(text, /No project/) },
  };
  if (modern) return same;
  const legacy = {
    ...same,
    "a client that does not know its own method": { roots: "refuse", variables, steps: twice, check: fromEnv(1) },
    "roots that change": {
      roots: [uri(alpha)],
      steps: [{ call: "where" }, { roots: [uri(beta)] }, { call: "where" }],
      check: (results, asked) => assert.deepEqual([...results.flat().map(({ path }) => path), asked], [alpha, beta, 2]),
    },
  };
  // The Python clients answer inside their reading loop, so while they are silent they read nothing else either; and they
  // do not let a bad URI out.
  if (name !== "Rust rmcp") return legacy;
  return {
    ...legacy,
    "a client that never answers": { roots: "silent", variables, options: { policy: hasty }, steps: twice, check: fromEnv(1) },
    "bad entries": {
      roots: ["", "C:\\x\\beta", "https://example.com", uri(alpha)],
      steps: [{ call: "where" }],
      check: ([[project]]) => assert.equal(project.path, alpha),
    },
  };
}

const fromEnv = (times) => (results, asked) => {
  assert.deepEqual(results.flat().map(({ source, path }) => [source, path]), [["env", env], ["env", env]]);
  assert.equal(asked, times);
};

for (const [name, { command, eras }] of Object.entries(peers)) {
  describe(name, () => {
    let peer;
    before(() => (peer = command()), { timeout: 400_000 });
    for (const server of ["sdk1", "sdk2"]) {
      for (const era of server === "sdk1" ? ["legacy"] : eras) {
        for (const over of ["stdio", "http"]) combination({ name, server, era, over, peer: () => peer });
      }
    }
  });
}

/** All scenarios of one combination are played by one process of the client, each with a server of its own. */
function combination({ name, server, era, over, peer }) {
  const played = Object.entries(scenarios(name, era === "modern"));
  describe(`${server}, ${era}, ${over}`, () => {
    let outcomes;
    before(async () => {
      const servers = [];
      const scripts = [];
      try {
        for (const [, { roots, steps, options, variables }] of played) {
          const settings = { host: { local: true }, ...options };
          const place = await (over === "http" ? listening(settings, variables) : piped(settings, variables));
          servers.push(place);
          scripts.push({ server: place.server, era, roots, steps: [...steps, { call: "counts" }] });
        }
        outcomes = await play(peer(), scripts);
      } finally {
        for (const place of servers) await place.stop();
      }
    }, { timeout: 120_000 });

    const piped = (settings, variables) => {
      const own = { PATH: process.env.PATH, HOME: process.env.HOME, E2E_OPTIONS: JSON.stringify(settings), ...variables };
      return { server: { command: process.execPath, args: [at(`servers/${server}.mjs`)], env: own, cwd: empty }, stop: () => {} };
    };
    const listening = async (settings, variables) => {
      const { url, stop } = await serve(server, { options: settings, env: variables, cwd: empty });
      return { server: { url }, stop };
    };

    for (const [index, [title, { check }]] of played.entries()) {
      test(title, () => {
        const { results, asked, error } = outcomes[index];
        assert.equal(error, undefined);
        const [counts] = results.pop();
        assert.equal(JSON.parse(counts.text).rejections, 0);
        check(results.map((calls) => calls.map(({ text, failed }) => (failed ? text : JSON.parse(text)))), asked);
      });
    }
  });
}
