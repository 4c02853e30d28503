// A client in this process. It speaks the protocol itself, so that it serves servers on either generation of the SDK.
import { ClientError } from "../driver/errors.js";
import { ownOptions } from "../driver/options.js";
import type { Surroundings } from "../driver/surroundings.js";
import { RootwiseError } from "../error.js";
import type { PathStyle } from "../generated/types.js";
import type { AnyServer } from "../mcp/sdk.js";
import { pathToFileUri } from "../node/index.js";

/** A root: a path or a `file:` URI, or an entry of the list as it is sent. */
export type FakeRoot = string | { readonly uri: string; readonly name?: string | undefined };

/** What a client answers to a form of the server (elicitation). */
export interface FakeFormResult {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Readonly<Record<string, unknown>> | undefined;
}

/** The same for every form, or a function of the request's parameters. */
export type FakeForm =
  | FakeFormResult
  | "silent"
  | "refused"
  | "failed"
  | ((form: { readonly message?: string; readonly requestedSchema?: object }) => FakeFormResult);

/** Options of {@link FakeHost.connect}. */
export interface FakeClientOptions {
  /**
   * What the client answers when it is asked for its roots: a list; nothing (`silent`); or that it knows no such request
   * (`refused`). Without it, the client declares that it has no roots.
   */
  roots?: readonly FakeRoot[] | "silent" | "refused" | undefined;
  /** How late it answers. */
  delayMs?: number | undefined;
  /** Whether it is on another machine and reaches the server over HTTP, and not over stdio. */
  http?: boolean | undefined;
  /** Its name for itself; `test` by default. */
  name?: string | undefined;
  /** The revision of the protocol in its `initialize`, up to 2025-11-25, which is the default. */
  protocolVersion?: string | undefined;
  /** Whether it speaks 2026-07-28 with servers that do: it sends no `initialize` then, and makes a call again that asks it for something. */
  isModern?: boolean | undefined;
  /** What it declares; by default the capability `roots`, if it has any, and `elicitation`, if it has a `form`. */
  capabilities?: object | undefined;
  /**
   * What it answers to a form: a result; nothing (`silent`); that it knows no such request (`refused`); or another error
   * (`failed`). Without it, the client declares that it shows none.
   */
  form?: FakeForm | undefined;
  /** What its calls carry in `_meta`. */
  meta?: Readonly<Record<string, unknown>> | undefined;
  /** What they also carry for a server that declares an experimental capability of the name of the entry. */
  metaIfDeclared?: Readonly<Record<string, unknown>> | undefined;
}

const OPTIONS: readonly string[] = [
  "roots",
  "delayMs",
  "http",
  "name",
  "protocolVersion",
  "isModern",
  "capabilities",
  "form",
  "meta",
  "metaIfDeclared",
] satisfies (keyof FakeClientOptions)[];

/** What a call carries besides its arguments. */
export interface FakeRequest {
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** Of a client over HTTP. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Of a client over HTTP: the query of the address, such as `project_path=/srv/a`. */
  readonly query?: string | undefined;
}

/** The result of a tool. */
export interface FakeResult {
  readonly content: readonly { readonly type: string; readonly text?: string; readonly [name: string]: unknown }[];
  readonly isError?: boolean;
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly [name: string]: unknown;
}

/** A server of the SDKs, or a function that lets something else serve the transport that it gets. */
export type FakeServer = AnyServer | ((transport: never) => unknown);

