// Codex sends the folder of its sandbox in `_meta` to servers that declare a capability.
import type { PolicyInputs } from "../generated/types.js";
import type { Protocol } from "./sdk.js";

const CODEX_META = "codex/sandbox-state-meta";

/** Whether a policy reads what Codex sends. */
export const readsCodexMeta = ({ meta }: PolicyInputs): boolean => meta.some(([first]) => first === CODEX_META);

/** Declares the capability. */
export function declareCodexMeta(protocol: Protocol): void {
  try {
    protocol.registerCapabilities?.({ experimental: { [CODEX_META]: {} } });
  } catch {
    // A server that is connected already has declared what it has.
  }
}
