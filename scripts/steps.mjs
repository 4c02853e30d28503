// The steps of `npm test`, in the order in which they start as soon as there is room: long ones first, so that the others fill the gaps.
//
// `run` does the work in a process of its own. `reads` names the files (by the start of their paths) that can change the
// result; `npm test -- --changed` goes by it. `needs` names entries of needs.mjs. `after` names steps whose output it uses.
// `processors` is the number that it keeps busy on average (1 if absent): the runner fills the machine by it.
import { join } from "node:path";
import { cargoDeny } from "./needs.mjs";
import { cargoTest } from "./results.mjs";
import { bin, cargo, cargoDoc, debugBuild, node, oldestRust, publishedCrates, read, run, WORKSPACE } from "./tools.mjs";

const testsAtOnce = (most, files) => {
  const reporters = ["spec", "./scripts/results.mjs"].flatMap((name) => [
    `--test-reporter=${name}`,
    "--test-reporter-destination=stdout",
  ]);
  return node("--test", ...reporters, `--test-concurrency=${most}`, ...files);
};

// One file at a time: these tests measure memory and start browsers, which would overload two cores.
const tests = (...files) => testsAtOnce(1, files);

/** Waits for all of these, then fails if one failed. */
async function atOnce(...works) {
  const ended = await Promise.allSettled(works);
  for (const { status, reason } of ended) if (status === "rejected") throw reason;
}

const rust = ["Cargo", "rust-toolchain", ".cargo/", "core/", "bindings-", "adapters/rust/", "benches/core/"];
const modules = [...rust, "adapters/typescript/", "scripts/build", "package", "npm/"];
const backends = [...modules, "tests/backends/", "tests/functions/", "tests/vectors/"];

const crates = () => publishedCrates().flatMap((name) => ["-p", name]);

/** Steps whose tests name entries of tests/coverage.json. */
const covering = ["rust", "vectors", "browser", "backends", "mcp", "python", "examples", "redis", "c"];

