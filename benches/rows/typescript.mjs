import { setTimeout } from "node:timers/promises";
import { computed, figure, inTurns } from "../figures.mjs";
import { at } from "../../scripts/tools.mjs";
import { connect } from "../clients.mjs";
import { computedBy } from "../processes.mjs";
import { program, VERSION } from "../rivals/filesystem.mjs";
import { callsBetween, figuresBetween, COMMON, WAYS } from "./between.mjs";

const CALLS = 50;

export default {
  name: "typescript",
  title: "A tool call in TypeScript",
  needs: ["package", "filesystem"],
  what: `Processor time of a tool call whose project is known and fresh, beside the same call to a server that knows nothing about projects. In memory, client and server share a process;
over stdio and HTTP the server is a process of its own, and only its time counts. Then a call that asks client and disk again, beside the server that does so in every call by hand
(\`benches/rivals/asking.mjs\`), with the number of times that it asks its client, and the careful cache by hand, which never notices a missed notification or a folder that is gone.`,
  aims: 16,
  limit: `A known project costs a look at whose call it is, at the session and at its clock, and the observer of the transport, which keeps calls and their ends in order. In memory that is divided by a call that no pipe and
no network carries; over stdio and HTTP, where servers live, the same cost is divided by the call as it is. A call that asks again crosses the boundary to Rust five times and examines the folder with its
real path and the folders above it, in one piece of work for a thread, where the code by hand makes one \`stat\`. Over stdio it examines the working directory too while the client is asked: a sixth crossing and a second piece of work.
A fresh time ends while known projects are measured: the call after that asks again, and is among them.`,
  tried: `The adapter keeps the fresh answer of each session, so that a known call crosses no boundary ([the path of a call](architecture.md#the-path-of-one-call)). The observer of the transport cannot be left out: without it, a
call could overtake the notification that makes its answer wrong. It uses no \`AsyncLocalStorage\`, which makes every promise of the process slower before Node 24: a message shows in which HTTP request it came. The addon examines all paths of a probe in one piece of work
([why](decisions.md)); with a \`stat\` or \`access\` of Node for each question, a call that asked again woke threads about 130 times over stdio.`,
  async measure({ quick }) {
    // Built parts are loaded only here, so that the page can be made without them.
    const servers = await import("../servers/typescript.mjs");
    const figures = [];
    for (const sdk of Object.values(servers.SDKS)) figures.push(...(await inMemory(servers, sdk, quick)));
    for (const [generation, { title }] of Object.entries(servers.SDKS))
      for (const way of Object.keys(WAYS)) {
        const measured = await callsBetween({
          kinds: [...COMMON, "asking by hand"],
          command: (kind) => [process.execPath, at("benches", "servers", "typescript.mjs"), generation, way, kind],
          way,
          rounds: quick ? 4 : way === "stdio" ? 100 : 50,
          warm: quick ? 2 : 15,
        });
        figures.push(...figuresBetween(`${title} ${WAYS[way]}`, measured, "asking by hand"));
      }
    if (process.platform === "linux") figures.push(await besideFilesystem(quick));
    return figures;
  },
};

async function inMemory({ connected, kindsOf }, sdk, quick) {
  const works = {};
  const clients = [];
  for (const kind of kindsOf(false)) {
    const client = await connected(sdk, kind);
    clients.push(client);
    await client.call();
    works[kind] = () => computed(CALLS, client.call);
  }
  // The first call examines the disk, and this transport never yields the thread for that.
  await setTimeout(200);
  const took = await inTurns(works, { rounds: quick ? 10 : 300, warm: 20 });
  for (const client of clients) await client.close();
  const bare = { beside: took.without, than: "without Rootwise" };
  const title = (what) => `${sdk.title} in memory: ${what}`;
  return [
    figure(title("known project"), { samples: took.known, ...bare, aim: 1.03 }),
    figure(title("two equal servers"), { samples: took.equal, ...bare }),
    figure(title("careful cache by hand"), { samples: took["cached by hand"], ...bare }),
    figure(title("a call that asks again"), {
      samples: took.refreshed,
      beside: took["asking by hand"],
      than: "asking in every call by hand",
      aim: 1.1,
    }),
  ];
}

/** A whole published server that says its folders from memory, on the same SDK. */
async function besideFilesystem(quick) {
  const server = at("benches", "servers", "typescript.mjs");
  const sides = {
    known: [await connect([process.execPath, server, "1", "stdio", "known"]), { name: "where", arguments: {} }],
    filesystem: [
      await connect([process.execPath, program(), "/usr/share"], { stderr: "ignore" }),
      { name: "list_allowed_directories", arguments: {} },
    ],
  };
  const works = Object.fromEntries(
    Object.entries(sides).map(([side, [{ child, ask }, call]]) => [
      side,
      async () => {
        const before = computedBy(child.pid);
        for (let made = 0; made < CALLS; made += 1) await ask("tools/call", call);
        return (computedBy(child.pid) - before) / 1000 / CALLS;
      },
    ]),
  );
  const { known, filesystem } = await inTurns(works, { rounds: quick ? 4 : 100, warm: quick ? 2 : 15 });
  for (const [{ close }] of Object.values(sides)) close();
  const than = `\`list_allowed_directories\` of \`@modelcontextprotocol/server-filesystem\` ${VERSION}`;
  return figure("SDK 1.x over stdio: known project, a whole server", { samples: known, beside: filesystem, than });
}
