// The steps of `npm test`, in order: fast steps that find most problems come first.
import { cargoTest } from "./results.mjs";
import { bin, cargo, node, run } from "./tools.mjs";

const strict = (flags) => ({ env: { RUSTDOCFLAGS: flags } });

const testsAtOnce = (most, files) => {
  const reporters = ["spec", "./scripts/results.mjs"].flatMap((name) => [`--test-reporter=${name}`, "--test-reporter-destination=stdout"]);
  return node("--test", ...reporters, `--test-concurrency=${most}`, ...files);
};

// One file at a time: these tests measure memory and start browsers, which would overload two cores.
const tests = (...files) => testsAtOnce(1, files);

export const steps = [
  {
    name: "format",
    what: "Rust sources are formatted",
    run: () => cargo("fmt", "--all", "--check"),
  },
  {
    name: "clippy",
    what: "no target has lint warnings",
    run: async () => {
      await cargo("clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings");
      const plain = ["-p", "rootwise-wasm", "--no-default-features", "--features", "plain"];
      await cargo("clippy", ...plain, "--target", "wasm32-unknown-unknown", "--", "-D", "warnings");
    },
  },
  {
    name: "doc",
    what: "the documentation builds without warnings",
    run: () => run("cargo", ["doc", "--workspace", "--no-deps"], strict("-D warnings")),
  },
  {
    name: "core",
    what: "the core builds for WebAssembly, with and without the standard library",
    run: async () => {
      const wasm = ["build", "-p", "rootwise", "--target", "wasm32-unknown-unknown"];
      await cargo(...wasm);
      await cargo(...wasm, "--features", "std");
    },
  },
  {
    name: "rust",
    what: "all Rust tests",
    run: () => cargoTest("--workspace"),
  },
  {
    name: "generated",
    what: "declarations, presets and platform packages are up to date",
    run: () => node("scripts/build.mjs", "--types", "--check"),
  },
  {
    name: "build",
    what: "the addon, both modules and the package build, and the modules stay within their size limits",
    run: () => node("scripts/build.mjs", "--wasm", "--plain", "--addon", "--typescript", "--test-panic"),
  },
  {
    name: "vectors",
    what: "every vector in every binding: Rust, C, addon, WebAssembly in Node and in Chromium, plain module",
    run: () => tests("tests/faces/vectors.test.mjs"),
  },
  {
    name: "faces",
    what: "API, safety, sequence properties, differences between bindings, memory",
    run: () => tests(...["api", "safety", "plain", "c", "properties", "differential", "memory"].map((name) => `tests/faces/${name}.test.mjs`)),
  },
  {
    name: "docs",
    what: "every JavaScript example of the documentation runs",
    run: () => tests("tests/docs/examples.test.mjs"),
  },
  {
    name: "packaging",
    what: "the packed package in fresh projects: Node, TypeScript, Vite, Workers, bundlers, package managers, Bun, Deno",
    run: () => tests("tests/packaging/packaging.test.mjs", "tests/packaging/bundles.test.mjs"),
  },
  {
    name: "mcp",
    what: "rootwise/mcp with real TypeScript clients: inference, both SDKs, both eras, stdio and HTTP, whereami",
    run: async () => {
      await bin("tsc", "-p", "tests/types/tsconfig.json");
      // These wait for other processes most of the time, so two files at once are no strain.
      const files = ["adapter", "scenarios", "http", "streams", "roots", "driver", "versions", "lifecycle", "whereami", "hostile"].map((name) => `tests/e2e/${name}.test.mjs`);
      await testsAtOnce(2, files);
    },
  },
  {
    name: "clients",
    what: "rootwise/mcp with the Python and Rust clients, and the official conformance suite",
    run: () => testsAtOnce(2, ["tests/e2e/clients.test.mjs", "tests/conformance/conformance.test.mjs"]),
  },
  {
    name: "python",
    what: "the Python package: vectors, properties, both wheels, every framework with real clients",
    run: () => run("python3", ["adapters/python/test.py"]),
  },
  {
    name: "examples",
    what: "the examples in TypeScript and in C, with real clients; those in Python are tested with the Python package",
    run: () => tests("examples/thoughtbox/thoughtbox.test.mjs", "examples/filesystem/filesystem.test.mjs", "examples/replicas/replicas.test.mjs", "examples/wolfram-loop/loop.test.mjs"),
  },
  {
    name: "coverage",
    what: "every requirement, bug class and root spelling has a passing test, listed in docs/coverage.md",
    run: () => node("scripts/coverage.mjs", "--short"),
  },
];
