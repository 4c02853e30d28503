import { randomUUID } from "node:crypto";
import { guarded } from "../driver/callbacks.js";
import { Connection, defined, type LogLine, type Question, projectOf, type Sender } from "../driver/connection.js";
import { callOver, closed, failure, NeedsInput, NoProjectError } from "../driver/errors.js";
import { mergedFacts } from "../driver/host.js";
import { checkFunction, own, ownOptions } from "../driver/options.js";
import { type PolicyInputs, policyOf } from "../driver/policy.js";
import type { Project, ProjectListener } from "../driver/project.js";
import { RootwiseError } from "../error.js";
import type { Answer, AskBy, Explanation, HostFacts, RequestFacts, SendRequest, SourceKind } from "../generated/types.js";
import { type Exchange, exchangeOf } from "./exchange.js";
import { currentContext, guard, namedIn, roundOf } from "./guard.js";
import { OPTIONS, type ProjectHints, readOptions, type RootwiseOptions, type Selection, selection } from "./options.js";
import { type RootsListener, type Roots, resolveInside, rootEntries, usableFolders } from "./roots.js";
import { type AnyServer, type CallContext, detect, type Protocol, type Sdk, type Transport } from "./sdk.js";
import { modernFacts } from "./sdk2.js";
import { sealFor, StoredSession } from "./store.js";
import { registerTools, type ToolNames } from "./tools.js";
import { type Link, type Message, observe, REQUEST } from "./transport.js";

/** One client of the server. */
interface Session<RequirePath extends boolean> {
  readonly transport: Transport;
  readonly link: Link;
  connection: Connection<RequirePath> | undefined;
  initialized: boolean;
  ready: boolean;
  inputClosed: boolean;
  toldCannotAsk: boolean;
  /** The roots that listeners know. */
  roots: Roots | undefined;
  stored: StoredSession | undefined;
}

const LONGEST_TIMER_MS = 0x7fff_ffff;

/** How often a call is repeated because another replica changed its session at the same time. */
const MOST_ATTEMPTS = 5;

const NO_SESSION = "This server keeps no session for this client, so the client cannot be asked for its roots.";
const NO_STREAM = "The client cannot be asked for its roots here: responses are single JSON documents, and the client has no open GET stream.";

const NOTHING_KEPT = "This client keeps no connection between calls, so no project can be selected for it.";
const NOT_REPEATABLE = "A client of 2026-07-28 can be asked for its roots only by a tool, a prompt or a resource, not by a list.";

/** Codex sends the folder of its sandbox in `_meta` to servers that declare this capability. */
const CODEX_META = "codex/sandbox-state-meta";

let toldStateless = false;

/** Tells the handlers of a server which project their call belongs to. */
export class Rootwise<RequirePath extends boolean = true> {
  readonly #server: AnyServer;
  readonly #sdk: Sdk;
  readonly #protocol: Protocol;
  readonly #inputs: PolicyInputs;
  readonly #options: RootwiseOptions<RequirePath>;
  /** Whether there may be handlers without a guard. */
  readonly #hasUnguarded: boolean;
  readonly #listeners = new Set<ProjectListener<RequirePath>>();
  readonly #rootsListeners = new Set<RootsListener>();
  readonly #sessions = new Map<Transport, Session<RequirePath>>();
  /** The calls that have seen what other replicas did to their session, by signal. */
  readonly #restored = new WeakSet<AbortSignal>();
  #selectTool: string | undefined;

