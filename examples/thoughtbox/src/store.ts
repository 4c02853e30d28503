// What a session is, and what keeps sessions: a file for one machine, a Redis server for many.

export interface Session {
  id: string;
  title: string;
  thoughtCount: number;
  /** ISO 8601, as every time here. */
  createdAt: string;
  updatedAt: string;
  /** The root it was started in, and the key of that project; a session without them is found by its id alone. */
  mcpRootUri?: string;
  project?: string;
  pinned: boolean;
  archived: boolean;
}

export type NewSession = Pick<Session, "id" | "title" | "createdAt" | "mcpRootUri" | "project">;
export type Changes = Partial<Pick<Session, "title" | "pinned" | "archived">>;

/** A promise that is fulfilled means: written, and still there after a crash. */
export interface Store {
  createSession(session: NewSession): Promise<void>;
  getSession(id: string): Promise<Session | undefined>;
  /** The sessions of a project, in the order they were created. */
  listSessions(filter: { project: string }): Promise<Session[]>;
  /** Gives back the session as it is now. */
  changeSession(id: string, changes: Changes): Promise<Session | undefined>;
  /** Gives back the thought's number, counted from 1. */
  addThought(id: string, thought: string, at: string): Promise<number | undefined>;
  listThoughts(id: string): Promise<string[]>;
  close(): Promise<void>;
}

/** Opens `redis://host:port`, `unix:///path/of/socket`, or a file. */
export async function openStore(where: string): Promise<Store> {
  if (/^(rediss?|unix):/.test(where)) return (await import("./redis.js")).openRedis(where);
  return (await import("./sqlite.js")).openSqlite(where);
}
