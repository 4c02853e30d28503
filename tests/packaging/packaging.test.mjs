// Installs the packed package into fresh projects and runs it there.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { platform, programName } from "../../scripts/platforms.mjs";
import { at, debugBuild } from "../../scripts/tools.mjs";
import { call, command, home, packed, project } from "./fixture.mjs";

const node = (folder, file) => JSON.parse(command(folder, process.execPath, [file]));
const expected = { path: "/p/one", refused: "encoded_separator" };

test("contains exactly the expected files", () => {
  const files = command(home, "tar", ["-tzf", packed.main])
    .trim()
    .split("\n")
    .map((file) => file.replace("package/", ""));
  for (const file of [
    "package.json",
    "LICENSE-MIT",
    "LICENSE-APACHE",
    "dist/rootwise.wasm",
    "dist/rootwise-plain.wasm",
    "dist/policy.schema.json",
    "dist/esm/web/index.js",
    "THIRD-PARTY-LICENSES.txt",
  ]) {
    assert.ok(files.includes(file), `${file} is missing`);
  }
  const odd = files.filter(
    (file) =>
      !/^(package\.json|README\.md|CHANGELOG\.md|LICENSE-(MIT|APACHE)|THIRD-PARTY-LICENSES\.txt|dist\/policy\.schema\.json|dist\/.*\.(js|d\.ts|wasm)|dist\/cjs\/package\.json|docs\/\w+\.md)$/.test(
        file,
      ),
  );
  assert.deepEqual(odd, []);
  assert.ok(!files.some((file) => file.includes("test-panic")));
  const { scripts = {} } = packed.manifest;
  for (const name of ["preinstall", "install", "postinstall"])
    assert.equal(scripts[name], undefined, `${name} would run at install time`);
  assert.equal(packed.manifest.optionalDependencies[`@rootwise/${platform()}`], packed.manifest.version);
});

test("the documentation in it has no dead link", () => {
  const folder = join(project("node-esm"), "node_modules/rootwise");
  const pages = ["README.md", ...readdirSync(join(folder, "docs")).map((name) => join("docs", name))];
  assert.ok(pages.includes(join("docs", "mcp.md")));
  for (const page of pages) {
    const text = readFileSync(join(folder, page), "utf8");
    for (const [, target] of text.matchAll(/(?:\]\(|<img src=")([^)"\s]+)/g)) {
      if (/^(https?:|#)/.test(target)) continue;
      assert.notEqual(page, "README.md", `a registry shows the README alone: ${target}`);
      assert.ok(existsSync(join(folder, dirname(page), target.split("#")[0])), `${page}: ${target}`);
    }
    // Files that the README names in words are there as well.
    for (const [, file] of text.matchAll(/`(docs\/\w+\.md)` in this package/g))
      assert.ok(existsSync(join(folder, file)), file);
  }
});

test("the README in it is for readers without a clone", () => {
  const text = readFileSync(join(project("node-esm"), "node_modules/rootwise/README.md"), "utf8");
  for (const left of ["not published", "after the release", "../rootwise", "<!--", "<img", "in the picture"])
    assert.ok(!text.includes(left), left);
  const commands = [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, lines]) => lines.split("\n")[0]);
  assert.deepEqual(commands, [
    "npm install rootwise @modelcontextprotocol/server zod",
    "pip install rootwise fastmcp",
    "cargo add rootwise-rmcp",
    "cargo install rootwise-cli",
  ]);
});

test("npm run pack makes tarballs that install without a registry, with the addon", () => {
  const folder = mkdtempSync(join(home, "local-"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "local", private: true, type: "module" }));
  const tarballs = command(at(), process.execPath, ["scripts/tarballs.mjs", join(folder, "tarballs")]);
  command(folder, "npm", ["install", "--offline", "--no-audit", "--no-fund", ...tarballs.trim().split("\n")]);
  const { optionalDependencies } = JSON.parse(readFileSync(join(folder, "node_modules/rootwise/package.json"), "utf8"));
  assert.deepEqual(Object.keys(optionalDependencies), [`@rootwise/${platform()}`]);
  const code = 'import { backend } from "rootwise"; console.log(backend.kind)';
  assert.equal(command(folder, process.execPath, ["--input-type=module", "-e", code]).trim(), "native");
});

test("in a clone the package takes the addon that was built", () => {
  const said = command(at(), process.execPath, [
    "--input-type=module",
    "-e",
    'import { backend } from "rootwise"; console.log(JSON.stringify(backend))',
  ]);
  assert.deepEqual(JSON.parse(said), { kind: "native" });
});

test("every file that exports names exists", () => {
  const folder = join(project("node-esm"), "node_modules/rootwise");
  const leaves = (value) => (typeof value === "string" ? [value] : Object.values(value).flatMap(leaves));
  const named = leaves(packed.manifest.exports);
  assert.ok(named.length > 10);
  for (const file of named) assert.ok(existsSync(join(folder, file)), file);
});

