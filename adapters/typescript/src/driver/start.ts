import type { EndpointLog, Explanation, HostFacts, Policy, RequestFacts } from "../generated/types.js";
import type { PresetName } from "../resolver.js";
import { Connection, projectOf } from "./connection.js";
import { hostFacts } from "./host.js";
import { ownOptions } from "./options.js";
import type { Project } from "./project.js";

/** Options of {@link resolveAtStart}. */
export interface StartOptions<RequirePath extends boolean = true> {
  /** A preset's name or a policy; by default `recommended`. */
  policy?: PresetName | Policy | undefined;
  /** Whether the project must have a folder, which is the default. */
  requirePath?: RequirePath | undefined;
  /** By default the facts of this process. */
  host?: HostFacts | undefined;
  /** Values that a request would carry, such as an argument. */
  facts?: RequestFacts | undefined;
  log?: ((line: EndpointLog) => void) | undefined;
}

const OPTIONS: readonly string[] = ["policy", "requirePath", "host", "facts", "log"] satisfies (keyof StartOptions)[];

/**
 * Returns the project that this process can determine before a client connects: from the command line, the environment
 * and the working directory. For servers that need a folder before they serve; a client can name another one later.
 */
export async function resolveAtStart<RequirePath extends boolean = true>(
  options: StartOptions<RequirePath> = {},
): Promise<Readonly<Project<RequirePath>> | undefined> {
  return (await resolveAndExplain(options)).project;
}

/** As {@link resolveAtStart}, with the result of every source. */
export async function resolveAndExplain<RequirePath extends boolean = true>(
  options: StartOptions<RequirePath> = {},
): Promise<{
  project: Readonly<Project<RequirePath>> | undefined;
  explanation: Explanation | undefined;
}> {
  const { policy, requirePath, host, facts, log } = ownOptions(options, OPTIONS);
  const connection = new Connection({ policy, requirePath, host: host ?? hostFacts("stdio", { policy }), log });
  try {
    const answer = await connection.question({ type: "asked", explain: true }, facts);
    return {
      project: answer.outcome === "resolved" ? projectOf<RequirePath>(answer) : undefined,
      explanation: answer.explanation,
    };
  } finally {
    connection.close();
  }
}
