// The loop around a resolver: events in, actions performed. Knows nothing of any SDK.
import { RootwiseError } from "../error.js";
import type { Action, Answer, Asked, Event, HostFacts, Log, Project, RootsRefused, Selected, SelectionCleared } from "../generated/types.js";
import { Resolver } from "../node/index.js";
import { cancelled, closed } from "./errors.js";
import { look } from "./probe.js";
import type { Profile } from "./profile.js";

/** Sends a request to the client and gives back its raw result. */
export type Send = (request: { method: string; params?: unknown }, options: { timeout: number; signal: AbortSignal }) => Promise<unknown>;

/** Anything that ends in an answer; the connection numbers it. */
export type Question =
  | ({ type: "asked" } & Omit<Asked, "ask">)
  | ({ type: "selected" } & Omit<Selected, "ask">)
  | ({ type: "selectionCleared" } & Omit<SelectionCleared, "ask">);

/** The call a question comes from. */
export interface Caller {
  /** Sends a request that travels with the call. */
  readonly send?: Send | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ConnectionOptions {
  readonly profile: Profile;
  readonly facts: HostFacts;
  /** Sends a request outside any call. */
  readonly send: Send;
  readonly log: (notice: Log) => void;
  readonly changed: (to: Readonly<Project> | null, from: Readonly<Project> | null) => void;
}

interface Waiting extends Caller {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
  readonly forget: () => void;
}

interface InFlight {
  readonly abort: AbortController;
  /** The ask whose call it travels with. */
  readonly owner: number | undefined;
}

/** The SDK's own timeout must never come first: afterwards a late answer would be lost. */
const SLACK_MS = 2_000;
const LONGEST_TIMER_MS = 0x7fff_ffff;

/** Whole milliseconds that only go forward. */
const now = () => Math.floor(performance.now());

export class Connection {
  readonly #options: ConnectionOptions;
  readonly #resolver: Resolver;
  readonly #waiting = new Map<number, Waiting>();
  readonly #inFlight = new Map<number, InFlight>();
  #asks = 0;
  #timer: NodeJS.Timeout | undefined;
  #armed: number | null = null;
  #closed = false;
  #deaf = false;
  #known: Promise<Readonly<Project>> | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#resolver = new Resolver({ policy: options.profile.policy, host: options.facts });
  }

  /** The project every call without facts of its own has, as long as nothing happens. */
  get known(): Promise<Readonly<Project>> | undefined {
    return this.#known;
  }

