import { readFileSync } from "node:fs";
import { join } from "node:path";
import { WasmFace } from "../wasm.js";

/** The module that comes with the package, read when it is needed first. */
export const wasmFace = new WasmFace(() => readFileSync(join(__dirname, "..", "..", "rootwise.wasm")));
