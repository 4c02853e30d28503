// `rootwise run` before servers that others wrote and published, with the clients of both SDK lines in both eras.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Client as Client2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ListRootsRequestSchema, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { browser } from "../../scripts/browser.mjs";
import { environment } from "../../scripts/python.mjs";
import { debugBuild } from "../../scripts/tools.mjs";
import { packagesOf } from "../tools.mjs";

const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-run-")));
after(() => rmSync(base, { recursive: true, force: true }));
const [alpha, beta, nowhere] = ["alpha", "beta", "nowhere"].map((name) => {
  mkdirSync(join(base, name));
  return join(base, name);
});
for (const [folder, branch] of [
  [alpha, "first"],
  [beta, "second"],
]) {
  execFileSync("git", ["init", "--quiet", "--initial-branch", branch, folder]);
  writeFileSync(join(folder, `only-in-${branch}.txt`), branch);
}

let program;
let servers;
before(async () => {
  program = join(debugBuild(), "rootwise");
  const published = packagesOf("tests/e2e/published");
  const python = await environment("mcp-server-git", ["mcp-server-git==2026.10.19"]);
  servers = {
    scripted: [join(dirname(program), "examples", "scripted")],
    filesystem: [process.execPath, published("@modelcontextprotocol/server-filesystem", "dist/index.js"), "{path}"],
    browser: [process.execPath, published("@playwright/mcp", "cli.js"), "--headless", "--no-sandbox", "--isolated"],
    git: [join(dirname(python), "mcp-server-git"), "--repository", "{path}"],
  };
});

const clients = [
  { name: "SDK 1.x", line: 1 },
  { name: "SDK 2.x, legacy", line: 2, mode: "legacy" },
  { name: "SDK 2.x, 2026-07-28", line: 2, mode: { pin: "2026-07-28" } },
];

/** A client of a server behind `rootwise run`; `roots` is what it answers, undefined declares none. */
async function connect({ line, mode }, server, { roots, options = [], cwd = nowhere, env = {} } = {}) {
  const capabilities = roots === undefined ? {} : { roots: { listChanged: true } };
  const info = { name: "e2e", version: "1" };
  const client =
    line === 1
      ? new Client1(info, { capabilities })
      : new Client2(info, { capabilities, versionNegotiation: { mode }, inputRequired: { autoFulfill: true } });
  const state = { roots };
  const answer = async () => ({ roots: (await state.roots).map((folder) => ({ uri: `file://${folder}` })) });
  if (roots !== undefined) client.setRequestHandler(line === 1 ? ListRootsRequestSchema : "roots/list", answer);
  const Stdio = line === 1 ? Stdio1 : Stdio2;
  const own = { PATH: process.env.PATH, HOME: base, ...env };
  const args = ["run", ...options, "--", ...servers[server]];
  await client.connect(new Stdio({ command: program, args, cwd, env: own, stderr: "inherit" }));
  return {
    client,
    state,
    async call(name, args = {}) {
      const { content, isError } = await client.callTool({ name, arguments: args });
      return { text: content.map((part) => part.text).join("\n"), failed: isError === true };
    },
  };
}

