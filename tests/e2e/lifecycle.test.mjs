// How servers end. The tests write raw lines to a pipe, so that they control when it closes.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { describe, test } from "node:test";
import { at, servers } from "./clients.mjs";

/** Starts a server process; the result sends and reads its lines. */
function start(server) {
  const child = spawn(process.execPath, [at(`servers/${server}.mjs`)], { cwd: "/", stdio: ["pipe", "pipe", "pipe"] });
  let errors = "";
  child.stderr.on("data", (chunk) => (errors += chunk));
  child.stdin.on("error", () => {});
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    child,
    errors: () => errors,
    send: (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
    next: async () => JSON.parse((await lines.next()).value),
    exit: async () =>
      child.exitCode === null && child.signalCode === null ? (await once(child, "exit"))[0] : child.exitCode,
  };
}

const initialize = (id, capabilities) => ({
  id,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities, clientInfo: { name: "lines", version: "1" } },
});
const call = (id) => ({ id, method: "tools/call", params: { name: "where", arguments: {} } });

for (const server of Object.keys(servers)) {
  describe(server, () => {
    const waiting = async () => {
      const peer = start(server);
      peer.send(initialize(1, { roots: {} }));
      await peer.next();
      peer.send({ method: "notifications/initialized" });
      peer.send(call(2));
      assert.equal((await peer.next()).method, "roots/list");
      return peer;
    };

    // The request lives for a minute and the caller waits for five seconds; the test times out before the request does.
    test("a server ends when its client closes stdin during a roots request [C15]", { timeout: 30_000 }, async () => {
      const peer = await waiting();
      peer.child.stdin.end();
      assert.equal(await peer.exit(), 0);
      assert.equal(peer.errors(), "");
    });

    test("a server ends when its client closes both pipes during a roots request [C15]", {
      timeout: 30_000,
    }, async () => {
      const peer = await waiting();
      peer.child.stdout.destroy();
      peer.child.stdin.end();
      assert.equal(await peer.exit(), 0);
      assert.equal(peer.errors(), "");
    });

    test("no request is sent before the client is ready, and a client that makes a call is [C5]", {
      timeout: 30_000,
    }, async () => {
      const peer = start(server);
      peer.send(initialize(1, { roots: {} }));
      await peer.next();
      peer.send({ id: 3, method: "ping" });
      assert.equal((await peer.next()).id, 3);
      peer.send(call(2));
      const { id, method } = await peer.next();
      assert.equal(method, "roots/list");
      peer.send({ id, result: { roots: [{ uri: "file:///" }, null, 7, { uri: 1 }, { uri: "file:///usr/share" }] } });
      const answer = await peer.next();
      assert.equal(answer.id, 2);
      assert.equal(JSON.parse(answer.result.content[0].text).path, "/usr/share");
      peer.child.stdin.end();
      assert.equal(await peer.exit(), 0);
    });

    test("the handshake waits for nothing [C5, C14]", { timeout: 30_000 }, async () => {
      const peer = start(server);
      peer.send(initialize(1, { roots: {} }));
      assert.equal((await peer.next()).id, 1);
      peer.send({ method: "notifications/initialized" });
      peer.send({ id: 2, method: "tools/list" });
      assert.equal((await peer.next()).id, 2);
      peer.child.stdin.end();
      assert.equal(await peer.exit(), 0);
    });
  });
}

test("sdk2: a server ends although a client of 2026-07-28 never repeats its call", { timeout: 30_000 }, async () => {
  const peer = start("sdk2");
  const about = (key, value) => ({ [`io.modelcontextprotocol/${key}`]: value });
  const _meta = {
    ...about("protocolVersion", "2026-07-28"),
    ...about("clientInfo", { name: "lines", version: "1" }),
    ...about("clientCapabilities", { roots: {} }),
  };
  peer.send({ id: 1, method: "tools/call", params: { name: "where", arguments: {}, _meta } });
  const { id, result } = await peer.next();
  assert.deepEqual(
    [id, result.resultType, result.inputRequests],
    [1, "input_required", { rootwise: { method: "roots/list" } }],
  );
  peer.child.stdin.end();
  assert.equal(await peer.exit(), 0);
  assert.equal(peer.errors(), "");
});
