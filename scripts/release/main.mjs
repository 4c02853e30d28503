// npm run release -- --dry-run: builds and checks everything that is published and that this machine can build.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { bold, green, kilobytes, main, prepare, red, root, seconds, Stop, yellow } from "../tools.mjs";
import { addons, crates, folder, npmPackage, wheels } from "./artifacts.mjs";
import { billOfMaterials, licences } from "./contents.mjs";

const help = `npm run release -- --dry-run [options]

Builds what is published into ${relative(root, folder)}, checks it as the registries do, and prints a table. It publishes nothing:
.github/workflows/release.yml does that with the same artifacts.

  --only a,b    only these parts: ${["crates", "addons", "npm", "wheels", "licences", "sbom"].join(", ")}
  --complete    fail if an artifact is left out, for example because a Rust target cannot be installed
  --help        this text`;

const parts = { crates, addons, npm: npmPackage, wheels, licences, sbom: billOfMaterials };

/** What is known about an artifact, and how the table says it. */
const STATES = {
  run: green("built and run"),
  built: yellow("only built   "),
  written: green("written      "),
  "left out": yellow("left out     "),
  FAILED: red("FAILED       "),
};

main(async () => {
  const flag = { type: "boolean" };
  const { values } = parseArgs({ options: { "dry-run": flag, only: { type: "string" }, complete: flag, help: flag } });
  if (values.help) return console.log(help);
  if (!values["dry-run"])
    throw new Stop("only `--dry-run` works here; a version tag starts .github/workflows/release.yml, which publishes");
  const wanted = values.only?.split(",") ?? Object.keys(parts);
  const unknown = wanted.filter((name) => !(name in parts));
  if (unknown.length > 0)
    throw new Stop(`unknown parts: ${unknown.join(", ")}; the parts are ${Object.keys(parts).join(", ")}`);

  const began = performance.now();
  await prepare();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const rows = [];
  for (const name of wanted) rows.push(...(await made(name)));
  writeFileSync(join(folder, "SHA256SUMS"), checksums());
  table(rows, began);
  const bad = rows.filter(({ state }) => state === "FAILED" || (values.complete && state === "left out"));
  if (bad.length > 0) throw new Stop(`not ready to publish: ${bad.map(({ artifact }) => artifact).join(", ")}`);
});

/** The rows of one part: a part that fails does not keep the others from being checked. */
async function made(name) {
  const began = performance.now();
  console.log(`\n${bold(name)}`);
  try {
    return await parts[name]();
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    console.error(red(error.message));
    return [{ artifact: name, state: "FAILED", note: error.message.split("\n")[0] }];
  } finally {
    console.log(`${name}: ${seconds(began)}`);
  }
}

const files = () =>
  readdirSync(folder)
    .filter((name) => name !== "SHA256SUMS")
    .sort();
const digest = (file) =>
  createHash("sha256")
    .update(readFileSync(join(folder, file)))
    .digest("hex");
const checksums = () =>
  files()
    .map((file) => `${digest(file)}  ${file}\n`)
    .join("");

function table(rows, began) {
  console.log();
  const width = Math.max(...rows.map(({ artifact }) => artifact.length));
  for (const { artifact, state, note = "", file } of rows) {
    const size = file ? kilobytes(readFileSync(join(folder, file)).length) : "";
    console.log(
      `  ${STATES[state]}  ${artifact.padEnd(width)}  ${size.padStart(10)}  ${file ? digest(file).slice(0, 12) : " ".repeat(12)}  ${note}`,
    );
  }
  const total = files().reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
  console.log(
    `\n${files().length} files, ${kilobytes(total)}, and SHA256SUMS are in ${relative(root, folder)}; it took ${seconds(began)}.`,
  );
}
