import { access, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Found, ProbedPath, ProbePath } from "../generated/types.js";

/** Looks at paths; never fails, because what cannot be seen is an answer too. */
export function look(paths: readonly ProbePath[]): Promise<ProbedPath[]> {
  return Promise.all(paths.map(lookAt));
}

async function lookAt({ path, markers = [] }: ProbePath): Promise<ProbedPath> {
  const found = await kind(path);
  if (found !== "directory") return found === "file" ? { path, found, ...(await real(path)) } : { path, found };
  const there = await Promise.all(markers.map((name) => exists(join(path, name))));
  return { path, found, ...(await real(path)), markers: markers.filter((_, index) => there[index]) };
}

async function kind(path: string): Promise<Found> {
  try {
    return (await stat(path)).isDirectory() ? "directory" : "file";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? "missing" : "unreadable";
  }
}

async function real(path: string): Promise<{ realPath?: string }> {
  try {
    return { realPath: await realpath(path) };
  } catch {
    return {};
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
