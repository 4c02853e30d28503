// Sessions in Redis: the store that `rootwise(server, { store })` takes, and the parameters that a client began with.
import { Redis } from "ioredis";

/** Seconds after which a session that is not used expires. */
const LIFE = 3_600;

/** Replaces a value in one step if it still is what the caller saw last; an empty text stands for none. */
const REPLACE = `
  if (redis.call("GET", KEYS[1]) or "") ~= ARGV[1] then return 0 end
  redis.call("SET", KEYS[1], ARGV[2], "EX", ARGV[3])
  return 1`;

export function redisStore(url) {
  const redis = new Redis(url.replace(/^unix:\/\//, ""));
  return {
    load: async (id) => (await redis.getex(`rootwise:${id}`, "EX", LIFE)) ?? undefined,
    save: async (id, state, previous = "") =>
      (await redis.eval(REPLACE, 1, `rootwise:${id}`, previous, state, LIFE)) === 1,
    /** The `initialize` request of a session, for replicas that have never seen it. */
    began: async (id, message) => void (await redis.set(`began:${id}`, JSON.stringify(message), "EX", LIFE)),
    beginning: async (id) => JSON.parse((await redis.getex(`began:${id}`, "EX", LIFE)) ?? "null"),
    ended: async (id) => void (await redis.del(`rootwise:${id}`, `began:${id}`)),
    close: () => redis.disconnect(),
  };
}
