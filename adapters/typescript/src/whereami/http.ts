// Streamable HTTP on loopback: sessions for legacy clients, one server per request for modern ones.
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { createMcpHandler, isLegacyRequest, WebStandardStreamableHTTPServerTransport as Transport } from "./sdk.js";
import { makeServer } from "./server.js";

export function serveHttp(port: number, stop: (message: string) => void): void {
  const serve = handler();
  const server = createServer((request, response) => {
    // A web page can reach loopback, also under a host name of its own; such requests are refused.
    const { host = "", origin } = request.headers;
    if (!LOOPBACK.test(host) || (origin !== undefined && !LOOPBACK.test(origin.replace(/^https?:\/\//, ""))))
      return void response.writeHead(403).end();
    if (request.method === "GET") return void response.writeHead(405).end();
    serve(request, response).catch((error: Error) => {
      process.stderr.write(`${error.stack}\n`);
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  server.on("error", (error) => stop(error.message));
  server.listen(port, "127.0.0.1", () =>
    process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp\n`),
  );
}

const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;

/** A client that disappears is never noticed, so the oldest sessions are removed. */
const MAX_SESSIONS = 100;

function handler(): (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void> {
  const modern = createMcpHandler(makeServer);
  const sessions = new Map<string | null, Transport>();
  const legacy = async (request: Request) => {
    const known = sessions.get(request.headers.get("mcp-session-id"));
    if (known) return known.handleRequest(request);
    const transport = new Transport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        sessions.set(id, transport);
        const [oldest = null] = sessions.keys();
        if (sessions.size > MAX_SESSIONS) sessions.delete(oldest);
      },
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await makeServer().connect(transport);
    return transport.handleRequest(request);
  };
  return async (incoming, outgoing) => {
    const request = webRequest(incoming);
    const response = await ((await isLegacyRequest(request.clone())) ? legacy(request) : modern.fetch(request));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    await send(response.body, outgoing);
  };
}

/** Writes a body; a client that disconnects cancels it, so that the transport learns that the stream broke. */
async function send(body: ReadableStream<Uint8Array> | null, outgoing: ServerResponse): Promise<void> {
  const reader = body?.getReader();
  outgoing.once("close", () => void reader?.cancel().catch(() => {}));
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) outgoing.write(part.value);
  outgoing.end();
}

function webRequest(incoming: IncomingMessage): Request {
  const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]);
  const body =
    incoming.method === "POST" ? { body: Readable.toWeb(incoming) as unknown as ReadableStream, duplex: "half" } : {};
  return new Request(`http://${incoming.headers.host}${incoming.url}`, {
    method: incoming.method ?? "POST",
    headers,
    ...body,
  } as RequestInit);
}
