import { readdirSync, readFileSync } from "node:fs";
import { at } from "../../scripts/tools.mjs";

/** The presets from the core, not the copies in the package. */
export const presets = Object.fromEntries(
  readdirSync(at("core/presets"))
    .sort()
    .map((file) => [file.replace(/\.json$/, ""), JSON.parse(readFileSync(at("core/presets", file), "utf8"))]),
);