test("Node, import: loads the addon", () => {
  assert.deepEqual(node(project("node-esm"), "main.js"), {
    ...expected,
    backend: "native",
    native: "native",
    wasm: "wasm",
    same: true,
  });
});

test("Node, require: loads the addon", () => {
  assert.deepEqual(node(project("node-cjs", { type: "commonjs" }), "main.js"), { ...expected, backend: "native" });
});

test("Node without the addon: loads WebAssembly and reports why", () => {
  const { reason, native, ...said } = node(project("node-fallback", { addon: false }), "main.js");
  assert.deepEqual(said, { ...expected, backend: "wasm" });
  assert.match(reason, /@rootwise\/.* cannot be loaded: Cannot find module/);
  assert.equal(native, "cannot_load");
});

test("Node without the addon and without WebAssembly: the first use says so", () => {
  const folder = project("node-fallback", { addon: false });
  writeFileSync(
    join(folder, "jitless.mjs"),
    `import { backend, initSync, projectKey, Resolver, RootwiseError } from "rootwise";
const code = (run) => { try { run(); } catch (error) { return error instanceof RootwiseError && [error.code, error.message]; } };
console.log(JSON.stringify([
  code(() => projectKey("file:///a", "posix")),
  code(() => new Resolver({ host: { style: "posix" } })),
  code(() => initSync(new Uint8Array())),
  backend.kind,
]));`,
  );
  const [key, resolver, module, kind] = JSON.parse(command(folder, process.execPath, ["--jitless", "jitless.mjs"]));
  for (const [code, message] of [key, resolver, module]) {
    assert.equal(code, "cannot_load");
    assert.match(message, /no WebAssembly/);
  }
  assert.equal(kind, "wasm");
});

for (const resolution of ["node16", "bundler"]) {
  test(`TypeScript, strict, moduleResolution ${resolution}`, () => {
    const folder = project("typescript", { tools: ["typescript", "@types/node", "undici-types"] });
    const module = resolution === "node16" ? "node16" : "esnext";
    const flags = [
      "--strict",
      "--target",
      "es2022",
      "--lib",
      "es2022",
      "--module",
      module,
      "--moduleResolution",
      resolution,
      "--skipLibCheck",
      "false",
      "--exactOptionalPropertyTypes",
      "--types",
      "node",
    ];
    const tsc = join(folder, "node_modules/typescript/bin/tsc");
    command(folder, process.execPath, [tsc, ...flags, "main.ts"]);
    assert.deepEqual(node(folder, "main.js"), { ...expected, backend: "native" });
    // The declarations are strict: the compiler must refuse each of these lines.
    const bad = spawnSync(process.execPath, [tsc, ...flags, "--noEmit", "bad.ts"], { cwd: folder, encoding: "utf8" });
    const lines = readFileSync(join(folder, "bad.ts"), "utf8").split("\n");
    const refused = new Set([...bad.stdout.matchAll(/bad\.ts\((\d+),/g)].map(([, line]) => Number(line)));
    for (const [index, line] of lines.entries()) {
      if (line.includes("// refused")) assert.ok(refused.has(index + 1), `accepted: ${line}\n${bad.stdout}`);
      else assert.ok(!refused.has(index + 1), `refused: ${line}\n${bad.stdout}`);
    }
  });
}

/** Has a real client start a command as its server and asks that where it is. */
async function whereami(folder, program, args, env) {
  const { structuredContent, content } = await call(folder, program, args, { tool: "whereami", env });
  assert.match(
    content[0].text,
    new RegExp(`^server +rootwise ${packed.manifest.version.replaceAll(".", "\\.")}$`, "m"),
  );
  return structuredContent.choices.find(({ preset }) => preset === "recommended").project;
}

test("installing brings nothing else", () => {
  assert.deepEqual(
    readdirSync(join(project("alone"), "node_modules")).filter((name) => !name.startsWith(".")),
    ["@rootwise", "rootwise"],
  );
});

test("npx rootwise whereami, in an empty folder", { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(home, "empty-"));
  const npm = { npm_config_cache: join(home, "cache"), npm_config_offline: "true", npm_config_omit: "optional" };
  // Neither the package nor the program of the platform is published yet, so their locations must be given.
  const { path, source } = await whereami(folder, "npx", ["--yes", "--package", packed.main, "rootwise", "whereami"], {
    ...npm,
    ROOTWISE_PROGRAM: join(debugBuild(), programName()),
  });
  assert.deepEqual([path, source], [folder, "roots"]);
  assert.deepEqual(readdirSync(folder), []);
});

