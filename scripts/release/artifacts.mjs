// The artifacts: every function builds one kind, checks it, puts it into the folder and returns its rows of the table.
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { packagesOf } from "../../tests/tools.mjs";
import { pack, packAddon } from "../pack.mjs";
import { addonFile, platform, platforms } from "../platforms.mjs";
import { at, node, read, run, Stop, targetFolder } from "../tools.mjs";

export const folder = at("target", "artifacts");

const python = at("adapters", "python");
const interpreter = process.platform === "win32" ? "python" : "python3";

/** On Linux, zig links for every Linux platform; elsewhere a machine builds for itself. */
const here = Object.entries(platforms).filter(([name, { os }]) => (process.platform === "linux" ? os === "linux" : name === platform()));

function add(file) {
  copyFileSync(file, join(folder, basename(file)));
  return basename(file);
}

/** The crate, which cargo unpacks and builds from its own archive. */
export async function crate() {
  const { packages } = JSON.parse(read("cargo", ["metadata", "--format-version", "1", "--no-deps"]));
  const { version, dependencies } = packages.find(({ name }) => name === "rootwise");
  const local = dependencies.filter(({ path }) => path).map(({ name }) => name);
  if (local.length > 0) throw new Stop(`the crate depends on folders that crates.io does not have: ${local.join(", ")}`);
  const changes = read("git", ["status", "--porcelain"]).trim();
  await run("cargo", ["package", "-p", "rootwise", ...(changes ? ["--allow-dirty"] : [])]);
  await run("cargo", ["doc", "-p", "rootwise", "--no-deps", "--features", "std"], { env: { RUSTDOCFLAGS: "-D warnings" } });
  const file = add(join(targetFolder(), "package", `rootwise-${version}.crate`));
  return [{ artifact: "crate", state: "tested", note: changes ? "the working folder has changes" : "", file }];
}

/** The npm package with both WebAssembly modules, which a second build in another folder must repeat byte by byte. */
export async function npmPackage() {
  await node("scripts/build.mjs");
  await node("--test", "tests/packaging/reproducible.test.mjs");
  const stage = mkdtempSync(join(tmpdir(), "rootwise-release-"));
  try {
    const file = add(pack(stage).main);
    const tools = packagesOf("scripts/release");
    await node(tools("publint", "src", "cli.js"), "run", join(folder, file), "--strict");
    // Editors and compilers that do not read `exports` know the main entry alone.
    await node(tools("@arethetypeswrong", "cli", "dist", "index.js"), join(folder, file), "--profile", "node16", "--exclude-entrypoints", "rootwise.wasm", "rootwise-plain.wasm", "policy.schema.json");
    const modules = ["rootwise.wasm", "rootwise-plain.wasm"].map((name) => ({ artifact: name, state: "tested", note: "the same bytes from two builds", file: add(at("dist", name)) }));
    return [{ artifact: "npm rootwise", state: "tested", note: "publint, attw", file }, ...modules];
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** The addons. */
export async function addons() {
  const rows = [];
  for (const [name, { target, zig }] of here) {
    const artifact = `npm @rootwise/${name}`;
    if (!installed(target)) {
      rows.push({ artifact, ...leftOut(target) });
      continue;
    }
    if (zig === undefined) await node("scripts/build.mjs", "--addon");
    else {
      await run("cargo", ["zigbuild", "--release", "-p", "rootwise-node", "--target", `${target}${zig}`], { env: await releaseTools() });
      copyFileSync(join(targetFolder(), target, "release", "librootwise_node.so"), at("npm", name, "rootwise.node"));
    }
    if (name === platform()) await node("-e", `console.log("addon", require(${JSON.stringify(addonFile())}).version())`);
    const file = add(packAddon(name, folder));
    rows.push({ artifact, state: name === platform() ? "tested" : "built", file });
  }
  return rows;
}

/** The wheels, pure and native, and the source distribution. */
export async function wheels() {
  await run(interpreter, ["adapters/python/test.py", "--only", "wheels,clean,source,clone"]);
  const made = join(python, ".work", "wheels");
  const rows = readdirSync(made).sort().map((name) => {
    const artifact = name.endsWith(".whl") ? `wheel ${name.split("-").at(-1).replace(".whl", "")}` : "sdist";
    return { artifact, state: "tested", note: "twine, clean environments", file: add(join(made, name)) };
  });
  for (const [name, { target, wheel }] of here.filter(([name]) => name !== platform())) {
    const artifact = `wheel ${name}`;
    if (!installed(target)) {
      rows.push({ artifact, ...leftOut(target) });
      continue;
    }
    const before = new Set(readdirSync(folder));
    await run("maturin", ["build", "--release", "--zig", "--target", target, "--compatibility", wheel, "--out", folder], { cwd: python, env: await releaseTools() });
    const [file] = readdirSync(folder).filter((name) => !before.has(name));
    await run("twine", ["check", "--strict", join(folder, file)], { env: await releaseTools() });
    rows.push({ artifact, state: "built", note: "twine", file });
  }
  return rows;
}

let targets;
const installed = (target) => (targets ??= read("rustup", ["target", "list", "--installed"]).split("\n")).includes(target);

const leftOut = (target) => ({ state: "left out", note: `rustup target add ${target}` });

/** The environment in which the programs from PyPI are found: maturin, zig, cargo-zigbuild, twine. */
async function releaseTools() {
  const programs = join(python, ".work", "nox", "tools", "bin");
  if (!existsSync(join(programs, "cargo-zigbuild"))) await run(interpreter, ["adapters/python/test.py", "--only", "tools"]);
  return { PATH: `${programs}${delimiter}${process.env.PATH}` };
}
