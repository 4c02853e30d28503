// Adds the parameter that names the project to the tools of a server that have none, and takes it out of their calls.
import { badOption } from "../driver/errors.js";
import type { ProjectParameter } from "../functions.js";
import { isTaken, methodOf, rememberName } from "./guard.js";
import { type CallContext, isContext, member, type Protocol, type Sdk } from "./sdk.js";

type Handler = (...args: unknown[]) => unknown;

/** A tool in the result of `tools/list`. */
interface Tool {
  readonly name: string;
  readonly inputSchema?: { readonly properties?: Record<string, unknown> };
}

/** The parts of a server that concern the parameter. */
interface Declaration {
  readonly sdk: Sdk;
  readonly protocol: Protocol;
  /** The name of the parameter. */
  readonly argument: string;
  /** Whether a tool neither needs the parameter nor reads it. */
  isExempt(tool: string): boolean;
  /** The parameter for the client that makes a call. */
  parameter(context: CallContext): Promise<ProjectParameter>;
}

/** The pages of `tools/list` that are read at most to find a tool. */
const MAX_PAGES = 64;

/** Declares the parameter in every tool that is registered from now on. Comes before the guard, so that it sees a call first. */
export function declareParameter(declaration: Declaration): void {
  const { protocol } = declaration;
  if (isTaken("tools/list", protocol) || isTaken("tools/call", protocol))
    throw badOption("declare", "a tool was registered before rootwise(server) was called; call rootwise(server) first");
  const tools = new Tools(declaration);
  const set = protocol.setRequestHandler;
  protocol.setRequestHandler = (...args) => {
    const handler = args.at(-1) as Handler;
    const method = typeof handler === "function" ? methodOf(args[0]) : undefined;
    const wrapped =
      method === "tools/list" ? tools.listing(handler) : method === "tools/call" ? tools.calling(handler) : undefined;
    return set.apply(protocol, wrapped ? [...args.slice(0, -1), wrapped] : args);
  };
}

class Tools {
  readonly #declaration: Declaration;
  #list: Handler | undefined;
  /** Whether each listed tool has the parameter from us. */
  readonly #isOurs = new Map<string, boolean>();

  constructor(declaration: Declaration) {
    this.#declaration = declaration;
  }

  listing(list: Handler): Handler {
    this.#list = list;
    return async (...args) => {
      const result = (await list(...args)) as { tools?: readonly Tool[] } | undefined;
      const context = args.at(-1);
      if (!Array.isArray(result?.tools) || !isContext(context)) return result;
      this.#learn(result.tools);
      if (!result.tools.some(({ name }) => this.#isOurs.get(name))) return result;
      const { argument, parameter } = this.#declaration;
      const property = await parameter(context);
      const withParameter = (tool: Tool) =>
        this.#isOurs.get(tool.name)
          ? {
              ...tool,
              inputSchema: {
                type: "object",
                ...tool.inputSchema,
                properties: { ...tool.inputSchema?.properties, [argument]: property },
              },
            }
          : tool;
      return { ...result, tools: result.tools.map(withParameter) };
    };
  }

  calling(call: Handler): Handler {
    const { argument, sdk } = this.#declaration;
    return async (...given) => {
      const [request, ...rest] = given;
      const context = given.at(-1);
      const params = member(request, "params");
      const args = member(params, "arguments");
      const value = member(args, argument);
      const name = member(params, "name");
      if (value === undefined || typeof name !== "string" || !isContext(context)) return call(...given);
      if (!(await this.#adds(name, context))) return call(...given);
      rememberName(sdk.signal(context), value);
      const { [argument]: _taken, ...others } = args as Record<string, unknown>;
      return call({ ...(request as object), params: { ...(params as object), arguments: others } }, ...rest);
    };
  }

  /** Whether the parameter of a tool comes from us; the list tells it, also to a server that has not been asked for it. */
  async #adds(name: string, context: CallContext): Promise<boolean> {
    let cursor: unknown;
    for (let page = 0; page < MAX_PAGES && this.#list && !this.#isOurs.has(name); page += 1) {
      const params = cursor === undefined ? {} : { cursor };
      const result = await this.#list({ method: "tools/list", params }, context);
      const tools = member(result, "tools");
      if (Array.isArray(tools)) this.#learn(tools);
      cursor = member(result, "nextCursor");
      if (cursor === undefined) break;
    }
    return this.#isOurs.get(name) ?? false;
  }

  #learn(tools: readonly Tool[]): void {
    const { argument, isExempt } = this.#declaration;
    for (const { name, inputSchema } of tools)
      this.#isOurs.set(name, !isExempt(name) && !Object.hasOwn(inputSchema?.properties ?? {}, argument));
  }
}
