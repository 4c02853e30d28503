import { RootwiseError } from "../error.js";
import type { AskBy, Answer, Explanation, HostFacts, Log, Policy, Project, RequestFacts, RootsState, RootView, SelectBy } from "../generated/types.js";
import type { PresetName } from "../resolver.js";
import { Connection, type Question } from "./connection.js";
import { closed, failure, InputNeeded } from "./errors.js";
import { guard, roundOf } from "./guard.js";
import { hostFacts } from "./host.js";
import { type Profile, profileOf } from "./profile.js";
import { type AnyServer, type CallContext, detect, type Protocol, type Sdk, type Transport } from "./sdk.js";
import { modernFacts } from "./sdk2.js";
import { registerTools, type ToolNames } from "./tools.js";
import { type Message, watch } from "./watch.js";

/** How `rootwise(server)` works; everything has a default. */
export interface RootwiseOptions {
  /** How the project is found: a preset's name or a policy of your own; by default `recommended`. */
  policy?: PresetName | Policy;
  /** Folders every project must be in. */
  allowedDirs?: readonly string[];
  /** Facts that replace what was found out about the machine and the connection. */
  host?: Partial<HostFacts>;
  /** Gets a line when something is worth one; by default nobody does. */
  log?: (notice: Log) => void;
}

/** What a handler knows about the project besides its context. */
export interface Wish {
  /** The project the call names, as a path or `file:` URI, usually an argument of the tool. */
  argument?: string | undefined;
  /** A path the call touches, to tell several roots apart. */
  target?: string | undefined;
  /** What you know about the caller yourself, such as the workspace of an authenticated user. */
  host?: string | undefined;
}

/** The client's roots, good and bad. */
export interface Roots {
  readonly roots: readonly RootView[];
  readonly state: RootsState;
}

export type Changed = (to: Readonly<Project> | null, from: Readonly<Project> | null) => void;

/** Knows which project each call of a server's client is about. */
export class Projects {
  readonly #server: AnyServer;
  readonly #sdk: Sdk;
  readonly #protocol: Protocol;
  readonly #profile: Profile;
  readonly #options: RootwiseOptions;
  /** Whether there may be handlers that nobody guards. */
  readonly #gaps: boolean;
  readonly #listeners = new Set<Changed>();
  #connection: Connection | undefined;
  #initialized = false;
  #ended = false;

  constructor(server: AnyServer, options: RootwiseOptions = {}) {
    const { sdk, protocol, high } = detect(server);
    this.#server = server;
    this.#sdk = sdk;
    this.#protocol = protocol;
    this.#options = options;
    this.#profile = profileOf(options.policy);
    this.#gaps = sdk.generation === 2 && guard(server, protocol, high);
    watch(protocol, {
      message: (message, http, transport) => {
        try {
          this.#message(message, http, transport);
        } catch {
          // Host facts that cannot work: the first handler that asks is told.
        }
      },
      ended: () => {
        this.#ended = true;
        this.#connection?.deafen();
      },
      closed: () => this.#close(),
    });
  }

