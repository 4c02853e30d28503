// The clients of a server: their sessions, calls and channels, as the SDK shows them, reported to a loop.
import { guarded } from "../driver/callbacks.js";
import { clientName } from "../driver/connection.js";
import { hostError, Undeliverable } from "../driver/errors.js";
import { DIR_UNUSABLE, mergedFacts, reportDirs } from "../driver/host.js";
import { Loop } from "../driver/loop.js";
import type { Described, LoopEvent, Question } from "../driver/loop-host.js";
import { own } from "../driver/options.js";
import type { Project } from "../driver/project.js";
import { RootwiseError } from "../error.js";
import type { ProjectParameter } from "../functions.js";
import type {
  AnnounceProject,
  AnnounceRoots,
  Answer,
  EndpointLog,
  HostFacts,
  Policy,
  PolicyInputs,
  RouteRequest,
} from "../generated/types.js";
import { projectParameter } from "../node/index.js";
import type { PresetName } from "../resolver.js";
import { Callers } from "./callers.js";
import { declareCodexMeta, readsCodexMeta } from "./codex.js";
import { declareParameter } from "./declare.js";
import { detect } from "./detect.js";
import { type Exchange, exchangeOf } from "./exchange.js";
import { guard, hasReturned, isGuarded, namedIn } from "./guard.js";
import { type Shareable, shareable, sharedLoop } from "./memories.js";
import { readOptions, type RootwiseOptions } from "./options.js";
import { type Roots, rootsOf } from "./roots.js";
import {
  type AnyServer,
  type CallContext,
  clientErrors,
  conversationIn,
  type Protocol,
  type RequestParts,
  type Sdk,
} from "./sdk.js";
import { type Asker, type Call, Session } from "./session.js";
import { sealFor, StoredSession } from "./store.js";
import { type Link, type Message, observe, type Observer, REQUEST } from "./transport.js";

const MAX_TIMER_MS = 0x7fff_ffff;

/** How often a call is repeated because another replica changed its session at the same time. */
const MAX_ATTEMPTS = 5;

/** No session has this id, so that its asks are answered as those of a connection that is closed. */
const NOBODY = 0;

/** Who is told about changes. */
export interface Listeners {
  projectChanged(change: AnnounceProject, client: string | undefined): void;
  rootsChanged(roots: Roots, previous: Roots | undefined): void;
}

/** Everything that is connected to a server. */
export class Clients {
  /** The generation of the server's SDK. */
  readonly generation: 1 | 2;
  /** The ready-made tools: all names, and that of the one that selects a project. */
  tools: { readonly select?: string | undefined; readonly exempt: readonly string[] } = { exempt: [] };
  readonly #sdk: Sdk;
  readonly #protocol: Protocol;
  readonly #policy: PresetName | Policy;
  readonly #inputs: PolicyInputs;
  readonly #options: RootwiseOptions<boolean>;
  readonly #listeners: Listeners;
  readonly #loop: Loop;
  /** Whether there may be handlers without a guard. */
  readonly #hasUnguarded: boolean;
  readonly #sessions = new Set<Session>();
  readonly #byId = new Map<number, Session>();
  /** The reported calls, by a part of the context that its copies share; and those of the server's own loop that run, by their id. */
  readonly #calls = new WeakMap<AbortSignal, Call>();
  readonly #running = new Map<number, Call>();
  /** The calls that have seen what other replicas did to their session. */
  readonly #restored = new WeakSet<AbortSignal>();
  readonly #callers: Callers;
  /** Makes the loop for what belongs to no session. */
  #shareable: Shareable | undefined;
  #rootsWatched = false;

