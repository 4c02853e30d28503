import { RootwiseError, parseReply } from "./error.js";
import type { Backend, Machine } from "./backend.js";
import glue from "./glue.js";

/** A compiled `WebAssembly.Module`, or the bytes of one. */
export type WasmSource = ArrayBuffer | ArrayBufferView | object;

/** The glue that wasm-bindgen generates for the module; one per instance. */
export interface Glue {
  initSync(options: { module: object }): unknown;
  readonly Machine: Pick<Backend, "open" | "restore">;
  call(args: string): string;
}

/**
 * An instance of the module. A trap may leave its memory in any state, so the instance is never used after one.
 */
class Instance {
  readonly #glue: Glue;
  #dead = false;

  constructor(module: object) {
    this.#glue = glue() as unknown as Glue;
    this.#glue.initSync({ module });
  }

  get dead(): boolean {
    return this.#dead;
  }

  run<T>(work: (glue: Glue) => T): T {
    if (this.#dead) throw broken();
    try {
      return work(this.#glue);
    } catch (thrown) {
      // The core reports a failure as a plain object; anything else is a trap or a fault of the glue.
      if (isFailure(thrown)) throw failure(thrown);
      this.#dead = true;
      throw broken(thrown);
    }
  }
}

const broken = (cause?: unknown) =>
  new RootwiseError("dead", "the WebAssembly instance failed; create a new resolver", { cause });

const isFailure = (thrown: unknown): thrown is object =>
  typeof thrown === "object" && thrown !== null && !(thrown instanceof Error) && "error" in thrown;

function failure(reply: object): unknown {
  try {
    return parseReply(reply);
  } catch (error) {
    return error;
  }
}

/** The backend over the WebAssembly module. Creates a new instance after a trap. */
export class WasmBackend implements Backend {
  readonly #load: () => WasmSource;
  #module: object | undefined;
  #instance: Instance | undefined;

  /** `load` returns the module or its bytes; it runs when they are needed first. */
  constructor(load: () => WasmSource) {
    this.#load = load;
  }

  /** Takes a module or bytes; resolvers made from now on use it. */
  use(source: WasmSource): void {
    this.#module = compiled(source);
    this.#instance = undefined;
  }

  open(options: string): Machine {
    return guarded(this.#current(), ({ Machine }) => Machine.open(options));
  }

  restore(snapshot: string, options: string, now: number, idPrefix: string | undefined): Machine {
    return guarded(this.#current(), ({ Machine }) => Machine.restore(snapshot, options, now, idPrefix));
  }

  call(args: string): string {
    return this.#current().run((glue) => glue.call(args));
  }

  #current(): Instance {
    if (!this.#instance || this.#instance.dead) {
      this.#module ??= compiled(this.#load());
      this.#instance = new Instance(this.#module);
    }
    return this.#instance;
  }
}

function compiled(source: WasmSource): object {
  // Node has none with `--jitless`.
  if (typeof WebAssembly === "undefined")
    throw new RootwiseError("cannot_load", "this process has no WebAssembly, and no addon is in use");
  if (source instanceof WebAssembly.Module) return source;
  try {
    return new WebAssembly.Module(source as BufferSource);
  } catch (cause) {
    throw new RootwiseError("cannot_load", "not a WebAssembly module, or this runtime does not compile modules", {
      cause,
    });
  }
}

function guarded(instance: Instance, make: (glue: Glue) => Machine): Machine {
  const machine = instance.run(make);
  return {
    handle: (event, now) => instance.run(() => machine.handle(event, now)),
    view: () => instance.run(() => machine.view()),
    explain: (session) => instance.run(() => machine.explain(session)),
    snapshot: (session) => instance.run(() => machine.snapshot(session)),
    free: () => {
      if (!instance.dead) machine.free();
    },
  };
}
