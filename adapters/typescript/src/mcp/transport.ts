// Observes a transport in front of the SDK: the handshake, changes of roots, and HTTP exchanges. The SDK's own hooks are
// single slots that a later assignment replaces; transports chain.
import { bindExchange, observeExchanges, type SessionStreams } from "./exchange.js";
import type { Protocol, Transport } from "./sdk.js";
import { rememberState, REPEATABLE_METHODS } from "./sdk2.js";

export interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
}

/** What a transport says about itself. */
export interface Link {
  /** The streams of Streamable HTTP. */
  readonly streams: SessionStreams | undefined;
  /** Whether it is the standard input and output of this process. */
  readonly stdio: boolean;
  /** The address of the stream that the client opened first, of the transport with two addresses. */
  readonly address: string | undefined;
}

export interface Observer {
  /** A server got this transport. */
  attached(transport: Transport, link: Link): void;
  /** A message of the handshake or about roots arrived; `http` tells how. */
  message(transport: Transport, message: Message, http: boolean): void;
  /** A request arrived on a pipe after a second `initialize`, or was the last one before it. */
  requested(transport: Transport, message: Message): void;
  /** The stream of a call was cut, and the client may resume it. */
  lost(transport: Transport): void;
  /** A response arrived to one of our requests that has been answered before. */
  answeredAgain(transport: Transport, request: number, result: unknown): void;
  /** The client sends no more messages, but may still read. */
  inputClosed(transport: Transport): void;
  closed(transport: Transport): void;
}

/** Observes the transport a server has, and every one it gets. */
export function observe(protocol: Protocol, observer: Observer): void {
  const connect = protocol.connect;
  protocol.connect = (transport) => {
    attach(transport, observer);
    return connect.call(protocol, transport);
  };
  if (protocol.transport) attach(protocol.transport, observer);
}

const OBSERVED = new Set<unknown>(["initialize", "notifications/initialized", "notifications/roots/list_changed"]);

function attach(transport: Transport, observer: Observer): void {
  const stdio = isStdio(transport);
  const streams = observeExchanges(transport, () => observer.lost(transport));
  observer.attached(transport, { streams, stdio, address: streamAddress(transport) });
  const answers = streams ? undefined : new Answers(transport);
  const requests = streams ? undefined : new Requests((message) => observer.requested(transport, message));
  const { onmessage, onclose } = transport;
  transport.onmessage = (message: Message, extra?: { requestInfo?: unknown; request?: unknown }) => {
    bindExchange(extra, message?.method === undefined ? undefined : message.id);
    requests?.arrived(message);
    if (OBSERVED.has(message?.method)) {
      observer.message(transport, message, extra?.requestInfo !== undefined || extra?.request !== undefined);
    } else if (REPEATABLE_METHODS.includes(message?.method)) {
      rememberState(message.params);
    }
    const again = answers?.again(message);
    if (again !== undefined) observer.answeredAgain(transport, again, message.result);
    onmessage?.(message as never, extra as never);
  };
  const release = stdio ? onStdinEnd(() => observer.inputClosed(transport)) : undefined;
  transport.onclose = () => {
    release?.();
    observer.closed(transport);
    onclose?.();
  };
}

interface Streams {
  _stdin?: unknown;
  /** The transport behind the one that SDK 2.x gives to a server. */
  _wire?: { _stdin?: unknown };
  /** The response that is the stream of SSE. */
  res?: { req?: { url?: string; originalUrl?: string } };
}

/** Only this transport is known to belong to whoever started the process; a class or its name can stand for anything. */
function isStdio(transport: object): boolean {
  const { _stdin, _wire } = transport as Streams;
  return (_stdin ?? _wire?._stdin) === process.stdin;
}

function streamAddress(transport: object): string | undefined {
  const { req } = (transport as Streams).res ?? {};
  return req?.originalUrl ?? req?.url;
}

/** Shows the requests on a pipe once a second `initialize` came, because their ids tell clients apart that share it. */
class Requests {
  readonly #show: (message: Message) => void;
  #last: Message | undefined;
  #handshakes = 0;

  constructor(show: (message: Message) => void) {
    this.#show = show;
  }

  arrived(message: Message | undefined): void {
    if (message?.method === undefined || message.id === undefined) return;
    if (message.method === "initialize") {
      this.#handshakes += 1;
      if (this.#handshakes === 2 && this.#last) this.#show(this.#last);
    } else if (this.#handshakes > 1) {
      this.#show(message);
    }
    this.#last = { id: message.id, method: message.method };
  }
}

/** Marks a request of ours; SDKs copy it, and JSON leaves it out. */
export const REQUEST = Symbol("rootwise request");

/** Requests whose answers are watched. */
const MOST_WATCHED = 8;

/** Notices second answers to our requests, which the SDKs drop. */
class Answers {
  readonly #requests = new Map<unknown, { readonly request: number; answered: boolean }>();

  constructor(transport: Transport) {
    const { send } = transport;
    transport.send = (...args) => {
      const [message] = args as unknown as [{ id?: unknown; [REQUEST]?: number } | undefined];
      if (message?.[REQUEST] !== undefined) this.#watch(message.id, message[REQUEST]);
      return send?.apply(transport, args);
    };
  }

  #watch(id: unknown, request: number): void {
    const [oldest] = this.#requests.keys();
    if (this.#requests.size >= MOST_WATCHED) this.#requests.delete(oldest);
    this.#requests.set(id, { request, answered: false });
  }

  /** The request that a message answers again. */
  again(message: Message | undefined): number | undefined {
    const entry = message?.method === undefined ? this.#requests.get(message?.id) : undefined;
    if (entry?.answered) return entry.request;
    if (entry) entry.answered = true;
    return undefined;
  }
}

const onEnd = new Set<() => void>();

/**
 * SDK 1.x does not notice that its client closed the pipe, and a pending request would keep the process alive until it
 * expires.
 */
function onStdinEnd(run: () => void): () => void {
  if (onEnd.size === 0) process.stdin.on("end", stdinEnded);
  onEnd.add(run);
  return () => {
    onEnd.delete(run);
    if (onEnd.size === 0) process.stdin.off("end", stdinEnded);
  };
}

function stdinEnded(): void {
  // The client may have closed its other end too, and an unhandled broken pipe would end the process.
  process.stdout.on("error", () => {});
  for (const run of [...onEnd]) run();
}
