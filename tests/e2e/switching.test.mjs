// Switching the project in every era: on a pipe, with a handle, and as a caller that the server knows.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, describe, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as Memory1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as Server1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { Server as LowServer1 } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  ListRootsRequestSchema,
  ListToolsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { createMcpHandler, McpServer, Server as LowServer2 } from "@modelcontextprotocol/server";
import { rootwise } from "rootwise/mcp";
import { z } from "zod";
import { at, connect, pairs } from "./clients.mjs";
import { CONVERSATION, modernUsers } from "./users.mjs";

const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-switching-")));
after(() => rmSync(base, { recursive: true, force: true }));
const folder = (...names) => {
  const path = join(base, ...names);
  mkdirSync(path, { recursive: true });
  return path;
};
const shop = folder("ann", "shop");
const site = folder("ann", "site");
const attic = folder("bob", "shop");
const annsRoots = [{ uri: `file://${shop}` }, { uri: `file://${site}`, name: "website" }];

/** A server for every request, as revision 2026-07-28 is served; its users say in a header who they are. */
function serve(options = {}, name = "team") {
  const logged = [];
  const make = () => {
    const server = new McpServer({ name, version: "1" });
    const projects = rootwise(server, { log: (line) => logged.push(line), ...options });
    server.registerTool("where", {}, async (context) => ({
      content: [{ type: "text", text: (await projects.project(context)).path }],
    }));
    server.registerTool("strict", { inputSchema: z.strictObject({ n: z.number() }) }, async ({ n }, context) => ({
      content: [{ type: "text", text: `${n} ${(await projects.project(context)).path}` }],
    }));
    server.registerTool("own", { inputSchema: z.object({ project: z.string().describe("mine") }) }, async (args) => ({
      content: [{ type: "text", text: JSON.stringify(args) }],
    }));
    projects.registerTools();
    return server;
  };
  const handler = createMcpHandler(make);
  const fetch = (input, init) => {
    const request = new Request(input, init);
    const user = request.headers.get("x-user");
    const authInfo = user === null ? undefined : { token: user, clientId: user, scopes: [] };
    return handler.fetch(request, { authInfo });
  };
  return { fetch, logged };
}

/** Connects a client of 2026-07-28. */
async function meet({ fetch }, { user, roots, conversation, info = { name: "e2e", version: "1" } } = {}) {
  const capabilities = roots ? { roots: {} } : {};
  const client = new Client(info, { capabilities, versionNegotiation: { mode: { pin: "2026-07-28" } } });
  const state = { asked: 0, roots };
  client.setRequestHandler?.("roots/list", () => {
    state.asked += 1;
    return { roots: state.roots };
  });
  const as = (input, init) => {
    const headers = new Headers(init?.headers);
    if (user !== undefined) headers.set("x-user", user);
    return fetch(input, { ...init, headers });
  };
  await client.connect(new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), { fetch: as }));
  const call = async (name, args = {}, id = conversation) => {
    const _meta = id === undefined ? undefined : { [CONVERSATION]: id };
    const { content, isError = false } = await client.callTool({ name, arguments: args, _meta });
    return isError ? `error: ${content[0].text}` : content[0].text;
  };
  return { client, call, state };
}

/** The handle in the answer to a selection. */
const handleIn = (said) => /`project: "([^"]+)"`/.exec(said)?.[1];

const byUser = { caller: ({ http }) => http.authInfo?.clientId };
const declared = { argument: "project", declare: true };
const ofAnn = { allowedDirs: [join(base, "ann")] };

describe("on a pipe", () => {
  for (const pair of pairs.filter(({ over }) => over === "stdio"))
    test(`${pair.name}: the next call works in the project that was switched to`, async () => {
      const { call, close } = await connect(pair, { roots: annsRoots, cwd: base });
      try {
        assert.equal((await call("where")).value.path, shop);
        assert.match((await call("switch_project", { project: "website" })).text, /Project set to: website/);
        assert.equal((await call("where")).value.path, site);
      } finally {
        await close();
      }
    });

  test("two conversations of one client of 2026-07-28 have a selection each", async () => {
    const pair = pairs.find(({ over, era }) => over === "stdio" && era === "modern");
    const { client, close } = await connect(pair, { roots: annsRoots, cwd: base });
    const where = async (id) => {
      const result = await client.callTool({ name: "where", arguments: {}, _meta: { [CONVERSATION]: id } });
      return JSON.parse(result.content[0].text).path;
    };
    try {
      await client.callTool({
        name: "switch_project",
        arguments: { project: "website" },
        _meta: { [CONVERSATION]: "one" },
      });
      assert.deepEqual([await where("one"), await where("two")], [site, shop]);
    } finally {
      await close();
    }
  });
});

