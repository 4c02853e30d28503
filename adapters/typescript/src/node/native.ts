import type { BackendInfo, Backend } from "../backend.js";
import { BaseEndpoint, type EndpointOptions } from "../endpoint.js";
import { functionsOf } from "../functions.js";
import { BaseResolver, type ResolverOptions, type Saved } from "../resolver.js";
import { loadAddon } from "./addon.js";

export * from "../common.js";

let loaded: Backend | undefined;
const core = (): Backend => (loaded ??= loadAddon());

/** Always the addon: if it cannot be loaded, the first use throws `cannot_load`. */
export const backend: BackendInfo = Object.freeze({ kind: "native" });

/** Does nothing: this entry uses no WebAssembly. */
export async function init(): Promise<void> {}

/** Finds the project of one connection: pass it every event and perform the actions it returns. */
export class Resolver extends BaseResolver {
  constructor(options: ResolverOptions, saved?: Saved) {
    super(core(), options, saved);
  }

  /** Continues a saved connection; pass a distinct id prefix where several processes restore one snapshot. */
  static restore(snapshot: string, options: ResolverOptions, now: number, idPrefix?: string): Resolver {
    return new Resolver(options, { snapshot, now, idPrefix });
  }
}

/** Finds the projects of a server's clients: pass it every event and perform the actions it returns. */
export class Endpoint extends BaseEndpoint {
  constructor(options: EndpointOptions) {
    super(core(), options);
  }
}

export const {
  basename,
  clientFile,
  commandLine,
  fileInside,
  fileUriToPath,
  gatePolicy,
  gateRefusal,
  hostProblem,
  isInside,
  joinInside,
  notInside,
  parsePathMap,
  pathProblem,
  pathToFileUri,
  policyInputs,
  projectId,
  projectKey,
  projectParameter,
  readyTools,
  projectSlug,
  providedRoots,
  recoverSession,
  sanitizeName,
  simulateClient,
  toolPath,
} = functionsOf(core);
