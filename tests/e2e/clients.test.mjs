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

for (const [name, { command, eras }] of Object.entries(peers)) {
  describe(name, () => {
    let peer;
    before(() => (peer = command()), { timeout: 400_000 });

    for (const server of ["sdk1", "sdk2"]) {
      for (const era of server === "sdk1" ? ["legacy"] : eras) {
        for (const over of ["stdio", "http"]) {
          const modern = era === "modern";
          /** Plays a script against a server of its own; every answer is parsed. */
          const scenario = (title, { roots, steps, options = {}, variables = {} }, check) =>
            test(`${server}, ${era}, ${over}: ${title}`, { timeout: 60_000 }, async () => {
              const settings = { host: { local: true }, ...options };
              const http = over === "http" ? await serve(server, { options: settings, env: variables, cwd: empty }) : undefined;
              const stdio = {
                command: process.execPath,
                args: [at(`servers/${server}.mjs`)],
                env: { PATH: process.env.PATH, HOME: process.env.HOME, E2E_OPTIONS: JSON.stringify(settings), ...variables },
                cwd: empty,
              };
              try {
                const script = { server: http ? { url: http.url } : stdio, era, roots, steps: [...steps, { call: "counts" }] };
                const { results, asked } = await play(peer, script);
                const counts = JSON.parse(results.pop()[0].text);
                assert.equal(counts.rejections, 0);
                check(results.map((calls) => calls.map(({ text, failed }) => (failed ? text : JSON.parse(text)))), asked);
              } finally {
                await http?.stop();
              }
            });

          scenario("roots, and 50 calls at once", { roots: [uri(alpha), uri(beta)], steps: [{ call: "where", times: 50 }, { call: "where" }] }, (results, asked) => {
            const all = results.flat();
            assert.equal(all.length, 51);
            for (const project of all) assert.deepEqual(project, { name: "alpha", path: alpha, source: "roots" });
            assert.equal(asked, modern ? 51 : 1);
          });

          const variables = { CLAUDE_PROJECT_DIR: env };
          scenario("none declared", { roots: null, variables, steps: [{ call: "where" }] }, ([[project]], asked) => {
            assert.deepEqual([project.path, project.source, asked], [env, "env", 0]);
          });

          scenario("an empty list", { roots: [], variables, steps: [{ call: "where" }] }, ([[project]], asked) => {
            assert.deepEqual([project.path, project.source, asked], [env, "env", 1]);
          });

          scenario("nothing at all", { roots: null, steps: [{ call: "where" }] }, ([[text]]) => assert.match(text, /No project/));

          if (modern) continue;
          scenario("a client that does not know its own method", { roots: "refuse", variables, steps: [{ call: "where" }, { call: "where" }] }, (results, asked) => {
            assert.deepEqual([...results.flat().map(({ source }) => source), asked], ["env", "env", 1]);
          });

          scenario("roots that change", { roots: [uri(alpha)], steps: [{ call: "where" }, { roots: [uri(beta)] }, { call: "where" }] }, (results, asked) => {
            assert.deepEqual([...results.flat().map(({ path }) => path), asked], [alpha, beta, 2]);
          });

          // The Python clients answer inside their reading loop: while they are silent they read nothing else either.
          if (name !== "Rust rmcp") continue;
          scenario("a client that never answers", { roots: "silent", variables, options: { policy: hasty }, steps: [{ call: "where" }, { call: "where" }] }, (results, asked) => {
            assert.deepEqual([...results.flat().map(({ source }) => source), asked], ["env", "env", 1]);
          });

          scenario("bad entries", { roots: ["", "C:\\x\\beta", "https://example.com", uri(alpha)], steps: [{ call: "where" }] }, ([[project]]) => {
            assert.equal(project.path, alpha);
          });
        }
      }
    }
  });
}
