// A hostile client beside a good one, over HTTP, against a server in a process of its own.
import assert from "node:assert/strict";
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Peer } from "../e2e/raw.mjs";

const HELP = `Usage: node tests/soak/hostile.mjs [--seconds N] -- COMMAND...

COMMAND starts an MCP server over HTTP that prints its address as its first line and has the tool "where", which
returns the path of the project. A good client calls it alone for N/4 seconds and then beside a hostile one for N
seconds (default 20), which floods changes, answers with wrong ids, huge URIs, 100,000 roots and deep JSON, never
answers, sends what no policy reads and errors of a megabyte, disconnects in the middle of a call or before the server has
read it, ends sessions that began with a huge handshake and, with a tool that selects if there is one, a project of their
own, and selects one in ever new conversations without a session. Fails if an answer to the good client is wrong or
missing, if it is asked for its roots more than once a second, if a new session or conversation inherits a project, if
changes cause a request each, or if the server's memory keeps growing.`;

/** Changes that the hostile client sends at once. */
const ROUND = 100;

/** Kilobytes that the server's memory may grow in the last two thirds of the attack; a leak costs far more. */
const SLACK_KB = 128 * 1024;

if (process.send) {
  await attack(process.argv[2], process.argv[3]);
} else {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { seconds: { type: "string", default: "20" }, help: { type: "boolean", short: "h", default: false } },
  });
  if (values.help || positionals.length === 0) {
    process.stdout.write(`${HELP}\n`);
    process.exit(values.help ? 0 : 2);
  }
  await main(Number(values.seconds), positionals);
}

async function main(seconds, [program, ...args]) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-hostile-")));
  const folder = join(base, "good");
  const stolen = join(base, "stolen");
  for (const made of [folder, stolen]) mkdirSync(made);
  const server = spawn(program, args, { stdio: ["ignore", "pipe", "ignore"] });
  const lines = createInterface(server.stdout);
  try {
    const [url] = await once(lines, "line", { signal: AbortSignal.timeout(60_000) });
    const good = await connect(url, folder);
    const quiet = await callFor(good, folder, seconds / 4);
    const hostile = fork(fileURLToPath(import.meta.url), [url, stolen], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    try {
      const first = await callFor(good, folder, seconds / 3);
      const before = resident(server.pid);
      const rest = await callFor(good, folder, (seconds * 2) / 3);
      const loaded = [...first, ...rest];
      let counts = await countsOf(hostile, "go on");
      // On a busy machine the attack takes longer.
      for (let turn = 0; turn < 20 && counts.changes <= ROUND; turn += 1) {
        loaded.push(...(await callFor(good, folder, seconds / 4)));
        counts = await countsOf(hostile, "go on");
      }
      const after = resident(server.pid);
      counts = await countsOf(hostile, "stop");
      report({ url, quiet, loaded, before, after, counts, asked: good.state.asked });
      // A list of roots counts for one second.
      const passed = (performance.now() - good.state.began) / 1000;
      assert.ok(
        good.state.asked <= passed + 1,
        `the good client was asked for its roots ${good.state.asked} times in ${Math.round(passed)} s`,
      );
      assert.ok(counts.changes > ROUND, `the flood was no flood: ${counts.changes} changes`);
      assert.equal(
        counts["inherited projects"],
        0,
        "a new session or another conversation got the project of somebody else",
      );
      const requests = counts["requests for them"];
      assert.ok(
        requests > 0 && requests * 10 < counts.changes,
        `${counts.changes} changes caused ${requests} requests`,
      );
      assert.ok(after - before < SLACK_KB, `the server's memory grew from ${before} to ${after} kB`);
      assert.equal(server.exitCode, null, "the server ended");
    } finally {
      hostile.kill();
    }
    await good.client.close();
  } finally {
    lines.close();
    server.kill();
    if (server.exitCode === null && server.signalCode === null) await once(server, "exit");
    rmSync(base, { recursive: true, force: true });
  }
}

