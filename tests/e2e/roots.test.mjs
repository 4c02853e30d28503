// All roots, not only one: the verified list, its changes, and paths checked against all of it by real path.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { Client as Client2, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as Memory1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as Server1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { createMcpHandler, InMemoryTransport as Memory2, McpServer as Server2 } from "@modelcontextprotocol/server";
import { presets, RootwiseError } from "rootwise";
import { rootwise } from "rootwise/mcp";

const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-roots-")));
after(() => rmSync(base, { recursive: true, force: true }));
const at = (...parts) => join(base, ...parts);
for (const folder of ["one/sub", "two", "onetwo", "outside"]) mkdirSync(at(folder), { recursive: true });
for (const file of ["one/a.txt", "two/b.txt", "outside/secret.txt", "onetwo/c.txt"]) writeFileSync(at(file), file);
symlinkSync(at("outside"), at("one/out"));
symlinkSync(at("outside/secret.txt"), at("one/link.txt"));
symlinkSync(at("nowhere"), at("one/dangling"));
symlinkSync(at("two"), at("linked"));
symlinkSync(at("loop"), at("loop"));
const uri = (path) => ({ uri: `file://${path}` });
const info = { name: "roots", version: "1" };

const generations = [
  { name: "SDK 1.x", Server: Server1, Client: Client1, Memory: Memory1, method: ListRootsRequestSchema },
  { name: "SDK 2.x", Server: Server2, Client: Client2, Memory: Memory2, method: "roots/list" },
];

