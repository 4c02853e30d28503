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
  limit: `Of the code before \`wasm-opt\` (1,670 kB, with 89 kB of function tables and 85 kB of data), the readers of everything that a host or a peer writes are the largest part: every type that is read has a reader of its own, made by
serde. The core's own rules and texts are about a third. What one preset alone needs is small: all presets together are 26 kB of data, and the recovery of sessions, which
only Thoughtbox has, brings \`time\`.`,
  tried: `Found in the names of the functions, with the flags of the build: \`serde_path_to_error\` wraps each reader (88 wrappers, 223 kB; 299 kB in all). Without it the code is 197 kB smaller (12 %), and an error names no field. It is paid once: all readers of a host
go through it, because a second, plain set of readers would be generated beside them; only snapshots are read without it. \`time\` costs 11 kB with its caller (0.7 %). Instantiated more than once are maps (14 kinds, about 110 kB in all), sorts (7 kinds, 34 kB) and
\`parse_json\` (2 kinds, 13 kB); equal bodies are merged by \`wasm-opt\`. On the same code, \`-Oz\` instead of \`-O3\` saves 0.6 % and adds 0.2 % with Brotli, and so does \`--merge-similar-functions\`; the level \`z\` of rustc is smaller and
[slower](boundary.md#size-and-speed-of-the-module). Without fewer types on the wire, or an error that names no field, none of this comes near the aim.`,
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
