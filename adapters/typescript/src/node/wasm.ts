import type { BackendInfo } from "../backend.js";
import { BaseEndpoint, type EndpointOptions } from "../endpoint.js";
import { functionsOf } from "../functions.js";
import { BaseResolver, type ResolverOptions, type Saved } from "../resolver.js";
import type { WasmSource } from "../wasm.js";
import { wasmBackend as core } from "./module.js";

export * from "../common.js";
export type { WasmSource } from "../wasm.js";

/** Always WebAssembly. */
export const backend: BackendInfo = Object.freeze({ kind: "wasm" });

/** Replaces the module of the package by your own. */
export function initSync(source: WasmSource): void {
  core.use(source);
}

/** As `initSync`, for code that also runs where loading takes time; does nothing without a source. */
export async function init(source?: WasmSource | Promise<WasmSource>): Promise<void> {
  if (source !== undefined) core.use(await source);
}

/** Finds the project of one connection: pass it every event and perform the actions it returns. */
export class Resolver extends BaseResolver {
  constructor(options: ResolverOptions, saved?: Saved) {
    super(core, options, saved);
  }

  /** Continues a saved connection; pass a distinct id prefix where several processes restore one snapshot. */
  static restore(snapshot: string, options: ResolverOptions, now: number, idPrefix?: string): Resolver {
    return new Resolver(options, { snapshot, now, idPrefix });
  }
}

/** Finds the projects of a server's clients: pass it every event and perform the actions it returns. */
export class Endpoint extends BaseEndpoint {
  constructor(options: EndpointOptions) {
    super(core, options);
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
} = functionsOf(() => core);