export const steps = [
  {
    name: "format",
    what: "Rust, TypeScript and JavaScript are formatted, and the latter two have no lint warnings",
    reads: [
      ...rust,
      "rustfmt.toml",
      "biome",
      "adapters/typescript/",
      "benches/",
      "examples/",
      "playground/",
      "scripts/",
      "site/",
      "tests/",
    ],
    run: async () => {
      await cargo("fmt", "--all", "--check");
      await bin("biome", "check", "--error-on-warnings", ".");
    },
  },
  {
    name: "build",
    what: "the addon, both modules and the package build, and the modules stay within their size limits",
    reads: modules,
    processors: 1.5,
    run: async () => {
      // At once: they have separate target folders, and the end of an optimised build keeps only one processor busy. What both need in the
      // debug profile comes from the step rust.
      await atOnce(
        node("scripts/build.mjs", "--wasm", "--plain", "--test-panic"),
        node("scripts/build.mjs", "--addon", "--test-panic"),
      );
      await node("scripts/build.mjs", "--typescript");
    },
  },
  {
    name: "rust",
    what: "all Rust tests",
    reads: [...rust, "tests/vectors/", "docs/", "README.md", "examples/"],
    processors: 1.5,
    run: () => cargoTest(...WORKSPACE),
  },
  {
    name: "python",
    what: "the Python package: vectors, properties, both wheels, every framework with real clients",
    reads: [...rust, "adapters/python/", "tests/vectors/", "tests/e2e/", "tests/soak/", "examples/"],
    needs: ["python"],
    after: ["build"],
    processors: 1.5,
    run: () => run("python3", ["adapters/python/test.py"]),
  },
  {
    name: "clippy",
    what: "no target has lint warnings",
    reads: rust,
    processors: 1.5,
    run: async () => {
      await cargo("clippy", ...WORKSPACE, "--all-targets", "--", "-D", "warnings");
      const plain = ["-p", "rootwise-wasm", "--no-default-features", "--features", "plain"];
      await cargo("clippy", ...plain, "--target", "wasm32-unknown-unknown", "--", "-D", "warnings");
    },
  },
  {
    name: "doc",
    what: "the documentation builds without warnings",
    reads: rust,
    processors: 1.5,
    run: () => cargoDoc(),
  },
  {
    name: "core",
    what: "the core compiles for WebAssembly, with and without the standard library",
    reads: rust,
    processors: 1.5,
    run: async () => {
      const wasm = ["check", "-p", "rootwise", "--target", "wasm32-unknown-unknown"];
      await cargo(...wasm);
      await cargo(...wasm, "--features", "std");
    },
  },
  {
    name: "crates",
    what: "the published crates build from their own archives, with every feature and the oldest Rust that they promise",
    reads: rust,
    needs: ["msrv"],
    processors: 1.5,
    run: async () => {
      // The oldest cargo must be able to read the manifests, but only newer ones package crates that depend on each other.
      read("cargo", [`+${oldestRust()}`, "metadata", "--locked", "--format-version", "1"]);
      const RUSTC = read("rustup", ["which", "--toolchain", oldestRust(), "rustc"]).trim();
      // What nobody runs needs no checks at run time.
      const env = {
        RUSTC,
        CARGO_PROFILE_DEV_DEBUG: "0",
        CARGO_PROFILE_DEV_DEBUG_ASSERTIONS: "false",
        CARGO_PROFILE_DEV_PANIC: "abort",
      };
      await run("cargo", ["package", "--allow-dirty", "--all-features", ...crates()], { env });
    },
  },
  {
    name: "counts",
    what: "no scenario of the core takes more instructions than the committed table allows",
    reads: [
      "Cargo",
      "rust-toolchain",
      ".cargo/",
      "core/src/",
      "core/presets/",
      "core/Cargo",
      "benches/",
      "scripts/counts",
    ],
    // There is no valgrind for other systems; on those the step says so.
    needs: process.platform === "linux" ? ["valgrind"] : [],
    // It builds on what the addon was built from.
    after: ["build"],
    run: () => node("scripts/counts.mjs"),
  },
  {
    name: "deny",
    what: "the crates have licences that ask for nothing but their text, and come from crates.io",
    reads: ["Cargo", "core/Cargo", "bindings-", "adapters/rust/", "deny.toml"],
    needs: ["deny"],
    run: () => run(cargoDeny(), ["check", "licenses", "bans", "sources"]),
  },
  {
    name: "generated",
    what: "declarations, the schema, presets and platform packages are up to date",
    reads: modules,
    run: () => node("scripts/build.mjs", "--types", "--check"),
  },
  {
    name: "vectors",
    what: "every vector in every binding: Rust, C, addon, WebAssembly, plain module",
    reads: backends,
    after: ["build"],
    run: () => tests("tests/backends/vectors.test.mjs"),
  },
  {
    name: "browser",
    what: "every vector on WebAssembly in Chromium, and a Vite bundle there",
    reads: [...backends, "tests/packaging/", "tests/browser/"],
    needs: ["browser"],
    after: ["build"],
    run: () => tests("tests/backends/browser.test.mjs", "tests/packaging/browser.test.mjs"),
  },
  {
    name: "mcp",
    what: "rootwise/mcp with real TypeScript clients: inference, both SDKs, both eras, stdio and HTTP, whereami",
    reads: [...modules, "tests/e2e/", "tests/types/", "docs/guides/containers.md"],
    after: ["build"],
    run: async () => {
      await bin("tsc", "-p", "tests/types/tsconfig.json");
      // These wait for other processes most of the time, so two files at once are no strain.
      const files = [
        "adapter",
        "modern",
        "known",
        "scenarios",
        "http",
        "remote",
        "advice",
        "streams",
        "store",
        "roots",
        "elicit",
        "switching",
        "callers",
        "driver",
        "testing",
        "cocosearch",
        "versions",
        "lifecycle",
        "whereami",
        "foreign",
        "transports",
        "hostile",
        "files",
        "inside",
        "mount",
        "containers",
        "provide",
        "repositories",
      ].map((name) => `tests/e2e/${name}.test.mjs`);
      await testsAtOnce(2, files);
    },
  },
  {
    name: "packaging",
    what: "the packed package in fresh projects: Node, TypeScript, Workers, bundlers, package managers, Bun, Deno",
    reads: [
      ...modules,
      "scripts/pack",
      "scripts/platforms",
      "scripts/release/",
      "tests/packaging/",
      "docs/",
      "README.md",
    ],
    after: ["build"],
    run: () => tests(...["address", "packaging", "bundles"].map((name) => `tests/packaging/${name}.test.mjs`)),
  },
  {
    name: "clients",
    what: "rootwise/mcp with the Python and Rust clients, and the official conformance suite",
    reads: [...modules, "tests/e2e/", "tests/conformance/"],
    needs: ["python"],
    after: ["build"],
    run: () => testsAtOnce(2, ["tests/e2e/clients.test.mjs", "tests/conformance/conformance.test.mjs"]),
  },
  {
    name: "backends",
    what: "API, safety, sequence properties, differences between bindings, memory",
    reads: backends,
    after: ["build"],
    run: () =>
      tests(
        ...["api", "functions", "schema", "safety", "start", "plain", "c", "properties", "differential", "memory"].map(
          (name) => `tests/backends/${name}.test.mjs`,
        ),
      ),
  },
  {
    name: "rust-adapter",
    what: "a server on rmcp with the TypeScript, Python and Rust clients, and the official conformance suite; `rootwise run` before published servers; the step rust has the tests of the crates",
    reads: [...rust, "tests/e2e/", "tests/conformance/", "examples/rmcp-notes/"],
    needs: ["python", "browser"],
    // The other step installs the clients and the conformance suite that both use.
    after: ["build", "clients"],
    run: async () => {
      debugBuild();
      await testsAtOnce(1, [
        "tests/e2e/rmcp.test.mjs",
        "tests/conformance/rmcp.test.mjs",
        "tests/e2e/run.test.mjs",
        "tests/e2e/run-http.test.mjs",
      ]);
      process.env.E2E_SERVER = "rmcp";
      try {
        await testsAtOnce(
          2,
          ["scenarios", "http", "lifecycle", "clients", "elicit", "switching", "files", "repositories", "mount"].map(
            (name) => `tests/e2e/${name}.test.mjs`,
          ),
        );
      } finally {
        delete process.env.E2E_SERVER;
      }
    },
  },
  {
    name: "redis",
    what: "the examples in TypeScript that share state, with real clients and a real Redis",
    reads: [...modules, "examples/thoughtbox/", "examples/replicas/"],
    needs: ["redis"],
    after: ["build"],
    run: () =>
      tests(
        "examples/thoughtbox/thoughtbox.test.mjs",
        "examples/thoughtbox/stores.test.mjs",
        "examples/replicas/replicas.test.mjs",
      ),
  },
  {
    name: "playground",
    what: "the playground in Chromium: every story, policies, recordings, accessibility, no requests; the tests that it copies, in three languages",
    reads: [
      ...modules,
      "adapters/python/src/",
      "playground/",
      "tests/playground/",
      "tests/backends/",
      "docs/contract.md",
      "docs/rules.md",
      "docs/endpoint.md",
    ],
    needs: ["browser", "python"],
    after: ["build"],
    run: () => tests(...["playground", "clicks", "page", "copies"].map((name) => `tests/playground/${name}.test.mjs`)),
  },
  {
    name: "site",
    what: "the documentation site builds without warnings and dead links, with the playground and the API pages of three languages",
    reads: [
      ...modules,
      "adapters/python/src/",
      "docs/",
      "examples/",
      "playground/",
      "site/",
      "scripts/docs",
      "README.md",
      "CONTRIBUTING.md",
      "SECURITY.md",
    ],
    needs: ["python"],
    // The playground is built in the same folder by the step of that name.
    after: ["build", "playground"],
    run: () => node("scripts/docs.mjs"),
  },
  {
    name: "docs",
    what: "every example of the documentation runs, its links hold, the picture of npm start shows what it prints, commands explain themselves",
    reads: [
      ...modules,
      "README.md",
      "docs/",
      "adapters/",
      "benches/",
      "playground/",
      "examples/",
      "tests/docs/",
      "tests/planted-bugs.json",
      "scripts/",
    ],
    after: ["build"],
    run: () =>
      tests(
        ...["examples", "rust", "run", "pages", "performance", "stories", "commands"].map(
          (name) => `tests/docs/${name}.test.mjs`,
        ),
      ),
  },
  {
    name: "suite",
    what: "the parts of npm run clients, without the clients that it downloads",
    reads: ["tests/clients/", "core/clients.json", "scripts/"],
    run: () => tests("tests/clients/suite.test.mjs"),
  },
  {
    name: "examples",
    what: "the other example in TypeScript, with real clients; those in Python are tested with the Python package",
    reads: [...modules, "examples/filesystem/"],
    after: ["build"],
    run: () => tests("examples/filesystem/filesystem.test.mjs"),
  },
  {
    name: "c",
    what: "the example in C, with real clients; the same server in the Wolfram Language, which Mathics3 runs",
    reads: [...rust, "examples/wolfram-loop/", "core/presets/"],
    needs: ["jansson", "make", "python"],
    after: ["build"],
    run: () => {
      process.env.LIBRARY = join(debugBuild(), "librootwise_c.a");
      return tests("examples/wolfram-loop/loop.test.mjs", "examples/wolfram-loop/language.test.mjs");
    },
  },
  {
    name: "coverage",
    what: "every requirement, bug class and root spelling has a passing test",
    reads: ["tests/coverage.json", "scripts/coverage"],
    after: covering,
    run: () => node("scripts/coverage.mjs", "--short"),
  },
];
