// One folder under two paths, as in a container: the server runs in a mount namespace in which the client's folder lies elsewhere.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { at, servers } from "./clients.mjs";

const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-mount-")));
const [home, workspace] = [join(base, "home"), join(base, "workspace")];
const [app, fix] = ["app", "fix"].map((name) => join(home, "me", "code", name));
before(() => {
  mkdirSync(join(app, "src"), { recursive: true });
  mkdirSync(workspace);
  writeFileSync(join(app, "src", "a.txt"), "text");
  // As `git worktree add` writes it out here.
  const data = join(app, ".git", "worktrees", "fix");
  for (const folder of [data, fix]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(fix, ".git"), `gitdir: ${data}\n`);
  writeFileSync(join(data, "commondir"), "../..\n");
  writeFileSync(join(data, "gitdir"), `${join(fix, ".git")}\n`);
});
after(() => rmSync(base, { recursive: true, force: true }));

/** The command that gives a process mounts of its own; undefined where this user may not. */
const unshare = [["-m"], ["-Urm"]].find((flags) => {
  const probe = spawnSync("unshare", [...flags, "sh", "-c", "mount -t tmpfs none /mnt"], { stdio: "ignore" });
  return probe.status === 0;
});
const skip = unshare ? false : "this system does not let this user make a mount namespace (unshare -m)";
if (skip) console.log(`SKIPPED: ${skip}`);

/** Mounts the code at the workspace and hides the client's home, as a container does, then starts the server. */
const CONTAINER = 'mount --bind "$1/me/code" "$2" && mount -t tmpfs none "$1" && shift 2 && exec "$@"';

async function meet(server, env, use, root = app) {
  const command = [process.execPath, at(`servers/${server}.mjs`)];
  const transport = new StdioClientTransport({
    command: "unshare",
    args: [...unshare, "sh", "-c", CONTAINER, "sh", home, workspace, ...command],
    cwd: "/",
    env: { PATH: process.env.PATH, HOME: process.env.HOME, E2E_OPTIONS: "{}", ...env },
    stderr: "inherit",
  });
  const client = new Client(
    { name: "e2e", version: "1" },
    { capabilities: { roots: {} }, versionNegotiation: { mode: "legacy" } },
  );
  client.setRequestHandler("roots/list", () => ({ roots: [{ uri: `file://${root}` }] }));
  await client.connect(transport);
  try {
    await use(async (name, args = {}) => {
      const result = await client.callTool({ name, arguments: args });
      return result.content.map((part) => part.text).join("\n");
    });
  } finally {
    await client.close();
  }
}

for (const server of Object.keys(servers)) {
  test(`${server}: without a map the client's folder does not exist`, { skip }, () =>
    meet(server, {}, async (call) => assert.match(await call("where"), /does not exist/)),
  );

  test(`${server}: with ROOTWISE_PATH_MAP both sides name the same file`, { skip }, () =>
    meet(server, { ROOTWISE_PATH_MAP: `${join(home, "me", "code")}=${workspace}` }, async (call) => {
      assert.equal(JSON.parse(await call("where")).path, join(workspace, "app"));
      const file = join(workspace, "app", "src", "a.txt");
      for (const spelled of ["src/a.txt", join(app, "src", "a.txt"), `file://${app}/src/a.txt`, file])
        assert.equal(await call("file", { path: spelled }), file, spelled);
      assert.match(await call("file", { path: join(home, "me", "secret") }), /outside the project/);
      // Out here nothing is mounted: the server found the file by the map and not by its spelling.
      assert.deepEqual(readdirSync(workspace), []);
    }),
  );

  test(`${server}: a worktree has the key of its main checkout, which git names by its folder out here`, {
    skip,
  }, () => {
    const options = JSON.stringify({ policy: { identity: "repository" } });
    const env = { ROOTWISE_PATH_MAP: `${join(home, "me", "code")}=${workspace}`, E2E_OPTIONS: options };
    const knows = async (call) => {
      const { path, key, repository } = JSON.parse(await call("repository", { path: "." }));
      assert.deepEqual([path, key], [join(workspace, "fix"), join(workspace, "app")]);
      assert.deepEqual(repository.worktree, { name: "fix", main: join(workspace, "app") });
    };
    return meet(server, env, knows, fix);
  });
}