  get project(): Readonly<Project> | null {
    return this.#resolver.project;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Passes on what happened. Never throws: what a peer sends must not break a server. */
  tell(event: Event): void {
    if (this.#closed) return;
    try {
      this.#perform(this.#handle(event));
    } catch (error) {
      this.#trouble(event, error);
    }
  }

  /** Ends in an answer, or fails when the caller is gone or the question was wrong. */
  ask(question: Question, caller: Caller = {}): Promise<Answer> {
    if (this.#closed) return Promise.reject(closed());
    const { signal, send } = caller;
    if (signal?.aborted) return Promise.reject(cancelled());
    const ask = ++this.#asks;
    return new Promise((resolve, reject) => {
      const gone = () => this.#withdraw(ask);
      const forget = () => signal?.removeEventListener("abort", gone);
      this.#waiting.set(ask, { send, signal, resolve, reject, forget });
      let actions: Action[];
      try {
        actions = this.#handle({ ...question, ask });
      } catch (error) {
        this.#waiting.delete(ask);
        return reject(error);
      }
      this.#perform(actions);
      if (this.#waiting.has(ask)) signal?.addEventListener("abort", gone, { once: true });
      else this.#remember(question, actions);
    });
  }

  /** Answers from what is known now, or not at all. */
  look(question: Question): Answer | undefined {
    if (this.#closed) return undefined;
    const ask = ++this.#asks;
    const actions = this.#handle({ ...question, ask });
    const answer = actions.find((action) => action.type === "answer" && action.ask === ask) as Answer | undefined;
    this.#perform(actions);
    if (!answer) this.tell({ type: "askWithdrawn", ask });
    return answer;
  }

  /** Nothing more will be heard of the client: whoever waits for it goes on without. */
  deafen(): void {
    this.#deaf = true;
    for (const [request, { abort }] of this.#inFlight) {
      this.#inFlight.delete(request);
      abort.abort("the client closed its end");
      this.tell({ type: "rootsRefused", request, kind: "undeliverable" });
    }
  }

  close(): void {
    if (this.#closed) return;
    this.tell({ type: "closed" });
    this.#closed = true;
    this.#known = undefined;
    clearTimeout(this.#timer);
    for (const { abort } of this.#inFlight.values()) abort.abort("the connection is closed");
    for (const waiting of this.#waiting.values()) this.#fail(waiting, closed());
    this.#waiting.clear();
    this.#resolver.close();
  }

  #handle(event: Event): Action[] {
    this.#known = undefined;
    return this.#resolver.handle(event, now());
  }

  #perform(actions: readonly Action[]): void {
    for (const action of actions) {
      switch (action.type) {
        case "answer":
          this.#settle(action);
          break;
        case "announce":
          this.#options.changed(action.to && Object.freeze(action.to), action.from && Object.freeze(action.from));
          break;
        case "cancel":
          this.#inFlight.get(action.request)?.abort.abort("no answer in time");
          this.#inFlight.delete(action.request);
          break;
        case "sendRequest":
          void this.#send(action);
          break;
        case "probe":
          void look(action.paths).then((paths) => this.tell({ type: "probed", probe: action.probe, paths }));
          break;
        case "log":
          this.#options.log(action);
          break;
      }
    }
    this.#arm();
  }

  #settle(answer: Answer): void {
    const waiting = this.#waiting.get(answer.ask);
    if (!waiting) return;
    this.#waiting.delete(answer.ask);
    waiting.forget();
    waiting.resolve(answer);
  }

  #fail(waiting: Waiting, error: unknown): void {
    waiting.forget();
    waiting.reject(error);
  }

  /**
   * Keeps an answer that stays right until something happens: it came at once, caused nothing, and nothing is under way.
   * Sources below roots are left out, because a failed or empty list may be asked for again by the next ask.
   */
  #remember(question: Question, actions: readonly Action[]): void {
    const [answer] = actions;
    if (actions.length !== 1 || answer?.type !== "answer" || answer.outcome !== "resolved" || answer.hints) return;
    const plain = question.type === "asked" && !question.facts && !question.target && !question.askBy && !question.explain;
    const { steady, belowRoots } = this.#options.profile;
    if (!plain || !steady || this.#resolver.deadline !== null || belowRoots.has(answer.project.source)) return;
    this.#known = Promise.resolve(Object.freeze(answer.project));
  }

  async #send({ request, method, params, relatesTo }: Extract<Action, { type: "sendRequest" }>): Promise<void> {
    const abort = new AbortController();
    this.#inFlight.set(request, { abort, owner: relatesTo });
    const related = relatesTo === undefined ? undefined : this.#waiting.get(relatesTo)?.send;
    const send = related ?? this.#options.send;
    const wire = params === undefined ? { method } : { method, params };
    try {
      if (this.#deaf) throw new Error("the client sends nothing more");
      const result = await send(wire, { timeout: Math.min(this.#options.profile.lifeMs + SLACK_MS, LONGEST_TIMER_MS), signal: abort.signal });
      if (!this.#inFlight.delete(request)) return;
      this.tell({ type: "rootsListed", request, result: result ?? null });
    } catch (error) {
      if (!this.#inFlight.delete(request)) return;
      this.tell({ type: "rootsRefused", request, ...refusal(error) });
    }
  }

  #withdraw(ask: number): void {
    const waiting = this.#waiting.get(ask);
    if (!waiting) return;
    this.#waiting.delete(ask);
    waiting.reject(cancelled());
    this.tell({ type: "askWithdrawn", ask });
    // Over HTTP a request travels on the stream of its call and is lost with it; others that wait need a new one.
    if (this.#options.facts.transport !== "http") return;
    for (const [request, { abort, owner }] of this.#inFlight) {
      if (owner !== ask) continue;
      this.#inFlight.delete(request);
      abort.abort("the call it belongs to was cancelled");
      this.tell({ type: "rootsRefused", request, kind: "abandoned" });
    }
  }

  /** One timer, which keeps no process alive. */
  #arm(): void {
    const { deadline } = this.#resolver;
    if (deadline === this.#armed) return;
    clearTimeout(this.#timer);
    this.#armed = deadline;
    if (deadline === null) return;
    const wait = Math.min(Math.max(deadline - performance.now(), 1), LONGEST_TIMER_MS);
    this.#timer = setTimeout(() => {
      this.#armed = null;
      this.tell({ type: "deadlineReached" });
    }, wait);
    this.#timer.unref();
  }

  /** A peer's message that is too large is as good as none; anything else is the end of this resolver. */
  #trouble(event: Event, error: unknown): void {
    const message = `${event.type}: ${error instanceof Error ? error.message : String(error)}`;
    this.#options.log({ level: "warning", code: "value_rejected", message });
    if (!(error instanceof RootwiseError) || error.code !== "event_too_large") return;
    if (event.type === "rootsListed" && typeof event.request === "number") {
      this.tell({ type: "rootsRefused", request: event.request, kind: "unreadable" });
    } else if (event.type === "clientInitialized") {
      this.tell({ type: "clientInitialized" });
    }
  }
}

function refusal(error: unknown): Omit<RootsRefused, "request"> {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  // SDK 1.x puts this in front of what the client said.
  const text = String(message).replace(/^MCP error -?\d+: /, "");
  if (typeof code !== "number" || text === "Connection closed") return { kind: "undeliverable" };
  return { kind: "error", message: text, ...(Number.isSafeInteger(code) ? { code } : {}) };
}
