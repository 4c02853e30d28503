// @modelcontextprotocol/server 2.x. Serves both eras; which one is a fact of the server instance.
import type { RequestFacts } from "../generated/types.js";
import { factsOf, type Protocol, type Sdk } from "./sdk.js";

interface Context {
  readonly mcpReq: {
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

const MODERN = "2026-07-28";

/** A schema that takes everything. The SDK's own would throw a whole list away for one bad URI. */
const raw = { "~standard": { version: 1, vendor: "rootwise", validate: (value: unknown) => ({ value }) } };

export const sdk2: Sdk = {
  generation: 2,
  signal: ({ mcpReq }: Context) => mcpReq.signal,
  http: ({ http }: Context) => http?.req !== undefined,
  sender: ({ mcpReq }: Context) => (request, options) => mcpReq.send(request, raw, options),
  push: (protocol: Protocol) => (request, options) => protocol.request(request, raw, options),
  facts: ({ mcpReq, http }: Context, profile) => {
    const req = http?.req;
    return factsOf(req && ((name) => req.headers.get(name)), () => (req ? new URL(req.url) : undefined), mcpReq._meta, profile);
  },
  modern: ({ mcpReq }: Context, protocol) => {
    const version = protocol.getNegotiatedProtocolVersion?.();
    // Revisions are dates, so they compare as texts.
    return version === undefined ? mcpReq.envelope !== undefined : version >= MODERN;
  },
};

/** What a modern request says for itself, since nothing else may speak for it. */
export function modernFacts({ mcpReq }: Context): RequestFacts {
  const envelope = mcpReq.envelope ?? {};
  const facts: RequestFacts = { capabilities: envelope["io.modelcontextprotocol/clientCapabilities"] ?? {} };
  const info = envelope["io.modelcontextprotocol/clientInfo"];
  if (info !== undefined) facts.clientInfo = info;
  const responses = mcpReq.inputResponses;
  if (responses && Object.hasOwn(responses, KEY)) facts.inputResponses = { [KEY]: responses[KEY] };
  // What the SDK could not make sense of is an answer all the same: asking again would go round in circles.
  else if (mcpReq.droppedInputResponseKeys?.includes(KEY)) facts.inputResponses = { [KEY]: null };
  return facts;
}
