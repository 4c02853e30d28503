// rootwise/client: the roots that clients of both generations of the SDK provide, to servers on Rootwise and to others.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { Client as Client2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as Memory1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as Server1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { RootsListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { InMemoryTransport as Memory2, McpServer as Server2 } from "@modelcontextprotocol/server";
import { provideRoots } from "rootwise/client";
import { fakeHost } from "rootwise/testing";
import { connectTo, pairs, sharedServers } from "./clients.mjs";

const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-provide-")));
const folder = (name) => {
  mkdirSync(join(base, name), { recursive: true });
  return join(base, name);
};
const [shop, api, odd] = ["shop", "api", "a b#c%d é"].map(folder);
const shared = sharedServers();
after(async () => {
  await shared.stop();
  rmSync(base, { recursive: true, force: true });
});

const info = { name: "provider", version: "1" };
const clientOf = ({ client, era }) =>
  client === 1
    ? new Client1(info)
    : new Client2(info, { versionNegotiation: { mode: era === "modern" ? { pin: "2026-07-28" } : "legacy" } });

const said = async (client, name) => JSON.parse((await client.callTool({ name, arguments: {} })).content[0].text);

/** The methods that a transport sends from now on. */
function sent(transport) {
  const methods = [];
  const { send } = transport;
  transport.send = (message, ...rest) => {
    methods.push(message.method ?? "answer");
    return send.call(transport, message, ...rest);
  };
  return methods;
}
const CHANGED = "notifications/roots/list_changed";
const changes = (methods) => methods.filter((method) => method === CHANGED).length;

for (const pair of pairs) {
  describe(`a server on Rootwise: ${pair.name}`, () => {
    test("the folders are its roots, and a change counts for the next call", async (t) => {
      const client = clientOf(pair);
      t.after(() => client.close());
      const roots = provideRoots(client, [shop]);
      const transport = connectTo(pair, pair.over === "http" ? await shared.url(pair.server, local) : undefined);
      const methods = sent(transport);
      await client.connect(transport);
      assert.equal((await said(client, "where")).path, shop);
      await roots.update([odd, shop]);
      // In 2026-07-28 nobody tells the server of a change, and it may keep a list for a second.
      const path = async () => (await said(client, "where")).path;
      while (pair.era === "modern" && (await path()) === shop) await setTimeout(100);
      assert.equal(await path(), odd);
      const listed = (await said(client, "roots")).roots.map(({ path, name }) => [path, name]);
      assert.deepEqual(listed, [
        [odd, "a b#c%d é"],
        [shop, "shop"],
      ]);
      const before = changes(methods);
      await roots.update([odd, shop]);
      assert.equal(changes(methods), before, "an equal list is no change");
      assert.equal(before, pair.era === "modern" ? 0 : 1);
      await roots.update([]);
      if (pair.era === "legacy") assert.deepEqual((await said(client, "roots")).roots, []);
      assert.deepEqual(roots.list, []);
      await client.close();
      await roots.update([api]);
    });
  });
}
const local = { options: { local: true } };

test("two clients of one HTTP server never see each other's folders, whatever both change", async () => {
  const pair = pairs.find(({ client, over, era }) => client === 2 && over === "http" && era === "legacy");
  const url = await shared.url(pair.server, local);
  const made = [];
  for (const own of [shop, api]) {
    const client = clientOf(pair);
    const roots = provideRoots(client, [own]);
    await client.connect(connectTo(pair, url));
    made.push({ client, roots });
  }
  const [one, other] = made;
  const paths = () => Promise.all(made.map(async ({ client }) => (await said(client, "where")).path));
  assert.deepEqual(await paths(), [shop, api]);
  await Promise.all([one.roots.update([odd]), other.roots.update([shop])]);
  assert.deepEqual(await paths(), [odd, shop]);
  await one.client.close();
  await other.roots.update([api]);
  assert.equal((await said(other.client, "where")).path, api);
  await other.client.close();
});

