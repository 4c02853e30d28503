// What the handlers of a server call.
import { guarded } from "../driver/callbacks.js";
import { projectOf } from "../driver/connection.js";
import { badOption, failure, NeedsInput } from "../driver/errors.js";
import type { Question } from "../driver/loop-host.js";
import { resolveFile, resolveInside } from "../driver/inside.js";
import { checkFunction, own, ownOptions } from "../driver/options.js";
import type { Project, ProjectListener } from "../driver/project.js";
import { fixedAnswers } from "../driver/surroundings.js";
import { RootwiseError } from "../error.js";
import type { AnnounceProject, Answer, Explanation, SelectBy } from "../generated/types.js";
import { notInside } from "../node/index.js";
import { Clients } from "./clients.js";
import { currentContext } from "./guard.js";
import { OPTIONS, type ProjectHints, type RootwiseOptions, selection } from "./options.js";
import { type RootsListener, type Roots, rootsOf, usableRoots } from "./roots.js";
import { type AnyServer, type CallContext, isContext, type UntypedContext } from "./sdk.js";
import { registerTools, type ToolNames } from "./tools.js";

/** Tells the handlers of a server which project their call belongs to. */
export class Rootwise<RequirePath extends boolean = true, Context extends CallContext = CallContext> {
  readonly #server: AnyServer;
  readonly #clients: Clients;
  readonly #listeners = new Set<ProjectListener<RequirePath>>();
  readonly #rootsListeners = new Set<RootsListener>();

