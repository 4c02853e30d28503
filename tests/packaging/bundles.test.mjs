// Servers as users ship them: bundled into one file and moved away from every package, or installed by other package
// managers and run by other runtimes. The default entry works in all of them without options.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { at } from "../../scripts/tools.mjs";
import { packagesOf } from "../tools.mjs";
import { call, command, copied, home, packed, project } from "./fixture.mjs";

const modules = packagesOf("tests/packaging/tools");
const sdks = packagesOf("tests/e2e/sdks");
const tools = ["@modelcontextprotocol/sdk", "zod"];
const optional = (...parts) => (existsSync(modules(...parts)) ? modules(...parts) : undefined);
const bun = optional("@oven/bun-linux-x64/bin/bun");
const deno = optional("@deno/linux-x64-glibc/deno");

/** The server says where it works, and that its key function does. */
async function serves(folder, program, args, backend, options) {
  const { content, tools } = await call(folder, program, args, options);
  const { path, key, ...rest } = JSON.parse(content[0].text);
  assert.deepEqual({ path, key }, { path: folder, key: "/p/one" });
  if (backend) assert.equal(rest.backend, backend);
  assert.deepEqual(tools.find(({ name }) => name === "switch_project").inputSchema.required, ["project"]);
}

/** Moves a bundle to a folder with nothing else in it. */
function alone(file, name) {
  const folder = mkdtempSync(join(home, "alone-"));
  copyFileSync(file, join(folder, name));
  return folder;
}

