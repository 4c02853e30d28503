import { setTimeout } from "node:timers/promises";
import { computed, figure, inTurns } from "../figures.mjs";
import { FRAMEWORKS } from "../setup.mjs";
import { at } from "../../scripts/tools.mjs";
import { callsBetween, COMMON, roundTrips, WAYS } from "./between.mjs";
import { callsOf, pythonBetween } from "./python.mjs";

const CALLS = 20;
const RIVAL = "asking by result";
/** The frameworks that serve these clients. */
const PYTHON = ["mcp2", "fastmcp4"];

export default {
  name: "modern",
  title: "Clients of 2026-07-28",
  needs: ["package", "python"],
  what: `These clients have no connection that a server could ask: the question travels in the result of the call, and the client repeats the call with its answer. Within the fresh time a call
should cost what it costs without Rootwise. A call that asks again has a round: it is shown beside two calls without Rootwise, which is the least that a round can be, and beside a server that does the
same by hand in every call. Over HTTP nothing ties two calls together, so that every call without a caller or a conversation has its round.`,
  aims: 12,
  limit: `A round is a second call through the SDK, and most of its time is the SDK's own: the line beside two calls shows it. Where every call has a round, nothing of an earlier call was used: the protocol gives a call no
memory that a server may use without knowing whose call it is. The rest of a round is what a call that asks again costs with every client: events through the endpoint as JSON, and the look at the disk.`,
  tried: `On a pipe, the roots of one call count for the next ones within the fresh time, so that a known project needs no round. The answer is kept for calls that describe their client in the same way, so
that a known call passes no event either: what it costs is the comparison, and the wrapper around the handler. A known caller, or the conversation that a client names, does the same over HTTP; who
sends a header with each call needs no round either.`,
  async measure({ quick }) {
    const { connected, kindsOf, SDKS } = await import("../servers/typescript.mjs");
    const sdk = SDKS[2];
    const works = {};
    const clients = [];
    for (const kind of kindsOf(true)) {
      const client = await connected(sdk, kind, { modern: true });
      clients.push(client);
      await client.call();
      works[kind] = () => computed(CALLS, client.call);
    }
    await setTimeout(200);
    const took = await inTurns(works, { rounds: quick ? 10 : 200, warm: 20 });
    for (const client of clients) await client.close();
    const figures = shown(`${sdk.title} in memory`, { took });
    for (const way of Object.keys(WAYS)) {
      const measured = await callsBetween({
        kinds: [...COMMON, RIVAL],
        command: (kind) => [process.execPath, at("benches", "servers", "typescript.mjs"), "2", way, kind, "modern"],
        way,
        modern: true,
        rounds: quick ? 4 : 50,
        warm: quick ? 2 : 15,
      });
      figures.push(...shown(`${sdk.title} ${WAYS[way]}`, measured, way));
    }
    for (const framework of PYTHON) {
      const { title } = FRAMEWORKS[framework];
      figures.push(...shown(`${title} in memory`, await callsOf(framework, { quick, modern: true })));
      for (const way of Object.keys(WAYS)) {
        const measured = await pythonBetween(framework, { quick, way, modern: true, rival: RIVAL });
        figures.push(...shown(`${title} ${WAYS[way]}`, measured, way));
      }
    }
    return figures;
  },
};

function shown(title, { took, asked }, way) {
  const bare = { beside: took.without, than: "without Rootwise" };
  const twice = { beside: took.without.map((time) => 2 * time), than: "two calls without Rootwise" };
  const byHand = { beside: took[RIVAL], than: "asking in every call by hand" };
  const again = `${title}: a call that asks again`;
  // Over HTTP, the second call knows nothing of the first one.
  const known =
    way === "http"
      ? []
      : [figure(`${title}: project within the fresh time`, { samples: took.known, ...bare, aim: 1.05 })];
  return [
    ...known,
    figure(`${title}: two equal servers`, { samples: took.equal, ...bare }),
    figure(again, { samples: took.refreshed, ...twice }),
    figure(again, { samples: took.refreshed, ...byHand }),
    ...(asked ? [roundTrips(again, asked.refreshed)] : []),
  ];
}
