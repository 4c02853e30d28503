// Cases that exist only over HTTP: isolated sessions, facts of single requests, servers without sessions.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { presets } from "rootwise";
import { projectGate } from "rootwise/mcp";
import { connect, pairs, serve } from "./clients.mjs";

const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-http-")));
after(() => rmSync(base, { recursive: true, force: true }));
const folder = (name) => {
  mkdirSync(join(base, name), { recursive: true });
  return join(base, name);
};
const [alpha, beta, outside, inner] = ["allowed/alpha", "allowed/beta", "outside", "allowed/alpha/inner"].map(folder);
const allowedDirs = [join(base, "allowed")];
const uri = (path) => `file://${path}`;
const pairsOver = (over) => pairs.filter((pair) => pair.over === over);

for (const pair of pairsOver("http")) {
  describe(pair.name, () => {
    test("two sessions never see each other's project [G1, G5]", { timeout: 60_000 }, async () => {
      const { url, stop } = await serve(pair.server, { options: { host: { local: true } } });
      const one = await connect(pair, { url, roots: [{ uri: uri(alpha) }] });
      const two = await connect(pair, { url, roots: [{ uri: uri(beta) }] });
      try {
        for (let round = 0; round < 3; round += 1) {
          const [first, second] = await Promise.all([one.call("where"), two.call("where")]);
          assert.deepEqual([first.value.path, second.value.path], [alpha, beta]);
        }
        if (pair.era === "legacy") {
          await one.call("switch_project", { project: inner });
          assert.equal((await one.call("where")).value.path, inner);
          assert.equal((await two.call("where")).value.path, beta);
        }
      } finally {
        await one.close();
        await two.close();
        await stop();
      }
    });

    test("a header or the query of a request names its project", { timeout: 60_000 }, async () => {
      const { url, stop } = await serve(pair.server, { options: { allowedDirs } });
      const peers = [
        await connect(pair, { url, roots: [{ uri: uri(alpha) }], headers: { "X-Project-Path": beta } }),
        await connect(pair, { url: `${url}?project_path=${encodeURIComponent(alpha)}` }),
        await connect(pair, { url, headers: { "X-Project-Path": outside } }),
      ];
      try {
        const [header, query, forbidden] = await Promise.all(peers.map((peer) => peer.call("where")));
        assert.deepEqual(header.value, { name: "beta", path: beta, source: "header", via: "x-project-path" });
        assert.equal(peers[0].state.asked, 0);
        assert.deepEqual(query.value, { name: "alpha", path: alpha, source: "query", via: "project_path" });
        assert.ok(forbidden.failed, forbidden.text);
      } finally {
        for (const peer of peers) await peer.close();
        await stop();
      }
    });

    test("within allowedDirs a root counts by its real path, also if that changes between two calls", {
      timeout: 60_000,
    }, async () => {
      const place = join(base, "allowed", `links-${pair.server}-${pair.client}-${pair.era}`);
      const [inside, link] = [join(place, "inside"), join(place, "link")];
      mkdirSync(inside, { recursive: true });
      const lead = (to) => {
        rmSync(link, { force: true });
        if (to) symlinkSync(to, link);
      };
      const { url, stop } = await serve(pair.server, { options: { allowedDirs } });
      lead(outside);
      const peer = await connect(pair, { url, roots: [{ uri: uri(link) }] });
      try {
        const where = async () => {
          const { failed, value } = await peer.call("where");
          return failed ? "refused" : value.path;
        };
        assert.equal(await where(), "refused", "the link leads outside");
        lead(inside);
        assert.equal(await where(), link);
        lead(outside);
        assert.equal(await where(), "refused", "it leads outside again");
        lead(undefined);
        assert.equal(await where(), "refused", "it is not there");
      } finally {
        await peer.close();
        await stop();
      }
    });

    test("two requests of one session with different headers get different projects [G1]", {
      timeout: 60_000,
    }, async () => {
      const headers = {};
      const { url, stop } = await serve(pair.server, { options: { host: { local: true } } });
      const peer = await connect(pair, { url, headers, roots: [{ uri: uri(outside) }] });
      try {
        for (let round = 0; round < 3; round += 1) {
          delete headers["X-Project-Path"];
          // Several calls, so that the answer is cached.
          for (let calls = 0; calls < 3; calls += 1) assert.equal((await peer.call("where")).value.path, outside);
          for (const path of [alpha, beta, alpha]) {
            headers["X-Project-Path"] = path;
            assert.equal((await peer.call("where")).value.path, path);
          }
        }
      } finally {
        await peer.close();
        await stop();
      }
    });

    test("a server without sessions uses only the request, and asks only clients that can answer", {
      timeout: 60_000,
    }, async () => {
      const { url, stop } = await serve(pair.server, { flags: ["--stateless"], options: { allowedDirs } });
      const plain = await connect(pair, { url, roots: [{ uri: uri(alpha) }] });
      const named = await connect(pair, { url, roots: [{ uri: uri(alpha) }], headers: { "X-Project-Path": beta } });
      try {
        const modern = pair.era === "modern";
        const { failed, value } = await plain.call("where");
        assert.equal(failed, !modern);
        if (modern) assert.equal(value.path, alpha);
        assert.equal(plain.state.asked, modern ? 1 : 0);
        assert.equal((await named.call("where")).value.path, beta);
      } finally {
        await plain.close();
        await named.close();
        await stop();
      }
    });
  });
}

