import type { Explanation, HostFacts, Policy, Project, RequestFacts } from "../generated/types.js";
import type { PresetName } from "../resolver.js";
import { Connection, type LogLine } from "./connection.js";
import { hostFacts } from "./host.js";

/** Options of {@link resolveAtStart}. */
export interface StartOptions {
  /** A preset's name or a policy; by default `recommended`. */
  policy?: PresetName | Policy | undefined;
  /** By default the facts of this process. */
  host?: HostFacts | undefined;
  /** Values that a request would carry, such as an argument. */
  facts?: RequestFacts | undefined;
  log?: ((line: LogLine) => void) | undefined;
}

/**
 * Returns the project that this process can determine before a client connects: from the command line, the environment
 * and the working directory. For servers that need a folder before they serve; a client can name another one later.
 */
export async function resolveAtStart(options: StartOptions = {}): Promise<Readonly<Project> | undefined> {
  return (await resolveAndExplain(options)).project;
}

/** As {@link resolveAtStart}, with the result of every source. */
export async function resolveAndExplain({ policy, host, facts, log }: StartOptions = {}): Promise<{
  project: Readonly<Project> | undefined;
  explanation: Explanation | undefined;
}> {
  const connection = new Connection({ policy, host: host ?? hostFacts("stdio", { policy }), log });
  try {
    const answer = await connection.question({ type: "asked", askBy: "none", explain: true, ...(facts ? { facts } : {}) });
    return { project: answer.outcome === "resolved" ? Object.freeze(answer.project) : undefined, explanation: answer.explanation };
  } finally {
    connection.close();
  }
}
