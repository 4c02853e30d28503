// One project for every server of the process, with and without a client.
import { projectOf } from "../driver/connection.js";
import { badOption } from "../driver/errors.js";
import { Loop } from "../driver/loop.js";
import type { Question } from "../driver/loop-host.js";
import { ownOptions } from "../driver/options.js";
import type { Project } from "../driver/project.js";
import { fixAnswers, fixedAnswers, pathRules, surroundings } from "../driver/surroundings.js";
import { RootwiseError } from "../error.js";
import type { Answer, Policy } from "../generated/types.js";
import { pathToFileUri, projectSlug } from "../node/index.js";
import { disposable } from "./disposable.js";

/** Options of {@link fixedProject}. */
export interface FixedProjectOptions {
  /** The project's name; by default that of the folder. */
  name?: string | undefined;
}

/** A project that counts until its end. */
export interface FixedProject extends Disposable {
  readonly project: Readonly<Project>;
  /** From now on clients count again. */
  end(): void;
}

const POLICY: Policy = {
  name: "fixed",
  sources: [
    { from: "selected", verify: "none", within: "anywhere", excludedDirs: "allow" },
    { from: "configured", read: ["project"], verify: "none" },
  ],
};

/**
 * Makes every `Rootwise` of this process answer with one project, whoever its client is. Handlers can then be called
 * without a client, and with any context. A selection counts, until it is removed.
 *
 * @param path an existing or imaginary absolute folder
 */
export function fixedProject(path: string, options: FixedProjectOptions = {}): FixedProject {
  const { name } = ownOptions(options, ["name"]);
  if (fixedAnswers()) throw new RootwiseError("bad_options", "a project is fixed already; end() it first");
  if (typeof path !== "string" || !pathRules().isAbsolute(path)) throw badOption("path", "must be an absolute path");
  const { style } = surroundings();
  const loop = new Loop({
    open: () => ({ policy: POLICY, host: { style, arguments: { project: path } } }),
    send: async () => ({ roots: [{ uri: pathToFileUri(path, style), name }] }),
    log: () => {},
  });
  const session = loop.openSession({ transport: "stdio" });
  loop.feed({ type: "clientInitialized", session, capabilities: { roots: {} } });
  loop.feed({ type: "clientReady", session });
  let key: string | undefined;
  const named = (answer: Answer): Answer =>
    "project" in answer && answer.project?.key === key && name !== undefined
      ? {
          ...answer,
          project: { ...answer.project, name, displayName: name, slug: projectSlug({ ...answer.project, name }) },
        }
      : answer;
  const peek = (question: Question & { type: "asked" }) => {
    const answer = loop.peek({ ...question, argument: undefined, session });
    return answer && named(answer);
  };
  const unnamed = peek({ type: "asked" });
  if (unnamed?.outcome !== "resolved") throw badOption("path", "must be an absolute path of a folder");
  key = unnamed.project.key;
  const project = projectOf<true>(named(unnamed));
  // Whatever a handler passes as the argument of its call, the fixed project counts.
  const put = (question: Question) =>
    loop.ask(question.type === "asked" ? { ...question, argument: undefined, session } : { ...question, session });
  fixAnswers({ peek, ask: async (question) => named(await put(question)) });
  const end = () => {
    fixAnswers();
    loop.close();
  };
  return disposable({ project, end });
}
