// A disk in memory, which answers as `node:fs/promises` does.
import { posix, win32 } from "node:path";
import { badOption } from "../driver/errors.js";
import type { Files } from "../driver/surroundings.js";
import type { PathStyle } from "../generated/types.js";

interface Entry {
  /** The path as it was spelled first. */
  readonly path: string;
  readonly kind: "folder" | "file" | "link";
  /** Where a link leads. */
  readonly to?: string;
  /** What a file holds. */
  readonly text?: string;
  isDenied: boolean;
}

/** As Linux: more links than that lead nowhere. */
const MAX_LINKS = 40;

/** A disk of one style. Folders above an entry are created with it; on Windows case does not count. */
export class FakeDisk {
  readonly #path: typeof posix;
  readonly #entries = new Map<string, Entry>();

  constructor(readonly style: PathStyle) {
    this.#path = style === "windows" ? win32 : posix;
  }

  /** Adds files, and folders, whose paths end with a separator: `/work/shop/package.json`, `/work/empty/`. */
  add(...paths: readonly string[]): this {
    for (const path of paths) this.#put(path, { kind: /[\\/]$/.test(path) ? "folder" : "file" });
    return this;
  }

  /** Adds a file with a text, such as the `.git` of a worktree. */
  write(path: string, text: string): this {
    return this.#put(path, { kind: "file", text });
  }

  /** Adds a link; where it leads need not exist. */
  link(path: string, to: string): this {
    return this.#put(path, { kind: "link", to: this.#absolute(to) });
  }

  /** Removes an entry and everything below it. */
  remove(path: string): this {
    const key = this.#key(path);
    for (const known of [...this.#entries.keys()])
      if (known === key || known.startsWith(`${key}${this.#path.sep}`)) this.#entries.delete(known);
    return this;
  }

  /** Makes an entry unreadable, as one of another user. */
  deny(path: string): this {
    const entry = this.#entries.get(this.#key(path));
    if (!entry) throw badOption("path", "there is no such entry on this disk");
    entry.isDenied = true;
    return this;
  }

  /** @internal The functions that Rootwise calls. */
  get files(): Files {
    return {
      access: async (path) => void this.#follow(path),
      stat: async (path) => {
        const { kind } = this.#follow(path);
        return { isDirectory: () => kind === "folder" };
      },
      lstat: async (path) => {
        const { kind, text = "" } = this.#follow(path, false);
        return { isSymbolicLink: () => kind === "link", isFile: () => kind === "file", size: Buffer.byteLength(text) };
      },
      readStart: async (path, most) => Buffer.from(this.#follow(path).text ?? "").subarray(0, most),
      readlink: async (path) => this.#follow(path, false).to ?? path,
      realpath: async (path) => Buffer.from(this.#follow(path).path),
    };
  }

  /** @internal The real path of an entry, if it has one. */
  realPath(path: string): string | undefined {
    try {
      return this.#follow(path).path;
    } catch {
      return undefined;
    }
  }

  #put(path: string, made: Pick<Entry, "kind" | "to" | "text">): this {
    const plain = this.#absolute(path);
    const parent = this.#path.dirname(plain);
    if (parent !== plain && !this.#entries.has(this.#key(parent))) this.#put(parent, { kind: "folder" });
    this.#entries.set(this.#key(plain), { path: plain, ...made, isDenied: false });
    return this;
  }

  /** The entry that a path names, through links; throws what the file system of Node would. */
  #follow(path: string, throughLast = true, links = 0): Entry {
    const plain = this.#absolute(path);
    const { root } = this.#path.parse(plain);
    const names = plain.slice(root.length).split(this.#path.sep).filter(Boolean);
    let at = root;
    let entry = this.#entries.get(this.#key(root)) ?? { path: root, kind: "folder", isDenied: false };
    for (const [index, name] of names.entries()) {
      if (entry.kind === "file") throw failure("ENOTDIR", path);
      if (entry.isDenied) throw failure("EACCES", path);
      at = this.#path.join(at, name);
      const found = this.#entries.get(this.#key(at));
      if (!found) throw failure("ENOENT", path);
      const rest = names.slice(index + 1);
      if (found.to !== undefined && (rest.length > 0 || throughLast)) {
        if (links >= MAX_LINKS) throw failure("ELOOP", path);
        return this.#follow(this.#path.join(found.to, ...rest), throughLast, links + 1);
      }
      entry = found;
    }
    if (entry.isDenied) throw failure("EACCES", path);
    return entry;
  }

  #absolute(path: string): string {
    if (typeof path !== "string" || !this.#path.isAbsolute(path) || this.#path.parse(path).root === "\\")
      throw badOption("path", `must be an absolute path of the style ${this.style}`);
    const plain = this.#path.normalize(path);
    return plain.length > this.#path.parse(plain).root.length ? plain.replace(/[\\/]$/, "") : plain;
  }

  #key(path: string): string {
    const plain = this.#absolute(path);
    return this.style === "windows" ? plain.toLowerCase() : plain;
  }
}

const failure = (code: string, path: string) => Object.assign(new Error(`${code}: ${path}`), { code });
