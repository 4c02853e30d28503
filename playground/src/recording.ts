// Reads a recording of `rootwise record`, or plain JSON-RPC messages, one in each line, as moves.
import { fileUriToPath, type HostFacts, type PathStyle } from "rootwise";
import { Disk, type Drawing } from "./disk.js";
import type { ClientFacts, Move } from "./story.js";

interface Message {
  id?: unknown;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { code?: number; message?: string };
}

type Direction = "client" | "server";

/** What the server has asked, by the id of its request. */
type Questions = Map<string, "roots" | "form">;

interface Line {
  direction: Direction | undefined;
  time: number | undefined;
  /** More than one in a batch. */
  messages: Message[];
}

/** What is more than that is no recording of one connection. */
export const MAX_BYTES = 8_000_000;
export const MAX_LINES = 20_000;

const FROM_SERVER = new Set(["roots/list", "sampling/createMessage", "elicitation/create", "notifications/message"]);
const MODERN = "2026-07-28";

/** A recording as a story: what the client sent, on a machine that has the folders which it names. */
export interface Recording {
  moves: Move[];
  host: HostFacts;
  disk: Drawing;
}

/**
 * `toolArgument` is the argument of the server's tools that names a project, if it has one; a recording cannot tell.
 * @throws Error the text is no recording; the message says which line is wrong
 */
export function recordingOf(text: string, toolArgument: string | undefined): Recording {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.length === 0) throw new Error("The recording is empty.");
  if (lines.length > MAX_LINES)
    throw new Error(`The recording has ${lines.length} lines; at most ${MAX_LINES} are read.`);
  const questions: Questions = new Map();
  const moves: Move[] = [];
  let last: number | undefined;
  let start: Record<string, unknown> | undefined;
  for (const [index, line] of lines.entries()) {
    const read = readLine(line, index);
    if (!read) continue;
    if ("start" in read) {
      start = read.start;
      continue;
    }
    const { direction, time, messages } = read;
    const found = messages.flatMap((message) =>
      movesIn(message, direction ?? guess(message, questions), questions, toolArgument),
    );
    if (found.length === 0) continue;
    if (time !== undefined) {
      const passed = Math.round(time - (last ?? time));
      // The move itself takes a moment.
      if (passed > 5) moves.push({ do: "wait", ms: passed - 5 });
      last = time;
    }
    moves.push(...found);
  }
  if (moves.length === 0) throw new Error("No line of the recording says anything about the project.");
  const { host, disk } = machineOf(moves, start);
  return { moves, host: toolArgument === undefined ? host : { ...host, toolArgument }, disk };
}

/** The machine of a recording: the process as it was started, and the folders that were named. */
function machineOf(
  moves: readonly Move[],
  start: Record<string, unknown> | undefined,
): { host: HostFacts; disk: Drawing } {
  const cwd = typeof start?.cwd === "string" ? start.cwd : undefined;
  const env = Object.fromEntries(
    Object.entries(objectOf(start?.env) ?? {}).filter(
      // A value that could be a secret is hidden in the recording.
      (entry): entry is [string, string] => typeof entry[1] === "string" && !entry[1].startsWith("(hidden"),
    ),
  );
  const uris = moves.flatMap((move) => {
    const roots = move.do === "answer" ? objectOf(move.result)?.roots : undefined;
    return Array.isArray(roots) ? roots.flatMap((root) => objectOf(root)?.uri ?? []) : [];
  });
  const named = [...new Set(uris)].filter((uri) => typeof uri === "string");
  const passed = moves.flatMap((move) =>
    move.do === "call" && typeof move.argument === "string" ? move.argument : [],
  );
  const isWindows =
    [cwd, ...passed].some((path) => /^[a-z]:[\\/]/i.test(path ?? "")) ||
    named.some((uri) => /^file:\/\/\/[a-z](:|%3a)/i.test(uri));
  const style: PathStyle = isWindows ? "windows" : "posix";
  const separator = isWindows ? "\\" : "/";
  const listed = named.flatMap((uri) => {
    try {
      return [fileUriToPath(uri, style)];
    } catch {
      // A URI that names no folder: the core says why.
      return [];
    }
  });
  const disk = new Disk(style);
  const valued = Object.values(env).flatMap((value) => value.split(","));
  const folders = [cwd, ...valued, ...passed, ...listed].filter((path) => path !== undefined && disk.isAbsolute(path));
  const files = [...new Set(folders)].map((path) => `${path}${separator}`);
  const host: HostFacts = {
    style,
    transport: "stdio",
    ...(cwd === undefined ? {} : { cwd }),
    ...(Object.keys(env).length > 0 ? { env } : {}),
  };
  return { host, disk: { files } };
}

