import { figure } from "../figures.mjs";
import { released } from "../setup.mjs";
import { read } from "../../scripts/tools.mjs";

const NAMES = {
  session: "a whole session of a resolver: handshake, ask, three roots, disk, answer",
  "endpoint-session": "the same with an endpoint: session, call, ask, three roots, disk, answer, end",
  "endpoint-refresh": "a call that asks again: list of three roots, disk, answer",
  "endpoint-modern-call": "a call of 2026-07-28 that comes with its roots",
  "known-ask": "an ask whose answer is known",
  argument: "an ask with an argument: disk, answer",
  "nothing-found": "an ask without an answer, fully explained",
  "snapshot-and-restore": "a snapshot, restored",
};

export default {
  name: "core",
  title: "The core in Rust",
  needs: ["core"],
  what: `JSON text in and JSON text out, as a host in any language has it. The floor reads the five messages of the session with \`serde_json\` (into
\`Value\`) and parses one URI with \`url\`: what nobody can leave out. It decides, checks and writes nothing.`,
  aims: 1,
  limit: `An event is more than its parse. By the instructions that callgrind counts, of a session a third is the evaluation of the sources for
the answer and its explanation, a sixth reading the events into checked types, a seventh reading the list of roots one by one, so that a bad entry
spoils only itself, and a seventh writing actions as JSON, which the floor does not do at all.`,
  tried: `The type of an event is read while its fields are copied, small maps are filled without a sort, the identity of a project is computed once, places are compared without writing their paths, and asks that differ are compared in a
tree. Events are read without tracking places, and
only an error looks for its place, in a second reading of the text.`,
  async measure({ quick }) {
    const samples = JSON.parse(read(released("rootwise-bench"), ["times", quick ? "10" : "120"]));
    const microseconds = (name) => samples[name].map((nanoseconds) => nanoseconds / 1000);
    const beside = microseconds("floor");
    return Object.entries(NAMES).map(([name, title]) =>
      figure(title, {
        samples: microseconds(name),
        beside,
        than: "the floor",
        ...(name === "session" && { aim: 3 }),
      }),
    );
  },
};
