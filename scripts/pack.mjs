// Packs the packages to publish: the main package and the small ones with the addons.
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { at, read } from "./tools.mjs";
import { licenceTexts } from "./licences.mjs";
import { platform, platformPackages, THIRD_PARTY } from "./platforms.mjs";

/** Writes both tarballs into `folder`. */
export const pack = (folder) => ({ ...packMain(folder), addon: packAddon(platform(), folder) });

/** As {@link pack}, for this machine alone: the main package names no platform package that is not there. */
export function packLocal(folder) {
  const own = platformPackages().filter(({ content }) => content.name === `@rootwise/${platform()}`);
  return [packMain(folder, own).main, packAddon(platform(), folder)];
}

/**
 * Packs the main package and returns its tarball and its manifest. The manifest omits the fields that only developers need and names the platform
 * packages. The manifest in the repository does not name them, because installing would depend on packages that are published later.
 */
export function packMain(folder, addons = platformPackages()) {
  const stage = join(folder, "stage");
  mkdirSync(stage, { recursive: true });
  const { scripts, devDependencies, overrides, ...manifest } = JSON.parse(readFileSync(at("package.json"), "utf8"));
  manifest.optionalDependencies = Object.fromEntries(addons.map(({ content }) => [content.name, manifest.version]));
  writeFileSync(join(stage, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const file of ["LICENSE-MIT", "LICENSE-APACHE"])
    if (existsSync(at(file))) copyFileSync(at(file), join(stage, file));
  writeFileSync(join(stage, THIRD_PARTY), licenceTexts());
  mkdirSync(join(stage, "docs"), { recursive: true });
  for (const page of PAGES) writeFileSync(join(stage, page), relinked(page));
  cpSync(at("dist"), join(stage, "dist"), { recursive: true });
  return { main: packed(stage, folder), manifest };
}

/** The pages that are published with the package. */
const PAGES = [
  "README.md",
  "CHANGELOG.md",
  ...["boundary", "clients", "mcp", "policy", "rules", "transitions", "uris"].map((name) => `docs/${name}.md`),
];

/**
 * A page whose links work where it is read. A registry shows the README alone, where a relative link leads nowhere, so that
 * it names the file instead; a page in `docs` keeps its links to other pages. Links to other files of the repository go, and so do pictures.
 */
function relinked(page) {
  const text = readFileSync(at(page), "utf8");
  const shown = (page === "README.md" ? published(text) : text).replaceAll(/^<img .*>\n\n/gm, "");
  return shown.replaceAll(/\[([^\]]+)\]\((?!https?:|#)([^)\s]+)\)/g, (link, label, target) => {
    const [path] = target.split("#");
    const file = normalize(join(dirname(page), path)).replaceAll("\\", "/");
    if (!PAGES.includes(file)) return label;
    if (page !== "README.md") return link;
    return label.includes(file) ? label : `${label} (\`${file}\` in this package)`;
  });
}

/**
 * The README as a registry shows it. The parts between the comments `from a clone` go, and in a block of commands that begins with
 * `# after the release:`, this command replaces those that use the clone.
 */
export function published(text) {
  const released = text
    .replaceAll(/^<!-- from a clone -->\n[\s\S]*?^<!-- \/from a clone -->\n+/gm, "")
    .replaceAll(/ \(from a clone: [^)]*\)/g, "")
    .replaceAll(/^```sh\n# after the release: (.+\n)([\s\S]*?)^```/gm, (_, command, others) => {
      const kept = others.split(/(?<=\n)/).filter((line) => !line.includes("../rootwise"));
      return ["```sh\n", command, ...kept, "```"].join("");
    });
  for (const left of ["not published", "after the release", "from a clone", "../rootwise"])
    if (released.includes(left)) throw new Error(`the published README would say: ${left}`);
  return released;
}

/** Packs the addon of one platform, which must have been built. */
export function packAddon(name, folder) {
  writeFileSync(at("npm", name, THIRD_PARTY), licenceTexts());
  return packed(at("npm", name), folder);
}

function packed(from, to) {
  const [{ filename }] = JSON.parse(read("npm", ["pack", "--json", "--pack-destination", to], { cwd: from }));
  return join(to, filename);
}
