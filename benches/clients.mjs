// Clients that only write and read messages, so that they take little from the machine. They have one root, and count how often they
// are asked for it. A client of 2026-07-28 repeats its call with the answer.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const LIST = { roots: [{ uri: "file:///usr/share" }] };
const clientInfo = { name: "bench", version: "1" };
const LEGACY = "2025-11-25";
const MODERN = "2026-07-28";

/** A server as a process, and a client of it. `ask` resolves with a result; `rounds()` is how often the client was asked. */
export async function connect(
  command,
  { way = "stdio", modern = false, capabilities = { roots: {} }, stderr = "inherit", ...options } = {},
) {
  const [program, ...args] = command;
  const child = spawn(program, args, { ...options, stdio: ["pipe", "pipe", stderr] });
  let rounds = 0;
  const asked = () => {
    rounds += 1;
    return LIST;
  };
  const { send, notify } = await (way === "stdio" ? overStdio(child, asked) : overHttp(child, asked, modern));
  const request = async (method, params) => {
    const result = await send({ method, params });
    if (result.isError) throw new Error(`${command.join(" ")}: ${JSON.stringify(result)}`);
    return result;
  };
  const ask = modern ? repeated(request, asked) : request;
  if (!modern) {
    await ask("initialize", { protocolVersion: LEGACY, capabilities, clientInfo });
    await notify({ method: "notifications/initialized" });
  }
  return { child, ask, rounds: () => rounds, close: () => child.stdin.end() };
}

/** Calls of 2026-07-28 describe their client, and are repeated with what they are asked for. */
function repeated(request, asked) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": { roots: {} },
    "io.modelcontextprotocol/clientInfo": clientInfo,
  };
  return async (method, params) => {
    let more = {};
    for (;;) {
      const result = await request(method, { ...params, ...more, _meta });
      if (result.resultType !== "input_required") return result;
      const names = Object.keys(result.inputRequests);
      more = {
        inputResponses: Object.fromEntries(names.map((name) => [name, asked()])),
        ...(result.requestState !== undefined && { requestState: result.requestState }),
      };
    }
  };
}

/** Returns what sends a request and resolves with its result, and what sends a notification. */
function overStdio(child, asked) {
  const waiting = new Map();
  const write = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  createInterface(child.stdout).on("line", (line) => {
    const { id, method, result, error } = JSON.parse(line);
    if (method === "roots/list") return write({ id, result: asked() });
    if (method) return;
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    return error ? reject(new Error(line)) : resolve(result);
  });
  child.on("close", (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`the server ended with ${code}`));
  });
  let last = 0;
  const send = (message) => {
    last += 1;
    write({ id: last, ...message });
    return new Promise((resolve, reject) => waiting.set(last, { resolve, reject }));
  };
  return { send, notify: write };
}

async function overHttp(child, asked, modern) {
  const url = await new Promise((resolve, reject) => {
    createInterface(child.stdout).once("line", resolve);
    child.once("close", (code) => reject(new Error(`the server ended with ${code}`)));
  });
  let session;
  const post = (message) =>
    fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(session && { "mcp-session-id": session, "mcp-protocol-version": LEGACY }),
        ...(modern && {
          "mcp-protocol-version": MODERN,
          "mcp-method": message.method,
          "mcp-name": message.params?.name,
        }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
  /** Answers the questions of a stream, and gives its other messages to a function. */
  const read = async (response, take) => {
    let rest = "";
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      rest += chunk;
      const lines = rest.split("\n");
      rest = lines.pop();
      for (const line of lines) {
        if (!line.startsWith("data:") || line.trim() === "data:") continue;
        const message = JSON.parse(line.slice(5));
        if (message.method === "roots/list") await (await post({ id: message.id, result: asked() })).text();
        else take(message);
      }
    }
  };
  let last = 0;
  const send = async (message) => {
    last += 1;
    const id = last;
    const response = await post({ id, ...message });
    session ??= response.headers.get("mcp-session-id");
    if (response.headers.get("content-type")?.startsWith("application/json"))
      return resultOf(await response.json(), message);
    let result;
    await read(response, (answer) => {
      if (answer.id === id) result = resultOf(answer, message);
    });
    if (!result) throw new Error(`no result of ${message.method}`);
    return result;
  };
  const notify = async (message) => {
    await (await post(message)).text();
    // As the clients of the SDKs do: some servers ask on this stream.
    const headers = { accept: "text/event-stream", "mcp-session-id": session, "mcp-protocol-version": LEGACY };
    const stream = await fetch(url, { headers });
    // It breaks off when the server ends.
    if (stream.ok) read(stream, () => {}).catch(() => {});
  };
  return { send, notify };
}

function resultOf({ result, error }, { method }) {
  if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
  return result;
}