  constructor(server: AnyServer, given: RootwiseOptions<RequirePath> = {}) {
    const { sdk, protocol, high } = detect(server);
    const options = ownOptions(given, OPTIONS);
    this.#inputs = readOptions(options);
    this.#server = server;
    this.#sdk = sdk;
    this.#protocol = protocol;
    this.#options = options;
    this.#hasUnguarded = guard(server, high, {
      sdk,
      protocol,
      asyncContext: options.asyncContext ?? false,
      before: options.beforeCall,
      argument: options.argument,
      needs: (context) => this.#needs(context),
    });
    if (options.codexMeta ?? this.#inputs.meta.some(([first]) => first === CODEX_META)) declareCodexMeta(protocol);
    observe(protocol, {
      attached: (transport, link) => {
        this.#sessions.set(transport, { transport, link, connection: undefined, initialized: false, ready: false, inputClosed: false, toldCannotAsk: false, roots: undefined, stored: undefined });
      },
      message: (transport, message, http) => this.#message(transport, message, http),
      requested: (transport, { id, method }) => this.#sessions.get(transport)?.connection?.requested({ id, method }),
      answeredAgain: (transport, request, result) => this.#sessions.get(transport)?.connection?.answeredAgain(request, result),
      lost: (transport) => this.#sessions.get(transport)?.connection?.moveRequests(),
      inputClosed: (transport) => {
        const session = this.#sessions.get(transport);
        if (session) session.inputClosed = true;
        session?.connection?.inputClosed();
      },
      closed: (transport) => {
        this.#sessions.get(transport)?.connection?.close();
        this.#sessions.delete(transport);
      },
    });
  }

  /**
   * Returns the project of this call. Call it first in a handler: a client of 2026-07-28 that has to be asked repeats the
   * call, and earlier statements run twice.
   *
   * @param context the handler's context; with the option `asyncContext`, by default the one of the handler that is running
   * @throws NoProjectError no project was found; let it pass, and the model reads the cause and the next step
   */
  async project(context?: CallContext, hints?: ProjectHints): Promise<Readonly<Project<RequirePath>>> {
    const call = contextOf(context);
    const known = hints ? undefined : this.#known(call);
    return known ?? projectOf<RequirePath>(await this.#ask(call, { type: "asked", ...this.#question(call, this.#named(call, hints)) }));
  }

  /** The project of a call that can bring nothing of its own, if its connection knows it: the common case. */
  #known(context: CallContext): Readonly<Project<RequirePath>> | undefined {
    if (this.#options.store || this.#isHttp(context) || this.#sdk.modern(context as never, this.#protocol)) return undefined;
    const signal = this.#sdk.signal(context as never);
    if (this.#isAlone(context) || signal.aborted || namedIn(signal) !== undefined) return undefined;
    return this.#sdk.facts(context as never, this.#inputs) ? undefined : this.#sessionOf(context).connection?.known;
  }

  /** Wraps a handler: the project becomes its first argument. */
  tool<A extends unknown[] = [context: CallContext], R = unknown>(
    handler: (project: Readonly<Project<RequirePath>>, ...args: A) => R | Promise<R>,
    hints?: (...args: A) => ProjectHints,
  ): (...args: A) => Promise<R> {
    checkFunction(handler, "handler");
    return async (...args) => handler(await this.project(args.at(-1) as CallContext, hints?.(...args)), ...args);
  }

  /**
   * Returns the project of this call as far as it is known; sends nothing and never waits. With a `store`, a call knows
   * nothing about its session before it has waited for one of the other methods.
   */
  current(context?: CallContext, hints?: ProjectHints): Readonly<Project<RequirePath>> | undefined {
    const call = contextOf(context);
    if (this.#shared(call) && !this.#restored.has(this.#sdk.signal(call as never))) return undefined;
    const { connection, release } = this.#connect(call);
    try {
      const answer = connection.peek({ type: "asked", ...this.#question(call, this.#named(call, hints)), askBy: "none" });
      return answer?.outcome === "resolved" ? projectOf<RequirePath>(answer) : undefined;
    } finally {
      release();
    }
  }

  /** Returns the client's roots, each verified on disk where this machine may and can do so. */
  async roots(context?: CallContext): Promise<Roots> {
    const call = contextOf(context);
    const answer = await this.#ask(call, { type: "asked", want: "roots", ...this.#question(call) });
    if (answer.outcome !== "listed") throw unexpected(answer);
    const { roots, state } = answer;
    return { roots: rootEntries(roots), state };
  }

  /** Whether a path is inside one of the client's roots, by real path. */
  async inside(context: CallContext | undefined, path: string): Promise<boolean> {
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
  async resolve(context: CallContext | undefined, path: string): Promise<string> {
    const call = contextOf(context);
    const roots = await this.roots(call);
    const base = this.current(call)?.path ?? roots.roots.find(({ realPath, problem }) => realPath !== undefined && !problem)?.path;
    return resolveInside(usableFolders(roots), path, base);
  }

  /**
   * Selects the project of this connection.
   *
   * @param by a path, a `file:` URI or the name of a root; or exactly which of these it is
   * @throws NoProjectError the selection was refused, or the client must name its project in every call
   */
  async select(context: CallContext | undefined, by: string | Selection): Promise<{ project: Readonly<Project<RequirePath>>; message: string }> {
    const call = contextOf(context);
    const answer = await this.#ask(call, { type: "selected", by: selection(by), ...this.#question(call) }, { failing: false });
    if (answer.outcome === "selected") return { project: projectOf<RequirePath>(answer), message: answer.message };
    const { texts = {} } = policyOf(this.#inputs.policy);
    const isStandard = ["refused.pass_each_call", "refused.selected", "refused.selected.pass_each_call"].every((key) => !Object.hasOwn(texts, key));
    if (answer.outcome === "refused" && answer.code === "pass_each_call" && isStandard) throw failure({ ...answer, message: NOTHING_KEPT, instruction: this.#waysPerCall(call) });
    throw unexpected(answer);
  }

  /** Removes the selection; returns the project that counts instead. */
  async unselect(context?: CallContext): Promise<Readonly<Project<RequirePath>> | undefined> {
    const call = contextOf(context);
    const answer = await this.#ask(call, { type: "selectionCleared", ...this.#question(call) }, { failing: false });
    return answer.outcome === "resolved" ? projectOf<RequirePath>(answer) : undefined;
  }

  /** Returns the result of every source for this call; `text` is a small table. */
  async explain(context?: CallContext, hints?: ProjectHints): Promise<Explanation> {
    const call = contextOf(context);
    const answer = await this.#ask(call, { type: "asked", explain: true, ...this.#question(call, this.#named(call, hints)) }, { failing: false });
    if (answer.explanation) return answer.explanation;
    throw unexpected(answer);
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
    return () => void this.#rootsListeners.delete(listener);
  }

  /** Registers ready-made tools; `false` leaves one out. */
  registerTools(names?: ToolNames): void {
    this.#selectTool = registerTools({ projects: this, server: this.#server, generation: this.#sdk.generation }, names);
  }

  async #ask(context: CallContext, question: Question, options?: { failing?: boolean }): Promise<Answer> {
    const session = this.#shared(context);
    if (!session) return this.#askHere(context, question, options);
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
      await this.#restore(session);
      this.#restored.add(this.#sdk.signal(context as never));
      const connection = this.#open(session, true);
      // `notifications/initialized` may have reached another replica; a client that makes calls has sent it.
      if (!session.ready) connection.ready();
      session.ready = true;
      const outcome = await this.#askHere(context, question, options).then((answer) => ({ answer }), (error: unknown) => ({ error }));
      // If another replica changed the session meanwhile, its state counts, and this question is asked again.
      if (!(await this.#persist(session, connection))) continue;
      if ("error" in outcome) throw outcome.error;
      return outcome.answer;
    }
    throw new NoProjectError({ code: "unconfirmed", message: "Other replicas changed this session at the same time; try again." });
  }

  /** The session of a call whose state is shared with other replicas. */
  #shared(context: CallContext): Session<RequirePath> | undefined {
    if (!this.#options.store || !this.#isHttp(context) || this.#isAlone(context)) return undefined;
    return this.#sdk.modern(context as never, this.#protocol) ? undefined : this.#sessionOf(context);
  }

  #storedSession(session: Session<RequirePath>): StoredSession | undefined {
    const { store } = this.#options;
    const { sessionId } = session.transport;
    if (store && sessionId !== undefined) session.stored ??= new StoredSession(store, sessionId, (line) => this.#log(line));
    return session.stored;
  }

  /** Continues the session from the store if another replica changed it; calls that wait here start again. */
  async #restore(session: Session<RequirePath>): Promise<void> {
    await this.#storedSession(session)?.load((saved) => {
      const connection = this.#connectionOf(session, true, saved);
      session.connection?.close();
      Object.assign(session, { connection, initialized: true, ready: false });
      return connection;
    });
  }

  /** Saves the session; returns false if another replica changed it. */
  async #persist(session: Session<RequirePath>, connection: Connection<RequirePath>): Promise<boolean> {
    return (await this.#storedSession(session)?.save(connection, () => session.connection === connection)) ?? true;
  }

  async #askHere(context: CallContext, question: Question, { failing = true } = {}): Promise<Answer> {
    const round = this.#sdk.generation === 2 ? roundOf(context as never) : undefined;
    if (!round && this.#needsGuard(context)) throw unguarded();
    if (round?.over || this.#isOver(context)) throw callOver();
    if (round && !Object.isFrozen(round)) round.asked = true;
    const { connection, sender, note, release } = this.#connect(context);
    try {
      const caller = { signal: this.#sdk.signal(context as never), sender };
      const askBy = question.askBy ?? (note ? "none" : undefined);
      const isPlain = !askBy && question.type === "asked" && Object.keys(question).length === 1;
      const answer = await (isPlain ? connection.plain(caller) : connection.question(askBy ? { ...question, askBy } : question, caller));
      if (answer.outcome === "needsInput") {
        if (round?.over) throw callOver();
        if (round) round.needs = answer.inputRequests;
        throw new NeedsInput(answer.inputRequests);
      }
      if (failing && (answer.outcome === "refused" || answer.outcome === "unresolved")) throw failure(answer, answer.outcome === "unresolved" ? note : undefined);
      return answer;
    } finally {
      release();
    }
  }

  /** The ways to name the project with a call that this policy and this transport have. */
  #waysPerCall(context: CallContext): string {
    const { headers, query, policy } = this.#inputs;
    const [header] = headers;
    const [parameter] = query;
    const http = this.#isHttp(context);
    const { local, allowedDirs, toolArgument } = this.#facts(http ? "http" : "other");
    const { sources, requirePath = true } = policyOf(policy);
    if (http && !local && !allowedDirs && requirePath) return "This server takes no project from its callers.";
    const reads = (kind: SourceKind) => sources.some(({ from }) => from === kind);
    const ways = [
      ...(reads("argument") && toolArgument ? [`pass the project path as \`${toolArgument}\` in the call`] : []),
      ...(reads("roots") && this.#sdk.modern(context as never, this.#protocol) ? ["open the folder in the client, so that it becomes one of its roots"] : []),
      ...(http && header ? [`send the header \`${header}\` with each request`] : []),
      ...(http && parameter ? [`add \`?${parameter}=\` to the server's address`] : []),
    ];
    return ways.length > 0 ? `To change the project, ${ways.join(", or ")}.` : "Start the server with the project that it should use.";
  }

  /** Also where the guard is not needed yet, so that the fault shows before the first client that needs it. */
  #needsGuard(context: CallContext): boolean {
    return (this.#hasUnguarded || this.#sdk.modern(context as never, this.#protocol)) && this.#sdk.repeatable(context as never);
  }

  #isHttp(context: CallContext): boolean {
    return this.#sdk.httpRequest(context as never) !== undefined;
  }

  /** Whether the result of a call over HTTP was sent, or its stream is gone for good. */
  #isOver(context: CallContext): boolean {
    return exchangeOf(this.#sdk.httpRequest(context as never))?.ended ?? false;
  }

  /** Over HTTP without a session, the next request may come from any client. */
  #isAlone(context: CallContext): boolean {
    return this.#isHttp(context) && (context as { sessionId?: string }).sessionId === undefined;
  }

  /** Hints with the project that the call's arguments name. */
  #named(context: CallContext, given: ProjectHints = {}): ProjectHints {
    const hints = own(given);
    const argument = hints.argument ?? namedIn(this.#sdk.signal(context as never));
    return argument === undefined ? hints : { ...hints, argument: argument as string };
  }

  #question(context: CallContext, given: ProjectHints = {}): { facts?: RequestFacts; askBy?: AskBy; target?: string } {
    const modern = this.#sdk.modern(context as never, this.#protocol);
    const alone = !modern && this.#isAlone(context);
    const session = modern || alone ? undefined : this.#sessionOf(context);
    let facts = this.#sdk.facts(context as never, this.#inputs, session?.link.address);
    if (modern) facts = { ...facts, ...modernFacts(context as never) };
    // With capabilities of its own, even none, a request stands alone.
    if (alone) facts = { ...facts, capabilities: {} };
    const { argument, host, target } = own(given);
    if (argument !== undefined || host !== undefined) facts = { ...facts, ...defined({ argument, host }) };
    const askBy: AskBy | undefined = alone ? "none" : !modern ? undefined : this.#sdk.repeatable(context as never) ? "inputRequired" : "none";
    if (!facts && !askBy && target === undefined) return {};
    return defined({ facts, askBy, target });
  }

  /** The input requests that a modern call needs for its project. */
  async #needs(context: CallContext): Promise<Readonly<Record<string, unknown>> | undefined> {
    const { connection, release } = this.#connect(context);
    try {
      const answer = await connection.question({ type: "asked", ...this.#question(context, this.#named(context)) }, { signal: this.#sdk.signal(context as never) });
      return answer.outcome === "needsInput" ? answer.inputRequests : undefined;
    } finally {
      release();
    }
  }

  #message(transport: Transport, { id, method, params }: Message, http: boolean): void {
    const session = this.#sessions.get(transport);
    // Without a session, nothing ties later requests to this client.
    if (!session || (http && transport.sessionId === undefined)) return;
    if (method === "initialize") {
      this.#open(session, http).initialized((params ?? {}) as object, session.initialized && !http ? id : undefined);
      session.initialized = true;
    } else if (method === "notifications/initialized") {
      session.ready = true;
      session.connection?.ready();
    } else if (method === "notifications/roots/list_changed") {
      void this.#changed(session);
    }
  }

  /** A change that reaches one replica must be known to all. */
  async #changed(session: Session<RequirePath>): Promise<void> {
    const changed = () => session.connection?.rootsChanged(session.link.streams?.standalone !== undefined);
    changed();
    try {
      for (let attempt = 0; attempt < MOST_ATTEMPTS && session.connection && !(await this.#persist(session, session.connection)); attempt += 1) {
        await this.#restore(session);
        changed();
      }
    } catch {
      // Logged; the next call fails if the store still cannot be reached.
    }
  }

  /** The connection of a call, how a request can travel with it, and how to let go of it. */
  #connect(context: CallContext): { connection: Connection<RequirePath>; sender?: Sender | undefined; note?: string | undefined; release: () => void } {
    const http = this.#isHttp(context);
    const modern = this.#sdk.modern(context as never, this.#protocol);
    const notRepeatable = modern && !this.#sdk.repeatable(context as never) ? NOT_REPEATABLE : undefined;
    if (this.#isAlone(context)) {
      if (!modern) this.#tellStateless();
      // A connection for this call only: no state can pass from one caller to another.
      const connection = new Connection({ policy: this.#inputs.policy, requirePath: this.#options.requirePath, host: this.#facts("http"), log: this.#options.log });
      return { connection, note: modern ? notRepeatable : NO_SESSION, release: () => connection.close() };
    }
    const session = this.#sessionOf(context);
    const connection = this.#open(session, http);
    if (!session.initialized) this.#catchUp(session, connection);
    if (modern) return { connection, note: notRepeatable, release };
    const exchange = exchangeOf(this.#sdk.httpRequest(context as never));
    if (exchange && !exchange.open && !session.link.streams?.standalone) {
      this.#tellCannotAsk(session);
      return { connection, note: this.#declaresRoots() ? NO_STREAM : undefined, release };
    }
    return { connection, sender: exchange && !exchange.open ? undefined : this.#senderOf(context, exchange), release };
  }

  #senderOf(context: CallContext, exchange: Exchange | undefined): Sender {
    const send: Sender["send"] = (request, signal) => this.#sdk.send(context as never, wire(request), { timeout: LONGEST_TIMER_MS, signal });
    if (!exchange) return { send };
    return {
      send,
      get open() {
        return exchange.open;
      },
      get lost() {
        return exchange.lost;
      },
      broken: exchange.broken,
    };
  }

  #declaresRoots(): boolean {
    return typeof (this.#protocol.getClientCapabilities() as { roots?: unknown } | undefined)?.roots === "object";
  }

  #tellStateless(): void {
    if (toldStateless || !this.#options.log) return;
    toldStateless = true;
    this.#log({ level: "info", code: "cannot_ask", message: `${NO_SESSION} Clients of 2026-07-28 send their roots with the call; for earlier ones, use a transport with sessions.` });
  }

  #tellCannotAsk(session: Session<RequirePath>): void {
    if (session.toldCannotAsk || !this.#declaresRoots()) return;
    session.toldCannotAsk = true;
    this.#log({ level: "warning", code: "cannot_ask", message: NO_STREAM });
  }

  #log(line: LogLine): void {
    guarded(() => this.#options.log?.(line));
  }

  #sessionOf(context: CallContext): Session<RequirePath> {
    const { sessionId } = context as { sessionId?: string };
    let found: Session<RequirePath> | undefined;
    // The newest, if a server was given another transport without closing the last one.
    for (const session of this.#sessions.values()) if (session.transport.sessionId === sessionId) found = session;
    if (found) return found;
    throw closed();
  }

  /** The handshake ended before this class observed the transport. */
  #catchUp(session: Session<RequirePath>, connection: Connection<RequirePath>): void {
    const capabilities = this.#protocol.getClientCapabilities();
    if (capabilities === undefined) return;
    session.initialized = true;
    connection.initialized({ capabilities, clientInfo: this.#protocol.getClientVersion() });
    connection.ready();
  }

  #facts(transport: "http" | "stdio" | "other"): HostFacts {
    const { host, local, allowedDirs, argument: toolArgument } = this.#options;
    const facts = { ...defined({ toolArgument, local, selectTool: this.#selectTool }), ...defined(host ?? {}) } as Partial<HostFacts>;
    // Every connection but HTTP carries requests at any time.
    const collected = transport === "other" ? { push: true, ...facts } : facts;
    return mergedFacts(transport, this.#inputs.policy, { host: collected, allowedDirs });
  }

  #open(session: Session<RequirePath>, http: boolean): Connection<RequirePath> {
    return (session.connection ??= this.#connectionOf(session, http));
  }

  #connectionOf(session: Session<RequirePath>, http: boolean, saved?: string): Connection<RequirePath> {
    const { store } = this.#options;
    const { sessionId } = session.transport;
    const connection = new Connection({
      snapshotKey: store && sessionId !== undefined ? sealFor(store, sessionId) : undefined,
      policy: this.#inputs.policy,
      requirePath: this.#options.requirePath,
      host: this.#facts(http ? "http" : session.link.stdio ? "stdio" : "other"),
      sender: this.#push(session),
      log: this.#options.log,
      onChange: (project, previous) => {
        for (const listener of this.#listeners) guarded(() => listener(project, previous));
      },
      onRoots: () => void this.#rootsArrived(session),
      ...(saved === undefined ? {} : { saved, idPrefix: `rootwise-${randomUUID()}-` }),
    });
    if (session.inputClosed) connection.inputClosed();
    return connection;
  }

  /** Sends outside any call; over Streamable HTTP that is the client's GET stream. */
  #push({ link: { streams }, transport }: Session<RequirePath>): Sender {
    const protocol = this.#protocol;
    const send: Sender["send"] = (request, signal) => this.#sdk.push(protocol, wire(request), { timeout: LONGEST_TIMER_MS, signal });
    if (!streams) return { send };
    return {
      send,
      get open() {
        return streams.standalone !== undefined && protocol.transport === transport;
      },
      get broken() {
        return streams.standalone?.broken;
      },
    };
  }

  async #rootsArrived(session: Session<RequirePath>): Promise<void> {
    if (this.#rootsListeners.size === 0) return;
    const answer = await session.connection?.question({ type: "asked", want: "roots", askBy: "none" }).catch(() => undefined);
    if (answer?.outcome !== "listed") return;
    const now: Roots = { roots: rootEntries(answer.roots), state: answer.state };
    const before = session.roots;
    if (before && spelling(before) === spelling(now)) return;
    session.roots = now;
    for (const listener of this.#rootsListeners) guarded(() => listener(now, before));
  }
}

/** What the client listed, without what the disk says about it. */
const spelling = ({ roots }: Roots) => JSON.stringify(roots.map(({ uri, name }) => [uri, name]));

function declareCodexMeta(protocol: Protocol): void {
  try {
    protocol.registerCapabilities?.({ experimental: { [CODEX_META]: {} } });
  } catch {
    // A server that is connected already has declared what it has.
  }
}

const release = () => {};

const wire = ({ request, method, params }: SendRequest) => ({ method, ...(params === undefined ? {} : { params }), [REQUEST]: request });

function contextOf(context: CallContext | undefined): CallContext {
  const found = context ?? currentContext();
  if (typeof found === "object" && found !== null && ("signal" in found || "mcpReq" in found)) return found;
  const text = context === undefined ? "pass the context of a handler, or set the option asyncContext and call this while a handler runs" : "not the context of a handler";
  throw new RootwiseError("bad_options", `bad options at context: ${text}`);
}

function unguarded(): RootwiseError {
  const text = "this handler was registered before rootwise(server) was called, so clients of 2026-07-28 could not be asked for their roots from it; call rootwise(server) first";
  return new RootwiseError("bad_options", text);
}

function unexpected(answer: Answer): Error {
  if (answer.outcome === "refused" || answer.outcome === "unresolved") return failure(answer);
  return answer.outcome === "needsInput" ? new NeedsInput(answer.inputRequests) : closed();
}
