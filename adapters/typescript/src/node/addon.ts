import { RootwiseError, parseReply } from "../error.js";
import type { Backend, Machine } from "../backend.js";
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
export function loadAddon(): Backend {
  const own = process.env["ROOTWISE_ADDON"];
  let reason: unknown;
  for (const name of own ? [own] : names()) {
    try {
      return backendOf(name, require(name) as Addon);
    } catch (error) {
      reason ??= error instanceof RootwiseError ? error : unloadable(name, error);
    }
  }
  throw reason;
}

function backendOf(name: string, addon: Addon): Backend {
  if (addon.version() !== version) {
    throw new RootwiseError("cannot_load", `the addon ${name} is of version ${addon.version()}, this package of ${version}`);
  }
  return {
    open: (options) => made(() => addon.Machine.open(options)),
    restore: (snapshot, options, now, idPrefix) => made(() => addon.Machine.restore(snapshot, options, now, idPrefix)),
    call: (args) => addon.call(args),
  };
}

function unloadable(name: string, cause: unknown): RootwiseError {
  const [why] = String(cause instanceof Error ? cause.message : cause).split("\n");
  return new RootwiseError("cannot_load", `the addon ${name} cannot be loaded: ${why}`, { cause });
}

function made(make: () => Machine): Machine {
  try {
    return make();
  } catch (thrown) {
    // The message is the failure as text: an addon can throw nothing richer.
    parseReply((thrown as Error).message);
    throw thrown;
  }
}

/** The packages this platform's addon may be in. npm installs the one that fits; asking for the C library is slow. */
function names(): string[] {
  const { platform, arch } = process;
  if (platform === "linux") return [`@rootwise/linux-${arch}-gnu`, `@rootwise/linux-${arch}-musl`];
  return [platform === "win32" ? `@rootwise/win32-${arch}-msvc` : `@rootwise/${platform}-${arch}`];
}
