// What the rows need: built parts, environments of Python, packages. Everything is made once and kept below target/.
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { addonFile } from "../scripts/platforms.mjs";
import { environment } from "../scripts/python.mjs";
import { at, cargo, node, Stop, targetFolder } from "../scripts/tools.mjs";
import { install } from "./rivals/filesystem.mjs";

/** The frameworks, with the versions that adapters/python/pyproject.toml tests. */
export const FRAMEWORKS = {
  mcp1: { title: "`mcp` 1.30", packages: ["mcp==1.30.0"] },
  mcp2: { title: "`mcp` 2.3", packages: ["mcp==2.3.0"] },
  fastmcp2: { title: "FastMCP 2.14", packages: ["fastmcp==2.14.7"] },
  fastmcp3: { title: "FastMCP 3.4", packages: ["fastmcp==3.4.10"] },
  fastmcp4: { title: "FastMCP 4.1", packages: ["fastmcp==4.1.2"] },
};
const WASMTIME = "wasmtime==50.0.1";
/** The version that the tests use too. */
export const GIT_VERSION = "2026.10.19";

export const released = (...parts) => join(targetFolder(), "release", ...parts);

/** The program of adapters/rust/rootwise-rmcp/benches, whose name cargo makes: the newest one. */
export function rmcpProgram() {
  const named = readdirSync(released("deps")).filter((name) => /^measure-[0-9a-f]+(\.exe)?$/.test(name));
  const [newest] = named
    .map((name) => released("deps", name))
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  if (!newest) throw new Stop("the program of the row rmcp is not built");
  return newest;
}

export const python = (framework) => environment(`bench-${framework}`, [...FRAMEWORKS[framework].packages, WASMTIME]);

/** The command of the published server mcp-server-git. */
export async function gitServer() {
  const python = await environment("mcp-server-git", [`mcp-server-git==${GIT_VERSION}`]);
  return [join(dirname(python), process.platform === "win32" ? "mcp-server-git.exe" : "mcp-server-git")];
}

/** The folder with the Python package on one backend. */
export const pythonPackage = (backend) => at("target", "bench", `python-${backend}`);

let built;
/** Builds everything else that is Rust at once: the end of an optimised build keeps only one processor busy. */
function adapters() {
  built ??= cargo(
    ...["build", "--release", "--quiet", "-p", "rootwise-rmcp", "-p", "rootwise-cli", "-p", "rootwise-python"],
    ...["--lib", "--bench", "measure", "--bin", "rootwise", "--example", "scripted"],
  );
  return built;
}

const made = {
  /** The package in dist/, with addon and module. */
  async package() {
    if (!existsSync(addonFile()) || !existsSync(at("dist", "rootwise.wasm")) || !existsSync(at("dist", "mcp")))
      await node("scripts/build.mjs");
  },
  async core() {
    await cargo("build", "--release", "--quiet", "-p", "rootwise-node", "-p", "rootwise-bench");
  },
  rmcp: () => adapters(),
  program: () => adapters(),
  filesystem: install,
  async published() {
    await install();
    await gitServer();
  },
  async python() {
    await adapters();
    for (const name of Object.keys(FRAMEWORKS)) await python(name);
    const extension = { darwin: "librootwise_python.dylib", win32: "rootwise_python.dll" }[process.platform];
    for (const backend of ["native", "wasm"]) {
      const home = join(pythonPackage(backend), "rootwise");
      rmSync(home, { recursive: true, force: true });
      mkdirSync(pythonPackage(backend), { recursive: true });
      const own = (path) => !/_native\.|__pycache__|rootwise-plain\.wasm$/.test(path);
      cpSync(at("adapters", "python", "src", "rootwise"), home, { recursive: true, filter: own });
      if (backend === "native")
        copyFileSync(released(extension ?? "librootwise_python.so"), join(home, "_native.abi3.so"));
      else copyFileSync(at("dist", "rootwise-plain.wasm"), join(home, "rootwise-plain.wasm"));
    }
  },
};

/** Makes what these rows need, one after the other. */
export async function provide(needs) {
  for (const name of needs) {
    if (!made[name]) throw new Stop(`nothing provides ${name}`);
    console.log(`Preparing ${name}.`);
    await made[name]();
  }
}
