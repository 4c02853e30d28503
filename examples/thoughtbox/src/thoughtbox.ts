// The tools of Thoughtbox, for either SDK and any store. Rootwise finds the project of a call.
import { randomUUID } from "node:crypto";
import { presets, recoverSession, type Project } from "rootwise";
import { NoProjectError, type CallContext, type Rootwise } from "rootwise/mcp";
import { z } from "zod";
import type { Session, Store } from "./store.js";

export const presetNames = ["thoughtbox", "thoughtbox-shipped"] as const;
export type Preset = (typeof presetNames)[number];
type Texts = typeof presets.thoughtbox.texts;

export const instructions =
  "Begin with init: list_roots, bind_root with the root you work in, then load_context, or start_new if that finds " +
  "nothing. If bind_root says that nothing stays bound, pass mcpRootUri with every operation instead.";

export const initShape = {
  operation: z.enum(["list_roots", "bind_root", "start_new", "load_context", "list_sessions", "update_session"]),
  rootUri: z.string().optional().describe("bind_root: the URI of one of your roots"),
  mcpRootUri: z.string().optional().describe("start_new, load_context, list_sessions: the root for this call alone"),
  sessionId: z.string().optional().describe("load_context, update_session"),
  title: z.string().optional().describe("start_new, update_session"),
  pinned: z.boolean().optional().describe("update_session: whether load_context prefers it"),
  archived: z.boolean().optional().describe("update_session: whether only its id finds it"),
};
export const thoughtShape = {
  sessionId: z.string().describe("from start_new or load_context"),
  thought: z.string(),
};

type InitArguments = z.infer<z.ZodObject<typeof initShape>>;
type ThoughtArguments = z.infer<z.ZodObject<typeof thoughtShape>>;

const style = process.platform === "win32" ? "windows" : "posix";

export class Thoughtbox {
  readonly #projects: Rootwise<false>;
  readonly #store: Store;
  readonly #texts: Partial<Record<keyof Texts, string>>;

  constructor(projects: Rootwise<false>, store: Store, preset: Preset) {
    this.#projects = projects;
    this.#store = store;
    this.#texts = presets[preset].texts;
  }

  async init(args: InitArguments, context: CallContext) {
    switch (args.operation) {
      case "list_roots":
        return result(await this.#projects.roots(context));
      case "bind_root":
        return result(await this.#bindRoot(args, context));
      case "start_new":
        return result(await this.#startNew(args, context));
      case "load_context":
        return result(await this.#loadContext(args, context));
      case "list_sessions":
        return result(await this.#listSessions(args, context));
      case "update_session":
        return result(await this.#updateSession(args));
    }
  }

  async thought({ sessionId, thought }: ThoughtArguments) {
    const number = await this.#store.addThought(sessionId, thought, new Date().toISOString());
    return result(number === undefined ? this.#notFound(sessionId) : { success: true, thoughtNumber: number });
  }

  async #bindRoot({ rootUri = "" }: InitArguments, context: CallContext) {
    const { project, message } = await this.#projects.select(context, { root: rootUri });
    return { success: true, message, boundRoot: project.uri };
  }

  async #startNew({ mcpRootUri, title }: InitArguments, context: CallContext) {
    const { project, hint } = await this.#project(mcpRootUri, context);
    const now = new Date();
    const id = randomUUID();
    await this.#store.createSession({
      id,
      title: title || this.#say("host.title", { now: now.getTime() }),
      createdAt: now.toISOString(),
      ...(project && { project: project.key }),
      ...(project?.uri && { mcpRootUri: project.uri }),
    });
    return { success: true, session: await this.#store.getSession(id), hint };
  }

  async #loadContext({ sessionId, mcpRootUri }: InitArguments, context: CallContext) {
    if (sessionId !== undefined) {
      return this.#loadExplicit(sessionId, this.#projects.current(context, { argument: mcpRootUri }));
    }
    const { project, hint } = await this.#project(mcpRootUri, context);
    const { session } = await this.#recover(project);
    if (!project || !session) return { success: false, message: this.#say("host.noSessions"), hint };
    const { id, thoughtCount: count, updatedAt } = session;
    log("info", this.#say("host.recoveredLog", { id, uri: project.uri ?? project.name }));
    const message = this.#say("host.recovered", { id, count, age: age(updatedAt) });
    return { success: true, message, session, thoughts: await this.#store.listThoughts(id) };
  }

  async #loadExplicit(id: string, project: Readonly<Project> | undefined) {
    const session = await this.#store.getSession(id);
    if (!session) return this.#notFound(id);
    const sessions = [recordOf(session)];
    const { otherProject } = recoverSession({ style, sessionId: id, project: project?.key ?? null, sessions });
    if (otherProject) log("info", this.#say("host.otherRoot", { id }));
    return { success: true, session, thoughts: await this.#store.listThoughts(id) };
  }

  async #listSessions({ mcpRootUri }: InitArguments, context: CallContext) {
    const { project, hint } = await this.#project(mcpRootUri, context);
    const { candidates } = await this.#recover(project);
    return { success: true, sessions: candidates, hint };
  }

  async #updateSession({ sessionId = "", title, pinned, archived }: InitArguments) {
    const session = await this.#store.changeSession(sessionId, { title, pinned, archived });
    return session ? { success: true, session } : this.#notFound(sessionId);
  }

  /** Returns the session of the project to continue, and all its sessions, best first. */
  async #recover(project: Readonly<Project> | undefined) {
    const sessions = project ? await this.#store.listSessions({ project: project.key }) : [];
    const found = recoverSession({ style, project: project?.key ?? null, sessions: sessions.map(recordOf) });
    const byId = new Map(sessions.map((session) => [session.id, session]));
    return { session: byId.get(found.sessionId ?? ""), candidates: found.candidates.map((id) => byId.get(id)) };
  }

  /** Returns the project of the call, or a hint if the preset allows calls without one. */
  async #project(
    mcpRootUri: string | undefined,
    context: CallContext,
  ): Promise<{ project?: Readonly<Project>; hint?: string }> {
    try {
      return { project: await this.#projects.project(context, { argument: mcpRootUri }) };
    } catch (error) {
      const none = error instanceof NoProjectError && (error.code === "no_project" || error.code === "not_chosen");
      if (!none || this.#texts["host.noRoot"] === undefined) throw error;
      log("warning", this.#say("host.noRoot"));
      return { hint: error.message };
    }
  }

  #notFound(id: string) {
    return { success: false, message: this.#say("host.notFound", { id }) };
  }

  /** Returns a text of the preset, or the default text. */
  #say(key: keyof Texts, values: Record<string, string | number> = {}): string {
    const text = this.#texts[key] ?? presets.thoughtbox.texts[key];
    return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
  }
}

const recordOf = (session: Session) => ({ ...session, updatedAt: Date.parse(session.updatedAt) });

const result = (value: object) => ({ content: [{ type: "text" as const, text: JSON.stringify(value) }] });

/** Standard output belongs to the protocol. */
const log = (level: "info" | "warning", text: string) => void process.stderr.write(`${level}: ${text}\n`);

function age(since: string): string {
  const seconds = Math.max(0, Math.floor((Date.now() - Date.parse(since)) / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`;
}
