import { type ErrorCode, RootwiseError, parseReply } from "./error.js";
import type { Backend } from "./backend.js";
import type {
  Answer,
  NameForm,
  PathMap,
  PathStyle,
  Policy,
  PolicyInputs,
  Project,
  RecoverRequest,
  Recovery,
  Refusal,
  RootView,
  SessionRecord,
} from "./generated/types.js";
import { policyOf, type PresetName } from "./resolver.js";
import { bounded, MAX_ARGUMENTS, MOST, textOf } from "./text.js";

/** The parameter of a tool that names the project: a property of its input schema. */
export interface ProjectParameter {
  type: "string";
  /** What a model reads about it. */
  description: string;
}

/** A ready-made tool. Its members are those of a tool in the protocol. */
export interface ReadyTool {
  /** The name that it has by default. */
  name: string;
  title: string;
  description: string;
  inputSchema: {
    type: "object";
    properties: Record<string, ProjectParameter>;
    required?: string[];
    additionalProperties?: boolean;
  };
  annotations?: { readOnlyHint: boolean };
}

/** The ready-made tools of every adapter. */
export interface ReadyTools {
  /** Explains which project this is and why. */
  which: ReadyTool;
  /** Selects another project, which its argument `project` names. */
  switch: ReadyTool;
  /** Lists the client's roots. */
  list: ReadyTool;
}

/** The functions that need no resolver. */
export interface Functions {
  /**
   * Returns the normalised absolute path that a `file:` URI names.
   *
   * @throws RootwiseError the URI is refused; `code` says why
   */
  fileUriToPath(uri: string, style: PathStyle): string;
  /**
   * Returns the key of the project that a root URI names: one folder has one key, whatever its spelling.
   *
   * Without a style, the spelling decides: a drive letter or a share is written only on Windows.
   *
   * @throws RootwiseError the URI is refused; `code` says why
   */
  projectKey(uri: string, style?: PathStyle): string;
  /**
   * Checks whether `path` is `root` or below it: by spelling, or on disk with the real paths of both.
   */
  isInside(root: string, path: string, style: PathStyle, real?: { root: string; path: string }): boolean;
  /**
   * Returns the absolute path that a tool's path names, relative to the project or absolute, if it is the project or below it.
   *
   * @throws RootwiseError the path is refused or leads out of the project; `code` says why
   */
  joinInside(project: string | Pick<Project, "path">, path: string, style: PathStyle): string;
  /**
   * Finds the session in which a project was last worked on, among records that you load from any store.
   *
   * A record whose time cannot be used ranks after those with one, and is reported in `problems`.
   *
   * @throws RootwiseError the request has another shape, or `archivedBefore` is not a time
   */
  recoverSession(request: RecoverRequest): Recovery;
  /** Returns the last name of a path; `undefined` for `/`, a drive or a share. */
  basename(path: string, style: PathStyle): string | undefined;
  /** Returns the canonical `file:` URI of an absolute path; `undefined` for any other text. */
  pathToFileUri(path: string, style: PathStyle): string | undefined;
  /** Returns the short hash of a project's key. */
  projectId(key: string): string;
  /**
   * Returns a folder name for a project: readable, different for every key, and safe on every system.
   * A project has it as `slug`.
   */
  projectSlug(project: Pick<Project, "name" | "key">): string;
  /** Returns a name of certain characters only; different names may come out the same. */
  sanitizeName(name: string, form: NameForm): string;
  /**
   * Returns the parts of a request, the environment and the command line that a policy reads, by default `recommended`.
   *
   * @throws RootwiseError the policy is invalid; the message names the field
   */
  policyInputs(policy?: PresetName | Policy): PolicyInputs;
  /**
   * Returns the absolute path that a tool's path names inside a project, by spelling alone; `resolveFile` of an adapter also
   * checks where links lead.
   *
   * @throws RootwiseError the path is not inside the project; the message says why
   */
  fileInside(project: ProjectFolder, file: string, style: PathStyle): string;
  /**
   * Returns the absolute path that a tool's path names, by spelling alone: relative to `base`, absolute, or a `file:` URI.
   *
   * @throws RootwiseError the path has no safe reading, or is relative and there is no `base`; the message says why
   */
  toolPath(path: string, base: string | undefined, style: PathStyle): string;
  /** Returns a path inside a project as the client spells it; any other path as it is. */
  clientFile(project: ProjectFolder, file: string, style: PathStyle): string;
  /**
   * Reads a path map as an operator writes it: `/home/me/app=/workspace;C:\code=/code`.
   *
   * @param place what the text is called in errors; by default `pathMap`
   * @throws RootwiseError an entry is wrong; the message says which
   */
  parsePathMap(text: string, style: PathStyle, place?: string): PathMap[];
  /** Returns the stable code and the text of what a host found wrong with a path that a tool names. */
  pathProblem(problem: PathProblem): { code: ErrorCode; message: string };
  /** Returns the stable code and the texts of what went wrong in a host, around the calls of its clients. */
  hostProblem(problem: HostProblem): { code: string; message: string; instruction?: string };
  /** Returns the codes with which a path itself is refused, so that it is not inside; with every other code, nobody knows. */
  notInside(): string[];
  /**
   * Returns the part of a policy that concerns a gate, or the policy of a gate that reads a header or a query parameter of its own.
   *
   * @throws RootwiseError the policy or a name is invalid; the message names it
   */
  gatePolicy(policy: PresetName | Policy | undefined, reads: GateReads): Policy;
  /** Returns the response to a request that does not pass a gate; null if it passes. */
  gateRefusal(verdict: GateCase): GateResponse | null;
  /**
   * Returns the optional parameter by which a tool call names its project, for the input schema of a tool; its description names
   * the client's roots, if they are given.
   */
  projectParameter(roots?: readonly RootView[]): ProjectParameter;
  /** Describes the ready-made tools, so that they are the same in every language. */
  readyTools(): ReadyTools;
  /**
   * Returns the roots that a client lists for its folders, in their order; a folder that is there twice is listed once.
   *
   * @throws RootwiseError a folder is neither an absolute path of this style nor a `file:` URI; the message names its place
   */
  providedRoots(folders: readonly Folder[], style: PathStyle): ProvidedRoot[];
  /**
   * Returns what a client of the table of clients does that has these folders open.
   *
   * @throws RootwiseError there is no such client, or a folder is not absolute
   */
  simulateClient(
    client: string,
    roots: readonly Folder[],
    style: PathStyle,
    home?: string,
    conversation?: string,
  ): SimulatedClient;
  /** Returns the options that a policy reads on a command line without program and script. */
  commandLine(words: readonly string[], policy?: PresetName | Policy): Record<string, string>;
}

