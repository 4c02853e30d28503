// Reads a recording of `rootwise record`, or plain JSON-RPC messages, one in each line, as moves.
import { fileUriToPath, type HostFacts, type PathStyle } from "rootwise";
import type { Drawing } from "./disk.js";
import type { ClientFacts, Move } from "./story.js";

interface Message {
  id?: unknown;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { code?: number; message?: string };
}

type Direction = "client" | "server";

interface Line {
  direction: Direction | undefined;
  time: number | undefined;
  message: Message;
}

/** What is more than that is no recording of one connection. */
export const MAX_BYTES = 8_000_000;
export const MAX_LINES = 20_000;

const FROM_SERVER = new Set(["roots/list", "sampling/createMessage", "elicitation/create", "notifications/message"]);
const MODERN = "2026-07-28";

/** @throws Error the text is no recording; the message says which line is wrong */
export function movesOf(text: string): Move[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.length === 0) throw new Error("The recording is empty.");
  if (lines.length > MAX_LINES)
    throw new Error(`The recording has ${lines.length} lines; at most ${MAX_LINES} are read.`);
  const questions = new Set<string>();
  const moves: Move[] = [];
  let last: number | undefined;
  for (const [index, line] of lines.entries()) {
    const read = readLine(line, index);
    if (!read) continue;
    const { direction, time, message } = read;
    const found = moveOf(message, direction ?? guess(message, questions), questions);
    if (!found) continue;
    if (time !== undefined) {
      const passed = Math.round(time - (last ?? time));
      // The move itself takes a moment.
      if (passed > 5) moves.push({ do: "wait", ms: passed - 5 });
      last = time;
    }
    moves.push(found);
  }
  if (moves.length === 0) throw new Error("No line of the recording says anything about the project.");
  return moves;
}

/** The machine for a recording, which says nothing about its own: it has the folders that the client names. */
export function machineOf(moves: readonly Move[]): { host: HostFacts; disk: Drawing } {
  const uris = moves.flatMap((move) => {
    const roots = move.do === "answer" ? objectOf(move.result)?.roots : undefined;
    return Array.isArray(roots) ? roots.flatMap((root) => objectOf(root)?.uri ?? []) : [];
  });
  const named = [...new Set(uris)].filter((uri) => typeof uri === "string");
  const style: PathStyle = named.some((uri) => /^file:\/\/\/[a-z](:|%3a)/i.test(uri)) ? "windows" : "posix";
  const separator = style === "windows" ? "\\" : "/";
  const files = named.flatMap((uri) => {
    try {
      return [`${fileUriToPath(uri, style)}${separator}`];
    } catch {
      // A URI that names no folder: the core says why.
      return [];
    }
  });
  return { host: { style, transport: "stdio" }, disk: { files } };
}

/** One line; none if it is about the recording itself, or no message at all. */
function readLine(line: string, index: number): Line | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new Error(`Line ${index + 1} is not JSON.`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error(`Line ${index + 1} is not a message.`);
  const { direction, time, message } = value as { direction?: unknown; time?: unknown; message?: unknown };
  if (direction === "rootwise" || ("text" in value && direction !== undefined)) return undefined;
  if (typeof message !== "object" || message === null) return { direction: undefined, time: undefined, message: value };
  if (direction !== "client" && direction !== "server")
    throw new Error(
      `Line ${index + 1} has the direction ${JSON.stringify(direction)}; it must be "client" or "server".`,
    );
  return { direction, time: typeof time === "number" && Number.isFinite(time) ? time : undefined, message };
}

/** Who sent a message, where the recording does not say it. */
function guess({ method, id }: Message, questions: ReadonlySet<string>): Direction {
  if (method !== undefined) return FROM_SERVER.has(method) ? "server" : "client";
  return questions.has(key(id)) ? "client" : "server";
}

const key = (id: unknown) => JSON.stringify(id) ?? "";

function moveOf(message: Message, direction: Direction, questions: Set<string>): Move | undefined {
  const { id, method, params = {}, result, error } = message;
  if (direction === "server") {
    if (method === "roots/list") questions.add(key(id));
    return undefined;
  }
  if (method === undefined) {
    // The core asks by itself, so only what the client answers is taken from the recording.
    if (!questions.delete(key(id))) return undefined;
    if (!error) return { do: "answer", result: result ?? null };
    return { do: "refuse", code: error.code ?? -32603, message: error.message ?? "" };
  }
  if (method === "initialize") return { do: "initialize", client: clientOf(params) };
  if (method === "notifications/initialized") return { do: "ready" };
  if (method === "notifications/roots/list_changed") return { do: "changed" };
  if (method !== "tools/call" && method !== "prompts/get" && method !== "resources/read") return undefined;
  return callOf(params);
}

function callOf(params: Record<string, unknown>): Move {
  const meta = objectOf(params._meta);
  const responses = params.inputResponses;
  if (responses !== undefined)
    return { do: "answer", result: objectOf(responses)?.rootwise ?? Object.values(objectOf(responses) ?? {})[0] };
  const protocol = meta?.["io.modelcontextprotocol/protocolVersion"];
  const rest = Object.entries(meta ?? {}).filter(([name]) => !name.startsWith("io.modelcontextprotocol/"));
  return {
    do: "call",
    ...(typeof protocol === "string" && protocol >= MODERN
      ? {
          modern: clientOf({
            protocolVersion: protocol,
            capabilities: meta?.["io.modelcontextprotocol/clientCapabilities"],
            clientInfo: meta?.["io.modelcontextprotocol/clientInfo"],
          }),
        }
      : {}),
    ...(rest.length > 0 ? { meta: Object.fromEntries(rest) } : {}),
  };
}

function clientOf(params: Record<string, unknown>): ClientFacts {
  const info = objectOf(params.clientInfo);
  const roots = objectOf(objectOf(params.capabilities)?.roots);
  return {
    name: typeof info?.name === "string" ? info.name : "unknown",
    ...(typeof info?.version === "string" ? { version: info.version } : {}),
    protocol: typeof params.protocolVersion === "string" ? params.protocolVersion : "2025-11-25",
    ...(roots ? { roots } : {}),
  };
}

function objectOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}
