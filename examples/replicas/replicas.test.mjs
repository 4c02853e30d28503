// Two replicas behind a proxy, with a real Redis: whichever replica answers, a client gets its own project or is asked.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer, request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { startRedis } from "../thoughtbox/peers.mjs";
import { redisStore } from "./store.mjs";

const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-replicas-")));
const folder = (name) => {
  mkdirSync(join(base, name));
  return join(base, name);
};
const [a, b, c] = ["a", "b", "c"].map(folder);
let redis;
before(async () => {
  redis = await startRedis(base);
});
after(async () => {
  await redis?.stop();
  rmSync(base, { recursive: true, force: true });
});

async function startReplica() {
  const child = spawn(process.execPath, [fileURLToPath(new URL("server.mjs", import.meta.url)), redis.url], {
    cwd: "/",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [url] = await once(createInterface(child.stdout), "line", { signal: AbortSignal.timeout(30_000) });
  return {
    url,
    async stop(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill(signal);
      await once(child, "exit");
    },
  };
}

/**
 * A proxy that sends each request to the next replica. An answer to a server's request goes to the replica that sent it,
 * which is the one that serves the session's latest call.
 */
async function startProxy(replicas) {
  let turn = 0;
  const state = { live: [...replicas], pinned: undefined };
  const latest = new Map();
  const proxy = createServer(async (incoming, outgoing) => {
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const message = incoming.method === "POST" ? JSON.parse(body) : {};
    const session = incoming.headers["mcp-session-id"];
    let target = state.pinned ?? state.live[turn++ % state.live.length];
    if (message.method === undefined && latest.has(session) && state.live.includes(latest.get(session)))
      target = latest.get(session);
    else if (message.id !== undefined) latest.set(session, target);
    const upstream = httpRequest(
      target.url,
      { method: incoming.method, headers: { ...incoming.headers, host: new URL(target.url).host } },
      (response) => {
        outgoing.writeHead(response.statusCode, response.headers);
        outgoing.flushHeaders();
        response.pipe(outgoing);
      },
    );
    upstream.on("error", () => outgoing.destroy());
    outgoing.on("close", () => upstream.destroy());
    upstream.end(body);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return {
    url: `http://127.0.0.1:${proxy.address().port}/mcp`,
    state,
    stop: () => (proxy.closeAllConnections(), proxy.close()),
  };
}

async function connect(url, roots, modern = false) {
  const client = new Client(
    { name: "replicas", version: "1" },
    {
      capabilities: { roots: { listChanged: true } },
      versionNegotiation: { mode: modern ? { pin: "2026-07-28" } : "legacy" },
    },
  );
  const state = { roots, asked: 0 };
  client.setRequestHandler("roots/list", async () => {
    state.asked += 1;
    return { roots: state.roots.map((path) => ({ uri: `file://${path}` })) };
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const call = async (name, args = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: args });
    assert.ok(!isError, content[0].text);
    return content[0].text;
  };
  return { client, state, call, where: async () => JSON.parse(await call("where")) };
}

describe("two replicas", { timeout: 120_000 }, () => {
  const scenario = (name, run) =>
    test(name, { timeout: 60_000 }, async () => {
      const replicas = [await startReplica(), await startReplica()];
      const proxy = await startProxy(replicas);
      try {
        await run({ ...proxy, replicas });
      } finally {
        proxy.stop();
        for (const replica of replicas) await replica.stop();
      }
    });

  scenario("clients of 2026-07-28 are served by any replica", async ({ url }) => {
    const peers = [await connect(url, [a], true), await connect(url, [b], true)];
    const seen = new Set();
    for (let round = 0; round < 6; round += 1) {
      const answers = await Promise.all(peers.map((peer) => peer.where()));
      assert.deepEqual(
        answers.map(({ path }) => path),
        [a, b],
      );
      for (const { replica } of answers) seen.add(replica);
    }
    assert.equal(seen.size, 2);
    for (const { client } of peers) await client.close();
  });

  scenario("a session that changes its replica with every call keeps its selection and its roots", async ({ url }) => {
    const one = await connect(url, [a, b, c]);
    const two = await connect(url, [b]);
    const seen = new Set();
    for (let round = 0; round < 3; round += 1) {
      const { path, replica } = await one.where();
      assert.equal(path, a);
      seen.add(replica);
      assert.equal((await two.where()).path, b);
    }
    assert.equal(seen.size, 2);
    await one.call("switch_project", { project: c });
    for (let round = 0; round < 4; round += 1) {
      assert.equal((await one.where()).path, c);
      assert.equal((await two.where()).path, b);
    }
    two.state.roots = [a];
    await two.client.sendRootsListChanged();
    // The call may reach the other replica before the store has the change.
    for (let attempt = 0; attempt < 100 && (await two.where()).path !== a; attempt += 1) await sleep(10);
    for (let round = 0; round < 3; round += 1) assert.equal((await two.where()).path, a);
    assert.equal((await one.where()).path, c);
    for (const { client } of [one, two]) await client.close();
  });

  scenario("requests that begin no session open none", async ({ replicas: [{ url }] }) => {
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    for (const body of [
      '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
      '{"jsonrpc":"2.0","method":"x"}',
      "[]",
      "junk",
    ]) {
      const response = await fetch(url, { method: "POST", headers, body });
      assert.equal(response.status, 400, body);
      assert.equal(response.headers.get("mcp-session-id"), null);
      if (body.startsWith("{")) assert.equal(await response.text(), "Begin with initialize.", body);
    }
  });

  scenario("a session continues when its replica is killed", async ({ url, replicas, state }) => {
    state.pinned = replicas[0];
    const one = await connect(url, [a, c]);
    const two = await connect(url, [b]);
    assert.equal((await one.where()).path, a);
    assert.equal((await two.where()).path, b);
    await one.call("switch_project", { project: c });
    await replicas[0].stop("SIGKILL");
    state.pinned = undefined;
    state.live = [replicas[1]];
    two.state.roots = [a];
    assert.equal((await one.where()).path, c);
    // No replica received the change of this client: it is asked again.
    assert.equal((await two.where()).path, a);
    for (const { client } of [one, two]) await client.close();
  });

  scenario("selections on both replicas at once end in one of them, on both", async ({ url }) => {
    const peer = await connect(url, [a, b, c]);
    await peer.where();
    for (let round = 0; round < 5; round += 1) {
      const results = await Promise.allSettled([
        peer.call("switch_project", { project: b }),
        peer.call("switch_project", { project: c }),
      ]);
      assert.ok(results.some(({ status }) => status === "fulfilled"));
      const paths = [];
      for (let calls = 0; calls < 4; calls += 1) paths.push((await peer.where()).path);
      assert.equal(new Set(paths).size, 1, paths.join());
      assert.ok([b, c].includes(paths[0]));
    }
    await peer.client.close();
  });

  scenario("ten users who change replicas at random are never mixed up", async ({ url, replicas, state }) => {
    const folders = Array.from({ length: 10 }, (_, user) => join(base, `user-${user}`));
    for (const path of folders) mkdirSync(path, { recursive: true });
    const users = await Promise.all(folders.map((path) => connect(url, [path])));
    await Promise.all(
      users.map(async (user, index) => {
        for (let calls = 0; calls < 8; calls += 1) assert.equal((await user.where()).path, folders[index]);
      }),
    );
    await replicas[1].stop("SIGKILL");
    state.live = [replicas[0]];
    await Promise.all(users.map(async (user, index) => assert.equal((await user.where()).path, folders[index])));
    for (const { client } of users) await client.close();
  });
});

test("no confirmed selection is lost when replicas are killed at random moments", { timeout: 120_000 }, async () => {
  const survivor = await startReplica();
  let victim = await startReplica();
  const proxy = await startProxy([survivor, victim]);
  try {
    proxy.state.pinned = survivor;
    const peer = await connect(proxy.url, [a]);
    assert.equal((await peer.where()).path, a);
    let confirmed = a;
    let lost = 0;
    for (let round = 0; round < 8; round += 1) {
      proxy.state.pinned = victim;
      await peer.where();
      // Selections follow each other without a pause; the process dies in the middle of one of them.
      let dead = false;
      setTimeout(() => void victim.stop("SIGKILL").then(() => (dead = true)), 20 + Math.random() * 180);
      let attempted = confirmed;
      while (!dead) {
        attempted = attempted === b ? c : b;
        const made = await peer.call("switch_project", { project: attempted }).then(
          () => true,
          () => false,
        );
        if (!made) break;
        confirmed = attempted;
      }
      lost += attempted === confirmed ? 0 : 1;
      proxy.state.pinned = survivor;
      const { path } = await peer.where();
      assert.ok(
        path === confirmed || path === attempted,
        `confirmed ${confirmed}, attempted ${attempted}, got ${path}`,
      );
      confirmed = path;
      victim = await startReplica();
      proxy.state.live = [survivor, victim];
    }
    assert.ok(lost > 0, "no kill hit a selection");
    await peer.client.close();
  } finally {
    proxy.stop();
    for (const replica of [survivor, victim]) await replica.stop();
  }
});

test("the store replaces a value only if it is the one that was seen", async () => {
  const store = redisStore(redis.url);
  const id = `test-${Date.now()}`;
  assert.equal(await store.load(id), undefined);
  assert.equal(await store.save(id, "one", undefined), true);
  assert.equal(await store.save(id, "two", undefined), false);
  assert.equal(await store.save(id, "two", "one"), true);
  assert.equal(await store.load(id), "two");
  await store.ended(id);
  assert.equal(await store.load(id), undefined);
  store.close();
});
