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
  /** The revision of the protocol, up to 2025-11-25, which is the default. */
  protocolVersion?: string | undefined;
  /** What it declares; by default the capability `roots`, if it has any. */
  capabilities?: object | undefined;
}

const OPTIONS: readonly string[] = [
  "roots",
  "delayMs",
  "http",
  "name",
  "protocolVersion",
  "capabilities",
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

/** The end of a connection that a server holds. */
interface ServerEnd {
  onmessage?: (message: Message, extra?: object) => void;
  onclose?: () => void;
  [name: string]: unknown;
}

const UNKNOWN = { code: -32601, message: "Method not found" };

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
  async connect(server: AnyServer): Promise<void> {
    const { name = "test", protocolVersion = "2025-11-25", roots } = this.#options;
    const { capabilities = roots === undefined ? {} : { roots: { listChanged: true } } } = this.#options;
    await server.connect(this.#end as never);
    await this.request("initialize", { protocolVersion, capabilities, clientInfo: { name, version: "1" } });
    this.notify("notifications/initialized");
  }

  /** How often the server asked for the roots. */
  get asked(): number {
    return this.#asked;
  }

  /** Calls a tool. */
  async callTool(name: string, args: object = {}, request: FakeRequest = {}): Promise<FakeResult> {
    return (await this.request("tools/call", { name, arguments: args }, request)) as FakeResult;
  }

  /**
   * Sends any request; resolves with its result.
   *
   * @throws ClientError the server answered with an error
   */
  request(method: string, params: object = {}, request: FakeRequest = {}): Promise<unknown> {
    const id = ++this.#lastId;
    const { meta } = request;
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
    if (method === "roots/list") this.#askedForRoots(id);
    else if (method === "ping") this.#deliver({ id, result: {} });
    else if (method !== undefined && id !== undefined) this.#deliver({ id, error: UNKNOWN });
    const waiting = method === undefined ? this.#waiting.get(id) : undefined;
    if (!waiting) return;
    this.#waiting.delete(id);
    if (error) waiting.reject(new ClientError(error.code, error.message));
    else waiting.resolve(result);
  }

  #askedForRoots(id: unknown): void {
    this.#asked += 1;
    const { delayMs } = this.#options;
    const answer = () => {
      const roots = this.#roots;
      if (roots === "silent") return;
      if (roots === "refused" || roots === undefined) this.#deliver({ id, error: UNKNOWN });
      else this.#deliver({ id, result: { roots: roots.map((root) => rootOf(root, this.#machine.style)) } });
    };
    if (delayMs === undefined) answer();
    else this.#machine.setTimer(answer, delayMs);
  }
}

/** A path becomes a URI; everything else is sent as it is. */
const rootOf = (root: FakeRoot, style: PathStyle) =>
  typeof root === "string" ? { uri: pathToFileUri(root, style) ?? root } : root;

const closed = () => new RootwiseError("closed", "the client is closed");
