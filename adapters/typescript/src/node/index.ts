import { type Backend, type Face } from "../face.js";
import { functionsOf } from "../functions.js";
import { BaseResolver, type ResolverOptions, type Saved } from "../resolver.js";
import type { WasmSource } from "../wasm.js";
import { loadAddon } from "./addon.js";
import { wasmFace } from "./module.js";

export * from "../common.js";
export type { WasmSource } from "../wasm.js";

const chosen = choose();
const face: Face = chosen.face;

/** Which face is in use: the addon where there is one, else WebAssembly, and then why. */
export const backend: Backend = Object.freeze(chosen.backend);

function choose(): { face: Face; backend: Backend } {
  try {
    return { face: loadAddon(), backend: { face: "native" } };
  } catch (error) {
    return { face: wasmFace, backend: { face: "wasm", reason: (error as Error).message } };
  }
}

/** Takes a module or bytes of your own, should WebAssembly be in use. */
export function initSync(source: WasmSource): void {
  wasmFace.use(source);
}

/** Nothing needs to be done here, so that code which also runs elsewhere can call it. */
export async function init(source?: WasmSource | Promise<WasmSource>): Promise<void> {
  if (source !== undefined) wasmFace.use(await source);
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
