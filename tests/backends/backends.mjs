// The backends built in dist/, each with text in and text out.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { addonFile } from "../../scripts/platforms.mjs";
import { at } from "../../scripts/tools.mjs";
import { PlainModule } from "./plain-host.mjs";

process.env.ROOTWISE_ADDON ??= addonFile();
const require = createRequire(import.meta.url);
const { loadAddon } = require(at("dist/cjs/node/addon.js"));
const { wasmBackend } = require(at("dist/cjs/node/module.js"));

export const native = loadAddon();
export const wasm = wasmBackend;
export const plain = new PlainModule(readFileSync(at("dist/rootwise-plain.wasm"))).backend();

export const backends = { native, wasm, plain };

/** The two public entries of the package for Node. */
export const packages = {
  native: require(at("dist/cjs/node/native.js")),
  wasm: require(at("dist/cjs/node/wasm.js")),
};