  /**
   * The project of this call. Make it the first line of a handler: a client of 2026-07-28 that has to be asked makes the
   * call again, and what came before happens twice.
   *
   * @throws NoProjectError there is none; let it pass and the model is told what to do
   */
  project(context: CallContext, wish?: Wish): Promise<Readonly<Project>> {
    const known = this.#connection?.known;
    if (known && !wish && !this.#saysMore(context) && this.#isGuarded(context)) return known;
    return this.#resolve(context, wish);
  }

  /** Puts the project in front of a handler's arguments. */
  tool<A extends unknown[], R>(
    handler: (project: Readonly<Project>, ...args: A) => R | Promise<R>,
    wish?: (...args: A) => Wish,
  ): (...args: A) => Promise<R> {
    return async (...args) => handler(await this.project(args.at(-1) as CallContext, wish?.(...args)), ...args);
  }

  /** The project of this call as far as it is known now; asks nobody and never waits. */
  current(context: CallContext, wish?: Wish): Readonly<Project> | null {
    const question = this.#question(context, wish);
    const answer = this.#connect(context).look({ type: "asked", ...question, askBy: "none" });
    return answer?.outcome === "resolved" ? Object.freeze(answer.project) : null;
  }

  /** The client's roots. */
  async roots(context: CallContext): Promise<Roots> {
    const answer = await this.#ask(context, { type: "asked", want: "roots", ...this.#question(context) });
    if (answer.outcome === "listed") return { roots: answer.roots, state: answer.state };
    throw unexpected(answer);
  }

  /**
   * Makes a project the connection's own.
   *
   * @param by a path, a `file:` URI or the name of a root; or exactly which of these it is
   * @throws NoProjectError it is refused, or the client is of 2026-07-28 and has to name its project in every call
   */
  async select(context: CallContext, by: string | SelectBy): Promise<{ project: Readonly<Project>; message: string }> {
    const chosen = typeof by === "string" ? { value: by } : by;
    const answer = await this.#ask(context, { type: "selected", by: chosen, ...this.#question(context) });
    if (answer.outcome === "selected") return { project: Object.freeze(answer.project), message: answer.message };
    throw unexpected(answer);
  }

  /** Drops the selection; gives back what counts instead. */
  async unselect(context: CallContext): Promise<Readonly<Project> | null> {
    const answer = await this.#ask(context, { type: "selectionCleared", ...this.#question(context) }, { failing: false });
    return answer.outcome === "resolved" ? Object.freeze(answer.project) : null;
  }

  /** What every source says about this call, won or lost; `text` is made for reading. */
  async explain(context: CallContext, wish?: Wish): Promise<Explanation> {
    const answer = await this.#ask(context, { type: "asked", explain: true, ...this.#question(context, wish) }, { failing: false });
    if (answer.explanation) return answer.explanation;
    throw unexpected(answer);
  }

  /** Calls back when the connection's project is another one; gives back how to stop that. */
  onChange(changed: Changed): () => void {
    this.#listeners.add(changed);
    return () => void this.#listeners.delete(changed);
  }

  /** Registers ready-made tools; `false` leaves one out. */
  registerTools(names?: ToolNames): void {
    registerTools(this, this.#server, this.#sdk.generation, names);
  }

  async #resolve(context: CallContext, wish: Wish | undefined): Promise<Readonly<Project>> {
    const answer = await this.#ask(context, { type: "asked", ...this.#question(context, wish) });
    if (answer.outcome === "resolved") return Object.freeze(answer.project);
    throw unexpected(answer);
  }

  async #ask(context: CallContext, question: Question, { failing = true } = {}): Promise<Answer> {
    if (!this.#isGuarded(context)) throw unguarded();
    const round = this.#sdk.generation === 2 ? roundOf(context as never) : undefined;
    const signal = this.#sdk.signal(context as never);
    const answer = await this.#connect(context).ask(question, { signal, send: this.#sdk.sender(context as never) });
    if (answer.outcome === "needsInput") {
      if (round) round.needs = answer.inputRequests;
      throw new InputNeeded();
    }
    if (round && question.facts?.inputResponses) round.answered = true;
    if (failing && (answer.outcome === "refused" || answer.outcome === "unresolved")) throw failure(answer);
    return answer;
  }

  /** Also where it is not needed yet, so that the first client that needs it is not the one to find out. */
  #isGuarded(context: CallContext): boolean {
    if (!this.#gaps && !this.#sdk.modern(context as never, this.#protocol)) return true;
    return roundOf(context as never) !== undefined;
  }

  /** Whether the request itself says something about its project. */
  #saysMore(context: CallContext): boolean {
    if (this.#sdk.modern(context as never, this.#protocol) || this.#isAlone(context)) return true;
    return this.#sdk.facts(context as never, this.#profile) !== undefined;
  }

  /** Over HTTP without a session anybody may be behind the next request. */
  #isAlone(context: CallContext): boolean {
    return this.#sdk.http(context as never) && (context as { sessionId?: string }).sessionId === undefined;
  }

