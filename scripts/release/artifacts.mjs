// The artifacts: every function builds one kind, checks it, puts it into the folder and returns its rows of the table.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { packagesOf } from "../../tests/tools.mjs";
import { packAddon, packMain } from "../pack.mjs";
import { addonFile, platform, platforms, programName } from "../platforms.mjs";
import { at, cargoDoc, node, read, run, Stop, targetFolder } from "../tools.mjs";
import { machine } from "./machines.mjs";
import { playsVectors } from "./vectors.mjs";

export const folder = at("target", "artifacts");

const python = at("adapters", "python");
const interpreter = process.platform === "win32" ? "python" : "python3";
const replayInNode = at("tests", "backends", "node", "replay.mjs");
const replayInPython = at("tests", "backends", "python", "replay.py");

/** On Linux, zig links for every Linux platform; elsewhere a machine builds for itself. */
const here = Object.entries(platforms).filter(([name, { os }]) =>
  process.platform === "linux" ? os === "linux" : name === platform(),
);

function add(file) {
  copyFileSync(file, join(folder, basename(file)));
  return basename(file);
}

/** Calls `work` with a folder that exists only as long as it runs. */
async function temporarily(work) {
  const stage = mkdtempSync(join(tmpdir(), "rootwise-release-"));
  try {
    return await work(stage);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** The crates, each of which cargo unpacks and builds from its own archive, with the archives of the others as dependencies. */
export async function crates() {
  const { packages } = JSON.parse(read("cargo", ["metadata", "--format-version", "1", "--no-deps"]));
  const published = packages.filter(({ publish }) => publish === null);
  const names = published.flatMap(({ name }) => ["-p", name]);
  const changes = read("git", ["status", "--porcelain"]).trim();
  await run("cargo", ["package", ...names, ...(changes ? ["--allow-dirty"] : [])]);
  await cargoDoc();
  return published.map(({ name, version }) => {
    const archive = join(targetFolder(), "package", `${name}-${version}.crate`);
    const manifest = read("tar", ["-xzOf", archive, `${name}-${version}/Cargo.toml`]);
    const local = manifest
      .split(/^(?=\[)/m)
      .filter((section) => /^\[.*dependencies/.test(section) && /\bpath = /.test(section));
    if (local.length > 0)
      throw new Stop(`the crate ${name} depends on folders that crates.io does not have:\n${local.join("")}`);
    return {
      artifact: `crate ${name}`,
      state: "built",
      note: `from its own archive${changes ? "; the working folder has changes" : ""}`,
      file: add(archive),
    };
  });
}

/** The npm package with both WebAssembly modules, which a second build in another folder must repeat byte by byte. */
export async function npmPackage() {
  if (!existsSync(addonFile())) await node("scripts/build.mjs", "--addon");
  await node("scripts/build.mjs", "--wasm", "--plain", "--typescript");
  await node("--test", "tests/packaging/reproducible.test.mjs");
  return temporarily(async (stage) => {
    const file = add(packMain(stage).main);
    const tools = packagesOf("scripts/release");
    await node(tools("publint", "src", "cli.js"), "run", join(folder, file), "--strict");
    // Editors and compilers that do not read `exports` know the main entry alone.
    await node(
      tools("@arethetypeswrong", "cli", "dist", "index.js"),
      join(folder, file),
      "--profile",
      "node16",
      "--exclude-entrypoints",
      "rootwise.wasm",
      "rootwise-plain.wasm",
      "policy.schema.json",
    );
    const { node: start } = await machine(platform());
    const packed = playsVectors([...start, replayInNode, unpacked(join(folder, file), stage)]);
    const plain = playsVectors([...start, replayInNode, at("dist", "rootwise-plain.wasm")]);
    const module = (name, note) => ({
      artifact: name,
      state: "run",
      note: `${note}; the same bytes from two builds`,
      file: add(at("dist", name)),
    });
    return [
      { artifact: "npm rootwise", state: "run", note: `${packed} on its module; publint, attw`, file },
      module("rootwise.wasm", "in the npm package"),
      module("rootwise-plain.wasm", plain),
    ];
  });
}

/** Unpacks a tarball of npm and returns the folder of the package. */
function unpacked(tarball, stage) {
  read("tar", ["-xzf", tarball, "-C", stage]);
  return join(stage, "package");
}

/** The packages of the platforms: addon and program. */
export async function addons() {
  const rows = [];
  for (const [name, { target, zig }] of here) {
    const artifact = `npm @rootwise/${name}`;
    if (!(await isAdded(target))) {
      rows.push({ artifact, ...leftOut(target) });
      continue;
    }
    if (zig === undefined) await node("scripts/build.mjs", "--addon");
    else
      copyFileSync(
        await zigbuilt(target, zig, "rootwise-node", "librootwise_node.so"),
        at("npm", name, "rootwise.node"),
      );
    await program(name);
    const file = add(packAddon(name, folder));
    const played = await temporarily(async (stage) =>
      tried(name, "node", [replayInNode, join(unpacked(join(folder, file), stage), "rootwise.node")]),
    );
    rows.push({ artifact, ...played, file });
  }
  return rows;
}

/** Builds `npm/<platform>/rootwise`, which the package of the platform and its wheel contain, and returns it. */
async function program(name) {
  const { os, target, zig } = platforms[name];
  const file = at("npm", name, programName(os));
  if (zig === undefined) await node("scripts/build.mjs", "--program");
  else copyFileSync(await zigbuilt(target, zig, "rootwise-cli", "rootwise"), file);
  return file;
}

/** What zig has linked of a crate for a Linux platform. */
async function zigbuilt(target, zig, crate, file) {
  const env = await releaseTools();
  await run("cargo", ["zigbuild", "--release", "-p", crate, "--target", `${target}${zig}`], { env });
  return join(targetFolder(), target, "release", file);
}

/** Plays every vector with a program of a platform, if there is one here. */
async function tried(name, program, args) {
  const { reason, [program]: start } = await machine(name);
  if (!start) return { state: "built", note: reason ?? `no ${program} for this platform is here to run it` };
  const version = read(start[0], [...start.slice(1), "--version"])
    .trim()
    .replace(/^v/, "Node ");
  return {
    state: "run",
    note: `${playsVectors([...start, ...args])} in ${version}${start[0].includes("qemu") ? " on QEMU" : ""}`,
  };
}

/** The wheels, pure and native, and the source distribution. */
export async function wheels() {
  const env = { ROOTWISE_PROGRAM: await program(platform()) };
  await run(interpreter, ["adapters/python/test.py", "--only", "wheels,clean,source,clone"], { env });
  const made = join(python, ".work", "wheels");
  const rows = readdirSync(made)
    .sort()
    .map((name) => {
      const artifact = name.endsWith(".whl") ? `wheel ${name.split("-").at(-1).replace(".whl", "")}` : "sdist";
      const checks = name.endsWith("-any.whl") || !name.endsWith(".whl") ? "twine" : "twine, auditwheel";
      return {
        artifact,
        state: "run",
        note: `installed in clean environments; ${checks}`,
        file: add(join(made, name)),
      };
    });
  for (const [name, { target, wheel, libc }] of here.filter(([name]) => name !== platform())) {
    if (!(await isAdded(target))) {
      rows.push({ artifact: `wheel ${name}`, ...leftOut(target) });
      continue;
    }
    const before = new Set(readdirSync(folder));
    const env = await releaseTools();
    const scripts = join(python, "rootwise.data", "scripts");
    mkdirSync(scripts, { recursive: true });
    copyFileSync(await program(name), join(scripts, "rootwise"));
    await run(
      "maturin",
      ["build", "--release", "--zig", "--target", target, "--compatibility", wheel, "--out", folder],
      { cwd: python, env },
    );
    const [file] = readdirSync(folder).filter((name) => !before.has(name));
    await run("twine", ["check", "--strict", join(folder, file)], { env });
    // On a system with glibc, auditwheel takes the `libc.so` of musl for a file of that system; maturin has checked the tag.
    if (libc === "glibc") await run("auditwheel", ["show", join(folder, file)], { env });
    const played = await temporarily(async (stage) => {
      read(interpreter, ["-m", "zipfile", "-e", join(folder, file), stage]);
      const version = file.split("-")[1];
      if (!existsSync(join(stage, `rootwise-${version}.data`, "scripts", "rootwise")))
        throw new Stop(`${file} has no program`);
      return tried(name, "python", [replayInPython, join(stage, "rootwise", "_native.abi3.so")]);
    });
    rows.push({
      artifact: `wheel ${file.split("-").at(-1).replace(".whl", "")}`,
      state: played.state,
      note: `${played.note}; twine${libc === "glibc" ? ", auditwheel" : ""}`,
      file,
    });
  }
  return rows;
}

let targets;
/** Whether the standard library of a Rust target is installed, which is done here if it is missing. */
async function isAdded(target) {
  targets ??= read("rustup", ["target", "list", "--installed"]).split("\n");
  if (targets.includes(target)) return true;
  try {
    await run("rustup", ["target", "add", target]);
    return true;
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return false;
  }
}

const leftOut = (target) => ({ state: "left out", note: `rustup target add ${target} failed` });

/** The environment in which the programs from PyPI are found: maturin, zig, cargo-zigbuild, twine, auditwheel. */
async function releaseTools() {
  const programs = join(python, ".work", "nox", "tools", "bin");
  if (!existsSync(join(programs, "cargo-zigbuild")))
    await run(interpreter, ["adapters/python/test.py", "--only", "tools"]);
  return { PATH: `${programs}${delimiter}${process.env.PATH}` };
}
