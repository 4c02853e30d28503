import { figure } from "../figures.mjs";
import { rmcpProgram } from "../setup.mjs";
import { read } from "../../scripts/tools.mjs";
import { roundTrips, WAYS as BETWEEN } from "./between.mjs";

const WAYS = { memory: "in memory", ...BETWEEN };

export default {
  name: "rmcp",
  title: "A tool call in Rust",
  needs: ["rmcp"],
  what: `A server on rmcp, beside the same without Rootwise and beside code by hand (\`adapters/rust/rootwise-rmcp/benches/measure/by_hand.rs\`). In memory, client and server share a
thread, and its processor time counts. Over stdio and HTTP they are two processes, and what counts is the time until the answer is there.`,
  aims: 9,
  limit: `What remains is the memory that carries the call's session through rmcp's request context, which rmcp copies for a tool that takes the context, and the observer of the transport,
which keeps notifications and calls in order. A call that asks again passes the endpoint four times.`,
  tried: `A call whose project is known passes by the resolver, makes no sender and looks at its era once; the futures of rmcp stay as small as without Rootwise.`,
  async measure({ quick }) {
    const ways = JSON.parse(read(rmcpProgram(), ["calls", quick ? "6" : "200"]));
    return Object.entries(ways).flatMap(([way, took]) => {
      const bare = { beside: took.without, than: "without Rootwise" };
      const title = (what) => `${WAYS[way]}: ${what}`;
      const figures = [
        figure(title("known project"), { samples: took.known, ...bare, aim: 1.03 }),
        figure(title("two equal servers"), { samples: took.equal, ...bare }),
      ];
      const cached = took["cached by hand"];
      return [
        ...figures,
        ...(cached ? [figure(title("careful cache by hand"), { samples: cached, ...bare })] : []),
        figure(title("a call that asks again"), {
          samples: took.refreshed,
          beside: took["asking by hand"],
          than: "asking in every call by hand",
          aim: 1.1,
        }),
        roundTrips(title("a call that asks again"), took.questions),
      ];
    });
  },
};
