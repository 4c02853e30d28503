import type { Backend, Machine } from "./backend.js";
import { parseReply, RootwiseError } from "./error.js";
import type {
  EndpointAction,
  EndpointEvent,
  Explanation,
  HostFacts,
  Policy,
  SessionChange,
} from "./generated/types.js";
import { policyOf, type PresetName, timeOf } from "./resolver.js";
import { bounded, textOf } from "./text.js";

/** Options of an endpoint. */
export interface EndpointOptions {
  /** A preset's name or a policy; by default `recommended`. */
  policy?: PresetName | Policy | undefined;
  /** Facts about the machine and the process; each session brings its transport. */
  host: HostFacts;
  /** Whether lists of roots are verified and announced. */
  rootsWatched?: boolean | undefined;
}

/** The effect of one event. */
export interface EndpointOutput {
  /** What to do, in order. */
  actions: EndpointAction[];
  /** When to pass `{ type: "deadlineReached" }` if nothing else happens first. */
  deadline: number | null;
  /** The sessions whose state may have changed. */
  sessions?: SessionChange[];
}

/** The endpoint of every entry; they differ in the backend. */
export class BaseEndpoint {
  #machine: Machine | undefined;
  #deadline: number | null = null;

  protected constructor(backend: Backend, options: EndpointOptions) {
    const text = textOf({ ...options, policy: policyOf(options), machine: "endpoint" }, "bad_options", "options");
    this.#machine = backend.open(bounded(text, "options"));
  }

  /**
   * Processes one event.
   *
   * @param event what happened
   * @param now whole milliseconds of a clock that does not run backwards
   * @throws RootwiseError the call was invalid; nothing changed
   */
  handle(event: EndpointEvent, now: number): EndpointOutput {
    const text = bounded(textOf(event, "bad_event", "the event"), "the event");
    const output = parseReply<EndpointOutput>(this.#open().handle(text, timeOf(now)));
    this.#deadline = output.deadline;
    return output;
  }

  /** When to pass `{ type: "deadlineReached" }` if nothing else happens first. */
  get deadline(): number | null {
    return this.#deadline;
  }

  /** Returns the result of every source for the project of a session; `text` is a small table. */
  explain(session: number): Explanation {
    return parseReply<Explanation>(this.#open().explain(session));
  }

  /** Returns the state of a session as text, for `saved` of a session in this or another process. */
  snapshot(session: number): string {
    const text = this.#open().snapshot(session);
    parseReply(text);
    return text;
  }

  /** Frees the endpoint; afterwards every call throws. It may be called twice. */
  close(): void {
    this.#machine?.free();
    this.#machine = undefined;
    this.#deadline = null;
  }

  declare [Symbol.dispose]: () => void;

  static {
    // Runtimes without `using` have no such symbol.
    if (Symbol.dispose) {
      Object.defineProperty(this.prototype, Symbol.dispose, {
        value: this.prototype.close,
        writable: true,
        configurable: true,
      });
    }
  }

  #open(): Machine {
    if (!this.#machine) throw new RootwiseError("used_after_close", "the endpoint is closed; create a new one");
    return this.#machine;
  }
}
