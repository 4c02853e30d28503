// The HTTP exchanges of a Streamable HTTP transport: which streams are open, which broke, and what was requested.
import { AsyncLocalStorage } from "node:async_hooks";

/** How a transport with an event store keeps the streams of calls; private in both SDKs. */
interface StreamMaps {
  _requestToStreamMapping?: Map<unknown, unknown>;
  /** Streams that a client reads now: responses in early versions. */
  _streamMapping?: Map<unknown, { destroyed?: boolean } | undefined>;
}

/** `waiting`: it cannot carry requests, or not yet; `cut`: gone, and the client may come back for it; `done`: finished by the server. */
type ExchangeState = "waiting" | "open" | "cut" | "broken" | "done";

/** One HTTP request and its response, which may be a stream that carries requests to the client. */
export class Exchange {
  /** The address as the client sent it, with its query. */
  readonly url: string | undefined;
  /** The id and the state with which it was reported last. */
  channel: number | undefined;
  reported: ExchangeState = "waiting";
  /** The ids of the calls in this request. */
  readonly calls: unknown[] = [];
  /** Whether a stream was really opened; only known later for GET. */
  opened: () => boolean = () => true;
  readonly #carries: boolean;
  readonly #maps: StreamMaps | undefined;
  #end: "broken" | "done" | undefined;
  /** The stream that was cut, of a call that still runs. */
  #cut: { readonly call: unknown; readonly stream: unknown } | undefined;

  constructor(url: string | undefined, carries: boolean, maps?: StreamMaps) {
    this.url = url;
    this.#carries = carries;
    this.#maps = maps;
  }

