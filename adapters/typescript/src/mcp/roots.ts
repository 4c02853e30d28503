// The client's roots as an allow-list: every entry verified, and paths checked against all of them on disk.
import { isUtf8 } from "node:buffer";
import { pathRules, surroundings } from "../driver/surroundings.js";
import { RootwiseError } from "../error.js";
import type { AnnounceRoots, RootsState, RootView } from "../generated/types.js";
import { fileUriToPath, isInside, type PathProblem, pathProblem } from "../node/index.js";

/** One of the client's roots. */
export interface RootEntry extends RootView {
  /** Whether the folder exists on this machine; undefined where the disk was not examined. */
  readonly exists?: boolean;
}

/** The client's roots, usable or not. */
export interface Roots {
  readonly roots: readonly RootEntry[];
  /** Whether the client has listed its roots at all. */
  readonly answered: boolean;
  /** Whether this is the client's list as far as anybody knows: nothing has reported a change, and it is not too old. */
  readonly current: boolean;
  /** The same in detail. */
  readonly state: RootsState;
  /** The list as a person or a model reads it. */
  readonly text: string;
  /** The reason for which none of the roots can be used on this machine, if that is so. */
  readonly unusable?: string;
}

/** Receives the client's new roots and the previous ones; `undefined` stands for none. */
export type RootsListener = (roots: Roots, previous: Roots | undefined) => void;

/** The roots as the resolver checked them, with what that says about the disk. */
export function rootsOf(listed: ListedRoots): Roots {
  const { roots, state, answered = true, current, text, unusable } = listed;
  const entries = roots.map((view) => {
    const exists =
      view.realPath !== undefined
        ? true
        : view.problem === "missing" || view.problem === "other_system"
          ? false
          : undefined;
    return { ...view, ...(exists === undefined ? {} : { exists }) };
  });
  return { roots: entries, answered, current, state, text, ...(unusable === undefined ? {} : { unusable }) };
}

/** A list in an answer, or one that is announced because the client has answered. */
type ListedRoots = Pick<AnnounceRoots, "roots" | "state" | "current" | "text"> & {
  readonly answered?: boolean;
  readonly unusable?: string | undefined;
};

/** The roots that can be used on this machine; throws if there are none. */
export function usableRoots({ roots, text, unusable = text }: Roots): (RootEntry & { realPath: string })[] {
  const usable = roots.filter(
    (root): root is RootEntry & { realPath: string } => root.realPath !== undefined && root.problem === undefined,
  );
  if (usable.length === 0) throw new RootwiseError("no_roots", unusable);
  return usable;
}

/**
 * Returns the real path that a tool's path names, if it is inside one of the folders. Links are followed; the end of the
 * path need not exist yet. Use the returned path and not the given one: a link can change between the check and the use.
 *
 * @param folders absolute paths; those that do not exist allow nothing
 * @param path a path or a `file:` URI
 * @param base the folder that a relative path starts from; by default the first one
 * @throws RootwiseError the path is outside every folder, or cannot be examined
 */
export async function resolveInside(
  folders: readonly string[],
  path: string,
  base: string | undefined = folders[0],
): Promise<string> {
  if (typeof path !== "string" || path === "" || path.includes("\0")) throw refused({ problem: "empty" });
  const { style, files } = surroundings();
  const { isAbsolute, join, normalize } = pathRules();
  const named = /^file:/i.test(path) ? fileUriToPath(path, style) : path;
  if (!isAbsolute(named) && base === undefined) throw refused({ problem: "relative" });
  if (named.length > MAX_PATH[style]) throw refused({ problem: "tooLong", length: named.length, style });
  const real = await realOf(isAbsolute(named) ? normalize(named) : join(base as string, named));
  for (const folder of folders) {
    const realFolder = await files.realpath(folder, "buffer").catch(() => undefined);
    if (realFolder !== undefined && isInside(realFolder.toString(), real, style)) return real;
  }
  throw refused({ problem: "outside", folders });
}

function refused(problem: PathProblem, options?: ErrorOptions): RootwiseError {
  const { code, message } = pathProblem(problem);
  return new RootwiseError(code, message, options);
}

/** Characters of the longest path that a system takes. */
const MAX_PATH = { windows: 32_767, posix: 4_096 };

/** How often a path is examined that changes meanwhile. */
const MAX_LOOKS = 16;

/**
 * The real path of a file that may not exist yet: links are followed as far as the path exists. The result is what was
 * examined: where a link turned meanwhile, the path is examined again.
 */
async function realOf(path: string): Promise<string> {
  const { join, relative, sep } = pathRules();
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const existing = await existingPart(path);
    const rest = relative(existing, path);
    const real = await realPathOf(existing);
    if (real === undefined) {
      // A link that leads nowhere could lead anywhere by the time it is used.
      if (await isLink(existing)) throw refused({ problem: "linkToNowhere" });
      continue;
    }
    if (rest === "") return real;
    const [first = ""] = rest.split(sep);
    if (!(await isThere(join(real, first)))) return join(real, rest);
  }
  throw refused({ problem: "changing" });
}

/** The longest beginning of a path that exists, links included; found by halving, because a path can have thousands of parts. */
async function existingPart(path: string): Promise<string> {
  const { dirname } = pathRules();
  const parts = [path];
  for (let parent = dirname(path); parent !== parts.at(-1); parent = dirname(parent)) parts.push(parent);
  let [from, to] = [0, parts.length - 1];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (await isThere(parts[middle] as string)) to = middle;
    else from = middle + 1;
  }
  return parts[to] as string;
}

async function isThere(path: string): Promise<boolean> {
  return (await examined(() => surroundings().files.lstat(path))) !== undefined;
}

async function isLink(path: string): Promise<boolean> {
  return (await examined(() => surroundings().files.lstat(path)))?.isSymbolicLink() ?? false;
}

async function realPathOf(path: string): Promise<string | undefined> {
  const real = await examined(() => surroundings().files.realpath(path, "buffer"));
  if (real && !isUtf8(real)) throw refused({ problem: "notUtf8" });
  return real?.toString();
}

/** What a disk check finds; undefined if nothing is there. */
async function examined<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw refused({ problem: "unreadable", error: String(code) }, { cause: error });
  }
}
