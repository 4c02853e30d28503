import { type ErrorCode, RootwiseError } from "../error.js";
import type { HostProblem } from "../functions.js";
import type { Answer, EndpointLog, Explanation, Reason, RefusalKind, SourceKind } from "../generated/types.js";
import { hostProblem } from "../node/index.js";

/** The parts of a {@link NoProjectError}. */
export interface NoProjectReason {
  code: Reason;
  message: string;
  instruction?: string | undefined;
  source?: SourceKind | undefined;
  status?: number | undefined;
  explanation?: Explanation | undefined;
}

/**
 * No project was found for this call. The message states the cause and the next step: a tool that lets the error pass
 * shows both to the model.
 */
export class NoProjectError extends RootwiseError {
  override readonly name = "NoProjectError";
  declare readonly code: Reason;
  /** The next step for the caller; also part of the message. */
  readonly instruction: string | undefined;
  /** The source whose value was refused. */
  readonly source: SourceKind | undefined;
  /** The HTTP status that the policy sets for a refused value. */
  readonly status: number | undefined;
  /** The result of every source. */
  readonly explanation: Explanation | undefined;

  constructor({ code, message, instruction, source, status, explanation }: NoProjectReason) {
    super(code, instruction ? `${message}\n${instruction}` : message);
    this.instruction = instruction;
    this.source = source;
    this.status = status;
    this.explanation = explanation;
  }
}

/** A sender rejects with it when the client answered with a JSON-RPC error. */
export class ClientError extends Error {
  override readonly name = "ClientError";

  constructor(
    /** The JSON-RPC error code. */
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** A sender rejects with it when the request cannot reach the client. */
export class Undeliverable extends Error {
  override readonly name = "Undeliverable";
}

/** The call must return these input requests; the client then repeats it with the answers. */
export class NeedsInput extends Error {
  override readonly name = "NeedsInput";

  constructor(
    /** Ready-made input requests by key. */
    readonly requests: Readonly<Record<string, unknown>>,
  ) {
    super(hostProblem({ problem: "needsInput" }).message);
  }
}

/** A part of a text of others that can be written as JSON and is as long as any that is shown. */
const shown = (text: string): string => text.slice(0, 4096).replace(/\p{Surrogate}/gu, "\ufffd");

const told = (problem: HostProblem) =>
  hostProblem("error" in problem ? { ...problem, error: shown(problem.error) } : problem);

/** The error for what went wrong in a host. */
export const hostError = (problem: HostProblem): NoProjectError => new NoProjectError(told(problem) as NoProjectReason);

/** The log line for what went wrong in a host. */
export const hostWarning = (problem: HostProblem): EndpointLog => ({
  level: "warning",
  code: "event_failed",
  message: told(problem).message,
});

/** Describes any thrown value in one line. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** An error in the options, with the option's name. */
export const badOption = (option: string, message: string, code: ErrorCode = "bad_options") =>
  new RootwiseError(code, `bad options at ${option}: ${message}`);

/** What became of a request whose sender rejected. */
export function refusalOf(error: unknown): { kind: RefusalKind; code?: number | undefined; message?: string } {
  if (!(error instanceof ClientError)) return { kind: "undeliverable" };
  return { kind: "error", code: Number.isSafeInteger(error.code) ? error.code : undefined, message: error.message };
}

/** The error that stands for an answer. */
export function failure(answer: Answer): Error {
  if (answer.outcome === "needsInput") return new NeedsInput(answer.inputRequests);
  if (answer.outcome === "refused" || answer.outcome === "unresolved") return new NoProjectError(answer);
  return new Error(`unexpected answer: ${answer.outcome}`);
}
