// Ready-made tools for servers that want their model to see and choose the project.
import { badOption } from "../driver/errors.js";
import { ownOptions } from "../driver/options.js";
import { RootwiseError } from "../error.js";
import { withoutName } from "./guard.js";
import type { Rootwise } from "./rootwise.js";
import type { AnyServer, CallContext } from "./sdk.js";

/** Names of the tools; `false` leaves one out. */
export interface ToolNames {
  /** Explains which project this is and why; `which_project` by default. */
  which?: string | false | undefined;
  /** Chooses another project; `switch_project` by default. */
  switch?: string | false | undefined;
  /** Lists the client's roots; `list_roots` by default. */
  list?: string | false | undefined;
}

const NAMES: readonly string[] = ["which", "switch", "list"] satisfies (keyof ToolNames)[];

interface Result {
  [key: string]: unknown;
  content: { type: "text"; text: string }[];
  isError?: boolean;
}

type Register = (name: string, config: object, handler: (...args: never[]) => Promise<Result>) => unknown;

/** Registers the tools; returns the name of the one that selects a project, and those whose calls need no project. */
export function registerTools(
  projects: Rootwise<boolean>,
  server: AnyServer,
  generation: 1 | 2,
  given: ToolNames = {},
): { select: string | undefined; exempt: string[] } {
  const { registerTool } = server as { registerTool?: Register };
  if (!registerTool)
    throw new RootwiseError(
      "bad_options",
      "tools can be registered with an McpServer only, not with a low-level Server",
    );
  const names = ownOptions(given, NAMES, "names");
  for (const [option, name] of Object.entries(names)) {
    if (name !== undefined && name !== false && (typeof name !== "string" || name === ""))
      throw badOption(option, "must be the name of a tool, or false");
  }
  const register: Register = (...args) => registerTool.apply(server, args);
  const { which = "which_project", switch: change = "switch_project", list = "list_roots" } = names;
  if (which !== false) {
    const description = "Explains which project this server works in for you, with the result of every source.";
    register(
      which,
      { title: "Which project is this?", description, annotations: { readOnlyHint: true } },
      async (context: CallContext) => textResult((await projects.explain(context)).text),
    );
  }
  if (change !== false) {
    const description = "Makes another folder the project of this connection.";
    // In the form that each generation takes. Needs no schema library.
    const inputSchema = generation === 1 ? { project: zodString(DESCRIPTION) } : standardSchema();
    register(
      change,
      { title: "Switch project", description, inputSchema },
      withoutName(async ({ project }: { project: string }, context: CallContext) =>
        textResult((await projects.select(context, project)).message),
      ),
    );
  }
  if (list !== false) {
    const description = "Lists the folders your client says it works in.";
    register(
      list,
      { title: "List roots", description, annotations: { readOnlyHint: true } },
      async (context: CallContext) => textResult((await projects.roots(context)).text),
    );
  }
  const exempt = [change, list].filter((name) => name !== false);
  return { select: change === false ? undefined : change, exempt };
}

const textResult = (text: string): Result => ({ content: [{ type: "text", text }] });

/** Of the argument of `switch_project`. */
const DESCRIPTION = "Absolute path or file: URI of the folder, or the name of one of your roots";

/** Implements the part of a zod 3 string that every SDK 1.x uses: it parses in an object and becomes JSON Schema. */
function zodString(description: string): object {
  const parse = (data: unknown) => {
    if (typeof data !== "string") throw new Error("must be a string");
    return data;
  };
  interface Input {
    readonly data: unknown;
    readonly path: unknown[];
    readonly parent: { readonly common: { readonly issues: object[] } };
  }
  const schema = {
    _def: { typeName: "ZodString", checks: [], coerce: false, description },
    description,
    isOptional: () => false,
    isNullable: () => false,
    parse,
    safeParse: (data: unknown) =>
      typeof data === "string" ? { success: true, data } : { success: false, error: new Error("must be a string") },
    _parse({ data, path, parent }: Input) {
      if (typeof data === "string") return { status: "valid", value: data };
      parent.common.issues.push({
        code: "invalid_type",
        expected: "string",
        received: data === undefined ? "undefined" : typeof data,
        path,
        message: "must be a string",
      });
      return { status: "aborted" };
    },
  };
  return {
    ...schema,
    parseAsync: async (data: unknown) => parse(data),
    safeParseAsync: async (data: unknown) => schema.safeParse(data),
  };
}

function standardSchema(): object {
  const json = () => ({
    type: "object",
    properties: { project: { type: "string", description: DESCRIPTION } },
    required: ["project"],
    additionalProperties: false,
  });
  return {
    "~standard": {
      version: 1,
      vendor: "rootwise",
      validate: (value: unknown) => {
        const project = (value as { project?: unknown } | null)?.project;
        return typeof project === "string"
          ? { value: { project } }
          : { issues: [{ message: "must be a string", path: ["project"] }] };
      },
      jsonSchema: { input: json, output: json },
    },
  };
}