/** What the table of docs/guides/switching.md says about Claude Code; the Python package reads it in test_switching.py. */
function story() {
  const page = readFileSync(at("../../docs/guides/switching.md"), "utf8");
  const [, text] = /^## Switch the project in Claude Code\n([\s\S]*?)^## /m.exec(page);
  const found = (pattern) => {
    const match = pattern.exec(text);
    assert.ok(match, `the section says nothing like ${pattern}`);
    return match.slice(1);
  };
  const [tool, args] = found(
    /^\| the model calls \| `(\w+)` with `(\{.*?\})`: the name of a root, an absolute path or a `file:` URI \|$/m,
  );
  return {
    open: found(/The folders `(\w+)` and `(\w+)` are open/),
    tool,
    args: JSON.parse(args),
    reply: found(/^\| the model gets \| `(.+)` \|$/m)[0],
    next: found(/^\| the next call \| of any tool works in `(\w+)`/m)[0],
  };
}

describe("the story of the guide", () => {
  const { open, tool, args, reply, next } = story();
  const info = { name: "claude-code", version: "2.1.326" };
  const folders = open.map((name) => folder("claude", name));
  const wanted = folder("claude", next);
  const roots = folders.map((path) => ({ uri: `file://${path}` }));

  for (const pair of pairs.filter(({ over, era }) => over === "stdio" && era === "modern"))
    for (const project of [args.project, wanted, `file://${wanted}`])
      test(`${pair.name}: Claude Code switches to ${basename(project)}, named as ${project}`, async () => {
        const { client, call, close } = await connect(pair, { roots, cwd: base, info });
        try {
          assert.equal(client.getNegotiatedProtocolVersion(), "2026-07-28");
          assert.equal((await call("where")).value.path, folders[0]);
          assert.equal((await call(tool, { ...args, project })).text, reply);
          for (const name of ["where", "which_project", "where"])
            assert.ok((await call(name)).text.includes(wanted), `${name} works in ${next}`);
          // Until the user wants another folder.
          await call(tool, { project: open[0] });
          assert.equal((await call("where")).value.path, folders[0]);
        } finally {
          await close();
        }
      });
});

