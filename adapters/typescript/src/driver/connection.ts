// One client of a server without an SDK: a session of a loop of its own.
import type {
  Answer,
  EndpointLog,
  Explanation,
  HostFacts,
  Policy,
  RequestFacts,
  RouteRequest,
  SelectBy,
} from "../generated/types.js";
import type { PresetName } from "../resolver.js";
import { guarded } from "./callbacks.js";
import { failure, Undeliverable } from "./errors.js";
import { Loop } from "./loop.js";
import type { Question } from "./loop-host.js";
import { checkFunction, own, ownOptions } from "./options.js";
import { requiringPath } from "./policy.js";
import type { Project, ProjectListener } from "./project.js";

/** Sends requests to the client. */
export interface Sender {
  /**
   * Sends a request and resolves with the raw result, unchecked. Rejects with a `ClientError` if the client answered with
   * an error; any other rejection means that the request could not be delivered.
   */
  send(request: RouteRequest, signal: AbortSignal): Promise<unknown>;
}

/** Options of one question. */
export interface QuestionOptions {
  /** Aborts when the caller stops waiting. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of one ask. */
export interface AskOptions extends QuestionOptions {
  /** A path the call touches, to choose between several roots and to find its package. */
  readonly target?: string | undefined;
}

/** Options of a {@link Connection}. */
export interface ConnectionOptions<RequirePath extends boolean = true> {
  /** A preset's name or a policy; by default `recommended`. */
  readonly policy?: PresetName | Policy | undefined;
  /** Whether a project must have a folder that this process can use, which is the default; replaces the policy's own field. */
  readonly requirePath?: RequirePath | undefined;
  /** Facts about this process and the connection; `hostFacts()` collects them. */
  readonly host: HostFacts;
  /** Reaches the client at any time; without one it is never asked. */
  readonly sender?: Sender | undefined;
  /** Receives every change of the connection's project. */
  readonly onChange?: ProjectListener<RequirePath> | undefined;
  readonly log?: ((line: EndpointLog) => void) | undefined;
  /** Milliseconds of a clock that does not run backwards. */
  readonly clock?: (() => number) | undefined;
  /** A connection that another process saved with `snapshot()`; the client is asked for its roots again. */
  readonly saved?: string | undefined;
  /** A secret of at least 32 bytes that seals `snapshot()`: `saved` is then accepted only if it is sealed with it. */
  readonly snapshotKey?: string | undefined;
  /** Starts the ids of requests; distinct in every process that restores the same connection. */
  readonly idPrefix?: string | undefined;
}

const OPTIONS: readonly string[] = [
  "policy",
  "requirePath",
  "host",
  "sender",
  "onChange",
  "log",
  "clock",
  "saved",
  "snapshotKey",
  "idPrefix",
] satisfies (keyof ConnectionOptions)[];
const FUNCTIONS = ["onChange", "log", "clock"] as const;

/** One client connection: its project, and everything that waits for it. */
export class Connection<RequirePath extends boolean = true> {
  readonly #loop: Loop;
  readonly #session: number;
  #client: string | undefined;

