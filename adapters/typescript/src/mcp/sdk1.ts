// @modelcontextprotocol/sdk 1.x. Legacy only: every client begins with `initialize`.
import { factsOf, type Protocol, type Sdk } from "./sdk.js";

interface Extra {
  readonly signal: AbortSignal;
  readonly _meta?: unknown;
  readonly requestInfo?: { headers?: Record<string, string | string[] | undefined>; url?: URL };
  sendRequest(request: object, schema: unknown, options: object): Promise<unknown>;
}

/** Stands in for a schema of zod. The SDK's own would throw a whole list away for one bad URI. */
const raw = {
  parse: (value: unknown) => value,
  safeParse: (value: unknown) => ({ success: true, data: value }),
  safeParseAsync: async (value: unknown) => ({ success: true, data: value }),
};

export const sdk1: Sdk = {
  generation: 1,
  signal: (extra: Extra) => extra.signal,
  http: (extra: Extra) => extra.requestInfo !== undefined,
  sender: (extra: Extra) => (request, options) => extra.sendRequest(request, raw, options),
  push: (protocol: Protocol) => (request, options) => protocol.request(request, raw, options),
  facts: ({ requestInfo, _meta }: Extra, profile) => {
    const headers = requestInfo?.headers;
    const header = headers && ((name: string) => [headers[name]].flat()[0]);
    return factsOf(header, () => requestInfo?.url, _meta, profile);
  },
  modern: () => false,
};
