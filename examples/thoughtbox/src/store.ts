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
  pinned: boolean;
  archived: boolean;
}

export type NewSession = Pick<Session, "id" | "title" | "createdAt" | "mcpRootUri" | "project">;
export type Changes = Partial<Pick<Session, "title" | "pinned" | "archived">>;

/** A fulfilled promise means that the data is written and survives a crash. */
export interface Store {
  createSession(session: NewSession): Promise<void>;
  getSession(id: string): Promise<Session | undefined>;
  /** The sessions of a project, in the order they were created. */
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