describe("over HTTP without a session", () => {
  test("a selection is answered with a handle, which names the project in each call", async () => {
    const { call } = await meet(serve({ ...declared, ...ofAnn }), { roots: annsRoots });
    assert.equal(await call("where"), shop);
    const said = await call("switch_project", { project: "website" });
    assert.match(said, /Pass `project: "site-[0-9a-f]{4}"` with each call: this server cannot tell your calls/);
    assert.equal(await call("where"), shop, "nothing is kept");
    assert.equal(await call("where", { project: handleIn(said) }), site);
    assert.equal(await call("where", { project: "website" }), site, "a name of a root");
    assert.match(await call("which_project", { project: handleIn(said) }), /site/);
    assert.match(await call("switch_project", { project: "shop" }), /project: "shop-/);
  });

  test("a handle names nothing once another root of that name has taken the place of its own", async () => {
    const roots = [{ uri: `file://${shop}` }];
    const { call, state } = await meet(serve({ ...declared, allowedDirs: [base] }), { roots });
    const handle = handleIn(await call("switch_project", { project: "shop" }));
    assert.equal(await call("where", { project: handle }), shop);
    state.roots = [{ uri: `file://${attic}` }];
    assert.match(await call("where", { project: handle }), /neither one of the client's roots/);
  });

  test("the tutorials say what the model gets", async () => {
    const roots = [...annsRoots, { uri: `file://${folder("ann", "other")}` }];
    const { call } = await meet(serve({ argument: "project_path", ...ofAnn }), { roots });
    const said = await call("switch_project", { project: "other" });
    const [handle] = /other-[0-9a-f]{4}/.exec(said);
    for (const language of ["typescript", "python", "rust"]) {
      const page = readFileSync(at(`../../docs/tutorials/${language}.md`), "utf8");
      const [, words] = /A model that switches to the root `other` reads "(.+?)"\. /.exec(page);
      assert.ok(said.includes(words.replace(/other-[0-9a-f]{4}/, handle)), `${language}: ${said}`);
    }
  });

  test("a folder that is no root has its path as handle", async () => {
    const { call } = await meet(serve({ ...declared, ...ofAnn }), { roots: [annsRoots[0]] });
    const said = await call("switch_project", { project: site });
    assert.ok(said.includes(`project: ${JSON.stringify(site)}`), said);
    assert.equal(await call("where", { project: site }), site);
  });

  test("a handle means nothing to another client, and is checked again with each use", async () => {
    const dirs = { now: [join(base, "ann")] };
    const team = serve({ ...declared, allowedDirs: ({ http }) => (http.authInfo ? dirs.now : [join(base, "bob")]) });
    const ann = await meet(team, { user: "ann", roots: annsRoots });
    const handle = handleIn(await ann.call("switch_project", { project: "website" }));
    const bob = await meet(team, { roots: [{ uri: `file://${attic}` }] });
    assert.match(await bob.call("where", { project: handle }), /^error: /, "not one of their roots");
    assert.equal(await bob.call("where", { project: "shop" }), attic, "the same name is another folder");
    assert.match(await bob.call("where", { project: site }), /outside the allowed folders/);
    dirs.now = [shop];
    assert.match(await ann.call("where", { project: handle }), /outside the allowed folders/);
    assert.equal(await ann.call("where", { project: "shop" }), shop);
  });

  test("without a parameter that could take a handle, the selection is refused with what to do", async () => {
    const server = serve(ofAnn);
    const { call } = await meet(server, { roots: annsRoots });
    const said = await call("switch_project", { project: "website" });
    assert.match(said, /^error: .*`x-project-path`/s);
    await call("where");
    const told = server.logged.filter(({ code }) => code === "cannot_select");
    assert.equal(told.length, 1, "once for all servers of the process");
    assert.match(told[0].message, /`switch_project` refuses .*`argument`.*`declare`/);
  });

  test("a conversation counts on this machine and nowhere else", async () => {
    for (const [options, expected] of [
      [{ ...declared, local: true }, site],
      [{ ...declared, ...ofAnn }, shop],
      [{ ...declared, local: true, store: { load: async () => undefined, save: async () => true } }, shop],
    ]) {
      const { call, state } = await meet(serve(options), { roots: annsRoots, conversation: "one" });
      await call("switch_project", { project: "website" });
      assert.equal(await call("where"), expected);
      assert.equal(await call("where", {}, "two"), shop);
      assert.ok(state.asked > 0);
    }
  });

  test("an id of a conversation is never cut: two long ones that begin alike are two", async () => {
    const { call } = await meet(serve({ local: true, policy: { limits: { valueChars: 16 } } }), { roots: annsRoots });
    await call("switch_project", { project: "website" }, `${"x".repeat(2000)}1`);
    assert.equal(await call("where", {}, `${"x".repeat(2000)}1`), site);
    assert.equal(await call("where", {}, `${"x".repeat(2000)}2`), shop);
  });
});

describe("a caller that the server knows", () => {
  test("what it selects counts for its next calls, and for nobody else's", async () => {
    const team = serve({ ...byUser, ...ofAnn });
    const ann = await meet(team, { user: "ann", roots: annsRoots });
    assert.match(await ann.call("switch_project", { project: "website" }), /Project set to: website/);
    assert.equal(await ann.call("where"), site);
    const again = await meet(team, { user: "ann", roots: annsRoots });
    assert.equal(await again.call("where"), site, "another connection of the same client");
    for (const other of [{ user: "bob" }, {}, { user: "ann", info: { name: "another client", version: "1" } }]) {
      const { call } = await meet(team, { roots: annsRoots, ...other });
      assert.equal(await call("where"), shop);
    }
    const elsewhere = await meet(serve({ ...byUser, ...ofAnn }, "another server"), { user: "ann", roots: annsRoots });
    assert.equal(await elsewhere.call("where"), shop);
    const again2 = serve({ ...byUser, ...ofAnn, store: { load: async () => undefined, save: async () => true } });
    assert.equal(await (await meet(again2, { user: "ann", roots: annsRoots })).call("where"), shop, "not with a store");
  });

  test("a handle names the project in another process, which does not know the selection", async () => {
    // Servers of another name remember nothing of these, as those of another process.
    for (const replicas of [false, true]) {
      const options = { ...byUser, ...declared, ...ofAnn, replicas };
      const [first, second] = [serve(options, `first ${replicas}`), serve(options, `second ${replicas}`)];
      const one = await meet(first, { user: "ann", roots: annsRoots, conversation: "one" });
      const two = await meet(second, { user: "ann", roots: annsRoots, conversation: "one" });
      const handle = handleIn(await one.call("switch_project", { project: "website" }));
      assert.equal(await one.call("where"), replicas ? shop : site);
      assert.equal(await two.call("where"), shop);
      for (const { call } of [one, two]) assert.equal(await call("where", { project: handle }), site);
    }
    assert.throws(() => rootwise(new McpServer({ name: "x", version: "1" }), { replicas: "yes" }), /replicas/);
  });

  test("forty users of a server for each request, each with folders of their own, all keep their selection", async () => {
    const users = Array.from({ length: 40 }, (_, number) => `user${number}`);
    const of = (user) => ["one", "two"].map((name) => folder(user, name));
    const met = new Map();
    for (const user of users) {
      const roots = of(user).map((path) => ({ uri: `file://${path}` }));
      met.set(user, await meet(serve({ ...byUser, allowedDirs: [join(base, user)] }), { user, roots }));
    }
    for (const [user, { call }] of met) {
      await call("switch_project", { project: "two" });
      assert.match(await call("switch_project", { project: shop }), /outside the allowed folders/);
      assert.equal(await call("where"), of(user)[1]);
    }
    for (const [user, { call }] of met) assert.equal(await call("where"), of(user)[1]);
  });

  test("ten users with conversations, windows without one and dropped calls stay in their own projects", {
    timeout: 120_000,
  }, async () => {
    const team = serve({ ...byUser, ...declared, allowedDirs: ({ http }) => [join(base, http.authInfo.clientId)] });
    const met = new Map();
    await modernUsers(base, async (user, name, args, { roots, conversation, drops }) => {
      const key = `${user} ${conversation}`;
      if (!met.has(key)) met.set(key, meet(team, { user, roots: roots.map((uri) => ({ uri })), conversation }));
      const { client, call } = await met.get(key);
      if (!drops) return call(name, args);
      const _meta = conversation && { [CONVERSATION]: conversation };
      const dropping = client.callTool({ name, arguments: args, _meta }, { signal: AbortSignal.timeout(5) });
      return dropping.then(
        () => undefined,
        () => undefined,
      );
    });
  });

  test("two users with one conversation id never mix", async () => {
    const wait = () => new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
    const team = serve({
      caller: async ({ http }) => {
        await wait();
        return http.authInfo.clientId;
      },
      allowedDirs: async ({ http }) => {
        await wait();
        return [join(base, http.authInfo.clientId)];
      },
    });
    const faults = [];
    const user = async (name) => {
      const folders = ["one", "two", "three"].map((project) => folder(name, project));
      const { call } = await meet(team, { user: name, conversation: "the same", roots: [] });
      for (let turn = 0; turn < 60; turn += 1) {
        const chosen = folders[turn % 3];
        const said = await call("switch_project", { project: chosen });
        if (!said.startsWith("Project set to:")) faults.push([name, turn, said]);
        const seen = await Promise.all([call("where"), call("where")]);
        if (seen.some((path) => path !== chosen)) faults.push([name, turn, chosen, ...seen]);
      }
    };
    await Promise.all(["carl", "dora", "emil", "fred"].map(user));
    assert.deepEqual(faults, []);
  });

  test("folders that were taken away do not come back with a selection", async () => {
    const dirs = { now: [join(base, "ann")] };
    const { call } = await meet(serve({ ...byUser, allowedDirs: () => dirs.now }), { user: "ann", roots: annsRoots });
    await call("switch_project", { project: "website" });
    assert.equal(await call("where"), site);
    dirs.now = [shop];
    assert.notEqual(await call("where"), site);
  });

  test("a function that fails or returns no name fails the call and says so", async () => {
    for (const [caller, said] of [
      [
        () => Promise.reject(new Error("no directory service")),
        /^error: The caller is not known: no directory service$/,
      ],
      [() => 7, /bad options at caller: the function must return a text/],
      [() => "", /bad options at caller: the function must return a text/],
      [() => null, /bad options at caller: the function must return a text/],
    ]) {
      const { call } = await meet(serve({ caller, ...ofAnn }), { roots: annsRoots });
      assert.match(await call("where"), said);
    }
    assert.throws(() => rootwise(new McpServer({ name: "x", version: "1" }), { caller: "ann" }), /caller/);
  });
});

describe("a legacy client of SDK 1.x over HTTP without sessions", () => {
  /** A server for every request; its users say in a header who they are. */
  const met = async (options, run) => {
    const http = createServer(async (request, response) => {
      const server = new Server1({ name: "legacy", version: "1" });
      const projects = rootwise(server, { host: { cwd: "/" }, ...options });
      server.registerTool("where", {}, async (extra) => ({
        content: [{ type: "text", text: (await projects.project(extra)).path }],
      }));
      projects.registerTools();
      const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
      response.on("close", () => server.close());
      await server.connect(transport);
      const { "x-user": user } = request.headers;
      if (user) request.auth = { token: user, clientId: user, scopes: [] };
      await transport.handleRequest(request, response);
    });
    http.listen(0, "127.0.0.1");
    await once(http, "listening");
    const call = async (user, name, args = {}, id = undefined) => {
      const _meta = id === undefined ? undefined : { [CONVERSATION]: id };
      const response = await fetch(`http://127.0.0.1:${http.address().port}/mcp`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": "2025-06-18",
          ...(user ? { "x-user": user } : {}),
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name, arguments: args, _meta },
        }),
      });
      return (await response.json()).result.content[0].text;
    };
    try {
      await run(call);
    } finally {
      http.closeAllConnections();
      http.close();
    }
  };
  const caller = ({ authInfo }) => authInfo?.clientId;

  test("what a caller selects counts for its next calls, and for nobody else's", () =>
    met({ caller, ...ofAnn }, async (call) => {
      assert.match(await call("ann", "switch_project", { project: site }), /Project set to: site/);
      assert.equal(await call("ann", "where"), site);
      for (const other of ["bob", undefined]) assert.match(await call(other, "where"), /^No project/);
    }));

  test("a conversation of a caller has a selection of its own", () =>
    met({ caller, ...ofAnn }, async (call) => {
      await call("ann", "switch_project", { project: site }, "one");
      await call("ann", "switch_project", { project: shop }, "two");
      assert.equal(await call("ann", "where", {}, "one"), site);
      assert.equal(await call("ann", "where", {}, "two"), shop);
      assert.match(await call("bob", "where", {}, "one"), /^No project/);
    }));

  test("without a caller, a selection is answered with a handle", () =>
    met({ ...declared, ...ofAnn }, async (call) => {
      const said = await call(undefined, "switch_project", { project: site });
      assert.ok(said.includes(`project: ${JSON.stringify(site)}`), said);
      assert.match(await call(undefined, "where"), /^No project/);
      assert.equal(await call(undefined, "where", { project: site }), site);
      assert.match(await call(undefined, "where", { project: attic }), /outside the allowed folders/);
    }));

  test("an id of a conversation is measured in bytes, as everywhere", () =>
    met({ caller, ...ofAnn }, async (call) => {
      // 2,048 characters of two bytes are 4,096 bytes; one more is none, so that the call has no conversation.
      const [longest, longer] = ["é".repeat(2048), "é".repeat(2049)];
      await call("ann", "switch_project", { project: site }, longest);
      assert.equal(await call("ann", "where", {}, longest), site);
      await call("ann", "switch_project", { project: shop }, longer);
      assert.equal(await call("ann", "where", {}, `${longer}x`), shop);
      assert.equal(await call("ann", "where", {}, longest), site);
    }));
});

