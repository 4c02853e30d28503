// Servers of both SDKs with clients in other languages.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { presets } from "rootwise";
import { at, serve, servers } from "./clients.mjs";
import { peers, play } from "./peers.mjs";

const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-clients-")));
after(() => rmSync(base, { recursive: true, force: true }));
const folder = (name) => {
  mkdirSync(join(base, name), { recursive: true });
  return join(base, name);
};
const [alpha, beta, env, empty] = ["alpha", "beta", "from-env", "empty"].map(folder);
const uri = (path) => `file://${path}`;
const hasty = { ...presets.recommended, timing: { callerTimeoutMs: 1_000, requestTimeoutMs: 20_000 } };
/** These scenarios count requests, and a busy machine takes more than the fresh time for some. */
const lasting = { ...presets.recommended, timing: { maxAgeMs: 600_000 } };

/** The scenarios: the client's roots, the steps, and the expected results. */
function scenarios(modern, over) {
  /** Over HTTP nothing ties the calls of a modern client together. */
  const alone = modern && over === "http";
  const variables = { CLAUDE_PROJECT_DIR: env };
  const twice = [{ call: "where" }, { call: "where" }];
  const same = {
    "roots, and 50 calls at once": {
      roots: [uri(alpha), uri(beta)],
      steps: [{ call: "where", times: 50 }, { call: "where" }],
      check: (results, asked) => {
        assert.equal(results.flat().length, 51);
        for (const project of results.flat())
          assert.deepEqual(project, { name: "alpha", path: alpha, source: "roots" });
        // On a pipe, a modern client is asked by the results of the calls that arrive before its first list.
        if (modern && !alone) assert.ok(asked >= 1 && asked <= 50, String(asked));
        else assert.equal(asked, alone ? 51 : 1);
      },
    },
    "none declared": { roots: null, variables, steps: twice, check: fromEnv(0) },
    "an empty list": { roots: [], variables, steps: twice, check: fromEnv(alone ? 2 : 1) },
    "nothing at all": {
      roots: null,
      steps: [{ call: "where" }],
      check: ([[text]]) => assert.match(text, /No project/),
    },
    "bad entries": {
      roots: ["", "C:\\x\\beta", "https://example.com", uri(alpha)],
      steps: [{ call: "where" }, { call: "roots" }],
      check: ([[project], [{ roots }]]) => {
        assert.equal(project.path, alpha);
        assert.deepEqual(
          roots.map(({ problem }) => problem !== undefined),
          [true, true, true, false],
        );
      },
    },
    "Windows spellings": {
      roots: ["file:///c%3A/code/app", "file:///C:/code/app", "file:///c:/code/app/", "C:\\code\\app"],
      // On another machine, so that nothing is checked here.
      options: { requirePath: false, host: { local: false } },
      steps: [{ call: "where" }, { call: "roots" }],
      check: ([[project], [{ roots }]]) => {
        assert.equal(project.name, "app");
        assert.deepEqual(
          roots.map(({ clientPath }) => clientPath?.toLowerCase()),
          Array(4).fill("c:\\code\\app"),
        );
      },
    },
  };
  // A modern client is asked through a result: a silent client never repeats the call, and there is no result to check.
  if (modern) return same;
  return {
    ...same,
    "a client that does not know its own method": { roots: "refuse", variables, steps: twice, check: fromEnv(1) },
    "a client that never answers": {
      roots: "silent",
      variables,
      options: { policy: hasty },
      steps: twice,
      check: fromEnv(1),
    },
    "roots that change": {
      roots: [uri(alpha)],
      steps: [{ call: "where" }, { roots: [uri(beta)] }, { call: "where" }],
      check: (results, asked) => assert.deepEqual([...results.flat().map(({ path }) => path), asked], [alpha, beta, 2]),
    },
  };
}

const fromEnv = (times) => (results, asked) => {
  assert.deepEqual(
    results.flat().map(({ source, path }) => [source, path]),
    [
      ["env", env],
      ["env", env],
    ],
  );
  assert.equal(asked, times);
};

for (const [name, { command, eras }] of Object.entries(peers)) {
  const made = command();
  describe(name, () => {
    for (const [server, served] of Object.entries(servers)) {
      for (const era of eras.filter((era) => served.includes(era))) {
        for (const over of ["stdio", "http"]) combination({ server, era, over, made });
      }
    }
  });
}

/** Runs one combination per processor at a time, since all of them start processes. */
const lanes = Array.from({ length: availableParallelism() }, () => Promise.resolve());
let combinations = 0;
function inTurn(run) {
  const lane = combinations++ % lanes.length;
  const turn = lanes[lane].then(run);
  lanes[lane] = turn.catch(() => {});
  return turn;
}

/** One client process plays all scenarios of a combination. */
function combination({ server, era, over, made }) {
  const played = Object.entries(scenarios(era === "modern", over));
  const outcomes = made.then((peer) =>
    inTurn(async () => {
      const places = played.map(([, { options, variables }]) =>
        (over === "http" ? listening : piped)(
          server,
          { policy: lasting, host: { local: true, dedicated: true }, ...options },
          variables,
        ),
      );
      const servers = await Promise.all(places);
      return play(
        peer,
        played.map(([, { roots, steps }], index) => ({
          server: servers[index],
          era,
          roots,
          steps: [...steps, { call: "counts" }],
        })),
      );
    }),
  );
  // The tests below await this promise; until then a rejection counts as handled.
  outcomes.catch(() => {});

  describe(`${server}, ${era}, ${over}`, () => {
    before(() => outcomes, { timeout: 900_000 });
    for (const [index, [title, { check }]] of played.entries()) {
      test(title, async () => {
        const { results, asked, error } = (await outcomes)[index];
        assert.equal(error, undefined);
        const [counts] = results.pop();
        assert.equal(JSON.parse(counts.text).rejections, 0);
        check(
          results.map((calls) => calls.map(({ text, failed }) => (failed ? text : JSON.parse(text)))),
          asked,
        );
      });
    }
  });
}

/** A server that the client starts. */
function piped(server, settings, variables) {
  const own = { PATH: process.env.PATH, HOME: process.env.HOME, E2E_OPTIONS: JSON.stringify(settings), ...variables };
  return { command: process.execPath, args: [at(`servers/${server}.mjs`)], env: own, cwd: empty };
}

const listeners = new Map();

/** A server that is shared by all clients with the same needs. */
async function listening(server, settings, variables) {
  const key = JSON.stringify([server, settings, variables]);
  if (!listeners.has(key)) listeners.set(key, serve(server, { options: settings, env: variables, cwd: empty }));
  const { url } = await listeners.get(key);
  return { url };
}
after(async () => {
  for (const { value } of await Promise.allSettled(listeners.values())) await value?.stop();
});
