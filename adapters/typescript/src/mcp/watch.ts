// Sees what passes a transport before the SDK does: the handshake and changes of roots. The SDK's own hooks are single
// slots that any later assignment takes away; transports chain.
import type { Protocol, Transport } from "./sdk.js";

export interface Message {
  readonly method?: string;
  readonly params?: unknown;
}

export interface Watcher {
  /** A message of the handshake or about roots came in; `http` tells how. */
  message(message: Message, http: boolean, transport: Transport): void;
  /** The client sends nothing more, but may still read. */
  ended(): void;
  closed(): void;
}

/** Watches the transport a server has, and every one it gets. */
export function watch(protocol: Protocol, watcher: Watcher): void {
  const connect = protocol.connect;
  protocol.connect = (transport) => {
    attach(transport, watcher);
    return connect.call(protocol, transport);
  };
  if (protocol.transport) attach(protocol.transport, watcher);
}

const TELLING = new Set<unknown>(["initialize", "notifications/initialized", "notifications/roots/list_changed"]);

function attach(transport: Transport, watcher: Watcher): void {
  const { onmessage, onclose } = transport;
  transport.onmessage = (message: Message, extra?: { requestInfo?: unknown; request?: unknown }) => {
    if (TELLING.has(message?.method)) {
      watcher.message(message, extra?.requestInfo !== undefined || extra?.request !== undefined, transport);
    }
    onmessage?.(message as never, extra as never);
  };
  const ended = isStdio(transport) ? onStdinEnd(() => watcher.ended()) : undefined;
  transport.onclose = () => {
    ended?.();
    watcher.closed();
    onclose?.();
  };
}

const isStdio = (transport: object) => "_stdin" in transport || /stdio/i.test(transport.constructor?.name ?? "");

const onEnd = new Set<() => void>();

/**
 * SDK 1.x does not notice that its client closed the pipe, and a request that waits for an answer would keep the process
 * alive for as long as it lives.
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
  // Nobody may be left to read what the SDK still writes, and a broken pipe nobody listens for ends the process.
  process.stdout.on("error", () => {});
  for (const run of [...onEnd]) run();
}
