import { type BackendInfo, type Backend } from "../backend.js";
import { functionsOf } from "../functions.js";
import { BaseResolver, type ResolverOptions, type Saved } from "../resolver.js";
import type { WasmSource } from "../wasm.js";
import { loadAddon } from "./addon.js";
import { wasmBackend } from "./module.js";

export * from "../common.js";
export type { WasmSource } from "../wasm.js";

const chosen = choose();
const face: Backend = chosen.face;

/** Which face is in use: the addon where there is one, else WebAssembly, and then why. */
export const backend: BackendInfo = Object.freeze(chosen.backend);

function choose(): { face: Backend; backend: BackendInfo } {
  try {
    return { face: loadAddon(), backend: { face: "native" } };
  } catch (error) {
    return { face: wasmBackend, backend: { face: "wasm", reason: (error as Error).message } };
  }
}

/** Takes a module or bytes of your own, should WebAssembly be in use. */
export function initSync(source: WasmSource): void {
  wasmBackend.use(source);
}

/** Nothing needs to be done here, so that code which also runs elsewhere can call it. */
export async function init(source?: WasmSource | Promise<WasmSource>): Promise<void> {
  if (source !== undefined) wasmBackend.use(await source);
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
