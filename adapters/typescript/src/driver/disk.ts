import { isUtf8 } from "node:buffer";
import type { EntryKind, ProbedPath, ProbePath } from "../generated/types.js";
import { pathRules, surroundings } from "./surroundings.js";

/** Examines paths on disk. Never rejects: a path that cannot be examined is `missing` or `unreadable`. */
export function probe(paths: readonly ProbePath[]): Promise<ProbedPath[]> {
  return Promise.all(paths.map(probeOne));
}

async function probeOne({ path, markers = [] }: ProbePath): Promise<ProbedPath> {
  const found = await kindOf(path);
  if (found !== "directory") return found === "file" ? { path, found, ...(await realPathOf(path)) } : { path, found };
  const present = await Promise.all(markers.map((name) => exists(pathRules().join(path, name))));
  return { path, found, ...(await realPathOf(path)), markers: markers.filter((_, index) => present[index]) };
}

/** Returns the kind of the entry at a path. */
export async function kindOf(path: string): Promise<EntryKind> {
  try {
    return (await surroundings().files.stat(path)).isDirectory() ? "directory" : "file";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? "missing" : "unreadable";
  }
}

async function realPathOf(path: string): Promise<{ realPath?: string }> {
  try {
    const real = await surroundings().files.realpath(path, "buffer");
    // A name that is not UTF-8 would come out as another one.
    return isUtf8(real) ? { realPath: real.toString() } : {};
  } catch {
    return {};
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await surroundings().files.access(path);
    return true;
  } catch {
    return false;
  }
}