test("a server that answers in JSON cannot ask, and continues at the caller's deadline [C10]", {
  timeout: 60_000,
}, async () => {
  const pair = { server: "sdk1", client: 1, era: "legacy", over: "http" };
  const policy = { ...presets.recommended, timing: { callerTimeoutMs: 1_000, requestTimeoutMs: 20_000 } };
  const options = { policy, host: { local: true, dedicated: true } };
  const peer = await connect(pair, {
    roots: [{ uri: uri(alpha) }],
    options,
    flags: ["--json"],
    env: { CLAUDE_PROJECT_DIR: beta },
  });
  try {
    assert.equal((await peer.call("where")).value.source, "env");
    assert.equal(peer.state.asked, 0);
  } finally {
    await peer.close();
  }
});

describe("the gate", () => {
  const gate = projectGate({ header: "X-Workspace-Id", query: "project_path", allowedDirs });

  test("as middleware passes valid requests on and answers 400 to all others", async () => {
    const server = createServer((req, res) =>
      gate(req, res, (error) => res.end(error ? "error" : (req.rootwise?.path ?? "none"))),
    );
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${server.address().port}/mcp`;
    const get = async (query, headers) => {
      const response = await fetch(`${url}${query}`, { headers });
      return [response.status, await response.text()];
    };
    try {
      assert.deepEqual(await get("", {}), [200, "none"]);
      assert.deepEqual(await get("", { "X-Workspace-Id": alpha }), [200, alpha]);
      assert.deepEqual(await get(`?project_path=${encodeURIComponent(beta)}`, {}), [200, beta]);
      for (const bad of [outside, "relative/path", join(base, "allowed/missing"), `${alpha}/../../outside`]) {
        const [status, body] = await get("", { "X-Workspace-Id": bad });
        assert.equal(status, 400, bad);
        assert.equal(JSON.parse(body).error.data.source, "header");
      }
    } finally {
      server.close();
    }
  });

  test("in front of a web handler", async () => {
    const handler = gate.fetch(async () => new Response("reached"));
    const ask = (value) => handler(new Request("http://localhost/mcp", { headers: { "x-workspace-id": value } }));
    assert.equal(await (await ask(alpha)).text(), "reached");
    assert.equal((await ask(outside)).status, 400);
  });

  test("checks thousands of requests at once, each for itself, and answers 503 above its limit", {
    timeout: 60_000,
  }, async () => {
    const request = (path) => new Request("http://localhost/mcp", { headers: { "x-workspace-id": path } });
    const timed = async (count) => {
      const began = performance.now();
      const all = await Promise.all(
        Array.from({ length: count }, (_, turn) => gate.check(request(turn % 2 ? alpha : outside))),
      );
      for (const [turn, { project, refusal }] of all.entries())
        assert.deepEqual([project?.path, refusal?.status], turn % 2 ? [alpha, undefined] : [undefined, 400]);
      return (performance.now() - began) / count;
    };
    await timed(500);
    const [few, many] = [await timed(500), await timed(5_000)];
    console.log(`${few.toFixed(3)} ms each of 500 requests at once, ${many.toFixed(3)} ms each of 5,000`);

    const small = projectGate({ header: "X-Workspace-Id", allowedDirs, maxPending: 10 });
    const verdicts = await Promise.all(Array.from({ length: 30 }, () => small.check(request(alpha))));
    assert.deepEqual(
      [10, 20],
      [
        verdicts.filter(({ project }) => project).length,
        verdicts.filter(({ refusal }) => refusal?.status === 503).length,
      ],
    );
    assert.match(verdicts.at(-1).refusal.body, /too_many_checks/);
    // The limit is for requests at once, not for ever; and a request that names nothing costs nothing.
    assert.equal((await small.check(request(alpha))).project.path, alpha);
    const full = Array.from({ length: 10 }, () => small.check(request(alpha)));
    const response = await small.fetch(async () => new Response("reached"))(request(alpha));
    assert.deepEqual([response.status, response.headers.get("retry-after")], [503, "1"]);
    assert.deepEqual(await small.check(new Request("http://localhost/mcp")), {});
    await Promise.all(full);
  });

  test("a request is held to the limits of the policy", async () => {
    const headers = { "X-Project-Path": `/${"a".repeat(100)}` };
    const codes = ["recommended", { limits: { valueBytes: 64 } }].map(async (policy) => {
      const { refusal } = await projectGate({ policy, local: true }).check(
        new Request("http://localhost/", { headers }),
      );
      return JSON.parse(refusal.body).error.data.code;
    });
    assert.deepEqual(await Promise.all(codes), ["missing", "too_long"]);
  });

  test("refuses a request that names nothing where a project is required", async () => {
    const strict = projectGate({ query: "project_path", allowedDirs, required: true });
    const { refusal } = await strict.check(new Request("http://localhost/mcp"));
    assert.equal(refusal.status, 400);
    assert.match(JSON.parse(refusal.body).error.message, /project_path/);
  });
});
