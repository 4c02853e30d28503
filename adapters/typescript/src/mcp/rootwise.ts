import { randomUUID } from "node:crypto";
import { guarded } from "../driver/callbacks.js";
import { clientName, projectOf } from "../driver/connection.js";
import { badOption, failure, NeedsInput, NoProjectError, Undeliverable } from "../driver/errors.js";
import { callersDirs, mergedFacts } from "../driver/host.js";
import { Loop } from "../driver/loop.js";
import type { LoopEvent, Question } from "../driver/loop-host.js";
import { checkFunction, own, ownOptions } from "../driver/options.js";
import type { Project, ProjectListener } from "../driver/project.js";
import { fixedAnswers } from "../driver/surroundings.js";
import { RootwiseError } from "../error.js";
import type {
  AnnounceProject,
  AnnounceRoots,
  Answer,
  EndpointLog,
  Explanation,
  HostFacts,
  PolicyInputs,
  RouteRequest,
  SelectBy,
} from "../generated/types.js";
import { detect } from "./detect.js";
import { type Exchange, exchangeOf } from "./exchange.js";
import { currentContext, guard, hasReturned, isGuarded, namedIn } from "./guard.js";
import { OPTIONS, type ProjectHints, readOptions, type RootwiseOptions, selection } from "./options.js";
import { type RootsListener, type Roots, resolveInside, rootsOf, usableRoots } from "./roots.js";
import {
  type AnyServer,
  type CallContext,
  clientErrors,
  isContext,
  type Protocol,
  type RequestParts,
  type Sdk,
  type UntypedContext,
} from "./sdk.js";
import { sealFor, StoredSession } from "./store.js";
import { registerTools, type ToolNames } from "./tools.js";
import { type Link, type Message, observe, type Observer, REQUEST } from "./transport.js";

/** One client of the server. */
class Session {
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
interface Call {
  readonly id: number;
  readonly context: CallContext;
  readonly session: Session | undefined;
  /** The id of the session in the loop; undefined if the call stands alone. */
  readonly sessionId: number | undefined;
  readonly exchange: Exchange | undefined;
  readonly cancel: () => void;
}

const MAX_TIMER_MS = 0x7fff_ffff;

/** How often a call is repeated because another replica changed its session at the same time. */
const MAX_ATTEMPTS = 5;

/** No session has this id, so that its asks are answered as those of a connection that is closed. */
const NOBODY = 0;

/** Codex sends the folder of its sandbox in `_meta` to servers that declare this capability. */
const CODEX_META = "codex/sandbox-state-meta";

let toldStateless = false;

/** Tells the handlers of a server which project their call belongs to. */
export class Rootwise<RequirePath extends boolean = true, Context extends CallContext = CallContext> {
  readonly #server: AnyServer;
  readonly #sdk: Sdk;
  readonly #protocol: Protocol;
  readonly #inputs: PolicyInputs;
  readonly #options: RootwiseOptions<RequirePath>;
  readonly #loop: Loop;
  /** Whether there may be handlers without a guard. */
  readonly #hasUnguarded: boolean;
  readonly #listeners = new Set<ProjectListener<RequirePath>>();
  readonly #rootsListeners = new Set<RootsListener>();
  readonly #sessions = new Set<Session>();
  readonly #byId = new Map<number, Session>();
  /** The reported calls, by a part of the context that its copies share, and those that run by their id. */
  readonly #calls = new WeakMap<AbortSignal, Call>();
  readonly #running = new Map<number, Call>();
  /** The calls that have seen what other replicas did to their session. */
  readonly #restored = new WeakSet<AbortSignal>();
  /** The folders of callers, where a function tells them. */
  readonly #dirs = new WeakMap<AbortSignal, readonly string[]>();
  #selectTool: string | undefined;

