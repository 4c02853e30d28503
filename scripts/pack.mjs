// Packs the packages to publish: the main package and the small one with the addon of this machine.
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { at, read } from "./tools.mjs";
import { platform, platformPackages } from "./platforms.mjs";

/**
 * Writes both tarballs into `folder`. The manifest omits the fields that only developers need and names the platform
 * packages. The manifest in the repository does not name them, because installing would depend on packages that are published later.
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
