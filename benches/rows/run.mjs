import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { figure, inTurns } from "../figures.mjs";
import { released } from "../setup.mjs";

const CALLS = 40;

export default {
  name: "run",
  title: "rootwise run",
  needs: ["core", "program"],
  what: `A call to a server alone, behind a program that only copies bytes in both directions (\`rootwise-bench pipe\`, two threads), and behind \`rootwise run\`. The server answers at once, so that the way there and back
is most of the call. First the time until the answer is there, then the processor time of the program in the middle and its server (Linux).`,
  limits: `\`rootwise run\` reads each message, because the answer to its own question and the paths in calls are among them; a pipe reads none.`,
  async measure({ quick }) {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-bench-")));
    try {
      return await measured(folder, quick);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function measured(folder, quick) {
  mkdirSync(join(folder, ".git"));
  const server = [released("examples", "scripted")];
  const sides = {
    alone: await connect(folder, server),
    equal: await connect(folder, server),
    pipe: await connect(folder, [released("rootwise-bench"), "pipe", ...server]),
    run: await connect(folder, [released("rootwise"), "run", "--", ...server]),
  };
  const busy = Object.fromEntries(Object.keys(sides).map((side) => [side, []]));
  const works = Object.fromEntries(
    Object.entries(sides).map(([side, { child, ask }]) => [
      side,
      async () => {
        const before = computedBy(child.pid);
        const began = process.hrtime.bigint();
        for (let call = 0; call < CALLS; call += 1) await ask("tools/call", { name: "other", arguments: {} });
        const took = Number(process.hrtime.bigint() - began) / 1000 / CALLS;
        busy[side].push((computedBy(child.pid) - before) / 1000 / CALLS);
        return took;
      },
    ]),
  );
  const warm = 5;
  const took = await inTurns(works, { rounds: quick ? 5 : 150, warm });
  for (const { child } of Object.values(sides)) child.stdin.end();
  const figures = [
    figure("a call, time of day", { samples: took.run, beside: took.pipe, than: "a bare pipe", aim: 1.05 }),
    figure("a call, time of day", { samples: took.run, beside: took.alone, than: "the server alone" }),
    figure("two equal servers, time of day", { samples: took.equal, beside: took.alone, than: "each other" }),
  ];
  if (process.platform !== "linux") return figures;
  const computed = (side) => busy[side].slice(warm);
  return [
    ...figures,
    figure("a call, processor time", { samples: computed("run"), beside: computed("pipe"), than: "a bare pipe" }),
  ];
}

/** A client of a command; `ask` resolves with the result. */
async function connect(cwd, [command, ...args]) {
  const child = spawn(command, args, { cwd, stdio: ["pipe", "pipe", "ignore"] });
  const waiting = new Map();
  createInterface(child.stdout).on("line", (line) => {
    const { id, method, result, error } = JSON.parse(line);
    if (method) return;
    const { resolve, reject } = waiting.get(id) ?? {};
    waiting.delete(id);
    if (error || result.isError) reject(new Error(line));
    else resolve(result);
  });
  const write = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  let last = 0;
  const ask = (method, params) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      write({ id: last, method, params });
    });
  const clientInfo = { name: "bench", version: "1" };
  await ask("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  write({ method: "notifications/initialized" });
  return { child, ask };
}

/** Nanoseconds that a process and its children computed, all their threads. */
function computedBy(pid) {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.reduce((sum, thread) => {
      const [own] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ");
      const children = readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean);
      return children.reduce((all, child) => all + computedBy(child), sum + Number(own));
    }, 0);
  } catch {
    return 0;
  }
}
