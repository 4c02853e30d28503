import { readFileSync } from "node:fs";
import { brotliCompressSync } from "node:zlib";
import { figure } from "../figures.mjs";
import { at } from "../../scripts/tools.mjs";

export default {
  name: "size",
  title: "Size of the WebAssembly module",
  needs: ["package"],
  what: "The module that the npm package contains, and as Brotli compresses it.",
  limits: "[boundary.md](boundary.md#size-and-speed-of-the-module) says what the bytes are, and what was tried.",
  async measure() {
    return ["rootwise.wasm", "rootwise-plain.wasm"].flatMap((name) => {
      const module = readFileSync(at("dist", name));
      const aims = name === "rootwise.wasm" ? [700, 200] : [];
      return [
        ["", module.length],
        [", Brotli", brotliCompressSync(module).length],
      ].map(([kind, bytes], index) =>
        figure(`\`${name}\`${kind}`, { unit: "kB", value: bytes / 1000, aim: aims[index], of: "value" }),
      );
    });
  },
};
