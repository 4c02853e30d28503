// Sessions on a Redis server, shared by any number of replicas. Confirmed writes are durable with `appendfsync always`.
import { Redis, type ChainableCommander } from "ioredis";
import type { Session, Store } from "./store.js";

const TIMEOUT_MS = 10_000;

const sessionKey = (id: string) => `session:${id}`;
const thoughtsKey = (id: string) => `thoughts:${id}`;
const linksKey = (id: string) => `links:${id}`;
const projectKey = (project: string) => `project:${project}`;
const COUNT = "sessions";

/** Runs all commands atomically and returns every result. */
async function together(commands: ChainableCommander): Promise<unknown[]> {
  const results = (await commands.exec()) ?? [];
  return results.map(([error, result]) => {
    if (error) throw error;
    return result;
  });
}

export async function openRedis(where: string): Promise<Store> {
  const redis = new Redis(where, { commandTimeout: TIMEOUT_MS });
  await redis.ping();

  const getSession = async (id: string): Promise<Session | undefined> => {
    const parts = redis.multi().hgetall(sessionKey(id)).llen(thoughtsKey(id)).smembers(linksKey(id));
    const [hash, count, links] = await together(parts);
    const { title, createdAt, updatedAt, mcpRootUri, project, domain, pinned, archived } = hash as Record<
      string,
      string
    >;
    if (title === undefined || createdAt === undefined || updatedAt === undefined) return undefined;
    return {
      ...{ id, title, thoughtCount: count as number, createdAt, updatedAt },
      ...{ linkedProjects: links as string[], pinned: pinned === "true", archived: archived === "true" },
      ...(mcpRootUri !== undefined && { mcpRootUri }),
      ...(project !== undefined && { project }),
      ...(domain !== undefined && { domain }),
    };
  };
  // Sessions are never deleted, so an existing session stays.
  const exists = async (id: string) => (await redis.exists(sessionKey(id))) === 1;

  return {
    getSession,
    createSession: async ({ id, ...fields }) => {
      const all = redis
        .multi()
        .hset(sessionKey(id), defined({ ...fields, updatedAt: fields.createdAt }))
        .incr(COUNT);
      if (fields.project !== undefined) all.rpush(projectKey(fields.project), id);
      await together(all);
    },
    countSessions: async () => Number((await redis.get(COUNT)) ?? 0),
    listSessions: async ({ project }) => {
      const ids = await redis.lrange(projectKey(project), 0, -1);
      return (await Promise.all(ids.map(getSession))).filter((session) => session !== undefined);
    },
    changeSession: async (id, { linkProject, ...changes }) => {
      if (!(await exists(id))) return undefined;
      const fields = defined(changes);
      if (Object.keys(fields).length > 0) await redis.hset(sessionKey(id), fields);
      // Of several links to one project, only the first counts.
      if (linkProject !== undefined && (await redis.sadd(linksKey(id), linkProject)) === 1) {
        await redis.rpush(projectKey(linkProject), id);
      }
      return getSession(id);
    },
    addThought: async (id, thought, at) => {
      if (!(await exists(id))) return undefined;
      const all = redis.multi().rpush(thoughtsKey(id), thought).hset(sessionKey(id), { updatedAt: at });
      const [number] = await together(all);
      return number as number;
    },
    listThoughts: (id) => redis.lrange(thoughtsKey(id), 0, -1),
    close: async () => void (await redis.quit()),
  };
}

function defined(fields: Record<string, unknown>): Record<string, string> {
  const there = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(there.map(([name, value]) => [name, String(value)]));
}