  constructor(server: AnyServer, given: RootwiseOptions<RequirePath, Context> = {}) {
    this.#server = server;
    // The contexts that a server passes are those of its own SDK.
    const options = ownOptions(given, OPTIONS) as unknown as RootwiseOptions<boolean>;
    this.#clients = new Clients(server, options, {
      projectChanged: (change, client) => this.#announce(change, client),
      rootsChanged: (roots, previous) => {
        for (const listener of this.#rootsListeners) guarded(() => listener(roots, previous));
      },
    });
  }

  /**
   * Returns the project of this call. Call it first in a handler: a client of 2026-07-28 that has to be asked repeats the
   * call, and earlier statements run twice.
   *
   * @param context the handler's context; with the option `asyncContext`, by default the one of the handler that is running
   * @throws NoProjectError no project was found; let it pass, and the model reads the cause and the next step
   */
  async project(context?: CallContext | UntypedContext, hints?: ProjectHints): Promise<Readonly<Project<RequirePath>>> {
    const known =
      hints || fixedAnswers()
        ? undefined
        : (this.#clients.known(contextOf(context)) as Project<RequirePath> | undefined);
    return known ?? projectOf<RequirePath>(await this.#ask(context, { type: "asked", ...hintsOf(hints) }));
  }

  /** Wraps a handler: the project becomes its first argument. */
  tool<A extends unknown[] = [context: Context], R = unknown>(
    handler: (project: Readonly<Project<RequirePath>>, ...args: A) => R | Promise<R>,
    hints?: (...args: A) => ProjectHints,
  ): (...args: A | (A extends [CallContext] ? [context: unknown, ...rest: unknown[]] : never)) => Promise<R> {
    checkFunction(handler, "handler");
    return async (...given) => {
      const args = given as A;
      return handler(await this.project(args.at(-1) as CallContext, hints?.(...args)), ...args);
    };
  }

  /**
   * Returns the project of this call as far as it is known; sends nothing and never waits. With a `store`, a call knows
   * nothing about its session before it has waited for one of the other methods.
   */
  current(context?: CallContext | UntypedContext, hints?: ProjectHints): Readonly<Project<RequirePath>> | undefined {
    const question = { type: "asked", ...hintsOf(hints) } as const;
    const fixed = fixedAnswers();
    const answer = fixed ? fixed.peek(question) : this.#clients.peek(contextOf(context), question);
    return answer?.outcome === "resolved" ? projectOf<RequirePath>(answer) : undefined;
  }

  /**
   * As {@link project}, with the policy's hints, which the tool shows beside its result. A hint that comes once per
   * connection comes with the first call that asks for hints.
   */
  async projectAndHints(
    context?: CallContext | UntypedContext,
    facts?: ProjectHints,
  ): Promise<{ project: Readonly<Project<RequirePath>>; hints: readonly string[] }> {
    const answer = await this.#ask(context, { type: "asked", hints: true, ...hintsOf(facts) });
    return { project: projectOf<RequirePath>(answer), hints: answer.hints ?? [] };
  }

  /** Returns the client's roots, each verified on disk where this machine may and can do so. */
  async roots(context?: CallContext | UntypedContext): Promise<Roots> {
    const answer = await this.#ask(context, { type: "asked", want: "roots" });
    if (answer.outcome !== "listed") throw failure(answer);
    return rootsOf(answer);
  }

  /**
   * Returns the real path of a file or folder inside the project of this call, from whichever source the project came; see
   * {@link resolveFile}.
   *
   * @throws RootwiseError the path is not inside the project; the message says which part is wrong and where it leads
   * @throws NoProjectError no project was found
   */
  async resolveFile(context: CallContext | UntypedContext | undefined, file: string): Promise<string> {
    return resolveFile(await this.project(context), file);
  }

  /**
   * Whether a path is inside one of the client's roots, by real path. One that this machine refuses to read or examine is not.
   *
   * @throws RootwiseError nobody knows: the call is over, or the disk does not answer
   */
  async inside(context: CallContext | UntypedContext | undefined, path: string): Promise<boolean> {
    try {
      await this.resolve(context, path);
      return true;
    } catch (error) {
      if (error instanceof RootwiseError && notInside().includes(error.code)) return false;
      throw error;
    }
  }

  /**
   * Returns the real path of a file or folder inside any of the client's roots, for a client that has roots. A relative path
   * starts from the call's project. {@link resolveFile} finds a file inside the project alone.
   *
   * @throws RootwiseError the path is outside every root, or no root can be used on this machine; the message says which
   */
  async resolve(context: CallContext | UntypedContext | undefined, path: string): Promise<string> {
    const roots = usableRoots(await this.roots(context));
    const folders = roots.map(({ realPath }) => realPath);
    const known = this.#clients.isConfined ? await this.project(context).catch(unlessRepeated) : this.current(context);
    return resolveInside(folders, path, known?.path ?? roots[0]?.path);
  }

  /**
   * Selects the project of this connection.
   *
   * @param by a path, a `file:` URI or the name of a root; or exactly which of these it is
   * @throws NoProjectError the selection was refused, or the client must name its project in every call
   */
  async select(
    context: CallContext | UntypedContext | undefined,
    by: string | SelectBy,
  ): Promise<{ project: Readonly<Project<RequirePath>>; message: string }> {
    const answer = await this.#ask(context, { type: "selected", by: selection(by) });
    if (answer.outcome !== "selected") throw failure(answer);
    return { project: projectOf<RequirePath>(answer), message: answer.message };
  }

  /**
   * Removes the selection; returns the project that counts instead, if there is one.
   *
   * @throws NoProjectError the project of this connection cannot be changed, or the call is over
   */
  async unselect(context?: CallContext | UntypedContext): Promise<Readonly<Project<RequirePath>> | undefined> {
    const answer = await this.#ask(context, { type: "selectionCleared" });
    if (answer.outcome !== "cleared") throw failure(answer);
    return answer.project && Object.freeze(answer.project as Project<RequirePath>);
  }

  /** Returns the result of every source for this call; `text` is a small table. */
  async explain(context?: CallContext | UntypedContext, hints?: ProjectHints): Promise<Explanation> {
    const answer = await this.#ask(context, { type: "asked", explain: true, ...hintsOf(hints) });
    if (answer.explanation) return answer.explanation;
    throw failure(answer);
  }

  /** Registers a listener for changes of the connection's project; returns a function that removes it. */
  onChange(listener: ProjectListener<RequirePath>): () => void {
    checkFunction(listener, "listener");
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Registers a listener for changes of the client's roots; returns a function that removes it. */
  onRootsChange(listener: RootsListener): () => void {
    checkFunction(listener, "listener");
    this.#rootsListeners.add(listener);
    this.#clients.watchRoots(true);
    return () => {
      this.#rootsListeners.delete(listener);
      this.#clients.watchRoots(this.#rootsListeners.size > 0);
    };
  }

  /** Registers ready-made tools; `false` leaves one out. */
  registerTools(names?: ToolNames): void {
    this.#clients.tools = registerTools(this, this.#server, this.#clients.generation, names);
  }

  async #ask(context: CallContext | UntypedContext | undefined, question: Question): Promise<Answer> {
    const fixed = fixedAnswers();
    return fixed ? fixed.ask(question) : this.#clients.ask(contextOf(context), question);
  }

  #announce(change: AnnounceProject, client: string | undefined): void {
    const { session: id, from, to, ended = false, shared } = change;
    const [project, previous] = [to, from].map((given) =>
      given ? Object.freeze(given as Project<RequirePath>) : undefined,
    );
    const connection = { id, client, ended, ...(shared ? { shared } : {}) };
    for (const listener of this.#listeners) guarded(() => listener(project, previous, connection));
  }
}

/** Passes on that the client repeats the call; any other error means that there is no project. */
function unlessRepeated(error: unknown): undefined {
  if (error instanceof NeedsInput) throw error;
}

function hintsOf(hints: ProjectHints = {}): ProjectHints {
  const { argument, server, target } = own(hints);
  return { argument, server, target };
}

function contextOf(context: CallContext | UntypedContext | undefined): CallContext {
  const found = context ?? currentContext();
  if (isContext(found)) return found;
  const text =
    context === undefined
      ? "pass the context of a handler, or set the option asyncContext and call this while a handler runs"
      : "not the context of a handler";
  throw badOption("context", text);
}
