import { brotliDecompressSync } from "node:zlib";
import { WasmBackend } from "../wasm.js";
import { embeddedModule } from "./platform.js";

/** The module of the package. It is part of the code, so that a bundle needs no second file. */
export const wasmBackend = new WasmBackend(() => brotliDecompressSync(Buffer.from(embeddedModule(), "base64")));
