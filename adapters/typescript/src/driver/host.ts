// Facts about this process and the machine it runs on.
import { realpathSync, statSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, isAbsolute, join, sep } from "node:path";
import type { ExcludedDirs, HostFacts, Policy, Transport } from "../generated/types.js";
import { commandLine, Endpoint } from "../node/index.js";
import type { PresetName } from "../resolver.js";
import { badOption } from "./errors.js";
import { defined, own, ownOptions } from "./options.js";
import { inputsOf } from "./policy.js";

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
  const { policy, argv = process.argv.slice(2), env = process.env } = ownOptions(given, OPTIONS);
  const inputs = inputsOf(policy);
  const facts: HostFacts = {
    style: process.platform === "win32" ? "windows" : "posix",
    transport,
    env: pick(env, inputs.env),
    arguments: inputs.options.length > 0 ? commandLine(argv, policy) : {},
    excludedDirs: excludedDirs(),
  };
  const cwd = attempt(workingDirectory);
  if (cwd !== undefined) facts.cwd = cwd;
  return facts;
}

/** The working directory; undefined if its name is not UTF-8, because what Node makes of it can name another folder. */
function workingDirectory(): string | undefined {
  const cwd = process.cwd();
  if (!cwd.includes("\ufffd")) return cwd;
  const [named, real] = [statSync(cwd), statSync(".")];
  return named.ino === real.ino && named.dev === real.dev ? cwd : undefined;
}

/** Options about the host that adapters take. */
export interface HostOptions {
  /** Folders that every project must be inside. */
  allowedDirs?: readonly string[] | undefined;
  /** Facts that replace the collected ones, such as `local: true` for an HTTP server on the user's machine. */
  host?: { [K in keyof HostFacts]?: HostFacts[K] | undefined } | undefined;
}

/** The facts of this process, replaced where the options say so. */
export function mergedFacts(
  transport: Transport,
  policy: PresetName | Policy | undefined,
  { host, allowedDirs }: HostOptions,
): HostFacts {
  const given = own<Partial<HostFacts>>(defined(host ?? {}));
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
  ...new Set(dirs.flatMap((dir) => [dir, attempt(() => realpathSync(dir)) ?? dir])),
];

/** The folders that a function of the server gives a caller; throws if it fails or gives no folders, so that nothing is allowed. */
export async function callersDirs<C>(allowedDirs: AllowedDirsOf<C>, caller: C): Promise<string[]> {
  const dirs: unknown = await allowedDirs(caller);
  if (!Array.isArray(dirs)) throw badOption("allowedDirs", "the function must return a list of absolute paths");
  checkFolders("allowedDirs()", dirs, undefined);
  return withRealPaths(dirs);
}

/** Tells the folders of one caller. */
export type AllowedDirsOf<C> = (caller: C) => readonly string[] | Promise<readonly string[]>;

/** As {@link mergedFacts}. Refuses invalid options and facts here, and not in the first call. */
export function checkedFacts(transport: Transport, policy: PresetName | Policy, options: HostOptions): HostFacts {
  const { host, allowedDirs } = options;
  if (host !== undefined && (typeof host !== "object" || host === null))
    throw badOption("host", "must be an object with host facts");
  const facts = own(host ?? {});
  checkFolders("allowedDirs", allowedDirs, facts.style);
  checkFolders("host.allowedDirs", facts.allowedDirs, facts.style);
  const merged = mergedFacts(transport, policy, options);
  new Endpoint({ policy, host: merged }).close();
  return merged;
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

let excluded: ExcludedDirs | undefined;

function excludedDirs(): ExcludedDirs {
  if (excluded) return excluded;
  // HOME and TMPDIR may hold anything.
  const absolute = (path: string | undefined) => (path !== undefined && isAbsolute(path) ? path : undefined);
  const home = absolute(attempt(homedir));
  const scratch = process.platform === "win32" ? [] : ["/tmp", "/var/tmp"];
  const temporary = absolute(attempt(tmpdir));
  const real = (path: string | undefined) =>
    path === undefined ? [] : [path, attempt(() => realpathSync(path)) ?? path];
  excluded = {
    home: [...new Set(real(home))],
    temporary: [...new Set([temporary, ...scratch].flatMap(real))],
    install: [...new Set([...real(dirname(process.execPath)), ...installed()])],
  };
  return excluded;
}

/** The folder this server was installed into. A server that runs from its sources lives in a project of its own. */
function installed(): string[] {
  const script = process.argv[1];
  const path = script && (attempt(() => realpathSync(script)) ?? script);
  if (!path) return [];
  const parts = path.split(sep);
  const at = parts.lastIndexOf("node_modules");
  return at < 0 ? [] : [join(parts.slice(0, at + 1).join(sep), parts[at + 1] ?? "")];
}

/** What can be read, or undefined. */
export function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
