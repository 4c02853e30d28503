// What a server can configure and say about a call, and the checks of it.
import { badOption } from "../driver/errors.js";
import { type AllowedDirsOf, type CallerOf, checkedFacts, hasPathMap } from "../driver/host.js";
import { checkFunction } from "../driver/options.js";
import { inputsOf, requiringPath } from "../driver/policy.js";
import type { EndpointLog, HostFacts, Policy, PolicyInputs, SelectBy } from "../generated/types.js";
import type { PresetName } from "../resolver.js";
import type { CallContext } from "./sdk.js";
import { checkStore, type SessionStore } from "./store.js";

/** Options of `rootwise(server)`; everything has a default. */
export interface RootwiseOptions<RequirePath extends boolean = true, Context extends CallContext = CallContext> {
  /** A preset's name or a policy; by default `recommended`. */
  policy?: PresetName | Policy | undefined;
  /**
   * Whether a project must have a `path`, a folder that this process can use: the default. `false` is for servers that need
   * only the project's identity: a folder on another machine is then a project too, with a `clientPath`.
   */
  requirePath?: RequirePath | undefined;
  /**
   * The argument of the server's tools and prompts that takes a project path, such as `project_path`. It is read from every
   * call that has it, and the advice to a model without a project names it.
   */
  argument?: string | undefined;
  /**
   * Whether the optional parameter of that name is added to every tool that has none, where clients list the tools. Rootwise
   * reads it and takes it out of the call, so that tools which accept no other arguments work as before.
   */
  declare?: boolean | undefined;
  /**
   * Tells who makes a call over HTTP that belongs to no session, from the context of the call, so that what the caller selects
   * counts for its next calls. Return what the server has verified, such as the user of `authInfo`, and never what a client
   * says about itself; `undefined` for a caller that is not known. A call fails if the function does. Not used with `replicas`,
   * because the memory is that of one process.
   */
  caller?: CallerOf<Context> | undefined;
  /**
   * Whether several processes serve the clients over HTTP; with a `store` they do. Then nothing is remembered between calls
   * that belong to no session, because the processes would disagree, and a selection is answered with a handle, which all of
   * them understand.
   */
  replicas?: boolean | undefined;
  /**
   * Whether clients are on this machine, so that their paths are paths here; by default only over stdio. Without it, a path of a
   * client over HTTP, a socket or any other transport is used only inside `allowedDirs`.
   */
  local?: boolean | undefined;
  /**
   * Folders that every project must be inside; or a function that tells those of one caller, from the context of its call
   * (`authInfo` says who it is). A call fails if the function does. With `host.allowedDirs`, both must hold. The
   * connection itself then has no project: `onChange` says nothing, and `current()` knows nothing.
   */
  allowedDirs?: readonly string[] | AllowedDirsOf<Context> | undefined;
  /** Facts that replace the collected ones, such as another `cwd` or `env`. */
  host?: { [K in keyof HostFacts]?: HostFacts[K] | undefined } | undefined;
  /** Receives log lines; by default they are dropped. */
  log?: ((line: EndpointLog) => void) | undefined;
  /** Runs before each handler that is registered after `rootwise(server)`; the handler waits for it. */
  beforeCall?: ((context: CallContext) => void | Promise<void>) | undefined;
  /**
   * Whether helpers may leave the context out: `project()` then finds the one of the handler that is running, through
   * `AsyncLocalStorage`. Off by default, because that makes every promise of the process slower before Node 24.
   */
  asyncContext?: boolean | undefined;
  /** Keeps the connections of HTTP sessions for other replicas of the server. */
  store?: SessionStore | undefined;
  /**
   * Whether the server declares the experimental capability that makes Codex send the folder of its sandbox with each call;
   * by default it does if the policy reads that.
   */
  codexMeta?: boolean | undefined;
}

/** The names of the options. */
export const OPTIONS: readonly string[] = [
  "policy",
  "requirePath",
  "argument",
  "declare",
  "caller",
  "replicas",
  "local",
  "allowedDirs",
  "host",
  "log",
  "beforeCall",
  "asyncContext",
  "store",
  "codexMeta",
] satisfies (keyof RootwiseOptions)[];

/** Facts about the project that a handler has besides the context. */
export interface ProjectHints {
  /**
   * The project that the call names, as a path or `file:` URI; by default the value of the option `argument`. The policy needs a
   * source `argument`, otherwise it is `bad_options`.
   */
  argument?: string | undefined;
  /** A path the call touches, to choose between several roots and to find its package. */
  target?: string | undefined;
  /** The project that the server itself knows for the caller, such as the workspace of an authenticated user. */
  server?: string | undefined;
}

const SELECTIONS: readonly string[] = ["value", "name", "path", "uri", "root"];

/** The policy in the options, of which only own properties are given, and what it reads. Refuses options that are invalid, with the option's name. */
export function readOptions(options: RootwiseOptions<boolean>): {
  policy: PresetName | Policy;
  inputs: PolicyInputs;
  /** The facts of the host, if an option is about them. */
  facts: HostFacts | undefined;
} {
  for (const name of ["log", "beforeCall", "caller"] as const)
    if (options[name] !== undefined) checkFunction(options[name], name);
  if (options.argument !== undefined && (typeof options.argument !== "string" || options.argument === ""))
    throw badOption("argument", "must be the name of an argument");
  for (const name of ["local", "asyncContext", "codexMeta", "declare", "replicas"] as const) {
    if (options[name] !== undefined && typeof options[name] !== "boolean")
      throw badOption(name, "must be true or false");
  }
  if (options.declare && options.argument === undefined)
    throw badOption("declare", "needs the option argument, the name of the parameter that it declares");
  checkStore(options.store);
  const policy = requiringPath(options.policy, options.requirePath);
  const inputs = inputsOf(policy);
  if (options.argument !== undefined && !inputs.argument)
    throw badOption(
      "argument",
      'the policy has no source "argument", so nothing would read it; add { "from": "argument" } to its sources, or leave the option out',
    );
  const { host, allowedDirs } = options;
  const dirs = typeof allowedDirs === "function" ? undefined : allowedDirs;
  const facts =
    host === undefined && allowedDirs === undefined
      ? undefined
      : checkedFacts("stdio", policy, { host, allowedDirs: dirs });
  if (facts === undefined && hasPathMap(policy)) checkedFacts("stdio", policy, {});
  return { policy, inputs, facts };
}

/** Refuses what names no project, or names it twice. */
export function selection(by: string | SelectBy): SelectBy {
  if (typeof by === "string") return { value: by };
  const [key, ...more] = Object.keys(by ?? {});
  if (key === undefined || more.length > 0 || !SELECTIONS.includes(key))
    throw badOption("by", `must be a string or one of ${SELECTIONS.map((name) => `{ ${name} }`).join(", ")}`);
  return by;
}
