// The exports that every entry of the package has besides its resolver.
export { type ErrorCode, type MisuseCode, RootwiseError } from "./error.js";
export type { BackendInfo } from "./backend.js";
export type {
  Folder,
  Functions,
  GateCase,
  GateReads,
  HostProblem,
  PathProblem,
  ProjectFolder,
  ProjectParameter,
  ProvidedRoot,
  ReadyTool,
  ReadyTools,
  SimulatedClient,
} from "./functions.js";
export type * from "./generated/types.js";
export { presets } from "./generated/presets.js";
export { version } from "./generated/version.js";
export type { EndpointOptions, EndpointOutput } from "./endpoint.js";
export type { PresetName, ResolverOptions, Saved } from "./resolver.js";
