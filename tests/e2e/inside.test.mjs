// resolveFile on disks with real links, on one that changes meanwhile, and on a disk of Windows.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { after, beforeEach, test } from "node:test";
import { RootwiseError } from "rootwise";
import { resolveFile } from "rootwise/mcp";
import { fakeHost } from "rootwise/testing";

const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-inside-")));
after(() => rmSync(base, { recursive: true, force: true }));
const at = (...parts) => join(base, ...parts);

beforeEach(() => {
  for (const name of ["app", "outside", "alias"]) rmSync(at(name), { recursive: true, force: true });
  for (const folder of ["app/src", "outside"]) mkdirSync(at(folder), { recursive: true });
  for (const file of ["app/src/a.txt", "outside/a.txt"]) writeFileSync(at(file), file);
  for (const [to, link] of [
    ["app/src", "app/link"],
    ["outside", "app/out"],
    ["outside/a.txt", "app/src/out.txt"],
    ["gone", "app/src/dead"],
    ["app", "alias"],
  ])
    symlinkSync(at(to), at(link));
});

const refuses = (project, file, code, ...parts) =>
  assert.rejects(resolveFile(project, file), (error) => {
    assert.ok(error instanceof RootwiseError, String(error));
    assert.equal(error.code, code, error.message);
    for (const part of parts) assert.ok(error.message.includes(part), `${error.message} lacks ${part}`);
    return true;
  });

for (const name of ["app", "alias"])
  test(`links are followed inside the project and never out of it, by ${name}`, async () => {
    const project = { path: at(name), realPath: at("app") };
    for (const [file, real] of [
      ["src/a.txt", "app/src/a.txt"],
      ["link/a.txt", "app/src/a.txt"],
      ["link/../src/./a.txt", "app/src/a.txt"],
      ["new/folder/file", "app/new/folder/file"],
      ["link/new", "app/src/new"],
      [".", "app"],
    ]) {
      assert.equal(await resolveFile(project, file), at(real), file);
      assert.equal(await resolveFile({ path: at(name) }, at(name, file)), at(real), file);
    }
    const outside = `The path is outside the project ${at("app")}`;
    await refuses(project, "out/a.txt", "outside", outside, `out leads to ${at("outside")}`);
    await refuses(project, "src/out.txt", "outside", outside, `src/out.txt leads to ${at("outside/a.txt")}`);
    await refuses(project, "src/dead", "outside", "src/dead in the path is a link that leads nowhere", at("gone"));
    await refuses(project, "src/a.txt/b", "not_directory", "src/a.txt in the path is not a folder");
    await refuses(project, "../outside/a.txt", "outside", `../outside/a.txt leads to ${at("outside/a.txt")}`);
    await refuses(project, "a\0b", "invalid", "null");
    await refuses(project, "", "invalid", "empty");
    await refuses(project, 7, "invalid");
    await refuses(project, "C:\\a", "other_system");
    await refuses(project, "a".repeat(1 << 20), "invalid", "1048576");
    await refuses(project, "a".repeat(300), "unreadable", "ENAMETOOLONG");
  });

test("the project is what was verified, even if its own link turns", async () => {
  const project = { path: at("alias"), realPath: at("app") };
  unlinkSync(at("alias"));
  symlinkSync(at("outside"), at("alias"));
  await refuses(project, "a.txt", "outside", `${at("alias")} leads to ${at("outside")}`);
  unlinkSync(at("alias"));
  await refuses(project, "a.txt", "missing", at("alias"));
});

test("a link leads where the system goes and no further", async () => {
  const project = { path: at("app"), realPath: at("app") };
  for (let number = 0; number < 1_200; number += 1) symlinkSync(`chain${number + 1}`, at("app", `chain${number}`));
  symlinkSync("src", at("app/chain1200"));
  symlinkSync("src/a.txt/", at("app/slash"));
  assert.equal(await resolveFile(project, "chain1190/a.txt"), at("app/src/a.txt"));
  for (const file of ["chain0", "chain0/a.txt", "chain1100"]) await refuses(project, file, "unreadable", "ELOOP");
  await refuses(project, "slash", "outside", "slash in the path is a link that leads nowhere");
});

test("a project without a folder has no files", async () => {
  await refuses({ clientPath: "/home/me/app" }, "a", "other_machine", "/home/me/app");
  await refuses({}, "a", "no_path");
  await refuses("/home/me/app", "a", "bad_options");
});