  constructor(server: AnyServer, given: RootwiseOptions<RequirePath> = {}) {
    const { sdk, protocol, high } = detect(server);
    const options = ownOptions(given, OPTIONS);
    const { policy, inputs } = readOptions(options);
    this.#inputs = inputs;
    this.#server = server;
    this.#sdk = sdk;
    this.#protocol = protocol;
    this.#options = options;
    this.#loop = new Loop({
      open: () => ({ policy, host: this.#facts(), rootsWatched: this.#rootsListeners.size > 0 }),
      send: (request, signal) => this.#send(request, signal),
      announce: (change) => this.#announce(change),
      announceRoots: (change) => this.#announceRoots(change),
      watchRequests: (id) => {
        const session = this.#byId.get(id);
        if (session) session.watched = true;
      },
      followChannels: () => {
        for (const session of this.#sessions) this.#followChannels(session);
      },
      log: (line) => this.#log(line),
    });
    this.#hasUnguarded = guard(server, high, {
      sdk,
      protocol,
      asyncContext: options.asyncContext ?? false,
      before: options.beforeCall,
      argument: options.argument,
      returned: (context, inputRequired) => this.#returned(context, inputRequired),
    });
    if (options.codexMeta ?? inputs.meta.some(([first]) => first === CODEX_META)) declareCodexMeta(protocol);
    observe(protocol, (link) => this.#attach(link));
  }

  #attach(link: Link): Observer {
    const session = new Session(link);
    this.#sessions.add(session);
    const feed = (event: (session: number) => LoopEvent) => {
      if (session.id !== undefined) this.#loop.feed(event(session.id));
    };
    return {
      message: (message, http, previousId) => this.#message(session, message, http, previousId),
      requested: ({ id, method }) => {
        if (session.watched && method !== "initialize")
          feed((session) => ({ type: "requestSeen", session, id, method }));
      },
      answered: (id) => this.#end(session.calls.get(id)),
      answeredAgain: (request, result) => this.#loop.feed({ type: "rootsListed", request, result: result ?? null }),
      exchangeEnded: (exchange) => this.#followChannel(session, exchange),
      inputClosed: () => {
        session.inputClosed = true;
        feed((session) => ({ type: "inputClosed", session }));
      },
      closed: () => {
        session.closed = true;
        if (session.id !== undefined) this.#closeSession(session, session.id);
        for (const call of [...session.calls.values()]) this.#end(call);
        this.#sessions.delete(session);
        // A server may be created for each request: nothing of it stays.
        if (this.#sessions.size === 0) this.#loop.close();
      },
    };
  }