interface Message {
  readonly jsonrpc?: "2.0";
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** What is read of the server's first result. */
interface Greeting {
  readonly capabilities?: { readonly experimental?: object };
}

/** A result of 2026-07-28 that asks for something. */
interface InputRequired {
  readonly resultType: "input_required";
  readonly inputRequests: Readonly<Record<string, { readonly method: string; readonly params?: unknown }>>;
  readonly requestState?: unknown;
}

/** The end of a connection that a server holds. */
interface ServerEnd {
  onmessage?: (message: Message, extra?: object) => void;
  onclose?: () => void;
  [name: string]: unknown;
}

/** The result of a request to the client, or an error; nothing if it says nothing. */
type Reply = Pick<Message, "result"> | { readonly error: NonNullable<Message["error"]> } | undefined;

const UNKNOWN = { code: -32601, message: "Method not found" };
const FAILED = { code: -32603, message: "Internal error" };

const MODERN = "2026-07-28";
/** More rounds than a server of sound mind needs. */
const MAX_ROUNDS = 16;

let sessions = 0;

/** A client with roots of its own, or without. */
export class FakeClient {
  readonly #machine: Surroundings;
  readonly #options: FakeClientOptions;
  readonly #waiting = new Map<unknown, Waiting>();
  readonly #end: ServerEnd;
  #roots: FakeClientOptions["roots"];
  #lastId = 0;
  #asked = 0;
  #isClosed = false;
  /** What each request of 2026-07-28 says of the client. */
  #envelope: Readonly<Record<string, unknown>> | undefined;
  /** The experimental capabilities of the server. */
  #declared: object = {};

