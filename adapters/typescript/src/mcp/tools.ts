// Ready-made tools for servers that want their model to see and choose the project.
import { badOption } from "../driver/errors.js";
import { ownOptions } from "../driver/options.js";
import { RootwiseError } from "../error.js";
import type { ReadyTool } from "../functions.js";
import { readyTools } from "../node/index.js";
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
  const ready = readyTools();
  const { which = ready.which.name, switch: change = ready.switch.name, list = ready.list.name } = names;
  if (which !== false)
    register(which, configOf(ready.which), async (context: CallContext) =>
      textResult((await projects.explain(context)).text),
    );
  if (change !== false) {
    // In the form that each generation takes. Needs no schema library.
    const { inputSchema: schema } = ready.switch;
    const inputSchema =
      generation === 1 ? { project: zodString(schema.properties.project?.description) } : standardSchema(schema);
    const select = async ({ project }: { project: string }, context: CallContext) =>
      textResult((await projects.select(context, project)).message);
    register(change, { ...configOf(ready.switch), inputSchema }, withoutName(select));
  }
  if (list !== false)
    register(list, configOf(ready.list), async (context: CallContext) =>
      textResult((await projects.roots(context)).text),
    );
  const exempt = [change, list].filter((name) => name !== false);
  return { select: change === false ? undefined : change, exempt };
}

const textResult = (text: string): Result => ({ content: [{ type: "text", text }] });

/** A tool without arguments, as the SDKs take it. */
const configOf = ({ title, description, annotations }: ReadyTool): object => ({
  title,
  description,
  ...(annotations && { annotations }),
});

/** Implements the part of a zod 3 string that every SDK 1.x uses: it parses in an object and becomes JSON Schema. */
function zodString(description: string | undefined): object {
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

function standardSchema(schema: ReadyTool["inputSchema"]): object {
  const json = () => schema;
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