  #question(context: CallContext, wish?: Wish): { facts?: RequestFacts; askBy?: AskBy; target?: string } {
    const modern = this.#sdk.modern(context as never, this.#protocol);
    const alone = !modern && this.#isAlone(context);
    let facts = this.#sdk.facts(context as never, this.#profile);
    if (modern) facts = { ...facts, ...modernFacts(context as never) };
    // Capabilities of its own, even none, make a request stand for itself.
    if (alone) facts = { ...facts, capabilities: {} };
    if (wish?.argument !== undefined) facts = { ...facts, argument: wish.argument };
    if (wish?.host !== undefined) facts = { ...facts, host: wish.host };
    return {
      ...(facts ? { facts } : {}),
      ...(alone ? { askBy: "none" as const } : modern ? { askBy: "inputRequired" as const } : {}),
      ...(wish?.target !== undefined ? { target: wish.target } : {}),
    };
  }

  #message({ method, params }: Message, http: boolean, { sessionId }: Transport): void {
    if (method === "initialize") {
      // Without a session nothing ties later requests to this client.
      if (http && sessionId === undefined) return;
      const { protocolVersion, capabilities, clientInfo } = (params ?? {}) as Record<string, unknown>;
      this.#initialized = true;
      this.#open(http).tell({ type: "clientInitialized", protocolVersion, capabilities, clientInfo });
    } else if (method === "notifications/initialized") {
      this.#connection?.tell({ type: "clientReady" });
    } else if (method === "notifications/roots/list_changed") {
      this.#connection?.tell({ type: "rootsChanged" });
    }
  }

  #connect(context: CallContext): Connection {
    const connection = this.#open(this.#sdk.http(context as never));
    if (!this.#initialized && !this.#isAlone(context)) this.#catchUp(connection);
    return connection;
  }

  /** The handshake was over before anybody watched. */
  #catchUp(connection: Connection): void {
    const capabilities = this.#protocol.getClientCapabilities();
    if (capabilities === undefined) return;
    this.#initialized = true;
    connection.tell({ type: "clientInitialized", capabilities, clientInfo: this.#protocol.getClientVersion() });
    connection.tell({ type: "clientReady" });
  }

  #open(http: boolean): Connection {
    if (this.#connection) return this.#connection;
    const { host, allowedDirs, log } = this.#options;
    const given = allowedDirs ? { ...host, allowedDirs: [...allowedDirs] } : host;
    this.#connection = new Connection({
      profile: this.#profile,
      facts: hostFacts(this.#profile, http ? "http" : "stdio", given),
      send: this.#sdk.push(this.#protocol),
      log: (notice) => this.#safely(() => log?.(notice)),
      changed: (to, from) => {
        for (const listener of this.#listeners) this.#safely(() => listener(to, from));
      },
    });
    if (this.#ended) this.#connection.deafen();
    return this.#connection;
  }

  /** A callback that throws is its owner's trouble, not the connection's. */
  #safely(run: () => void): void {
    try {
      run();
    } catch (error) {
      process.emitWarning(error instanceof Error ? error : String(error));
    }
  }

  #close(): void {
    this.#connection?.close();
    this.#connection = undefined;
    this.#initialized = false;
    this.#ended = false;
  }
}

function unguarded(): RootwiseError {
  const text = "clients of 2026-07-28 could not be asked for their roots from this handler: it was registered before rootwise(server) was called, or it is not one of a tool, a prompt or a resource; call rootwise(server) first";
  return new RootwiseError("bad_options", text);
}

function unexpected(answer: Answer): Error {
  if (answer.outcome === "refused" || answer.outcome === "unresolved") return failure(answer);
  return answer.outcome === "needsInput" ? new InputNeeded() : closed();
}
