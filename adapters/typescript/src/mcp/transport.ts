// Observes a transport in front of the SDK: the handshake, changes of roots, calls and their ends, HTTP exchanges. The SDK's own hooks are
// single slots that a later assignment replaces; transports chain.
import { surroundings } from "../driver/surroundings.js";
import { bindExchange, type Exchange, observeExchanges } from "./exchange.js";
import type { Protocol, Transport } from "./sdk.js";
import { rememberState, REPEATABLE_METHODS } from "./sdk2.js";

export interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
}

/** A transport, and what is known about it. */
export class Link {
  readonly transport: Transport;
  /** Whether it is the standard input and output of this process. */
  readonly stdio: boolean;
  /** Whether its other end is in this process, too. */
  readonly inMemory: boolean;
  /** The address of the stream that the client opened first, of the transport with two addresses. */
  readonly address: string | undefined;
  /** The GET streams of Streamable HTTP. */
  streams: Set<Exchange> | undefined;
  /** The ids of the requests that arrived and were neither answered nor cancelled. */
  readonly running = new Set<unknown>();
  /** Whether requests may have arrived before anybody watched. */
  readonly #isLate: boolean;

  constructor(transport: Transport, isLate: boolean) {
    const { _wire, res } = transport as Inside;
    this.transport = transport;
    this.stdio = [transport as Inside, _wire].some((inner) => inner?._stdin === surroundings().stdin);
    this.inMemory = [transport as Inside, _wire].some(
      (inner) => inner?._otherTransport !== undefined && inner._otherTransport._otherTransport === inner,
    );
    this.address = res?.req?.originalUrl ?? res?.req?.url;
    this.#isLate = isLate;
  }

  isRunning(id: unknown): boolean {
    return this.#isLate || this.running.has(id);
  }
}

/** The private parts that tell who is at the other end. */
interface Inside {
  readonly _stdin?: unknown;
  readonly _otherTransport?: Inside;
  /** The transport behind the one that SDK 2.x gives to a server. */
  readonly _wire?: Inside;
  /** The response that is the stream of SSE. */
  readonly res?: { readonly req?: { readonly url?: string; readonly originalUrl?: string } };
}

/** What happens on one transport. */
export interface Observer {
  /** A message of the handshake or about roots arrived; `http` tells how, `previousId` is the id of the request before it. */
  message(message: Message, http: boolean, previousId: unknown): void;
  /** A request arrived on a pipe. */
  requested(message: Message): void;
  /** A request was answered. */
  answered(id: unknown): void;
  /** A response to one of our requests arrived that was answered before. */
  answeredAgain(request: number, result: unknown): void;
  /** The response to an HTTP request ended. */
  exchangeEnded(exchange: Exchange): void;
  /** The client sends no more messages, but may still read. */
  inputClosed(): void;
  closed(): void;
}

/** Observes the transport a server has, and every one it gets. */
export function observe(protocol: Protocol, attached: (link: Link) => Observer): void {
  const connect = protocol.connect;
  protocol.connect = (transport) => {
    attach(new Link(transport, false), attached);
    return connect.call(protocol, transport);
  };
  if (protocol.transport) attach(new Link(protocol.transport, true), attached);
}

const OBSERVED = new Set<unknown>(["initialize", "notifications/initialized", "notifications/roots/list_changed"]);

function attach(link: Link, attached: (link: Link) => Observer): void {
  const { transport } = link;
  const { onmessage, onclose, send } = transport;
  const streams = (link.streams = observeExchanges(transport, (exchange) => observer.exchangeEnded(exchange)));
  const observer = attached(link);
  const answers = streams ? undefined : new Answers();
  let lastId: unknown;
  transport.onmessage = (message: Message, extra?: { requestInfo?: object; request?: object }) => {
    const { id, method, params } = message ?? {};
    if (method === undefined) {
      const again = answers?.again(message);
      if (again !== undefined) observer.answeredAgain(again, message.result);
    } else if (id !== undefined) {
      link.running.add(id);
      if (streams) bindExchange(extra, id);
      else observer.requested(message);
      if (REPEATABLE_METHODS.includes(method)) rememberState(params);
    } else if (method === "notifications/cancelled") {
      link.running.delete((params as { requestId?: unknown } | undefined)?.requestId);
    }
    if (OBSERVED.has(method))
      observer.message(message, extra?.requestInfo !== undefined || extra?.request !== undefined, lastId);
    if (method !== undefined && id !== undefined) lastId = id;
    onmessage?.(message as never, extra as never);
  };
  transport.send = (...args: never[]) => {
    const [message] = args as unknown as [(Message & { [REQUEST]?: number }) | undefined];
    if (message && message.method === undefined) {
      link.running.delete(message.id);
      observer.answered(message.id);
    } else if (message?.[REQUEST] !== undefined) {
      answers?.watch(message.id, message[REQUEST]);
    }
    return send?.apply(transport, args);
  };
  const release = link.stdio ? onStdinEnd(() => observer.inputClosed()) : undefined;
  transport.onclose = () => {
    release?.();
    observer.closed();
    onclose?.();
  };
}

/** Marks a request of ours; SDKs copy it, and JSON leaves it out. */
export const REQUEST = Symbol("rootwise request");

/** Requests whose answers are watched. */
const MAX_WATCHED = 8;

/** Notices second answers to our requests, which the SDKs drop. */
class Answers {
  readonly #requests = new Map<unknown, { readonly request: number; answered: boolean }>();

  watch(id: unknown, request: number): void {
    const [oldest] = this.#requests.keys();
    if (this.#requests.size >= MAX_WATCHED) this.#requests.delete(oldest);
    this.#requests.set(id, { request, answered: false });
  }

  /** The request that a message answers again. */
  again(message: Message): number | undefined {
    const entry = this.#requests.get(message.id);
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
  const { stdin } = surroundings();
  if (onEnd.size === 0) stdin.on("end", stdinEnded);
  onEnd.add(run);
  return () => {
    onEnd.delete(run);
    if (onEnd.size === 0) stdin.off("end", stdinEnded);
  };
}

function stdinEnded(): void {
  // The client may have closed its other end too, and an unhandled broken pipe would end the process.
  process.stdout.on("error", () => {});
  for (const run of [...onEnd]) run();
}
