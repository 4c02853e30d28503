// The disk that the user draws: folders, files and links, in either spelling of paths.
import type { FindNearest, Nearest, PathStyle, ProbedPath, ProbePath, ReadFiles } from "rootwise";

/** Files, folders (their paths end with a separator), links and what cannot be read. */
export interface Drawing {
  files: string[];
  links?: Record<string, string>;
  /** What is written in files, by path; only small files of repositories are read. */
  texts?: Record<string, string>;
  denied?: string[];
}

/** A change of the disk while a story plays. */
export interface DiskChange {
  add?: string[];
  link?: Record<string, string>;
  write?: Record<string, string>;
  remove?: string[];
}

export interface Entry {
  path: string;
  kind: "folder" | "file" | "link";
  to?: string;
  text?: string;
  isDenied: boolean;
}

/** As Linux: more links than that lead nowhere. */
const MAX_LINKS = 40;

const isFolder = (path: string) => /[\\/]$/.test(path);

export class Disk {
  readonly #entries = new Map<string, Entry>();

  constructor(
    readonly style: PathStyle,
    drawing: Drawing = { files: [] },
  ) {
    for (const path of drawing.files) this.#put(path, isFolder(path) ? "folder" : "file");
    for (const [path, to] of Object.entries(drawing.links ?? {})) this.#put(path, "link", { to });
    for (const [path, text] of Object.entries(drawing.texts ?? {})) this.#put(path, "file", { text });
    for (const path of drawing.denied ?? []) this.#put(path, "folder").isDenied = true;
  }

  change({ add = [], link = {}, write = {}, remove = [] }: DiskChange): void {
    for (const path of remove) this.#remove(path);
    for (const path of add) this.#put(path, isFolder(path) ? "folder" : "file");
    for (const [path, to] of Object.entries(link)) this.#put(path, "link", { to });
    for (const [path, text] of Object.entries(write)) this.#put(path, "file", { text });
  }