  get state(): ExchangeState {
    if (this.#end) return this.#end;
    if (this.#cut) return this.#isLost(this.#cut) ? "cut" : "open";
    return this.#carries && this.opened() ? "open" : "waiting";
  }

  /** Whether the response ended, in whatever way. */
  get ended(): boolean {
    return this.#end !== undefined;
  }

  /** The response is closed, by the server if `completed`. */
  close(completed: boolean): void {
    // A server may also close the stream of a call that still runs, to have the client come back for it.
    const call = this.calls.find((id) => this.#maps?._requestToStreamMapping?.has(id));
    if (call !== undefined) this.#cut = { call, stream: this.#streamOf(call) };
    else this.#end ??= completed ? "done" : "broken";
  }

  #isLost({ call, stream: lost }: { readonly call: unknown; readonly stream: unknown }): boolean {
    const stream = this.#streamOf(call);
    return stream === undefined || stream === lost || stream.destroyed === true;
  }

  #streamOf(call: unknown) {
    return this.#maps?._streamMapping?.get(this.#maps._requestToStreamMapping?.get(call));
  }
}

/** By what shows with a message in which HTTP request it came: the request, its headers, or the object in a handler's context. */
const exchanges = new WeakMap<object, Exchange>();
/** The exchange that a transport is given, and the one whose message it hands over, at this moment. */
let entering: Exchange | undefined;
let arriving: Exchange | undefined;
/** For transports that show nothing. Not used before one is met, because it makes every promise of the process slower before Node 24. */
const current = new AsyncLocalStorage<Exchange>();
let isHidden = false;

const done = Promise.resolve();
const forget = () => void (arriving = undefined);

/** What a transport is called with, so that its messages show their exchange. */
function showing(exchange: Exchange, request: Request | NodeRequest, rest: unknown[]): unknown[] {
  const [options, ...more] = rest;
  // SDK 2.x hands the request over with each message, early versions of 1.x its headers.
  exchanges.set(request, exchange);
  if (isNodeResponse(options)) {
    if (request.headers) exchanges.set(request.headers, exchange);
    return rest;
  }
  const { authInfo } = (options ?? {}) as { authInfo?: unknown };
  // Later versions of 1.x read this while they hand a message over.
  const shown = {
    ...(options as object | undefined),
    get authInfo() {
      arriving = exchange;
      // Not `queueMicrotask`, which makes an asynchronous resource.
      void done.then(forget);
      return authInfo;
    },
  };
  return [shown, ...more];
}

/** Remembers the exchange of a call that just arrived. */
export function bindExchange(
  extra: { requestInfo?: { headers?: object }; request?: object } | undefined,
  call: unknown,
): void {
  const { requestInfo, request } = extra ?? {};
  const shows = request ?? requestInfo?.headers;
  const exchange = (shows && exchanges.get(shows)) ?? arriving ?? current.getStore();
  isHidden ||= exchange === undefined;
  exchange?.calls.push(call);
  const key = requestInfo ?? request;
  if (exchange && key) exchanges.set(key, exchange);
}

/** The exchange of an HTTP request; undefined for transports that do not tell. */
export const exchangeOf = (request: object | undefined): Exchange | undefined =>
  request ? exchanges.get(request) : undefined;

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

/** A transport with an HTTP entry, as both SDKs have it; its options are private. Without a field the default applies. */
interface HttpTransport extends StreamMaps {
  handleRequest?(request: Request | NodeRequest, ...rest: unknown[]): Promise<unknown>;
  /** Such a transport silently drops requests that belong to a call. */
  readonly _enableJsonResponse?: unknown;
  /** With one the client can resume a stream that was cut, and receives the requests on it then. */
  readonly _eventStore?: unknown;
  /** The transport that those for Node wrap. */
  readonly _webStandardTransport?: HttpTransport;
}

/**
 * Observes the exchanges of a Streamable HTTP transport: `ended` runs when a response ends. Returns its GET streams;
 * undefined for other transports.
 */
export function observeExchanges(transport: object, ended: (exchange: Exchange) => void): Set<Exchange> | undefined {
  const http = transport as HttpTransport;
  const inner = http._webStandardTransport ?? http;
  const inside = inner.handleRequest;
  if (typeof http.handleRequest !== "function" || typeof inside !== "function") return undefined;
  inner.handleRequest = (request, ...rest) =>
    inside.call(inner, request, ...(entering ? showing(entering, request, rest) : rest));
  const handle = http.handleRequest;
  const standalone = new Set<Exchange>();
  http.handleRequest = (request, ...rest) => {
    const isGet = request.method === "GET";
    const inJson = inner._enableJsonResponse === true;
    const isResumable = !isGet && !inJson && inner._eventStore !== undefined;
    const exchange = new Exchange(
      (request as NodeRequest).originalUrl ?? request.url,
      isGet || !inJson,
      isResumable ? inner : undefined,
    );
    if (isGet && !header(request, "last-event-id")) standalone.add(exchange);
    const close = (completed: boolean) => {
      exchange.close(completed);
      standalone.delete(exchange);
      ended(exchange);
    };
    const [response] = rest;
    const enter = () => {
      entering = exchange;
      try {
        return handle.call(transport, request, ...rest);
      } finally {
        entering = undefined;
      }
    };
    const run = () =>
      isNodeResponse(response)
        ? observeNode(response, exchange, isGet, close, enter)
        : observeWeb(exchange, request as Request, isGet, close, enter);
    return isHidden ? current.run(exchange, run) : run();
  };
  return standalone;
}

function observeNode(
  response: NodeResponse,
  exchange: Exchange,
  isGet: boolean,
  close: (completed: boolean) => void,
  handle: () => Promise<unknown>,
): Promise<unknown> {
  exchange.opened = () =>
    !response.writableEnded && !response.destroyed && (response.headersSent ? response.statusCode === 200 : !isGet);
  // The client of a response that is closed already cannot come back: it has not received anything to resume from.
  if (response.destroyed) close(false);
  response.once("close", () => close(response.writableFinished));
  return handle();
}

async function observeWeb(
  exchange: Exchange,
  { signal }: Request,
  isGet: boolean,
  close: (completed: boolean) => void,
  handle: () => Promise<unknown>,
): Promise<unknown> {
  if (isGet) exchange.opened = () => false;
  if (signal?.aborted) close(false);
  const response = await handle();
  if (!(response instanceof Response) || !response.body || !isEventStream(response)) {
    close(true);
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

const isEventStream = ({ headers, status }: Response) =>
  status === 200 && (headers.get("content-type") ?? "").startsWith("text/event-stream");

const isNodeResponse = (response: unknown): response is NodeResponse =>
  typeof response === "object" && response !== null && "writableEnded" in response && "headersSent" in response;

function header({ headers }: Request | NodeRequest, name: string): unknown {
  return headers instanceof Headers ? headers.get(name) : (headers as Record<string, unknown> | undefined)?.[name];
}
