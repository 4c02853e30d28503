// The commands of the repository: they explain themselves, and npm test deals with what is missing.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, test } from "node:test";
import { at, which } from "../../scripts/tools.mjs";

const { scripts } = JSON.parse(readFileSync(at("package.json"), "utf8"));
const run = (args, env = {}) =>
  spawnSync(process.execPath, args, { cwd: at(), encoding: "utf8", env: { ...process.env, ...env } });

for (const [name, command] of Object.entries(scripts)) {
  test(`${name} explains itself`, () => {
    const [, script] = /^node (\S+)$/.exec(command);
    const { status, stdout, stderr } = run([script, "--help"]);
    assert.equal(status, 0, stderr);
    const spoken = ["start", "test"].includes(name) ? `npm ${name} --` : `npm run ${name} --`;
    assert.ok(stdout.startsWith(spoken), `starts with ${spoken}: ${stdout.slice(0, 60)}`);
    assert.match(stdout, /--help +(print )?this text/);
  });
}

test("every test file belongs to a step, or to the release", () => {
  const { stdout } = spawnSync("git", ["ls-files", "*.test.mjs"], { cwd: at(), encoding: "utf8" });
  const files = stdout.split("\n").filter(Boolean);
  assert.ok(files.length > 40, stdout);
  const text = ["scripts/steps.mjs", "scripts/release/artifacts.mjs"]
    .map((name) => readFileSync(at(name), "utf8"))
    .join();
  // A step names a file, or adds the folder and the ending to a list of names.
  const isNamed = (file) => text.includes(`"${file}"`) || text.includes(`"${basename(file, ".test.mjs")}"`);
  assert.deepEqual(
    files.filter((file) => !isNamed(file)),
    [],
  );
});

test("every planted bug still finds the code that it changes", () => {
  const bugs = JSON.parse(readFileSync(at("tests/planted-bugs.json"), "utf8"));
  assert.ok(bugs.length >= 100);
  const found = ({ file, find }) => readFileSync(at("core/src", file), "utf8").split(find).length - 1;
  assert.deepEqual(
    bugs.filter((bug) => found(bug) !== 1).map(({ bug }) => bug),
    [],
  );
});

// A machine that has what building needs, and neither make nor sudo nor apt.
const programs = mkdtempSync(join(tmpdir(), "rootwise-programs-"));
after(() => rmSync(programs, { recursive: true, force: true }));
mkdirSync(programs, { recursive: true });
for (const name of ["cc", "git", "node", "npm"]) symlinkSync(which(name), join(programs, name));
const bare = { PATH: `${programs}:${join(process.env.CARGO_HOME ?? join(homedir(), ".cargo"), "bin")}` };

test("a step that lacks something is left out, and the end says so", {
  skip: process.platform === "win32" && "needs POSIX paths",
}, () => {
  const { status, stdout, stderr } = run(["scripts/test.mjs", "--only", "format,c"], { ...bare, CI: "" });
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, /passed +format/);
  assert.match(stdout, /left out +c +needs .*make/);
  assert.match(stdout, /Left out: c\./);
});

test("with CI=true that is a failure", { skip: process.platform === "win32" && "needs POSIX paths" }, () => {
  const { status, stderr } = run(["scripts/test.mjs", "--only", "format,c"], { ...bare, CI: "true" });
  assert.equal(status, 1);
  assert.match(stderr, /left out is a failure/);
});

test("an unknown step is named, with the way to list them", () => {
  const { status, stderr } = run(["scripts/test.mjs", "--only", "no-such-step"]);
  assert.equal(status, 1);
  assert.match(stderr, /unknown step `no-such-step`; npm test -- --list/);
});

test("npm run doctor names what is missing and changes nothing", {
  skip: process.platform === "win32" && "needs POSIX paths",
}, () => {
  const { status, stdout } = run(["scripts/doctor.mjs"], bare);
  assert.equal(status, 1);
  assert.match(stdout, /found +compiler/);
  assert.match(stdout, /missing +make/);
});
