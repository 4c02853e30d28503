// The HTTP exchanges of a Streamable HTTP transport: which streams are open, which broke, and what was requested.
import { AsyncLocalStorage } from "node:async_hooks";

/** How a transport with an event store keeps the streams of calls; private in both SDKs. */
interface StreamMaps {
  _requestToStreamMapping?: Map<unknown, unknown>;
  /** Streams that a client reads now: responses in early versions. */
  _streamMapping?: Map<unknown, { destroyed?: boolean } | undefined>;
}

/** One HTTP request and its response, which may be a stream that carries requests to the client. */
export class Exchange {
  /** The address as the client sent it, with its query. */
  readonly url: string | undefined;
  readonly #broken = new AbortController();
  readonly #streams: boolean;
  readonly #maps: StreamMaps | undefined;
  /** The ids of the calls in this request. */
  readonly #calls: unknown[] = [];
  #finished = false;
  /** The stream that was cut, of a call that still runs. */
  #cut: { readonly call: unknown; readonly stream: unknown } | undefined;
  /** Whether a stream was really opened; only known later for GET. */
  #opened: () => boolean;

  constructor(url: string | undefined, streams: boolean, maps?: StreamMaps) {
    this.url = url;
    this.#streams = streams;
    this.#maps = maps;
    this.#opened = () => true;
  }

  /** Whether the response can carry another message; one that is lost keeps it for the client's return. */
  get open(): boolean {
    return this.#streams && !this.#finished && !this.#broken.signal.aborted && (this.#cut !== undefined || this.#opened());
  }

