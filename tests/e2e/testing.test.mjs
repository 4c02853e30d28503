// rootwise/testing, with servers on both generations of the SDK. None of these tests takes real time.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { afterEach, describe, test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as Server1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { McpServer as Server2 } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { ClientError, Connection, hostFacts, resolveAtStart } from "rootwise/driver";
import { presets } from "rootwise";
import { projectGate, resolveInside, rootwise } from "rootwise/mcp";
import { clientLike, FakeDisk, fakeHost, fixedProject } from "rootwise/testing";
import { at } from "../../scripts/tools.mjs";

let made = [];
afterEach(() => {
  for (const one of made) one.end();
  made = [];
});
const keep = (one) => {
  made.push(one);
  return one;
};
const host = (options) => keep(fakeHost(options));

const text = (text) => ({ content: [{ type: "text", text }] });

/** A server whose tools say what it knows. */
function serverOf(McpServer, options) {
  const server = new McpServer({ name: "tested", version: "1" });
  const projects = rootwise(server, options);
  server.registerTool("where", {}, async (context) => {
    const { path, source } = await projects.project(context);
    return text(`${path} ${source}`);
  });
  server.registerTool("roots", {}, async (context) => {
    const { roots } = await projects.roots(context);
    return text(roots.map(({ path, realPath, problem }) => [path, realPath, problem].filter(Boolean).join(" ")).join());
  });
  server.registerTool("a.txt", {}, async (context) => text(await projects.resolve(context, "a.txt")));
  projects.registerTools();
  return { server, projects };
}

const said = async (client, tool = "where", ...rest) => (await client.callTool(tool, ...rest)).content[0].text;

test("a client that nobody knows gets the nearest name, and folders must be absolute", () => {
  assert.throws(() => clientLike("crusor"), { code: "bad_options", message: /nearest name is `cursor`/ });
  assert.throws(() => clientLike("cursor", { roots: ["shop"] }), { code: "bad_options", message: /folders\[0\]/ });
  assert.throws(() => clientLike("cursor", { cwd: "/work" }), { code: "bad_options", message: /cwd/ });
  for (const wrong of [undefined, 7, ""]) assert.throws(() => clientLike(wrong), { code: "bad_options" });
  const { host, client, isModern } = clientLike("Claude Code", { roots: ["C:\\code"], style: "windows" });
  assert.deepEqual([host.cwd, host.env, isModern], ["C:\\code", { CLAUDE_PROJECT_DIR: "C:\\code" }, true]);
  assert.deepEqual(client.roots, [{ uri: "file:///C:/code", name: "code" }]);
});

