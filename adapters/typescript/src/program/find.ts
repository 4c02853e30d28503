// The program in Rust, which npm installs for this platform.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** Names of this platform; npm installs the package that fits. */
function platforms(): string[] {
  const { platform, arch } = process;
  if (platform === "linux") return [`linux-${arch}-gnu`, `linux-${arch}-musl`];
  return [platform === "win32" ? `win32-${arch}-msvc` : `${platform}-${arch}`];
}

/** The programs that are installed, or what is missing: a package that was left out, or a platform for which there is none. */
export function findPrograms(): [string, ...string[]] | { readonly missing: string } {
  const own = process.env.ROOTWISE_PROGRAM;
  if (own) return [own];
  const file = process.platform === "win32" ? "rootwise.exe" : "rootwise";
  const folders = platforms().flatMap((name) => [installed(name), join(__dirname, "../../../npm", name)]);
  const [first, ...rest] = folders
    .flatMap((folder) => (folder ? [join(folder, file)] : []))
    .filter((path) => existsSync(path));
  if (first) return [first, ...rest];
  const packages = platforms().map((name) => `@rootwise/${name}`);
  return {
    missing:
      `the program is not installed for ${process.platform} on ${process.arch}. It is in the package ` +
      `${packages.join(" or ")}, which npm leaves out with --omit=optional and on other platforms; ` +
      "`uvx rootwise` and `cargo install rootwise-cli` bring it as well.",
  };
}

/** The folder of an installed package. */
function installed(name: string): string | undefined {
  try {
    return dirname(require.resolve(`@rootwise/${name}/package.json`));
  } catch {
    return undefined;
  }
}
