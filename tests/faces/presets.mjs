import { readdirSync, readFileSync } from "node:fs";
import { at } from "../../scripts/tools.mjs";

/** The presets as the core has them, not as the package repeats them. */
export const presets = Object.fromEntries(
  readdirSync(at("core/presets")).sort().map((file) => [file.replace(/\.json$/, ""), JSON.parse(readFileSync(at("core/presets", file), "utf8"))]),
);
