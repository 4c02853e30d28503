import { RootwiseError } from "../error.js";
import type { BackendInfo } from "../backend.js";
import { functionsOf } from "../functions.js";
import { BaseResolver, type ResolverOptions, type Saved } from "../resolver.js";
import { WasmBackend, type WasmSource } from "../wasm.js";

export * from "../common.js";
export type { WasmSource } from "../wasm.js";

const face = new WasmBackend(() => {
  throw new RootwiseError("not_ready", "call `await init()` once before anything else");
});

/** Always WebAssembly: there are no addons here. */
export const backend: BackendInfo = Object.freeze({ face: "wasm" });

/** Takes a compiled module or its bytes; for runtimes that bring modules along, such as Workers. */
export function initSync(source: WasmSource): void {
  face.use(source);
}

/**
 * Gets WebAssembly ready: the module that comes with the package, or one given as module, bytes, response or address.
 */
export async function init(source?: WasmSource | Response | URL | string | Promise<WasmSource | Response>): Promise<void> {
  let given: unknown = await (source ?? new URL("../../rootwise.wasm", import.meta.url));
  if (given instanceof URL || typeof given === "string") given = await fetch(given);
  if (typeof Response === "function" && given instanceof Response) {
    if (!given.ok) throw new RootwiseError("cannot_load", `the module cannot be fetched: status ${given.status}`);
    given = await given.arrayBuffer();
  }
  face.use(given instanceof WebAssembly.Module ? given : await compile(given));
}

/** Compiled aside: browsers may refuse to compile larger modules on their main thread. */
async function compile(bytes: unknown): Promise<object> {
  try {
    return await WebAssembly.compile(bytes as BufferSource);
  } catch (cause) {
    throw new RootwiseError("cannot_load", "this is no WebAssembly module, or this runtime compiles none", { cause });
  }
}

/** Knows the project of one connection: feed it everything that happens and do what it gives back. */
export class Resolver extends BaseResolver {
  constructor(options: ResolverOptions, saved?: Saved) {
    super(face, options, saved);
  }

  /** Goes on with a saved connection; give an id prefix of its own where several processes restore one snapshot. */
  static restore(snapshot: string, options: ResolverOptions, now: number, idPrefix?: string): Resolver {
    return new Resolver(options, { snapshot, now, idPrefix });
  }
}

export const { fileUriToPath, projectKey, isInside, joinInside, recoverSession } = functionsOf(() => face);
