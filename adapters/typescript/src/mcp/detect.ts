// Which generation of the SDK a server is made with.
import { badOption } from "../driver/errors.js";
import type { Protocol, Sdk } from "./sdk.js";
import { sdk1 } from "./sdk1.js";
import { sdk2 } from "./sdk2.js";

/** Detects the generation of a server, and its protocol object. */
export function detect(server: unknown): { sdk: Sdk; protocol: Protocol; high: boolean } {
  const { server: inner } = (server ?? {}) as { server?: unknown };
  const high = typeof inner === "object" && inner !== null;
  const protocol = (high ? inner : (server ?? {})) as Protocol;
  if (typeof protocol.setRequestHandler !== "function" || typeof protocol.getClientCapabilities !== "function") {
    throw badOption(
      "server",
      "must be an McpServer or Server of @modelcontextprotocol/sdk or @modelcontextprotocol/server",
    );
  }
  // Only 2.x has these.
  const second = typeof protocol.getNegotiatedProtocolVersion === "function" || "projectCallToolResult" in protocol;
  return { sdk: second ? sdk2 : sdk1, protocol, high };
}