function report({ quiet, loaded, before, after, counts, asked }) {
  const [calm, busy] = [quiet, loaded].map((times) => [...times].sort((one, two) => one - two));
  const at = (times, part) => times[Math.min(times.length - 1, Math.floor(times.length * part))];
  const ratio = (part) => (at(busy, part) / at(calm, part)).toFixed(1);
  process.stdout.write(
    `good client: ${quiet.length} calls alone, ${loaded.length} beside the attack, all right; delay ${ratio(0.5)} times the quiet server's (median), ` +
      `${ratio(0.99)} times (99th percentile); asked for its roots ${asked} times\n` +
      `hostile client: ${Object.entries(counts)
        .map(([what, count]) => `${count} ${what}`)
        .join(", ")}\n` +
      `server: ${before} kB after a third of the attack, ${after} kB at its end\n`,
  );
}

async function connect(url, folder) {
  const client = new Client(
    { name: "good", version: "1" },
    { capabilities: { roots: { listChanged: true } }, versionNegotiation: { mode: "legacy" } },
  );
  const state = { asked: 0, began: performance.now() };
  client.setRequestHandler("roots/list", async () => {
    state.asked += 1;
    return { roots: [{ uri: `file://${folder}` }] };
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return { client, state };
}

/** Calls one after the other; returns what each took. */
async function callFor({ client }, folder, seconds) {
  const times = [];
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    const start = performance.now();
    const { content, isError } = await client.callTool({ name: "where", arguments: {} }, { timeout: 60_000 });
    times.push(performance.now() - start);
    assert.ok(!isError, content[0].text);
    assert.ok(content[0].text.includes(folder), `not its project: ${content[0].text}`);
    await sleep(5);
  }
  return times;
}

/** What the hostile client has done so far, and whether it goes on. */
async function countsOf(hostile, then) {
  hostile.send(then);
  const [counts] = await once(hostile, "message", { signal: AbortSignal.timeout(30_000) });
  return counts;
}

function resident(pid) {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]);
}