  /**
   * Returns the project of this call. Call it first in a handler: a client of 2026-07-28 that has to be asked repeats the
   * call, and earlier statements run twice.
   *
   * @param context the handler's context; with the option `asyncContext`, by default the one of the handler that is running
   * @throws NoProjectError no project was found; let it pass, and the model reads the cause and the next step
   */
  async project(context?: CallContext | UntypedContext, hints?: ProjectHints): Promise<Readonly<Project<RequirePath>>> {
    const known = hints || fixedAnswers() ? undefined : this.#known(contextOf(context));
    return known ?? projectOf<RequirePath>(await this.#ask(context, { type: "asked", ...hintsOf(hints) }));
  }

  /** The project of a call that has no request-specific facts, if its connection knows it: the common case. */
  #known(context: CallContext): Readonly<Project<RequirePath>> | undefined {
    const session = this.#options.store || this.#isAlone(context) ? undefined : this.#sessionOf(context);
    const known = session?.id === undefined || this.#dirsOf() ? undefined : this.#loop.known(session.id);
    if (!session || !known || this.#isOver(context, session) || namedIn(this.#sdk.signal(context)) !== undefined)
      return undefined;
    return this.#partsOf(context, session) ? undefined : (known as Project<RequirePath>);
  }

  /** Wraps a handler: the project becomes its first argument. */
  tool<A extends unknown[] = [context: Context], R = unknown>(
    handler: (project: Readonly<Project<RequirePath>>, ...args: A) => R | Promise<R>,
    hints?: (...args: A) => ProjectHints,
  ): (...args: A | (A extends [CallContext] ? [context: unknown, ...rest: unknown[]] : never)) => Promise<R> {
    checkFunction(handler, "handler");
    return async (...given) => {
      const args = given as A;
      return handler(await this.project(args.at(-1) as CallContext, hints?.(...args)), ...args);
    };
  }

  /**
   * Returns the project of this call as far as it is known; sends nothing and never waits. With a `store`, a call knows
   * nothing about its session before it has waited for one of the other methods.
   */
  current(context?: CallContext | UntypedContext, hints?: ProjectHints): Readonly<Project<RequirePath>> | undefined {
    const question = { type: "asked", ...hintsOf(hints) } as const;
    const fixed = fixedAnswers();
    const answer = fixed ? fixed.peek(question) : this.#peek(contextOf(context), question);
    return answer?.outcome === "resolved" ? projectOf<RequirePath>(answer) : undefined;
  }

  #peek(context: CallContext, question: Question & { type: "asked" }): Answer | undefined {
    if (this.#dirsOf() && !this.#dirs.has(this.#sdk.signal(context))) return undefined;
    if (this.#shared(context) && !this.#restored.has(this.#sdk.signal(context))) return undefined;
    return this.#loop.peek({ ...question, ...this.#start(context) });
  }

  /** Returns the client's roots, each verified on disk where this machine may and can do so. */
  async roots(context?: CallContext | UntypedContext): Promise<Roots> {
    const answer = await this.#ask(context, { type: "asked", want: "roots" });
    if (answer.outcome !== "listed") throw failure(answer);
    return rootsOf(answer);
  }

  /** Whether a path is inside one of the client's roots, by real path. */
  async inside(context: CallContext | UntypedContext | undefined, path: string): Promise<boolean> {
    try {
      await this.resolve(context, path);
      return true;
    } catch (error) {
      if (error instanceof NeedsInput || !(error instanceof RootwiseError) || error.code === "bad_options") throw error;
      return false;
    }
  }

  /**
   * Returns the real path of a file or folder inside the client's roots. A relative path starts from the call's project.
   *
   * @throws RootwiseError the path is outside every root, or no root can be used on this machine; the message says which
   */
  async resolve(context: CallContext | UntypedContext | undefined, path: string): Promise<string> {
    const roots = usableRoots(await this.roots(context));
    const folders = roots.map(({ realPath }) => realPath);
    const project = this.#dirsOf() ? await this.project(context).catch(unlessRepeated) : this.current(context);
    return resolveInside(folders, path, project?.path ?? roots[0]?.path);
  }

  /**
   * Selects the project of this connection.
   *
   * @param by a path, a `file:` URI or the name of a root; or exactly which of these it is
   * @throws NoProjectError the selection was refused, or the client must name its project in every call
   */
  async select(
    context: CallContext | UntypedContext | undefined,
    by: string | SelectBy,
  ): Promise<{ project: Readonly<Project<RequirePath>>; message: string }> {
    const answer = await this.#ask(context, { type: "selected", by: selection(by) });
    if (answer.outcome !== "selected") throw failure(answer);
    return { project: projectOf<RequirePath>(answer), message: answer.message };
  }

  /**
   * Removes the selection; returns the project that counts instead.
   *
   * @throws NoProjectError the project of this connection cannot be changed
   */
  async unselect(context?: CallContext | UntypedContext): Promise<Readonly<Project<RequirePath>> | undefined> {
    const answer = await this.#ask(context, { type: "selectionCleared" });
    if (answer.outcome === "refused") throw failure(answer);
    return answer.outcome === "resolved" ? projectOf<RequirePath>(answer) : undefined;
  }

  /** Returns the result of every source for this call; `text` is a small table. */
  async explain(context?: CallContext | UntypedContext, hints?: ProjectHints): Promise<Explanation> {
    const answer = await this.#ask(context, { type: "asked", explain: true, ...hintsOf(hints) });
    if (answer.explanation) return answer.explanation;
    throw failure(answer);
  }

  /** Registers a listener for changes of the connection's project; returns a function that removes it. */
  onChange(listener: ProjectListener<RequirePath>): () => void {
    checkFunction(listener, "listener");
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Registers a listener for changes of the client's roots; returns a function that removes it. */
  onRootsChange(listener: RootsListener): () => void {
    checkFunction(listener, "listener");
    this.#rootsListeners.add(listener);
    this.#loop.feed({ type: "rootsWatched", watched: true });
    return () => {
      this.#rootsListeners.delete(listener);
      this.#loop.feed({ type: "rootsWatched", watched: this.#rootsListeners.size > 0 });
    };
  }

  /** Registers ready-made tools; `false` leaves one out. */
  registerTools(names?: ToolNames): void {
    this.#selectTool = registerTools(this, this.#server, this.#sdk.generation, names);
  }

  async #ask(given: CallContext | UntypedContext | undefined, question: Question): Promise<Answer> {
    const fixed = fixedAnswers();
    if (fixed) return fixed.ask(question);
    const context = contextOf(given);
    if (!isGuarded(context, this.#hasUnguarded)) throw new RootwiseError("bad_options", UNGUARDED);
    await this.#confine(context);
    const session = this.#shared(context);
    if (!session) return this.#loop.ask({ ...question, ...this.#start(context) });
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      await this.#restore(session);
      if (session.closed) return this.#loop.ask({ ...question, session: NOBODY });
      this.#restored.add(this.#sdk.signal(context));
      const id = this.#open(session, true);
      // `notifications/initialized` may have reached another replica; a client that makes calls has sent it.
      if (!session.ready) this.#loop.feed({ type: "clientReady", session: id });
      session.ready = true;
      const answer = await this.#loop.ask({ ...question, ...this.#start(context) });
      // If another replica changed the session meanwhile, its state counts, and this question is asked again.
      if (await this.#persist(session, id)) return answer;
    }
    throw new NoProjectError({
      code: "unconfirmed",
      message: "Other replicas changed this session at the same time; try again.",
    });
  }

  /** Asks the server for the folders of a caller, once for each call. */
  async #confine(context: CallContext): Promise<void> {
    const { allowedDirs } = this.#options;
    const signal = this.#sdk.signal(context);
    if (typeof allowedDirs === "function" && !this.#dirs.has(signal))
      this.#dirs.set(signal, await callersDirs(allowedDirs, context));
  }

  /** The folders of a caller; none before the server has told them. */
  #dirsOf(context?: CallContext): readonly string[] | undefined {
    if (typeof this.#options.allowedDirs !== "function") return undefined;
    return (context && this.#dirs.get(this.#sdk.signal(context))) ?? [];
  }

  /** The session of a call whose state is shared with other replicas. */
  #shared(context: CallContext): Session | undefined {
    if (!this.#options.store || !this.#isHttp(context) || this.#isAlone(context)) return undefined;
    const session = this.#sessionOf(context);
    // A call with capabilities of its own reads nothing of its session.
    return session && this.#partsOf(context, session)?.capabilities === undefined ? session : undefined;
  }

  #storedSession(session: Session): StoredSession | undefined {
    const { store } = this.#options;
    const { sessionId } = session.link.transport;
    if (store && sessionId !== undefined)
      session.stored ??= new StoredSession(store, sessionId, (line) => this.#log(line));
    return session.stored;
  }

  /** Continues the session from the store if another replica changed it; calls that wait here start again. */
  async #restore(session: Session): Promise<void> {
    await this.#storedSession(session)?.load((saved) => {
      if (session.closed) return 0;
      const { id: old } = session;
      const id = this.#open(session, true, saved);
      if (old !== undefined) {
        // The connection goes on, so that nobody is told about its end.
        this.#byId.delete(old);
        this.#closeSession(session, old);
      }
      Object.assign(session, { initialized: true, ready: false });
      return this.#loop.session(id)?.changes ?? 0;
    });
  }

  /** Saves the session; returns false if another replica changed it. */
  async #persist(session: Session, id: number): Promise<boolean> {
    if (session.closed) return true;
    const changes = () => (session.id === id ? this.#loop.session(id)?.changes : undefined);
    return (await this.#storedSession(session)?.save(changes, () => this.#loop.snapshot(id))) ?? true;
  }

  /** Reports a call when it asks first; returns who asks. */
  #start(context: CallContext): { call: number } | { session: number } {
    const session = this.#sessionOf(context);
    const isAlone = this.#isAlone(context);
    if (!session && !isAlone) return { session: NOBODY };
    const sessionId = isAlone || !session ? undefined : this.#open(session, this.#isHttp(context));
    const parts = this.#partsOf(context, session);
    const signal = this.#sdk.signal(context);
    const argument = namedIn(signal);
    const isOver = this.#isOver(context, session);
    // A pipe reaches the client at any time, so that work which outlives its call may go on asking.
    if (
      isOver &&
      sessionId !== undefined &&
      !session?.link.streams &&
      !parts &&
      !this.#dirsOf() &&
      argument === undefined &&
      !signal.aborted
    )
      return { session: sessionId };
    let call = this.#calls.get(signal);
    if (call?.sessionId !== sessionId) call = undefined;
    if (!call) {
      const exchange = exchangeOf(this.#sdk.httpRequest(context));
      const made: Call = {
        id: this.#loop.id(),
        context,
        session,
        sessionId,
        exchange,
        cancel: () => this.#end(made, true),
      };
      this.#calls.set(signal, (call = made));
      // The ask of a call that was never started is answered as one of a call that is over.
      if (!isOver) this.#report(made, { argument, ...parts });
    }
    if (session) this.#followChannels(session);
    return { call: call.id };
  }

  #report(call: Call, parts: RequestParts & { argument?: unknown }): void {
    const { id, context, session, sessionId, exchange } = call;
    const channel = exchange ? this.#channelOf(exchange) : this.#loop.id();
    const method = this.#sdk.method(context);
    const protocolVersion = this.#protocol.getNegotiatedProtocolVersion?.();
    const allowedDirs = this.#dirsOf(context) as string[] | undefined;
    this.#loop.feed({
      type: "callStarted",
      call: id,
      session: sessionId,
      channel,
      method,
      protocolVersion,
      allowedDirs,
      ...parts,
    });
    const key = this.#sdk.id(context);
    this.#end(session?.calls.get(key));
    session?.calls.set(key, call);
    this.#running.set(id, call);
    this.#sdk.signal(context).addEventListener("abort", call.cancel, { once: true });
  }

