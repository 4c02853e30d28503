import { RootwiseError } from "../error.js";
import type { Answer, Explanation, Reason, SourceKind } from "../generated/types.js";

/**
 * There is no project for this call. Its message says why and what to do about it, so a tool that lets it pass gives the
 * model something to act on.
 */
export class NoProjectError extends RootwiseError {
  override readonly name = "NoProjectError";
  declare readonly code: Reason;
  /** What to do next; also part of the message. */
  readonly instruction: string | undefined;
  /** The source whose value was refused. */
  readonly source: SourceKind | undefined;
  /** The HTTP status the policy wants for a refused value. */
  readonly status: number | undefined;
  /** What every source said. */
  readonly explanation: Explanation | undefined;

  constructor(why: { code: Reason; message: string; instruction?: string; source?: SourceKind; status?: number; explanation?: Explanation }) {
    super(why.code, why.instruction ? `${why.message}\n${why.instruction}` : why.message);
    this.instruction = why.instruction;
    this.source = why.source;
    this.status = why.status;
    this.explanation = why.explanation;
  }
}

/** Ends the first round of a call that is made again with the client's roots; the guard turns it into `input_required`. */
export class InputNeeded extends Error {
  override readonly name = "InputNeeded";

  constructor() {
    super("the client is asked for its roots and makes this call again; let this pass");
  }
}

export const closed = () => new NoProjectError({ code: "closed", message: "The connection is closed." });

export const cancelled = () => new NoProjectError({ code: "closed", message: "The call was cancelled." });

/** The error of an answer that names no project. */
export function failure(answer: Extract<Answer, { outcome: "refused" | "unresolved" }>): NoProjectError {
  return new NoProjectError(answer);
}
