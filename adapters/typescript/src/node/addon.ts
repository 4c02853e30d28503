import { RootwiseError, understood } from "../error.js";
import type { Face, Machine } from "../face.js";
import { version } from "../generated/version.js";

interface Addon {
  readonly Machine: {
    open(options: string): Machine;
    restore(snapshot: string, options: string, now: number, idPrefix?: string): Machine;
  };
  call(args: string): string;
  version(): string;
}

/** Loads the addon of this platform; throws with the reason where there is none. */
export function loadAddon(): Face {
  const name = process.env["ROOTWISE_ADDON"] ?? `@rootwise/${platform()}`;
  let addon: Addon;
  try {
    addon = require(name) as Addon;
  } catch (cause) {
    const [why] = String(cause instanceof Error ? cause.message : cause).split("\n");
    throw new RootwiseError("cannot_load", `the addon ${name} cannot be loaded: ${why}`, { cause });
  }
  if (addon.version() !== version) {
    throw new RootwiseError("cannot_load", `the addon ${name} is of version ${addon.version()}, this package of ${version}`);
  }
  return {
    open: (options) => made(() => addon.Machine.open(options)),
    restore: (snapshot, options, now, idPrefix) => made(() => addon.Machine.restore(snapshot, options, now, idPrefix)),
    call: (args) => addon.call(args),
  };
}

function made(make: () => Machine): Machine {
  try {
    return make();
  } catch (thrown) {
    // The message is the failure as text: an addon can throw nothing richer.
    understood((thrown as Error).message);
    throw thrown;
  }
}

function platform(): string {
  const { platform: os, arch } = process;
  if (os === "win32") return `win32-${arch}-msvc`;
  if (os !== "linux") return `${os}-${arch}`;
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return `linux-${arch}-${header?.glibcVersionRuntime ? "gnu" : "musl"}`;
}
