import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "../clients.mjs";
import { figure, inTurns } from "../figures.mjs";
import { computedBy } from "../processes.mjs";
import { program, VERSION } from "../rivals/filesystem.mjs";
import { GIT_VERSION, gitServer, released } from "../setup.mjs";
import { read } from "../../scripts/tools.mjs";

export default {
  name: "run",
  title: "rootwise run",
  needs: ["core", "program", "published"],
  what: `A call to a server alone, behind a program that only copies bytes in both directions (\`rootwise-bench pipe\`, two threads), and behind \`rootwise run\`: a server that answers at once, so that the way there and back
is most of the call, and two published servers that know nothing of Rootwise. First the time until the answer is there, then the processor time of the program in the middle and its server (Linux).`,
  aims: 4,
  limit: `\`rootwise run\` reads each message, because the answer to its own question and the paths in calls are among them; a pipe reads none. A program in the middle costs two more wake-ups of a process per call, as the bare pipe shows:
for a server that answers in microseconds that is most of the call, and no program in the middle comes within 5 % of such a server alone.`,
  tried: `A line that nothing waits before is written by the thread that read it, without a queue. Each direction has a thread that waits for one stream alone, and no write needs a question before it (on Linux, and to sockets): a call and
its answer take four system calls, as many as behind the bare pipe; with an event loop they took six. To hand the server the client's own pipes would cost nothing, but then nobody could
answer its questions for roots, or start it again where the user works.`,
  async measure({ quick }) {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-bench-")));
    try {
      const git = (...args) =>
        read("git", ["-C", folder, "-c", "user.name=bench", "-c", "user.email=bench@localhost", ...args]);
      git("init", "--quiet");
      writeFileSync(join(folder, "notes.txt"), "a note\n");
      git("add", ".");
      git("commit", "--quiet", "--message", "notes");
      return [...(await atOnce(folder, quick)), ...(await published(folder, quick))];
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

const run = (...server) => [released("rootwise"), "run", "--", ...server];

/** A server that answers at once. */
async function atOnce(folder, quick) {
  const server = [released("examples", "scripted")];
  const commands = {
    alone: server,
    equal: server,
    pipe: [released("rootwise-bench"), "pipe", ...server],
    run: run(...server),
  };
  const { took, busy } = await measured(
    folder,
    commands,
    { name: "other", arguments: {} },
    { calls: 40, rounds: quick ? 5 : 150 },
  );
  const figures = [
    figure("a call, time of day", { samples: took.run, beside: took.pipe, than: "a bare pipe", aim: 1.05 }),
    figure("a call, time of day", { samples: took.run, beside: took.alone, than: "the server alone", aim: 1.05 }),
    figure("a bare pipe, time of day", { samples: took.pipe, beside: took.alone, than: "the server alone" }),
    figure("two equal servers, time of day", { samples: took.equal, beside: took.alone, than: "each other" }),
  ];
  if (process.platform !== "linux") return figures;
  const computed = figure("a call, processor time", { samples: busy.run, beside: busy.pipe, than: "a bare pipe" });
  return [...figures, computed];
}

/** Servers that nobody here wrote, with a tool that works in the folder. */
async function published(folder, quick) {
  const filesystem = [process.execPath, program()];
  const git = [...(await gitServer()), "--repository"];
  const servers = [
    [
      `\`server-filesystem\` ${VERSION}, \`list_directory\``,
      filesystem,
      { name: "list_directory", arguments: { path: folder } },
    ],
    [
      `\`mcp-server-git\` ${GIT_VERSION}, \`git_status\``,
      git,
      { name: "git_status", arguments: { repo_path: folder } },
    ],
  ];
  const figures = [];
  for (const [name, server, call] of servers) {
    const commands = {
      alone: [...server, folder],
      pipe: [released("rootwise-bench"), "pipe", ...server, folder],
      run: run(...server, "{path}"),
    };
    const { took } = await measured(folder, commands, call, { calls: 10, rounds: quick ? 4 : 100 });
    figures.push(
      figure(`${name}, time of day`, { samples: took.run, beside: took.alone, than: "the server alone", aim: 1.05 }),
      figure(`${name}, behind a bare pipe, time of day`, {
        samples: took.pipe,
        beside: took.alone,
        than: "the server alone",
      }),
    );
  }
  return figures;
}

/** Microseconds of a call in each round, by side: the time of day, and what the processes computed. */
async function measured(cwd, commands, call, { calls, rounds }) {
  const warm = 5;
  const sides = {};
  for (const [side, command] of Object.entries(commands))
    sides[side] = await connect(command, { cwd, stderr: "ignore", capabilities: {} });
  const busy = Object.fromEntries(Object.keys(sides).map((side) => [side, []]));
  const works = Object.fromEntries(
    Object.entries(sides).map(([side, { child, ask }]) => [
      side,
      async () => {
        const before = computedBy(child.pid);
        const began = process.hrtime.bigint();
        for (let made = 0; made < calls; made += 1) await ask("tools/call", call);
        const took = Number(process.hrtime.bigint() - began) / 1000 / calls;
        busy[side].push((computedBy(child.pid) - before) / 1000 / calls);
        return took;
      },
    ]),
  );
  const took = await inTurns(works, { rounds, warm });
  for (const { close } of Object.values(sides)) close();
  return { took, busy: Object.fromEntries(Object.entries(busy).map(([side, all]) => [side, all.slice(warm)])) };
}
