// The SDK of this server. The build bundles it into this file, so that `npx rootwise whereami` needs nothing
// else, and the library itself brings no SDK.
export {
  createMcpHandler,
  isLegacyRequest,
  McpServer,
  type ServerContext,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
export { serveStdio } from "@modelcontextprotocol/server/stdio";
