// The crates that are compiled into the artifacts, and their licences: node scripts/licences.mjs FILE writes the texts.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { main, read, Stop } from "./tools.mjs";

/** What is compiled and published. */
const SHIPPED = ["rootwise-node", "rootwise-wasm", "rootwise-python", "rootwise-cli"];

/** The crates inside, on any platform: neither those for tests nor those that only run while something is built. */
export function crates() {
  const { packages, resolve } = JSON.parse(read("cargo", ["metadata", "--format-version", "1"]));
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]));
  const byId = new Map(packages.map((one) => [one.id, one]));
  const found = new Map();
  const open = packages.filter(({ name }) => SHIPPED.includes(name)).map(({ id }) => id);
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const one = byId.get(id);
    if (found.has(id) || one.targets.some(({ kind }) => kind.includes("proc-macro"))) continue;
    found.set(id, one);
    open.push(
      ...nodes
        .get(id)
        .deps.filter(({ dep_kinds: kinds }) => kinds.some(({ kind }) => kind === null))
        .map(({ pkg }) => pkg),
    );
  }
  return [...found.values()].filter(({ source }) => source !== null).sort((a, b) => a.name.localeCompare(b.name));
}

/** `A/B` is how crates used to write `A OR B`. */
export const expression = ({ license }) => license?.replaceAll("/", " OR ") ?? "";

/** Every text once, under the crates that it belongs to. deny.toml lists the licences that ask for nothing more. */
export function licenceTexts() {
  const all = crates();
  const owners = new Map();
  for (const { name, version, manifest_path: manifest } of all) {
    const folder = dirname(manifest);
    for (const file of readdirSync(folder)
      .filter((file) => /^(licen[sc]e|copying|unlicense)/i.test(file))
      .sort()) {
      const text = readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n").trim();
      owners.set(text, [...(owners.get(text) ?? []), `${name} ${version}`]);
    }
  }
  const list = all.map((one) => `${one.name} ${one.version}: ${expression(one)}\n`).join("");
  const texts = [...owners].map(([text, names]) => `\n${"-".repeat(80)}\n\n${names.join(", ")}\n\n${text}\n`);
  return `Crates that are compiled into Rootwise\n\n${list}${texts.join("")}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main(() => {
    const [, , file] = process.argv;
    if (!file) throw new Stop("node scripts/licences.mjs FILE");
    writeFileSync(file, licenceTexts());
  });
}
