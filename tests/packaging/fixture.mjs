// Shared by the packaging tests: the packed package, fresh projects with it, and a client that starts a server.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { pack } from "../../scripts/pack.mjs";
import { at } from "../../scripts/tools.mjs";

export const home = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-packaging-")));
export let packed;

const projects = at("tests/packaging/projects");
const converse = readFileSync(at("tests/packaging/converse.js"), "utf8");

before(() => {
  packed = pack(home);
});
after(() => rmSync(home, { recursive: true, force: true }));

/** Runs a program in a folder; anything but success fails the test. */
export function command(folder, program, args, env = {}) {
  const done = spawnSync(program, args, {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    env: { ...process.env, ROOTWISE_ADDON: undefined, ...env },
  });
  assert.equal(done.status, 0, `${program} ${args.join(" ")}\n${done.error ?? ""}${done.stdout}${done.stderr}`);
  return done.stdout;
}

/** A folder with the files of `projects/<name>`, if there are any. */
export function copied(name) {
  const folder = mkdtempSync(join(home, `${name}-`));
  if (existsSync(join(projects, name))) cpSync(join(projects, name), folder, { recursive: true });
  return folder;
}

/** A fresh project with the packed package; `tools` are linked from `modules`, because installing them again takes minutes. */
export function project(
  name,
  { addon = true, type = "module", tools = [], modules = (...parts) => at("node_modules", ...parts) } = {},
) {
  const folder = copied(name);
  writeFileSync(
    join(folder, "converse.js"),
    type === "module" ? converse : converse.replace("export function", "module.exports = function"),
  );
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name, private: true, type }));
  const packages = addon ? [packed.main, packed.addon] : [packed.main];
  command(folder, "npm", ["install", "--offline", "--no-audit", "--no-fund", "--omit=optional", ...packages]);
  for (const tool of tools) {
    const link = join(folder, "node_modules", tool);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(modules(tool), link);
  }
  return folder;
}

/** Has a real client start a server and call one of its tools; the client's root is `root`. */
export async function call(root, program, args, { tool = "where", env = {}, cwd = root } = {}) {
  const client = new Client({ name: "packaging", version: "1" }, { capabilities: { roots: {} } });
  client.setRequestHandler("roots/list", async () => ({ roots: [{ uri: `file://${root}` }] }));
  await client.connect(
    new StdioClientTransport({
      command: program,
      args,
      cwd,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
      stderr: "inherit",
    }),
  );
  try {
    const result = await client.callTool({ name: tool, arguments: {} });
    assert.ok(!result.isError, result.content[0]?.text);
    return { ...result, version: client.getServerVersion(), tools: (await client.listTools()).tools };
  } finally {
    await client.close();
  }
}
