// The filesystem example with real clients over stdio: the faults that servers with their own allow-list have.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client as Client2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-filesystem-")));
after(() => rmSync(base, { recursive: true, force: true }));
const at = (...parts) => join(base, ...parts);
for (const folder of ["one", "two", "fallback", "outside"]) {
  mkdirSync(at(folder));
  writeFileSync(at(folder, "file.txt"), folder);
}
symlinkSync(at("outside"), at("one/out"));
const uri = (path) => ({ uri: `file://${path}` });
const info = { name: "filesystem-test", version: "1" };

const pairs = [
  {
    name: "SDK 1.x",
    server: "sdk1.mjs",
    make: (capabilities) => new Client1(info, { capabilities }),
    method: ListRootsRequestSchema,
    Stdio: Stdio1,
  },
  {
    name: "SDK 2.x, legacy client",
    server: "sdk2.mjs",
    make: (capabilities) => new Client2(info, { capabilities }),
    method: "roots/list",
    Stdio: Stdio2,
  },
  {
    name: "SDK 2.x, client of 2026-07-28",
    server: "sdk2.mjs",
    make: (capabilities) => new Client2(info, { capabilities, versionNegotiation: { mode: { pin: "2026-07-28" } } }),
    method: "roots/list",
    Stdio: Stdio2,
    modern: true,
  },
];

for (const { name, server, make, method, Stdio, modern } of pairs) {
  describe(name, { timeout: 60_000 }, () => {
    const meet = async (roots, use, folders = []) => {
      const client = make(roots ? { roots: { listChanged: true } } : {});
      const state = { roots, asked: 0 };
      if (roots) {
        client.setRequestHandler(method, async () => {
          state.asked += 1;
          return { roots: await (typeof state.roots === "function" ? state.roots() : state.roots) };
        });
      }
      const args = [fileURLToPath(new URL(server, import.meta.url)), ...folders];
      await client.connect(new Stdio({ command: process.execPath, args, cwd: base, stderr: "inherit" }));
      const call = async (name, args = {}) => {
        const { content, isError } = await client.callTool({ name, arguments: args });
        return isError ? `ERROR ${content[0].text}` : content[0].text;
      };
      try {
        await use({ client, state, call });
      } finally {
        await client.close();
      }
    };
    const read = (call, path) => call("read_text_file", { path });

    test("right after the handshake the list is complete", () =>
      meet([uri(at("one")), uri(at("two"))], async ({ call }) => {
        assert.equal(await call("list_allowed_directories"), `${at("one")}\n${at("two")}`);
        assert.equal(await read(call, at("two/file.txt")), "two");
        assert.equal(await read(call, "file.txt"), "one");
        assert.equal(await call("list_directory", { path: at("two") }), "[FILE] file.txt");
      }));

    test("the client's roots replace the folders of the command line, which count without roots", async () => {
      await meet(
        [uri(at("one"))],
        async ({ call }) => assert.match(await read(call, at("fallback/file.txt")), /^ERROR .*outside/),
        [at("fallback")],
      );
      await meet(
        [],
        async ({ call }) => assert.equal(await call("list_allowed_directories"), "No folders are allowed."),
        [at("fallback")],
      );
      await meet(undefined, async ({ call }) => assert.equal(await read(call, "file.txt"), "fallback"), ["fallback"]);
      await meet(undefined, async ({ call }) =>
        assert.match(await read(call, at("one/file.txt")), /^ERROR .*outside the allowed folders: none/),
      );
    });

    test("one bad root costs only itself, and its problem is listed", () =>
      meet(
        [{ uri: "https://example.com/x" }, uri(at("missing")), uri(at("one")), { uri: "junk" }],
        async ({ call }) => {
          assert.equal(await read(call, at("one/file.txt")), "one");
          const said = await call("list_allowed_directories");
          assert.match(said, new RegExp(`^${at("one")}$`, "m"));
          assert.match(said, /missing cannot be used: missing/);
          assert.match(said, /example\.com\/x cannot be used: not_file_uri/);
        },
      ));

    test("links do not lead outside, for reading and for writing, also to a file that does not exist yet [F3]", () =>
      meet([uri(at("one"))], async ({ call }) => {
        for (const path of [
          at("one/out/file.txt"),
          at("one/../outside/file.txt"),
          "../outside/file.txt",
          "/etc/passwd",
        ])
          assert.match(await read(call, path), /^ERROR .*outside/, path);
        assert.match(await call("write_file", { path: at("one/out/new.txt"), content: "x" }), /^ERROR .*outside/);
        assert.match(await call("write_file", { path: "sub/new.txt", content: "new" }), /^Wrote /);
        assert.equal(readFileSync(at("one/sub/new.txt"), "utf8"), "new");
        rmSync(at("one/sub"), { recursive: true });
      }));

    test("right after a change the new list counts", () =>
      meet([uri(at("one"))], async ({ client, state, call }) => {
        assert.equal(await read(call, at("one/file.txt")), "one");
        state.roots = async () => (await new Promise((resolve) => setTimeout(resolve, 100)), [uri(at("two"))]);
        // A client of 2026-07-28 announces nothing: its roots count for a second.
        await (modern ? new Promise((resolve) => setTimeout(resolve, 1_000)) : client.sendRootsListChanged());
        assert.match(await read(call, at("one/file.txt")), /^ERROR .*outside/);
        assert.equal(await read(call, at("two/file.txt")), "two");
      }));

    test(
      "a storm of changes costs few requests",
      { skip: modern && "a client of 2026-07-28 announces no changes" },
      () =>
        meet([uri(at("one"))], async ({ client, state, call }) => {
          assert.equal(await read(call, at("one/file.txt")), "one");
          state.asked = 0;
          state.roots = [uri(at("two"))];
          for (let turn = 0; turn < 10_000; turn += 1) await client.sendRootsListChanged();
          assert.equal(await read(call, at("two/file.txt")), "two");
          assert.ok(state.asked < 50, `${state.asked} requests`);
        }),
    );
  });
}
