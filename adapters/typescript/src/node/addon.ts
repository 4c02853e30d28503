import { RootwiseError, parseReply } from "../error.js";
import type { Backend, Machine } from "../backend.js";
import { version } from "../generated/version.js";
import { builtAddon, loadModule } from "./platform.js";

interface Addon {
  readonly Machine: Pick<Backend, "open" | "restore">;
  call(args: string): string;
  probe(paths: string): Promise<string>;
  version(): string;
}

/** Loads the addon of this platform; throws with the reason where that is not possible. */
export function loadAddon(): Backend {
  const own = process.env.ROOTWISE_ADDON;
  let reason: unknown;
  for (const name of own ? [own] : candidates()) {
    try {
      return backendOf(name, loadModule(name) as Addon);
    } catch (error) {
      reason ??= error instanceof RootwiseError ? error : unloadable(name, error);
    }
  }
  throw reason;
}

function backendOf(name: string, addon: Addon): Backend {
  if (addon.version() !== version) {
    throw new RootwiseError(
      "cannot_load",
      `the addon ${name} is of version ${addon.version()}, this package of ${version}`,
    );
  }
  return {
    open: (options) => wrapErrors(() => addon.Machine.open(options)),
    restore: (snapshot, options, now, idPrefix) =>
      wrapErrors(() => addon.Machine.restore(snapshot, options, now, idPrefix)),
    call: (args) => addon.call(args),
    probe: (paths) => addon.probe(paths),
  };
}

function unloadable(name: string, cause: unknown): RootwiseError {
  const [why] = String(cause instanceof Error ? cause.message : cause).split("\n");
  return new RootwiseError("cannot_load", `the addon ${name} cannot be loaded: ${why}`, { cause });
}

function wrapErrors(make: () => Machine): Machine {
  try {
    return make();
  } catch (thrown) {
    // The message is the failure as text: an addon can throw nothing richer.
    parseReply((thrown as Error).message);
    throw thrown;
  }
}

/** Where the addon may be: in a package that npm installed for this platform, or in a clone where it was built. */
function candidates(): string[] {
  return [...platforms().map((name) => `@rootwise/${name}`), ...platforms().flatMap((name) => builtAddon(name) ?? [])];
}

/** The names of this platform. npm installs the package that fits; detecting the C library here would be slow. */
function platforms(): string[] {
  const { platform, arch } = process;
  if (platform === "linux") return [`linux-${arch}-gnu`, `linux-${arch}-musl`];
  return [platform === "win32" ? `win32-${arch}-msvc` : `${platform}-${arch}`];
}
