// What is inside the artifacts: the crates that are compiled into them.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crates, expression, licenceTexts } from "../licences.mjs";
import { at } from "../tools.mjs";
import { folder } from "./artifacts.mjs";

/** The licence of every crate, as the packages contain it. */
export function licences() {
  const file = "THIRD-PARTY-LICENSES.txt";
  writeFileSync(join(folder, file), licenceTexts());
  return [{ artifact: "licences", state: "written", note: `${crates().length} crates`, file }];
}

/** The same as a bill of materials, in the form of CycloneDX. */
export function billOfMaterials() {
  const { version } = JSON.parse(readFileSync(at("package.json"), "utf8"));
  const inside = crates().map((one) => ({
    name: one.name,
    version: one.version,
    purl: `pkg:cargo/${one.name}@${one.version}`,
    licenses: [{ expression: expression(one) }],
  }));
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
