import { figure } from "../figures.mjs";
import { FRAMEWORKS, python, pythonPackage } from "../setup.mjs";
import { at, read } from "../../scripts/tools.mjs";

/** Microseconds of a call in each round, by kind of server. */
export async function callsOf(framework, { quick, modern = false }) {
  const program = await python(framework);
  const args = [at("benches", "servers", "calls.py"), framework, modern ? "modern" : "legacy", quick ? "4" : "60"];
  const env = {
    ...process.env,
    PYTHONPATH: pythonPackage("native"),
    FASTMCP_CHECK_FOR_UPDATES: "off",
    FASTMCP_LOG_LEVEL: "ERROR",
  };
  const output = read(program, ["-W", "ignore", ...args], { env });
  return { title: FRAMEWORKS[framework].title, took: JSON.parse(output.trim().split("\n").at(-1)) };
}

export default {
  name: "python",
  title: "A tool call in Python",
  needs: ["python"],
  what: `Processor time of a tool call in memory, where client and server share a process: beside the same call without Rootwise, and beside code by hand (\`benches/rivals/by_hand.py\`). The package runs its
native extension.`,
  limits: `A known project costs Python code that runs in every call: whose call it is, which session, whether the answer is still fresh, and the wrapper around the handler. A call that asks again passes
six events through the endpoint, each as JSON, and examines the folder in a thread as the code by hand does.`,
  async measure({ quick }) {
    const figures = [];
    for (const framework of Object.keys(FRAMEWORKS)) {
      const { title, took } = await callsOf(framework, { quick });
      const bare = { beside: took.without, than: "without Rootwise" };
      figures.push(
        figure(`${title}: known project`, { samples: took.known, ...bare, aim: 1.03 }),
        figure(`${title}: two equal servers`, { samples: took.equal, ...bare }),
        figure(`${title}: careful cache by hand`, { samples: took.cached, ...bare }),
        figure(`${title}: a call that asks again`, {
          samples: took.refreshed,
          beside: took.asking,
          than: "asking in every call by hand",
          aim: 1.1,
        }),
      );
    }
    return figures;
  },
};