  #end(call: Call | undefined, cancelled = false): void {
    if (!call || !this.#running.delete(call.id)) return;
    const { session, context, id, cancel } = call;
    this.#sdk.signal(context).removeEventListener("abort", cancel);
    session?.calls.delete(this.#sdk.id(context));
    this.#loop.feed({ type: "callEnded", call: id, cancelled });
  }

  /** The handler of a call of 2026-07-28 returned. */
  #returned(context: CallContext, inputRequired: boolean): ReturnType<Loop["returned"]> | undefined {
    if (!inputRequired && !this.#calls.has(this.#sdk.signal(context))) return undefined;
    const by = this.#start(context);
    return "call" in by && this.#running.has(by.call) ? this.#loop.returned(by.call, inputRequired) : undefined;
  }

  #isHttp(context: CallContext): boolean {
    return this.#sdk.httpRequest(context) !== undefined;
  }

  /** Over HTTP without a session, the next request may come from any client. */
  #isAlone(context: CallContext): boolean {
    return this.#isHttp(context) && (context as { sessionId?: string }).sessionId === undefined;
  }

  /** Whether a call was answered or cancelled, or its stream is gone for good. */
  #isOver(context: CallContext, session: Session | undefined): boolean {
    if (this.#sdk.signal(context).aborted || hasReturned(context)) return true;
    const exchange = exchangeOf(this.#sdk.httpRequest(context));
    return exchange ? exchange.ended : session !== undefined && !session.link.isRunning(this.#sdk.id(context));
  }

  #partsOf(context: CallContext, session: Session | undefined): RequestParts | undefined {
    return this.#sdk.parts(context, this.#inputs, session?.link.address);
  }

  /** The channel of a call's response; undefined if it cannot carry requests. */
  #channelOf(exchange: Exchange): number | undefined {
    if (exchange.state === "waiting") return undefined;
    exchange.reported = "open";
    return (exchange.channel ??= this.#loop.id());
  }

  /** Reports what nobody announces: a GET stream that opened, and the stream of a call that was resumed, or cut again. */
  #followChannels(session: Session): void {
    for (const exchange of session.link.streams ?? []) this.#followChannel(session, exchange);
    for (const { exchange } of session.calls.values()) if (exchange) this.#followChannel(session, exchange);
  }

