// Real repositories, made by git, as a client over stdio and one over HTTP see them.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { recoverSession } from "rootwise";
import { hostFacts, resolveAtStart } from "rootwise/mcp";
import { fakeHost } from "rootwise/testing";
import { at as inRepository } from "../../scripts/tools.mjs";
import { repositoryServer } from "./servers/repository.mjs";

const hasGit = spawnSync("git", ["--version"]).status === 0;
const options = { skip: !hasGit && "there is no git" };

const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-repositories-")));
after(() => rmSync(base, { recursive: true, force: true }));
const at = (...parts) => join(base, ...parts);
const uri = (path) => `file://${path}`;

function git(folder, ...args) {
  const settings = { "user.name": "t", "user.email": "t@example.org", "protocol.file.allow": "always" };
  const set = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const env = { ...process.env, HOME: base, GIT_CONFIG_NOSYSTEM: "1" };
  execFileSync("git", [...set, ...args], { cwd: at(folder), env, stdio: "pipe" });
}

function repository(folder) {
  mkdirSync(at(folder, "web", "src"), { recursive: true });
  writeFileSync(at(folder, "web", "package.json"), "{}");
  git(folder, "init", "-q");
  git(folder, "add", ".");
  git(folder, "commit", "-q", "-m", "first");
}

before(() => {
  if (!hasGit) return;
  repository("app");
  repository("lib");
  git("app", "worktree", "add", "-q", "../fix");
  git("app", "submodule", "add", "-q", "../lib", "lib");
});

const projectAt = (policy, folder, more = {}) =>
  resolveAtStart({ policy, host: { ...hostFacts("stdio"), arguments: { project: at(folder) }, ...more } });
const byRepository = (folder, more) => projectAt({ identity: "repository" }, folder, more);

describe("on this disk", options, () => {
  test("worktrees share key and slug, and `path` stays", async () => {
    const [main, fix] = await Promise.all(["app/web", "fix/web"].map((folder) => byRepository(folder)));
    assert.equal(main.key, at("app/web"));
    assert.deepEqual([fix.key, fix.id, fix.slug, fix.path], [main.key, main.id, main.slug, at("fix/web")]);
    assert.deepEqual(fix.repository, {
      path: at("fix"),
      key: at("app"),
      id: main.repository.id,
      name: "app",
      kind: "git",
      inside: "web",
      worktree: { name: "fix", main: at("app") },
    });
    const sessions = [{ id: "monday", project: main.key }];
    assert.equal(recoverSession({ project: fix, sessions }).sessionId, "monday");
    const other = await projectAt("recommended", "fix/web");
    assert.equal(recoverSession({ project: other, sessions }).outcome, "no_session", "folders by default");
  });

  test("submodules, bare and nested repositories are their own", async () => {
    assert.equal((await byRepository("app/lib")).repository.key, at("app/lib"));
    git(".", "clone", "-q", "--bare", "app", "bare.git");
    git("bare.git", "worktree", "add", "-q", "../tree");
    const { repository: tree } = await byRepository("tree");
    assert.deepEqual([tree.key, tree.name, tree.worktree], [at("bare.git"), "bare", { name: "tree" }]);
    repository("app/web/inner");
    assert.equal((await byRepository("app/web/inner/web")).repository.path, at("app/web/inner"));
  });

  test("a moved, copied, damaged, huge or linked .git file leads nowhere", async () => {
    git("app", "worktree", "add", "-q", "../gone");
    renameSync(at("gone"), at("moved"));
    mkdirSync(at("liar"));
    copyFileSync(at("fix/.git"), at("liar/.git"));
    for (const folder of ["moved", "liar"]) {
      const { key, repository: found } = await byRepository(folder);
      assert.deepEqual([key, found.key, found.broken, found.worktree], [at(folder), at(folder), true, undefined]);
    }
    for (const content of ["", "gitdir:", "gitdir: a\0b", Buffer.from([0xff, 0xfe]), "x".repeat(1 << 20)]) {
      writeFileSync(at("liar/.git"), content);
      assert.equal((await byRepository("liar")).repository.broken, true);
    }
    unlinkSync(at("liar/.git"));
    symlinkSync(at("fix/.git"), at("liar/.git"));
    assert.equal((await byRepository("liar")).repository.broken, true);
    unlinkSync(at("liar/.git"));
    execFileSync("mkfifo", [at("liar/.git")]);
    assert.equal((await byRepository("liar")).repository.broken, true, "nobody waits for a pipe");
    unlinkSync(at("liar/.git"));
    symlinkSync(at("liar/.git"), at("liar/.git"));
    assert.equal((await byRepository("liar")).repository, undefined);
  });

  test("nothing outside the allowed folders is told", async () => {
    const within = (folder, allowed) => byRepository(folder, { allowedDirs: [at(allowed)] });
    assert.equal((await within("app/web", "app/web")).repository, undefined);
    assert.equal((await within("fix/web", "fix")).repository.broken, true);
    assert.equal((await within("fix/web", ".")).repository.key, at("app"));
  });

  test("clones share a key where the remote decides", async () => {
    for (const [clone, url] of Object.entries({
      one: "git@example.org:acme/app.git",
      two: "https://u:p@Example.org/acme/app",
    })) {
      git(".", "clone", "-q", "app", clone);
      git(clone, "remote", "set-url", "origin", url);
      const { key, repository: found } = await projectAt({ identity: "remote" }, `${clone}/web`);
      assert.deepEqual([key, found.remote], ["remote:example.org/acme/app//web", "example.org/acme/app"]);
    }
  });
});

