import { figure } from "../figures.mjs";
import { rmcpProgram } from "../setup.mjs";
import { read } from "../../scripts/tools.mjs";

const WAYS = { memory: "in memory", stdio: "over stdio", http: "over HTTP" };

export default {
  name: "rmcp",
  title: "A tool call in Rust",
  needs: ["rmcp"],
  what: `A server on rmcp, beside the same without Rootwise and beside code by hand (\`adapters/rust/rootwise-rmcp/benches/measure/by_hand.rs\`). In memory, client and server share a
thread, and its processor time counts. Over stdio and HTTP they are two processes, and what counts is the time until the answer is there.`,
  limits: `What remains is the memory that carries the call's session through rmcp's request context, which rmcp copies for a tool that takes the context, and the observer of the transport,
which keeps notifications and calls in order. A call that asks again passes the endpoint four times.`,
  async measure({ quick }) {
    const ways = JSON.parse(read(rmcpProgram(), ["calls", quick ? "6" : "200"]));
    return Object.entries(ways).flatMap(([way, took]) => {
      const bare = { beside: took.without, than: "without Rootwise" };
      const title = (what) => `${WAYS[way]}: ${what}`;
      const figures = [
        figure(title("known project"), { samples: took.known, ...bare, aim: 1.03 }),
        figure(title("two equal servers"), { samples: took.equal, ...bare }),
      ];
      if (way !== "memory") return figures;
      return [
        ...figures,
        figure(title("careful cache by hand"), { samples: took["cached by hand"], ...bare }),
        figure(title("a call that asks again"), {
          samples: took.refreshed,
          beside: took["asking by hand"],
          than: "asking in every call by hand",
          aim: 1.1,
        }),
      ];
    });
  },
};