  #followChannel({ id: session, link }: Session, exchange: Exchange): void {
    const { state, reported } = exchange;
    if (session === undefined || state === reported) return;
    exchange.reported = state;
    if (state === "open" && link.streams?.has(exchange)) exchange.channel ??= this.#loop.id();
    const { channel } = exchange;
    if (channel === undefined) return;
    if (state === "open") this.#loop.feed({ type: "channelOpened", session, channel });
    else this.#loop.feed({ type: "channelClosed", channel, end: state === "cut" ? "cut" : "broken" });
  }

  #message(session: Session, { id, method, params }: Message, http: boolean, previousId: unknown): void {
    // Without a session, nothing ties later requests to this client.
    if (session.closed || (http && session.link.transport.sessionId === undefined)) return;
    if (method === "initialize") {
      const { protocolVersion, capabilities, clientInfo } = (params ?? {}) as Record<string, unknown>;
      session.initialized = true;
      this.#initialized(session, this.#open(session, http), {
        protocolVersion,
        capabilities,
        clientInfo,
        id,
        previousId,
      });
    } else if (method === "notifications/initialized") {
      session.ready = true;
      if (session.id !== undefined) this.#loop.feed({ type: "clientReady", session: session.id });
    } else if (method === "notifications/roots/list_changed") {
      void this.#changed(session);
    }
  }

  #initialized(session: Session, id: number, params: Record<string, unknown>): void {
    session.client = clientName(params.clientInfo);
    this.#loop.feed({ type: "clientInitialized", session: id, ...params });
  }

  /** The handshake ended before this class observed the transport. */
  #catchUp(session: Session, id: number): void {
    const capabilities = this.#protocol.getClientCapabilities();
    if (capabilities === undefined) return;
    session.initialized = true;
    this.#initialized(session, id, { capabilities, clientInfo: this.#protocol.getClientVersion() });
    this.#loop.feed({ type: "clientReady", session: id });
  }

  /** A change that reaches one replica must be known to all. */
  async #changed(session: Session): Promise<void> {
    const changed = () => {
      this.#followChannels(session);
      if (session.id !== undefined) this.#loop.feed({ type: "rootsChanged", session: session.id });
    };
    changed();
    try {
      for (
        let attempt = 0;
        attempt < MAX_ATTEMPTS && session.id !== undefined && !(await this.#persist(session, session.id));
        attempt += 1
      ) {
        await this.#restore(session);
        changed();
      }
    } catch {
      // Logged; the next call fails if the store still cannot be reached.
    }
  }

  #sessionOf(context: CallContext): Session | undefined {
    const { sessionId } = context as { sessionId?: string };
    let found: Session | undefined;
    // The newest, if a server was given another transport without closing the last one.
    for (const session of this.#sessions) if (session.link.transport.sessionId === sessionId) found = session;
    return found;
  }

  #facts(): HostFacts {
    const { host, local, allowedDirs, argument: toolArgument } = this.#options;
    return mergedFacts("stdio", this.#options.policy, {
      host: { toolArgument, selectTool: this.#selectTool, ...host },
      local,
      allowedDirs: typeof allowedDirs === "function" ? undefined : allowedDirs,
    });
  }

  #open(session: Session, http: boolean, saved?: string): number {
    if (session.id !== undefined && saved === undefined) return session.id;
    const { link, inputClosed } = session;
    const { store, local, host } = this.#options;
    const { sessionId } = link.transport;
    const id = this.#loop.openSession({
      transport: http ? "http" : link.stdio ? "stdio" : "other",
      local: link.inMemory && local === undefined && own(host ?? {}).local === undefined ? true : undefined,
      snapshotKey: store && sessionId !== undefined ? sealFor(store, sessionId) : undefined,
      saved,
      idPrefix: saved === undefined ? undefined : `rootwise-${randomUUID()}-`,
      allowedDirs: this.#dirsOf() as string[] | undefined,
    });
    session.id = id;
    this.#byId.set(id, session);
    if (inputClosed) this.#loop.feed({ type: "inputClosed", session: id });
    // The stream of SSE reaches the client at any time.
    if (link.address !== undefined) this.#loop.feed({ type: "channelOpened", session: id, channel: this.#loop.id() });
    for (const exchange of link.streams ?? []) Object.assign(exchange, { channel: undefined, reported: "waiting" });
    if (saved === undefined && !session.initialized) this.#catchUp(session, id);
    return id;
  }

  #closeSession(session: Session, id: number): void {
    this.#loop.closeSession(id);
    for (const call of [...session.calls.values()]) if (call.sessionId === id) this.#end(call);
    this.#byId.delete(id);
    if (session.id === id) session.id = undefined;
  }

  async #send({ request, session, call, method, params }: RouteRequest, signal: AbortSignal): Promise<unknown> {
    const wire = { method, ...(params === undefined ? {} : { params }), [REQUEST]: request };
    const options = { timeout: MAX_TIMER_MS, signal };
    const caller = call === undefined ? undefined : this.#running.get(call);
    if (caller) return clientErrors(this.#sdk.send(caller.context, wire, this.#sdk.anyResult, options));
    // A server may have been given another transport since.
    if (this.#byId.get(session)?.link.transport !== this.#protocol.transport)
      throw new Undeliverable("the transport was replaced");
    return clientErrors(this.#protocol.request(wire, this.#sdk.anyResult, options));
  }

  #announce({ session: id, from, to, ended = false }: AnnounceProject): void {
    const session = this.#byId.get(id);
    if (!session) return;
    const [project, previous] = [to, from].map((given) =>
      given ? Object.freeze(given as Project<RequirePath>) : undefined,
    );
    for (const listener of this.#listeners)
      guarded(() => listener(project, previous, { id, client: session.client, ended }));
  }

  #announceRoots(change: AnnounceRoots): void {
    const session = this.#byId.get(change.session);
    if (!session) return;
    const previous = session.roots;
    const now = (session.roots = rootsOf(change));
    for (const listener of this.#rootsListeners) guarded(() => listener(now, previous));
  }

  #log(line: EndpointLog): void {
    // A server may be created for each request; what concerns all of them is said once.
    const isStateless = line.code === "cannot_ask" && line.session === undefined;
    if (!this.#options.log || (isStateless && toldStateless)) return;
    toldStateless ||= isStateless;
    guarded(() => this.#options.log?.(line));
  }
}

/** Passes on that the client repeats the call; any other error means that there is no project. */
function unlessRepeated(error: unknown): undefined {
  if (error instanceof NeedsInput) throw error;
}

function declareCodexMeta(protocol: Protocol): void {
  try {
    protocol.registerCapabilities?.({ experimental: { [CODEX_META]: {} } });
  } catch {
    // A server that is connected already has declared what it has.
  }
}

function hintsOf(hints: ProjectHints = {}): ProjectHints {
  const { argument, server, target } = own(hints);
  return { argument, server, target };
}

function contextOf(context: CallContext | UntypedContext | undefined): CallContext {
  const found = context ?? currentContext();
  if (isContext(found)) return found;
  const text =
    context === undefined
      ? "pass the context of a handler, or set the option asyncContext and call this while a handler runs"
      : "not the context of a handler";
  throw badOption("context", text);
}

const UNGUARDED =
  "this handler was registered before rootwise(server) was called, so clients of 2026-07-28 could not be asked for their roots from it; call rootwise(server) first";