for (const [generation, McpServer] of [
  ["SDK 1.x", Server1],
  ["SDK 2.x", Server2],
]) {
  describe(generation, () => {
    for (const [name, expected] of [
      ["claude-code", "/work/shop roots"],
      ["vs-code", "/work/shop roots"],
      ["opencode", "/work/shop roots"],
      ["cursor", "/work/shop env"],
      ["zed", "/work/shop cwd"],
      ["codex", "/work/shop meta"],
      ["goose", "/work/shop meta"],
      ["cline", /^No project was found/],
      ["claude-desktop", /^No project was found/],
    ]) {
      test(`a client like ${name}`, async () => {
        const like = clientLike(name, { roots: ["/work/shop"] });
        const machine = host({ files: ["/work/shop/.git/"], ...like.host });
        const client = await machine.connect(serverOf(McpServer).server, like.client);
        const text = await said(client);
        if (typeof expected === "string") assert.equal(text, expected);
        else assert.match(text, expected);
      });
    }

    test("a client with roots", async () => {
      const machine = host({ files: ["/work/shop/", "/work/api/"] });
      const client = await machine.connect(serverOf(McpServer).server, { roots: ["/work/shop"] });
      assert.equal(await said(client), "/work/shop roots");
      assert.equal(client.asked, 1);
      client.setRoots(["/work/api"]);
      assert.equal(await said(client), "/work/api roots");
    });

    test("a client that changes its roots without telling is noticed when the list is old", async () => {
      const machine = host({ files: ["/work/shop/", "/work/api/"] });
      const client = await machine.connect(serverOf(McpServer).server, { roots: ["/work/shop"] });
      assert.equal(await said(client), "/work/shop roots");
      client.setRoots(["/work/api"], false);
      assert.equal(await said(client), "/work/shop roots");
      await machine.advance(1_000);
      assert.equal(await said(client), "/work/api roots");
    });

    test("a silent client costs one wait, which takes no time", async () => {
      const machine = host({ files: ["/work/shop/.git/"], cwd: "/work/shop" });
      const client = await machine.connect(serverOf(McpServer).server, { roots: "silent" });
      assert.equal(await said(client), "/work/shop cwd");
      assert.equal(await said(client), "/work/shop cwd");
      assert.equal(client.asked, 1);
    });

    test("a client that answers late: the first call takes the next source, and later ones the roots", async () => {
      const machine = host({ files: ["/work/shop/", "/work/here/.git/"], cwd: "/work/here" });
      const client = await machine.connect(serverOf(McpServer).server, { roots: ["/work/shop"], delayMs: 6_000 });
      assert.equal(await said(client), "/work/here cwd");
      await machine.advance(1_000);
      assert.equal(await said(client), "/work/shop roots");
    });

    test("a client that declares no roots, and one that refuses the request", async () => {
      const machine = host({ files: ["/work/shop/"], env: { CLAUDE_PROJECT_DIR: "/work/shop" } });
      const without = await machine.connect(serverOf(McpServer).server);
      assert.equal(await said(without), "/work/shop env");
      assert.equal(without.asked, 0);
      const refusing = await machine.connect(serverOf(McpServer).server, { roots: "refused" });
      assert.equal(await said(refusing), "/work/shop env");
      assert.equal(refusing.asked, 1);
    });

    test("nothing of the machine that the tests run on counts", async () => {
      process.env.ROOTWISE_PROJECT = at();
      try {
        const machine = host();
        const { isError, content } = await (await machine.connect(serverOf(McpServer).server)).callTool("where");
        assert.equal(isError, true);
        assert.match(content[0].text, /declared no roots|no roots/);
      } finally {
        delete process.env.ROOTWISE_PROJECT;
      }
    });

    test("Windows, on any machine", async () => {
      const machine = host({
        style: "windows",
        files: ["C:\\code\\Shop\\package.json", "C:\\code\\Shop\\a.txt"],
        links: { "C:\\now": "C:\\code\\Shop" },
      });
      const { server } = serverOf(McpServer);
      const client = await machine.connect(server, { roots: ["C:\\now", "c:\\CODE\\shop"] });
      assert.equal(await said(client), "C:\\now roots");
      assert.equal(await said(client, "roots"), "C:\\now C:\\code\\Shop,C:\\CODE\\shop C:\\code\\Shop");
      assert.equal(await said(client, "a.txt"), "C:\\code\\Shop\\a.txt");
    });

    test("over HTTP a client is on another machine, and its headers count", async () => {
      const machine = host({ files: ["/srv/a/", "/etc/"] });
      const client = await machine.connect(serverOf(McpServer, { allowedDirs: ["/srv"] }).server, {
        roots: ["/etc"],
        http: true,
      });
      assert.equal((await client.callTool("where")).isError, true);
      assert.equal(await said(client, "where", {}, { headers: { "X-Project-Path": "/srv/a" } }), "/srv/a header");
      assert.equal(await said(client, "where", {}, { query: "project_path=/srv/a" }), "/srv/a query");
    });

    test("a fixed project, for handlers with a client and without one", async () => {
      const { project, end } = keep(fixedProject("/imaginary/shop", { name: "Shop" }));
      const { server, projects } = serverOf(McpServer);
      assert.deepEqual([project.path, project.name, project.displayName], ["/imaginary/shop", "Shop", "Shop"]);
      assert.equal((await projects.project()).slug, project.slug);
      assert.equal((await projects.project({})).name, "Shop");
      assert.equal(projects.current()?.path, "/imaginary/shop");
      assert.equal(await projects.tool(async ({ path }, { q }) => `${path} ${q}`)({ q: "why" }), "/imaginary/shop why");
      assert.match((await projects.explain()).text, /\/imaginary\/shop/);
      assert.equal((await projects.select(undefined, "/other")).project.path, "/other");
      assert.equal((await projects.project()).path, "/other");
      assert.equal((await projects.unselect())?.path, "/imaginary/shop");
      const client = await host().connect(server);
      assert.match(await said(client), /^\/imaginary\/shop/);
      end();
      assert.equal((await client.callTool("where")).isError, true);
    });

    test("the folder of a fixed project is the only root", async () => {
      host({ files: ["/work/shop/a.txt", "/work/b.txt"] });
      keep(fixedProject("/work/shop"));
      const { projects } = serverOf(McpServer);
      assert.deepEqual(
        (await projects.roots()).roots.map(({ path, exists }) => [path, exists]),
        [["/work/shop", true]],
      );
      assert.equal(await projects.resolve(undefined, "a.txt"), "/work/shop/a.txt");
      assert.equal(await projects.inside(undefined, "../b.txt"), false);
    });

    test("an error of the server is an error of the request", async () => {
      const client = await host().connect(serverOf(McpServer).server);
      await assert.rejects(
        client.request("nothing/such"),
        (error) => error instanceof ClientError && error.code === -32601,
      );
      client.close();
      await assert.rejects(client.callTool("where"), { code: "closed" });
    });
  });
}

