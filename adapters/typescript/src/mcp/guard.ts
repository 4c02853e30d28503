// Modern calls ask by returning. A handler that needs the client's roots is left by an exception; since a handler may
// catch that, what counts is the mark on the call, which the guard around the handler reads.
import { KEY } from "./sdk2.js";
import type { Protocol } from "./sdk.js";

type Handler = (...args: unknown[]) => unknown;
type InputRequired = { resultType: "input_required"; inputRequests?: Record<string, unknown>; requestState?: string };

interface Round {
  /** What the client is asked for. */
  needs?: Record<string, unknown>;
  /** The client's roots came with this call. */
  answered?: boolean;
}

/** On the call's signal, which every copy of its context shares; a property costs the collector less than a weak map. */
const ROUND = Symbol("rootwise");

type Marked = AbortSignal & { [ROUND]?: Round };

/** The round of a guarded call; undefined if no guard is around it. */
export const roundOf = (signal: AbortSignal): Round | undefined => (signal as Marked)[ROUND];

function guarded(handler: Handler): Handler {
  return function (this: unknown, ...args: unknown[]) {
    const context = args[args.length - 1] as { mcpReq?: { signal?: AbortSignal } } | undefined;
    const signal = context?.mcpReq?.signal;
    if (!signal) return handler.apply(this, args);
    const round: Round = {};
    (signal as Marked)[ROUND] = round;
    let result: unknown;
    try {
      result = handler.apply(this, args);
    } catch (error) {
      return failed(error, round);
    }
    // Chained by hand: this is around every call there is, and an async function would cost one more turn.
    if (!(result instanceof Promise)) return finished(result, round);
    return result.then(
      (value) => finished(value, round),
      (error) => failed(error, round),
    );
  };
}

function finished(result: unknown, round: Round): unknown {
  if (round.needs) return asking(round.needs, isAsking(result) ? result : undefined);
  // Clients send only the answers to the last round, so a tool with questions of its own has ours asked again.
  if (round.answered && isAsking(result)) return asking({ [KEY]: { method: "roots/list" } }, result);
  return result;
}

function failed(error: unknown, round: Round): unknown {
  if (round.needs) return asking(round.needs);
  throw error;
}

function asking(needs: Record<string, unknown>, own?: InputRequired): InputRequired {
  return { ...own, resultType: "input_required", inputRequests: { ...own?.inputRequests, ...needs } };
}

function isAsking(result: unknown): result is InputRequired {
  return typeof result === "object" && result !== null && (result as InputRequired).resultType === "input_required";
}

const REGISTER = ["registerTool", "registerPrompt", "registerResource"] as const;
const ASKING_METHODS = new Set<unknown>(["tools/call", "prompts/get", "resources/read"]);

/** Puts a guard around every handler that is registered from now on. */
export function guard(server: object, protocol: Protocol, high: boolean): void {
  if (!high) return guardRequests(protocol);
  const methods = server as Record<string, Handler | undefined>;
  for (const name of REGISTER) {
    const register = methods[name];
    if (!register) continue;
    methods[name] = (...args) => {
      const handler = args.at(-1);
      const registered = register.apply(server, typeof handler === "function" ? [...args.slice(0, -1), guarded(handler as Handler)] : args);
      return keepGuard(registered);
    };
  }
}

/** A handler that is replaced later is guarded too. */
function keepGuard(registered: unknown): unknown {
  const entry = registered as { update?: (updates: Record<string, unknown>) => unknown } | undefined;
  const update = entry?.update;
  if (!entry || typeof update !== "function") return registered;
  entry.update = (updates) => {
    const { callback } = updates;
    return update.call(entry, typeof callback === "function" ? { ...updates, callback: guarded(callback as Handler) } : updates);
  };
  return registered;
}

function guardRequests(protocol: Protocol): void {
  const set = protocol.setRequestHandler;
  protocol.setRequestHandler = (...args) => {
    const handler = args.at(-1);
    const asks = ASKING_METHODS.has(args[0]) && typeof handler === "function";
    return set.apply(protocol, asks ? [...args.slice(0, -1), guarded(handler as Handler)] : args);
  };
}
