// The examples of docs/guides/containers.md, run as they are: with programs that do what Docker, WSL and SSH do to paths.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { at, servers } from "./clients.mjs";

const guide = readFileSync(at("../../docs/guides/containers.md"), "utf8");
/** The JSON blocks of a section. */
const blocks = (section) => {
  const text = guide.split(`\n## ${section}\n`)[1].split("\n## ")[0];
  return [...text.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json]) => JSON.parse(json));
};

const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-containers-")));
const [home, workspace, bin] = ["home", "workspace", "bin"].map((name) => join(base, name));
after(() => rmSync(base, { recursive: true, force: true }));

const flags = [["-m"], ["-Urm"]].find((flags) => {
  const probe = spawnSync("unshare", [...flags, "sh", "-c", "mount -t tmpfs none /mnt"], { stdio: "ignore" });
  return probe.status === 0;
});
const skip = flags ? false : "this system does not let this user make a mount namespace (unshare -m)";
if (skip) console.log(`SKIPPED: ${skip}`);

/** A shell script on the search path. */
const program = (name, text) => {
  writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
  chmodSync(join(bin, name), 0o755);
};
/** Runs a script with mounts of its own, then the program; what it cannot see is hidden first. */
const inside = (script) => `exec unshare ${flags?.join(" ")} sh -c '${script}; exec "$@"' sh "$@"`;

before(() => {
  for (const folder of [join(home, "me", "code", "shop"), workspace, bin]) mkdirSync(folder, { recursive: true });
  program("my-server", `E2E_OPTIONS='{}' exec ${process.execPath} ${at(`servers/${Object.keys(servers)[0]}.mjs`)}`);
  // `-v` mounts, `-e` sets a variable, and nothing else of the host is there.
  program(
    "docker",
    `[ "$1 $2 $3" = "run -i --rm" ] || exit 2; shift 3
while :; do case "$1" in
  -v) from="\${2%:*}" to="\${2##*:}"; shift 2;;
  -e) export "$2"; shift 2;;
  *) break;;
esac; done
export from to
${inside('mount --bind "$from" "$to" && mount -t tmpfs none "$HIDE"')}`,
  );
  // Drives are mounted below /mnt, and nothing reads the words again.
  program(
    "wsl.exe",
    `[ "$1 $2 $3" = "-d Ubuntu --" ] || exit 2; shift 3
${inside("mount -t tmpfs none /mnt && mkdir -p /mnt/c/code/shop")}`,
  );
  // The other machine's shell reads all words, joined with blanks.
  program(
    "ssh",
    `[ "$1" = box ] || exit 2; shift; set -- sh -c "$*"
${inside("mount -t tmpfs none /srv && mkdir -p /srv/me/code/shop /srv/me/docs/shop")}`,
  );
});

const env = () => ({ PATH: `${bin}:${process.env.PATH}`, HOME: process.env.HOME, HIDE: home });

/** Starts a server as an entry of `mcpServers` says, and asks where a client with this root works. */
async function where(entry, uri) {
  const transport = new StdioClientTransport({ ...entry, cwd: "/", env: env(), stderr: "ignore" });
  const capabilities = { capabilities: { roots: {} }, versionNegotiation: { mode: "legacy" } };
  const client = new Client({ name: "e2e", version: "1" }, capabilities);
  client.setRequestHandler("roots/list", () => ({ roots: [{ uri }] }));
  await client.connect(transport);
  try {
    const result = await client.callTool({ name: "where", arguments: {} });
    return result.content.map((part) => part.text).join("\n");
  } finally {
    await client.close();
  }
}
const pathOf = async (entry, uri) => JSON.parse(await where(entry, uri)).path;

/** An example with the folders of this test, which are the only ones that it may make. */
const here = (value) =>
  JSON.parse(JSON.stringify(value).replaceAll("/home/me", `${home}/me`).replaceAll("/workspace", workspace));

test("Docker: the mount and the map say the same thing", { skip }, async () => {
  const [{ mcpServers }] = here(blocks("Docker"));
  assert.equal(await pathOf(mcpServers.files, `file://${home}/me/code/shop`), join(workspace, "shop"));
});

test("WSL: a server in WSL finds the folder of a client on Windows", { skip }, async () => {
  const [{ mcpServers }] = blocks("WSL");
  for (const uri of ["file:///c%3A/code/shop", "file://wsl.localhost/Ubuntu/mnt/c/code/shop"])
    assert.equal(await pathOf(mcpServers.files, uri), "/mnt/c/code/shop");
});

test("SSH: the other machine has the folder in another place", { skip }, async () => {
  const [{ mcpServers }, quoted] = blocks("SSH");
  assert.equal(await pathOf(mcpServers.files, "file:///Users/me/code/shop"), "/srv/me/code/shop");
  const { files } = quoted.mcpServers;
  assert.equal(await pathOf(files, "file:///c%3A/code/shop"), "/srv/me/code/shop");
  assert.equal(await pathOf(files, "file:///d%3A/docs/shop"), "/srv/me/docs/shop");
  // Without the quotes the shell takes the second entry for a command of its own.
  const bare = { ...files, args: files.args.map((word) => word.replaceAll("'", "")) };
  await assert.rejects(where(bare, "file:///c%3A/code/shop"));
});

const containerEnv = (variables) => {
  const [example] = blocks("Dev containers");
  const text = JSON.stringify(example.containerEnv);
  return JSON.parse(text.replace(/\$\{(\w+)\}/g, (whole, name) => variables[name] ?? whole));
};

test("Dev containers: the replaced variables are a map", { skip }, async () => {
  const folders = { localWorkspaceFolder: `${home}/me/code/shop`, containerWorkspaceFolder: workspace };
  const { ROOTWISE_PATH_MAP } = containerEnv(folders);
  const mount = ["-v", `${home}/me/code/shop:${workspace}`, "-e", `ROOTWISE_PATH_MAP=${ROOTWISE_PATH_MAP}`];
  const entry = { command: "docker", args: ["run", "-i", "--rm", ...mount, "my-server"] };
  assert.equal(await pathOf(entry, `file://${home}/me/code/shop`), workspace);
  assert.equal(await pathOf(entry, `file://${workspace}`), workspace, "an editor inside the container");
});

test("Dev containers: variables that were not replaced stop the server when it starts", { skip }, () => {
  const { status, stderr } = spawnSync(join(bin, "my-server"), { env: { ...env(), ...containerEnv({}) }, input: "" });
  assert.notEqual(status, 0);
  assert.match(String(stderr), /`\$\{localWorkspaceFolder\}` is not an absolute path/);
});
