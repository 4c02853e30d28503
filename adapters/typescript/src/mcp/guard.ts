// Wraps the handlers of a server: they can run with their context at hand, and a modern call can ask the client by its result.
// A handler that needs the client's roots is left by an exception. Because a handler may catch that, a mark on the call
// decides, which the wrapper reads.
import { AsyncLocalStorage } from "node:async_hooks";
import { badOption, NoProjectError } from "../driver/errors.js";
import type { CallResult } from "../generated/types.js";
import { type CallContext, isContext, type Protocol, type Sdk } from "./sdk.js";
import { REPEATABLE_METHODS } from "./sdk2.js";

type Handler = (...args: unknown[]) => unknown;
type InputRequired = { resultType: "input_required"; inputRequests?: Record<string, unknown>; requestState?: string };

/** A property of a part of the context that its copies share; cheaper than a weak set. */
const GUARDED = Symbol("rootwise");

interface Marked {
  readonly mcpReq: { [GUARDED]?: "running" | "returned"; readonly envelope?: object; readonly method?: string };
}

/** Whether the handler of a call of 2026-07-28 returned; work that outlives it cannot ask the client any more. */
export const hasReturned = (context: CallContext): boolean =>
  (context as Partial<Marked>).mcpReq?.[GUARDED] === "returned";

/** Whether a guard wraps the handler of a call that needs one: its result may have to ask the client. */
export function isGuarded(context: CallContext, hasUnguarded: boolean): boolean {
  const { mcpReq } = context as Partial<Marked>;
  if (!mcpReq || mcpReq[GUARDED] || (mcpReq.method !== undefined && !REPEATABLE_METHODS.includes(mcpReq.method)))
    return true;
  // Also where the guard is not needed yet, so that the fault shows before the first client that needs it.
  return !hasUnguarded && mcpReq.envelope === undefined;
}

/** The project that a call names in its arguments, by a part of the context that its copies share. */
const named = new WeakMap<AbortSignal, unknown>();

/** The project that the arguments of a call name. */
export const namedIn = (signal: AbortSignal): unknown => named.get(signal);

/** Remembers the project that the arguments of a call name. */
export function rememberName(signal: AbortSignal, value: unknown): void {
  // A value of another type is refused by the resolver, with its text.
  if (value !== undefined && value !== null) named.set(signal, value);
}

/** The handlers whose arguments name no project of the call, whatever they are called. */
const nameless = new WeakSet<Handler>();

/** Marks a handler whose arguments mean something else. */
export function withoutName<H extends (...args: never[]) => unknown>(handler: H): H {
  nameless.add(handler as unknown as Handler);
  return handler;
}

function rememberNamed({ sdk, argument }: Guard, args: readonly unknown[], context: CallContext, low: boolean): void {
  const [first] = args;
  if (argument === undefined || first === context || typeof first !== "object" || first === null) return;
  const given = low ? (first as { params?: { arguments?: unknown } }).params?.arguments : first;
  if (typeof given !== "object" || given === null || !Object.hasOwn(given, argument)) return;
  rememberName(sdk.signal(context), (given as Record<string, unknown>)[argument]);
}

const calls = new AsyncLocalStorage<CallContext>();

/** The context of the handler that is running. */
export const currentContext = (): CallContext | undefined => calls.getStore();

/** The parts that all guards of one server share. */
interface Guard {
  readonly sdk: Sdk;
  readonly protocol: Protocol;
  /** Whether handlers run with their context at hand. */
  readonly asyncContext: boolean;
  /** Runs before each handler. */
  readonly before: ((context: CallContext) => unknown) | undefined;
  /** The argument of tools and prompts that names the project. */
  readonly argument: string | undefined;
  /** Tells that the handler of a call returned, and whether it asks the client; returns what our own question adds. */
  returned(context: CallContext, inputRequired: boolean): Promise<CallResult> | undefined;
  /** Whether there may be handlers without a guard, so that calls of all eras are marked. */
  readonly marks: boolean;
}

/** Marks a handler that carries a guard of ours, so that a handler that is updated with itself gets one guard only. */
const guards = new WeakMap<Handler, Guard>();

function guarded(handler: Handler, guard: Guard, low = false): Handler {
  if (guards.get(handler) === guard) return handler;
  const isPlain = !low && !guard.asyncContext && !guard.before && guard.argument === undefined;
  const wrapper = function (this: unknown, ...args: unknown[]) {
    const context = args[args.length - 1];
    if (!isContext(context)) return handler.apply(this, args);
    if (isPlain && isLegacy(context)) {
      mark(context, guard);
      return handler.apply(this, args);
    }
    if (!nameless.has(handler)) rememberNamed(guard, args, context, low);
    const run = () => {
      const before = guard.before?.(context);
      return before === undefined
        ? handler.apply(this, args)
        : Promise.resolve(before).then(() => handler.apply(this, args));
    };
    const call = low ? () => asToolResult(run) : run;
    const round = "mcpReq" in context ? () => roundTrip(call, context as CallContext & Marked, guard) : call;
    return guard.asyncContext ? calls.run(context, round) : round();
  };
  guards.set(wrapper, guard);
  return wrapper;
}

