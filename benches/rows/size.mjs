import { readFileSync } from "node:fs";
import { brotliCompressSync } from "node:zlib";
import { figure } from "../figures.mjs";
import { at } from "../../scripts/tools.mjs";

export default {
  name: "size",
  title: "Size of the WebAssembly module",
  needs: ["package"],
  what: "The module that the npm package contains, and as Brotli compresses it.",
  aims: 2,
  limit: `Of the code before \`wasm-opt\` (1,470 kB, with 88 kB of data), the readers of everything that a host or a peer writes are the largest part: every type that is read has a reader of its own, made by
serde. The core's own rules and texts are about a third. What one preset alone needs is small: all presets together are 26 kB of data, and the recovery of sessions, which
only Thoughtbox has, brings \`time\`.`,
  tried: `Found in the names of the functions, with the flags of the build. \`serde_path_to_error\` around every reader was 209 kB of code (12 %): now it runs only after an error, over one reader that knows no types, and an error still names
its field. Each reader also reads a list in place of an object, which is what serde's derive makes: without that, tried with a changed derive, the module would be 96 kB smaller (7 %), and 12 kB with Brotli. To refuse lists for all
types without one's own derive takes a wrapper around every reader, as \`serde_path_to_error\` was. Erasing the types of readers with \`erased_serde\` would add a table of 27 functions for each visitor and allocate every value of more than two words, as its source says; it was not built. \`time\` costs 11 kB with its caller
(0.7 %). Instantiated more than once are maps (14 kinds, about 110 kB in all) and sorts (6 kinds, 30 kB); equal bodies are merged by \`wasm-opt\`. On the same code, \`-Oz\` instead of \`-O3\` saves 0.6 % and adds 0.2 % with Brotli, and so does
\`--merge-similar-functions\`; the level \`z\` of rustc would save another 13 %, 10 % with Brotli, and is [slower](boundary.md#size-and-speed-of-the-module). Without fewer types on the wire, none of this comes near the aim.`,
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