for (const kind of clients) {
  describe(kind.name, () => {
    test("server-filesystem sees the client's folder and no other", { timeout: 120_000 }, async () => {
      const { client, call } = await connect(kind, "filesystem", { roots: [alpha] });
      try {
        const { text } = await call("list_allowed_directories");
        assert.deepEqual(text.split("\n").slice(1), [alpha]);
        assert.match((await call("read_text_file", { path: join(alpha, "only-in-first.txt") })).text, /^first/);
        assert.ok((await call("read_text_file", { path: join(beta, "only-in-second.txt") })).failed);
      } finally {
        await client.close();
      }
    });

    test("mcp-server-git works in the client's repository", { timeout: 120_000 }, async () => {
      const { client, call } = await connect(kind, "git", { roots: [beta] });
      try {
        const { text } = await call("git_status", { repo_path: beta });
        assert.match(text, /On branch second/);
        // It refuses every repository but the one that it was started for.
        assert.ok((await call("git_status", { repo_path: alpha })).failed);
      } finally {
        await client.close();
      }
    });

    test("without a project, the model reads the reason and the advice", { timeout: 120_000 }, async () => {
      const { client, call } = await connect(kind, "git");
      try {
        const { text, failed } = await call("git_status", { repo_path: beta });
        assert.ok(failed);
        assert.match(text, /No project was found/);
        assert.match(text, /--project=/);
      } finally {
        await client.close();
      }
    });

    test("its tools appear with the first project", { timeout: 120_000 }, async () => {
      const isModern = kind.mode?.pin !== undefined;
      const given = { roots: isModern ? [alpha] : [], options: ["--start-in", "none"] };
      const { client, state, call } = await connect(kind, "filesystem", given);
      try {
        assert.deepEqual((await client.listTools()).tools, []);
        const method = kind.line === 1 ? ToolListChangedNotificationSchema : "notifications/tools/list_changed";
        const changed = new Promise((done) => client.setNotificationHandler(method, done));
        if (isModern) {
          // Roots come with a call, and changes with a subscription.
          await client.listen({ toolsListChanged: true });
          assert.ok(!(await call("list_allowed_directories")).failed);
        } else {
          state.roots = [alpha];
          await client.sendRootsListChanged();
        }
        await changed;
        assert.ok((await client.listTools()).tools.length > 5);
      } finally {
        await client.close();
      }
    });

    test("a change of folder is followed", { timeout: 120_000 }, async () => {
      const { client, state, call } = await connect(kind, "filesystem", { roots: [alpha] });
      const folder = async () => (await call("list_allowed_directories")).text.split("\n")[1];
      try {
        assert.equal(await folder(), alpha);
        state.roots = [beta];
        if (kind.mode?.pin === undefined) await client.sendRootsListChanged();
        // Without a notification, an answer counts for its fresh time.
        for (const until = Date.now() + 30_000; (await folder()) !== beta; ) assert.ok(Date.now() < until);
      } finally {
        await client.close();
      }
    });

    test("two projects of one client have a server each", { timeout: 120_000 }, async () => {
      const given = { roots: [alpha, beta], options: ["--argument", "repo_path"] };
      const { client, call } = await connect(kind, "git", given);
      try {
        const said = await Promise.all([alpha, beta, alpha].map((repo_path) => call("git_status", { repo_path })));
        const branches = said.map(({ text }) => /On branch (\w+)/.exec(text)?.[1]);
        assert.deepEqual(branches, ["first", "second", "first"], JSON.stringify(said));
      } finally {
        await client.close();
      }
    });

    test("a server that writes half lines, crashes and hangs", { timeout: 120_000 }, async () => {
      const { client, call } = await connect(kind, "scripted", { options: [`--project=${alpha}`] });
      try {
        assert.equal((await call("half")).text, "");
        await assert.rejects(call("crash"), /ended with status 9/);
        assert.equal((await call("slow", { ms: 0 })).text, alpha);
        const hanging = { name: "hang", arguments: {} };
        const rest = kind.line === 1 ? [undefined, { timeout: 500 }] : [{ timeout: 500 }];
        await assert.rejects(client.callTool(hanging, ...rest), /timed out/i);
        assert.equal((await call("slow", { ms: 0 })).text, alpha);
      } finally {
        await client.close();
      }
    });

    test("tools of ours switch between repositories", { timeout: 120_000 }, async () => {
      const { client, call } = await connect(kind, "git", { roots: [alpha, beta], options: ["--tools"] });
      try {
        assert.match((await call("git_status", { repo_path: alpha })).text, /On branch first/);
        const names = (await client.listTools()).tools.map(({ name }) => name);
        assert.ok(names.includes("git_status") && names.includes("switch_project"), names.join());
        const switched = await call("switch_project", { project: beta });
        assert.ok(!switched.failed, switched.text);
        assert.match((await call("git_status", { repo_path: beta })).text, /On branch second/);
      } finally {
        await client.close();
      }
    });
  });
}

