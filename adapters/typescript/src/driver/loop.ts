// The loop around an endpoint: events in, actions performed. It knows time and the disk; its host knows how to send.
import { isDeepStrictEqual } from "node:util";
import type {
  Answer,
  CallResult,
  EndpointAction,
  EndpointEvent,
  EndpointLog,
  Explanation,
  Project,
  RouteRequest,
  SessionChange,
  SessionOpened,
} from "../generated/types.js";
import { Endpoint } from "../node/index.js";
import { writable } from "../text.js";
import { Alarm } from "./alarm.js";
import { guarded, settle } from "./callbacks.js";
import { probe } from "./disk.js";
import { hostWarning, messageOf, refusalOf } from "./errors.js";
import type { AllowUndefined, Described, LoopEvent, LoopHost, Question, SessionState } from "./loop-host.js";
import { surroundings } from "./surroundings.js";

/** An endpoint, and everything that waits for it. */
export class Loop {
  readonly #host: LoopHost;
  readonly #now: () => number;
  readonly #alarm: Alarm;
  readonly #sessions = new Map<number, SessionState>();
  readonly #asks = new Map<number, (answer: Answer) => void>();
  readonly #results = new Map<number, (result: CallResult) => void>();
  readonly #inFlight = new Map<number, AbortController>();
  #endpoint: Endpoint | undefined;
  #lastId = 0;

  constructor(host: LoopHost) {
    this.#host = host;
    this.#now = () => Math.floor(host.clock?.() ?? surroundings().now());
    this.#alarm = new Alarm(this.#now, () => {
      host.followChannels?.();
      this.feed({ type: "deadlineReached" });
    });
  }

  /** Returns an id for a session, a channel, a call or an ask. */
  id(): number {
    return (this.#lastId = (this.#lastId + 1) >>> 0);
  }

  /** Opens a session; throws if the one that was saved cannot be continued. */
  openSession(opened: AllowUndefined<Omit<SessionOpened, "session">>): number {
    const session = this.id();
    this.#handle({ type: "sessionOpened", session, ...opened });
    this.#stateOf(session);
    return session;
  }

  closeSession(session: number): void {
    this.feed({ type: "sessionClosed", session });
    this.#sessions.delete(session);
  }

  /** What is known of a session that is open. */
  session(session: number): Readonly<SessionState> | undefined {
    return this.#sessions.get(session);
  }

  /** The project of an ask of a session that has no request-specific facts and describes its client so, while it is fresh. */
  known(session: number, client?: Described): Readonly<Project> | undefined {
    const known = this.#sessions.get(session)?.known;
    if (known?.answer.outcome !== "resolved" || this.#now() >= known.until) return undefined;
    return isDeepStrictEqual(known.client, client) ? known.answer.project : undefined;
  }

  explain(session: number): Explanation {
    return this.#open().explain(session);
  }

  snapshot(session: number): string {
    return this.#open().snapshot(session);
  }

  /** Puts a question and waits for its answer; `client` is how its call describes its client. */
  ask(question: Question, client?: Described): Promise<Answer> {
    return new Promise((resolve) => this.#put(question, resolve, client));
  }

  /** Puts a question and returns the answer that is known now. */
  peek(question: Question & { type: "asked" }): Answer | undefined {
    let answer: Answer | undefined;
    this.#put({ ...question, peek: true }, (given) => (answer = given));
    return answer;
  }

  /** Reports that the handler of a call returned; resolves with the result of the call. */
  returned(call: number, inputRequired: boolean): Promise<CallResult> {
    return new Promise((resolve) => {
      this.#results.set(call, resolve);
      this.#handle({ type: "callReturned", call, inputRequired });
    });
  }

  /** Reports an event. Never throws: what a peer sends must not break a server. */
  feed(event: LoopEvent): void {
    // Nothing is open that any other event could concern.
    if (!this.#endpoint && event.type !== "callStarted") return;
    try {
      this.#handle(event);
    } catch (error) {
      this.#log(hostWarning({ problem: "eventFailed", event: event.type, error: messageOf(error) }));
      const smaller = writable(event);
      if (smaller !== event) this.feed(smaller);
    }
    if (event.type === "callEnded") settle(this.#results, event.call, { call: event.call });
  }

  /** Frees the endpoint; another one is created if it is needed again. */
  close(): void {
    for (const session of [...this.#sessions.keys()]) this.closeSession(session);
    this.#endpoint?.close();
    this.#endpoint = undefined;
    this.#alarm.set(null, false);
  }

  #open(): Endpoint {
    return (this.#endpoint ??= new Endpoint(this.#host.open()));
  }

  #stateOf(session: number): SessionState {
    let state = this.#sessions.get(session);
    if (!state) this.#sessions.set(session, (state = { project: undefined, known: undefined, changes: 0 }));
    return state;
  }

  #put(question: Question, resolve: (answer: Answer) => void, client?: Described): void {
    const ask = this.id();
    this.#asks.set(ask, resolve);
    try {
      this.#handle({ ...question, ask }, client);
    } catch (error) {
      this.#asks.delete(ask);
      throw error;
    }
  }

  #handle(event: LoopEvent, client?: Described): void {
    const endpoint = this.#open();
    const { actions, sessions = [] } = endpoint.handle(event as EndpointEvent, this.#now());
    for (const change of sessions) this.#follow(change, actions, client);
    for (const action of actions) this.#perform(action, endpoint);
    if (this.#endpoint === endpoint) this.#alarm.set(endpoint.deadline, this.#asks.size + this.#results.size > 0);
  }

  #follow(
    { session, project, known }: SessionChange,
    actions: readonly EndpointAction[],
    client: Described | undefined,
  ): void {
    const state = this.#stateOf(session);
    state.changes += 1;
    if (project !== undefined) state.project = project ? Object.freeze(project) : undefined;
    // Who does not say how a call describes its client cannot compare it.
    const isKept = known && (known.modern ?? false) === (client !== undefined);
    const answer = isKept && actions.find(({ type }) => type === "answer");
    state.known = answer && answer.type === "answer" ? { answer, until: known?.until ?? Infinity, client } : undefined;
  }

  #perform(action: EndpointAction, endpoint: Endpoint): void {
    const { type } = action;
    if (type === "answer") for (const ask of action.asks) settle(this.#asks, ask, action);
    else if (type === "announce") this.#host.announce?.(action);
    else if (type === "announceRoots") this.#host.announceRoots?.(action);
    else if (type === "callResult") settle(this.#results, action.call, action);
    else if (type === "cancel") {
      this.#inFlight.get(action.request)?.abort(action.reason);
      this.#inFlight.delete(action.request);
    } else if (type === "sendRequest") void this.#send(action);
    else if (type === "probe")
      void probe(action.paths).then(
        (paths) => this.#endpoint === endpoint && this.feed({ type: "probed", probe: action.probe, paths }),
      );
    else if (type === "watchRequests") this.#host.watchRequests?.(action.session);
    else if (type === "log") {
      const { type: _, ...line } = action;
      this.#log(line);
    }
  }

  async #send(action: RouteRequest): Promise<void> {
    const { request } = action;
    const abort = new AbortController();
    this.#inFlight.set(request, abort);
    let event: LoopEvent;
    try {
      event = { type: "requestAnswered", request, result: (await this.#host.send(action, abort.signal)) ?? null };
    } catch (error) {
      event = { type: "requestRefused", request, ...refusalOf(error) };
    }
    this.#inFlight.delete(request);
    if (!abort.signal.aborted) this.feed(event);
  }

  #log(line: EndpointLog): void {
    guarded(() => this.#host.log(line));
  }
}