  constructor(given: ConnectionOptions<RequirePath>) {
    const options = ownOptions(given, OPTIONS);
    for (const name of FUNCTIONS) if (options[name] !== undefined) checkFunction(options[name], name);
    if (options.sender !== undefined) checkFunction(options.sender?.send, "sender.send");
    const { sender, saved, snapshotKey, idPrefix, clock } = options;
    const host = own(options.host);
    const policy = requiringPath(options.policy, options.requirePath);
    this.#loop = new Loop({
      open: () => ({ policy, host }),
      clock,
      send: async (request, signal) => {
        if (!sender) throw new Undeliverable("the connection has no sender");
        return sender.send(request, signal);
      },
      announce: ({ to, from, ended = false, shared }) => {
        const listener = options.onChange as ProjectListener<boolean> | undefined;
        const connection = { id: this.#session, client: this.#client, ended, ...(shared ? { shared } : {}) };
        guarded(() => listener?.(to ?? undefined, from ?? undefined, connection));
      },
      log: (line) => options.log?.(line),
    });
    this.#session = this.#loop.openSession({
      transport: host.transport ?? "stdio",
      push: sender ? true : undefined,
      saved,
      snapshotKey,
      idPrefix,
    });
  }

  /** Returns the connection's state as text, for the option `saved` in this or another process. */
  snapshot(): string {
    return this.#loop.snapshot(this.#session);
  }

  /** The connection's project as far as it is known. */
  get project(): Readonly<Project<RequirePath>> | undefined {
    return this.#loop.session(this.#session)?.project as Readonly<Project<RequirePath>> | undefined;
  }

  get closed(): boolean {
    return this.#loop.session(this.#session) === undefined;
  }

  /** The result of every source for the connection's project. */
  explain(): Explanation {
    return this.#loop.explain(this.#session);
  }

  /** The client sent `initialize` with these raw params. */
  initialized({
    protocolVersion,
    capabilities,
    clientInfo,
  }: {
    readonly protocolVersion?: unknown;
    readonly capabilities?: unknown;
    readonly clientInfo?: unknown;
  }): void {
    this.#client = clientName(clientInfo);
    this.#loop.feed({ type: "clientInitialized", session: this.#session, protocolVersion, capabilities, clientInfo });
  }

  /** The client sent `notifications/initialized`. */
  ready(): void {
    this.#loop.feed({ type: "clientReady", session: this.#session });
  }

  /** The client sent `notifications/roots/list_changed`. */
  rootsChanged(): void {
    this.#loop.feed({ type: "rootsChanged", session: this.#session });
  }

  /** The client sends no more messages: pending requests fail, and their callers get the next source. */
  inputClosed(): void {
    this.#loop.feed({ type: "inputClosed", session: this.#session });
  }

  /**
   * Returns the project of a call.
   *
   * @throws NoProjectError no project was found
   * @throws NeedsInput the client must send its roots with a repeated call
   */
  async ask(facts?: RequestFacts, { target, ...options }: AskOptions = {}): Promise<Readonly<Project<RequirePath>>> {
    return projectOf(await this.question({ type: "asked", target }, facts, options));
  }

  /**
   * Selects the connection's project.
   *
   * @throws NoProjectError the selection was refused
   */
  async select(
    by: string | SelectBy,
    facts?: RequestFacts,
    options?: QuestionOptions,
  ): Promise<Readonly<Project<RequirePath>>> {
    return projectOf(
      await this.question({ type: "selected", by: typeof by === "string" ? { value: by } : by }, facts, options),
    );
  }

  /** Puts any question and returns the answer as it is. */
  async question(question: Question, facts: RequestFacts = {}, { signal }: QuestionOptions = {}): Promise<Answer> {
    const { server, ...parts } = own(facts);
    const [session, call] = [this.#session, this.#loop.id()];
    const cancel = () => this.#loop.feed({ type: "callEnded", call, cancelled: true });
    // The ask of a call that was never started is answered as one of a call that is over.
    if (!this.closed && !signal?.aborted) this.#loop.feed({ type: "callStarted", call, session, ...parts });
    signal?.addEventListener("abort", cancel, { once: true });
    const by = this.closed ? { session } : { call };
    try {
      return await this.#loop.ask(question.type === "asked" ? { ...question, server, ...by } : { ...question, ...by });
    } finally {
      signal?.removeEventListener("abort", cancel);
      this.#loop.feed({ type: "callEnded", call });
    }
  }

  /** Ends the connection and answers everything that waits for it. */
  close(): void {
    this.#loop.close();
  }
}

/** The project of an answer; throws what stands in its place. */
export function projectOf<RequirePath extends boolean>(answer: Answer): Readonly<Project<RequirePath>> {
  if (answer.outcome === "resolved" || answer.outcome === "selected")
    return Object.freeze(answer.project as Project<RequirePath>);
  throw failure(answer);
}

/** The client's name for itself. */
export function clientName(info: unknown): string | undefined {
  const { name } = (info ?? {}) as { name?: unknown };
  return typeof name === "string" ? name : undefined;
}
