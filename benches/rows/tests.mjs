import { existsSync, readFileSync } from "node:fs";
import { figure } from "../figures.mjs";
import { at } from "../../scripts/tools.mjs";

/** The longest steps that are shown. */
const SHOWN = 10;

export default {
  name: "tests",
  title: "npm test",
  needs: [],
  what: "The time of the last complete `npm test` on this machine, from `target/logs/times.json`, and its longest steps. Steps run side by side, so that together they take longer than the whole. This is time of day, and counts whatever else the machine did.",
  aims: 1,
  limit:
    "Most of the time is compiling the workspace in three profiles and for two targets, and the tests with published servers and real clients in processes of their own. The table names the steps. CONTRIBUTING.md says how to run only what a change needs: `npm run check`, `npm test -- --changed`.",
  tried:
    "Steps run side by side as far as the processors allow, share their builds, and make environments of Python once. The dependencies that the long tests of the core spend their time in are optimised, and have no debug information.",
  async measure() {
    const file = at("target", "logs", "times.json");
    if (!existsSync(file)) {
      console.log("  No complete run of npm test was recorded here, so that this row is left out.");
      return [];
    }
    const { whole, steps } = JSON.parse(readFileSync(file, "utf8"));
    const longest = Object.entries(steps).sort(([, a], [, b]) => b - a);
    const minutes = { unit: "min" };
    return [
      figure("the whole run", { ...minutes, value: whole / 60, aim: 12, of: "value" }),
      ...longest.slice(0, SHOWN).map(([name, time]) => figure(`\`${name}\``, { ...minutes, value: time / 60 })),
    ];
  },
};
