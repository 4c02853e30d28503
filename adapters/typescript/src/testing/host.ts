// A machine for tests: facts, files and time of its own, in place of those of the process.
import { EventEmitter } from "node:events";
import { badOption } from "../driver/errors.js";
import { checkFunction, ownOptions } from "../driver/options.js";
import { RootwiseError } from "../error.js";
import { surround, type Surroundings, surroundings } from "../driver/surroundings.js";
import type { PathStyle } from "../generated/types.js";
import { FakeClient, type FakeClientOptions, type FakeServer } from "./client.js";
import { FakeDisk } from "./disk.js";
import { disposable } from "./disposable.js";
import { FakeTime } from "./time.js";

/** Options of {@link fakeHost}. */
export interface FakeHostOptions {
  /** How paths are spelled on this machine, whatever the tests run on; by default `posix`. */
  style?: PathStyle | undefined;
  /** What is on its disk, as {@link FakeDisk.add} takes it. */
  files?: readonly string[] | undefined;
  /** Links by their path. */
  links?: Readonly<Record<string, string>> | undefined;
  /** The working directory of the server; by default none that is known. */
  cwd?: string | undefined;
  /** The environment of the server; by default empty. */
  env?: Readonly<Record<string, string>> | undefined;
  /** The command line of the server, without program and script; by default empty. */
  argv?: readonly string[] | undefined;
  /** The home folder of the user who runs the server. */
  home?: string | undefined;
}

const OPTIONS: readonly string[] = [
  "style",
  "files",
  "links",
  "cwd",
  "env",
  "argv",
  "home",
] satisfies (keyof FakeHostOptions)[];

/** A machine that counts until its end. */
export interface FakeHost extends Disposable {
  readonly disk: FakeDisk;
  /**
   * Connects a client to a server, and returns it when both are ready. A function gets the client's end as a transport:
   * `(transport) => serveStdio(createServer, { transport })` serves clients of 2026-07-28 too.
   */
  connect(server: FakeServer, options?: FakeClientOptions): Promise<FakeClient>;
  /** Moves time. It also moves by itself while a call waits for Rootwise, so that a silent client costs no time. */
  advance(ms: number): Promise<void>;
  /** Closes the clients; from now on the machine of the process counts again. */
  end(): void;
}

let isInUse = false;

/**
 * Puts a machine in the place of the one that the tests run on, for everything in this process that uses Rootwise: no
 * folder, variable, command line option or time of the real one counts. Create it before the server.
 */
export function fakeHost(options: FakeHostOptions = {}): FakeHost {
  const { style = "posix", files = [], links = {}, cwd, env = {}, argv = [], home } = ownOptions(options, OPTIONS);
  if (style !== "posix" && style !== "windows") throw badOption("style", "must be posix or windows");
  if (isInUse) throw new RootwiseError("bad_options", "another fake host is in use; end() it first");
  const disk = new FakeDisk(style).add(...files);
  for (const [path, to] of Object.entries(links)) disk.link(path, to);
  // A server that exists already has seen the time of the process.
  const time = new FakeTime(Math.ceil(surroundings().now()));
  const clients = new Set<FakeClient>();
  const machine: Surroundings = {
    style,
    argv,
    env,
    cwd: () => cwd,
    excludedDirs: () => ({
      home: [home ?? (style === "windows" ? "C:\\Users\\user" : "/home/user")],
      temporary: style === "windows" ? [] : ["/tmp"],
      install: [],
    }),
    files: disk.files,
    realFolder: (path) => disk.realPath(path),
    stdin: new EventEmitter(),
    now: () => time.now(),
    setTimer: (run, delayMs) => time.setTimer(run, delayMs),
  };
  surround(machine);
  isInUse = true;
  return disposable({
    disk,
    async connect(server: FakeServer, options: FakeClientOptions = {}) {
      if (typeof server !== "function") checkFunction(server?.connect, "server.connect");
      const client = new FakeClient(machine, options);
      clients.add(client);
      await client.connect(server);
      return client;
    },
    advance: (ms: number) => time.advance(ms),
    end() {
      if (!isInUse) return;
      for (const client of clients) client.close();
      isInUse = false;
      time.stop();
      surround();
    },
  });
}
