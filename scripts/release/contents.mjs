// What is inside the artifacts: crates that are compiled into them, and npm packages that are bundled.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crates, expression, licenceTexts } from "../licences.mjs";
import { at, Stop } from "../tools.mjs";
import { folder } from "./artifacts.mjs";

/** The npm packages in the bundle of `rootwise whereami`; the build puts their licences beside it. */
function bundled() {
  const file = at("dist", "cjs", "whereami", "LICENSES.txt");
  if (!existsSync(file)) throw new Stop("dist/ has no bundle: npm run build");
  return readFileSync(file, "utf8")
    .split(`\n${"-".repeat(80)}\n\n`)
    .map((section) => {
      const [name, version] = section.split("\n", 1)[0].split(" ");
      return { name, version };
    });
}

/** The licence of every crate, as the packages contain it. */
export function licences() {
  const file = "THIRD-PARTY-LICENSES.txt";
  writeFileSync(join(folder, file), licenceTexts());
  return [{ artifact: "licences", state: "written", note: `${crates().length} crates`, file }];
}

/** The same as a bill of materials, in the form of CycloneDX. */
export function billOfMaterials() {
  const { version } = JSON.parse(readFileSync(at("package.json"), "utf8"));
  const inside = [
    ...crates().map((one) => ({
      name: one.name,
      version: one.version,
      purl: `pkg:cargo/${one.name}@${one.version}`,
      licenses: [{ expression: expression(one) }],
    })),
    ...bundled().map((one) => ({ ...one, purl: `pkg:npm/${one.name.replace("@", "%40")}@${one.version}` })),
  ];
  const bom = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { type: "library", name: "rootwise", version, "bom-ref": "rootwise" } },
    components: inside.map((one) => ({ type: "library", "bom-ref": one.purl, ...one })),
  };
  const file = "rootwise.cdx.json";
  writeFileSync(join(folder, file), `${JSON.stringify(bom, null, 2)}\n`);
  return [{ artifact: "bill of materials", state: "written", note: `${inside.length} components`, file }];
}
