// A host for the plain module, as described in bindings-wasm/PLAIN.md. Any language can do the same.

export class PlainModule {
  #exports;

  constructor(bytes) {
    const module = new WebAssembly.Module(bytes);
    this.imports = WebAssembly.Module.imports(module);
    this.#exports = new WebAssembly.Instance(module).exports;
  }

  get memory() {
    return this.#exports.memory;
  }

  open(options) {
    return this.#with([options], (text) => this.#exports.open(...text));
  }

  restore(snapshot, options, now, prefix) {
    const given = prefix === undefined ? [snapshot, options] : [snapshot, options, prefix];
    return this.#with(given, (a, b, c = [0, 0]) => this.#exports.restore(...a, ...b, now, ...c));
  }

  handle(handle, event, now) {
    return this.#with([event], (text) => this.#exports.handle(handle, ...text, now));
  }

  explain(handle, session = 0) {
    return this.#take(this.#exports.explain(handle, session));
  }

  snapshot(handle, session = 0) {
    return this.#take(this.#exports.snapshot(handle, session));
  }

  close(handle) {
    this.#exports.close(handle);
  }

  call(args) {
    return this.#with([args], (text) => this.#exports.call(...text));
  }

  /** The same interface as the other backends. */
  backend() {
    const machine = (opened) => {
      const { handle, error, ...view } = JSON.parse(opened);
      if (error) throw Object.assign(new Error(error.message), error);
      return {
        view: () => JSON.stringify(view),
        handle: (event, now) => this.handle(handle, event, now),
        explain: (session) => this.explain(handle, session),
        snapshot: (session) => this.snapshot(handle, session),
        free: () => this.close(handle),
      };
    };
    return {
      open: (options) => machine(this.open(options)),
      restore: (...given) => machine(this.restore(...given)),
      call: (args) => this.call(args),
    };
  }

  /** Copies texts into memory, calls, and frees the texts. */
  #with(texts, call) {
    const blocks = texts.map((text) => {
      const bytes = new TextEncoder().encode(text);
      const start = this.#exports.alloc(bytes.length);
      // A new view: memory may have grown, which detaches old views.
      new Uint8Array(this.memory.buffer, start, bytes.length).set(bytes);
      return [start, bytes.length];
    });
    const result = call(...blocks);
    for (const block of blocks) this.#exports.free(...block);
    return this.#take(result);
  }

  /** Reads a result (address in the upper half, length in the lower half) and frees it. */
  #take(result) {
    const start = Number(BigInt.asUintN(64, result) >> 32n);
    const length = Number(BigInt.asUintN(32, result));
    const text = new TextDecoder().decode(new Uint8Array(this.memory.buffer, start, length));
    this.#exports.free(start, length);
    return text;
  }
}
