// Observes a transport in front of the SDK: the handshake, changes of roots, and HTTP exchanges. The SDK's own hooks are
// single slots that a later assignment replaces; transports chain.
import { bindExchange, observeExchanges, type SessionStreams } from "./exchange.js";
import type { Protocol, Transport } from "./sdk.js";
import { rememberState, REPEATABLE_METHODS } from "./sdk2.js";

export interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: unknown;
}

export interface Observer {
  /** A server got this transport. */
  attached(transport: Transport, streams: SessionStreams | undefined): void;
  /** A message of the handshake or about roots arrived; `http` tells how. */
  message(transport: Transport, message: Message, http: boolean): void;
  /** The stream of a call was cut, and the client may resume it. */
  lost(transport: Transport): void;
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
  observer.attached(transport, observeExchanges(transport, () => observer.lost(transport)));
  const { onmessage, onclose } = transport;
  transport.onmessage = (message: Message, extra?: { requestInfo?: unknown; request?: unknown }) => {
    bindExchange(extra, message?.method === undefined ? undefined : message.id);
    if (OBSERVED.has(message?.method)) {
      observer.message(transport, message, extra?.requestInfo !== undefined || extra?.request !== undefined);
    } else if (REPEATABLE_METHODS.includes(message?.method)) {
      rememberState(message.params);
    }
    onmessage?.(message as never, extra as never);
  };
  const release = isStdio(transport) ? onStdinEnd(() => observer.inputClosed(transport)) : undefined;
  transport.onclose = () => {
    release?.();
    observer.closed(transport);
    onclose?.();
  };
}

const isStdio = (transport: object) => "_stdin" in transport || /stdio/i.test(transport.constructor?.name ?? "");

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
