// @modelcontextprotocol/sdk 1.x. Legacy only: every client begins with `initialize`.
import { exchangeOf } from "./exchange.js";
import { headerOf, partsOf, type Sdk } from "./sdk.js";

interface Extra {
  readonly signal: AbortSignal;
  readonly requestId?: unknown;
  readonly _meta?: unknown;
  readonly requestInfo?: { headers?: Record<string, string | string[] | undefined>; url?: URL };
  sendRequest(request: object, schema: unknown, options: object): Promise<unknown>;
}

export const sdk1: Sdk = {
  generation: 1,
  signal: (extra: Extra) => extra.signal,
  id: (extra: Extra) => extra.requestId,
  method: () => undefined,
  httpRequest: (extra: Extra) => extra.requestInfo,
  // In place of a zod schema.
  anyResult: {
    parse: (value: unknown) => value,
    safeParse: (value: unknown) => ({ success: true, data: value }),
    safeParseAsync: async (value: unknown) => ({ success: true, data: value }),
  },
  send: (extra: Extra, ...args) => extra.sendRequest(...args),
  client: () => undefined,
  state: () => undefined,
  parts: ({ requestInfo, _meta }: Extra, inputs, countsConversation, stream) => {
    const headers = requestInfo?.headers;
    const header = headers && ((name: string) => headerOf(headers, name));
    // Versions before 1.27 do not pass the address on.
    const url = () => requestInfo?.url ?? exchangeOf(requestInfo)?.url;
    return partsOf(header, url, _meta, inputs, stream, countsConversation);
  },
};