/** Everything a client can do wrong, side by side, each on a session of its own, until told to stop. */
async function attack(url, stolen) {
  const counts = {
    changes: 0,
    "requests for them": 0,
    replays: 0,
    "bad lists": 0,
    "silent calls": 0,
    "dropped calls": 0,
    "large messages": 0,
    "huge handshakes": 0,
    "sessionless selections": 0,
    "inherited projects": 0,
  };
  process.on("message", (then) => process.send(counts, () => then === "stop" && process.exit()));
  const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
  const bad = [
    { roots: [{ uri: `file:///${"a".repeat(1_000_000)}` }] },
    { roots: Array.from({ length: 100_000 }, (_, index) => ({ uri: `file:///r${index}` })) },
    { roots: [{ uri: "file:///\u202e\u0007" }, 7, null, { uri: 3 }] },
    {},
  ];

  /** Repeats an attack on one session; a server may refuse it at any point. */
  const repeat = async (step) => {
    let peer = await new Peer(url).open();
    for (;;) {
      try {
        await step(peer);
      } catch {
        await peer.close().catch(() => {});
        peer = await new Peer(url).open().catch(() => peer);
      }
      await sleep(1);
    }
  };
  /** Reads a call to its end or to a request for roots, which `answer` gets. */
  const until = async (call, answer) => {
    for (;;) {
      const message = await call.next();
      if (message === undefined || message.method === undefined) return;
      if (message.method === "roots/list" && (await answer(message))) return;
    }
  };
  const read = async (response) => void (await response.text());

  const attacks = [
    async (peer) => {
      await Promise.all(Array.from({ length: ROUND }, () => peer.notify("notifications/roots/list_changed")));
      counts.changes += ROUND;
      await until(await peer.call(), async ({ id }) => {
        counts["requests for them"] += 1;
        await read(await peer.answer(id, { roots: [{ uri: "file:///h" }] }));
      });
    },
    async (peer) => {
      for (const id of [0, 1, -1, "1", 2 ** 31, "rootwise-1", "x".repeat(1000)]) {
        await read(await peer.answer(id, { roots: [{ uri: "file:///stolen" }] }));
        counts.replays += 1;
      }
    },
    async (peer) => {
      await peer.notify("notifications/roots/list_changed");
      await until(await peer.call(), async ({ id }) => {
        const result = bad[counts["bad lists"] % bad.length];
        counts["bad lists"] += 1;
        await read(await peer.answer(id, result));
        // The answer may have been refused as too large; then nothing else comes.
        return true;
      });
    },
    async (peer) => {
      const id = 1_000_000 + counts["bad lists"];
      await read(await peer.raw(`{"jsonrpc":"2.0","id":${id},"result":{"roots":${deep}}}`));
      counts["bad lists"] += 1;
    },
    async (peer) => {
      await peer.notify("notifications/roots/list_changed");
      const call = await peer.call();
      counts["silent calls"] += 1;
      await until(call, async () => true);
      await sleep(50);
      call.drop();
    },
    // Calls that are gone before the server has read them.
    async (peer) => {
      const abort = new AbortController();
      const gone = peer
        .post(
          { id: 2_000_000 + counts["dropped calls"], method: "tools/call", params: { name: "where", arguments: {} } },
          abort.signal,
        )
        .catch(() => {});
      abort.abort();
      await gone;
      counts["dropped calls"] += 1;
      await until(
        await peer.call(),
        async ({ id }) => void (await read(await peer.answer(id, { roots: [{ uri: "file:///h" }] }))),
      );
    },
    // What no policy reads, in every place that a client can write to.
    async (peer) => {
      const large = "x".repeat(200_000);
      const id = 3_000_000 + counts["large messages"];
      await read(
        await peer.post({ id, method: "ping", params: { requestState: large, _meta: { "x/foreign": large } } }),
      );
      await until(
        await peer.call(),
        async ({ id }) => void (await read(await peer.post({ id, error: { code: -32000, message: large.repeat(6) } }))),
      );
      counts["large messages"] += 2;
      await sleep(20);
    },
    async (peer) => {
      const call = await peer.call();
      await sleep(2);
      call.drop();
      counts["dropped calls"] += 1;
    },
    async () => {
      const thief = await new Peer(url).open({ experimental: { padding: { text: "x".repeat(1 << 20) } } });
      await read(await thief.post({ id: 1_000, method: "tools/call", params: { name: "where", arguments: {} } }));
      for (const [id, params] of selecting(stolen).entries())
        await read(await thief.post({ id: 1_001 + id, method: "tools/call", params }));
      await thief.close();
      const victim = await new Peer(url).open({});
      const message = await (await victim.call()).next();
      if (JSON.stringify(message).includes(stolen)) counts["inherited projects"] += 1;
      await victim.close();
      counts["huge handshakes"] += 1;
    },
  ];
  await Promise.all([...attacks.map(repeat), selectWithoutSession(url, stolen, counts)]);
}

/** The tools with which servers let a project be selected. */
const selecting = (folder) => [
  { name: "select", arguments: { value: folder } },
  { name: "switch_project", arguments: { project: folder } },
];

/**
 * A client of 2026-07-28 selects a project in ever new conversations, and a call of another conversation of the same client asks for
 * its own; servers that do not speak that revision have no such calls.
 */
async function selectWithoutSession(url, stolen, counts) {
  const client = new Client(
    { name: "good", version: "1" },
    { capabilities: { roots: {} }, versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  let roots = [];
  client.setRequestHandler("roots/list", async () => ({ roots }));
  try {
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  } catch {
    return;
  }
  const call = (name, args, conversation) =>
    client.callTool({ name, arguments: args, _meta: { threadId: conversation } }, { timeout: 60_000 });
  for (let turn = 0; ; turn += 1) {
    try {
      roots = [{ uri: `file://${stolen}` }];
      for (const { name, arguments: args } of selecting(stolen)) {
        // A server has one of the tools.
        const { isError = false } = await call(name, args, `thief ${turn}`).catch(() => ({ isError: true }));
        if (!isError) counts["sessionless selections"] += 1;
      }
      roots = [];
      const { content } = await call("where", {}, "victim");
      if (content[0].text.includes(stolen)) counts["inherited projects"] += 1;
    } catch {
      // The server is busy.
    }
    await sleep(5);
  }
}
