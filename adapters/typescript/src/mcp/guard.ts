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

const rounds = new WeakMap<AbortSignal, Round>();

/** The round of a guarded call; undefined if no guard is around it. */
export const roundOf = (signal: AbortSignal): Round | undefined => rounds.get(signal);

function guarded(handler: Handler): Handler {
  return function (this: unknown, ...args: unknown[]) {
    const context = args.at(-1) as { mcpReq?: { signal?: AbortSignal } } | undefined;
    const signal = context?.mcpReq?.signal;
    if (!signal) return handler.apply(this, args);
    const round: Round = {};
    rounds.set(signal, round);
    return finish(() => handler.apply(this, args), round);
  };
}

async function finish(run: () => unknown, round: Round): Promise<unknown> {
  try {
    const result = await run();
    if (round.needs) return asking(round.needs, isAsking(result) ? result : undefined);
    // Clients send only the answers to the last round, so a tool with questions of its own has ours asked again.
    if (round.answered && isAsking(result)) return asking({ [KEY]: { method: "roots/list" } }, result);
    return result;
  } catch (error) {
    if (round.needs) return asking(round.needs);
    throw error;
  }
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