  /** Whether the response was cut and the client has not resumed it yet. */
  get lost(): boolean {
    if (!this.#cut || this.#finished) return false;
    const stream = this.#streamOf(this.#cut.call);
    return stream === undefined || stream === this.#cut.stream || stream.destroyed === true;
  }

  /** Aborts when the stream ends before the server finished it. */
  get broken(): AbortSignal {
    return this.#broken.signal;
  }

  set opened(opened: () => boolean) {
    this.#opened = opened;
  }

  /** Whether the response ended, in whatever way. */
  get ended(): boolean {
    return this.#finished;
  }

  /** A call of this request arrived. */
  add(call: unknown): void {
    if (call !== undefined) this.#calls.push(call);
  }

  /** The response is closed, by the server if `completed`. Returns whether the client may resume it. */
  close(completed: boolean): boolean {
    // A server may also close the stream of a call that still runs, to have the client come back for it.
    const call = this.#calls.find((id) => this.#maps?._requestToStreamMapping?.has(id));
    if (call !== undefined) this.#cut = { call, stream: this.#streamOf(call) };
    else if (completed) this.#finished = true;
    else this.break();
    return call !== undefined;
  }

  /** The client or the network ended the response for good. */
  break(): void {
    if (!this.#finished) this.#broken.abort("the stream broke");
    this.#finished = true;
  }

  #streamOf(call: unknown) {
    return this.#maps?._streamMapping?.get(this.#maps._requestToStreamMapping?.get(call));
  }
}

/** The exchange that an HTTP request's messages are processed in. */
const current = new AsyncLocalStorage<Exchange>();
/** By the object that represents the HTTP request in a handler's context. */
const exchanges = new WeakMap<object, Exchange>();

/** Remembers the exchange of a message that just arrived; a call has an id. */
export function bindExchange(extra: { requestInfo?: unknown; request?: unknown } | undefined, call: unknown): void {
  const exchange = current.getStore();
  exchange?.add(call);
  const request = extra?.requestInfo ?? extra?.request;
  if (exchange && typeof request === "object" && request !== null) exchanges.set(request, exchange);
}

/** The exchange of an HTTP request; undefined for transports that do not tell. */
export const exchangeOf = (request: object | undefined): Exchange | undefined => (request ? exchanges.get(request) : undefined);

interface NodeRequest {
  readonly method?: string;
  readonly url?: string;
  readonly originalUrl?: string;
  readonly headers?: Record<string, unknown>;
}

interface NodeResponse {
  readonly headersSent: boolean;
  readonly statusCode: number;
  readonly destroyed: boolean;
  readonly writableEnded: boolean;
  readonly writableFinished: boolean;
  once(event: "close", listener: () => void): unknown;
}

type Handle = (request: Request | NodeRequest, ...rest: unknown[]) => Promise<unknown>;

/** A transport with an HTTP entry, as both SDKs have it. */
export interface HttpTransport {
  handleRequest?: Handle;
}

/** The streams of one HTTP session that do not belong to a call. */
export interface SessionStreams {
  /** The open GET stream. */
  readonly standalone: Exchange | undefined;
}

/** Observes the exchanges of a Streamable HTTP transport; undefined for other transports. `lost` runs when a call's stream is cut that may be resumed. */
export function observeExchanges(transport: object, lost: () => void): SessionStreams | undefined {
  const http = transport as HttpTransport;
  const handle = http.handleRequest;
  if (typeof handle !== "function") return undefined;
  const standalone = new Set<Exchange>();
  http.handleRequest = (request, ...rest) => {
    const isGet = request.method === "GET";
    const exchange = new Exchange(addressOf(request), isGet || !answersInJson(transport), isGet ? undefined : resumableStreams(transport));
    if (isGet && !header(request, "last-event-id")) {
      for (const earlier of standalone) if (earlier.ended) standalone.delete(earlier);
      standalone.add(exchange);
    }
    const [response] = rest;
    return current.run(exchange, () =>
      isNodeResponse(response)
        ? observeNode(response, exchange, isGet, lost, () => handle.call(transport, request, ...rest))
        : observeWeb(exchange, request as Request, isGet, lost, () => handle.call(transport, request, ...rest)),
    );
  };
  return {
    get standalone() {
      for (const exchange of standalone) if (exchange.open) return exchange;
      return undefined;
    },
  };
}

function observeNode(response: NodeResponse, exchange: Exchange, isGet: boolean, lost: () => void, handle: () => Promise<unknown>): Promise<unknown> {
  exchange.opened = () => !response.writableEnded && !response.destroyed && (response.headersSent ? response.statusCode === 200 : !isGet);
  // The client of a response that is closed already cannot come back: it has not received anything to resume from.
  if (response.destroyed) exchange.break();
  response.once("close", () => {
    if (exchange.close(response.writableFinished)) lost();
  });
  return handle();
}

async function observeWeb(exchange: Exchange, { signal }: Request, isGet: boolean, lost: () => void, handle: () => Promise<unknown>): Promise<unknown> {
  if (isGet) exchange.opened = () => false;
  if (signal?.aborted) exchange.break();
  const response = await handle();
  if (!(response instanceof Response) || !response.body || !isEventStream(response)) {
    exchange.close(true);
    return response;
  }
  exchange.opened = () => true;
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const close = (completed: boolean) => {
    if (exchange.close(completed)) lost();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          close(true);
          controller.close();
        } catch (error) {
          close(false);
          controller.error(error);
        }
      },
      cancel(reason) {
        close(false);
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, response);
}

const isEventStream = ({ headers, status }: Response) => status === 200 && (headers.get("content-type") ?? "").startsWith("text/event-stream");

const isNodeResponse = (response: unknown): response is NodeResponse =>
  typeof response === "object" && response !== null && "writableEnded" in response && "headersSent" in response;

function addressOf(request: Request | NodeRequest): string | undefined {
  return (request as NodeRequest).originalUrl ?? request.url;
}

function header({ headers }: Request | NodeRequest, name: string): unknown {
  return headers instanceof Headers ? headers.get(name) : (headers as Record<string, unknown> | undefined)?.[name];
}

interface Settings extends StreamMaps {
  _enableJsonResponse?: unknown;
  _eventStore?: unknown;
}

/** The transports keep their options private, and the Node ones wrap another; without the field the default applies. */
function settingsOf(transport: object): Settings {
  return ((transport as { _webStandardTransport?: Settings })._webStandardTransport ?? transport) as Settings;
}

/** Such a transport silently drops requests that belong to a call. */
const answersInJson = (transport: object) => settingsOf(transport)._enableJsonResponse === true;

/** With an event store the client can resume a stream that was cut, and receives the requests on it then. */
function resumableStreams(transport: object): StreamMaps | undefined {
  const settings = settingsOf(transport);
  return settings._eventStore === undefined || answersInJson(transport) ? undefined : settings;
}
