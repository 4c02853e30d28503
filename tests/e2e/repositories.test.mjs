// Real repositories, made by git, as clients over stdio and over HTTP see them.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
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
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { McpServer } from "@modelcontextprotocol/server";
import { recoverSession } from "rootwise";
import { hostFacts, resolveAtStart, rootwise } from "rootwise/mcp";
import { fakeHost } from "rootwise/testing";
import { connect, pairs } from "./clients.mjs";

const hasGit = spawnSync("git", ["--version"]).status === 0;
const options = { skip: !hasGit && "there is no git" };

const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-repositories-")));
after(() => rmSync(base, { recursive: true, force: true }));
const at = (...parts) => resolve(base, ...parts);
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
    git("app/lib", "worktree", "add", "-q", "../../lib-fix");
    const { key, repository: fix } = await byRepository("lib-fix/web");
    assert.deepEqual([key, fix.worktree], [at("app/lib/web"), { name: "lib-fix", main: at("app/lib") }]);
    git(".", "clone", "-q", "--bare", "app", "bare.git");
    git("bare.git", "worktree", "add", "-q", "../tree");
    const { repository: tree } = await byRepository("tree");
    assert.deepEqual([tree.key, tree.name, tree.worktree], [`bare:${at("bare.git")}`, "bare", { name: "tree" }]);
    repository("app/web/inner");
    assert.equal((await byRepository("app/web/inner/web")).repository.path, at("app/web/inner"));
  });

  test("a workspace of Jujutsu that git knows too is a worktree", async () => {
    git("app", "worktree", "add", "-q", "../colocated");
    mkdirSync(at("colocated/.jj"));
    writeFileSync(at("colocated/.jj/repo"), "../../app/.jj/repo");
    const { key, repository: found } = await byRepository("colocated");
    assert.deepEqual([key, found.kind, found.worktree.main], [at("app"), "git", at("app")]);
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

for (const pair of pairs) {
  const isHttp = pair.over === "http";
  const meet = (folders, { policy, allowed = base } = {}, use) => {
    const settings = { policy: { identity: "repository", timing: { maxAgeMs: 0 }, ...policy } };
    return async () => {
      const session = await connect(pair, {
        cwd: "/",
        roots: folders.map((folder) => ({ uri: uri(at(folder)) })),
        options: isHttp ? { ...settings, allowedDirs: [at(allowed)] } : settings,
      });
      const look = async (path = ".") => {
        const { value, failed, text } = await session.call("repository", { path });
        assert.ok(!failed, text);
        return value;
      };
      try {
        await use(look, session);
      } finally {
        await session.close();
      }
    };
  };

  describe(pair.name, options, () => {
    test(
      "a worktree has the key of its main checkout, and a file has its package",
      meet(["fix"], {}, async (look) => {
        const found = await look(at("fix/web/src/new.ts"));
        assert.deepEqual([found.path, found.key], [at("fix"), at("app")]);
        assert.deepEqual(found.repository.worktree, { name: "fix", main: at("app") });
        assert.deepEqual(found.package, { path: at("fix/web"), name: "web", inside: "web", marker: "package.json" });
        assert.equal((await look("web/src")).package.name, "web");
        assert.equal((await look("README.md")).package, undefined);
      }),
    );

    test("a repository that comes and goes between calls", async () => {
      const folder = `late-${pair.name.replaceAll(/\W+/g, "-")}`;
      mkdirSync(at(folder));
      await meet([folder], {}, async (look) => {
        assert.equal((await look()).repository, undefined);
        git("app", "worktree", "add", "-q", "-f", at(folder));
        assert.deepEqual([(await look()).key, (await look()).path], [at("app"), at(folder)]);
        renameSync(at(folder, ".git"), at(folder, "kept"));
        assert.deepEqual([(await look()).key, (await look()).repository], [at(folder), undefined]);
        renameSync(at(folder, "kept"), at(folder, ".git"));
        git("app", "worktree", "remove", "--force", at(folder));
        mkdirSync(at(folder));
        writeFileSync(at(folder, ".git"), `gitdir: ${at("app/.git/worktrees", folder)}`);
        assert.deepEqual([(await look()).key, (await look()).repository.broken], [at(folder), true]);
      })();
    });

    test(
      "of two roots in one repository each is a project of the same key",
      meet(["app", "fix"], {}, async (look) => {
        const main = await look(at("app/web/a.ts"));
        const fix = await look(at("fix/web/a.ts"));
        assert.deepEqual([main.path, fix.path], [at("app"), at("fix")]);
        assert.deepEqual([fix.key, fix.slug], [main.key, main.slug]);
      }),
    );

    if (isHttp)
      test(
        "nothing outside the allowed folders is told",
        meet(["fix/web"], { allowed: "fix" }, async (look) => {
          const narrow = await look();
          assert.ok(!JSON.stringify(narrow).includes(at("app")), JSON.stringify(narrow));
          assert.deepEqual([narrow.key, narrow.repository.broken], [at("fix/web"), true]);
        }),
      );

    if (pair.era === "legacy" && !isHttp)
      test(
        "a switch of worktrees keeps the key and is announced as what it is",
        meet(["app"], {}, async (look, { call, changed }) => {
          const main = await look();
          for (const folder of ["fix", "lib"]) {
            await changed([{ uri: uri(at(folder)) }]);
            const found = await eventually(look, ({ path }) => path === at(folder));
            assert.equal(found.key === main.key, folder === "fix");
          }
          const told = await eventually(
            async () => (await call("changes")).value,
            ({ length }) => length === 3,
          );
          assert.deepEqual(told.slice(1), [
            [at("app"), at("fix"), "repository"],
            [at("fix"), at("lib")],
          ]);
        }),
      );
  });
}

/** Calls until something holds: notifications travel beside calls. */
async function eventually(read, holds) {
  for (let round = 0; round < 200; round += 1) {
    const value = await read();
    if (holds(value)) return value;
  }
  assert.fail("it never came true");
}

test("a machine for tests has worktrees too", async () => {
  const host = fakeHost({ files: ["/w/app/.git/", "/w/fix/src/"] });
  try {
    host.disk.write("/w/fix/.git", "gitdir: /w/app/.git/worktrees/fix");
    host.disk.write("/w/app/.git/worktrees/fix/commondir", "../..");
    host.disk.write("/w/app/.git/worktrees/fix/gitdir", "/w/fix/.git");
    const server = new McpServer({ name: "repository", version: "1" });
    const projects = rootwise(server, { policy: { identity: "repository" } });
    server.registerTool("key", {}, async (ctx) => ({
      content: [{ type: "text", text: (await projects.project(ctx)).key }],
    }));
    const client = await host.connect(server, { roots: ["/w/fix/src"] });
    assert.equal((await client.callTool("key")).content[0].text, "/w/app/src");
  } finally {
    host.end();
  }
});
