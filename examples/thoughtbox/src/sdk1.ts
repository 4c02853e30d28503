// Thoughtbox on @modelcontextprotocol/sdk 1.x.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { rootwise } from "rootwise/mcp";
import { start } from "./start.js";
import { initShape, instructions, Thoughtbox, thoughtShape } from "./thoughtbox.js";

const { preset, policy, port, ...options } = await start();

function make() {
  const server = new McpServer({ name: "thoughtbox", version: "1.0.0" }, { instructions });
  const thoughtbox = new Thoughtbox(rootwise(server, { policy, requirePath: false }), preset, options);
  server.registerTool("init", { inputSchema: initShape }, (args, context) => thoughtbox.init(args, context));
  server.registerTool("thought", { inputSchema: thoughtShape }, (args) => thoughtbox.thought(args));
  return server;
}

if (port === undefined) await make().connect(new StdioServerTransport());
else {
  const { listen, sessions } = await import("./http.js");
  const open = sessions(async (options) => {
    const transport = new WebStandardStreamableHTTPServerTransport(options);
    await make().connect(transport);
    return transport;
  });
  listen(port, open);
}
