import { Projects, type RootwiseOptions } from "./projects.js";
import type { AnyServer } from "./sdk.js";

export { RootwiseError } from "../error.js";
export type * from "../generated/types.js";
export { NoProjectError } from "./errors.js";
export { projectGate, type Gate, type GateOptions, type Verdict as GateVerdict } from "./middleware.js";
export { Projects, type Changed, type Roots, type RootwiseOptions, type Wish } from "./projects.js";
export type { AnyServer, CallContext } from "./sdk.js";
export type { ToolNames } from "./tools.js";

/**
 * Tells every handler of a server which project its call is about. Call it before anything is registered.
 *
 * @param server an `McpServer` or `Server` of `@modelcontextprotocol/sdk` 1.x or `@modelcontextprotocol/server` 2.x
 */
export function rootwise(server: AnyServer, options?: RootwiseOptions): Projects {
  return new Projects(server, options);
}
