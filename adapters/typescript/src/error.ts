import type { Reason, Refusal } from "./generated/types.js";

/** What a caller did wrong, or what became of the face. */
export type MisuseCode =
  /** An ask after the connection closed. */
  | "closed"
  /** An ask with the id of one that still waits. */
  | "duplicate_ask"
  /** A probe reply with an id that was never given out. */
  | "unknown_probe"
  /** An event larger than the policy's limit. */
  | "event_too_large"
  /** Something that is no event, or a time that is no whole number of milliseconds. */
  | "bad_event"
  /** A policy, host facts or arguments that cannot work. */
  | "bad_options"
  /** A snapshot that is damaged, foreign or of another version. */
  | "bad_snapshot"
  /** Options, a snapshot or arguments larger than any sensible ones. */
  | "too_large"
  /** A resolver used after `close`. */
  | "used_after_close"
  /** A resolver that broke down; make a new one. */
  | "dead"
  /** WebAssembly that was not given yet: call `init` first. */
  | "not_ready"
  /** An addon or a module that cannot be loaded. */
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

/** Reads a reply of the core, JSON text from the addon and an object from WebAssembly; throws if it is a failure. */
export function understood<T extends object>(reply: string | object): T {
  const parsed = (typeof reply === "string" ? JSON.parse(reply) : reply) as T & { error?: { code: ErrorCode; message: string } };
  if (Object.hasOwn(parsed, "error") && parsed.error) throw new RootwiseError(parsed.error.code, parsed.error.message);
  return parsed;
}
