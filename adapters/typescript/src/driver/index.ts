/**
 * The action loop over a resolver, for servers without an SDK and for other adapters.
 *
 * @module rootwise/driver
 */
export { RootwiseError } from "../error.js";
export type * from "../generated/types.js";
export {
  Connection, type AskOptions, type Caller, type ConnectionOptions, type DriverLogCode, type LogLine, type Question, type Sender,
} from "./connection.js";
export { ClientError, NeedsInput, NoProjectError, type NoProjectReason, Undeliverable } from "./errors.js";
export { hostFacts, type HostFactsOptions } from "./host.js";
export type { Project, ProjectListener } from "./project.js";
export { resolveAndExplain, resolveAtStart, type StartOptions } from "./start.js";
