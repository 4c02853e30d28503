import { readFileSync } from "node:fs";
import { join } from "node:path";
import { WasmBackend } from "../wasm.js";

/** The module that comes with the package, read when it is needed first. */
export const wasmBackend = new WasmBackend(() => readFileSync(join(__dirname, "..", "..", "rootwise.wasm")));
