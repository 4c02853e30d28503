// What is kept of a client, of a call and of a question while they last.
import type { Loop } from "../driver/loop.js";
import type { Exchange } from "./exchange.js";
import type { Roots } from "./roots.js";
import type { CallContext } from "./sdk.js";
import type { StoredSession } from "./store.js";
import type { Link } from "./transport.js";

/** One client of the server. */
export class Session {
  /** Its id in the loop, while it is open there. */
  id: number | undefined;
  client: string | undefined;
  initialized = false;
  ready = false;
  inputClosed = false;
  /** Whether the ids of requests are reported. */
  watched = false;
  closed = false;
  /** The reported calls that run, by the id of their request. */
  readonly calls = new Map<unknown, Call>();
  /** The roots that listeners know. */
  roots: Roots | undefined;
  stored: StoredSession | undefined;

  constructor(readonly link: Link) {}
}

/** A call that was reported. */
export interface Call {
  /** Its id in the loop that answers it. */
  readonly id: number;
  readonly loop: Loop;
  readonly context: CallContext;
  readonly session: Session | undefined;
  /** The id of the session in the loop; undefined if the call is stateless. */
  readonly sessionId: number | undefined;
  readonly exchange: Exchange | undefined;
  readonly cancel: () => void;
  running: boolean;
}

/** Who puts a question, and to which loop. */
export interface Asker {
  readonly loop: Loop;
  readonly by: { readonly call: number } | { readonly session: number };
  readonly call?: Call;
}
