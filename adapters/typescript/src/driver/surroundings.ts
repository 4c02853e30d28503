// What this package takes from the process that it runs in: its facts, its files and its time. `rootwise/testing` puts others in their place.
import { constants, realpathSync, statSync } from "node:fs";
import files from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname, isAbsolute, join, posix, sep, win32 } from "node:path";
import type { Answer, ExcludedDirs, PathStyle, ProbedPath, ProbePath } from "../generated/types.js";
import { chosen } from "../node/chosen.js";
import type { Question } from "./loop-host.js";

/** The part of `node:fs/promises` that is used. */
export interface Files {
  /** Examines the paths of a probe in one piece of work, where the backend can. */
  readonly probe?: ((paths: readonly ProbePath[]) => Promise<ProbedPath[]>) | undefined;
  access(path: string): Promise<void>;
  lstat(path: string): Promise<{ isSymbolicLink(): boolean; isFile(): boolean; readonly size: number }>;
  /** The first bytes of a file. */
  readStart(path: string, most: number): Promise<Buffer>;
  readlink(path: string): Promise<string>;
  realpath(path: string, encoding: "buffer"): Promise<Buffer>;
  stat(path: string): Promise<{ isDirectory(): boolean }>;
}

/** A function that runs later. */
export interface Timer {
  /** Whether somebody waits for it, which keeps the process alive. */
  hold(isAwaited: boolean): void;
  cancel(): void;
}

/** Everything that the process decides. */
export interface Surroundings {
  readonly style: PathStyle;
  /** The command line without program and script. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  cwd(): string | undefined;
  excludedDirs(): ExcludedDirs;
  readonly files: Files;
  /** The real path of a folder, if it has one. */
  realFolder(path: string): string | undefined;
  readonly stdin: { on(event: "end", run: () => void): unknown; off(event: "end", run: () => void): unknown };
  /** Milliseconds of a clock that does not run backwards. */
  now(): number;
  setTimer(run: () => void, delayMs: number): Timer;
}

/** Answers in place of every client. */
export interface FixedAnswers {
  ask(question: Question): Promise<Answer>;
  peek(question: Question & { type: "asked" }): Answer | undefined;
}

let current: Surroundings | undefined;
let fixed: FixedAnswers | undefined;

/** The surroundings that count now. */
export const surroundings = (): Surroundings => current ?? here;

/** The rules for paths of the surroundings. */
export const pathRules = (): typeof posix => (surroundings().style === "windows" ? win32 : posix);

/** Replaces the surroundings; without an argument those of the process count again. */
export function surround(by?: Surroundings): void {
  current = by;
}

/** Whoever answers in place of every client, in a test that has fixed its project. */
export const fixedAnswers = (): FixedAnswers | undefined => fixed;

/** Fixes the answers; without an argument clients count again. */
export function fixAnswers(by?: FixedAnswers): void {
  fixed = by;
}

/** What can be read, or undefined. */
export function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

const { probe } = chosen.core;

const here: Surroundings = {
  style: process.platform === "win32" ? "windows" : "posix",
  get argv() {
    return process.argv.slice(2);
  },
  get env() {
    return process.env;
  },
  cwd: () => attempt(workingDirectory),
  excludedDirs: () => (excluded ??= excludedDirs()),
  files: {
    // On Windows, Rust spells real paths in its own way, with `\\?\` in front.
    probe:
      probe && process.platform !== "win32"
        ? async (paths) => JSON.parse(await probe(JSON.stringify(paths))) as ProbedPath[]
        : undefined,
    access: (path) => files.access(path),
    lstat: (path) => files.lstat(path),
    readStart,
    readlink: (path) => files.readlink(path),
    realpath: (path, encoding) => files.realpath(path, encoding),
    stat: (path) => files.stat(path),
  },
  realFolder: (path) => attempt(() => realpathSync(path)),
  get stdin() {
    return process.stdin;
  },
  now: () => performance.now(),
  setTimer(run, delayMs) {
    const timer = setTimeout(run, delayMs);
    return {
      hold: (isAwaited) => void (isAwaited ? timer.ref?.() : timer.unref?.()),
      cancel: () => clearTimeout(timer),
    };
  },
};

async function readStart(path: string, most: number): Promise<Buffer> {
  // What is no regular file any more must not make anybody wait.
  const file = await files.open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0));
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(most), 0, most, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** The working directory; undefined if its name is not UTF-8, because what Node makes of it can name another folder. */
function workingDirectory(): string | undefined {
  const cwd = process.cwd();
  if (!cwd.includes("\ufffd")) return cwd;
  const [named, real] = [statSync(cwd), statSync(".")];
  return named.ino === real.ino && named.dev === real.dev ? cwd : undefined;
}

let excluded: ExcludedDirs | undefined;

function excludedDirs(): ExcludedDirs {
  // HOME and TMPDIR may hold anything.
  const absolute = (path: string | undefined) => (path !== undefined && isAbsolute(path) ? path : undefined);
  const home = absolute(attempt(homedir));
  const scratch = process.platform === "win32" ? [] : ["/tmp", "/var/tmp"];
  const temporary = absolute(attempt(tmpdir));
  const real = (path: string | undefined) =>
    path === undefined ? [] : [path, attempt(() => realpathSync(path)) ?? path];
  return {
    home: [...new Set(real(home))],
    temporary: [...new Set([temporary, ...scratch].flatMap(real))],
    install: [...new Set([...real(dirname(process.execPath)), ...installed()])],
  };
}

/** The folder this server was installed into. A server that runs from its sources lives in a project of its own. */
function installed(): string[] {
  const script = process.argv[1];
  const path = script && (attempt(() => realpathSync(script)) ?? script);
  if (!path) return [];
  const parts = path.split(sep);
  const at = parts.lastIndexOf("node_modules");
  return at < 0 ? [] : [join(parts.slice(0, at + 1).join(sep), parts[at + 1] ?? "")];
}
