// Paths that a tool names, checked on disk: inside a project, or inside one of several folders.
import { isUtf8 } from "node:buffer";
import { RootwiseError } from "../error.js";
import type { PathProblem, ProjectFolder } from "../functions.js";
import type { PathStyle } from "../generated/types.js";
import { fileInside, isInside, pathProblem, toolPath } from "../node/index.js";
import { badOption } from "./errors.js";
import { pathRules, surroundings } from "./surroundings.js";

/**
 * Returns the real path of a file or folder inside a project. Links are followed, but never out of the project; the end of
 * the path need not exist yet. Use the returned path and not the given one: a link can change between the check and the use.
 *
 * @param project a project, as a call or `resolveAtStart` found it
 * @param file relative to the project, or an absolute path or `file:` URI inside it, also as the client spells it
 * @throws RootwiseError the path is not inside the project, or cannot be examined; the message says which part is wrong and
 *   where it leads
 */
export async function resolveFile(project: ProjectFolder, file: string): Promise<string> {
  if (typeof project !== "object" || project === null) throw badOption("project", "must be a project");
  const { style } = surroundings();
  const { path: folder = "", realPath } = project;
  const wanted = fileInside(project, checked(file, style), style);
  const realFolder = await realPathOf(folder);
  if (realFolder === undefined) throw refused({ problem: "projectMissing", project: folder });
  // A link that was turned since the project was found does not move the project.
  const fence = realPath ?? realFolder;
  const { relative } = pathRules();
  const shown = (path: string) => relative(folder, path) || folder;
  const real = await realOf(wanted, isInside(folder, wanted, style) ? shown : (path) => path);
  if (isInside(fence, real, style)) return real;
  throw refused(await wayOut(folder, wanted, fence, real));
}

/** The first part of a path that leads out of the project. */
async function wayOut(folder: string, wanted: string, fence: string, real: string): Promise<PathProblem> {
  const { join, relative, sep } = pathRules();
  const { style } = surroundings();
  const rest = relative(folder, wanted);
  const names = rest === "" || rest.startsWith("..") ? [] : rest.split(sep);
  for (const count of Array(names.length + 1).keys()) {
    const part = join(folder, ...names.slice(0, count));
    const leadsTo = await realPathOf(part);
    if (leadsTo === undefined) break;
    if (!isInside(fence, leadsTo, style))
      return {
        problem: "outsideProject",
        part: count === 0 ? folder : names.slice(0, count).join(sep),
        leadsTo,
        project: fence,
      };
  }
  return { problem: "outsideProject", part: wanted, leadsTo: real, project: fence };
}

/**
 * Returns the real path that a tool's path names, if it is inside one of the folders. Links are followed; the end of the
 * path need not exist yet. Use the returned path and not the given one: a link can change between the check and the use.
 *
 * @param folders absolute paths; those that do not exist allow nothing
 * @param path relative to `base`, an absolute path or a `file:` URI
 * @param base the folder that a relative path starts from; by default the first one
 * @throws RootwiseError the path is outside every folder, or cannot be examined
 */
export async function resolveInside(
  folders: readonly string[],
  path: string,
  base: string | undefined = folders[0],
): Promise<string> {
  const { style, files } = surroundings();
  const real = await realOf(toolPath(checked(path, style), base, style));
  for (const folder of folders) {
    const realFolder = await files.realpath(folder, "buffer").catch(() => undefined);
    if (realFolder !== undefined && isInside(realFolder.toString(), real, style)) return real;
  }
  throw refused({ problem: "outside", folders });
}

/** A path that is short enough to be examined at all. */
function checked(path: string, style: PathStyle): string {
  if (typeof path !== "string") throw refused({ problem: "empty" });
  if (path.length > MAX_CHECKED) throw refused({ problem: "tooLong", length: path.length, style });
  return path;
}

function refused(problem: PathProblem, options?: ErrorOptions): RootwiseError {
  const { code, message } = pathProblem(problem);
  return new RootwiseError(code, message, options);
}

/** Characters of a text that is examined at all. */
const MAX_CHECKED = 1 << 18;

/** How often a path is examined that changes meanwhile. */
const MAX_LOOKS = 16;

/**
 * The real path of a file that may not exist yet: links are followed as far as the path exists. The result is what was
 * examined: where a link turned meanwhile, the path is examined again.
 */
async function realOf(path: string, shown = (part: string) => part): Promise<string> {
  const { join, relative, sep } = pathRules();
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const existing = await existingPart(path);
    const rest = relative(existing, path);
    const real = await realPathOf(existing);
    if (real === undefined) {
      // A link that leads nowhere could lead anywhere by the time it is used.
      const leadsTo = await targetOf(existing);
      if (leadsTo !== undefined) throw refused({ problem: "linkToNowhere", part: shown(existing), leadsTo });
      continue;
    }
    if (rest === "") return real;
    const [first = ""] = rest.split(sep);
    if (await isThere(join(real, first))) continue;
    const entry = await examined(() => surroundings().files.stat(real));
    if (entry && !entry.isDirectory()) throw refused({ problem: "notAFolder", part: shown(existing) });
    return join(real, rest);
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

/** Where a link leads; undefined if there is none. */
async function targetOf(path: string): Promise<string | undefined> {
  const { files } = surroundings();
  const entry = await examined(() => files.lstat(path));
  return entry?.isSymbolicLink() ? examined(() => files.readlink(path)) : undefined;
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
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw refused({ problem: "unreadable", error: String(code) }, { cause: error });
  }
}
