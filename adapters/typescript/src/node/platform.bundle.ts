// How a bundle finds its parts. The module is inside the bundle. An addon is looked for beside the program that runs: no
// path of the machine that made the bundle is in it, and no folder that the program happens to be started in counts.
import nodeModule from "node:module";
import { argv } from "node:process";
import { brotliDecompressSync } from "node:zlib";
import embedded from "../embedded.js";

let load: NodeJS.Require | undefined;

/** Loads an addon by the name of its package or by its path. */
export function loadModule(name: string): unknown {
  load ??= nodeModule.createRequire(argv[1] ?? "/");
  return load(name);
}

/** A bundle is never part of a clone. */
export const builtAddon = (_platform: string): string | undefined => undefined;

/** The WebAssembly module, which is part of the code, so that a bundle needs no second file. */
export const wasmBytes = (): Uint8Array => brotliDecompressSync(Buffer.from(embedded, "base64"));
