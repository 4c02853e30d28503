// node scripts/release/address.mjs <address>: names the repository in every manifest that is published.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { platforms } from "../platforms.mjs";
import { main, root, Stop } from "../tools.mjs";

const help = `node scripts/release/address.mjs <address>

Writes the address of the repository, such as https://github.com/owner/name, into the manifests of the packages for npm, PyPI and crates.io.
The manifests in the repository name none, because only the release knows where it runs: .github/workflows/release.yml calls this with
the repository that it builds, which is also the one that npm compares with the provenance of a package.`;

/** The crates that are published. */
const CRATES = ["core", "adapters/rust/rootwise-host", "adapters/rust/rootwise-rmcp", "adapters/rust/rootwise-cli"];

/** Names the repository in the manifests below a folder; a second time changes nothing. */
export function nameRepository(folder, address) {
  if (!/^https:\/\/[\w.-]+\/[\w.-]+\/[\w.-]+$/.test(address ?? ""))
    throw new Stop(`not the address of a repository, such as https://github.com/owner/name: ${address}`);
  const edit = (file, change) => {
    const path = join(folder, file);
    writeFileSync(path, change(readFileSync(path, "utf8")));
  };
  const named = (text, directory) => {
    const fields = {
      homepage: `${address}#readme`,
      bugs: { url: `${address}/issues` },
      repository: { type: "git", url: `git+${address}.git`, ...(directory && { directory }) },
    };
    return `${JSON.stringify({ ...JSON.parse(text), ...fields }, null, 2)}\n`;
  };
  edit("package.json", (text) => named(text));
  for (const name of Object.keys(platforms)) edit(`npm/${name}/package.json`, (text) => named(text, `npm/${name}`));
  edit("Cargo.toml", (text) => below(text, "[workspace.package]", `repository = "${address}"`));
  for (const crate of CRATES)
    edit(`${crate}/Cargo.toml`, (text) => below(text, "[package]", "repository.workspace = true"));
  edit("adapters/python/pyproject.toml", (text) => {
    const urls = `[project.urls]\nRepository = "${address}"\nIssues = "${address}/issues"\n`;
    return text.includes("[project.urls]") ? text : text.replace("[project.optional-dependencies]", `${urls}\n$&`);
  });
}

/** A manifest with one more line in a table. */
function below(text, table, line) {
  if (!text.includes(table)) throw new Stop(`there is no ${table} in a manifest of a crate`);
  return text.includes(`\n${line}\n`) ? text : text.replace(table, `${table}\n${line}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  main(async () => {
    const [address] = process.argv.slice(2);
    if (address === "--help" || address === undefined) return console.log(help);
    nameRepository(root, address);
    console.log(`The manifests name ${address}.`);
  });
