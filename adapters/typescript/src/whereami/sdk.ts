// The SDK this server runs on. The build makes this file one with it, so that `npx rootwise whereami` needs nothing
// else, and nobody who only uses the library gets an SDK.
export { createMcpHandler, isLegacyRequest, McpServer, type ServerContext, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
export { serveStdio } from "@modelcontextprotocol/server/stdio";
