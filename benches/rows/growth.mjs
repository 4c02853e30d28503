import { figure } from "../figures.mjs";
import { released } from "../setup.mjs";
import { read } from "../../scripts/tools.mjs";

export default {
  name: "growth",
  title: "Growth",
  needs: ["core"],
  what: "How the time of one event grows when a peer sends ten times as much: a factor of 10 is linear, 100 would be quadratic. Of nine runs of each size, in turns, the shortest counts.",
  aims: 19,
  limit:
    "Every event is linear or better by its code; `core/tests/cost` counts the allocations of each. Where the smaller size takes a few microseconds only, caches that hold it and not the larger one add to the factor.",
  tried:
    "Waiting asks that differ are compared in a tree, not one by one, and maps that a peer fills are sorted once. `rootwise-bench growth ROW SIZE 1` below callgrind counts the instructions of one event, which no cache changes.",
  async measure() {
    return JSON.parse(read(released("rootwise-bench"), ["growth"])).map(({ what, n, small, large }) =>
      figure(`${what}: ${n} and ${10 * n}`, {
        value: large,
        samples: [large],
        beside: [small],
        than: "a tenth of it",
        aim: 10.5,
      }),
    );
  },
};
