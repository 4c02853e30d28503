import { RootwiseError, parseReply } from "./error.js";
import type { Backend } from "./backend.js";
import type { PathStyle, Project, RecoverRequest, Recovery } from "./generated/types.js";
import { bounded, MOST_ARGUMENTS, textOf } from "./text.js";

/** The functions that need no resolver. */
export interface Functions {
  /**
   * Gives the normalised absolute path a `file:` URI names.
   *
   * @throws RootwiseError the URI is refused; `code` says why
   */
  fileUriToPath(uri: string, style: PathStyle): string;
  /**
   * Gives the identity of the project a root URI names: the same folder has the same key whatever its spelling.
   *
   * @throws RootwiseError the URI is refused; `code` says why
   */
  projectKey(uri: string, style: PathStyle): string;
  /**
   * Tells whether `path` is `root` or below it: by spelling, or on disk with the real paths of both.
   */
  isInside(root: string, path: string, style: PathStyle, real?: { root: string; path: string }): boolean;
  /**
   * Gives the place a tool's path means, relative to the project or absolute, if that is the project or below it.
   *
   * @throws RootwiseError the path is refused or leads out of the project; `code` says why
   */
  joinInside(project: string | Pick<Project, "path">, path: string, style: PathStyle): string;
  /** Finds the session a project was last worked on in, from records you load out of any store. */
  recoverSession(request: RecoverRequest): Recovery;
}

export function functionsOf(face: () => Backend): Functions {
  const call = <T>(name: string, args: object): T => {
    const text = bounded(textOf({ [name]: args }, "bad_options", "the arguments"), "the arguments", MOST_ARGUMENTS);
    return parseReply<{ value: T }>(face().call(text)).value;
  };
  return {
    fileUriToPath: (uri, style) => call("fileUriToPath", { uri, style }),
    projectKey: (uri, style) => call("projectKey", { uri, style }),
    isInside: (root, path, style, real) => call("isInside", { root, path, style, real }),
    joinInside: (project, path, style) => call("joinInside", { project: placeOf(project), path, style }),
    recoverSession: (request) => {
      const text = bounded(textOf({ recoverSession: request }, "bad_options", "the request"), "the request");
      return parseReply<{ value: Recovery }>(face().call(text)).value;
    },
  };
}

function placeOf(project: string | Pick<Project, "path">): string {
  const path = typeof project === "object" && project !== null ? project.path : project;
  if (typeof path !== "string") throw new RootwiseError("bad_options", "the project has no path");
  return path;
}