describe("one file", { timeout: 300_000 }, () => {
  let folder;
  before(() => {
    folder = project("server", { tools, modules });
  });

  /** Nothing in a bundle may name the machine that made it. */
  const isClean = (file) =>
    assert.ok(
      !readFileSync(file).includes(join(folder, "node_modules")),
      "a path of the build machine is in the bundle",
    );

  for (const [format, extension] of [
    ["esm", "mjs"],
    ["cjs", "cjs"],
  ]) {
    test(`esbuild, ${format}`, async () => {
      const file = join(folder, `esbuild.${extension}`);
      // CommonJS knows no await at the top.
      const source = format === "esm" ? "server.mjs" : "server.ts";
      command(folder, modules("esbuild/bin/esbuild"), [
        source,
        "--bundle",
        "--platform=node",
        `--format=${format}`,
        `--outfile=${file}`,
        "--log-level=error",
      ]);
      isClean(file);
      const moved = alone(file, `server.${extension}`);
      await serves(moved, process.execPath, [join(moved, `server.${extension}`)], "wasm");
    });
  }

  test("webpack", async () => {
    const config = {
      mode: "production",
      target: "node",
      entry: join(folder, "server.mjs"),
      output: { path: folder, filename: "webpack.mjs", module: true, chunkFormat: "module" },
      experiments: { outputModule: true },
    };
    writeFileSync(
      join(folder, "run-webpack.mjs"),
      `import webpack from ${JSON.stringify(pathToFileURL(modules("webpack/lib/index.js")))};
webpack(${JSON.stringify(config)}, (error, stats) => {
  if (error) throw error;
  const { warnings, errors } = stats.toJson({ all: false, warnings: true, errors: true });
  const ours = warnings.filter(({ moduleName = "" }) => moduleName.includes("rootwise"));
  if (errors.length + ours.length > 0) throw new Error(JSON.stringify([...errors, ...ours], null, 1));
});`,
    );
    command(folder, process.execPath, ["run-webpack.mjs"]);
    isClean(join(folder, "webpack.mjs"));
    const moved = alone(join(folder, "webpack.mjs"), "server.mjs");
    await serves(moved, process.execPath, [join(moved, "server.mjs")], "wasm");
  });

  for (const format of ["es", "cjs"]) {
    test(`Rollup, ${format}`, async () => {
      const extension = format === "es" ? "mjs" : "cjs";
      const url = (name) => JSON.stringify(pathToFileURL(modules(name)));
      writeFileSync(
        join(folder, "run-rollup.mjs"),
        `import { rollup } from ${url("rollup/dist/es/rollup.js")};
import resolve from ${url("@rollup/plugin-node-resolve/dist/es/index.js")};
import commonjs from ${url("@rollup/plugin-commonjs/dist/es/index.js")};
import json from ${url("@rollup/plugin-json/dist/es/index.js")};
const plugins = [resolve(), commonjs(), json()];
const ours = [];
const onwarn = (warning) => /node_modules.rootwise./.test(JSON.stringify(warning)) && ours.push(warning.message);
const bundle = await rollup({ input: ${JSON.stringify(format === "es" ? "server.mjs" : "start.mjs")}, plugins, onwarn });
await bundle.write({ file: "rollup.${extension}", format: "${format}", inlineDynamicImports: true });
if (ours.length > 0) throw new Error(ours.join("\\n"));`,
      );
      writeFileSync(
        join(folder, "start.mjs"),
        readFileSync(join(folder, "server.mjs"), "utf8").replace("await server.connect", "server.connect"),
      );
      command(folder, process.execPath, ["run-rollup.mjs"]);
      isClean(join(folder, `rollup.${extension}`));
      const moved = alone(join(folder, `rollup.${extension}`), `server.${extension}`);
      await serves(moved, process.execPath, [join(moved, `server.${extension}`)], "wasm");
    });
  }

  test("a bundler for browsers takes the build for them", () => {
    writeFileSync(join(folder, "page.mjs"), 'import { init } from "rootwise"; await init();');
    const file = join(folder, "page.out.mjs");
    const args = [
      "page.mjs",
      "--bundle",
      "--platform=browser",
      "--format=esm",
      `--outfile=${file}`,
      "--log-level=error",
    ];
    command(folder, modules("esbuild/bin/esbuild"), args);
    assert.doesNotMatch(readFileSync(file, "utf8"), /node:/);
  });

  test("ncc", async () => {
    command(folder, process.execPath, [
      modules("@vercel/ncc/dist/ncc/cli.js"),
      "build",
      "server.mjs",
      "-o",
      "ncc",
      "--quiet",
      "--no-cache",
    ]);
    const file = join(folder, "ncc", "index.mjs");
    isClean(file);
    assert.ok(
      !readdirSync(join(folder, "ncc")).some((name) => name.endsWith(".wasm")),
      "the module is inside the file",
    );
    const moved = alone(file, "index.mjs");
    await serves(moved, process.execPath, [join(moved, "index.mjs")], "wasm");
  });

  test("Bun, bundled", { skip: !bun && "there is no Bun for this platform" }, async () => {
    for (const target of ["node", "bun"]) {
      const file = join(folder, `bun-${target}.mjs`);
      command(folder, bun, ["build", "server.mjs", `--target=${target}`, `--outfile=${file}`]);
      isClean(file);
      const moved = alone(file, "server.mjs");
      await serves(moved, target === "node" ? process.execPath : bun, [join(moved, "server.mjs")], "wasm");
    }
  });

  test("Bun, compiled to a program", { skip: !bun && "there is no Bun for this platform" }, async () => {
    const file = join(folder, "program");
    command(folder, bun, ["build", "server.mjs", "--compile", `--outfile=${file}`]);
    isClean(file);
    const moved = alone(file, "program");
    // Not in the folder of the program: a server's own folder is never a project.
    await serves(mkdtempSync(join(home, "root-")), join(moved, "program"), [], "wasm");
  });

  test("a bundle beside its packages takes the addon", async () => {
    const file = join(folder, "beside.mjs");
    command(folder, modules("esbuild/bin/esbuild"), [
      "server.mjs",
      "--bundle",
      "--platform=node",
      "--format=esm",
      `--outfile=${file}`,
      "--log-level=error",
    ]);
    await serves(folder, process.execPath, [file], "native");
  });

  test("a bundle ignores packages of the folder it is started in", async () => {
    const moved = alone(join(folder, "beside.mjs"), "server.mjs");
    await serves(folder, process.execPath, [join(moved, "server.mjs")], "wasm", { cwd: folder });
  });
});

describe("runtimes", { timeout: 300_000 }, () => {
  let folder;
  before(() => {
    folder = project("server", { tools, modules });
  });

  for (const version of [20, 22, 24]) {
    const node = optional(`node-${version}/bin/node`);
    test(`Node ${version}`, { skip: !node && "there is no such Node for this platform" }, () =>
      serves(folder, node, ["server.mjs"], "native"),
    );
  }

  test("tsx", () => serves(folder, process.execPath, [modules("tsx/dist/cli.mjs"), "server.ts"], "native"));

  test("Bun", { skip: !bun && "there is no Bun for this platform" }, () =>
    serves(folder, bun, ["server.mjs"], "native"),
  );

  test("Deno", { skip: !deno && "there is no Deno for this platform" }, () =>
    serves(folder, deno, ["run", "--allow-all", "--node-modules-dir=manual", "server.mjs"], "native", {
      env: { DENO_NO_UPDATE_CHECK: "1", DENO_DIR: join(home, "deno") },
    }),
  );
});

