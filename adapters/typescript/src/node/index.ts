/**
 * The state machine in Node, and the functions for URIs, paths, names and sessions.
 *
 * @module rootwise
 */
import type { BackendInfo } from "../backend.js";
import { BaseEndpoint, type EndpointOptions } from "../endpoint.js";
import { functionsOf } from "../functions.js";
import { BaseResolver, type ResolverOptions, type Saved } from "../resolver.js";
import type { WasmSource } from "../wasm.js";
import { chosen } from "./chosen.js";
import { wasmBackend } from "./module.js";

export * from "../common.js";
export type { WasmSource } from "../wasm.js";

const { core } = chosen;

/** The backend in use: the addon where one can be loaded, else WebAssembly with the reason. */
export const backend: BackendInfo = Object.freeze(chosen.backend);

/** Replaces the WebAssembly module by your own, if WebAssembly is in use. */
export function initSync(source: WasmSource): void {
  wasmBackend.use(source);
}

/** Does nothing without a source; for code that also runs where loading takes time. */
export async function init(source?: WasmSource | Promise<WasmSource>): Promise<void> {
  if (source !== undefined) wasmBackend.use(await source);
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
