// Who makes a call and which folders are theirs, where functions of the server tell it: once for each call.
import { callersDirs, callersName } from "../driver/host.js";
import type { RootwiseOptions } from "./options.js";
import type { CallContext, Sdk } from "./sdk.js";

/** What the functions of a server say about its callers, by a part of the context that its copies share. */
export class Callers {
  readonly #sdk: Sdk;
  readonly #options: Pick<RootwiseOptions, "allowedDirs" | "caller">;
  readonly #dirs = new WeakMap<AbortSignal, readonly string[]>();
  readonly #names = new WeakMap<AbortSignal, { readonly name: string | undefined }>();

  constructor(sdk: Sdk, options: Pick<RootwiseOptions, "allowedDirs" | "caller">) {
    this.#sdk = sdk;
    this.#options = options;
  }

  /** Whether a function tells the folders of each caller. */
  get isConfined(): boolean {
    return typeof this.#options.allowedDirs === "function";
  }

  /** Asks the functions about a call; who makes it counts only if it is `unbound`. */
  async identify(context: CallContext, unbound: boolean): Promise<void> {
    const { allowedDirs, caller } = this.#options;
    const signal = this.#sdk.signal(context);
    if (typeof allowedDirs === "function" && !this.#dirs.has(signal))
      this.#dirs.set(signal, await callersDirs(allowedDirs, context));
    if (caller && unbound && !this.#names.has(signal))
      this.#names.set(signal, { name: await callersName(caller, context) });
  }

  /** Whether the functions have been asked about a call. */
  knows(context: CallContext, unbound: boolean): boolean {
    const signal = this.#sdk.signal(context);
    if (this.isConfined && !this.#dirs.has(signal)) return false;
    return !this.#options.caller || !unbound || this.#names.has(signal);
  }

  /** The folders of a caller; none before the server has told them. */
  dirsOf(context?: CallContext): string[] | undefined {
    const known = context && this.#dirs.get(this.#sdk.signal(context));
    return this.isConfined ? [...(known ?? [])] : undefined;
  }

  /** The name of a caller. */
  nameOf(context: CallContext): string | undefined {
    return this.#names.get(this.#sdk.signal(context))?.name;
  }
}