/** A server for clients of both eras. */
const both = (options) => (transport) => serveStdio(() => serverOf(Server2, options).server, { transport });

for (const [name, expected, asked] of [
  ["claude-code", "/work/shop roots", 1],
  ["goose", "/work/shop meta", 0],
  ["fast-agent", "/work/shop cwd", 0],
  ["vs-code", "/work/shop roots", 1],
  ["cursor", "/work/shop env", 1],
]) {
  test(`a client like ${name}, with a server that serves both eras`, async () => {
    const like = clientLike(name, { roots: ["/work/shop"] });
    const machine = host({ files: ["/work/shop/.git/"], ...like.host });
    const client = await machine.connect(both(), like.client);
    assert.equal(client.isModern, like.isModern);
    assert.deepEqual([await said(client), client.asked], [expected, asked]);
  });
}

test("what a client says of itself and in its calls arrives", async () => {
  for (const [name, info, meta] of [
    ["codex", "codex-mcp-client", { threadId: "chat-7" }],
    ["vs-code", "Visual Studio Code", { "vscode.conversationId": "chat-7" }],
    ["goose", "goose-cli", { "agent-session-id": "chat-7" }],
  ]) {
    const like = clientLike(name, { roots: ["/work/shop"], conversation: "chat-7" });
    const machine = host({ files: ["/work/shop/.git/"], ...like.host });
    const seen = [];
    const make = () => {
      const { server } = serverOf(Server2);
      server.registerTool("seen", {}, async ({ mcpReq }) => {
        seen.push(mcpReq._meta);
        return text(JSON.stringify(server.server.getClientVersion()?.name ?? mcpReq.envelope));
      });
      return server;
    };
    const client = await machine.connect((transport) => serveStdio(make, { transport }), like.client);
    assert.ok((await said(client, "seen")).includes(info));
    for (const [key, value] of Object.entries(meta)) assert.equal(seen[0][key], value, name);
    // Codex names its folder to servers that want it, and those of Rootwise do.
    assert.equal(seen[0]["codex/sandbox-state-meta"] !== undefined, name === "codex");
    await said(client, "seen", {}, { meta: { [Object.keys(meta)[0]]: "chat-8" } });
    assert.equal(seen[1][Object.keys(meta)[0]], "chat-8");
    machine.end();
  }
});