/** A folder of a client: an absolute path or a `file:` URI, alone or with the name of its root. */
export type Folder = string | { readonly uri: string; readonly name?: string | undefined };

/** An entry of the list that a client answers. */
export interface ProvidedRoot {
  readonly uri: string;
  /** There is none for `/`, a drive or a share without one. */
  readonly name?: string;
}

/** What a known client does. */
export interface SimulatedClient {
  /** Its name in the table of clients. */
  readonly client: string;
  /** Its name for itself. */
  readonly name: string;
  /** The revision in its `initialize`. */
  readonly protocolVersion: string;
  /** Whether it speaks 2026-07-28 with servers that do. */
  readonly isModern: boolean;
  readonly capabilities: Readonly<Record<string, object>> & { readonly roots?: { readonly listChanged?: true } };
  /** What it answers when it is asked for its roots. */
  readonly roots: readonly ProvidedRoot[] | "silent" | "refused";
  /** What it answers to a form where nobody fills it in. */
  readonly form: { readonly action: "decline" | "cancel" } | "silent" | "refused" | "failed";
  /** What its calls carry in `_meta`, besides what the protocol wants. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** What they also carry for a server that declares an experimental capability of the name of the entry. */
  readonly metaIfDeclared?: Readonly<Record<string, unknown>>;
  /** The working directory of its servers. */
  readonly cwd?: string;
  /** The variables that it sets for its servers. */
  readonly env: Readonly<Record<string, string>>;
}

/** What a host found wrong with a path that a tool names. */
export type PathProblem =
  | { problem: "empty" | "relative" | "changing" | "notUtf8" | "noAnswer" | "otherSystem" }
  | { problem: "tooLong"; length: number; style: PathStyle }
  | { problem: "outside"; folders: readonly string[] }
  | { problem: "unreadable"; error: string }
  | { problem: "noFolder"; clientPath?: string }
  | { problem: "projectMissing"; project: string }
  | { problem: "outsideProject"; part: string; leadsTo: string; project: string }
  | { problem: "linkToNowhere"; part: string; leadsTo: string }
  | { problem: "notAFolder"; part: string }
  | { problem: "noReading"; part: string; refusal: Refusal };

