// Streamable HTTP on loopback: sessions for legacy clients, one server per request for modern ones.
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { load, makeServer, type ServerClass } from "./server.js";

interface WebTransport {
  handleRequest(request: Request): Promise<Response>;
}
interface Sdk2 {
  McpServer: ServerClass;
  createMcpHandler(factory: () => object): { fetch(request: Request): Promise<Response> };
  isLegacyRequest(request: Request): Promise<boolean>;
  WebStandardStreamableHTTPServerTransport: new (options: object) => WebTransport;
}
interface NodeTransport {
  handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

type Serve = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export function serveHttp(port: number, stop: (message: string) => void): void {
  const serve = onSdk2() ?? onSdk1();
  if (!serve) return stop("No MCP SDK is installed: npx -p rootwise -p @modelcontextprotocol/server rootwise whereami --http");
  const server = createServer((request, response) => {
    // A page in a browser can reach loopback under a name of its own; it must not reach this server.
    if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(request.headers.host ?? "")) return void response.writeHead(403).end();
    if (request.method === "GET") return void response.writeHead(405).end();
    serve(request, response).catch((error: Error) => {
      process.stderr.write(`${error.stack}\n`);
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  server.on("error", (error) => stop(error.message));
  server.listen(port, "127.0.0.1", () => process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp\n`));
}

/** Sessions by id. A client that goes away without a word is never noticed, so the oldest make room. */
function sessions<T>(): { get(id: unknown): T | undefined; set(id: string, transport: T): void; delete(id: string): void } {
  const open = new Map<unknown, T>();
  return {
    get: (id) => open.get(id),
    set: (id, transport) => {
      open.set(id, transport);
      if (open.size > 100) open.delete(open.keys().next().value);
    },
    delete: (id) => void open.delete(id),
  };
}

function onSdk2(): Serve | undefined {
  const sdk = load<Sdk2>("@modelcontextprotocol/server");
  if (!sdk) return undefined;
  const make = () => makeServer(sdk.McpServer, "SDK 2.x");
  const modern = sdk.createMcpHandler(make);
  const open = sessions<WebTransport>();
  const legacy = async (request: Request) => {
    const known = open.get(request.headers.get("mcp-session-id"));
    if (known) return known.handleRequest(request);
    const transport: WebTransport = new sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id: string) => open.set(id, transport),
      onsessionclosed: (id: string) => open.delete(id),
    });
    await make().connect(transport as never);
    return transport.handleRequest(request);
  };
  return async (incoming, outgoing) => {
    const request = webRequest(incoming);
    const response = await ((await sdk.isLegacyRequest(request.clone())) ? legacy(request) : modern.fetch(request));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    if (response.body) for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) outgoing.write(chunk);
    outgoing.end();
  };
}

function webRequest(incoming: IncomingMessage): Request {
  const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]);
  const body = incoming.method === "POST" ? { body: Readable.toWeb(incoming) as unknown as ReadableStream, duplex: "half" } : {};
  return new Request(`http://${incoming.headers.host}${incoming.url}`, { method: incoming.method ?? "POST", headers, ...body } as RequestInit);
}

function onSdk1(): Serve | undefined {
  const sdk = load<{ McpServer: ServerClass }>("@modelcontextprotocol/sdk/server/mcp.js");
  const http = load<{ StreamableHTTPServerTransport: new (options: object) => NodeTransport }>("@modelcontextprotocol/sdk/server/streamableHttp.js");
  if (!sdk || !http) return undefined;
  const open = sessions<NodeTransport>();
  return async (incoming, outgoing) => {
    let transport = open.get(incoming.headers["mcp-session-id"]);
    if (!transport) {
      const made: NodeTransport = new http.StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id: string) => open.set(id, made),
        onsessionclosed: (id: string) => open.delete(id),
      });
      await makeServer(sdk.McpServer, "SDK 1.x").connect(made as never);
      transport = made;
    }
    await transport.handleRequest(incoming, outgoing);
  };
}