test("a form is answered in either era, by the test or as the client does without a user", async () => {
  const policy = { ...presets.recommended, roots: { pick: "only" }, elicit: "ambiguous" };
  const like = clientLike("claude-code", { roots: ["/work/shop", "/work/api"] });
  const machine = host({ files: ["/work/shop/", "/work/api/"], home: "/home/me" });
  for (const isModern of [true, false]) {
    const shown = [];
    const form = ({ requestedSchema }) => {
      shown.push(requestedSchema.properties.project.enum);
      return { action: "accept", content: { project: "api" } };
    };
    const connect = (form) => machine.connect(both({ policy }), { ...like.client, isModern, form });
    // The user's answer is a selection.
    assert.equal(await said(await connect(form)), "/work/api selected");
    assert.deepEqual(shown, [["shop", "api"]]);
    assert.match(await said(await connect(like.client.form)), /several|which|ambiguous|roots/i);
  }
  const silent = await machine.connect(both({ policy }), { ...like.client, form: "silent" });
  await assert.rejects(said(silent), (error) => error instanceof ClientError && /never ends/.test(error.message));
});

test("a modern client opens a server that knows only older revisions with a handshake", async () => {
  const like = clientLike("claude-code", { roots: ["/work/shop"] });
  const machine = host({ files: ["/work/shop/.git/"], ...like.host });
  const client = await machine.connect(serverOf(Server1).server, like.client);
  assert.deepEqual([client.isModern, await said(client)], [false, "/work/shop roots"]);
});

test("real clients in this process meet the machine too, and a silent one costs no time", async () => {
  host({ files: ["/work/shop/"] });
  for (const [answer, expected] of [
    [() => ({ roots: [{ uri: "file:///work/shop" }] }), /^\/work\/shop roots$/],
    [() => new Promise(() => {}), /did not answer/],
  ]) {
    const client = new Client({ name: "real", version: "1" }, { capabilities: { roots: {} } });
    client.setRequestHandler(ListRootsRequestSchema, answer);
    const [one, other] = InMemoryTransport.createLinkedPair();
    await Promise.all([serverOf(Server1).server.connect(one), client.connect(other)]);
    assert.match((await client.callTool({ name: "where" })).content[0].text, expected);
    await client.close();
  }
});

test("the driver, the gate and the start of a process take the machine", async () => {
  const machine = host({
    files: ["/srv/a/", "/srv/b.txt"],
    links: { "/srv/out": "/etc", "/srv/loop": "/srv/loop" },
    argv: ["--project=/srv/a"],
  });
  assert.deepEqual(hostFacts().arguments, { project: "/srv/a" });
  assert.equal((await resolveAtStart())?.path, "/srv/a");
  const gate = projectGate({ query: "p", allowedDirs: ["/srv"] });
  const check = async (path) => (await gate.check(new Request(`http://localhost/?p=${path}`))).refusal?.status;
  assert.equal(await check("/srv/a"), undefined);
  assert.equal(await check("/srv/none"), 400);
  assert.equal(await check("/srv/out"), 400);
  await assert.rejects(resolveInside(["/srv"], "out/x"), { code: "outside" });
  await assert.rejects(resolveInside(["/srv"], "loop"), { code: "unreadable" });
  machine.disk.deny("/srv/a");
  await assert.rejects(resolveInside(["/srv"], "a/x"), { code: "unreadable" });
  const sender = { send: () => new Promise(() => {}) };
  const connection = new Connection({ host: hostFacts("stdio", { argv: [] }), sender });
  connection.initialized({ capabilities: { roots: {} } });
  connection.ready();
  await assert.rejects(connection.ask(), { name: "NoProjectError" });
  connection.close();
});