function roundTrip(run: () => unknown, context: CallContext & Marked, guard: Guard): unknown {
  if (!isLegacy(context)) return modernRound(run, context, guard);
  mark(context, guard);
  return run();
}

/** Only requests of 2026-07-28 have an envelope, and only their results can ask. */
const isLegacy = (context: CallContext): context is CallContext & Marked =>
  "mcpReq" in context && (context as CallContext & Marked).mcpReq.envelope === undefined;

function mark({ mcpReq }: Marked, { marks }: Guard): void {
  if (marks) mcpReq[GUARDED] = "running";
}

async function modernRound(run: () => unknown, context: CallContext & Marked, guard: Guard): Promise<unknown> {
  context.mcpReq[GUARDED] = "running";
  let outcome: { readonly result: unknown } | { readonly error: unknown };
  try {
    outcome = { result: await run() };
  } catch (error) {
    outcome = { error };
  }
  const own = "result" in outcome && isAsking(outcome.result) ? outcome.result : undefined;
  const asked = guard.returned(context, own !== undefined);
  const { inputRequests, requestState } = asked ? await asked : {};
  context.mcpReq[GUARDED] = "returned";
  if (inputRequests) {
    const state = requestState === undefined ? {} : { requestState };
    return {
      ...own,
      ...state,
      resultType: "input_required",
      inputRequests: { ...own?.inputRequests, ...inputRequests },
    } satisfies InputRequired;
  }
  if ("error" in outcome) throw outcome.error;
  return outcome.result;
}

function isAsking(result: unknown): result is InputRequired {
  return typeof result === "object" && result !== null && (result as InputRequired).resultType === "input_required";
}

/** On a low-level server an exception would be a protocol error, which no model reads. */
async function asToolResult(run: () => unknown): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof NoProjectError)) throw error;
    return { content: [{ type: "text", text: error.message }], isError: true };
  }
}

const REGISTER = ["registerTool", "registerPrompt", "registerResource", "tool", "prompt", "resource"] as const;

/** Wraps every handler that is registered from now on; tells whether there may be earlier ones. */
export function guard(server: object, high: boolean, options: Omit<Guard, "marks">): boolean {
  const marks =
    options.sdk.generation === 2 && REPEATABLE_METHODS.some((method) => isTaken(method as string, options.protocol));
  if (options.argument !== undefined && options.sdk.generation === 1 && isTaken("tools/call", options.protocol)) {
    throw badOption(
      "argument",
      "a tool was registered before rootwise(server) was called, and its arguments cannot be read; call rootwise(server) first",
    );
  }
  const own: Guard = { ...options, marks };
  if (!high) guardRequests(own);
  // Handlers of SDK 1.x stay as they are unless an option needs the wrapper.
  else if (own.sdk.generation === 2 || own.asyncContext || own.before || own.argument !== undefined)
    guardRegistrations(server as Record<string, Handler | undefined>, own);
  return marks;
}

export function isTaken(method: string, protocol: Protocol): boolean {
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
    if (typeof register !== "function") continue;
    server[name] = (...args) => {
      const handler = args.at(-1);
      const registered = register.apply(
        server,
        typeof handler === "function" ? [...args.slice(0, -1), guarded(handler as Handler, own)] : args,
      );
      return keepGuard(registered, own);
    };
  }
}

/** A handler that replaces another later is wrapped too. */
function keepGuard(registered: unknown, own: Guard): unknown {
  const entry = registered as { update?: (updates: Record<string, unknown>) => unknown } | undefined;
  const update = entry?.update;
  if (!entry || typeof update !== "function") return registered;
  entry.update = (updates) => {
    const { callback } = updates;
    return update.call(
      entry,
      typeof callback === "function" ? { ...updates, callback: guarded(callback as Handler, own) } : updates,
    );
  };
  return registered;
}

function guardRequests(own: Guard): void {
  const { protocol } = own;
  const set = protocol.setRequestHandler;
  protocol.setRequestHandler = (...args) => {
    const handler = args.at(-1);
    const method = methodOf(args[0]);
    const wraps = REPEATABLE_METHODS.includes(method) && typeof handler === "function";
    return set.apply(
      protocol,
      wraps ? [...args.slice(0, -1), guarded(handler as Handler, own, method === "tools/call")] : args,
    );
  };
}

/** The method of a request handler: a name in SDK 2.x, a zod schema of version 3 or 4 in SDK 1.x. */
export function methodOf(of: unknown): unknown {
  if (typeof of === "string") return of;
  const { method } = ((of as { shape?: { method?: unknown } } | null)?.shape ?? {}) as {
    method?: { value?: unknown; _def?: { value?: unknown } };
  };
  return method?.value ?? method?._def?.value;
}
