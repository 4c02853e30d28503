// Streams that break and calls without a session, with the server on rmcp: hand-written HTTP, so that the test decides when a
// stream ends. rmcp keeps what it sends on such a stream for a client that resumes it; a call that waits for its client does not.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import http from "node:http";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { serve } from "./clients.mjs";
import { ask, list, Peer, said, within } from "./raw.mjs";
import { callersAt, modernUsers, tenUsers } from "./users.mjs";

const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-rmcp-")));
after(() => rmSync(base, { recursive: true, force: true }));
const folder = (name) => {
  mkdirSync(join(base, name));
  return join(base, name);
};
const [a, b, c] = ["a", "b", "c"].map(folder);

const MODERN = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
};

const scenario = (name, settings, run) =>
  test(name, { timeout: 60_000 }, async () => {
    const server = await serve("rmcp", { cwd: "/", options: { host: { local: true } }, ...settings });
    try {
      await run(server, await new Peer(server.url).open());
    } finally {
      await server.stop();
    }
  });

scenario("a call that drops while it asks leaves the next call to ask again", {}, async (_server, peer) => {
  assert.deepEqual(await ask(peer, list(a), "code"), { text: a, asked: 1 });
  await peer.notify("notifications/roots/list_changed");
  const { next, drop } = await peer.call("code");
  assert.equal((await within(next())).method, "roots/list");
  drop();
  await next().catch(() => {});
  assert.deepEqual(await ask(peer, list(b), "code"), { text: b, asked: 1 });
  assert.deepEqual(await ask(peer, list(b), "code"), { text: b, asked: 0 });
});

scenario("a stream that broke while it asked costs no later call its roots", {}, async (_server, peer) => {
  const { next, drop } = await peer.call("code");
  assert.equal((await within(next())).method, "roots/list");
  drop();
  await next().catch(() => {});
  // Longer than the patience of a caller.
  await sleep(6_000);
  for (const asked of [1, 0]) assert.deepEqual(await ask(peer, list(b), "code"), { text: b, asked });
});

scenario("two different project headers are refused, two equal ones are one", {}, async ({ url }) => {
  const call = (...paths) =>
    new Promise((resolve, reject) => {
      // Node sends one line for each value.
      const headers = {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "code",
      };
      const request = http.request(
        url,
        { method: "POST", headers: { ...headers, "x-project-path": paths } },
        (response) => {
          let text = "";
          response.setEncoding("utf8").on("data", (part) => (text += part));
          response.on("end", () => resolve(text)).on("error", reject);
        },
      );
      const params = { name: "code", arguments: {}, _meta: MODERN };
      request.on("error", reject).end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }));
    });
  assert.match(await call(a, a), new RegExp(`"text":"${a}"`));
  assert.doesNotMatch(await call(a, b), new RegExp(`"text":"${a}"`));
  assert.match(await call(a, b), /missing: /);
});

scenario("the server asks Codex for its folder, unless it is told not to", {}, async ({ url }) => {
  const { capabilities } = await new Peer(url).initialize({});
  assert.deepEqual(capabilities.experimental, { "codex/sandbox-state-meta": {} });
  const silent = await serve("rmcp", { cwd: "/", options: { codexMeta: false } });
  try {
    assert.equal((await new Peer(silent.url).initialize({})).capabilities.experimental, undefined);
  } finally {
    await silent.stop();
  }
});

scenario(
  "a change of roots is asked for at once on an open stream, and else by the next call",
  {},
  async (_server, peer) => {
    assert.deepEqual(await ask(peer, list(a), "code"), { text: a, asked: 1 });
    const stream = await peer.get();
    await peer.notify("notifications/roots/list_changed");
    const { id, method } = await within(stream.next());
    assert.equal(method, "roots/list");
    await (await peer.answer(id, list(b))).text();
    // Nobody has made a call since.
    assert.deepEqual(await ask(peer, list(c), "code"), { text: b, asked: 0 });
    await peer.notify("notifications/roots/list_changed");
    assert.equal((await within(stream.next())).method, "roots/list");
    stream.drop();
    await stream.next().catch(() => {});
    assert.deepEqual(await ask(peer, list(c), "code"), { text: c, asked: 1 });
    await peer.notify("notifications/roots/list_changed");
    assert.deepEqual(await ask(peer, list(a), "code"), { text: a, asked: 1 });
  },
);

