// The disk that the user draws: folders, files and links, in either spelling of paths.
import type { PathStyle, ProbedPath, ProbePath } from "rootwise";

/** Files, folders (their paths end with a separator), links and what cannot be read. */
export interface Drawing {
  files: string[];
  links?: Record<string, string>;
  denied?: string[];
}

/** A change of the disk while a story plays. */
export interface DiskChange {
  add?: string[];
  link?: Record<string, string>;
  remove?: string[];
}

export interface Entry {
  path: string;
  kind: "folder" | "file" | "link";
  to?: string;
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
    for (const [path, to] of Object.entries(drawing.links ?? {})) this.#put(path, "link", to);
    for (const path of drawing.denied ?? []) this.#put(path, "folder").isDenied = true;
  }

  change({ add = [], link = {}, remove = [] }: DiskChange): void {
    for (const path of remove) this.#remove(path);
    for (const path of add) this.#put(path, isFolder(path) ? "folder" : "file");
    for (const [path, to] of Object.entries(link)) this.#put(path, "link", to);
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
    return {
      files: all
        .filter(({ kind }) => kind !== "link")
        .map(({ path, kind }) => path + (kind === "folder" ? separator : "")),
      ...(Object.keys(links).length > 0 ? { links } : {}),
      ...(all.some(({ isDenied }) => isDenied) ? { denied: all.filter((e) => e.isDenied).map((e) => e.path) } : {}),
    };
  }

  /** What a host reports of a path. */
  probe({ path, markers = [] }: ProbePath): ProbedPath {
    const found = this.#follow(path);
    if (found === undefined) return { path, found: "missing" };
    if (found.isDenied) return { path, found: "unreadable" };
    if (found.kind === "file") return { path, found: "file", realPath: found.path };
    const inside = markers.filter((marker) => this.#follow(this.#join([...this.#split(found.path), marker])));
    return { path, found: "directory", realPath: found.path, ...(markers.length > 0 ? { markers: inside } : {}) };
  }

  isAbsolute(path: string): boolean {
    return this.style === "windows" ? /^([A-Za-z]:[\\/]|[\\/]{2}[^\\/]+[\\/])/.test(path) : path.startsWith("/");
  }

  #put(path: string, kind: Entry["kind"], to?: string): Entry {
    const segments = this.#split(path);
    for (let depth = 1; depth < segments.length; depth += 1) {
      const parent = this.#join(segments.slice(0, depth));
      const key = this.#key(parent);
      if (!this.#entries.has(key)) this.#entries.set(key, { path: parent, kind: "folder", isDenied: false });
    }
    const plain = this.#join(segments);
    const entry: Entry = { path: plain, kind, isDenied: false, ...(to === undefined ? {} : { to }) };
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