test("@playwright/mcp keeps its files in the client's folder", { timeout: 120_000 }, async () => {
  const { executablePath, env } = browser();
  // The variables that the browser needs, and no other of this machine's.
  const { LD_LIBRARY_PATH = "", FONTCONFIG_FILE = "" } = env;
  servers.browser.push("--executable-path", executablePath);
  for (const [index, kind] of clients.entries()) {
    const given = { roots: [beta], env: { LD_LIBRARY_PATH, FONTCONFIG_FILE } };
    const { client, call } = await connect(kind, "browser", given);
    try {
      const { text, failed } = await call("browser_take_screenshot", { filename: `shot-${index}.png` });
      assert.ok(!failed, text);
      assert.ok(existsSync(join(beta, `shot-${index}.png`)), text);
    } finally {
      await client.close();
    }
  }
});

test("a folder that the client opens later is followed", { timeout: 120_000 }, async () => {
  const { client, state, call } = await connect(clients[0], "filesystem", { roots: [alpha] });
  try {
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => assert.fail("the tools are the same"));
    await client.listTools();
    assert.ok((await call("list_allowed_directories")).text.includes(alpha));
    state.roots = [beta];
    await client.sendRootsListChanged();
    const { text } = await call("list_allowed_directories");
    assert.deepEqual(text.split("\n").slice(1), [beta]);
  } finally {
    await client.close();
  }
});

test("a client that never answers gets the reason", { timeout: 120_000 }, async () => {
  const policy = join(base, "patience.json");
  writeFileSync(policy, JSON.stringify({ timing: { callerTimeoutMs: 300 } }));
  for (const kind of clients.slice(0, 2)) {
    const given = { roots: new Promise(() => {}), options: ["--policy", policy] };
    const { client, call } = await connect(kind, "git", given);
    try {
      const { text, failed } = await call("git_status", { repo_path: alpha });
      assert.ok(failed && /did not answer/.test(text), text);
    } finally {
      await client.close();
    }
  }
});

test("a recorded session is the same bytes when it is played again", { timeout: 120_000 }, async () => {
  for (const [index, { line, mode }] of clients.entries()) {
    const file = join(base, `session-${index}.ndjson`);
    const server = mode?.pin ? [...servers.scripted, "--modern-only"] : servers.scripted;
    const info = { name: "e2e", version: "1" };
    const client = line === 1 ? new Client1(info) : new Client2(info, { versionNegotiation: { mode } });
    const Stdio = line === 1 ? Stdio1 : Stdio2;
    const args = ["record", file, "--", ...server];
    await client.connect(new Stdio({ command: program, args, cwd: alpha, stderr: "inherit" }));
    await client.listTools();
    await client.callTool({ name: "other", arguments: { text: '\u2028 \ud83d\ude00 "', number: 1e21 } });
    await client.close();
    const lines = readFileSync(file, "utf8").trim().split("\n");
    const said = lines.flatMap((entry) => /"direction":"client","message":(.*)\}$/s.exec(entry)?.[1] ?? []);
    assert.ok(said.length >= 2, lines.join("\n"));
    const input = said.map((message) => `${message}\n`).join("");
    const [alone, recorded] = [server, [program, "record", `${file}.again`, "--", ...server]].map(
      ([command, ...rest]) => execFileSync(command, rest, { cwd: alpha, input }),
    );
    assert.ok(alone.length > 0 && alone.equals(recorded));
    for (const message of said) assert.ok(readFileSync(`${file}.again`, "utf8").includes(message), message);
  }
});

test("two clients at once never meet", { timeout: 120_000 }, async () => {
  const both = await Promise.all([alpha, beta].map((folder) => connect(clients[1], "filesystem", { roots: [folder] })));
  try {
    const said = await Promise.all(both.map(({ call }) => call("list_allowed_directories")));
    assert.deepEqual(
      said.map(({ text }) => text.split("\n")[1]),
      [alpha, beta],
    );
  } finally {
    for (const { client } of both) await client.close();
  }
});
