// Modern calls ask by returning. A handler that needs the client's roots is left by an exception; since a handler may
// catch that, what counts is the mark on the call, which the guard around the handler reads.
import { KEY, sdk2 } from "./sdk2.js";
import type { Protocol } from "./sdk.js";

type Handler = (...args: unknown[]) => unknown;
type InputRequired = { resultType: "input_required"; inputRequests?: Record<string, unknown>; requestState?: string };

interface Round {
  /** What the client is asked for. */
  needs?: Record<string, unknown>;
  /** The client's roots came with this call. */
  answered?: boolean;
}

/** On a part of the context that its copies share; a property costs the collector less than a weak map. */
const ROUND = Symbol("rootwise");

type Marked = { [ROUND]?: Round };

/** What a legacy call is marked with: it is never made again. */
const ONLY: Round = Object.freeze({});

/** The round of a guarded call; undefined if no guard is around it. */
export const roundOf = ({ mcpReq }: { mcpReq: object }): Round | undefined => (mcpReq as Marked)[ROUND];

/** What the guards of one server share. */
interface Guard {
  readonly protocol: Protocol;
  /** Whether there may be handlers without a guard, so that calls of all eras are marked. */
  readonly marks: boolean;
}

function guarded(handler: Handler, { protocol, marks }: Guard): Handler {
  return function (this: unknown, ...args: unknown[]) {
    const context = args[args.length - 1] as { mcpReq?: Marked } | undefined;
    if (context?.mcpReq) {
      if (sdk2.modern(context as never, protocol)) return rounded(handler.bind(this, ...args), (context.mcpReq[ROUND] = {}));
      if (marks) context.mcpReq[ROUND] = ONLY;
    }
    return handler.apply(this, args);
  };
}

async function rounded(run: () => unknown, round: Round): Promise<unknown> {
  let result: unknown;
  try {
    result = await run();
  } catch (error) {
    if (!round.needs) throw error;
  }
  if (round.needs) return asking(round.needs, isAsking(result) ? result : undefined);
  // Clients send only the answers to the last round, so a tool with questions of its own has ours asked again.
  if (round.answered && isAsking(result)) return asking({ [KEY]: { method: "roots/list" } }, result);
  return result;
}

function asking(needs: Record<string, unknown>, own?: InputRequired): InputRequired {
  return { ...own, resultType: "input_required", inputRequests: { ...own?.inputRequests, ...needs } };
}

function isAsking(result: unknown): result is InputRequired {
  return typeof result === "object" && result !== null && (result as InputRequired).resultType === "input_required";
}

const REGISTER = ["registerTool", "registerPrompt", "registerResource"] as const;
const ASKING_METHODS = ["tools/call", "prompts/get", "resources/read"];

/** Puts a guard around every handler that is registered from now on; tells whether there may be earlier ones. */
export function guard(server: object, protocol: Protocol, high: boolean): boolean {
  const marks = ASKING_METHODS.some((method) => isTaken(method, protocol));
  const own: Guard = { protocol, marks };
  if (high) guardRegistrations(server as Record<string, Handler | undefined>, own);
  else guardRequests(own);
  return marks;
}

function isTaken(method: string, protocol: Protocol): boolean {
  try {
    protocol.assertCanSetRequestHandler(method);
    return false;
  } catch {
    return true;
  }
}

function guardRegistrations(server: Record<string, Handler | undefined>, own: Guard): void {
  for (const name of REGISTER) {
    const register = server[name];
    if (!register) continue;
    server[name] = (...args) => {
      const handler = args.at(-1);
      const registered = register.apply(server, typeof handler === "function" ? [...args.slice(0, -1), guarded(handler as Handler, own)] : args);
      return keepGuard(registered, own);
    };
  }
}

/** A handler that is replaced later is guarded too. */
function keepGuard(registered: unknown, own: Guard): unknown {
  const entry = registered as { update?: (updates: Record<string, unknown>) => unknown } | undefined;
  const update = entry?.update;
  if (!entry || typeof update !== "function") return registered;
  entry.update = (updates) => {
    const { callback } = updates;
    return update.call(entry, typeof callback === "function" ? { ...updates, callback: guarded(callback as Handler, own) } : updates);
  };
  return registered;
}

function guardRequests(own: Guard): void {
  const { protocol } = own;
  const set = protocol.setRequestHandler;
  protocol.setRequestHandler = (...args) => {
    const handler = args.at(-1);
    const asks = ASKING_METHODS.includes(args[0] as string) && typeof handler === "function";
    return set.apply(protocol, asks ? [...args.slice(0, -1), guarded(handler as Handler, own)] : args);
  };
}
