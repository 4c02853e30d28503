// Thoughtbox on @modelcontextprotocol/server 2.x: clients of 2026-07-28 and of earlier revisions side by side.
import {
  createMcpHandler,
  isLegacyRequest,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { rootwise } from "rootwise/mcp";
import { z } from "zod";
import { start } from "./start.js";
import { initShape, instructions, Thoughtbox, thoughtShape } from "./thoughtbox.js";

const { preset, policy, port, ...options } = await start();

function make() {
  const server = new McpServer({ name: "thoughtbox", version: "1.0.0" }, { instructions });
  const thoughtbox = new Thoughtbox(rootwise(server, { policy, requirePath: false }), preset, options);
  server.registerTool("init", { inputSchema: z.object(initShape) }, (args, context) => thoughtbox.init(args, context));
  server.registerTool("thought", { inputSchema: z.object(thoughtShape) }, (args) => thoughtbox.thought(args));
  return server;
}

if (port === undefined) serveStdio(make);
else {
  const { listen, sessions } = await import("./http.js");
  const modern = createMcpHandler(make);
  const legacy = sessions(async (options) => {
    const transport = new WebStandardStreamableHTTPServerTransport(options);
    await make().connect(transport);
    return transport;
  });
  listen(port, async (request) => ((await isLegacyRequest(request)) ? legacy(request) : modern.fetch(request)));
}