/** What goes wrong in a host, around the calls of its clients. */
export type HostProblem =
  | { problem: "noCall" | "notReached" | "backgroundTask" | "needsInput" | "storeFailed" | "sessionChanged" }
  | { problem: "storeError" | "stateRefused" | "callerUnknown" | "foldersUnknown"; error: string }
  | { problem: "eventFailed"; event: string; error: string };

/** What a gate reads of a request, instead of what its policy reads. */
export interface GateReads {
  readonly header?: string | undefined;
  readonly query?: string | undefined;
  readonly requirePath?: boolean | undefined;
}

/** How the check of a request ended. */
export type GateCase =
  | { answered: { answer: Answer; required: boolean } }
  | { tooMany: Record<string, never> }
  | { failed: { code: string; message: string } };

/** A response with an error of JSON-RPC. */
export interface GateResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The folder of a project, in every spelling that a tool may use. */
export type ProjectFolder = Readonly<Pick<Project, "path" | "realPath" | "clientPath">>;

export function functionsOf(backend: () => Backend): Functions {
  const call = <T>(name: string, args: object, what = "the arguments", most = MAX_ARGUMENTS): T => {
    const text = bounded(textOf({ [name]: args }, "bad_options", what), what, most);
    return parseReply<{ value: T }>(backend().call(text)).value;
  };
  return {
    fileUriToPath: (uri, style) => call("fileUriToPath", { uri, style }),
    projectKey: (uri, style) => call("projectKey", { uri, style }),
    isInside: (root, path, style, real) => call("isInside", { root, path, style, real }),
    joinInside: (project, path, style) => call("joinInside", { project: placeOf(project), path, style }),
    basename: (path, style) => call<string | null>("basename", { path, style }) ?? undefined,
    fileInside: (project, file, style) => call("fileInside", { project: folderOf(project), file, style }),
    toolPath: (path, base, style) => call("toolPath", { path, base, style }),
    clientFile: (project, file, style) => call("clientFile", { project: folderOf(project), file, style }),
    parsePathMap: (text, style, place) => call("parsePathMap", { text, style, place }),
    pathProblem: (problem) => call("pathProblem", problem),
    hostProblem: (problem) => call("hostProblem", problem, "the problem", MOST),
    notInside: () => call("notInside", {}),
    gatePolicy: (policy, { header, query, requirePath }) =>
      call("gatePolicy", { policy: policyOf({ policy }), reads: { header, query, requirePath } }, "the policy", MOST),
    gateRefusal: (verdict) => call("gateRefusal", verdict, "the answer", MOST),
    pathToFileUri: (path, style) => call<string | null>("pathToFileUri", { path, style }) ?? undefined,
    projectId: (key) => call("projectId", { key }),
    projectSlug: ({ name, key }) => call("projectSlug", { name, key }),
    sanitizeName: (name, form) => call("sanitizeName", { name, form }),
    policyInputs: (policy) => call("policyInputs", { policy: policyOf({ policy }) }),
    projectParameter: (roots) => call("projectParameter", { roots }),
    readyTools: () => call("readyTools", {}),
    providedRoots: (folders, style) => call("providedRoots", { folders, style }, "the folders", MOST),
    simulateClient: (client, roots, style, home, conversation) =>
      call("simulateClient", { client, roots, style, home, conversation }),
    commandLine: (words, policy) => call("commandLine", { words, policy: policyOf({ policy }) }),
    recoverSession: (request) => call("recoverSession", withReadableTimes(request), "the request", MOST),
  };
}

/** JSON would drop a time that is no finite number and no valid `Date`: as a text, it is reported like any other that cannot be read. */
function withReadableTimes(request: RecoverRequest): RecoverRequest {
  if (!Array.isArray(request?.sessions)) return request;
  const isLost = (time: unknown) =>
    (typeof time === "number" || time instanceof Date) && !Number.isFinite(Number(time));
  const readable = (record: SessionRecord) =>
    isLost(record?.updatedAt) ? { ...record, updatedAt: String(record.updatedAt) } : record;
  return { ...request, sessions: request.sessions.map(readable) };
}

function folderOf(project: ProjectFolder): ProjectFolder {
  const { path, realPath, clientPath } = project;
  return { path, realPath, clientPath } as ProjectFolder;
}

function placeOf(project: string | Pick<Project, "path">): string {
  const path = typeof project === "object" && project !== null ? project.path : project;
  if (typeof path !== "string") throw new RootwiseError("bad_options", "the project has no path");
  return path;
}