test("on Windows case does not count, and nothing leads to a device, a stream or another drive", async () => {
  const host = fakeHost({
    style: "windows",
    files: ["C:\\code\\app\\src\\a.txt", "D:\\secret.txt"],
    links: { "C:\\code\\app\\out": "D:\\", "C:\\code\\app\\link": "C:\\code\\app\\src" },
  });
  try {
    const project = { path: "C:\\code\\app", realPath: "C:\\code\\app", clientPath: "/mnt/c/code/app" };
    for (const file of ["src/a.txt", "LINK\\a.txt", "c:/Code/App/SRC/a.txt", "file:///c%3A/code/app/src/a.txt"])
      assert.equal((await resolveFile(project, file)).toLowerCase(), "c:\\code\\app\\src\\a.txt", file);
    assert.equal(await resolveFile(project, "/mnt/c/code/app/new"), "C:\\code\\app\\new");
    await refuses(project, "out\\secret.txt", "outside", "out leads to D:\\");
    await refuses(project, "D:\\secret.txt", "outside");
    await refuses(project, "/etc/passwd", "other_system");
    for (const file of ["src\\NUL", "a.txt:b", "C:a", "\\\\?\\GLOBALROOT\\x"]) await refuses(project, file, "invalid");
  } finally {
    host.end();
  }
});

/** Numbers that are the same in every run. */
const random = (seed) => () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2 ** 32;
};

test("a file is where the disk has it, however that changes", async () => {
  const next = random(28);
  const pick = (list) => list[Math.floor(next() * list.length)];
  const place = () => Array.from({ length: 1 + Math.floor(next() * 3) }, () => pick(["a", "b", "c"])).join("/");
  const real = (path) => {
    try {
      return realpathSync(path);
    } catch {
      return undefined;
    }
  };
  const inside = (path) => path === at("app") || path.startsWith(at("app") + sep);
  const counts = { inside: 0, outside: 0, free: 0, refused: 0 };
  for (let round = 0; round < 1_500; round += 1) {
    const path = at(pick(["app", "outside"]), place());
    const target = pick([at("app"), at("outside"), at("app", place()), at("outside", place()), ".", "a", "../a"]);
    const parent = real(join(path, ".."));
    if (parent?.startsWith(base + sep))
      try {
        rmSync(path, { recursive: true, force: true });
        const kind = pick(["folder", "file", "link", "link", "gone"]);
        if (kind === "folder") mkdirSync(path);
        if (kind === "file") writeFileSync(path, "");
        if (kind === "link") symlinkSync(target, path);
      } catch {
        // A file or a loop is in the way.
      }
    const names = Array.from({ length: 1 + Math.floor(next() * 4) }, () => pick(["a", "b", "c", "..", ".", "outside"]));
    const file = names.join("/");
    const found = await resolveFile({ path: at("app"), realPath: at("app") }, file).catch(() => undefined);
    const wanted = join(at("app"), file);
    const there = real(wanted);
    if (there !== undefined) {
      // What is named outside stays there, also where a link leads back.
      const counted = inside(wanted) && inside(there);
      assert.equal(found, counted ? there : undefined, file);
      counts[counted ? "inside" : "outside"] += 1;
    } else if (found !== undefined) {
      // Nothing is there: what is found is free, and no link is on the way.
      assert.ok(inside(found) && lstatSync(found, { throwIfNoEntry: false }) === undefined, found);
      let above = join(found, "..");
      while (real(above) === undefined) above = join(above, "..");
      assert.equal(real(above), above);
      counts.free += 1;
    } else counts.refused += 1;
  }
  for (const [kind, count] of Object.entries(counts)) assert.ok(count > 20, `${kind}: ${count}`);
});

/** Turns a link without a pause between places, in another process. */
const TURN = `
const { renameSync, symlinkSync } = require("node:fs");
const [link, ...targets] = process.argv.slice(1);
process.stdout.write("ready");
for (let round = 0; ; round += 1) {
  symlinkSync(targets[round % targets.length], link + "-next");
  renameSync(link + "-next", link);
}`;

test("what is returned was never outside, while links turn", { timeout: 60_000 }, async () => {
  writeFileSync(at("app/src/b.txt"), "");
  const turning = [
    [at("app/turning"), at("outside"), at("app/src")],
    [at("app/src/b.txt"), at("outside/a.txt"), at("app/src/a.txt")],
  ].map((args) => spawn(process.execPath, ["-e", TURN, ...args], { stdio: ["ignore", "pipe", "inherit"] }));
  try {
    await Promise.all(turning.map(({ stdout }) => once(stdout, "data")));
    const project = { path: at("app"), realPath: at("app") };
    const found = { inside: 0, outside: 0 };
    const began = performance.now();
    while (performance.now() - began < (found.inside && found.outside ? 2_000 : 20_000))
      for (const file of ["turning/a.txt", "turning/new", "src/b.txt"])
        try {
          const real = await resolveFile(project, file);
          assert.ok(real.startsWith(at("app") + sep), real);
          found.inside += 1;
        } catch (error) {
          assert.ok(["outside", "unreadable"].includes(error.code), String(error));
          found.outside += 1;
        }
    assert.ok(found.inside > 0 && found.outside > 0, JSON.stringify(found));
  } finally {
    for (const child of turning) child.kill();
  }
});
