import type { Reason, Refusal } from "./generated/types.js";

/** Codes for wrong use of the API and for failures of the backend. */
export type MisuseCode =
  /** An ask after the connection closed. */
  | "closed"
  /** A path that cannot be checked, because none of the client's roots can be used on this machine. */
  | "no_roots"
  /** An ask with the id of one that still waits. */
  | "duplicate_ask"
  /** A session, a call or a channel with the id of one that is open. */
  | "duplicate_session"
  | "duplicate_call"
  | "duplicate_channel"
  /** A probe reply with an unknown id. */
  | "unknown_probe"
  /** An event larger than the policy's limit. */
  | "event_too_large"
  /** A malformed event, or a time that is not a whole number of milliseconds. */
  | "bad_event"
  /** An invalid policy, host fact or argument. */
  | "bad_options"
  /** A snapshot that is damaged, foreign or of another version. */
  | "bad_snapshot"
  /** Options, a snapshot or arguments above the size limit. */
  | "too_large"
  /** A resolver or an endpoint used after `close`. */
  | "used_after_close"
  /** A resolver or an endpoint that failed; create a new one. */
  | "dead"
  /** The WebAssembly module is not loaded: call `init` first. */
  | "not_ready"
  /** An addon or a module that could not be loaded. */
  | "cannot_load";

/** A stable code: it stays the same while messages may be reworded. */
export type ErrorCode = MisuseCode | Reason | Refusal;

/** Thrown for misuse and for refused URIs and paths. Never for what a peer did: that is ordinary input. */
export class RootwiseError extends Error {
  override readonly name: string = "RootwiseError";
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** Parses a reply of the backend, JSON text from the addon and an object from WebAssembly; throws if it is a failure. */
export function parseReply<T extends object>(reply: string | object): T {
  const parsed = (typeof reply === "string" ? JSON.parse(reply) : reply) as T & {
    error?: { code: ErrorCode; message: string };
  };
  if (Object.hasOwn(parsed, "error") && parsed.error) throw new RootwiseError(parsed.error.code, parsed.error.message);
  return parsed;
}
