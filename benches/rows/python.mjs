import { figure } from "../figures.mjs";
import { FRAMEWORKS, python, pythonPackage } from "../setup.mjs";
import { at, read } from "../../scripts/tools.mjs";
import { callsBetween, figuresBetween, COMMON, WAYS } from "./between.mjs";

const environment = () => ({
  ...process.env,
  PYTHONPATH: pythonPackage("native"),
  FASTMCP_CHECK_FOR_UPDATES: "off",
  FASTMCP_LOG_LEVEL: "ERROR",
});

/** Microseconds of a call in each round, by kind of server. */
export async function callsOf(framework, { quick, modern = false }) {
  const program = await python(framework);
  const args = [at("benches", "servers", "calls.py"), framework, modern ? "modern" : "legacy", quick ? "4" : "30"];
  const output = read(program, ["-W", "ignore", ...args], { env: environment() });
  return { title: FRAMEWORKS[framework].title, took: JSON.parse(output.trim().split("\n").at(-1)) };
}

/** The same for servers in processes of their own. */
export async function pythonBetween(framework, { quick, way, modern = false, rival }) {
  const program = await python(framework);
  return callsBetween({
    kinds: [...COMMON, rival],
    command: (kind) => [program, "-W", "ignore", at("benches", "servers", "python.py"), framework, way, kind],
    way,
    modern,
    env: environment(),
    calls: 20,
    rounds: quick ? 3 : 16,
    warm: quick ? 1 : 5,
  });
}

export default {
  name: "python",
  title: "A tool call in Python",
  needs: ["python"],
  what: `Processor time of a tool call: in memory, where client and server share a process, beside the same call without Rootwise, and beside code by hand (\`benches/rivals/by_hand.py\`). Over stdio and HTTP
the server is a process of its own, and only its time counts. The package runs its native extension.`,
  aims: 40,
  limit: `A known project costs Python code that runs in every call: whose call it is, which session, whether the answer is still fresh, and the wrapper around the handler. A call that asks again passes
six events through the endpoint, each as JSON, and examines the folder in a thread as the code by hand does.`,
  tried: `The answer that is fresh is kept beside the session, so that a known call does not enter the extension. The frameworks give a middleware no cheaper place than around the handler, and
an observer of the streams is what keeps a notification in front of the call behind it.`,
  async measure({ quick }) {
    const figures = [];
    for (const framework of Object.keys(FRAMEWORKS)) {
      const { title, took } = await callsOf(framework, { quick });
      const bare = { beside: took.without, than: "without Rootwise" };
      figures.push(
        figure(`${title} in memory: known project`, { samples: took.known, ...bare, aim: 1.03 }),
        figure(`${title} in memory: two equal servers`, { samples: took.equal, ...bare }),
        figure(`${title} in memory: careful cache by hand`, { samples: took.cached, ...bare }),
        figure(`${title} in memory: a call that asks again`, {
          samples: took.refreshed,
          beside: took.asking,
          than: "asking in every call by hand",
          aim: 1.1,
        }),
      );
    }
    for (const [framework, { title }] of Object.entries(FRAMEWORKS))
      for (const way of Object.keys(WAYS)) {
        const measured = await pythonBetween(framework, { quick, way, rival: "asking" });
        figures.push(...figuresBetween(`${title} ${WAYS[way]}`, measured, "asking"));
      }
    return figures;
  },
};
