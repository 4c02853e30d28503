// The loop around a resolver: events in, actions performed. Independent of any SDK.
import { RootwiseError } from "../error.js";
import type {
  Action, Announce, Answer, AskBy, Asked, Event, Explanation, HostFacts, Log, LogCode, Policy, RequestFacts, RootsRefused, SelectBy, Selected,
  SelectionCleared, SendRequest,
} from "../generated/types.js";
import { Resolver } from "../node/index.js";
import type { PresetName } from "../resolver.js";
import { guarded } from "./callbacks.js";
import { probe } from "./disk.js";
import { callOver, cancelled, ClientError, closed, failure, messageOf, NeedsInput } from "./errors.js";
import { checkFunction, own, ownOptions } from "./options.js";
import { MOST_TEXT, readCapabilities, readInfo, short } from "./peer.js";
import { requiringPath } from "./policy.js";
import type { Project, ProjectListener } from "./project.js";

/** Sends requests to the client over one channel. */
export interface Sender {
  /**
   * Sends a request and resolves with the raw result, unchecked. Rejects with a `ClientError` if the client answered with
   * an error; any other rejection means that the request could not be delivered.
   */
  send(request: SendRequest, signal: AbortSignal): Promise<unknown>;
  /** Whether the channel can carry another request; by default it can. */
  readonly open?: boolean | undefined;
  /**
   * Whether the channel is cut and may be resumed. A request on it moves to the channel of another caller or of the
   * connection if one is open, and is abandoned when a wait of this connection ends first.
   */
  readonly lost?: boolean | undefined;
  /** Aborts when the channel breaks: its requests are then abandoned, and a later ask sends a new one. */
  readonly broken?: AbortSignal | undefined;
}

/** An ask, a selection or the removal of one; the connection adds the id. */
export type Question =
  | ({ type: "asked" } & Omit<Asked, "ask">)
  | ({ type: "selected" } & Omit<Selected, "ask">)
  | ({ type: "selectionCleared" } & Omit<SelectionCleared, "ask">);

/** The call that a question belongs to. */
export interface Caller {
  /** Carries a request that belongs to this call. */
  readonly sender?: Sender | undefined;
  /** Aborts when the caller stops waiting. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of one ask. */
export interface AskOptions extends Caller {
  /** Whether and how this call can carry a question to the client; by default the facts decide. */
  readonly askBy?: AskBy | undefined;
  /** A path the call touches, to choose between several roots. */
  readonly target?: string | undefined;
  /** Whether the answer carries an explanation. */
  readonly explain?: boolean | undefined;
}

/** Codes of the log lines that the driver itself writes. */
export type DriverLogCode =
  /** A caller stopped waiting for the client's roots. */
  | "wait_expired"
  /** The client cannot be asked for its roots on this transport. */
  | "cannot_ask"
  /** An event was not processed. */
  | "event_failed";

/** A log line of the resolver or of the driver. */
export interface LogLine extends Omit<Log, "code"> {
  code: LogCode | DriverLogCode;
}

/** Options of a {@link Connection}. */
export interface ConnectionOptions<RequirePath extends boolean = true> {
  /** A preset's name or a policy; by default `recommended`. */
  readonly policy?: PresetName | Policy | undefined;
  /** Whether a project must have a folder that this process can use, which is the default; replaces the policy's own field. */
  readonly requirePath?: RequirePath | undefined;
  /** Facts about this process and the connection; `hostFacts()` collects them. */
  readonly host: HostFacts;
  /** Sends requests outside a call; without one they travel only with calls. */
  readonly sender?: Sender | undefined;
  /** Receives every change of the connection's project. */
  readonly onChange?: ProjectListener<RequirePath> | undefined;
  /** Runs after a list of roots arrived from the client. */
  readonly onRoots?: (() => void) | undefined;
  readonly log?: ((line: LogLine) => void) | undefined;
  /** Milliseconds of a clock that does not run backwards. */
  readonly clock?: (() => number) | undefined;
  /** A connection that another process saved with `snapshot()`; the client is asked for its roots again. */
  readonly saved?: string | undefined;
  /** A secret of at least 32 bytes that seals `snapshot()`: `saved` is then accepted only if it is sealed with it. */
  readonly snapshotKey?: string | undefined;
  /** Starts the ids of requests; distinct in every process that restores the same connection. */
  readonly idPrefix?: string | undefined;
}

const OPTIONS: readonly string[] = ["policy", "requirePath", "host", "sender", "onChange", "onRoots", "log", "clock", "saved", "snapshotKey", "idPrefix"] satisfies (keyof ConnectionOptions)[];
const FUNCTIONS = ["onChange", "onRoots", "log", "clock"] as const;

interface PendingAsk extends Caller {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
  readonly release: () => void;
}

interface InFlight {
  readonly abort: AbortController;
  readonly sender: Sender | undefined;
  /** The ask whose call carries the request. */
  readonly owner: number | undefined;
  readonly release: () => void;
}

const LONGEST_TIMER_MS = 0x7fff_ffff;

/** The id of the ask that has nothing but its id; all others are larger. */
const PLAIN = 0;
const PLAIN_ASK = JSON.stringify({ type: "asked", ask: PLAIN } satisfies Event);

/** One client connection: its resolver, and everything that waits for it. */
export class Connection<RequirePath extends boolean = true> {
  readonly #options: ConnectionOptions<RequirePath>;
  readonly #resolver: Resolver;
  readonly #clock: () => number;
  readonly #asks = new Map<number, PendingAsk>();
  readonly #inFlight = new Map<number, InFlight>();
  #lastAsk = 0;
  #timer: NodeJS.Timeout | undefined;
  #timerDeadline: number | null = null;
  #closed = false;
  #inputClosed = false;
  #changes = 0;

