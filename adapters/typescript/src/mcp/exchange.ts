// The HTTP exchanges of a Streamable HTTP transport: which streams are open, which broke, and what was requested.
import { AsyncLocalStorage } from "node:async_hooks";

/** One HTTP request and its response, which may be a stream that carries requests to the client. */
export class Exchange {
  /** The address as the client sent it, with its query. */
  readonly url: string | undefined;
  readonly #broken = new AbortController();
  readonly #streams: boolean;
  #finished = false;
  /** Whether a stream was really opened; only known later for GET. */
  #opened: () => boolean;

  constructor(url: string | undefined, streams: boolean, opened: () => boolean = () => true) {
    this.url = url;
    this.#streams = streams;
    this.#opened = opened;
  }

  /** Whether the response can carry another message. */
  get open(): boolean {
    return this.#streams && !this.#finished && !this.#broken.signal.aborted && this.#opened();
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

  /** The response ended as the server intended. */
  finish(): void {
    this.#finished = true;
  }

  /** The client or the network ended the response. */
  break(): void {
    if (!this.#finished) this.#broken.abort("the stream broke");
    this.#finished = true;
  }
}

/** The exchange that an HTTP request's messages are processed in. */
const current = new AsyncLocalStorage<Exchange>();
/** By the object that represents the HTTP request in a handler's context. */
const exchanges = new WeakMap<object, Exchange>();

/** Remembers the exchange of a message that just arrived. */
export function bindExchange(extra: { requestInfo?: unknown; request?: unknown } | undefined): void {
  const exchange = current.getStore();
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

/** Observes the exchanges of a Streamable HTTP transport; undefined for other transports. */
export function observeExchanges(transport: object): SessionStreams | undefined {
  const http = transport as HttpTransport;
  const handle = http.handleRequest;
  if (typeof handle !== "function") return undefined;
  const standalone = new Set<Exchange>();
  http.handleRequest = (request, ...rest) => {
    const isGet = request.method === "GET";
    const exchange = new Exchange(addressOf(request), isGet || !answersInJson(transport));
    if (isGet && !header(request, "last-event-id")) {
      for (const earlier of standalone) if (earlier.ended) standalone.delete(earlier);
      standalone.add(exchange);
    }
    const [response] = rest;
    return current.run(exchange, () =>
      isNodeResponse(response)
        ? observeNode(response, exchange, isResumable(transport), isGet, () => handle.call(transport, request, ...rest))
        : observeWeb(exchange, isResumable(transport), isGet, handle.call(transport, request, ...rest)),
    );
  };
  return {
    get standalone() {
      for (const exchange of standalone) if (exchange.open) return exchange;
      return undefined;
    },
  };
}

function observeNode(response: NodeResponse, exchange: Exchange, resumable: boolean, isGet: boolean, handle: () => Promise<unknown>): Promise<unknown> {
  exchange.opened = () => !response.writableEnded && (response.headersSent ? response.statusCode === 200 : !isGet);
  response.once("close", () => {
    if (response.writableFinished) exchange.finish();
    else if (isGet || !resumable) exchange.break();
  });
  return handle();
}

async function observeWeb(exchange: Exchange, resumable: boolean, isGet: boolean, handled: Promise<unknown>): Promise<unknown> {
  if (isGet) exchange.opened = () => false;
  const response = await handled;
  if (!(response instanceof Response) || !response.body || !isEventStream(response)) {
    exchange.finish();
    return response;
  }
  exchange.opened = () => true;
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          exchange.finish();
          controller.close();
        } catch (error) {
          exchange.break();
          controller.error(error);
        }
      },
      cancel(reason) {
        if (isGet || !resumable) exchange.break();
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

interface Settings {
  _enableJsonResponse?: unknown;
  _eventStore?: unknown;
}

/** The transports keep their options private, and the Node ones wrap another; without the field the default applies. */
function settingsOf(transport: object): Settings {
  return ((transport as { _webStandardTransport?: Settings })._webStandardTransport ?? transport) as Settings;
}

/** Such a transport silently drops requests that belong to a call. */
const answersInJson = (transport: object) => settingsOf(transport)._enableJsonResponse === true;

/** With an event store the client can resume a stream that broke, and receives the requests on it then. */
const isResumable = (transport: object) => settingsOf(transport)._eventStore !== undefined;
