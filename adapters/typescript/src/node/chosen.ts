import type { Backend, BackendInfo } from "../backend.js";
import { loadAddon } from "./addon.js";
import { wasmBackend } from "./module.js";

/** The backend in use: the addon where one can be loaded, else WebAssembly with the reason. */
export const chosen: { readonly core: Backend; readonly backend: BackendInfo } = choose();

function choose(): typeof chosen {
  try {
    return { core: loadAddon(), backend: { kind: "native" } };
  } catch (error) {
    return { core: wasmBackend, backend: { kind: "wasm", reason: (error as Error).message } };
  }
}
