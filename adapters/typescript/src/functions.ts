import { RootwiseError, parseReply } from "./error.js";
import type { Backend } from "./backend.js";
import type { PathStyle, Project, RecoverRequest, Recovery } from "./generated/types.js";
import { bounded, MOST_ARGUMENTS, textOf } from "./text.js";

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
   * @throws RootwiseError the URI is refused; `code` says why
   */
  projectKey(uri: string, style: PathStyle): string;
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
  /** Finds the session in which a project was last worked on, among records that you load from any store. */
  recoverSession(request: RecoverRequest): Recovery;
}

export function functionsOf(backend: () => Backend): Functions {
  const call = <T>(name: string, args: object): T => {
    const text = bounded(textOf({ [name]: args }, "bad_options", "the arguments"), "the arguments", MOST_ARGUMENTS);
    return parseReply<{ value: T }>(backend().call(text)).value;
  };
  return {
    fileUriToPath: (uri, style) => call("fileUriToPath", { uri, style }),
    projectKey: (uri, style) => call("projectKey", { uri, style }),
    isInside: (root, path, style, real) => call("isInside", { root, path, style, real }),
    joinInside: (project, path, style) => call("joinInside", { project: placeOf(project), path, style }),
    recoverSession: (request) => {
      const text = bounded(textOf({ recoverSession: request }, "bad_options", "the request"), "the request");
      return parseReply<{ value: Recovery }>(backend().call(text)).value;
    },
  };
}

function placeOf(project: string | Pick<Project, "path">): string {
  const path = typeof project === "object" && project !== null ? project.path : project;
  if (typeof path !== "string") throw new RootwiseError("bad_options", "the project has no path");
  return path;
}