describe("test runners", { timeout: 300_000 }, () => {
  // The example of the guide, unchanged but for the runner that it imports.
  const [, example] = /^```js test\n([\s\S]*?)^```/m.exec(readFileSync(at("docs/guides/testing.md"), "utf8"));
  const count = [...example.matchAll(/^test\(/gm)].length;
  let folder;
  before(() => {
    folder = project("runners", { tools: [...tools, "vitest", "@modelcontextprotocol/server"], modules });
    // The project of the folder that the tests run in, and its variables, must not count.
    writeFileSync(join(folder, "node.test.mjs"), example);
    writeFileSync(join(folder, "vitest.test.mjs"), example.replace('"node:test"', '"vitest"'));
  });
  const env = { ROOTWISE_PROJECT: home, NODE_TEST_CONTEXT: undefined, NO_COLOR: "1" };

  for (const version of [20, 24]) {
    const node = optional(`node-${version}/bin/node`);
    test(`node --test, ${version}`, { skip: !node && "there is no such Node for this platform" }, () => {
      const said = command(folder, node, ["--test", "--test-reporter=tap", "node.test.mjs"], env);
      assert.match(said, new RegExp(`^# pass ${count}$`, "m"));
    });
  }

  for (const pool of ["forks", "threads"]) {
    test(`Vitest, ${pool}`, () => {
      writeFileSync(
        join(folder, "vitest.config.mjs"),
        'export default { test: { projects: [{ test: { name: "unit", include: ["vitest.test.mjs"] } }] } };',
      );
      // The option has the name of ours.
      const args = [modules("vitest/vitest.mjs"), "run", "--project", "unit", "--pool", pool];
      assert.match(command(folder, process.execPath, args, env), new RegExp(`Tests +${count} passed`));
    });
  }

  test("a wait of real time ends under node --test, too", () => {
    writeFileSync(
      join(folder, "real.test.mjs"),
      `import { test } from "node:test";
import assert from "node:assert/strict";
import { Connection, hostFacts } from "rootwise/driver";
test("silent", async () => {
  const policy = { name: "quick", sources: [{ from: "roots" }], timing: { callerTimeoutMs: 20 } };
  const connection = new Connection({ policy, host: hostFacts("stdio"), sender: { send: () => new Promise(() => {}) } });
  connection.initialized({ capabilities: { roots: {} } });
  connection.ready();
  await assert.rejects(connection.ask(), { name: "NoProjectError" });
});`,
    );
    assert.match(
      command(folder, process.execPath, ["--test", "--test-reporter=tap", "real.test.mjs"], env),
      /^# pass 1$/m,
    );
  });
});

describe("package managers", { timeout: 300_000 }, () => {
  const manifest = (dependencies) =>
    JSON.stringify({ name: "managed", version: "1.0.0", private: true, type: "module", dependencies });
  const wanted = () => ({
    rootwise: `file:${packed.main}`,
    "@modelcontextprotocol/sdk": `link:${modules("@modelcontextprotocol/sdk")}`,
  });

  test("pnpm without hoisting", async () => {
    const folder = copied("server");
    writeFileSync(join(folder, "package.json"), manifest(wanted()));
    // The platform packages are not published yet, so that each must be told where it is.
    const overrides = Object.keys(packed.manifest.optionalDependencies).map(
      (name) => `  "${name}": ${JSON.stringify(name.includes("linux-x64-gnu") ? `file:${packed.addon}` : "-")}`,
    );
    writeFileSync(join(folder, "pnpm-workspace.yaml"), `hoist: false\noverrides:\n${overrides.join("\n")}\n`);
    command(
      folder,
      process.execPath,
      [
        modules("pnpm/bin/pnpm.mjs"),
        "install",
        "--offline",
        "--no-frozen-lockfile",
        "--store-dir",
        join(home, "pnpm-store"),
      ],
      { npm_config_cache: join(home, "pnpm-cache") },
    );
    assert.ok(!existsSync(join(folder, "node_modules/@rootwise")), "not hoisted");
    await serves(folder, process.execPath, ["server.mjs"], "native");
  });

  test("Yarn, Plug'n'Play, in a workspace", async () => {
    const folder = copied("yarn");
    const member = join(folder, "packages/server");
    mkdirSync(member, { recursive: true });
    copyFileSync(join(copied("server"), "server.mjs"), join(member, "server.mjs"));
    writeFileSync(
      join(folder, "package.json"),
      JSON.stringify({
        name: "all",
        private: true,
        workspaces: ["packages/*"],
        resolutions: Object.fromEntries(
          Object.keys(packed.manifest.optionalDependencies).map((name) => [name, `file:${packed.addon}`]),
        ),
      }),
    );
    writeFileSync(join(member, "package.json"), manifest(wanted()));
    const yarn = modules("@yarnpkg/cli-dist/bin/yarn.js");
    const env = {
      YARN_ENABLE_TELEMETRY: "0",
      YARN_NODE_LINKER: "pnp",
      YARN_ENABLE_NETWORK: "0",
      YARN_CACHE_FOLDER: join(home, "yarn-cache"),
      YARN_ENABLE_GLOBAL_CACHE: "0",
      YARN_ENABLE_IMMUTABLE_INSTALLS: "0",
      YARN_PNP_FALLBACK_MODE: "none",
    };
    command(folder, process.execPath, [yarn, "install"], env);
    await serves(
      member,
      process.execPath,
      [
        "--require",
        join(folder, ".pnp.cjs"),
        "--loader",
        pathToFileURL(join(folder, ".pnp.loader.mjs")).href,
        "--no-warnings",
        "server.mjs",
      ],
      undefined,
    );
  });
});

describe("types", { timeout: 300_000 }, () => {
  // The files that `npm test -- --only mcp` compiles in the repository, and one for Express, against the packed package.
  const ways = { nodenext: "nodenext", node16: "node16", bundler: "esnext", node10: "commonjs" };
  // To the older compiler, node16 is another name of nodenext; the current one has no node10.
  const compilers = [
    { version: "5.4", compiler: modules("typescript-5.4/bin/tsc"), resolutions: ["nodenext", "bundler", "node10"] },
    {
      version: "current",
      compiler: at("node_modules/typescript/bin/tsc"),
      resolutions: ["nodenext", "node16", "bundler"],
    },
  ];
  const files = ["sdk1.ts", "sdk2.ts", "driver.ts", "express.ts", "testing.ts", "prompt.ts", "client.ts"];
  /** A project with some of the files, and packages by name. */
  const typed = (names, packages) => {
    const folder = project("types", { tools: Object.keys(packages), modules: (name) => packages[name] });
    for (const name of names) copyFileSync(at("tests/types", name), join(folder, name));
    return folder;
  };
  /** The errors of a compiler in our files and declarations; those of other packages are not ours to judge. */
  const errorsOf = (folder, compiler, names, { module, resolution, types = "node" }) => {
    const flags = { target: "es2022", lib: "es2022,dom,dom.iterable,esnext.disposable", skipLibCheck: "false", module };
    const { stdout } = spawnSync(
      process.execPath,
      [
        compiler,
        ...["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--noEmit"],
        "--noPropertyAccessFromIndexSignature",
        "--esModuleInterop",
        ...Object.entries({ ...flags, moduleResolution: resolution, types }).flatMap(([name, value]) => [
          `--${name}`,
          value,
        ]),
        ...names,
      ],
      { cwd: folder, encoding: "utf8" },
    );
    const isOfOthers = (line) => /node_modules\/(?!rootwise\/)/.test(line);
    return { stdout, errors: stdout.split("\n").filter((line) => line.includes("error TS") && !isOfOthers(line)) };
  };
  let folder;
  before(() => {
    const names = [...tools, "@modelcontextprotocol/server", "@types/express", "@types/node"];
    const packages = Object.fromEntries(names.map((name) => [name, modules(name)]));
    const client = "@modelcontextprotocol/client";
    folder = typed(files, { ...packages, [client]: at("node_modules", client) });
  });

  for (const { version, compiler, resolutions } of compilers) {
    for (const resolution of resolutions) {
      test(`TypeScript ${version}, strict, ${resolution}`, () => {
        const options = { module: ways[resolution], resolution, types: "node,express" };
        const { stdout, errors } = errorsOf(folder, compiler, files, options);
        // The declarations of Node need a newer compiler than 5.4.
        assert.deepEqual(errors, []);
        assert.ok(version !== "current" || stdout === "", stdout);
      });
    }
  }

  for (const [sdk, file, packages] of [
    ...["1.20", "1.22", "1.26"].map((version) => {
      const own = sdks(`sdk-${version}`, "node_modules/zod");
      const zod = existsSync(own) ? own : sdks("zod");
      return [`SDK ${version}`, "sdk1.ts", { "@modelcontextprotocol/sdk": sdks(`sdk-${version}`), zod }];
    }),
    ["SDK 2.0", "sdk2.ts", { "@modelcontextprotocol/server": sdks("server-2.0"), zod: sdks("zod") }],
  ]) {
    test(`TypeScript current, strict, ${sdk}`, () => {
      const folder = typed([file], { ...packages, "@types/node": modules("@types/node") });
      const options = { module: "nodenext", resolution: "nodenext" };
      const { errors } = errorsOf(folder, at("node_modules/typescript/bin/tsc"), [file], options);
      assert.deepEqual(errors, []);
    });
  }
});
