// Ready-made tools for servers that want their model to see and choose the project.
import { RootwiseError } from "../error.js";
import type { Project } from "../generated/types.js";
import { InputNeeded, NoProjectError } from "./errors.js";
import type { Projects, Roots } from "./projects.js";
import type { AnyServer, CallContext } from "./sdk.js";

/** What the tools are called; `false` leaves one out. */
export interface ToolNames {
  /** Explains which project this is and why; `which_project` by default. */
  which?: string | false;
  /** Chooses another project; `switch_project` by default. */
  switch?: string | false;
  /** Lists the client's roots; `list_roots` by default. */
  list?: string | false;
}

interface Result {
  [key: string]: unknown;
  content: { type: "text"; text: string }[];
  isError?: boolean;
}

type Register = (name: string, config: object, handler: (...args: never[]) => Promise<Result>) => unknown;

export function registerTools(projects: Projects, server: AnyServer, generation: 1 | 2, names: ToolNames = {}): void {
  const { registerTool } = server as { registerTool?: Register };
  if (!registerTool) throw new RootwiseError("bad_options", "tools can be registered with an McpServer only, not with a low-level Server");
  const register: Register = (...args) => registerTool.apply(server, args);
  const { which = "which_project", switch: change = "switch_project", list = "list_roots" } = names;
  if (which !== false) {
    const description = "Tells which project this server works in for you, and why: what every source said.";
    register(which, { title: "Which project is this?", description, annotations: { readOnlyHint: true } }, async (context: CallContext) =>
      said((await projects.explain(context)).text),
    );
  }
  if (change !== false) {
    const description = "Makes another folder the project of this connection.";
    const inputSchema = projectSchema(generation);
    register(change, { title: "Switch project", description, inputSchema }, async ({ project }: { project: string }, context: CallContext) =>
      helpful(async () => {
        const { project: chosen, message } = await projects.select(context, project);
        return said(message || `Now working in ${shown(chosen)}.`);
      }),
    );
  }
  if (list !== false) {
    const description = "Lists the folders your client says it works in.";
    register(list, { title: "List roots", description, annotations: { readOnlyHint: true } }, async (context: CallContext) =>
      said(listed(await projects.roots(context))),
    );
  }
}

const said = (text: string): Result => ({ content: [{ type: "text", text }] });

/** A refusal is an answer the model can act on. */
async function helpful(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof InputNeeded || !(error instanceof NoProjectError)) throw error;
    return { ...said(error.message), isError: true };
  }
}

const shown = ({ displayName, path }: Project) => (path ? `${displayName} (${path})` : displayName);

function listed({ roots, state }: Roots): string {
  if (roots.length === 0) return `The client listed no folders (${state}).`;
  const lines = roots.map(({ index, uri, name, path, problem }) => {
    const what = problem ? `${uri}: not usable, ${problem}` : (path ?? uri);
    return `${index + 1}. ${name ? `${name}: ` : ""}${what}`;
  });
  return [`The client listed ${roots.length} ${roots.length === 1 ? "folder" : "folders"} (${state}):`, ...lines].join("\n");
}

const DESCRIPTION = "Absolute path or file: URI of the folder, or the name of one of your roots";

/** The argument of `switch_project`, in the form each generation wants. */
function projectSchema(generation: 1 | 2): unknown {
  if (generation === 1) {
    const { z } = require("zod") as { z: { string(): { describe(text: string): unknown } } };
    return { project: z.string().describe(DESCRIPTION) };
  }
  const schema = () => ({ type: "object", properties: { project: { type: "string", description: DESCRIPTION } }, required: ["project"], additionalProperties: false });
  return {
    "~standard": {
      version: 1,
      vendor: "rootwise",
      validate: (value: unknown) => {
        const project = (value as { project?: unknown } | null)?.project;
        return typeof project === "string" ? { value: { project } } : { issues: [{ message: "must be a string", path: ["project"] }] };
      },
      jsonSchema: { input: schema, output: schema },
    },
  };
}
