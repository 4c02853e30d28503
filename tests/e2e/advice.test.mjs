// The text that a model reads where no project was found: it says why, and its advice works when it is followed.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { presets } from "rootwise";
import { connect, pairs, sharedServers } from "./clients.mjs";

const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-advice-")));
const servers = sharedServers();
after(async () => {
  await servers.stop();
  rmSync(base, { recursive: true, force: true });
});
const alpha = join(base, "allowed", "alpha");
mkdirSync(join(alpha, ".git"), { recursive: true });
const other = {
  name: "other",
  sources: [
    { from: "argument" },
    { from: "header", read: ["x-folder"] },
    { from: "query", read: ["folder"] },
    { from: "configured", read: ["folder", "$FOLDER"] },
    { from: "roots" },
  ],
};

const where = (peer, args) => peer.call("by_argument", args);

/** What each piece of advice means, and how a caller, a user or an operator follows it. Returns what the tool then says. */
const advice = [
  [
    /pass the project path as `([^`]+)` in the call/i,
    async (start, [, argument]) => where(await start(), { [argument]: alpha }),
  ],
  [
    /call `([^`]+)` with (?:the absolute path of the project|the name or the path of one of them)/i,
    async (start, [, tool]) => {
      const peer = await start();
      const { failed, text } = await peer.call(tool, { project: alpha });
      assert.ok(!failed, text);
      return where(peer);
    },
  ],
  [/the `([^`]+)` header/i, async (start, [, header]) => where(await start({ headers: { [header]: alpha } }))],
  [
    /the `([^`]+)` query parameter/i,
    async (start, [, query]) => where(await start({ query: `?${query}=${encodeURIComponent(alpha)}` })),
  ],
  [
    /`--([^=]+)=(?:\/absolute\/path|\$\{workspaceFolder\})`(?: to this server's args in `[^`]+`)?/i,
    async (start, [, option]) => where(await start({ args: [`--${option}=${alpha}`] })),
  ],
  [
    /set `([^`]+)` in this server's environment/i,
    async (start, [, variable]) => where(await start({ env: { [variable]: alpha } })),
  ],
  [/start Claude Code inside the project/i, async (start) => where(await start({ cwd: alpha }))],
  [
    /its operator can say with `(ROOTWISE_PATH_MAP)`/,
    async (start, [, variable]) => where(await start({ env: { [variable]: `C:\\code=${alpha}` } })),
  ],
  [
    /open a folder in this window and try again/i,
    async (start) => where(await start({ roots: [{ uri: `file://${alpha}` }] })),
  ],
];

