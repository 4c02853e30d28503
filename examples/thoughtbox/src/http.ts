// Streamable HTTP on loopback, for either SDK.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { localhostHostValidation, toNodeHandler } from "@modelcontextprotocol/node";

type Fetch = (request: Request) => Promise<Response>;

export interface SessionOptions {
  sessionIdGenerator: () => string;
  onsessioninitialized: (id: string) => void;
  onsessionclosed: (id: string) => void;
}

interface SessionTransport {
  handleRequest: Fetch;
  close(): Promise<void>;
}

/** Clients may disappear without closing their session, so the oldest sessions are dropped. */
const MAX_SESSIONS = 1_000;

/** Creates one transport per MCP session. A client with an unknown session is told to start a new one. */
export function sessions(open: (options: SessionOptions) => Promise<SessionTransport>): Fetch {
  const known = new Map<string, SessionTransport>();
  return async (request) => {
    if (request.method === "GET") return new Response(null, { status: 405 });
    const id = request.headers.get("mcp-session-id");
    if (id !== null) return known.get(id)?.handleRequest(request) ?? new Response(null, { status: 404 });
    const transport = await open({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        known.set(id, transport);
        const [oldest] = known;
        if (oldest && known.size > MAX_SESSIONS) {
          known.delete(oldest[0]);
          void oldest[1].close();
        }
      },
      onsessionclosed: (id) => void known.delete(id),
    });
    return transport.handleRequest(request);
  };
}

/** Listens on loopback and prints the address on standard output; port 0 selects any free port. */
export function listen(port: number, fetch: Fetch): void {
  const isLocal = localhostHostValidation();
  const handle = toNodeHandler({ fetch }, { onerror: (error) => void process.stderr.write(`${error.stack}\n`) });
  const server = createServer((request, response) => {
    if (isLocal(request, response)) void handle(request, response);
  });
  server.listen(port, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo;
    process.stdout.write(`http://127.0.0.1:${port}/mcp\n`);
  });
}
