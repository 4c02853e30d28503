/** A resolver or an endpoint inside a backend; `session` is for endpoints. Replies are JSON text or the object it stands for; failures are `{"error": {"code", "message"}}`. */
export interface Machine {
  handle(event: string, now: number): string | object;
  view(): string | object;
  explain(session?: number): string | object;
  snapshot(session?: number): string;
  free(): void;
}

/** The core behind a boundary: an addon or WebAssembly. Only text and numbers cross. */
export interface Backend {
  /** Throws a RootwiseError. */
  open(options: string): Machine;
  /** Throws a RootwiseError. */
  restore(snapshot: string, options: string, now: number, idPrefix: string | undefined): Machine;
  call(args: string): string;
  /** Examines the paths of a probe on another thread, where the backend has one; rejects if it cannot. */
  probe?(paths: string): Promise<string>;
}

/** The backend in use, and the reason why it is not the addon where one could be. */
export interface BackendInfo {
  readonly kind: "native" | "wasm";
  readonly reason?: string;
}
