// The tools of Thoughtbox, for either SDK and any store. Rootwise finds the project of a call.
import { randomUUID } from "node:crypto";
import { presets, projectKey, recoverSession, RootwiseError, type Project } from "rootwise";
import { NoProjectError, type CallContext, type Rootwise } from "rootwise/mcp";
import { z } from "zod";
import type { Store } from "./store.js";

export const presetNames = ["thoughtbox", "thoughtbox-shipped"] as const;
export type Preset = (typeof presetNames)[number];
type Texts = typeof presets.thoughtbox.texts;

export const instructions =
  "Begin with init: load_context, or start_new if that finds nothing. If you have several roots, first call list_roots " +
  "and bind_root with the root you work in. If bind_root says that nothing stays bound, pass mcpRootUri with every operation instead.";

export const initShape = {
  operation: z.enum(["list_roots", "bind_root", "start_new", "load_context", "list_sessions", "update_session"]),
  rootUri: z.string().optional().describe("bind_root: the URI of one of your roots"),
  mcpRootUri: z.string().optional().describe("start_new, load_context, list_sessions: the root for this call alone"),
  sessionId: z.string().optional().describe("load_context, update_session"),
  title: z.string().optional().describe("start_new, update_session"),
  domain: z.string().optional().describe("start_new: the field that the thoughts are about"),
  pinned: z.boolean().optional().describe("update_session: whether load_context prefers it"),
  archived: z.boolean().optional().describe("update_session: whether only its id finds it"),
  linkRootUri: z.string().optional().describe("update_session: another root in which it is found as well"),
};
export const thoughtShape = {
  sessionId: z.string().describe("from start_new or load_context"),
  thought: z.string(),
};

type InitArguments = z.infer<z.ZodObject<typeof initShape>>;
type ThoughtArguments = z.infer<z.ZodObject<typeof thoughtShape>>;

export class Thoughtbox {
  readonly #projects: Rootwise<false>;
  readonly #store: Store;
  readonly #archiveAfterMs: number;
  readonly #texts: Partial<Record<keyof Texts, string>>;

  constructor(
    projects: Rootwise<false>,
    preset: Preset,
    { store, archiveAfterMs }: { store: Store; archiveAfterMs: number },
  ) {
    this.#projects = projects;
    this.#store = store;
    this.#archiveAfterMs = archiveAfterMs;
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

  async #startNew({ mcpRootUri, title, domain }: InitArguments, context: CallContext) {
    const { project, hint } = await this.#project(mcpRootUri, context);
    const now = new Date();
    const id = randomUUID();
    await this.#store.createSession({
      id,
      title: title || this.#say("host.title", { now: now.getTime() }),
      createdAt: now.toISOString(),
      ...(project && { project: project.key }),
      ...(project?.uri && { mcpRootUri: project.uri }),
      ...(domain !== undefined && { domain }),
    });
    return { success: true, session: await this.#store.getSession(id), hint };
  }

  async #loadContext({ sessionId, mcpRootUri }: InitArguments, context: CallContext) {
    if (sessionId !== undefined) {
      return this.#loadExplicit(sessionId, this.#projects.current(context, { argument: mcpRootUri }));
    }
    const { project, hint } = await this.#project(mcpRootUri, context);
    const { session } = await this.#recover(project);
    if (!project || !session) {
      // Without a project nobody has looked: the sessions that exist must not seem lost.
      const count = project ? 0 : await this.#store.countSessions();
      const message = count > 0 ? this.#say("host.notBound", { count }) : this.#say("host.noSessions");
      return { success: false, message, hint };
    }
    const { id, thoughtCount: count, updatedAt } = session;
    log("info", this.#say("host.recoveredLog", { id, uri: project.uri ?? project.name }));
    const message = this.#say("host.recovered", { id, count, age: age(updatedAt) });
    return { success: true, message, session, thoughts: await this.#store.listThoughts(id) };
  }

  async #loadExplicit(id: string, project: Readonly<Project> | undefined) {
    const session = await this.#store.getSession(id);
    if (!session) return this.#notFound(id);
    const { otherProject } = recoverSession({ sessionId: id, project: project ?? null, sessions: [session] });
    if (otherProject) log("info", this.#say("host.otherRoot", { id }));
    return { success: true, session, thoughts: await this.#store.listThoughts(id) };
  }

  async #listSessions({ mcpRootUri }: InitArguments, context: CallContext) {
    const { project, hint } = await this.#project(mcpRootUri, context);
    const { candidates } = await this.#recover(project);
    return { success: true, sessions: candidates, hint };
  }

  async #updateSession({ sessionId = "", title, pinned, archived, linkRootUri }: InitArguments) {
    const linkProject = linkRootUri === undefined ? undefined : keyOf(linkRootUri);
    const session = await this.#store.changeSession(sessionId, { title, pinned, archived, linkProject });
    return session ? { success: true, session } : this.#notFound(sessionId);
  }

  /** Returns the session of the project to continue, and all its sessions, best first. */
  async #recover(project: Readonly<Project> | undefined) {
    const sessions = project ? await this.#store.listSessions({ project: project.key }) : [];
    const oldest = Date.now() - this.#archiveAfterMs;
    const archivedBefore = Number.isFinite(oldest) ? new Date(oldest).toISOString() : null;
    const found = recoverSession({ project: project ?? null, archivedBefore, sessions });
    for (const { sessionId, message } of found.problems) log("warning", `Session ${sessionId}: ${message}`);
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
      const none = error instanceof NoProjectError && (error.code === "no_project" || error.code === "ambiguous");
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

/** The key of the project of a root; a root that is not a folder has its URI in it. */
function keyOf(uri: string): string {
  try {
    return projectKey(uri);
  } catch (error) {
    if (error instanceof RootwiseError && error.code === "not_file_uri") return `uri:${uri}`;
    throw error;
  }
}

const result = (value: object) => ({ content: [{ type: "text" as const, text: JSON.stringify(value) }] });

/** Standard output belongs to the protocol. */
const log = (level: "info" | "warning", text: string) => void process.stderr.write(`${level}: ${text}\n`);

function age(since: string): string {
  const seconds = Math.max(0, Math.floor((Date.now() - Date.parse(since)) / 1000));
  if (Number.isNaN(seconds)) return "an unknown time";
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`;
}