  constructor(server: AnyServer, options: RootwiseOptions<boolean>, listeners: Listeners) {
    const { sdk, protocol, high } = detect(server);
    const { policy, inputs, facts } = readOptions(options);
    this.#policy = policy;
    this.generation = sdk.generation;
    this.#inputs = inputs;
    this.#sdk = sdk;
    this.#protocol = protocol;
    this.#options = options;
    this.#callers = new Callers(sdk, options);
    this.#listeners = listeners;
    this.#loop = new Loop({
      open: () => ({ policy, host: this.#facts(), rootsWatched: this.#rootsWatched }),
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
      log: (line) => this.#logOfLoop(line),
    });
    if (facts) void reportDirs(policy, facts, options.log && ((line) => this.#log(line)));
    if (options.declare && options.argument !== undefined)
      declareParameter({
        sdk,
        protocol,
        argument: options.argument,
        isExempt: (tool) => this.tools.exempt.includes(tool),
        parameter: (context) => this.#parameter(context),
      });
    this.#hasUnguarded = guard(server, high, {
      sdk,
      protocol,
      asyncContext: options.asyncContext ?? false,
      before: options.beforeCall,
      argument: options.argument,
      returned: (context, inputRequired) => this.#returned(context, inputRequired),
    });
    if (options.codexMeta ?? readsCodexMeta(inputs)) declareCodexMeta(protocol);
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
      answeredAgain: (request, result) => this.#loop.feed({ type: "requestAnswered", request, result: result ?? null }),
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

  /** Whether lists of roots are verified and announced. */
  watchRoots(watched: boolean): void {
    this.#rootsWatched = watched;
    this.#loop.feed({ type: "rootsWatched", watched });
  }

  /** The project of a call that has no request-specific facts, if its connection knows it: the common case. */
  known(context: CallContext): Readonly<Project<false>> | undefined {
    const session = this.#options.store || this.#isStateless(context) ? undefined : this.#sessionOf(context);
    if (session?.id === undefined || this.isConfined) return undefined;
    const client = this.#sdk.client(context);
    // Its fault shows whoever asked before.
    if (client && !isGuarded(context, this.#hasUnguarded)) return undefined;
    const known = this.#loop.known(session.id, client);
    if (!known || this.#isOver(context, session) || this.#named(context) !== undefined) return undefined;
    return this.#partsOf(context, session, client) ? undefined : known;
  }

  /** Puts a question and returns the answer that is known now. */
  peek(context: CallContext, question: Question & { type: "asked" }): Answer | undefined {
    if (!this.#callers.knows(context, this.#isUnbound(context))) return undefined;
    if (this.#shared(context) && !this.#restored.has(this.#sdk.signal(context))) return undefined;
    const { loop, by } = this.#start(context);
    return loop.peek({ ...question, ...by });
  }

  /** Puts a question of a call and waits for its answer. */
  async ask(context: CallContext, question: Question): Promise<Answer> {
    if (!isGuarded(context, this.#hasUnguarded)) throw new RootwiseError("bad_options", UNGUARDED);
    await this.#callers.identify(context, this.#isUnbound(context));
    const session = this.#shared(context);
    if (!session) return this.#ask(context, question);
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      await this.#restore(session);
      if (session.closed) return this.#loop.ask({ ...question, session: NOBODY });
      this.#restored.add(this.#sdk.signal(context));
      const id = this.#open(session, true);
      // `notifications/initialized` may have reached another replica; a client that makes calls has sent it.
      if (!session.ready) this.#loop.feed({ type: "clientReady", session: id });
      session.ready = true;
      const answer = await this.#ask(context, question);
      // If another replica changed the session meanwhile, its state counts, and this question is asked again.
      if (await this.#persist(session, id)) return answer;
    }
    throw hostError({ problem: "sessionChanged" });
  }

  #ask(context: CallContext, question: Question): Promise<Answer> {
    const { loop, by } = this.#start(context);
    return loop.ask({ ...question, ...by }, this.#sdk.client(context));
  }

  get isConfined(): boolean {
    return this.#callers.isConfined;
  }

  /** Whether other processes serve the same clients. */
  get #hasReplicas(): boolean {
    const { replicas, store, host } = this.#options;
    return store !== undefined || (replicas ?? own(host ?? {}).replicas ?? false);
  }

  /** Whether a call over HTTP belongs to no session, so that a memory of this process may be its own. Replicas would disagree. */
  #isUnbound(context: CallContext): boolean {
    return (
      !this.#hasReplicas &&
      this.#isHttp(context) &&
      (this.#isStateless(context) || this.#sdk.client(context) !== undefined)
    );
  }

  /** Whether the caller or the conversation of a call may be remembered. */
  #isRemembered(context: CallContext, parts: RequestParts | undefined): boolean {
    if (!this.#isUnbound(context)) return false;
    const isLocal = this.#options.local ?? own(this.#options.host ?? {}).local ?? false;
    return (
      this.#callers.nameOf(context) !== undefined ||
      (isLocal && conversationIn(parts?.meta, this.#inputs) !== undefined)
    );
  }

  /** The loop of all servers like this one, for what belongs to no session: a server may be created for each request. */
  #sharedLoop(context: CallContext, parts: RequestParts | undefined): Loop | undefined {
    if (!this.#isStateless(context) && !this.#isRemembered(context, parts)) return undefined;
    this.#shareable ??= shareable(this.#policy, this.#facts(), this.isConfined);
    return sharedLoop(this.#protocol, this.#shareable, (line) => this.#logOfLoop(line));
  }

  /** The parameter that names the project, with the roots of the caller's session as far as they are known. */
  async #parameter(context: CallContext): Promise<ProjectParameter> {
    if (this.#isStateless(context)) return projectParameter();
    try {
      await this.#callers.identify(context, this.#isUnbound(context));
      const answer = this.peek(context, { type: "asked", want: "roots" });
      return projectParameter(answer?.outcome === "listed" ? answer.roots : undefined);
    } catch {
      // Whatever is wrong with the caller, its calls say it; the list of tools has no place for it.
      return projectParameter();
    }
  }

  /** The session of a call whose state is shared with other replicas. */
  #shared(context: CallContext): Session | undefined {
    if (!this.#options.store || !this.#isHttp(context) || this.#isStateless(context)) return undefined;
    const session = this.#sessionOf(context);
    // A call with capabilities of its own reads nothing of its session.
    return this.#sdk.client(context) ? undefined : session;
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
  #start(context: CallContext): Asker {
    const session = this.#sessionOf(context);
    const isStateless = this.#isStateless(context);
    if (!session && !isStateless) return { loop: this.#loop, by: { session: NOBODY } };
    const client = this.#sdk.client(context);
    const parts = this.#partsOf(context, session, client);
    const shared = this.#sharedLoop(context, parts);
    const loop = shared ?? this.#loop;
    const sessionId = shared || !session ? undefined : this.#open(session, this.#isHttp(context));
    const signal = this.#sdk.signal(context);
    const argument = this.#named(context);
    const isOver = this.#isOver(context, session);
    let call = this.#calls.get(signal);
    if (call?.sessionId !== sessionId || call?.loop !== loop) call = undefined;
    if (!call) {
      const exchange = exchangeOf(this.#sdk.httpRequest(context));
      const made: Call = {
        id: loop.id(),
        loop,
        context,
        session,
        sessionId,
        exchange,
        cancel: () => this.#end(made, true),
        running: false,
      };
      this.#calls.set(signal, (call = made));
      // The ask of a call that was never started is answered as one of a call that is over.
      if (!isOver) this.#report(made, { argument, ...client, ...parts });
    }
    if (session) this.#followChannels(session);
    return { loop, by: { call: call.id }, call };
  }

  #report(call: Call, parts: RequestParts & Partial<Described> & { argument?: unknown }): void {
    const { id, loop, context, session, sessionId, exchange } = call;
    const isOwn = loop === this.#loop;
    const channel = exchange && isOwn ? this.#channelOf(exchange) : loop.id();
    const method = this.#sdk.method(context);
    const protocolVersion = this.#protocol.getNegotiatedProtocolVersion?.();
    loop.feed({
      type: "callStarted",
      call: id,
      session: sessionId,
      channel,
      method,
      protocolVersion,
      allowedDirs: this.#callers.dirsOf(context) ?? (isOwn ? undefined : this.#shareable?.allowedDirs),
      caller: this.#callers.nameOf(context),
      requestState: parts.capabilities === undefined ? undefined : this.#sdk.state(parts),
      ...parts,
    });
    const key = this.#sdk.id(context);
    this.#end(session?.calls.get(key));
    session?.calls.set(key, call);
    call.running = true;
    if (isOwn) this.#running.set(id, call);
    this.#sdk.signal(context).addEventListener("abort", call.cancel, { once: true });
  }

  #end(call: Call | undefined, cancelled = false): void {
    if (!call?.running) return;
    const { session, loop, context, id, cancel } = call;
    call.running = false;
    if (loop === this.#loop) this.#running.delete(id);
    this.#sdk.signal(context).removeEventListener("abort", cancel);
    session?.calls.delete(this.#sdk.id(context));
    loop.feed({ type: "callEnded", call: id, cancelled });
  }

  /** The handler of a call of 2026-07-28 returned. */
  #returned(context: CallContext, inputRequired: boolean): ReturnType<Loop["returned"]> | undefined {
    if (!inputRequired && !this.#calls.has(this.#sdk.signal(context))) return undefined;
    const { call } = this.#start(context);
    return call?.running ? call.loop.returned(call.id, inputRequired) : undefined;
  }

  #isHttp(context: CallContext): boolean {
    return this.#sdk.httpRequest(context) !== undefined;
  }

  /** Over HTTP without a session, the next request may come from any client. */
  #isStateless(context: CallContext): boolean {
    return this.#isHttp(context) && (context as { sessionId?: string }).sessionId === undefined;
  }

  /** Whether a call was answered or cancelled, or its stream is gone for good. */
  #isOver(context: CallContext, session: Session | undefined): boolean {
    if (this.#sdk.signal(context).aborted || hasReturned(context)) return true;
    const exchange = exchangeOf(this.#sdk.httpRequest(context));
    return exchange ? exchange.ended : session !== undefined && !session.link.isRunning(this.#sdk.id(context));
  }

  #partsOf(
    context: CallContext,
    session: Session | undefined,
    client: Described | undefined,
  ): RequestParts | undefined {
    // A legacy call belongs to its session whatever it sends; replicas have no memory of conversations in common.
    const isBound = !client && !this.#isStateless(context);
    const countsConversation = !isBound && !(this.#isHttp(context) && this.#hasReplicas);
    return this.#sdk.parts(context, this.#inputs, countsConversation, session?.link.address);
  }

  /** The project that the arguments of a call name; without the option, none are read. */
  #named(context: CallContext): unknown {
    return this.#options.argument === undefined ? undefined : namedIn(this.#sdk.signal(context));
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
      host: { toolArgument, selectTool: this.tools.select, ...host, replicas: this.#hasReplicas || undefined },
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
      idPrefix: saved === undefined ? undefined : `rootwise-${crypto.randomUUID()}-`,
      allowedDirs: this.#callers.dirsOf(),
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

  #announce(change: AnnounceProject): void {
    const session = this.#byId.get(change.session);
    if (session) this.#listeners.projectChanged(change, session.client);
  }

  #announceRoots(change: AnnounceRoots): void {
    const session = this.#byId.get(change.session);
    if (!session) return;
    const previous = session.roots;
    const now = (session.roots = rootsOf(change));
    this.#listeners.rootsChanged(now, previous);
  }

  /** What is of no use among the allowed folders was said when the server was made. */
  #logOfLoop(line: EndpointLog): void {
    if (line.code !== DIR_UNUSABLE) this.#log(line);
  }

  #log(line: EndpointLog): void {
    guarded(() => this.#options.log?.(line));
  }
}

const UNGUARDED =
  "this handler was registered before rootwise(server) was called, so clients of 2026-07-28 could not be asked for their roots from it; call rootwise(server) first";