async function connect(transport, roots) {
  const state = { roots };
  const client = new Client(
    { name: "reader", version: "1" },
    { capabilities: { roots: { listChanged: true } }, versionNegotiation: { mode: "legacy" } },
  );
  client.setRequestHandler("roots/list", async () => ({ roots: state.roots.map((path) => ({ uri: uri(path) })) }));
  await client.connect(transport);
  const call = async (name, args = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: args });
    assert.ok(!isError, content[0].text);
    return JSON.parse(content[0].text);
  };
  const open = async (...paths) => {
    state.roots = paths;
    await client.sendRootsListChanged();
  };
  return { call, open, close: () => client.close() };
}

/** Calls until something holds: notifications travel beside calls. */
async function eventually(read, holds) {
  for (let round = 0; round < 200; round += 1) {
    const value = await read();
    if (holds(value)) return value;
  }
  assert.fail("it never came true");
}

describe("over stdio", options, () => {
  test("a switch of worktrees keeps the key and is announced as what it is", async () => {
    const server = inRepository("tests/e2e/servers/repository.mjs");
    const args = [server, JSON.stringify({ identity: "repository" })];
    const client = await connect(new StdioClientTransport({ command: process.execPath, args, stderr: "inherit" }), [
      at("app"),
    ]);
    try {
      const main = await client.call("project", { target: at("app/web/src/new.ts") });
      assert.deepEqual(main.package, { path: at("app/web"), name: "web", inside: "web", marker: "package.json" });
      assert.equal((await client.call("project", { target: "web/src" })).package.name, "web");
      assert.equal((await client.call("project", { target: "README.md" })).package, undefined);
      await client.open(at("fix"));
      const fix = await eventually(
        () => client.call("project"),
        ({ path }) => path === at("fix"),
      );
      assert.deepEqual([fix.key, fix.slug], [main.key, main.slug]);
      await client.open(at("lib"));
      await eventually(
        () => client.call("project"),
        ({ path }) => path === at("lib"),
      );
      const changes = await eventually(
        () => client.call("changes"),
        ({ length }) => length === 3,
      );
      assert.deepEqual(changes.slice(1), [
        { from: at("app"), to: at("fix"), shared: "repository" },
        { from: at("fix"), to: at("lib") },
      ]);
    } finally {
      await client.close();
    }
  });
});

describe("over HTTP", options, () => {
  test("a remote client learns of a repository only what is inside the allowed folders", async () => {
    const reach = async (allowed, root) => {
      const sessions = new Map();
      const handle = async (input, init) => {
        if (init?.method === "GET") return new Response(null, { status: 405 });
        const request = new Request(input, init);
        let transport = sessions.get(request.headers.get("mcp-session-id"));
        if (!transport) {
          transport = new WebStandardStreamableHTTPServerTransport({
            sessionIdGenerator: randomUUID,
            onsessioninitialized: (id) => sessions.set(id, transport),
          });
          await repositoryServer({ policy: { identity: "repository" }, allowedDirs: [allowed] }).connect(transport);
        }
        return transport.handleRequest(request);
      };
      const client = await connect(
        new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), { fetch: handle }),
        [root],
      );
      try {
        return await client.call("project");
      } finally {
        await client.close();
      }
    };
    const open = await reach(base, at("fix/web"));
    assert.deepEqual([open.key, open.repository.worktree.main], [at("app/web"), at("app")]);
    const narrow = await reach(at("fix"), at("fix/web"));
    assert.ok(!JSON.stringify(narrow).includes(at("app")), JSON.stringify(narrow));
    assert.deepEqual([narrow.key, narrow.repository.broken], [at("fix/web"), true]);
    assert.equal((await reach(at("app/web"), at("app/web"))).repository, undefined);
  });
});

test("a machine for tests has worktrees too", async () => {
  const host = fakeHost({ files: ["/w/app/.git/", "/w/fix/src/"] });
  try {
    host.disk.write("/w/fix/.git", "gitdir: /w/app/.git/worktrees/fix");
    host.disk.write("/w/app/.git/worktrees/fix/commondir", "../..");
    host.disk.write("/w/app/.git/worktrees/fix/gitdir", "/w/fix/.git");
    const client = await host.connect(repositoryServer({ policy: { identity: "repository" } }), {
      roots: ["/w/fix/src"],
    });
    const { content } = await client.callTool("project");
    assert.equal(JSON.parse(content[0].text).key, "/w/app/src");
  } finally {
    host.end();
  }
});
