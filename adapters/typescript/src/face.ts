/** One connection inside a face. Replies are JSON text or the object it stands for; failures are `{"error": {"code", "message"}}`. */
export interface Machine {
  handle(event: string, now: number): string | object;
  view(): string | object;
  explain(): string | object;
  snapshot(): string;
  free(): void;
}

/** The core behind a boundary, be it an addon or WebAssembly. Only text and numbers cross. */
export interface Face {
  /** Throws a RootwiseError. */
  open(options: string): Machine;
  /** Throws a RootwiseError. */
  restore(snapshot: string, options: string, now: number, idPrefix: string | undefined): Machine;
  call(args: string): string;
}

/** Which face is in use, and why it is not the addon where it could have been. */
export interface Backend {
  readonly face: "native" | "wasm";
  readonly reason?: string;
}