describe("a declared parameter", () => {
  const named = async (client) =>
    Object.fromEntries((await client.listTools()).tools.map(({ name, inputSchema }) => [name, inputSchema.properties]));

  for (const pair of pairs.filter(({ over }) => over === "stdio"))
    test(`${pair.name}: the list of tools names the roots, and calls work with and without it`, async () => {
      const { client, call, close } = await connect(pair, { roots: annsRoots, cwd: base, options: declared });
      try {
        const before = await named(client);
        assert.match(before.where.project.description, /absolute path/);
        assert.equal((await call("where")).value.path, shop);
        const tools = await named(client);
        assert.match(tools.where.project.description, /shop, website/);
        assert.match(tools.wrapped.project.description, /shop, website/);
        assert.equal(tools.list_roots?.project, undefined);
        assert.match(tools.switch_project.project.description, /name of one of your roots/);
        assert.equal((await call("where", { project: "website" })).value.path, site);
        assert.deepEqual((await call("wrapped", { q: "x", project: site })).value.path, site);
        assert.deepEqual((await call("wrapped", { q: "x" })).value.path, shop);
        assert.match((await call("where", { project: "nowhere" })).text, /nowhere/);
        assert.match((await call("switch_project", { project: "website" })).text, /Project set to: website/);
        assert.equal((await call("where")).value.path, site);
        assert.equal((await call("where", { project: "shop" })).value.path, shop);
      } finally {
        await close();
      }
    });

  test("a tool that accepts nothing else gets nothing else, also on a server that never listed its tools", async () => {
    const { client, call } = await meet(serve({ ...declared, ...ofAnn }), { roots: annsRoots });
    assert.equal(await call("strict", { n: 1, project: "website" }), `1 ${site}`);
    assert.equal(await call("strict", { n: 1 }), `1 ${shop}`);
    assert.match(await call("strict", { n: 1, other: 2 }), /^error: /);
    assert.deepEqual(JSON.parse(await call("own", { project: "as before" })), { project: "as before" });
    const tools = await named(client);
    assert.equal(tools.own.project.description, "mine");
    assert.deepEqual(Object.keys(tools.strict), ["n", "project"]);
    assert.deepEqual(Object.keys(tools.which_project), ["project"]);
    assert.equal(tools.list_roots?.project, undefined);
  });

  for (const [name, Low, list, called] of [
    ["1.x", LowServer1, ListToolsRequestSchema, CallToolRequestSchema],
    ["2.x", LowServer2, "tools/list", "tools/call"],
  ])
    test(`a low-level server of SDK ${name} sees the calls as it declared its tools, on every page`, async () => {
      const server = new Low({ name: "low", version: "1" }, { capabilities: { tools: {} } });
      const projects = rootwise(server, declared);
      const pages = { undefined: [["first"], "2"], 2: [["second"], undefined] };
      server.setRequestHandler(list, ({ params = {} }) => {
        const [names, nextCursor] = pages[params.cursor];
        return { tools: names.map((name) => ({ name, inputSchema: { type: "object" } })), nextCursor };
      });
      server.setRequestHandler(called, async ({ params }, context) => ({
        content: [{ type: "text", text: JSON.stringify([params.arguments, (await projects.project(context)).path]) }],
      }));
      const client = new Client1({ name: "low", version: "1" }, { capabilities: { roots: {} } });
      client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: annsRoots }));
      const [one, other] = Memory1.createLinkedPair();
      await Promise.all([server.connect(one), client.connect(other)]);
      const call = async (name, args) => JSON.parse((await client.callTool({ name, arguments: args })).content[0].text);
      assert.deepEqual(await call("second", { project: "website", n: 1 }), [{ n: 1 }, site]);
      assert.deepEqual(await call("first", { n: 1 }), [{ n: 1 }, shop]);
      const { tools } = await client.listTools();
      assert.match(tools[0].inputSchema.properties.project.description, /shop, website/);
      await client.close();
    });

  test("options that are invalid are refused with their name", () => {
    const server = () => new Server1({ name: "x", version: "1" });
    assert.throws(() => rootwise(server(), { declare: true }), /bad options at declare: needs the option argument/);
    assert.throws(() => rootwise(server(), { argument: "project", declare: 1 }), /bad options at declare/);
    const late = new McpServer({ name: "x", version: "1" });
    late.registerTool("early", {}, async () => ({ content: [] }));
    assert.throws(() => rootwise(late, declared), /bad options at declare: a tool was registered before/);
  });
});
