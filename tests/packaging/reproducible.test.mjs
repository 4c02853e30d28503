// Two builds from the same sources, in different folders and with different homes of cargo, give the same bytes.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { at, read } from "../../scripts/tools.mjs";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-again-")));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Copies the sources; what git ignores is no source. */
function copySources(to) {
  for (const file of read("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"])
    .split("\0")
    .filter(Boolean)) {
    mkdirSync(dirname(join(to, file)), { recursive: true });
    cpSync(at(file), join(to, file));
  }
  symlinkSync(at("node_modules"), join(to, "node_modules"));
}

/** Another home of cargo with the same downloads, so that only its path differs. */
function otherCargoHome() {
  const home = join(folder, "cargo");
  mkdirSync(home);
  const { CARGO_HOME = join(homedir(), ".cargo") } = process.env;
  for (const part of ["registry", "bin"]) symlinkSync(join(CARGO_HOME, part), join(home, part));
  return home;
}

const digest = (file) => createHash("sha256").update(readFileSync(file)).digest("hex");

test("both WebAssembly modules are the same from another folder with another cargo home", () => {
  const sources = join(folder, "a folder with another name");
  copySources(sources);
  const build =
    'const { wasmModule, plainModule } = await import("./scripts/build-native.mjs"); await wasmModule({}); await plainModule({});';
  const env = { ...process.env, CARGO_HOME: otherCargoHome(), CARGO_TARGET_DIR: join(folder, "target") };
  const done = spawnSync(process.execPath, ["--input-type=module", "-e", build], {
    cwd: sources,
    env,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  assert.equal(done.status, 0, `${done.stdout}${done.stderr}`);
  for (const module of ["rootwise.wasm", "rootwise-plain.wasm"]) {
    assert.equal(
      digest(join(sources, "dist", module)),
      digest(at("dist", module)),
      `${module} differs; was dist/ built from these sources?`,
    );
  }
});
