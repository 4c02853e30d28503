// What the release writes into the manifests, which name no repository before.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { nameRepository } from "../../scripts/release/address.mjs";
import { platforms } from "../../scripts/platforms.mjs";
import { at } from "../../scripts/tools.mjs";

const ADDRESS = "https://forge.example/owner/rootwise";
const crates = ["core", "adapters/rust/rootwise-host", "adapters/rust/rootwise-rmcp", "adapters/rust/rootwise-cli"];
const manifests = [
  "package.json",
  "Cargo.toml",
  "adapters/python/pyproject.toml",
  ...crates.map((crate) => `${crate}/Cargo.toml`),
  ...Object.keys(platforms).map((name) => `npm/${name}/package.json`),
];

test("the release names the repository in every manifest that is published, and twice is once", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "rootwise-address-"));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const file of manifests) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(at(file), join(folder, file));
  }
  const texts = () => manifests.map((file) => readFileSync(join(folder, file), "utf8"));
  for (const text of texts()) assert.ok(!/^\s*"?(homepage|bugs)/m.test(text), "the repository names no address");

  nameRepository(folder, ADDRESS);
  const [main, workspace, python, ...rest] = texts();
  assert.equal(JSON.parse(main).repository.url, `git+${ADDRESS}.git`);
  assert.equal(JSON.parse(main).bugs.url, `${ADDRESS}/issues`);
  assert.equal(JSON.parse(main).homepage, `${ADDRESS}#readme`);
  assert.match(workspace, new RegExp(`^\\[workspace\\.package\\]\nrepository = "${ADDRESS}"$`, "m"));
  for (const crate of rest.slice(0, crates.length))
    assert.match(crate, /^\[package\]\nrepository\.workspace = true\nname = /m);
  for (const [at, name] of Object.keys(platforms).entries())
    assert.equal(JSON.parse(rest[crates.length + at]).repository.directory, `npm/${name}`);
  const urls = `import sys, tomllib; print(tomllib.load(open(sys.argv[1], "rb"))["project"]["urls"]["Repository"])`;
  const interpreter = process.platform === "win32" ? "python" : "python3";
  const found = spawned(interpreter, ["-c", urls, join(folder, "adapters/python/pyproject.toml")]);
  if (found === undefined) assert.ok(python.includes(`[project.urls]\nRepository = "${ADDRESS}"\n`));
  else assert.equal(found.trim(), ADDRESS);

  const once = texts();
  nameRepository(folder, ADDRESS);
  assert.deepEqual(texts(), once);
  for (const wrong of [undefined, "", "github.com/owner/name", "https://github.com/owner", `${ADDRESS}"\nx = "1`])
    assert.throws(() => nameRepository(folder, wrong), /not the address of a repository/);
});

test("every crate that is published is named", () => {
  const metadata = execFileSync("cargo", ["metadata", "--format-version", "1", "--no-deps", "--offline"], {
    cwd: at(),
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  const published = JSON.parse(metadata).packages.filter(({ publish }) => publish === null);
  const folders = published.map(({ manifest_path }) => dirname(manifest_path));
  assert.deepEqual(folders.sort(), crates.map((crate) => at(...crate.split("/"))).sort());
});

/** What a program prints; nothing if it cannot do it, as Python before 3.11. */
function spawned(program, args) {
  try {
    return execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    return undefined;
  }
}
