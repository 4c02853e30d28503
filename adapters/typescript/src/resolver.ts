/// <reference lib="esnext.disposable" preserve="true" />
import { RootwiseError, parseReply } from "./error.js";
import type { Backend, Machine } from "./backend.js";
import { presets } from "./generated/presets.js";
import type { Action, Event, Explanation, HostFacts, Policy, Project } from "./generated/types.js";
import { bounded, bytesOf, isLonger, textOf } from "./text.js";

/** The name of a policy that comes with the package. */
export type PresetName = keyof typeof presets;

/** Options of a resolver. */
export interface ResolverOptions {
  /** A preset's name or a policy; by default `recommended`. */
  policy?: PresetName | Policy | undefined;
  /**
   * A secret of at least 32 bytes that seals snapshots: `restore` then accepts only those that are sealed with it. Needed where
   * somebody else can write to the store of the snapshots.
   */
  snapshotKey?: string | undefined;
  /** Facts about the machine and the connection. */
  host: HostFacts;
}

/** A saved connection, as `Resolver.restore` passes it on. */
export interface Saved {
  snapshot: string;
  now: number;
  idPrefix?: string | undefined;
}

interface View {
  deadline: number | null;
  project?: Project | null;
}

interface OpenView extends View {
  /** Bytes of the largest text of an event. */
  eventBytes: number;
}

interface Reply extends View {
  actions: Action[];
}

/** Characters of an event's text that need no check: the core accepts more with every policy. */
const SMALL_EVENT = 4096;

/** The resolver of every entry; they differ in the backend. */
export class BaseResolver {
  #machine: Machine | undefined;
  #deadline: number | null = null;
  #project: Readonly<Project> | null = null;
  #eventBytes: number | undefined;

  protected constructor(backend: Backend, options: ResolverOptions, saved?: Saved) {
    const policy = policyOf(options);
    const text = bounded(textOf({ ...options, policy }, "bad_options", "options"), "options");
    this.#machine = saved
      ? backend.restore(bounded(saved.snapshot, "the snapshot"), text, timeOf(saved.now), prefixOf(saved.idPrefix))
      : backend.open(text);
    if (saved) this.#keep(parseReply<View>(this.#machine.view()));
  }

  /**
   * Processes one event and returns its actions in order.
   *
   * @param event what happened
   * @param now whole milliseconds of a clock that does not run backwards
   * @throws RootwiseError the call was invalid; nothing changed
   */
  handle(event: Event, now: number): Action[] {
    const machine = this.#open();
    const text = textOf(event, "bad_event", "the event");
    // The reply to a probe is the host's own, and as large as the resolver asked for.
    if (text.length > SMALL_EVENT && event.type !== "probed") this.#checkSize(machine, text);
    const reply = parseReply<Reply>(machine.handle(text, timeOf(now)));
    this.#keep(reply);
    return reply.actions;
  }

  /** Refuses an event that is too large before its text is copied. */
  #checkSize(machine: Machine, text: string): void {
    this.#eventBytes ??= parseReply<OpenView>(machine.view()).eventBytes;
    if (!isLonger(text, this.#eventBytes)) return;
    const message = `the event has ${bytesOf(text)} bytes of text and the limit is ${this.#eventBytes}; bound peer input before passing it on`;
    throw new RootwiseError("event_too_large", message);
  }

  /** When to pass `{ type: "deadlineReached" }` if nothing else happens first. */
  get deadline(): number | null {
    return this.#deadline;
  }

  /** The connection's project: the same frozen object until it changes. */
  get project(): Readonly<Project> | null {
    return this.#project;
  }

  /** Returns the result of every source for the connection's project; `text` is a small table. */
  explain(): Explanation {
    return parseReply<Explanation>(this.#open().explain());
  }

  /** Returns the connection's state as text, for `Resolver.restore` in this or another process. */
  snapshot(): string {
    const text = this.#open().snapshot();
    parseReply(text);
    return text;
  }

  /** Frees the resolver; afterwards every call throws. It may be called twice. */
  close(): void {
    this.#machine?.free();
    this.#machine = undefined;
    this.#deadline = null;
    this.#project = null;
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
    if (!this.#machine) {
      throw new RootwiseError("used_after_close", "the resolver is closed; create a new one for a new connection");
    }
    return this.#machine;
  }

  #keep(view: View): void {
    this.#deadline = view.deadline;
    if (Object.hasOwn(view, "project")) this.#project = frozen(view.project ?? null);
  }
}

export function policyOf(options: { policy?: PresetName | Policy | undefined }): Policy | undefined {
  const policy = options && Object.hasOwn(options, "policy") ? options.policy : undefined;
  if (typeof policy !== "string") return policy;
  if (policy === "recommended") return undefined;
  if (!Object.hasOwn(presets, policy)) {
    const known = Object.keys(presets).join(", ");
    throw new RootwiseError("bad_options", `bad options at policy: unknown preset; the presets are ${known}`);
  }
  return presets[policy];
}

export function timeOf(now: unknown): number {
  if (typeof now !== "number") throw new RootwiseError("bad_event", "not an event at now: must be a number");
  return now;
}

function prefixOf(prefix: unknown): string | undefined {
  return prefix === undefined || prefix === null ? undefined : bounded(prefix as string, "the id prefix", 1024);
}

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) frozen(part);
    Object.freeze(value);
  }
  return value;
}
