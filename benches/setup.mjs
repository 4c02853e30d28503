// What the rows need: built parts, environments of Python, packages. Everything is made once and kept below target/.
import { copyFileSync, cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { addonFile } from "../scripts/platforms.mjs";
import { environment } from "../scripts/python.mjs";
import { at, cargo, node, read, Stop, targetFolder } from "../scripts/tools.mjs";
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

export const released = (...parts) => join(targetFolder(), "release", ...parts);

/** The rmcp programs of adapters/rust/rootwise-rmcp/benches: cargo says where it put them. */
export function rmcpProgram() {
  const lines = read("cargo", [
    ...["build", "--release", "--quiet", "-p", "rootwise-rmcp", "--bench", "measure"],
    "--message-format=json",
  ]);
  const made = lines.split("\n").filter((line) => line.includes('"executable":"'));
  return made.map((line) => JSON.parse(line)).find(({ target }) => target.name === "measure").executable;
}

export const python = (framework) => environment(`bench-${framework}`, [...FRAMEWORKS[framework].packages, WASMTIME]);

/** The folder with the Python package on one backend. */
export const pythonPackage = (backend) => at("target", "bench", `python-${backend}`);

const made = {
  /** The package in dist/, with addon and module. */
  async package() {
    if (!existsSync(addonFile()) || !existsSync(at("dist", "rootwise.wasm")) || !existsSync(at("dist", "mcp")))
      await node("scripts/build.mjs");
  },
  async core() {
    await cargo("build", "--release", "--quiet", "-p", "rootwise-node", "-p", "rootwise-bench");
  },
  async rmcp() {
    await cargo("build", "--release", "--quiet", "-p", "rootwise-rmcp", "--bench", "measure");
  },
  async program() {
    await cargo(
      ...["build", "--release", "--quiet", "-p", "rootwise-cli", "--bin", "rootwise", "--example", "scripted"],
    );
  },
  filesystem: install,
  async python() {
    await cargo("build", "--release", "--quiet", "-p", "rootwise-python");
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
