import { setTimeout } from "node:timers/promises";
import { computed, figure, inTurns } from "../figures.mjs";
import { callsOf } from "./python.mjs";

const CALLS = 20;

export default {
  name: "modern",
  title: "Clients of 2026-07-28",
  needs: ["package", "python"],
  what: `These clients have no connection that a server could ask: the question travels in the result of the call, and the client repeats the call with its answer. Within the fresh time a call
should cost what it costs without Rootwise; otherwise it costs the round, shown beside one call and beside two, which is the least that a round can be.`,
  limits: `A round is a second call through the SDK, and most of its time is the SDK's own. Where every call has a round, nothing of an earlier call was used: the protocol gives a call no
memory that a server may use without knowing whose call it is.`,
  async measure({ quick }) {
    const { connected, SDKS } = await import("../servers/typescript.mjs");
    const sdk = SDKS[2];
    const works = {};
    const clients = [];
    for (const kind of ["without", "equal", "known"]) {
      const client = await connected(sdk, kind, { modern: true });
      clients.push(client);
      await client.call();
      works[kind] = () => computed(CALLS, client.call);
    }
    await setTimeout(200);
    const took = await inTurns(works, { rounds: quick ? 10 : 200, warm: 20 });
    for (const client of clients) await client.close();
    const figures = shown(sdk.title, took);
    for (const framework of ["mcp2", "fastmcp4"]) {
      const { title, took } = await callsOf(framework, { quick, modern: true });
      figures.push(...shown(title, took));
    }
    return figures;
  },
};

function shown(title, took) {
  const bare = { beside: took.without, than: "without Rootwise" };
  const twice = { beside: took.without.map((time) => 2 * time), than: "two calls without Rootwise" };
  return [
    figure(`${title}: project within the fresh time`, { samples: took.known, ...bare, aim: 1.05 }),
    figure(`${title}: the same`, { samples: took.known, ...twice }),
    figure(`${title}: two equal servers`, { samples: took.equal, ...bare }),
  ];
}
