import { type BackendInfo } from "../backend.js";
import { functionsOf } from "../functions.js";
import { BaseResolver, type ResolverOptions, type Saved } from "../resolver.js";
import type { WasmSource } from "../wasm.js";
import { wasmBackend as face } from "./module.js";

export * from "../common.js";
export type { WasmSource } from "../wasm.js";

/** Always WebAssembly. */
export const backend: BackendInfo = Object.freeze({ face: "wasm" });

/** Takes a module or bytes of your own instead of the ones that come with the package. */
export function initSync(source: WasmSource): void {
  face.use(source);
}

/** As `initSync`, for code that also runs where loading takes time; without a source nothing needs to be done here. */
export async function init(source?: WasmSource | Promise<WasmSource>): Promise<void> {
  if (source !== undefined) face.use(await source);
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