  constructor(given: ConnectionOptions<RequirePath>) {
    const options = ownOptions(given, OPTIONS);
    for (const name of FUNCTIONS) if (options[name] !== undefined) checkFunction(options[name], name);
    if (options.sender !== undefined) checkFunction(options.sender?.send, "sender.send");
    this.#options = { ...options, host: own(options.host) };
    this.#clock = options.clock ?? (() => performance.now());
    const { host, snapshotKey, saved } = options;
    const resolver = { policy: requiringPath(options.policy, options.requirePath), host, ...defined({ snapshotKey }) };
    if (saved === undefined) {
      this.#resolver = new Resolver(resolver);
      return;
    }
    this.#resolver = Resolver.restore(saved, resolver, this.#now(), options.idPrefix);
    // A change may have been lost with the process that saved this.
    this.feed({ type: "rootsChanged" });
    const request = requestInFlight(saved);
    if (request !== undefined) this.feed({ type: "rootsRefused", request, kind: "abandoned" });
    this.#changes = 0;
  }

  /** Returns the connection's state as text, for the option `saved` in this or another process. */
  snapshot(): string {
    return this.#resolver.snapshot();
  }

  /** Counts the events that may have changed the connection's state. */
  get changes(): number {
    return this.#changes;
  }

  /** The connection's project as far as it is known. */
  get project(): Readonly<Project<RequirePath>> | undefined {
    return (this.#resolver.project ?? undefined) as Readonly<Project<RequirePath>> | undefined;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** The result of every source for the connection's project. */
  explain(): Explanation {
    return this.#resolver.explain();
  }

  /** The client sent `initialize` with these raw params; with the id of the message if it came again on one pipe. */
  initialized(params: { readonly protocolVersion?: unknown; readonly capabilities?: unknown; readonly clientInfo?: unknown }, id?: unknown): void {
    const { protocolVersion, capabilities, clientInfo } = params;
    const read = defined({ protocolVersion: short(protocolVersion), capabilities: readCapabilities(capabilities), clientInfo: readInfo(clientInfo) });
    if (id === undefined) this.feed({ type: "clientInitialized", ...read });
    else this.requested({ id, method: "initialize", params: read });
  }

  /** A request arrived on a pipe that may have several clients. */
  requested(request: { readonly id: unknown; readonly method: unknown; readonly params?: unknown }): void {
    this.feed({ type: "message", text: JSON.stringify({ jsonrpc: "2.0", ...request }) });
  }

  /** The client sent `notifications/initialized`. */
  ready(): void {
    this.feed({ type: "clientReady" });
  }

  /** The client sent `notifications/roots/list_changed`; `push` says that a request outside a call would reach it now. */
  rootsChanged(push = false): void {
    this.feed({ type: "rootsChanged", ...(push ? { push } : {}) });
  }

  /** The client answered a request again: several clients share this connection. */
  answeredAgain(request: number, result: unknown): void {
    this.feed({ type: "rootsListed", request, result: result ?? null });
  }

  /**
   * Returns the project of a call.
   *
   * @throws NoProjectError no project was found
   * @throws NeedsInput the client must send its roots with a repeated call
   */
  async ask(facts?: RequestFacts, options: AskOptions = {}): Promise<Readonly<Project<RequirePath>>> {
    const { askBy, target, explain } = own(options);
    const question = { type: "asked" as const, ...defined({ facts, askBy, target, explain }) };
    return projectOf(await this.question(question, own(options)));
  }

  /**
   * Selects the connection's project.
   *
   * @throws NoProjectError the selection was refused
   */
  async select(by: string | SelectBy, facts?: RequestFacts, options: Omit<AskOptions, "target"> = {}): Promise<Readonly<Project<RequirePath>>> {
    const { askBy, explain } = own(options);
    const question = { type: "selected" as const, by: typeof by === "string" ? { value: by } : by, ...defined({ facts, askBy, explain }) };
    return projectOf(await this.question(question, own(options)));
  }

  /** Passes a question to the resolver and waits for its answer. Rejects when the caller or the connection ends first. */
  async question(question: Question, caller: Caller = {}): Promise<Answer> {
    this.#check(caller);
    const ask = ++this.#lastAsk;
    this.#changes += 1;
    return this.#pending(ask, caller, () => this.#handle({ ...question, ask }));
  }

  /**
   * As `question`, for an ask without facts of its own. The resolver answers most of these at once, and with the same text
   * as before.
   */
  plain(caller: Caller): Answer | Promise<Answer> {
    // One such ask can wait; others that come meanwhile get ids of their own.
    if (this.#asks.has(PLAIN)) return this.question({ type: "asked" }, caller);
    this.#check(caller);
    const actions = this.#resolver.repeat(PLAIN_ASK, this.#now());
    const [answer] = actions;
    if (actions.length > 1 || answer?.type !== "answer") {
      this.#changes += 1;
      return this.#pending(PLAIN, caller, () => actions);
    }
    this.#arm();
    return answer;
  }

  /** The project of an ask without facts of its own, if the resolver would answer it at once and as before. */
  get known(): Readonly<Project<RequirePath>> | undefined {
    const [answer] = this.#resolver.reusable(this.#now()) ?? [];
    return answer?.type === "answer" && answer.outcome === "resolved" ? (answer.project as Project<RequirePath>) : undefined;
  }

  /** Has the resolver process a question; an answer of the client that is too large counts as one that cannot be read. */
  #handle(question: Question & { ask: number }): readonly Action[] {
    try {
      return this.#resolver.handle(question, this.#now());
    } catch (error) {
      const { inputResponses } = question.facts ?? {};
      if (!inputResponses || !(error instanceof RootwiseError) || error.code !== "event_too_large") throw error;
      const unreadable = Object.fromEntries(Object.keys(inputResponses).map((key) => [key, null]));
      return this.#resolver.handle({ ...question, facts: { ...question.facts, inputResponses: unreadable } }, this.#now());
    }
  }

  #check({ sender, signal }: Caller): void {
    if (this.#closed) throw closed();
    if (signal?.aborted) throw cancelled();
    if (sender?.broken?.aborted) throw callOver();
  }

  #pending(ask: number, { sender, signal }: Caller, handle: () => readonly Action[]): Promise<Answer> {
    const broken = sender?.broken;
    return new Promise((resolve, reject) => {
      const withdraw = () => this.#withdraw(ask);
      const release = () => {
        signal?.removeEventListener("abort", withdraw);
        broken?.removeEventListener("abort", withdraw);
      };
      this.#asks.set(ask, { sender, signal, resolve, reject, release });
      let actions: readonly Action[];
      try {
        actions = handle();
      } catch (error) {
        this.#asks.delete(ask);
        return reject(error);
      }
      this.#perform(actions);
      if (!this.#asks.has(ask)) return;
      signal?.addEventListener("abort", withdraw, { once: true });
      broken?.addEventListener("abort", withdraw, { once: true });
    });
  }

  /** Answers a question from current knowledge, or returns undefined; never waits. */
  peek(question: Question): Answer | undefined {
    if (this.#closed) return undefined;
    const ask = ++this.#lastAsk;
    const actions = this.#resolver.handle({ ...question, ask }, this.#now());
    const answer = actions.find((action) => action.type === "answer" && action.asks.includes(ask)) as Answer | undefined;
    this.#perform(actions);
    if (!answer) this.feed({ type: "askWithdrawn", ask });
    return answer;
  }

  /** Processes one event and performs its actions. Never throws: peer input must not break a server. */
  feed(event: Event): void {
    if (this.#closed) return;
    this.#changes += 1;
    try {
      this.#perform(this.#resolver.handle(event, this.#now()), event.type === "deadlineReached");
      if (event.type === "rootsListed") guarded(() => this.#options.onRoots?.());
    } catch (error) {
      this.#recover(event, error);
    }
  }

  /** The client sends no more messages: pending requests fail, and their callers get the next source. */
  inputClosed(): void {
    this.#inputClosed = true;
    for (const request of [...this.#inFlight.keys()]) this.#drop(request, "the client closed its input", "undeliverable");
  }

  /** Ends the connection and rejects everything that waits for it. */
  close(): void {
    if (this.#closed) return;
    this.feed({ type: "closed" });
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const { abort, release } of this.#inFlight.values()) {
      release();
      abort.abort("the connection is closed");
    }
    this.#inFlight.clear();
    for (const { release, reject } of this.#asks.values()) {
      release();
      reject(closed());
    }
    this.#asks.clear();
    this.#resolver.close();
  }

  #now(): number {
    return Math.floor(this.#clock());
  }

  #perform(actions: readonly Action[], expired = false): void {
    for (const action of actions) {
      switch (action.type) {
        case "answer":
          this.#settle(action, expired);
          break;
        case "announce":
          this.#announce(action);
          break;
        case "cancel":
          this.#drop(action.request, "no answer in time");
          break;
        case "sendRequest":
          void this.#send(action);
          break;
        case "probe":
          void probe(action.paths).then((paths) => this.feed({ type: "probed", probe: action.probe, paths }));
          break;
        case "log": {
          const { type, ...line } = action;
          this.#log(line);
          break;
        }
      }
    }
    this.#arm();
  }

  #settle(answer: Answer, expired: boolean): void {
    for (const ask of answer.asks) {
      const pending = this.#asks.get(ask);
      if (!pending) continue;
      this.#asks.delete(ask);
      if (expired && this.#inFlight.size > 0) {
        this.#log({ level: "warning", code: "wait_expired", ask, message: "The client did not answer roots/list in time; this call uses the next source." });
      }
      pending.release();
      pending.resolve(answer);
    }
  }

  #announce({ to, from }: Announce): void {
    if (to) Object.freeze(to);
    if (from) Object.freeze(from);
    const listener = this.#options.onChange as ProjectListener<boolean> | undefined;
    guarded(() => listener?.(to ?? undefined, from ?? undefined));
  }

  #log(line: LogLine): void {
    guarded(() => this.#options.log?.(line));
  }

  async #send(action: SendRequest & { type: "sendRequest" }): Promise<void> {
    const { request, relatesTo } = action;
    const abort = new AbortController();
    const sender = this.#inputClosed ? undefined : this.#senderFor(relatesTo);
    const abandon = () => this.#abandon(request, sender);
    // Read once: a sender may stand for one stream now and for its successor later.
    const broken = sender?.broken;
    broken?.addEventListener("abort", abandon, { once: true });
    const release = () => broken?.removeEventListener("abort", abandon);
    this.#inFlight.set(request, { abort, sender, owner: relatesTo, release });
    let event: Event;
    try {
      // A later turn, so that a request that nothing can carry fails after the actions of this event are done.
      if (!sender) await Promise.resolve();
      const result = sender ? await sender.send(action, abort.signal) : undefined;
      // The stream of a request outside a call may have closed since it was decided on, which says nothing about the client.
      const kind = relatesTo === undefined && !this.#inputClosed ? "abandoned" : "undeliverable";
      event = sender ? { type: "rootsListed", request, result: result ?? null } : { type: "rootsRefused", request, kind };
    } catch (error) {
      event = { type: "rootsRefused", request, ...refusal(error) };
    }
    release();
    if (this.#inFlight.delete(request)) this.feed(event);
  }

  /** The channel of the call that caused the request, else of another call that waits, else the connection's own. */
  #senderFor(ask: number | undefined): Sender | undefined {
    const own = ask === undefined ? undefined : this.#asks.get(ask)?.sender;
    const candidates = [own, ...[...this.#asks.values()].map(({ sender }) => sender), this.#options.sender];
    const open = candidates.filter((sender) => sender && sender.open !== false && !sender.broken?.aborted);
    return open.find((sender) => !sender?.lost) ?? open[0];
  }

  /** A channel was cut that may be resumed: its requests move to the channel of another caller that waits. */
  moveRequests(): void {
    for (const [request, { sender }] of [...this.#inFlight]) {
      const other = this.#senderFor(undefined);
      if (sender?.lost && other && !other.lost) this.#drop(request, "its stream was cut", "abandoned");
    }
  }

  /** Ends the calls whose channels are still cut when a wait ends: the client has not come back for them. */
  #endLost(): void {
    for (const { sender } of [...this.#inFlight.values()]) {
      if (!sender?.lost) continue;
      for (const [ask, pending] of [...this.#asks]) if (pending.sender?.lost) this.#withdraw(ask);
      return;
    }
  }

  /** Ends a request in flight; with a kind, the resolver is told. */
  #drop(request: number, reason: string, kind?: RootsRefused["kind"]): void {
    const flight = this.#inFlight.get(request);
    if (!flight) return;
    this.#inFlight.delete(request);
    flight.release();
    flight.abort.abort(reason);
    if (kind) this.feed({ type: "rootsRefused", request, kind });
  }

  /** The channel of a request broke: its callers are gone, and the others need a new request. */
  #abandon(request: number, sender: Sender | undefined): void {
    // First, so that no new request is sent for a caller that cannot receive it.
    for (const [ask, pending] of [...this.#asks]) if (pending.sender?.broken?.aborted) this.#withdraw(ask);
    if (!this.#inFlight.has(request)) return;
    this.#drop(request, "its stream broke", "abandoned");
  }

  #withdraw(ask: number): void {
    const pending = this.#asks.get(ask);
    if (!pending) return;
    this.#asks.delete(ask);
    pending.release();
    pending.reject(cancelled());
    this.feed({ type: "askWithdrawn", ask });
    // Over HTTP a request travels on the stream of its call and is lost with it; the other callers need a new one.
    if (this.#options.host.transport !== "http") return;
    for (const [request, { owner, sender }] of this.#inFlight) {
      if (owner === ask && sender === pending.sender) this.#abandon(request, sender);
    }
  }

  /** One timer, which does not keep the process alive. */
  #arm(): void {
    const { deadline } = this.#resolver;
    if (deadline === this.#timerDeadline) return;
    clearTimeout(this.#timer);
    this.#timerDeadline = deadline;
    if (deadline === null) return;
    const wait = Math.min(Math.max(deadline - this.#clock(), 1), LONGEST_TIMER_MS);
    this.#timer = setTimeout(() => {
      this.#timerDeadline = null;
      this.#endLost();
      this.feed({ type: "deadlineReached" });
    }, wait);
    this.#timer.unref?.();
  }

  /** An event that the resolver refused: an unreadable answer of the client counts as one, and the loop continues. */
  #recover(event: Event, error: unknown): void {
    this.#log({ level: "warning", code: "event_failed", message: `${event.type}: ${messageOf(error)}` });
    if (error instanceof RootwiseError && error.code === "dead") return;
    if (event.type === "rootsListed" && typeof event.request === "number") {
      this.feed({ type: "rootsRefused", request: event.request, kind: "unreadable" });
    }
  }
}

/** The request that a resolver's snapshot waits for: this process cannot receive its answer. */
function requestInFlight(snapshot: string): number | undefined {
  const { state } = JSON.parse(snapshot) as { state?: { cycle?: { flight?: { token?: number } } } };
  return state?.cycle?.flight?.token;
}

/** The project of an answer; throws what stands in its place. */
export function projectOf<RequirePath extends boolean>(answer: Answer): Readonly<Project<RequirePath>> {
  if (answer.outcome === "resolved" || answer.outcome === "selected") return Object.freeze(answer.project as Project<RequirePath>);
  if (answer.outcome === "needsInput") throw new NeedsInput(answer.inputRequests);
  if (answer.outcome === "refused" || answer.outcome === "unresolved") throw failure(answer);
  throw closed();
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The members that have a value. */
export function defined<T extends object>(of: T): Defined<T> {
  return Object.fromEntries(Object.entries(of).filter(([, value]) => value !== undefined)) as Defined<T>;
}

function refusal(error: unknown): Omit<RootsRefused, "request"> {
  if (!(error instanceof ClientError)) return { kind: "undeliverable" };
  const { code, message } = error;
  return { kind: "error", message: message.slice(0, MOST_TEXT), ...(Number.isSafeInteger(code) ? { code } : {}) };
}
