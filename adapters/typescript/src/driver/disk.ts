import { isUtf8 } from "node:buffer";
import type { EntryKind, FindNearest, Nearest, ProbedPath, ProbePath, ReadFiles } from "../generated/types.js";
import { pathRules, surroundings } from "./surroundings.js";

/** Examines paths on disk. Never rejects: a path that cannot be examined is `missing` or `unreadable`. */
export function probe(paths: readonly ProbePath[]): Promise<ProbedPath[]> {
  const each = () => Promise.all(paths.map(probeOne));
  return surroundings().files.probe?.(paths).catch(each) ?? each();
}

async function probeOne({ path, markers = [], nearest, files }: ProbePath): Promise<ProbedPath> {
  const found = await kindOf(path);
  if (found !== "directory" && found !== "file") return { path, found };
  const isFolder = found === "directory";
  const [present, realPath] = await Promise.all([
    Promise.all(markers.map((name) => isFolder && exists(pathRules().join(path, name)))),
    realPathOf(path),
  ]);
  const [holder, texts] = await Promise.all([
    realPath !== undefined && nearest ? findNearest(realPath, nearest) : undefined,
    realPath !== undefined && isFolder && files ? readFiles(realPath, files) : undefined,
  ]);
  return {
    path,
    found,
    ...(realPath === undefined ? {} : { realPath }),
    ...(isFolder ? { markers: markers.filter((_, index) => present[index]) } : {}),
    ...(holder ? { nearest: holder } : {}),
    ...(texts ? { files: texts } : {}),
  };
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

async function realPathOf(path: string): Promise<string | undefined> {
  try {
    const real = await surroundings().files.realpath(path, "buffer");
    // A name that is not UTF-8 would come out as another one.
    return isUtf8(real) ? real.toString() : undefined;
  } catch {
    return undefined;
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

/** Finds the nearest folder that has one of the entries, from a real path upwards. */
async function findNearest(start: string, { names, within, bytes }: FindNearest): Promise<Nearest | undefined> {
  const { dirname, join } = pathRules();
  for (let folder = start; isWithin(folder, within); folder = dirname(folder)) {
    const kinds = await Promise.all(names.map((name) => kindOf(join(folder, name))));
    const at = kinds.findIndex((kind) => kind === "directory" || kind === "file");
    const [name, found] = [names[at], kinds[at]];
    if (name !== undefined && found !== undefined) {
      const text = await textOf(join(folder, name), bytes);
      return { path: folder, name, found, ...(text === undefined ? {} : { text }) };
    }
    if (dirname(folder) === folder) return undefined;
  }
  return undefined;
}

/** Reads files in a folder, given by its real path. */
async function readFiles(folder: string, { names, within, bytes }: ReadFiles): Promise<Record<string, string>> {
  if (!isWithin(folder, within)) return {};
  const texts = await Promise.all(
    names.map(async (name) => [name, await textOf(pathRules().join(folder, name), bytes)] as const),
  );
  return Object.fromEntries(texts.filter((entry): entry is readonly [string, string] => entry[1] !== undefined));
}

function isWithin(folder: string, dirs: readonly string[] | null | undefined): boolean {
  const { isAbsolute, relative, sep } = pathRules();
  const holds = (dir: string) => {
    const rest = relative(dir, folder);
    return rest !== ".." && !rest.startsWith(`..${sep}`) && !isAbsolute(rest);
  };
  return !dirs || dirs.some(holds);
}

/** The text of a regular file that is not too large: to open a pipe or a device could wait for ever. */
async function textOf(path: string, most: number): Promise<string | undefined> {
  const { files } = surroundings();
  try {
    const entry = await files.lstat(path);
    if (!entry.isFile() || entry.size > most) return undefined;
    // It may have grown meanwhile.
    const text = await files.readStart(path, most + 1);
    return text.length <= most && isUtf8(text) ? text.toString() : undefined;
  } catch {
    return undefined;
  }
}
