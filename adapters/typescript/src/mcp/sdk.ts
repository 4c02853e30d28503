// What both generations of the SDK have in common, as far as it is used here. Neither is imported: whoever calls
// `rootwise(server)` brings one.
import { RootwiseError } from "../error.js";
import type { RequestFacts } from "../generated/types.js";
import type { Send } from "./connection.js";
import type { Profile } from "./profile.js";
import { sdk1 } from "./sdk1.js";
import { sdk2 } from "./sdk2.js";

/** The second argument of a handler, of either generation. */
export type CallContext = { readonly signal: AbortSignal } | { readonly mcpReq: { readonly signal: AbortSignal } };

/** An `McpServer` or `Server`, of either generation. */
export interface AnyServer {
  connect(transport: never): Promise<void>;
  close(): Promise<void>;
}

export interface Transport {
  sessionId?: string | undefined;
  onmessage?: ((message: never, extra?: never) => void) | undefined;
  onclose?: (() => void) | undefined;
}

/** The protocol object inside an `McpServer`. */
export interface Protocol {
  connect(transport: Transport): Promise<void>;
  readonly transport?: Transport | undefined;
  getClientCapabilities(): unknown;
  getClientVersion(): unknown;
  getNegotiatedProtocolVersion?(): string | undefined;
  assertCanSetRequestHandler(method: string): void;
  setRequestHandler(...args: unknown[]): void;
  request(request: object, schema: unknown, options: object): Promise<unknown>;
}

/** What a generation does its own way. */
export interface Sdk {
  readonly generation: 1 | 2;
  signal(context: never): AbortSignal;
  /** Whether the request came over HTTP. */
  http(context: never): boolean;
  /** Sends a request that travels with the call. */
  sender(context: never): Send;
  /** Sends a request outside any call. */
  push(protocol: Protocol): Send;
  /** What the request itself says about its project; undefined if nothing. */
  facts(context: never, profile: Profile): RequestFacts | undefined;
  /** Whether the call is answered by the rules of 2026-07-28. */
  modern(context: never, protocol: Protocol): boolean;
}

/** Which generation a server is of, and its protocol object. */
export function detect(server: object): { sdk: Sdk; protocol: Protocol; high: boolean } {
  const { server: inner } = server as { server?: unknown };
  const high = typeof inner === "object" && inner !== null;
  const protocol = (high ? inner : server) as Protocol;
  if (typeof protocol.setRequestHandler !== "function" || typeof protocol.getClientCapabilities !== "function") {
    throw new RootwiseError("bad_options", "rootwise() takes an McpServer or Server of @modelcontextprotocol/sdk or @modelcontextprotocol/server");
  }
  // Only 2.x tells the negotiated version, and only it builds contexts.
  const second = typeof protocol.getNegotiatedProtocolVersion === "function" || "projectCallToolResult" in protocol;
  return { sdk: second ? sdk2 : sdk1, protocol, high };
}

/** The parts of an object that are there. */
export function part(of: unknown, names: readonly string[]): Record<string, unknown> | undefined {
  if (names.length === 0 || typeof of !== "object" || of === null) return undefined;
  let found: Record<string, unknown> | undefined;
  for (const name of names) {
    if (Object.hasOwn(of, name)) (found ??= {})[name] = (of as Record<string, unknown>)[name];
  }
  return found;
}

/** Request facts without empty parts, or nothing. */
export function factsOf(
  header: ((name: string) => string | null | undefined) | undefined,
  url: () => URL | undefined,
  meta: unknown,
  profile: Profile,
): RequestFacts | undefined {
  let facts: RequestFacts | undefined;
  const found = part(meta, profile.meta);
  if (found) (facts ??= {}).meta = found;
  if (!header) return facts;
  for (const name of profile.headers) {
    const value = header(name);
    if (typeof value === "string") ((facts ??= {}).headers ??= {})[name] = value;
  }
  const query = profile.query.length > 0 ? url()?.searchParams : undefined;
  for (const name of query ? profile.query : []) {
    const value = query?.get(name);
    if (typeof value === "string") ((facts ??= {}).query ??= {})[name] = value;
  }
  return facts;
}