/** One line; none if it is about the recording itself, or no message at all. */
function readLine(line: string, index: number): Line | { start: Record<string, unknown> } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new Error(`Line ${index + 1} is not JSON.`);
  }
  if (Array.isArray(value)) return { direction: undefined, time: undefined, messages: batch(value, index) };
  if (typeof value !== "object" || value === null) throw new Error(`Line ${index + 1} is not a message.`);
  const { direction, time, message } = value as { direction?: unknown; time?: unknown; message?: unknown };
  if (direction === "rootwise") {
    const start = objectOf("start" in value ? value.start : undefined);
    return start && { start };
  }
  if ("text" in value && direction !== undefined) return undefined;
  if (typeof message !== "object" || message === null)
    return { direction: undefined, time: undefined, messages: [value] };
  if (direction !== "client" && direction !== "server")
    throw new Error(
      `Line ${index + 1} has the direction ${JSON.stringify(direction)}; it must be "client" or "server".`,
    );
  const messages = Array.isArray(message) ? batch(message, index) : [message];
  return { direction, time: typeof time === "number" && Number.isFinite(time) ? time : undefined, messages };
}

/** The messages of a batch, which revision 2025-03-26 allows. */
function batch(values: readonly unknown[], index: number): Message[] {
  return values.map((value) => {
    const message = objectOf(value);
    if (!message) throw new Error(`Line ${index + 1} is a batch with something that is not a message.`);
    return message;
  });
}

/** Who sent a message, where the recording does not say it. */
function guess({ method, id }: Message, questions: Questions): Direction {
  if (method !== undefined) return FROM_SERVER.has(method) ? "server" : "client";
  return questions.has(key(id)) ? "client" : "server";
}

const key = (id: unknown) => JSON.stringify(id) ?? "";

function movesIn(
  message: Message,
  direction: Direction,
  questions: Questions,
  toolArgument: string | undefined,
): Move[] {
  const { id, method, params = {}, result, error } = message;
  if (direction === "server") {
    if (method === "roots/list") questions.set(key(id), "roots");
    else if (method === "elicitation/create" && asksForProject(params)) questions.set(key(id), "form");
    return [];
  }
  if (method === undefined) {
    // The core asks by itself, so only what the client answers is taken from the recording.
    const question = questions.get(key(id));
    questions.delete(key(id));
    if (question === "form") return [error ? { do: "form" } : { do: "form", result: result ?? null }];
    if (question === undefined) return [];
    if (!error) return [{ do: "answer", result: result ?? null }];
    return [{ do: "refuse", code: error.code ?? -32603, message: error.message ?? "" }];
  }
  if (method === "initialize") return [{ do: "initialize", client: clientOf(params) }];
  if (method === "notifications/initialized") return [{ do: "ready" }];
  if (method === "notifications/roots/list_changed") return [{ do: "changed" }];
  if (method !== "tools/call" && method !== "prompts/get" && method !== "resources/read") return [];
  return callOf(params, toolArgument);
}

/** Whether a form is about the project; a server may have forms of its own. */
function asksForProject(params: Record<string, unknown>): boolean {
  return objectOf(objectOf(params.requestedSchema)?.properties)?.project !== undefined;
}

function callOf(params: Record<string, unknown>, toolArgument: string | undefined): Move[] {
  const argument = toolArgument === undefined ? undefined : objectOf(params.arguments)?.[toolArgument];
  const meta = objectOf(params._meta);
  const responses = objectOf(params.inputResponses);
  if (responses) {
    const answers = Object.values(responses).flatMap((response): Move[] => {
      const given = objectOf(response);
      if (given && "roots" in given) return [{ do: "answer", result: given }];
      return typeof given?.action === "string" && objectOf(given.content)?.project !== undefined
        ? [{ do: "form", result: given }]
        : [];
    });
    if (answers.length > 0) return answers;
  }
  const protocol = meta?.["io.modelcontextprotocol/protocolVersion"];
  const rest = Object.entries(meta ?? {}).filter(
    ([name]) => !name.startsWith("io.modelcontextprotocol/") && name !== "progressToken",
  );
  const call: Move = {
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
    ...(argument === undefined ? {} : { argument }),
  };
  return [call];
}

function clientOf(params: Record<string, unknown>): ClientFacts {
  const info = objectOf(params.clientInfo);
  const capabilities = objectOf(params.capabilities);
  const roots = objectOf(capabilities?.roots);
  return {
    name: typeof info?.name === "string" ? info.name : "unknown",
    ...(typeof info?.version === "string" ? { version: info.version } : {}),
    protocol: typeof params.protocolVersion === "string" ? params.protocolVersion : "2025-11-25",
    ...(roots ? { roots } : {}),
    ...(objectOf(capabilities?.elicitation) ? { forms: true } : {}),
  };
}

function objectOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}
