// How the installed package finds its parts. A bundle has `platform.bundle.ts` in its place. No file names itself here:
// bundlers would replace that by a path of the machine they run on.

const load: NodeJS.Require = require;

/** Loads an addon by the name of its package or by its path. */
export const loadModule = (name: string): unknown => load(name);

/** Where `npm run build` puts the addon in a clone of the repository. */
export const builtAddon = (platform: string): string | undefined => `../../../npm/${platform}/rootwise.node`;

/** Finds a file of the package. */
const fileOf = (name: string): string => load.resolve(name);

/** The WebAssembly module. The package has it as a file; what packs this code into one file takes the embedded copy, and must not see the name. */
export function wasmBytes(): Uint8Array {
  try {
    const { readFileSync } = require("node:fs") as typeof import("node:fs");
    return readFileSync(fileOf("../../rootwise.wasm"));
  } catch {
    const { brotliDecompressSync } = require("node:zlib") as typeof import("node:zlib");
    return brotliDecompressSync(Buffer.from(require("../embedded.js") as string, "base64"));
  }
}
