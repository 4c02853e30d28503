/**
 * The loop over an endpoint, for servers without an SDK and for other adapters.
 *
 * @module rootwise/driver
 */
export { RootwiseError } from "../error.js";
export type {
  Answer,
  CallResult,
  EndpointEvent,
  EndpointLog as LogLine,
  Explanation,
  HostFacts,
  Policy,
  Reason,
  RequestFacts,
  RouteRequest,
  SelectBy,
} from "../generated/types.js";
export {
  Connection,
  type AskOptions,
  type ConnectionOptions,
  type QuestionOptions,
  type Sender,
} from "./connection.js";
export { ClientError, NeedsInput, NoProjectError, type NoProjectReason, Undeliverable } from "./errors.js";
export { hostFacts, type HostFactsOptions } from "./host.js";
export { resolveFile, resolveInside } from "./inside.js";
export { Loop } from "./loop.js";
export type { AllowUndefined, Described, LoopEvent, LoopHost, Question, SessionState } from "./loop-host.js";
export type { ConnectionInfo, Project, ProjectListener } from "./project.js";
export { resolveAndExplain, resolveAtStart, type StartOptions } from "./start.js";
