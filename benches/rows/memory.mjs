import { figure } from "../figures.mjs";
import { python, pythonPackage, released, rmcpProgram } from "../setup.mjs";
import { at, read } from "../../scripts/tools.mjs";

export default {
  name: "memory",
  title: "Memory of an idle connection",
  needs: ["core", "package", "rmcp", "python"],
  what: `The resident memory of one client that is connected and whose project is known, in a process with very many of them. Then the growth of a process that holds as many clients,
while each is closed and another one takes its place: the memory after the last tenth of them, beside that after the first.`,
  aims: 6,
  limit: `What a connection keeps: its description by the client, the list of roots as it was read, what the disk said, the project, the last answer with its texts, and the ids that tell a late answer from a new one. In Node and Python, objects of the language around it come on top: the session, its sender, and what waits
for an answer. Clients and servers of the SDKs are far larger, so that fewer of them are opened.`,
  tried: `What is empty gives back its room when a session rests, large values are in boxes because half of the places in a map are empty, a report without a repository takes little room, and one ask alone keeps nothing for
others. Sessions of one endpoint share the policy and the facts of the host.`,
  async measure({ quick }) {
    if (process.platform !== "linux") {
      console.log("  Resident memory is read from /proc, which this system does not have: the row is left out.");
      return [];
    }
    const many = quick ? 2000 : 100_000;
    const last = (output) => JSON.parse(output.trim().split("\n").at(-1));
    const core = last(read(released("rootwise-bench"), ["memory", String(many)]));
    const rmcp = last(read(rmcpProgram(), ["memory", quick ? "500" : "10000"]));
    const node = (what, count, churn = 0) =>
      last(
        read(process.execPath, [
          "--expose-gc",
          at("benches", "servers", "memory.mjs"),
          what,
          String(count),
          String(churn),
        ]),
      );
    const [clients, few] = quick ? [1000, 100] : [100_000, 1500];
    const replaced = { node: 10 * clients, python: quick ? 1000 : 300_000 };
    const loop = node("loop", clients, replaced.node);
    const connection = node("connection", quick ? 500 : 5000);
    const [without, known] = ["without", "known"].map((kind) => node(kind, few));
    const env = { ...process.env, PYTHONPATH: pythonPackage("native") };
    const args = [at("benches", "servers", "memory.py"), String(clients), String(replaced.python)];
    const pythonic = last(read(await python("mcp2"), args, { env }));

    const kilobytes = (name, bytes, aim) =>
      figure(name, { unit: "kB", value: bytes / 1000, ...(aim && { aim, of: "value" }) });
    const flat = (name, resident) =>
      figure(name, {
        unit: "MB",
        value: resident.at(-1) / 1e6,
        samples: [resident.at(-1)],
        beside: [resident[0]],
        than: "after the first tenth",
        aim: 1.05,
      });
    const thousands = (count) => count.toLocaleString("en-US");
    return [
      kilobytes(`Rust, a session of an endpoint, ${thousands(core.connections)} at once`, core.bytesEach, 4),
      kilobytes("Rust, a session of `rootwise-host` with its tasks", rmcp.alone),
      kilobytes("Rust, a client and its rmcp server, with Rootwise", rmcp.known),
      kilobytes("Rust, a client and its rmcp server, without", rmcp.without),
      kilobytes(`Node, a session of one loop, ${thousands(clients)} at once`, loop.bytesEach, 8),
      kilobytes("Node, a `Connection` with a loop of its own", connection.bytesEach),
      kilobytes("Node, a client and its server of SDK 2.x, with Rootwise", known.bytesEach),
      kilobytes("Node, a client and its server of SDK 2.x, without", without.bytesEach),
      kilobytes(`Python, a session of one driver, ${thousands(clients)} at once`, pythonic.bytesEach, 12),
      flat(`Rust: ${thousands(10 * core.connections)} replaced, ${thousands(core.connections)} at once`, core.resident),
      flat(`Node: ${thousands(replaced.node)} replaced, ${thousands(clients)} at once`, loop.resident),
      flat(`Python: ${thousands(replaced.python)} replaced, ${thousands(clients)} at once`, pythonic.resident),
    ];
  },
};
