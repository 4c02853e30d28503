// @modelcontextprotocol/server 2.x. Serves both eras; the era belongs to the server instance.
import { member, readCapabilities, readInfo } from "../driver/peer.js";
import type { RequestFacts } from "../generated/types.js";
import { clientErrors, factsOf, type Protocol, type Sdk } from "./sdk.js";

interface Context {
  readonly mcpReq: {
    readonly id?: unknown;
    readonly method?: string;
    readonly signal: AbortSignal;
    readonly _meta?: unknown;
    readonly envelope?: Record<string, unknown>;
    readonly inputResponses?: Record<string, unknown>;
    readonly droppedInputResponseKeys?: readonly string[];
    send(request: object, schema: unknown, options: object): Promise<unknown>;
  };
  readonly http?: { readonly req?: Request };
}

/** The key of our question in `inputRequests` and `inputResponses`. */
export const KEY = "rootwise";

/** The methods whose result may be `input_required`. */
export const REPEATABLE_METHODS: readonly unknown[] = ["tools/call", "prompts/get", "resources/read"];

const MODERN = "2026-07-28";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

/** The state that a client sent with a round, by an object of its message that the context has too, and gone with it. */
const states = new WeakMap<object, string>();

/** Remembers the state in the params of a message: the SDK passes it on only as its server's own hook decodes it. */
export function rememberState(params: unknown): void {
  const state = member(params, "requestState");
  const capabilities = member(member(params, "_meta"), CAPABILITIES);
  if (typeof state === "string" && typeof capabilities === "object" && capabilities !== null) states.set(capabilities, state);
}

/** The state that a client sent with this round. */
export function stateOf({ mcpReq }: Context): string | undefined {
  const capabilities = member(mcpReq.envelope, CAPABILITIES);
  return typeof capabilities === "object" && capabilities !== null ? states.get(capabilities) : undefined;
}

/** A schema that accepts any result. The SDK's own schema would reject a whole list for one bad URI. */
const anyResult = { "~standard": { version: 1, vendor: "rootwise", validate: (value: unknown) => ({ value }) } };

export const sdk2: Sdk = {
  generation: 2,
  signal: ({ mcpReq }: Context) => mcpReq.signal,
  httpRequest: ({ http }: Context) => http?.req,
  send: ({ mcpReq }: Context, request, options) => clientErrors(mcpReq.send(request, anyResult, options)),
  push: (protocol: Protocol, request, options) => clientErrors(protocol.request(request, anyResult, options)),
  facts: ({ mcpReq, http }: Context, inputs, stream) => {
    const req = http?.req;
    return factsOf(req && ((name) => req.headers.get(name)), () => req?.url, mcpReq._meta, inputs, stream);
  },
  modern: ({ mcpReq }: Context, protocol) => {
    const version = protocol.getNegotiatedProtocolVersion?.();
    // Revisions are dates, so they compare as texts.
    return version === undefined ? mcpReq.envelope !== undefined : version >= MODERN;
  },
  repeatable: ({ mcpReq }: Context) => mcpReq.method === undefined || REPEATABLE_METHODS.includes(mcpReq.method),
};

/** The facts that a modern request carries itself. */
export function modernFacts({ mcpReq }: Context): RequestFacts {
  const { envelope } = mcpReq;
  const facts: RequestFacts = { capabilities: readCapabilities(member(envelope, CAPABILITIES)) ?? {} };
  const info = readInfo(member(envelope, "io.modelcontextprotocol/clientInfo"));
  if (info !== undefined) facts.clientInfo = info;
  const responses = mcpReq.inputResponses;
  if (responses && Object.hasOwn(responses, KEY)) facts.inputResponses = { [KEY]: responses[KEY] };
  // An answer that the SDK dropped as malformed is still an answer: asking again would never end.
  else if (mcpReq.droppedInputResponseKeys?.includes(KEY)) facts.inputResponses = { [KEY]: null };
  return facts;
}
