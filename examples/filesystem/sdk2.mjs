// node sdk2.mjs [folder ...]: the server on @modelcontextprotocol/server 2.x, over stdio, for clients of every revision.
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { filesystem } from "./filesystem.mjs";

serveStdio(() => {
  const server = new McpServer({ name: "filesystem", version: "1.0.0" });
  filesystem(server, { folders: process.argv.slice(2), shape: (fields) => z.object(fields) });
  return server;
});