scenario("a call that waits for the request of a dropped one gets a request of its own", {}, async (_server, peer) => {
  const first = await peer.call("code");
  await within(first.next());
  const second = await within(peer.call("code"));
  const asked = second.next();
  first.drop();
  await first.next().catch(() => {});
  const { id, method } = await within(asked);
  assert.equal(method, "roots/list");
  await (await peer.answer(id, list(b))).text();
  assert.equal(said(await within(second.next())), b);
});

scenario("an answer to a request that was abandoned changes nothing", {}, async (_server, peer) => {
  const { next, drop } = await peer.call("code");
  const { id } = await within(next());
  drop();
  await next().catch(() => {});
  assert.deepEqual(await ask(peer, list(b), "code"), { text: b, asked: 1 });
  await (await peer.answer(id, list(a))).text();
  assert.deepEqual(await ask(peer, list(b), "code"), { text: b, asked: 0 });
});

scenario("a dropped call of one client costs another nothing", {}, async ({ url }, peer) => {
  const other = await new Peer(url).open();
  const { next, drop } = await peer.call("code");
  await within(next());
  assert.deepEqual(await ask(other, list(c), "code"), { text: c, asked: 1 });
  drop();
  await next().catch(() => {});
  assert.deepEqual(await ask(other, list(c), "code"), { text: c, asked: 0 });
  assert.deepEqual(await ask(peer, list(a), "code"), { text: a, asked: 1 });
});

scenario(
  "ten users with random changes, dropped and cancelled calls get their own newest project, and none waits",
  {},
  async ({ url }) => {
    await tenUsers(url, base, { tool: "code" });
  },
);

scenario(
  "users of 2026-07-28 whose conversations have the same ids keep their own projects",
  { options: { caller: true, declare: true, allowedDirs: [base] } },
  ({ url }) => modernUsers(base, callersAt(url), { tool: "code" }),
);

scenario("a call that follows a change of roots gets the new project, 100 times", {}, async (_server, peer) => {
  for (let turn = 0; turn < 100; turn += 1) {
    const path = turn % 2 ? a : b;
    await peer.notify("notifications/roots/list_changed");
    assert.deepEqual(await ask(peer, list(path), "code"), { text: path, asked: 1 }, `turn ${turn}`);
  }
});

test("calls without a session share nothing", { timeout: 60_000 }, async () => {
  const server = await serve("rmcp", { cwd: "/", options: { host: { local: true } }, flags: ["--stateless"] });
  try {
    const [one, two] = [await new Peer(server.url).open(), new Peer(server.url)];
    for (const peer of [one, two, one]) {
      assert.match((await ask(peer, list(a), "code")).text, /^no_project: .*no session/s);
      assert.equal((await ask(peer, list(a), "current")).text, "none");
    }
  } finally {
    await server.stop();
  }
});

test("a remote caller learns nothing about the disk", { timeout: 60_000 }, async () => {
  const server = await serve("rmcp", { cwd: "/", options: { allowedDirs: [a] } });
  try {
    const peer = await new Peer(server.url).open();
    const told = new Set();
    for (const path of [b, join(base, "missing"), "/etc/passwd"]) {
      await peer.notify("notifications/roots/list_changed");
      told.add((await ask(peer, list(path), "code")).text.replaceAll(path, "PATH"));
    }
    assert.equal(told.size, 1, [...told].join("\n\n"));
    await peer.notify("notifications/roots/list_changed");
    assert.equal((await ask(peer, list(a), "code")).text, a);
  } finally {
    await server.stop();
  }
});