  /** @internal */
  constructor(machine: Surroundings, options: FakeClientOptions) {
    this.#machine = machine;
    this.#options = ownOptions(options, OPTIONS);
    this.#roots = this.#options.roots;
    this.#end = {
      start: async () => {},
      send: async (message: Message) => queueMicrotask(() => this.#received(message)),
      close: async () => this.close(),
      ...(this.#options.http ? { sessionId: `fake-${++sessions}` } : { _stdin: machine.stdin }),
    };
  }

  /** @internal */
  async connect(server: FakeServer): Promise<void> {
    const { name = "test", protocolVersion = "2025-11-25", roots, form, isModern } = this.#options;
    const { capabilities = { ...(roots && { roots: { listChanged: true } }), ...(form && { elicitation: {} }) } } =
      this.#options;
    const clientInfo = { name, version: "1" };
    await (typeof server === "function" ? server(this.#end as never) : server.connect(this.#end as never));
    const envelope = {
      "io.modelcontextprotocol/protocolVersion": MODERN,
      "io.modelcontextprotocol/clientInfo": clientInfo,
      "io.modelcontextprotocol/clientCapabilities": capabilities,
    };
    // As real clients do that speak both: a server that does not know the question is an older one.
    const discovered = isModern && (await this.#discovered(envelope));
    if (discovered) this.#envelope = envelope;
    const greeted = discovered || (await this.request("initialize", { protocolVersion, capabilities, clientInfo }));
    this.#declared = (greeted as Greeting).capabilities?.experimental ?? {};
    if (!discovered) this.notify("notifications/initialized");
  }

  async #discovered(envelope: object): Promise<unknown> {
    try {
      return await this.request("server/discover", { _meta: envelope });
    } catch (error) {
      if (error instanceof ClientError) return undefined;
      throw error;
    }
  }

  /** Whether it speaks 2026-07-28 with this server. */
  get isModern(): boolean {
    return this.#envelope !== undefined;
  }

  /** How often the server asked for the roots. */
  get asked(): number {
    return this.#asked;
  }

  /**
   * Calls a tool. What the call says in `_meta` counts before what the calls of this client say. A call of 2026-07-28 that asks
   * for something is made again with the client's answers.
   *
   * @throws ClientError the server answered with an error, or the client cannot answer what it is asked for
   */
  async callTool(name: string, args: object = {}, request: FakeRequest = {}): Promise<FakeResult> {
    const { meta, metaIfDeclared = {} } = this.#options;
    const declared = Object.entries(metaIfDeclared).filter(([key]) => Object.hasOwn(this.#declared, key));
    const carried = { ...meta, ...Object.fromEntries(declared), ...request.meta };
    const whole = Object.keys(carried).length > 0 ? { ...request, meta: carried } : request;
    let params: object = { name, arguments: args };
    for (let round = 0; ; round += 1) {
      const result = (await this.request("tools/call", params, whole)) as FakeResult & Partial<InputRequired>;
      if (result.resultType !== "input_required" || round === MAX_ROUNDS) return result;
      const { inputRequests = {}, requestState } = result;
      const inputResponses = await this.#responses(inputRequests);
      params = { name, arguments: args, inputResponses, ...(requestState !== undefined && { requestState }) };
    }
  }

  /** What the client answers to the requests in the result of a call. */
  async #responses(requests: InputRequired["inputRequests"]): Promise<Record<string, unknown>> {
    const { delayMs } = this.#options;
    if (delayMs !== undefined) await new Promise<void>((go) => this.#machine.setTimer(go, delayMs).hold(true));
    const responses: Record<string, unknown> = {};
    for (const [key, { method, params }] of Object.entries(requests)) {
      if (method === "roots/list") this.#asked += 1;
      const reply = this.#reply(method, params);
      if (!reply) throw new ClientError(FAILED.code, `the client does not answer ${method}, so the call never ends`);
      if ("error" in reply) throw new ClientError(reply.error.code, reply.error.message);
      responses[key] = reply.result;
    }
    return responses;
  }

  /**
   * Sends any request; resolves with its result.
   *
   * @throws ClientError the server answered with an error
   */
  request(method: string, params: object = {}, request: FakeRequest = {}): Promise<unknown> {
    const id = ++this.#lastId;
    const meta = (request.meta || this.#envelope) && { ...this.#envelope, ...request.meta };
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(closed());
      this.#waiting.set(id, { resolve, reject });
      this.#deliver({ id, method, params: meta ? { ...params, _meta: meta } : params }, request);
    });
  }

  /** Sends a notification. */
  notify(method: string, params?: object): void {
    this.#deliver({ method, ...(params ? { params } : {}) });
  }

  /** Changes what the client answers. It tells the server, unless `isTold` is false, as some clients do not. */
  setRoots(roots: FakeClientOptions["roots"], isTold = true): void {
    this.#roots = roots;
    if (isTold) this.notify("notifications/roots/list_changed");
  }

  /** Ends the connection. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const { reject } of this.#waiting.values()) reject(closed());
    this.#end.onclose?.();
  }

  #deliver(message: Message, { headers = {}, query }: FakeRequest = {}): void {
    const url = `http://localhost/mcp${query ? `?${query.replace(/^\?/, "")}` : ""}`;
    const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const extra = this.#options.http
      ? { requestInfo: { headers: lower, url: new URL(url) }, request: new Request(url, { headers }) }
      : undefined;
    // As text, like on a wire: what is no JSON does not arrive.
    const copy = JSON.parse(JSON.stringify({ jsonrpc: "2.0", ...message })) as Message;
    queueMicrotask(() => this.#isClosed || this.#end.onmessage?.(copy, extra));
  }

  #received(message: Message): void {
    const { id, method, result, error } = message;
    if (method !== undefined && id !== undefined) this.#asks(id, method, message.params);
    const waiting = method === undefined ? this.#waiting.get(id) : undefined;
    if (!waiting) return;
    this.#waiting.delete(id);
    if (error) waiting.reject(new ClientError(error.code, error.message));
    else waiting.resolve(result);
  }

  #asks(id: unknown, method: string, params: unknown): void {
    if (method === "roots/list") this.#asked += 1;
    const { delayMs } = this.#options;
    const answer = () => {
      const reply = this.#reply(method, params);
      if (reply) this.#deliver({ id, ...reply });
    };
    if (delayMs === undefined || method === "ping") answer();
    else this.#machine.setTimer(answer, delayMs);
  }

  #reply(method: string, params: unknown): Reply {
    if (method === "ping") return { result: {} };
    if (method === "roots/list") return this.#listed();
    const { form = "refused" } = this.#options;
    if (method !== "elicitation/create" || form === "refused") return { error: UNKNOWN };
    if (form === "silent") return undefined;
    if (form === "failed") return { error: FAILED };
    return { result: typeof form === "function" ? form(params as object) : form };
  }

  #listed(): Reply {
    const roots = this.#roots;
    if (roots === "silent") return undefined;
    if (roots === "refused" || roots === undefined) return { error: UNKNOWN };
    return { result: { roots: roots.map((root) => rootOf(root, this.#machine.style)) } };
  }
}

/** A path becomes a URI; everything else is sent as it is. */
const rootOf = (root: FakeRoot, style: PathStyle) =>
  typeof root === "string" ? { uri: pathToFileUri(root, style) ?? root } : root;

const closed = () => new RootwiseError("closed", "the client is closed");
