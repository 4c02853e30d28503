// Compiled, never run: the context of a prompt without arguments, as the current SDKs type it.
import { McpServer as Server1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpServer as Server2 } from "@modelcontextprotocol/server";
import { rootwise } from "rootwise/mcp";

const said = (text: string) => ({ messages: [{ role: "user" as const, content: { type: "text" as const, text } }] });
const info = { name: "types", version: "1" };

const first = new Server1(info);
const projects1 = rootwise(first);
first.registerPrompt("plain", {}, async (context) => said((await projects1.project(context)).name));

const second = new Server2(info);
const projects2 = rootwise(second);
second.registerPrompt("plain", {}, async (context) => said((await projects2.project(context)).name));
