// The disk: what the addon reports of a path is what Node reports, and how much work a look at it is.
import assert from "node:assert/strict";
import { createHook } from "node:async_hooks";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { backend, presets } from "rootwise";
import { Connection, hostFacts } from "rootwise/driver";
import { addonFile } from "../../scripts/platforms.mjs";
import { at } from "../../scripts/tools.mjs";

const require = createRequire(import.meta.url);
const { probe } = require(at("dist/cjs/driver/disk.js"));
const { surround, surroundings } = require(at("dist/cjs/driver/surroundings.js"));

const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-disk-")));
after(() => rmSync(base, { recursive: true, force: true }));
const inside = (...parts) => join(base, ...parts);
const folder = (...parts) => {
  mkdirSync(inside(...parts), { recursive: true });
  return inside(...parts);
};
const options = {
  skip:
    backend.kind !== "native" ? backend.reason : process.platform === "win32" && "Node examines the disk on Windows",
};

/** What a probe reports without the addon. */
async function withNode(paths) {
  const here = surroundings();
  surround({ ...here, files: { ...here.files, probe: undefined } });
  try {
    return await probe(paths);
  } finally {
    surround();
  }
}

test("the addon and Node report the same of every kind of path", options, async () => {
  folder("app", "web", "src");
  writeFileSync(inside("app", "web", "package.json"), "{}");
  folder("app", ".git");
  writeFileSync(inside("app", ".git", "config"), "[core]\n");
  writeFileSync(inside("app", ".git", "HEAD"), Buffer.from([0xff, 0xfe]));
  writeFileSync(inside("app", ".git", "large"), "x".repeat(100));
  symlinkSync(inside("app", ".git", "config"), inside("app", ".git", "linked"));
  folder("fix", "web");
  writeFileSync(inside("fix", ".git"), "gitdir: elsewhere\n");
  symlinkSync(inside("app", "web"), inside("link"));
  symlinkSync(inside("nowhere"), inside("dangling"));
  symlinkSync(inside("loop"), inside("loop"));
  symlinkSync(inside("nowhere"), folder("markers") && inside("markers", ".hg"));
  folder("closed", "below");
  chmodSync(inside("closed"), 0);
  execFileSync("mkfifo", [inside("app", ".git", "pipe")]);
  const odd = Buffer.concat([Buffer.from(inside("caf")), Buffer.from([0xe9])]);
  try {
    mkdirSync(odd);
    symlinkSync(odd, inside("odd"));
  } catch {
    // This disk takes no names other than UTF-8.
  }
  const wants = [
    {},
    { markers: [".git", ".hg", "package.json"] },
    { nearest: { names: [".git", ".hg"], bytes: 50 } },
    { nearest: { names: [".hg", ".git"], within: [inside("fix"), inside("app", "web")], bytes: 3 } },
    { files: { names: ["config", "HEAD", "large", "linked", "pipe", "none"], bytes: 50 } },
    { files: { names: ["config"], within: [inside("fix")], bytes: 50 } },
  ];
  const names = [
    "app",
    "app/web",
    "app/web/src",
    "app/.git",
    "app/.git/config",
    "app/.git/pipe",
    "fix/web",
    "fix/.git",
  ];
  const more = [
    "link",
    "dangling",
    "loop",
    "markers",
    "closed/below",
    "odd",
    "none",
    "app/.git/config/x",
    "a\0b",
    "ä/😀",
  ];
  const paths = [...names, ...more].flatMap((name) => wants.map((want) => ({ path: `${base}/${name}`, ...want })));
  paths.push({ path: "/" }, { path: "/", nearest: { names: ["none.of.these"], bytes: 1 } });
  const [native, node] = [await probe(paths), await withNode(paths)];
  chmodSync(inside("closed"), 0o700);
  // An empty list of markers is left out.
  const shown = ({ markers = [], files = {}, ...rest }) => ({ ...rest, markers, files });
  for (const [at, { path }] of paths.entries())
    assert.deepEqual(shown(native[at]), shown(node[at]), `${path} ${JSON.stringify(paths[at])}`);
  assert.equal(native.length, paths.length);
});

test("a call that asks again examines the disk in one piece of work for each probe", options, async () => {
  const project = folder("count", "deep", "down");
  const connection = new Connection({
    policy: { ...presets.recommended, timing: { maxAgeMs: 0 } },
    host: { ...hostFacts("stdio"), cwd: folder("cwd", "of", "server") },
    sender: { send: async () => ({ roots: [{ uri: `file://${project}` }] }) },
  });
  connection.initialized({ protocolVersion: "2025-11-25", capabilities: { roots: {} } });
  connection.ready();
  await connection.ask();
  const addon = require(addonFile());
  const { probe } = addon;
  let [probes, ofNode] = [0, 0];
  addon.probe = (paths) => {
    probes += 1;
    return probe(paths);
  };
  const hook = createHook({ init: (_id, type) => void (ofNode += type.startsWith("FSREQ") ? 1 : 0) }).enable();
  try {
    assert.equal((await connection.ask()).path, project);
  } finally {
    hook.disable();
    addon.probe = probe;
    connection.close();
  }
  // One while the client is asked, for the working directory; one for its roots.
  assert.deepEqual([probes, ofNode], [2, 0]);
});
