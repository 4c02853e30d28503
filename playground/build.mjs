// Builds the playground: one HTML file that needs nothing else, and the licences of what is in it.
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { at, bin, node } from "../scripts/tools.mjs";
import { packagesOf } from "../tests/tools.mjs";

export const playground = at("target", "playground");

/** The page that the build writes. */
export const page = at("target", "playground", "index.html");

/** Checks the types and builds the page; the package itself is built first if it is missing. */
export async function buildPlayground() {
  packagesOf("playground");
  if (!existsSync(at("dist", "esm", "web", "index.js")) || !existsSync(at("dist", "rootwise.wasm")))
    await node("scripts/build.mjs", "--wasm", "--typescript");
  await bin("tsc", "-p", "playground/tsconfig.json");
  await bin("vite", "build", "--config", "playground/vite.config.mjs");
}

export const address = pathToFileURL(page).href;
