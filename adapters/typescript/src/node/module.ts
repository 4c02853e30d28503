import { WasmBackend } from "../wasm.js";
import { wasmBytes } from "./platform.js";

/** The module of the package. */
export const wasmBackend = new WasmBackend(wasmBytes);
