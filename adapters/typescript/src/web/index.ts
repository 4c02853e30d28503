import { RootwiseError } from "../error.js";
import type { BackendInfo } from "../backend.js";
import { BaseEndpoint, type EndpointOptions } from "../endpoint.js";
import { functionsOf } from "../functions.js";
import { BaseResolver, type ResolverOptions, type Saved } from "../resolver.js";
import { WasmBackend, type WasmSource } from "../wasm.js";

export * from "../common.js";
export type { WasmSource } from "../wasm.js";

const core = new WasmBackend(() => {
  throw new RootwiseError("not_ready", "call `await init()` once before anything else");
});

/** Always WebAssembly. */
export const backend: BackendInfo = Object.freeze({ kind: "wasm" });

/** Loads a compiled module or its bytes; for runtimes that compile modules in advance, such as Workers. */
export function initSync(source: WasmSource): void {
  core.use(source);
}

/**
 * Loads WebAssembly: the module of the package, or a module, bytes, a response or an address that you pass.
 */
export async function init(
  source?: WasmSource | Response | URL | string | Promise<WasmSource | Response>,
): Promise<void> {
  let given: unknown = await (source ?? new URL("../../rootwise.wasm", import.meta.url));
  if (given instanceof URL || typeof given === "string") given = await fetch(given);
  if (typeof Response === "function" && given instanceof Response) {
    if (!given.ok) throw new RootwiseError("cannot_load", `the module cannot be fetched: status ${given.status}`);
    given = await given.arrayBuffer();
  }
  core.use(given instanceof WebAssembly.Module ? given : await compile(given));
}

/** Compiles asynchronously: browsers may refuse to compile larger modules on their main thread. */
async function compile(bytes: unknown): Promise<object> {
  try {
    return await WebAssembly.compile(bytes as BufferSource);
  } catch (cause) {
    throw new RootwiseError("cannot_load", "not a WebAssembly module, or this runtime does not compile modules", {
      cause,
    });
  }
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
