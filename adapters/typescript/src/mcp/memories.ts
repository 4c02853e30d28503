// The calls that belong to no session. A server may be created for each request, so that the process keeps what outlives them:
// one loop for all servers that are made alike.
import { Loop } from "../driver/loop.js";
import { Undeliverable } from "../driver/errors.js";
import { surroundings } from "../driver/surroundings.js";
import type { EndpointOptions } from "../endpoint.js";
import type { EndpointLog, HostFacts } from "../generated/types.js";
import type { Protocol } from "./sdk.js";

/** The kinds of servers in one process whose calls share memories; the one that was unused for longest is forgotten. */
const MAX_KINDS = 32;

interface Shared {
  readonly loop: Loop;
  /** Receives the log lines: that of the server that used it last. */
  log: (line: EndpointLog) => void;
}

/** By the surroundings, which tests replace, and then by what a server of the kind is made with. */
const kinds = new WeakMap<object, Map<string, Shared>>();

/** What servers that share memories are made with. */
export interface Shareable {
  readonly options: EndpointOptions;
  /** Folders of the server that confine its calls: a server for each request may have those of its user. */
  readonly allowedDirs: string[] | undefined;
}

/** The folders of a server belong to its calls, unless they bound those that a function tells for each caller. */
export function shareable(policy: EndpointOptions["policy"], host: HostFacts, isConfined: boolean): Shareable {
  if (isConfined) return { options: { policy, host }, allowedDirs: undefined };
  const { allowedDirs, ...facts } = host;
  return { options: { policy, host: facts }, allowedDirs: allowedDirs ?? undefined };
}

/** The loop that answers calls without a session, for all servers with this name and these options. */
export function sharedLoop(
  protocol: Protocol,
  { options, allowedDirs }: Shareable,
  log: (line: EndpointLog) => void,
): Loop {
  const here = surroundings();
  let known = kinds.get(here);
  if (!known) kinds.set(here, (known = new Map()));
  const { _serverInfo: server } = protocol as { _serverInfo?: unknown };
  const kind = JSON.stringify([server, options, allowedDirs !== undefined]);
  const shared = known.get(kind) ?? create(options, log);
  shared.log = log;
  // The newest is the last.
  known.delete(kind);
  known.set(kind, shared);
  const [oldest] = known.keys();
  // Calls that still wait for it hold it until they are answered.
  if (known.size > MAX_KINDS && oldest !== undefined) known.delete(oldest);
  return shared.loop;
}

function create(options: EndpointOptions, log: Shared["log"]): Shared {
  // The client of a call without a session is asked by the result of the call, if at all.
  const send = () => Promise.reject(new Undeliverable("a call without a session cannot carry a request"));
  const shared: Shared = { loop: new Loop({ open: () => options, send, log: (line) => shared.log(line) }), log };
  return shared;
}