for (const { name, Server, Client, Memory, method } of generations) {
  describe(name, () => {
    /** Runs `use` inside a handler of a server whose client has these roots. */
    const meet = async (roots, options, use) => {
      const server = new Server(info);
      const projects = rootwise(server, { local: true, host: { cwd: "/" }, asyncContext: true, ...options });
      let result;
      server.registerTool("run", {}, async (ctx) => {
        result = await use(projects, ctx).then(
          (value) => ({ value }),
          (error) => ({ error }),
        );
        return { content: [] };
      });
      const client = new Client(info, { capabilities: { roots: { listChanged: true } } });
      const state = { roots, asked: 0 };
      client.setRequestHandler(method, async () => {
        state.asked += 1;
        return { roots: await (typeof state.roots === "function" ? state.roots() : state.roots) };
      });
      const [one, other] = Memory.createLinkedPair();
      await Promise.all([server.connect(one), client.connect(other)]);
      const run = async () => {
        await client.callTool({ name: "run", arguments: {} });
        if (result.error) throw result.error;
        return result.value;
      };
      return { client, state, projects, run };
    };

    test("every entry says whether it exists, what it really is, and what is wrong with it", async () => {
      const list = [
        uri(at("one")),
        uri(at("linked")),
        uri(at("missing")),
        uri("/"),
        uri(homedir()),
        { uri: "https://example.com/x" },
        { uri: "file:///C:/code" },
        null,
        { uri: 7 },
        uri(at("two")),
      ];
      const { client, run } = await meet(list, {}, (projects, ctx) => projects.roots(ctx));
      const { roots, state } = await run();
      assert.equal(state, "ok");
      const seen = Object.fromEntries(
        roots.map(({ uri, problem, exists, realPath }) => [uri, { problem, exists, realPath }]),
      );
      const good = (path, real = path) =>
        assert.deepEqual(seen[`file://${path}`], { problem: undefined, exists: true, realPath: real });
      good(at("one"));
      good(at("linked"), at("two"));
      good(at("two"));
      assert.deepEqual(seen[`file://${at("missing")}`], { problem: "missing", exists: false, realPath: undefined });
      assert.equal(seen["file:///"].problem, "excluded_dir");
      assert.equal(seen[`file://${homedir()}`].problem, "excluded_dir");
      assert.equal(seen["https://example.com/x"].problem, "not_file_uri");
      assert.deepEqual([seen["file:///C:/code"].problem, seen["file:///C:/code"].exists], ["other_system", false]);
      await client.close();
    });

    test("every preset verifies its roots", async () => {
      for (const policy of Object.keys(presets)) {
        const { client, run } = await meet(
          [uri(at("linked")), uri(at("missing"))],
          { policy, requirePath: presets[policy].requirePath },
          (projects, ctx) => projects.roots(ctx),
        );
        const { roots, state } = await run();
        // Some presets never ask.
        if (state === "notAsked") assert.deepEqual(roots, []);
        else
          assert.deepEqual(
            roots.map(({ realPath, problem }) => [realPath, problem]),
            [
              [at("two"), undefined],
              [undefined, "missing"],
            ],
            policy,
          );
        await client.close();
      }
    });

    test("the folder that is checked is the folder that was named, however it is shown", async () => {
      const named = ["two  spaces", "zero\u200bwidth", `${"long/".repeat(250)}end`];
      for (const folder of [...named, "two spaces", "zerowidth"]) mkdirSync(at("exact", folder), { recursive: true });
      const list = named.map((folder) => uri(at("exact", folder)));
      const { client, run } = await meet(list, {}, async (projects, ctx) => ({
        real: (await projects.roots(ctx)).roots.map(({ realPath }) => realPath),
        other: await Promise.all(
          ["two spaces", "zerowidth"].map((folder) => projects.inside(ctx, at("exact", folder))),
        ),
      }));
      const { real, other } = await run();
      assert.deepEqual(
        real,
        named.map((folder) => at("exact", folder)),
      );
      assert.deepEqual(other, [false, false]);
      await client.close();
    });

    test("a path of any length is judged at once", async () => {
      const { client, run } = await meet([uri(at("one"))], {}, async (projects, ctx) => {
        const judge = (path) =>
          projects.resolve(ctx, path).then(
            (real) => real.length,
            ({ code }) => code,
          );
        return [
          await judge("a/".repeat(20_000)),
          await judge("a/".repeat(1_900)),
          await judge(`${"../".repeat(1_000)}etc/passwd`),
        ];
      });
      // One disk check for each part of a path would take minutes for the first.
      assert.deepEqual(await run(), ["invalid", at("one").length + 1 + 1_900 * 2 - 1, "outside"]);
      await client.close();
    });

    test("messages show folders safely, and not all of 400", async () => {
      const evil = at("one/sub", "evil\u202e\u0007\n\u200bname");
      mkdirSync(evil, { recursive: true });
      const nice = at("one/sub", `nice-${name.at(4)}`);
      symlinkSync(evil, nice);
      const many = Array.from({ length: 200 }, (_, index) => at("one/sub", `${index}-${"long".repeat(20)}`));
      for (const path of many) mkdirSync(path, { recursive: true });
      const list = [nice, ...many].map((path) => ({ uri: `file://${encodeURI(path)}`, name: "name" }));
      const { client, run, projects } = await meet(list, {}, async (projects, ctx) =>
        projects.resolve(ctx, "/etc/passwd").catch(({ message }) => message),
      );
      projects.registerTools();
      const outside = await run();
      const listed = (await client.callTool({ name: "list_roots", arguments: {} })).content[0].text;
      for (const text of [outside, listed]) {
        assert.doesNotMatch(text, /[\u202e\u0007\u200b]/);
        assert.match(text, /evil name/);
        assert.match(text, /and \d+ more/);
        assert.ok(text.length < 6_000, `${text.length} characters`);
      }
      assert.doesNotMatch(outside, /\n/);
      await client.close();
    });

    test("a link that turns while a path is resolved never leads outside", { timeout: 60_000 }, async () => {
      const place = at(`turning-${name.at(4)}`);
      for (const path of ["root/in", "out"]) mkdirSync(join(place, path), { recursive: true });
      for (const path of ["root/in/both", "out/both", "out/secret"]) writeFileSync(join(place, path), path);
      symlinkSync("/etc", join(place, "out/etc"));
      const link = join(place, "root/link");
      const turn = `const { renameSync, symlinkSync } = require("node:fs");
        for (const [link, ...targets] = process.argv.slice(1); ; ) for (const to of targets) { symlinkSync(to, link + ".new"); renameSync(link + ".new", link); }`;
      const turner = spawn(process.execPath, ["-e", turn, link, join(place, "root/in"), join(place, "out")], {
        stdio: ["ignore", "ignore", "inherit"],
      });
      try {
        while (!existsSync(link)) await setTimeout(5);
        const { client, run } = await meet([uri(join(place, "root"))], {}, async (projects, ctx) => {
          const seen = { inside: 0, refused: 0, wrong: [] };
          const end = performance.now() + 2_000;
          while (performance.now() < end) {
            for (const path of ["link/both", "link/secret", "link/etc/passwd", "link/new/file"]) {
              const found = await projects.resolve(ctx, path).catch(({ code }) => code);
              if (found === "outside" || found === "unreadable") seen.refused += 1;
              else if (found.startsWith(join(place, "root/in/"))) seen.inside += 1;
              else seen.wrong.push(found);
            }
          }
          return seen;
        });
        const { inside, refused, wrong } = await run();
        assert.deepEqual(wrong, []);
        assert.ok(inside > 0 && refused > 0, `${inside} inside, ${refused} refused`);
        await client.close();
      } finally {
        turner.kill();
        await once(turner, "exit");
      }
    });

    test("a path is inside if its real path is inside one of the roots", async () => {
      const list = [uri(at("one")), uri(at("missing")), { uri: "junk" }, uri(at("linked"))];
      const inside = [
        at("one"),
        at("one/a.txt"),
        at("one/sub/new/file.txt"),
        at("two/b.txt"),
        at("linked/b.txt"),
        at("linked/new.txt"),
        "a.txt",
        "sub/../a.txt",
        at("one/sub/../a.txt"),
        uri(at("one/a.txt")).uri,
      ];
      const outside = [
        at("onetwo/c.txt"),
        at("outside/secret.txt"),
        at("one/out/secret.txt"),
        at("one/out/new.txt"),
        at("one/link.txt"),
        at("one/dangling"),
        at("one/dangling/x"),
        at("one/../outside/secret.txt"),
        "../outside/secret.txt",
        "/etc/passwd",
        "/",
        at("missing"),
        at("missing/x"),
        "",
        "\0",
        "a\0b",
        at("loop"),
        at("loop/x"),
        uri(at("outside/secret.txt")).uri,
        "https://host/one/a.txt",
        "C:\\one\\a.txt",
        at("one/a.txt/below"),
      ];
      const { client, run } = await meet(list, {}, async (projects, ctx) => ({
        inside: await Promise.all(inside.map((path) => projects.inside(ctx, path))),
        outside: await Promise.all(outside.map((path) => projects.inside(ctx, path))),
        real: [
          await projects.resolve(ctx, at("linked/b.txt")),
          await projects.resolve(ctx, "sub/new.txt"),
          await projects.resolve(undefined, "a.txt"),
        ],
        why: await projects.resolve(ctx, at("one/out/secret.txt")).catch((error) => error),
      }));
      const said = await run();
      assert.deepEqual(
        inside.filter((_, index) => !said.inside[index]),
        [],
      );
      assert.deepEqual(
        outside.filter((_, index) => said.outside[index]),
        [],
      );
      assert.deepEqual(said.real, [at("two/b.txt"), at("one/sub/new.txt"), at("one/a.txt")]);
      assert.ok(said.why instanceof RootwiseError && said.why.code === "outside");
      assert.ok(said.why.message.includes(at("one")) && !said.why.message.includes("secret"), said.why.message);
      await client.close();
    });

    test("without a usable root no path is inside, and the reason is said", async () => {
      for (const [list, reason] of [
        [[], /no roots/],
        [[uri(at("missing")), uri("/")], /missing cannot be used: the path does not exist; .*the folder is excluded/s],
      ]) {
        const { client, run } = await meet(list, {}, (projects, ctx) => projects.resolve(ctx, at("one/a.txt")));
        await assert.rejects(run(), (error) => error.code === "no_roots" && reason.test(error.message));
        await client.close();
      }
    });

    test("changes of the list are announced once, verified, with the list before", async () => {
      const { client, state, projects, run } = await meet([uri(at("one"))], {}, (projects, ctx) => projects.roots(ctx));
      const seen = [];
      projects.onRootsChange((now, before) =>
        seen.push([
          now.roots.map(({ realPath, problem }) => realPath ?? problem),
          before?.roots.map(({ realPath, problem }) => realPath ?? problem),
        ]),
      );
      projects.onRootsChange(() => {
        throw new Error("theirs");
      });
      const stop = projects.onRootsChange(() => assert.fail("stopped"));
      stop();
      await run();
      state.roots = [uri(at("two")), uri(at("missing"))];
      await client.sendRootsListChanged();
      assert.deepEqual(
        (await run()).roots.map(({ problem }) => problem),
        [undefined, "missing"],
      );
      await client.sendRootsListChanged();
      await run();
      for (let turn = 0; turn < 100 && seen.length < 2; turn += 1) await setTimeout(5);
      assert.deepEqual(seen, [
        [[at("one")], undefined],
        [[at("two"), "missing"], [at("one")]],
      ]);
      await client.close();
    });

    test("a storm of changes costs two requests, and the list after it is the newest", async () => {
      const { client, state, run } = await meet([uri(at("one"))], {}, (projects, ctx) => projects.roots(ctx));
      await run();
      state.asked = 0;
      state.roots = async () => (await setTimeout(50), [uri(at("two"))]);
      await Promise.all(Array.from({ length: 10_000 }, () => client.sendRootsListChanged()));
      assert.deepEqual(
        (await run()).roots.map(({ path }) => path),
        [at("two")],
      );
      assert.ok(state.asked <= 3, `${state.asked} requests`);
      await client.close();
    });
  });
}

test("over HTTP without `local` or `allowedDirs` the disk is not examined", async () => {
  let seen;
  const handler = createMcpHandler(() => {
    const server = new Server2(info);
    const projects = rootwise(server);
    server.registerTool("run", {}, async (ctx) => {
      seen = [await projects.roots(ctx), await projects.resolve(ctx, at("one/a.txt")).catch((error) => error)];
      return { content: [] };
    });
    return server;
  });
  const client = new Client2(info, {
    capabilities: { roots: {} },
    versionNegotiation: { mode: { pin: "2026-07-28" } },
  });
  client.setRequestHandler("roots/list", async () => ({ roots: [uri(at("one")), uri(at("missing"))] }));
  await client.connect(
    new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), {
      fetch: (input, init) => handler.fetch(new Request(input, init)),
    }),
  );
  await client.callTool({ name: "run", arguments: {} });
  const [{ roots }, error] = seen;
  assert.deepEqual(
    roots.map(({ exists, realPath }) => [exists, realPath]),
    [
      [undefined, undefined],
      [undefined, undefined],
    ],
  );
  assert.equal(error.code, "no_roots");
  assert.match(error.message, /on another machine/);
  await client.close();
});
