// Sessions in one file, shared by all server processes of a machine. The system releases the locks of a killed process.
import Database from "libsql";
import type { Session, Store } from "./store.js";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS sessions (
    id TEXT PRIMARY KEY, title TEXT NOT NULL, createdAt TEXT NOT NULL, updatedAt TEXT NOT NULL,
    mcpRootUri TEXT, project TEXT, domain TEXT, pinned INTEGER NOT NULL DEFAULT 0, archived INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX IF NOT EXISTS sessions_of_project ON sessions (project);
  CREATE TABLE IF NOT EXISTS links (project TEXT NOT NULL, session TEXT NOT NULL, PRIMARY KEY (project, session));
  CREATE TABLE IF NOT EXISTS thoughts (
    session TEXT NOT NULL, number INTEGER NOT NULL, thought TEXT NOT NULL, PRIMARY KEY (session, number)
  );
`;
const SELECT = `SELECT *, (SELECT count(*) FROM thoughts WHERE session = id) AS thoughtCount,
  (SELECT json_group_array(links.project) FROM links WHERE session = id) AS linkedProjects FROM sessions`;
const BUSY_MS = 10_000;

type Row = Omit<Session, "mcpRootUri" | "project" | "linkedProjects" | "domain" | "pinned" | "archived"> & {
  mcpRootUri: string | null;
  project: string | null;
  linkedProjects: string;
  domain: string | null;
  pinned: number;
  archived: number;
};

function sessionOf(row: Row): Session {
  const { id, title, thoughtCount, createdAt, updatedAt, mcpRootUri, project, domain, pinned, archived } = row;
  const linkedProjects = JSON.parse(row.linkedProjects) as string[];
  return {
    ...{
      id,
      title,
      thoughtCount,
      createdAt,
      updatedAt,
      linkedProjects,
      pinned: pinned === 1,
      archived: archived === 1,
    },
    ...(mcpRootUri !== null && { mcpRootUri }),
    ...(project !== null && { project }),
    ...(domain !== null && { domain }),
  };
}

export function openSqlite(file: string): Store {
  const db = new Database(file, { timeout: BUSY_MS });
  db.exec(SCHEMA);
  const one = db.prepare(`${SELECT} WHERE id = ?`);
  const ofProject = db.prepare(
    `${SELECT} WHERE project = ?1 OR id IN (SELECT session FROM links WHERE project = ?1) ORDER BY project <> ?1, rowid`,
  );
  const count = db.prepare("SELECT count(*) AS count FROM sessions");
  const link = db.prepare("INSERT OR IGNORE INTO links SELECT ?, id FROM sessions WHERE id = ?");
  const create = db.prepare(
    "INSERT INTO sessions (id, title, createdAt, updatedAt, mcpRootUri, project, domain) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  const change = db.prepare(`
    UPDATE sessions SET title = coalesce(?, title), pinned = coalesce(?, pinned), archived = coalesce(?, archived)
    WHERE id = ?
  `);
  const touch = db.prepare("UPDATE sessions SET updatedAt = ? WHERE id = ?");
  const add = db.prepare(
    "INSERT INTO thoughts SELECT ?, coalesce(max(number), 0) + 1, ? FROM thoughts WHERE session = ? RETURNING number",
  );
  const thoughts = db.prepare("SELECT thought FROM thoughts WHERE session = ? ORDER BY number");

  const get = (id: string) => {
    const row = one.get(id) as Row | undefined;
    return row && sessionOf(row);
  };
  const addThought = db.transaction((id: string, thought: string, at: string) => {
    if (touch.run(at, id).changes === 0) return undefined;
    return (add.get(id, thought, id) as { number: number }).number;
  });
  const flag = (value: boolean | undefined) => (value === undefined ? null : Number(value));

  return {
    createSession: async ({ id, title, createdAt, mcpRootUri, project, domain }) =>
      void create.run(id, title, createdAt, createdAt, mcpRootUri ?? null, project ?? null, domain ?? null),
    getSession: async (id) => get(id),
    countSessions: async () => (count.get() as { count: number }).count,
    listSessions: async ({ project }) => (ofProject.all(project) as Row[]).map(sessionOf),
    changeSession: async (id, { title, pinned, archived, linkProject }) => {
      if (linkProject !== undefined) link.run(linkProject, id);
      change.run(title ?? null, flag(pinned), flag(archived), id);
      return get(id);
    },
    addThought: async (id, thought, at) => addThought.immediate(id, thought, at),
    listThoughts: async (id) => (thoughts.all(id) as { thought: string }[]).map(({ thought }) => thought),
    close: async () => void db.close(),
  };
}
