// Calls to servers that are processes of their own: what only the server computes, and how often a call asks its client.
import { connect } from "../clients.mjs";
import { figure, inTurns } from "../figures.mjs";

export const WAYS = { stdio: "over stdio", http: "over HTTP" };

const where = { name: "where", arguments: {} };

/**
 * The microseconds that each kind of server computes for a call, in each round, and how often a call of it asks its client.
 * `command` is how a kind is served; its tool `computed` says what it has computed.
 */
export async function callsBetween({ kinds, command, way, modern = false, env, calls = 50, rounds, warm }) {
  const works = {};
  const servers = [];
  for (const kind of kinds) {
    // Some frameworks log every request.
    const server = await connect(command(kind), { way, modern, stderr: "ignore", ...(env && { env }) });
    servers.push(server);
    await server.ask("tools/call", where);
    const busy = async () =>
      Number((await server.ask("tools/call", { name: "computed", arguments: {} })).content[0].text);
    works[kind] = async () => {
      const before = await busy();
      for (let made = 0; made < calls; made += 1) await server.ask("tools/call", where);
      return ((await busy()) - before) / calls;
    };
  }
  const took = await inTurns(works, { rounds, warm });
  const asked = {};
  for (const [at, kind] of kinds.entries()) asked[kind] = await questionsOf(servers[at]);
  for (const server of servers) server.close();
  return { took, asked };
}

/** How often one of twenty calls asks its client. */
async function questionsOf({ ask, rounds }) {
  const before = rounds();
  for (let made = 0; made < 20; made += 1) await ask("tools/call", where);
  return (rounds() - before) / 20;
}

/** The kinds that clients of every revision can use; beside them is a rival. */
export const COMMON = ["without", "equal", "known", "refreshed"];

/** The lines of a server in a process of its own: the project is known, or the call asks again, beside a rival that asks in every call. */
export function figuresBetween(name, { took, asked }, rival) {
  const bare = { beside: took.without, than: "without Rootwise" };
  return [
    figure(`${name}: known project`, { samples: took.known, ...bare, aim: 1.03 }),
    figure(`${name}: two equal servers`, { samples: took.equal, ...bare }),
    figure(`${name}: a call that asks again`, {
      samples: took.refreshed,
      beside: took[rival],
      than: "asking in every call by hand",
      aim: 1.1,
    }),
    roundTrips(`${name}: a call that asks again`, asked.refreshed),
  ];
}

/** How often a call that asks again does so: once is what it must. */
export const roundTrips = (name, value) =>
  figure(name, { unit: value === 1 ? "round trip" : "round trips", value, aim: 1, of: "value" });
