// The parts that both SDK generations share. Neither SDK is imported: the caller of `rootwise(server)` brings one.
import { ClientError, messageOf, Undeliverable } from "../driver/errors.js";
import type { Described } from "../driver/loop-host.js";
import { own } from "../driver/options.js";
import type { CallStarted, PolicyInputs } from "../generated/types.js";

/** The second argument of a handler, of either generation. */
export type CallContext = { readonly signal: AbortSignal } | { readonly mcpReq: { readonly signal: AbortSignal } };

declare const nothingIsKnown: unique symbol;

/** The type that SDK 1.x gives to the context of a prompt without arguments: an object of which nothing is known. */
export interface UntypedContext {
  readonly [name: string]: typeof nothingIsKnown;
}

/** The context that a server's own SDK passes to its handlers. */
export type ContextOf<S> = S extends { registerTool(name: never, config: never, handler: infer H): unknown }
  ? H extends (...args: infer A) => unknown
    ? A extends [...unknown[], infer C extends CallContext]
      ? C
      : CallContext
    : CallContext
  : CallContext;

/** Whether this is the context of a handler. */
export const isContext = (value: unknown): value is CallContext =>
  typeof value === "object" && value !== null && ("signal" in value || "mcpReq" in value);

/** An `McpServer` or `Server`, of either generation. */
export interface AnyServer {
  connect(transport: never): Promise<void>;
  close(): Promise<void>;
}

export interface Transport {
  sessionId?: string | undefined;
  onmessage?: ((message: never, extra?: never) => void) | undefined;
  onclose?: (() => void) | undefined;
  send?: ((...args: never[]) => unknown) | undefined;
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
  registerCapabilities?(capabilities: object): void;
  request(request: object, schema: unknown, options: object): Promise<unknown>;
}

/** The parts of a request that may concern its project, but for the description of its client. */
export type RequestParts = Pick<CallStarted, "headers" | "query" | "meta" | "inputResponses">;

/** The operations that differ between the generations. */
export interface Sdk {
  readonly generation: 1 | 2;
  signal(context: CallContext): AbortSignal;
  /** The JSON-RPC id of the request. */
  id(context: CallContext): unknown;
  method(context: CallContext): string | undefined;
  /** The object that stands for the HTTP request; undefined on other transports. */
  httpRequest(context: CallContext): object | undefined;
  /** A schema that accepts any result. The SDK's own schema would reject a whole list for one bad URI. */
  readonly anyResult: unknown;
  /** Sends a request that travels with the call. */
  send(context: CallContext, request: object, schema: unknown, options: object): Promise<unknown>;
  /** How a call of 2026-07-28 describes its client; undefined for any other call. */
  client(context: CallContext): Described | undefined;
  /** The state that such a call brings. */
  state(client: Described): string | undefined;
  /**
   * The parts of the request, or else of the address of its stream, that a policy reads, and the id of its conversation if
   * that counts; undefined if there are none.
   */
  parts(
    context: CallContext,
    inputs: PolicyInputs,
    countsConversation: boolean,
    stream?: string,
  ): RequestParts | undefined;
}

/** Tells errors that the client sent from failures to reach it. */
export async function clientErrors(result: Promise<unknown>): Promise<unknown> {
  try {
    return await result;
  } catch (error) {
    const { code } = (error ?? {}) as { code?: unknown };
    // SDK 1.x puts this in front of the client's text.
    const text = messageOf(error).replace(/^MCP error -?\d+: /, "");
    if (typeof code === "number" && text !== "Connection closed") throw new ClientError(code, text);
    throw new Undeliverable(text);
  }
}

type Tree = { [name: string]: Tree | string | null };

/** The most folders that one place in `_meta` is read for; no policy counts as many. */
const MAX_KEYS = 4096;

/** The values in `_meta` that a policy reads, where it reads them: a text, or an object whose keys are texts. */
function valuesIn(meta: unknown, { meta: places, valueBytes }: PolicyInputs): Tree | undefined {
  // A text above the limit is refused for its length, which the first part of it has too.
  const shortened = (text: string) => text.slice(0, valueBytes + 1);
  let found: Tree | undefined;
  for (const names of typeof meta === "object" && meta !== null ? places : []) {
    const given = names.length === 0 ? undefined : names.reduce(member, meta);
    let value: Tree | string | undefined;
    if (typeof given === "string") value = shortened(given);
    else if (typeof given === "object" && given !== null && !Array.isArray(given))
      value = own<Tree>(
        Object.fromEntries(
          Object.keys(given)
            .slice(0, MAX_KEYS)
            .map((key) => [shortened(key), null]),
        ),
      );
    if (value === undefined) continue;
    let tree = (found ??= own<Tree>({}));
    for (const name of names.slice(0, -1)) {
      const next = tree[name];
      tree = typeof next === "object" && next !== null ? next : ((tree[name] = own<Tree>({})) as Tree);
    }
    const last = names.at(-1) as string;
    const before = tree[last];
    // Another place may be inside this one.
    tree[last] = typeof before === "object" && typeof value === "object" ? own<Tree>({ ...value, ...before }) : value;
  }
  return found;
}

/** Every longer id of a conversation is refused for its length, which the first part of it has too. */
const MAX_CONVERSATION_ID = 4096;

/** The ids of the conversation that a call belongs to, by their keys in `_meta`; the endpoint decides which one counts. */
export function conversationIn(meta: unknown, { conversation }: PolicyInputs): Record<string, string> | undefined {
  let found: Record<string, string> | undefined;
  for (const key of conversation) {
    const id = member(meta, key);
    if (typeof id === "string") (found ??= own<Record<string, string>>({}))[key] = id.slice(0, MAX_CONVERSATION_ID + 1);
  }
  return found;
}

/** The value of a header of Node; several lines of one header are joined as HTTP does. */
export function headerOf(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  name: string,
): string | undefined {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return Array.isArray(value) ? [...new Set(value)].join(", ") : value;
}

/** An own member of any value. */
export function member(of: unknown, name: string): unknown {
  return typeof of === "object" && of !== null && Object.hasOwn(of, name)
    ? (of as Record<string, unknown>)[name]
    : undefined;
}

/** Request parts without empty members, or undefined. */
export function partsOf(
  header: ((name: string) => string | null | undefined) | undefined,
  address: () => URL | string | undefined,
  meta: unknown,
  inputs: PolicyInputs,
  stream?: string,
  countsConversation = false,
): RequestParts | undefined {
  let parts: RequestParts | undefined;
  const found = valuesIn(meta, inputs);
  const conversation = countsConversation ? conversationIn(meta, inputs) : undefined;
  if (found || conversation) (parts ??= {}).meta = { ...conversation, ...found };
  if (!header) return parts;
  for (const name of inputs.headers) {
    const value = header(name);
    if (typeof value === "string") ((parts ??= {}).headers ??= {})[name] = value;
  }
  const queries = inputs.query.length > 0 ? [queryOf(address()), queryOf(stream)] : [];
  for (const name of inputs.query) {
    const value = queries.find((query) => query?.has(name))?.get(name);
    if (typeof value === "string") ((parts ??= {}).query ??= {})[name] = value;
  }
  return parts;
}

function queryOf(address: URL | string | undefined): URLSearchParams | undefined {
  // To make the parameters takes longer than to see that there are none.
  if (typeof address !== "string") return address?.search ? address.searchParams : undefined;
  const at = address.indexOf("?");
  return at < 0 ? undefined : new URLSearchParams(address.slice(at).replace(/#.*$/s, ""));
}