for (const [generation, Client, Server, Memory] of [
  ["SDK 1.x", Client1, Server1, Memory1],
  ["SDK 2.x", Client2, Server2, Memory2],
]) {
  describe(`a bare server and a client on ${generation}`, () => {
    /** A client, and a server that records what it is told. */
    async function pairOf(folders, { isConnected = true } = {}) {
      const client = new Client(info);
      const roots = provideRoots(client, folders);
      const { server } = new Server({ name: "bare", version: "1" });
      const told = [];
      const hear = () => told.push(CHANGED);
      if (Server === Server1) server.setNotificationHandler(RootsListChangedNotificationSchema, hear);
      else server.setNotificationHandler(CHANGED, hear);
      const [near, far] = Memory.createLinkedPair();
      const ready = new Promise((resolve) => (server.oninitialized = resolve));
      const connect = () => Promise.all([server.connect(far), client.connect(near), ready]);
      if (isConnected) await connect();
      const list = async () => (await server.listRoots()).roots;
      return { client, server, roots, told, near, connect, list };
    }
    const uri = (path) => pathToFileURL(path).href;

    test("the capability, URIs, names and their order", async () => {
      const { client, server, list } = await pairOf([odd, { uri: shop, name: "The shop" }, `${shop}/`]);
      assert.deepEqual(server.getClientCapabilities().roots, { listChanged: true });
      assert.deepEqual(await list(), [
        { uri: uri(odd), name: "a b#c%d é" },
        { uri: uri(shop), name: "The shop" },
      ]);
      await client.close();
    });

    test("changes that come together are one, and a change and its opposite are none", async () => {
      const { client, roots, told, list } = await pairOf([shop]);
      await Promise.all([roots.update([api]), roots.update([odd]), roots.update([api, odd])]);
      assert.equal(told.length, 1);
      await Promise.all([roots.update([shop]), roots.update([api, odd])]);
      assert.equal(told.length, 1);
      await roots.update([{ uri: api, name: "another name" }, odd]);
      assert.equal(told.length, 2);
      assert.equal((await list())[0].name, "another name");
      await client.close();
    });

    test("nothing is sent before `initialized`, and nothing is lost", async () => {
      const { client, roots, told, near, connect, list } = await pairOf([shop], { isConnected: false });
      await roots.update([api]);
      const methods = sent(near);
      const { send } = near;
      near.send = async (message, ...rest) => {
        // A change in the middle of the handshake, which has sent only `initialize` so far.
        if (message.method === "notifications/initialized") await roots.update([odd]);
        return send.call(near, message, ...rest);
      };
      await connect();
      assert.deepEqual(methods.slice(0, 2), ["initialize", "notifications/initialized"]);
      assert.equal((await list())[0].uri, uri(odd));
      assert.equal(told.length, 0, "nobody knows an older list");
      await client.close();
    });

    test("a list that is asked for while the handshake ends is corrected", async () => {
      const { client, server, roots, told, near, connect, list } = await pairOf([shop], { isConnected: false });
      let asked;
      const { send } = near;
      near.send = async (message, ...rest) => {
        await send.call(near, message, ...rest);
        if (message.method !== "notifications/initialized") return;
        asked = await server.listRoots();
        await roots.update([api]);
      };
      await connect();
      assert.deepEqual([asked.roots[0].uri, told.length], [uri(shop), 1]);
      assert.equal((await list())[0].uri, uri(api));
      await client.close();
    });

    test("a change while a question is in flight is in its answer or announced", async () => {
      const { client, roots, told, list } = await pairOf([shop]);
      const [answer] = await Promise.all([list(), roots.update([api])]);
      // Whichever came first, the server knows the newest list or that there is one.
      assert.ok(answer[0].uri === uri(api) || told.length === 1);
      assert.equal((await list())[0].uri, uri(api));
      await client.close();
    });

    test("a closed client tells nobody, and the next connection has the new list", async () => {
      const { client, server, roots, told } = await pairOf([shop]);
      await client.close();
      await roots.update([api]);
      assert.equal(told.length, 0);
      const [near, far] = Memory.createLinkedPair();
      const methods = sent(near);
      await Promise.all([server.connect(far), client.connect(near)]);
      assert.equal((await server.listRoots()).roots[0].uri, uri(api));
      await roots.update([api]);
      assert.equal(changes(methods), 0);
      await roots.update([shop]);
      assert.equal(changes(methods), 1);
      await client.close();
    });

    test("a notification that cannot be sent is sent with the next change", async () => {
      const { client, roots, told, near } = await pairOf([shop]);
      const { send } = near;
      near.send = async () => {
        throw new Error("the wire is cut");
      };
      await roots.update([api]);
      near.send = send;
      await roots.update([api]);
      assert.equal(told.length, 1);
      await client.close();
    });

    test("a folder that is not absolute changes nothing", async () => {
      const { client, roots, told } = await pairOf([shop]);
      const before = roots.list;
      for (const [wrong, where] of [
        [[api, "shop"], /folders\[1\]/],
        [["~/shop"], /folders\[0\]/],
        [["https://example.com/shop"], /folders\[0\]/],
        [["file:shop"], /folders\[0\]/],
        [[{ uri: "shop" }], /folders\[0\]/],
        [[{ path: shop }], /folders\[0\]/],
        [[7], /folders\[0\]/],
        [shop, /folders/],
        [undefined, /folders/],
      ])
        await assert.rejects(roots.update(wrong), { code: "bad_options", message: where });
      assert.equal(roots.list, before);
      assert.equal(told.length, 0);
      assert.throws(() => provideRoots(new Client(info), ["shop"]), { code: "bad_options" });
      await client.close();
    });

    test("a client that is connected, or has its roots already, is refused", async () => {
      const { client } = await pairOf([shop]);
      assert.throws(() => provideRoots(client, [shop]), /has its roots already/);
      const plain = new Client(info);
      const [near, far] = Memory.createLinkedPair();
      await Promise.all([new Server({ name: "bare", version: "1" }).connect(far), plain.connect(near)]);
      assert.throws(() => provideRoots(plain, [shop]), /is connected already/);
      for (const nothing of [undefined, null, 7, {}, new Server({ name: "x", version: "1" })])
        assert.throws(() => provideRoots(nothing, [shop]), /must be a Client/);
      await Promise.all([client.close(), plain.close()]);
    });
  });
}

test("folders of Windows, by path and by URI", () => {
  const host = fakeHost({ style: "windows" });
  try {
    const roots = provideRoots(new Client2(info), [
      String.raw`c:\code\my shop`,
      String.raw`C:\CODE\My Shop`,
      String.raw`\\Server\Share\ü#`,
      "file:///d%3A/x",
      "E:\\",
    ]);
    assert.deepEqual(roots.list, [
      { uri: "file:///C:/code/my%20shop", name: "my shop" },
      { uri: "file://server/Share/%C3%BC%23", name: "ü#" },
      { uri: "file:///D:/x", name: "x" },
      { uri: "file:///E:/" },
    ]);
    assert.throws(() => provideRoots(new Client2(info), [String.raw`\code`]), { code: "bad_options" });
    assert.throws(() => provideRoots(new Client2(info), ["C:code"]), { code: "bad_options" });
  } finally {
    host.end();
  }
});

test("a gateway elsewhere passes on the URIs of a client on Windows", () => {
  const { list } = provideRoots(new Client2(info), ["file:///c%3A/code/shop", "file://server/share/x"]);
  assert.deepEqual(
    list.map(({ uri }) => uri),
    ["file:///C:/code/shop", "file://server/share/x"],
  );
});
