// Packs what is published: the package, and the small one with the addon of this machine.
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { at, read } from "./tools.mjs";
import { platform, platformPackages } from "./platforms.mjs";

/**
 * Puts both tarballs into `folder`. What only developers need is left out of the manifest, and the platform packages
 * are named in it: in the repository they would make installing depend on packages that are published after it.
 */
export function pack(folder) {
  const stage = join(folder, "stage");
  mkdirSync(stage, { recursive: true });
  const { scripts, devDependencies, overrides, ...manifest } = JSON.parse(readFileSync(at("package.json"), "utf8"));
  manifest.optionalDependencies = Object.fromEntries(platformPackages().map(({ content }) => [content.name, manifest.version]));
  writeFileSync(join(stage, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const file of ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"]) {
    if (existsSync(at(file))) copyFileSync(at(file), join(stage, file));
  }
  cpSync(at("dist"), join(stage, "dist"), { recursive: true });
  return { main: packed(stage, folder), addon: packed(at("npm", platform()), folder), manifest };
}

function packed(from, to) {
  const [{ filename }] = JSON.parse(read("npm", ["pack", "--json", "--pack-destination", to], { cwd: from }));
  return join(to, filename);
}