for (const pair of pairs) {
  describe(pair.name, { timeout: 120_000 }, () => {
    const http = pair.over === "http";
    /** Whether nothing ties the calls of the client together. */
    const alone = http && pair.era === "modern";
    /** Connects a client of its own for every attempt; over stdio, with a server of its own. */
    const starter = (options, more = {}) => {
      const peers = [];
      const start = async ({ query = "", ...changes } = {}) => {
        const all = {
          roots: [],
          cwd: "/",
          options: { ...options, host: { ...options.host } },
          ...more,
          ...changes,
          query,
        };
        const peer = await connect(pair, http ? { ...all, url: await servers.url(pair.server, all) } : all);
        peers.push(peer);
        return peer;
      };
      return { start, stop: () => Promise.all(peers.map((peer) => peer.close())) };
    };

    const follows = (name, options, expected, more) =>
      test(name, async () => {
        const { start, stop } = starter(options, more);
        try {
          const { text, failed } = await where(await start());
          assert.ok(failed, text);
          const [cause, ...rest] = text.split("\n");
          assert.match(cause, /^No project was found: /);
          let left = rest.join("\n");
          const names = [];
          for (const [form, follow] of advice) {
            const match = form.exec(left);
            if (!match) continue;
            left = left.replace(match[0], "");
            names.push(match[1] ?? match[0]);
            const result = await follow(start, match);
            assert.equal(result.value?.path, alpha, `${match[0]}: ${result.text}`);
          }
          assert.deepEqual(names, expected, text);
          // Nothing else is named: whatever the text has in backquotes was followed.
          assert.doesNotMatch(left, /`/, text);
        } finally {
          await stop();
        }
      });

    const none = { E2E_TOOLS: JSON.stringify({ switch: false }) };
    const select = alone ? [] : ["switch_project"];
    const [local, allowed] = [{ host: { local: true } }, { allowedDirs: [join(base, "allowed")] }];
    if (http) {
      for (const [name, reach] of Object.entries({ local, allowed })) {
        follows(`${name}: the request`, reach, ["x-project-path", "project_path"], { env: none });
        follows(`${name}: the argument`, { ...reach, argument: "project_path" }, [
          "project_path",
          ...(alone ? ["x-project-path", "project_path"] : select),
        ]);
        follows(`${name}: another policy`, { ...reach, policy: other }, ["x-folder", "folder"], { env: none });
      }
      test("a server that takes no folder of its callers names the operator's ways only", async () => {
        const { start, stop } = starter({ argument: "project_path" });
        try {
          const { text } = await where(await start());
          assert.match(text, /The operator of this server can set `local` .*`allowedDirs` .*`requirePath` .*to false/);
          for (const wrong of ["project_path", "x-project-path", "switch_project", "--project", "ROOTWISE_PROJECT"])
            assert.ok(!text.includes(wrong), text);
        } finally {
          await stop();
        }
      });
    } else {
      follows("the option and the variable", {}, ["project", "ROOTWISE_PROJECT"], { env: none });
      follows("the tool that selects", {}, ["switch_project", "project"]);
      follows("the argument", { argument: "project_path" }, ["project_path", ...select]);
      follows("another policy", { policy: other }, ["folder", "FOLDER"]);
      follows("Claude Code", {}, ["project", "Start Claude Code inside the project"], {
        env: none,
        info: { name: "claude-code", version: "2" },
      });
      follows("a Windows client", { argument: "project_path" }, ["project_path", ...select, "ROOTWISE_PATH_MAP"], {
        roots: [{ uri: "file:///C:/code" }],
        info: { name: "claude-code", version: "2" },
      });
      follows("Cursor", { argument: "project_path" }, ["project_path", "open a folder in this window and try again"], {
        env: none,
        info: { name: "cursor-vscode", version: "1" },
      });
    }

    // Only calls that keep no connection are refused.
    if (alone)
      test("after a selection that is kept nowhere, the advice works", async () => {
        const { start, stop } = starter({ argument: "project_path", ...local });
        const other = starter(local);
        try {
          const selected = await (await start()).call("switch_project", { project: alpha });
          assert.ok(!selected.failed);
          const [, argument, handle] = /`(\w+): ("[^`]+")` with each call/.exec(selected.text);
          assert.equal((await where(await start(), { [argument]: JSON.parse(handle) })).value.path, alpha);
          const { text, failed } = await (await other.start()).call("switch_project", { project: alpha });
          assert.ok(failed);
          assert.doesNotMatch(text, /with every call, for example/);
          const named = (form) => form.exec(text)?.[1];
          const headers = { [named(/the `([^`]+)` header/)]: alpha };
          assert.equal((await where(await other.start({ headers }))).value.path, alpha);
          const query = `?${named(/the `([^`]+)` query parameter/)}=${encodeURIComponent(alpha)}`;
          assert.equal((await where(await other.start({ query }))).value.path, alpha);
        } finally {
          await Promise.all([stop(), other.stop()]);
        }
      });
  });
}

for (const pair of pairs.filter(({ era, over, client }) => era === "legacy" && over === "stdio" && client === 2)) {
  test(`${pair.name}: every cause has a sentence of its own`, { timeout: 60_000 }, async () => {
    const policy = { ...presets.recommended, timing: { callerTimeoutMs: 2_000, requestTimeoutMs: 20_000 } };
    const fails = (message, code) => () => Promise.reject(Object.assign(new Error(message), code ? { code } : {}));
    const causes = {
      "declares no roots": [undefined],
      "has no roots": [[]],
      "roots failed": [fails("not now")],
      "does not support roots": [fails("Method not found", -32601)],
      "did not answer": [() => new Promise(() => {})],
      "does not exist": [[{ uri: `file://${base}/missing` }]],
      "another operating system": [[{ uri: "file:///C:/code" }]],
      "not a file URI": [[{ uri: "https://example.com/x" }]],
      "outside the allowed folders": [[{ uri: "file:///usr/share" }], { allowedDirs: [base] }],
    };
    for (const [cause, [roots, options]] of Object.entries(causes)) {
      const peer = await connect(pair, { roots, cwd: "/", options: { policy, ...options } });
      try {
        const [sentence] = (await where(peer)).text.split("\n");
        assert.deepEqual(
          Object.keys(causes).filter((other) => sentence.includes(other)),
          [cause],
          sentence,
        );
      } finally {
        await peer.close();
      }
    }
  });
}
