/**
 * The adapter for servers on either generation of the official TypeScript SDK.
 *
 * @module rootwise/mcp
 */
import type { RootwiseOptions } from "./options.js";
import { Rootwise } from "./rootwise.js";
import type { AnyServer, ContextOf } from "./sdk.js";

export { NeedsInput, NoProjectError } from "../driver/errors.js";
export { type AllowedDirsOf, type CallerOf, hostFacts, type HostFactsOptions } from "../driver/host.js";
export { resolveFile, resolveInside } from "../driver/inside.js";
export type { ConnectionInfo, Project, ProjectListener } from "../driver/project.js";
export { resolveAtStart, type StartOptions } from "../driver/start.js";
export { RootwiseError } from "../error.js";
export type {
  EndpointLog as LogLine,
  Explanation,
  HostFacts,
  LogCode,
  Policy,
  Reason,
  RootsState,
  SelectBy,
  SourceKind,
} from "../generated/types.js";
export type { PresetName } from "../resolver.js";
export { projectGate, type Gate, type GateOptions, type GateRequest, type GateVerdict } from "./gate.js";
export type { ProjectHints, RootwiseOptions } from "./options.js";
export type { RootEntry, Roots, RootsListener } from "./roots.js";
export { Rootwise } from "./rootwise.js";
export type { AnyServer, CallContext, ContextOf, UntypedContext } from "./sdk.js";
export type { SessionStore } from "./store.js";
export type { ToolNames } from "./tools.js";

/**
 * Tells every handler of a server which project its call belongs to. Call it before you register handlers.
 *
 * @param server an `McpServer` or `Server` of `@modelcontextprotocol/sdk` 1.x or `@modelcontextprotocol/server` 2.x
 */
export function rootwise<RequirePath extends boolean = true, Server extends AnyServer = AnyServer>(
  server: Server,
  options?: RootwiseOptions<RequirePath, ContextOf<Server>>,
): Rootwise<RequirePath, ContextOf<Server>> {
  return new Rootwise(server, options);
}
