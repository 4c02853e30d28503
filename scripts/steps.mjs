// The steps of `npm test`, in order: cheap and telling ones first.
import { cargo, run } from "./tools.mjs";

const strict = (flags) => ({ env: { RUSTDOCFLAGS: flags } });

export const steps = [
  {
    name: "format",
    what: "Rust sources are formatted",
    run: () => cargo("fmt", "--all", "--check"),
  },
  {
    name: "clippy",
    what: "no lint complains, in any target",
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
    what: "the core builds for WebAssembly, with and without its wire layer",
    run: async () => {
      const wasm = ["build", "-p", "rootwise", "--target", "wasm32-unknown-unknown"];
      await cargo(...wasm);
      await cargo(...wasm, "--no-default-features");
    },
  },
  {
    name: "rust",
    what: "all Rust tests",
    run: () => cargo("test", "--workspace"),
  },
];
