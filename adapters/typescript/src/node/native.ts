import type { BackendInfo, Backend } from "../backend.js";
import { functionsOf } from "../functions.js";
import { BaseResolver, type ResolverOptions, type Saved } from "../resolver.js";
import { loadAddon } from "./addon.js";

export * from "../common.js";

let loaded: Backend | undefined;
const face = (): Backend => (loaded ??= loadAddon());

/** Always the addon: where there is none, the first use throws `cannot_load`. */
export const backend: BackendInfo = Object.freeze({ face: "native" });

/** Nothing needs to be done: there is no WebAssembly here. */
export async function init(): Promise<void> {}

/** Knows the project of one connection: feed it everything that happens and do what it gives back. */
export class Resolver extends BaseResolver {
  constructor(options: ResolverOptions, saved?: Saved) {
    super(face(), options, saved);
  }

  /** Goes on with a saved connection; give an id prefix of its own where several processes restore one snapshot. */
  static restore(snapshot: string, options: ResolverOptions, now: number, idPrefix?: string): Resolver {
    return new Resolver(options, { snapshot, now, idPrefix });
  }
}

export const { fileUriToPath, projectKey, isInside, joinInside, recoverSession } = functionsOf(face);
