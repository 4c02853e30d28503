import { presets } from "../generated/presets.js";
import type { Policy } from "../generated/types.js";

/** Variables that a preset reads, and others that name a working folder. */
const about = new Set([
  ...Object.values(presets as Record<string, Policy>).flatMap(({ sources = [] }) =>
    sources
      .filter(({ from }) => from === "env" || from === "configured")
      .flatMap(({ read = [] }) => read.map((name) => name.replace(/^\$/, ""))),
  ),
  "PWD",
  "OLDPWD",
  "INIT_CWD",
]);
const telling =
  /(^|_)(PROJECT|WORKSPACE|WORKSPACES|REPO|REPOSITORY)(_(DIR|DIRS|ROOT|PATH|PATHS|FOLDER|FOLDERS|FOLDER_PATHS))?$/;

/** A path, a `file:` URI, or a list of them: values that hold no secret. */
const pathLike = /^(?:[a-z]:[\\/]|\\\\|\/|file:)/i;

export interface Signals {
  /** Variables about projects, with their values. */
  readonly shown: Record<string, string>;
  /** The names of all others. */
  readonly hidden: readonly string[];
}

/** Sorts the environment: a value is shown only if its name is about projects and it looks like a place. */
export function signals(env: NodeJS.ProcessEnv): Signals {
  const shown: Record<string, string> = {};
  const hidden: string[] = [];
  for (const name of Object.keys(env).sort()) {
    const value = env[name] ?? "";
    if (!about.has(name) && !telling.test(name)) hidden.push(name);
    else
      shown[name] = value === "" || pathLike.test(value) || /\$\{[^}]*\}/.test(value) ? value : "(hidden: not a path)";
  }
  return { shown, hidden };
}
