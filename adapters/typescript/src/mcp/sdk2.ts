// @modelcontextprotocol/server 2.x. Serves both eras; the era belongs to the server instance.
import { member, partsOf, type Sdk } from "./sdk.js";

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

/** The methods whose result may be `input_required`. */
export const REPEATABLE_METHODS: readonly unknown[] = ["tools/call", "prompts/get", "resources/read"];

const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const INFO = "io.modelcontextprotocol/clientInfo";

/** The state that a client sent with a round, by an object of its message that the context has too, and gone with it. */
const states = new WeakMap<object, string>();

/** Remembers the state in the params of a message: the SDK passes it on only as its server's own hook decodes it. */
export function rememberState(params: unknown): void {
  const state = member(params, "requestState");
  if (typeof state !== "string") return;
  const capabilities = member(member(params, "_meta"), CAPABILITIES);
  if (typeof capabilities === "object" && capabilities !== null) states.set(capabilities, state);
}

export const sdk2: Sdk = {
  generation: 2,
  signal: ({ mcpReq }: Context) => mcpReq.signal,
  id: ({ mcpReq }: Context) => mcpReq.id,
  method: ({ mcpReq }: Context) => mcpReq.method,
  httpRequest: ({ http }: Context) => http?.req,
  anyResult: { "~standard": { version: 1, vendor: "rootwise", validate: (value: unknown) => ({ value }) } },
  send: ({ mcpReq }: Context, ...args) => mcpReq.send(...args),
  client: ({ mcpReq: { envelope } }: Context) =>
    envelope && { capabilities: member(envelope, CAPABILITIES) ?? {}, clientInfo: member(envelope, INFO) },
  state: ({ capabilities }) => states.get(capabilities as object),
  parts: ({ mcpReq, http }: Context, inputs, countsConversation, stream) => {
    const { _meta, envelope, inputResponses, droppedInputResponseKeys } = mcpReq;
    // The common case on a pipe.
    const parts =
      _meta === undefined && http === undefined
        ? undefined
        : partsOf(
            http?.req && ((name) => http.req?.headers.get(name)),
            () => http?.req?.url,
            _meta,
            inputs,
            stream,
            countsConversation,
          );
    if (envelope === undefined || (inputResponses === undefined && droppedInputResponseKeys === undefined))
      return parts;
    // An answer that the SDK dropped as malformed is still an answer: asking again would never end.
    const answered = inputs.inputKeys.filter(
      (key) => Object.hasOwn(inputResponses ?? {}, key) || droppedInputResponseKeys?.includes(key),
    );
    if (answered.length === 0) return parts;
    return {
      ...parts,
      inputResponses: Object.fromEntries(answered.map((key) => [key, inputResponses?.[key] ?? null])),
    };
  },
};
