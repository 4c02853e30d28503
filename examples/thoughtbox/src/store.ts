// A session, and the stores for sessions: a file for one machine, a Redis server for many.

export interface Session {
  id: string;
  title: string;
  thoughtCount: number;
  /** ISO 8601, like all times here. */
  createdAt: string;
  updatedAt: string;
  /** The root of the session and the key of its project; a session without them is found only by its id. */
  mcpRootUri?: string;
  project?: string;
  /** The keys of other projects in which it is found as well. */
  linkedProjects: string[];
  /** The field that its thoughts are about, if the agent named one. */
  domain?: string;
  pinned: boolean;
  archived: boolean;
}

export type NewSession = Pick<Session, "id" | "title" | "createdAt" | "mcpRootUri" | "project" | "domain">;
export type Changes = Partial<Pick<Session, "title" | "pinned" | "archived">> & { linkProject?: string };

/** A fulfilled promise means that the data is written and survives a crash. */
export interface Store {
  createSession(session: NewSession): Promise<void>;
  getSession(id: string): Promise<Session | undefined>;
  /** The number of all sessions. */
  countSessions(): Promise<number>;
  /** The sessions of a project, then those that are linked to it, in the order they were created or linked. */
  listSessions(filter: { project: string }): Promise<Session[]>;
  /** Returns the updated session. */
  changeSession(id: string, changes: Changes): Promise<Session | undefined>;
  /** Returns the number of the thought, starting at 1. */
  addThought(id: string, thought: string, at: string): Promise<number | undefined>;
  listThoughts(id: string): Promise<string[]>;
  close(): Promise<void>;
}

/** Opens `redis://host:port`, `unix:///path/of/socket`, or a file. */
export async function openStore(where: string): Promise<Store> {
  if (/^(rediss?|unix):/.test(where)) return (await import("./redis.js")).openRedis(where);
  return (await import("./sqlite.js")).openSqlite(where);
}