  /** All entries, each folder before what is in it. */
  entries(): Entry[] {
    const segments = (entry: Entry) => this.#split(entry.path);
    return [...this.#entries.values()].sort((one, other) => compare(segments(one), segments(other)));
  }

  /** The entries as a drawing, to begin with again. */
  drawing(): Drawing {
    const all = this.entries();
    const separator = this.style === "windows" ? "\\" : "/";
    const links = Object.fromEntries(all.flatMap(({ path, to }) => (to === undefined ? [] : [[path, to]])));
    const texts = Object.fromEntries(all.flatMap(({ path, text }) => (text === undefined ? [] : [[path, text]])));
    return {
      files: all
        .filter(({ kind, text }) => kind !== "link" && text === undefined)
        .map(({ path, kind }) => path + (kind === "folder" ? separator : "")),
      ...(Object.keys(links).length > 0 ? { links } : {}),
      ...(Object.keys(texts).length > 0 ? { texts } : {}),
      ...(all.some(({ isDenied }) => isDenied) ? { denied: all.filter((e) => e.isDenied).map((e) => e.path) } : {}),
    };
  }

  /** What a host reports of a path. */
  probe({ path, markers = [], nearest, files }: ProbePath): ProbedPath {
    const found = this.#follow(path);
    if (found === undefined) return { path, found: "missing" };
    if (found.isDenied) return { path, found: "unreadable" };
    const holder = nearest && this.#nearest(found.path, nearest);
    const common = { path, realPath: found.path, ...(holder ? { nearest: holder } : {}) };
    if (found.kind === "file") return { ...common, found: "file" };
    const inside = markers.filter((marker) => this.#follow(this.#join([...this.#split(found.path), marker])));
    return {
      ...common,
      found: "directory",
      ...(markers.length > 0 ? { markers: inside } : {}),
      ...(files ? { files: this.#read(found.path, files) } : {}),
    };
  }

  /** The nearest folder that has one of the entries, from a real path upwards. */
  #nearest(start: string, { names, within, bytes }: FindNearest): Nearest | undefined {
    const segments = this.#split(start);
    for (let depth = segments.length; depth >= 0; depth -= 1) {
      const folder = segments.slice(0, depth);
      if (!this.#isWithin(folder, within)) return undefined;
      for (const name of names) {
        const entry = this.#follow(this.#join([...folder, name]));
        if (!entry || entry.isDenied) continue;
        const text = this.#textOf([...folder, name], bytes);
        return {
          path: this.#join(folder),
          name,
          found: entry.kind === "folder" ? "directory" : "file",
          ...(text === undefined ? {} : { text }),
        };
      }
    }
    return undefined;
  }

  /** What is written in files of a folder. */
  #read(folder: string, { names, within, bytes }: ReadFiles): Record<string, string> {
    const segments = this.#split(folder);
    if (!this.#isWithin(segments, within)) return {};
    const texts = names.map((name) => [name, this.#textOf([...segments, name], bytes)] as const);
    return Object.fromEntries(texts.filter((entry): entry is readonly [string, string] => entry[1] !== undefined));
  }

  #isWithin(folder: readonly string[], dirs: readonly string[] | null | undefined): boolean {
    const parts = (path: string) => this.#split(this.#key(path));
    const own = parts(this.#join(folder));
    return !dirs || dirs.some((dir) => parts(dir).every((segment, index) => own[index] === segment));
  }

  /** The text of a file, but not through a link. */
  #textOf(segments: readonly string[], bytes: number): string | undefined {
    const entry = this.#entries.get(this.#key(this.#join(segments)));
    if (entry?.kind !== "file" || entry.isDenied) return undefined;
    const text = entry.text ?? "";
    return new TextEncoder().encode(text).length <= bytes ? text : undefined;
  }

  isAbsolute(path: string): boolean {
    return this.style === "windows" ? /^([A-Za-z]:[\\/]|[\\/]{2}[^\\/]+[\\/])/.test(path) : path.startsWith("/");
  }

  #put(path: string, kind: Entry["kind"], more: Pick<Entry, "to" | "text"> = {}): Entry {
    const segments = this.#split(path);
    for (let depth = 1; depth < segments.length; depth += 1) {
      const parent = this.#join(segments.slice(0, depth));
      const key = this.#key(parent);
      if (!this.#entries.has(key)) this.#entries.set(key, { path: parent, kind: "folder", isDenied: false });
    }
    const plain = this.#join(segments);
    const entry: Entry = { path: plain, kind, isDenied: false, ...more };
    this.#entries.set(this.#key(plain), entry);
    return entry;
  }

  #remove(path: string): void {
    const gone = this.#split(this.#key(path));
    for (const key of [...this.#entries.keys()]) {
      const segments = this.#split(key);
      if (gone.every((segment, index) => segments[index] === segment)) this.#entries.delete(key);
    }
  }

  /** The entry that a path names, through links. */
  #follow(path: string, links = 0): Entry | undefined {
    const segments = this.#split(path);
    for (const depth of segments.keys()) {
      const entry = this.#entries.get(this.#key(this.#join(segments.slice(0, depth + 1))));
      if (!entry) return undefined;
      const rest = segments.slice(depth + 1);
      if (entry.to !== undefined)
        return links < MAX_LINKS ? this.#follow(this.#join([...this.#split(entry.to), ...rest]), links + 1) : undefined;
      if (entry.isDenied) return entry;
      if (rest.length === 0) return entry;
      if (entry.kind === "file") return undefined;
    }
    // No segments: the top of the disk.
    return { path: this.#join([]), kind: "folder", isDenied: false };
  }

  /** The parts of a path; on Windows the first one is the drive or the share. */
  #split(path: string): string[] {
    const share = this.style === "windows" ? /^[\\/]{2}([^\\/]+)[\\/]([^\\/]+)/.exec(path) : null;
    const rest = share ? path.slice(share[0].length) : path;
    const parts: string[] = [];
    for (const part of rest.split(this.style === "windows" ? /[\\/]/ : "/")) {
      if (part === "..") parts.pop();
      else if (part !== "" && part !== ".") parts.push(part);
    }
    return share ? [`\\\\${share[1]}\\${share[2]}`, ...parts] : parts;
  }

  #join(segments: readonly string[]): string {
    if (this.style === "posix") return `/${segments.join("/")}`;
    const [drive = "", ...rest] = segments;
    return `${drive}\\${rest.join("\\")}`;
  }

  #key(path: string): string {
    const plain = this.#join(this.#split(path));
    return this.style === "windows" ? plain.toLowerCase() : plain;
  }
}

function compare(one: readonly string[], other: readonly string[]): number {
  for (const [index, segment] of one.entries()) {
    const beside = other[index];
    if (beside === undefined) return 1;
    if (segment !== beside) return segment < beside ? -1 : 1;
  }
  return one.length - other.length;
}
