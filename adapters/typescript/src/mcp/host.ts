// What this process knows about the machine it runs on.
import { realpathSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join, sep } from "node:path";
import type { HostFacts, ExcludedDirs, Transport } from "../generated/types.js";
import type { Profile } from "./profile.js";

/** Facts of a server with that transport; `given` replaces what was found out. */
export function hostFacts(profile: Profile, transport: Transport, given: Partial<HostFacts> = {}): HostFacts {
  const facts: HostFacts = {
    style: process.platform === "win32" ? "windows" : "posix",
    transport,
    env: pick(process.env, profile.env),
    arguments: options(process.argv.slice(2), profile.options),
    excludedDirs: excludedDirs(),
  };
  const cwd = tried(() => process.cwd());
  if (cwd !== undefined) facts.cwd = cwd;
  const merged = { ...facts, ...given };
  if (merged.allowedDirs) merged.allowedDirs = [...new Set(merged.allowedDirs.flatMap((base) => [base, tried(() => realpathSync(base)) ?? base]))];
  return merged;
}

function pick(env: NodeJS.ProcessEnv, names: readonly string[]): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = env[name];
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}

/** Reads `--name=value`, `--name value` and `--name`; the first of several counts. */
export function options(argv: readonly string[], names: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [index, word] of argv.entries()) {
    if (word === "--") break;
    const [, name, value] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === undefined || !names.includes(name) || Object.hasOwn(found, name)) continue;
    const next = argv[index + 1];
    found[name] = value ?? (next !== undefined && !next.startsWith("-") ? next : "");
  }
  return found;
}

let known: ExcludedDirs | undefined;

function excludedDirs(): ExcludedDirs {
  if (known) return known;
  const home = tried(homedir);
  const temporary = tried(tmpdir);
  const real = (path: string | undefined) => (path === undefined ? [] : [path, tried(() => realpathSync(path)) ?? path]);
  known = {
    ...(home ? { home } : {}),
    temporary: [...new Set([...real(temporary), ...(process.platform === "win32" ? [] : ["/tmp"])])],
    install: [...new Set([...real(dirname(process.execPath)), ...installed()])],
  };
  return known;
}

/** The folder this server was installed into. A server that is run from its sources lives in somebody's project. */
function installed(): string[] {
  const script = process.argv[1];
  const path = script && (tried(() => realpathSync(script)) ?? script);
  if (!path) return [];
  const parts = path.split(sep);
  const at = parts.lastIndexOf("node_modules");
  return at < 0 ? [] : [join(parts.slice(0, at + 1).join(sep), parts[at + 1] ?? "")];
}

function tried<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
