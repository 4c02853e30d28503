// Facts about this process and the machine it runs on.
import { isAbsolute } from "node:path";
import type { EndpointLog, HostFacts, Policy, Transport } from "../generated/types.js";
import { commandLine, Endpoint } from "../node/index.js";
import type { PresetName } from "../resolver.js";
import { guarded } from "./callbacks.js";
import { probe } from "./disk.js";
import { badOption, hostError, messageOf, NoProjectError } from "./errors.js";
import { defined, own, ownOptions } from "./options.js";
import { inputsOf } from "./policy.js";
import { surroundings } from "./surroundings.js";

/** Options of {@link hostFacts}. */
export interface HostFactsOptions {
  /** Decides which variables and command line options are read; by default `recommended`. */
  policy?: PresetName | Policy | undefined;
  /** The command line without program and script; by default the one of this process. */
  argv?: readonly string[] | undefined;
  /** By default the environment of this process. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
}

const OPTIONS: readonly string[] = ["policy", "argv", "env"] satisfies (keyof HostFactsOptions)[];

/** Collects the facts of this process for a resolver. Reads only the variables and options that the policy names. */
export function hostFacts(transport: Transport = "stdio", given: HostFactsOptions = {}): HostFacts {
  const here = surroundings();
  const { policy, argv = here.argv, env = here.env } = ownOptions(given, OPTIONS);
  const inputs = inputsOf(policy);
  const facts: HostFacts = {
    style: here.style,
    transport,
    env: pick(env, inputs.env),
    arguments: inputs.options.length > 0 ? commandLine(argv, policy) : {},
    excludedDirs: here.excludedDirs(),
  };
  const cwd = here.cwd();
  if (cwd !== undefined) facts.cwd = cwd;
  return facts;
}

/** Options about the host that adapters take. */
export interface HostOptions {
  local?: boolean | undefined;
  /** Folders that every project must be inside. */
  allowedDirs?: readonly string[] | undefined;
  /** Facts that replace the collected ones, such as `local: true` for an HTTP server on the user's machine. */
  host?: { [K in keyof HostFacts]?: HostFacts[K] | undefined } | undefined;
}

/** The facts of this process, replaced where the options say so. */
export function mergedFacts(
  transport: Transport,
  policy: PresetName | Policy | undefined,
  options: HostOptions,
): HostFacts {
  const { host, local, allowedDirs } = own(options);
  const given = own<Partial<HostFacts>>(defined({ local, ...host }));
  const collected = hostFacts(transport, { policy });
  // The folders of this machine mean nothing to a host of the other style.
  if ((given.style ?? collected.style) !== collected.style) {
    delete collected.cwd;
    delete collected.excludedDirs;
  }
  const merged = own({ ...collected, ...given });
  if (allowedDirs) merged.allowedDirs = [...allowedDirs];
  if (merged.allowedDirs) merged.allowedDirs = withRealPaths(merged.allowedDirs);
  return merged;
}

const withRealPaths = (dirs: readonly string[]): string[] => [
  ...new Set(dirs.flatMap((dir) => [dir, surroundings().realFolder(dir) ?? dir])),
];

/** What a function of the server tells about a caller; throws the same error whatever it fails with. */
async function told<T>(problem: "callerUnknown" | "foldersUnknown", tell: () => T): Promise<Awaited<T>> {
  try {
    return await tell();
  } catch (error) {
    if (error instanceof NoProjectError) throw error;
    throw Object.assign(hostError({ problem, error: messageOf(error) }), { cause: error });
  }
}

/** The folders that a function of the server gives a caller; throws if it fails or gives no folders, so that nothing is allowed. */
export async function callersDirs<C>(allowedDirs: AllowedDirsOf<C>, caller: C): Promise<string[]> {
  const dirs: unknown = await told("foldersUnknown", () => allowedDirs(caller));
  if (!Array.isArray(dirs)) throw badOption("allowedDirs", "the function must return a list of absolute paths");
  checkFolders("allowedDirs()", dirs, undefined);
  return withRealPaths(dirs);
}

/** Who a function of the server says is calling; throws if it fails or says anything but a name. */
export async function callersName<C>(callerOf: CallerOf<C>, caller: C): Promise<string | undefined> {
  const name: unknown = await told("callerUnknown", () => callerOf(caller));
  // Callers without a name must not share what one of them selects.
  if (name !== undefined && (typeof name !== "string" || name === ""))
    throw badOption(
      "caller",
      "the function must return a text that is not empty, or undefined for a caller it does not know",
    );
  return name;
}

/** Tells who makes a call, as the server has authenticated it; undefined if it does not know. */
export type CallerOf<C> = (caller: C) => string | undefined | Promise<string | undefined>;

/** Tells the folders of one caller. */
export type AllowedDirsOf<C> = (caller: C) => readonly string[] | Promise<readonly string[]>;

/** As {@link mergedFacts}. Refuses invalid options and facts here, and not in the first call. */
export function checkedFacts(transport: Transport, policy: PresetName | Policy, options: HostOptions): HostFacts {
  const { host, allowedDirs } = options;
  if (host !== undefined && (typeof host !== "object" || host === null))
    throw badOption("host", "must be an object with host facts");
  const facts = own(host ?? {});
  const style = facts.style ?? surroundings().style;
  checkFolders("allowedDirs", allowedDirs, style);
  checkFolders("host.allowedDirs", facts.allowedDirs, style);
  const merged = mergedFacts(transport, policy, options);
  new Endpoint({ policy, host: merged }).close();
  return merged;
}

/** Whether the operator gave this process a path map, which then has to be right from the start. */
export function hasPathMap(policy: PresetName | Policy): boolean {
  const { env, arguments: words } = hostFacts("stdio", { policy });
  return env?.["ROOTWISE_PATH_MAP"] !== undefined || words?.["path-map"] !== undefined;
}

/** The code of a log line about one of the operator's folders. */
export const DIR_UNUSABLE = "allowed_dir_unusable";

/** The lists of folders that were reported: a server may be created for every request. */
const reported = new Set<string>();
const MAX_REPORTED = 1_000;

/**
 * Reports the allowed folders that are of no use as soon as the server starts, and not when its first client comes: once for each
 * list of folders, and as a warning of the process where there is no log.
 */
export async function reportDirs(
  policy: PresetName | Policy,
  host: HostFacts,
  log: ((line: EndpointLog) => void) | undefined,
): Promise<void> {
  const { allowedDirs } = host;
  const key = JSON.stringify(allowedDirs ?? []);
  if (!allowedDirs || reported.has(key)) return;
  if (reported.size >= MAX_REPORTED) reported.clear();
  reported.add(key);
  const endpoint = new Endpoint({ policy, host });
  for (const action of endpoint.handle({ type: "deadlineReached" }, 0).actions) {
    if (action.type !== "probe") continue;
    const probed = { type: "probed", probe: action.probe, paths: await probe(action.paths) } as const;
    for (const line of endpoint.handle(probed, 0).actions) {
      if (line.type !== "log" || line.code !== DIR_UNUSABLE) continue;
      const { level, code, message } = line;
      guarded(() => (log ? log({ level, code, message }) : process.emitWarning(message, "RootwiseWarning", code)));
    }
  }
  endpoint.close();
}

function checkFolders(option: string, folders: unknown, style: unknown): void {
  if (folders === undefined || folders === null) return;
  if (!Array.isArray(folders)) throw badOption(option, "must be a list of absolute paths");
  for (const [index, folder] of folders.entries()) {
    const absolute =
      typeof folder === "string" &&
      (isAbsolute(folder) || (style === "windows" && /^(?:[a-z]:[\\/]|\\\\)/i.test(folder)));
    if (!absolute) throw badOption(`${option}[${index}]`, "must be an absolute path");
  }
}

function pick(env: Readonly<Record<string, string | undefined>>, names: readonly string[]): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}