test("a file: URI is read as its path, and refused with its code where it names none", async () => {
  const machine = host({ files: ["/srv/my file.txt", "/etc/passwd"] });
  assert.equal(await resolveInside(["/srv"], "file:///srv/my%20file.txt"), "/srv/my file.txt");
  assert.equal(await resolveInside(["/srv"], "FILE:///srv/../srv/my%20file.txt"), "/srv/my file.txt");
  await assert.rejects(resolveInside(["/srv"], "file:///etc/passwd"), { code: "outside" });
  await assert.rejects(resolveInside(["/srv"], "file:///srv%2Fa"), { code: "invalid", message: /encoded separator/ });
  await assert.rejects(resolveInside(["/srv"], "file://elsewhere/srv/a"), { code: "invalid", message: /another host/ });
  await assert.rejects(resolveInside(["/srv"], "https://host/srv/a"), { code: "not_file_uri" });
  await assert.rejects(resolveInside(["/srv"], "C:\\srv\\a"), { code: "other_system" });
  const { server, projects } = serverOf(Server1);
  server.registerTool("read", {}, async (context) =>
    text(await projects.resolve(context, "file:///srv/my%20file.txt")),
  );
  assert.equal(await said(await machine.connect(server, { roots: ["/srv"] }), "read"), "/srv/my file.txt");
});

test("after its end the real machine counts, and only one can be in use", () => {
  const machine = fakeHost({ style: "windows" });
  assert.throws(() => fakeHost(), { code: "bad_options" });
  assert.equal(hostFacts().style, "windows");
  machine.end();
  machine.end();
  assert.equal(hostFacts().cwd, process.cwd());
  const { end } = fixedProject("/a");
  assert.throws(() => fixedProject("/b"), { code: "bad_options" });
  end();
});

test("options that are invalid are refused with their name", () => {
  assert.throws(() => fakeHost({ folders: [] }), /folders/);
  assert.throws(() => fakeHost({ style: "dos" }), /style/);
  assert.throws(() => fakeHost({ files: ["relative"] }), /path/);
  assert.throws(() => fixedProject("relative"), /path/);
  assert.throws(() => fixedProject("/a", { title: "x" }), /title/);
  assert.equal(hostFacts().cwd, process.cwd());
});

test("the disk answers as that of Node", async () => {
  const disk = new FakeDisk("posix").add("/a/file", "/a/folder/").link("/a/link", "/a/folder").link("/a/lost", "/b");
  const { access, lstat, realpath, stat } = disk.files;
  assert.equal((await stat("/a/link")).isDirectory(), true);
  assert.equal((await lstat("/a/link")).isSymbolicLink(), true);
  assert.equal(String(await realpath("/a/link/../link", "buffer")), "/a/folder");
  await access("/a/file");
  await assert.rejects(stat("/a/lost"), { code: "ENOENT" });
  await assert.rejects(stat("/a/file/x"), { code: "ENOTDIR" });
  disk.remove("/a");
  await assert.rejects(access("/a/folder"), { code: "ENOENT" });
});

test("a wait for a client keeps the process alive, and a request that nobody waits for does not", () => {
  const program = (after) => `
    import { Connection } from "rootwise/driver";
    const sender = { send: () => new Promise(() => {}) };
    const connection = new Connection({ host: { style: "posix", transport: "stdio" }, sender, policy: {
      name: "quick", sources: [{ from: "roots" }], timing: { callerTimeoutMs: 20 },
    } });
    connection.initialized({ capabilities: { roots: {} } });
    connection.ready();
    await connection.ask().catch(({ name }) => console.log(name));
    ${after}`;
  const run = (code) =>
    spawnSync(process.execPath, ["--input-type=module", "-e", code], { cwd: at(), encoding: "utf8", timeout: 30_000 });
  const { status, stdout, stderr } = run(program("console.log('end');"));
  assert.deepEqual([status, stdout], [0, "NoProjectError\nend\n"], stderr);
});