test("TypeScript, CommonJS", () => {
  const folder = project("typescript", { type: "commonjs", tools: ["typescript", "@types/node", "undici-types"] });
  const tsc = join(folder, "node_modules/typescript/bin/tsc");
  command(folder, process.execPath, [
    tsc,
    "--strict",
    "--target",
    "es2022",
    "--lib",
    "es2022",
    "--module",
    "node16",
    "--moduleResolution",
    "node16",
    "--types",
    "node",
    "main.ts",
  ]);
  assert.deepEqual(node(folder, "main.js"), { ...expected, backend: "native" });
});

test("workerd, a runtime without Node's modules that compiles no code at run time", async () => {
  const folder = project("worker", { addon: false });
  // The example of the documentation, unchanged, followed by the code that answers the test.
  const [, example] = /^```js worker\n([\s\S]*?)^```/m.exec(readFileSync(at("adapters/typescript/README.md"), "utf8"));
  writeFileSync(join(folder, "main.js"), example + readFileSync(join(folder, "main.js"), "utf8"));
  const files = (base) => readdirSync(base, { recursive: true }).filter((file) => file.endsWith(".js"));
  const web = join("node_modules/rootwise/dist/esm");
  const modules = files(join(folder, web)).map(
    (file) => `(name = "rootwise/${file}", esModule = embed "${join(web, file)}")`,
  );
  const port = await freePort();
  writeFileSync(
    join(folder, "config.capnp"),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [
    (name = "main.js", esModule = embed "main.js"),
    (name = "converse.js", esModule = embed "converse.js"),
    (name = "early.js", esModule = embed "early.js"),
    (name = "rootwise", esModule = "export * from 'rootwise/web/index.js';"),
    (name = "rootwise/rootwise.wasm", wasm = embed "node_modules/rootwise/dist/rootwise.wasm"),
    ${modules.join(",\n    ")},
  ],
  compatibilityDate = "2025-01-01",
);
`,
  );
  // The program itself: a signal that ends the script in front of it would leave it running.
  const { default: workerd } = createRequire(import.meta.url)("workerd");
  const worker = spawn(workerd, ["serve", "config.capnp"], {
    cwd: folder,
    stdio: ["ignore", "inherit", "pipe"],
  });
  let complaints = "";
  worker.stderr.on("data", (data) => (complaints += data));
  const ended = new Promise((resolve) => worker.on("close", resolve));
  try {
    assert.deepEqual(await answer(`http://127.0.0.1:${port}/`, () => complaints, worker), {
      ...expected,
      backend: "wasm",
      early: "not_ready",
      process: "undefined",
      same: true,
    });
  } finally {
    worker.kill();
    await ended;
  }
});

/** Sends requests until the server is up. */
async function answer(address, complaints, server) {
  for (let turn = 0; turn < 200 && server.exitCode === null; turn += 1) {
    try {
      const response = await fetch(address);
      const text = await response.text();
      assert.equal(response.status, 200, text + complaints());
      return JSON.parse(text);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  assert.fail(`no answer: ${complaints()}`);
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test("npx rootwise starts the program of the platform, and says what is missing without it", {
  timeout: 120_000,
}, async () => {
  const folder = project("program", { addon: false });
  const run = (...args) => spawnSync("npx", ["rootwise", ...args], { cwd: folder, encoding: "utf8" });
  const missing = run("resolve");
  assert.equal(missing.status, 1);
  const way = new RegExp(`not installed for .*@rootwise/${platform()}.*uvx rootwise.*cargo install rootwise-cli`);
  assert.match(missing.stderr, way);
  assert.match(run("--help").stderr, way);
  // As npm installs it.
  const own = join(folder, "node_modules", "@rootwise", platform());
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, "package.json"), JSON.stringify({ name: `@rootwise/${platform()}`, version: "0.1.0" }));
  copyFileSync(join(debugBuild(), programName()), join(own, programName()));
  // Some versions of npm install the program of the other C library as well, which the system cannot start.
  if (process.platform === "linux") {
    const [first, second] = ["gnu", "musl"].map((libc) =>
      join(folder, "node_modules", "@rootwise", `linux-${process.arch}-${libc}`),
    );
    for (const other of [first, second]) if (other !== own) cpSync(own, other, { recursive: true });
    writeFileSync(join(first, programName()), "#!/no/such/loader\n", { mode: 0o755 });
    assert.equal(run("--version").stdout, `rootwise ${packed.manifest.version}\n`);
    copyFileSync(join(second, programName()), join(first, programName()));
  }
  mkdirSync(join(folder, ".git"));
  const found = run("resolve", "--json");
  assert.equal(found.status, 0, found.stderr);
  assert.equal(JSON.parse(found.stdout).project.path, folder);
  assert.equal(run("resolve", "--no-such-option").status, 2);
  assert.match(run("-h").stdout, /Usage: rootwise/);
  assert.equal(run("--version").stdout, `rootwise ${packed.manifest.version}\n`);
  const { path, source } = await whereami(folder, "npx", ["rootwise", "run", "--", "npx", "rootwise", "whereami"]);
  assert.deepEqual([path, source], [folder, "roots"]);
});
