// The driver without any SDK: what a server with its own protocol code uses.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { setImmediate, setTimeout } from "node:timers/promises";
import { presets, RootwiseError } from "rootwise";
import {
  ClientError,
  Connection,
  hostFacts,
  Loop,
  NeedsInput,
  NoProjectError,
  resolveAndExplain,
  resolveAtStart,
  Undeliverable,
} from "rootwise/driver";
import { hostFacts as fromAdapter, NoProjectError as sameError, resolveAtStart as alsoStart } from "rootwise/mcp";
import { at } from "../../scripts/tools.mjs";

const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-driver-")));
// The timers of a connection keep no process alive, and nothing else does here.
const awake = setInterval(() => {}, 1_000);
after(() => {
  clearInterval(awake);
  rmSync(base, { recursive: true, force: true });
});
const [alpha, beta] = ["alpha", "beta"].map((name) => {
  mkdirSync(join(base, name));
  return join(base, name);
});
const uri = (path) => ({ uri: `file://${path}` });
const list = (...paths) => ({ roots: paths.map(uri) });
const host = { style: "posix", transport: "stdio", cwd: "/" };

/** A client that declared roots; `answer` is what becomes of each request. */
function connected(answer, options = {}) {
  const sent = [];
  const sender = {
    send: (request, signal) => {
      sent.push(request);
      return answer(request, signal);
    },
  };
  const connection = new Connection({ host, sender, ...options });
  connection.initialized({
    protocolVersion: "2025-06-18",
    capabilities: { roots: {} },
    clientInfo: { name: "driver", version: "1" },
  });
  connection.ready();
  return { connection, sent };
}

const deferred = () => {
  let resolve;
  let reject;
  const promise = new Promise((...both) => ([resolve, reject] = both));
  return { promise, resolve, reject };
};

test("asks for the roots once and answers every caller", async () => {
  const changes = [];
  const { connection, sent } = connected(async () => list(alpha, beta), {
    onChange: (project, previous) => changes.push([project?.path, previous?.path]),
  });
  const projects = await Promise.all(Array.from({ length: 10 }, () => connection.ask()));
  assert.deepEqual([...new Set(projects.map(({ path }) => path))], [alpha]);
  assert.equal((await connection.ask(undefined, { target: join(beta, "x") })).path, beta);
  assert.equal((await connection.ask({ argument: beta })).path, beta);
  assert.equal(sent.length, 1);
  assert.equal(connection.project.path, alpha);
  assert.match(connection.explain().text, /alpha/);
  assert.deepEqual(changes, [[alpha, undefined]]);
  assert.equal((await connection.select(beta)).path, beta);
  assert.equal((await connection.select({ root: "alpha" })).path, alpha);
  assert.deepEqual(changes.at(-1), [alpha, beta]);
  connection.close();
  connection.close();
  await assert.rejects(connection.ask(), { code: "closed" });
});

test("errors tell apart what happened", async () => {
  for (const [answer, level] of [
    [() => Promise.reject(new ClientError(-32601, "Method not found")), /cannot list roots/],
    [() => Promise.reject(new Undeliverable("gone")), /could not be sent/],
    [() => Promise.reject(new Error("anything")), /could not be sent/],
  ]) {
    const logs = [];
    const { connection } = connected(answer, { log: (line) => logs.push(line) });
    await assert.rejects(
      connection.ask(),
      (error) =>
        error instanceof NoProjectError &&
        error instanceof RootwiseError &&
        error.code === "no_project" &&
        error.explanation !== undefined,
    );
    assert.ok(
      logs.some(({ message }) => level.test(message)),
      JSON.stringify(logs),
    );
    connection.close();
  }
  const connection = new Connection({ host });
  const modern = { capabilities: { roots: {} } };
  await assert.rejects(
    connection.ask(modern),
    (error) => error instanceof NeedsInput && error.requests.rootwise.method === "roots/list",
  );
  assert.equal((await connection.ask({ ...modern, inputResponses: { rootwise: list(alpha) } })).path, alpha);
  // On a pipe, the calls of 2026-07-28 are those of the client that started this process.
  await connection.select(alpha, modern);
  assert.equal((await connection.ask(modern)).source, "selected");
  connection.close();
});

test("a caller that goes away is told so and takes nothing with it", async () => {
  const answer = deferred();
  const { connection, sent } = connected(() => answer.promise);
  const abort = new AbortController();
  const first = connection.ask(undefined, { signal: abort.signal });
  const second = connection.ask();
  abort.abort();
  await assert.rejects(first, { code: "cancelled" });
  await assert.rejects(connection.ask(undefined, { signal: abort.signal }), { code: "call_over" });
  answer.resolve(list(alpha));
  assert.equal((await second).path, alpha);
  assert.equal(sent.length, 1);
  connection.close();
});

describe("channels", () => {
  /** A loop with one client over HTTP, and calls 1 and 2 with channels of these numbers. */
  const served = (policy) => {
    const used = [];
    const requests = [];
    const send = ({ channel }) => {
      used.push(channel);
      requests.push(deferred());
      return requests.at(-1).promise;
    };
    const loop = new Loop({ open: () => ({ policy, host: { ...host, local: true } }), send, log: () => {} });
    const session = loop.openSession({ transport: "http" });
    loop.feed({ type: "clientInitialized", session, capabilities: { roots: {} } });
    loop.feed({ type: "clientReady", session });
    for (const call of [1, 2]) loop.feed({ type: "callStarted", call, session, channel: call });
    const ask = (call, more) => loop.ask({ type: "asked", call, ...more });
    const breaks = (channel) => loop.feed({ type: "channelClosed", channel, end: "broken" });
    return { loop, session, used, requests, ask, breaks };
  };

  test("a request moves to the channel of another caller when its own breaks", async () => {
    const { loop, used, requests, ask, breaks } = served();
    const [first, second] = [ask(1), ask(2)];
    await setImmediate();
    assert.deepEqual(used, [1]);
    breaks(1);
    assert.equal((await first).code, "cancelled");
    assert.deepEqual(used, [1, 2]);
    // A late answer over the broken channel changes nothing.
    requests[0].resolve(list(beta));
    await setImmediate();
    requests[1].resolve(list(alpha));
    assert.equal((await second).project.path, alpha);
    loop.close();
  });

  test("all asks of one call end with its channel, and none of them sends again", async () => {
    const { loop, used, ask, breaks } = served();
    const asks = [ask(1), ask(1, { argument: undefined }), ask(1, { want: "roots" })];
    await setImmediate();
    breaks(1);
    assert.deepEqual(
      (await Promise.all(asks)).map(({ code }) => code),
      ["cancelled", "cancelled", "cancelled"],
    );
    assert.equal((await ask(1)).code, "call_over");
    assert.deepEqual(used, [1]);
    loop.close();
  });

  test("a call without a channel is asked over a stream outside calls", async () => {
    const { loop, session, used, requests } = served();
    loop.feed({ type: "channelOpened", session, channel: 7 });
    loop.feed({ type: "callStarted", call: 3, session });
    const asked = loop.ask({ type: "asked", call: 3 });
    await setImmediate();
    assert.deepEqual(used, [7]);
    requests[0].resolve(list(alpha));
    assert.equal((await asked).project.path, alpha);
    loop.close();
  });

  test("without any channel a request fails at once and the next source counts", async () => {
    const codes = [];
    const connection = new Connection({
      host: { ...host, env: { CLAUDE_PROJECT_DIR: beta } },
      log: ({ code }) => codes.push(code),
    });
    connection.initialized({ capabilities: { roots: {} } });
    connection.ready();
    assert.equal((await connection.ask()).source, "env");
    assert.ok(!codes.includes("wait_expired"), `${codes}`);
    connection.close();
  });

  test("a request without an answer in its time is not sent again because its channel ended, but because of a change", async () => {
    const { loop, session, used, requests, ask, breaks } = served({
      ...presets.recommended,
      timing: { callerTimeoutMs: 500, requestTimeoutMs: 60_000 },
    });
    assert.equal((await ask(1)).code, "no_project");
    breaks(1);
    assert.equal((await ask(2)).code, "no_project");
    assert.deepEqual(used, [1]);
    loop.feed({ type: "rootsChanged", session });
    const third = ask(2);
    await setImmediate();
    assert.deepEqual(used, [1, 2]);
    requests[1].resolve(list(alpha));
    assert.equal((await third).project.path, alpha);
    loop.close();
  });
});

test("the clock is the caller's, and an exception in a callback breaks nothing", async () => {
  let now = 1_000;
  const warnings = [];
  const onWarning = (warning) => warnings.push(warning.message);
  process.on("warning", onWarning);
  const answer = deferred();
  const { connection } = connected(() => answer.promise, {
    policy: { ...presets.recommended, timing: { callerTimeoutMs: 50, requestTimeoutMs: 60_000 } },
    clock: () => now,
    onChange: () => {
      throw new Error("theirs");
    },
    log: () => {
      throw new Error("also theirs");
    },
  });
  const asked = connection.ask();
  now += 50;
  await assert.rejects(asked, { code: "no_project" });
  answer.resolve(list(alpha));
  for (let turn = 0; turn < 200 && !connection.project; turn += 1) await setTimeout(5);
  assert.equal(connection.project.path, alpha);
  connection.close();
  await setImmediate();
  process.off("warning", onWarning);
  assert.ok(warnings.includes("theirs") && warnings.includes("also theirs"), warnings.join());
});

test("a saved connection continues elsewhere: its selection counts, and its client is asked again", async () => {
  const answers = [list(alpha, beta)];
  const silent = connected(async () => answers.pop() ?? new Promise(() => {}));
  await silent.connection.select(beta);
  silent.connection.rootsChanged();
  const waiting = silent.connection.question({ type: "asked", want: "roots" }).catch(() => {});
  await setImmediate();
  const saved = silent.connection.snapshot();
  silent.connection.close();
  await waiting;

  const sent = [];
  const sender = { send: async (request) => (sent.push(request), list(alpha, beta)) };
  const connection = new Connection({ host, sender, saved, idPrefix: "second-" });
  assert.equal((await connection.ask()).path, beta);
  const { roots, state } = await connection.question({ type: "asked", want: "roots" });
  assert.deepEqual([roots.map(({ path }) => path), state], [[alpha, beta], "ok"]);
  assert.equal(sent.length, 1);
  assert.match(sent[0].message, /"second-/);
  connection.close();

  for (const wrong of [
    "",
    "{}",
    "null",
    JSON.stringify({ state: "{}", requests: [] }),
    JSON.stringify({ state: saved, requests: ["x"] }),
    saved.replace("beta", "gamma"),
  ]) {
    assert.throws(
      () => new Connection({ host, saved: wrong }),
      (error) => error instanceof RootwiseError && error.code === "bad_snapshot",
      wrong.slice(0, 40),
    );
  }
});

test("hostFacts reads what the policy names, and nothing else", () => {
  const facts = hostFacts("http", {
    policy: "recommended",
    argv: ["--project", alpha, "--other", "x"],
    env: { CLAUDE_PROJECT_DIR: beta, SECRET: "s" },
  });
  assert.equal(facts.transport, "http");
  assert.deepEqual(facts.arguments, { project: alpha });
  assert.deepEqual(facts.env, { CLAUDE_PROJECT_DIR: beta });
  assert.equal(facts.cwd, process.cwd());
  assert.equal(fromAdapter, hostFacts);
  assert.equal(sameError, NoProjectError);
  assert.equal(alsoStart, resolveAtStart);
  assert.throws(() => hostFacts("stdio", { policy: "nothing" }), { code: "bad_options" });
});

test("the home folder is no project where HOME is a link to it", () => {
  const [home, link] = [join(base, "real-home"), join(base, "home-link")];
  mkdirSync(join(home, ".git"), { recursive: true });
  symlinkSync(home, link);
  const code = `import { hostFacts, resolveAtStart } from ${JSON.stringify(at("dist/driver/index.js"))};
    console.log(JSON.stringify([(await resolveAtStart())?.path ?? "none", hostFacts("stdio").excludedDirs]));`;
  for (const HOME of [link, home]) {
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
      cwd: home,
      env: { PATH: process.env.PATH, HOME },
      encoding: "utf8",
    });
    const [path, { home: excluded, temporary }] = JSON.parse(stdout || stderr);
    assert.deepEqual([path, excluded], ["none", [...new Set([HOME, home])]]);
    assert.ok(temporary.includes("/tmp") && temporary.includes("/var/tmp"), temporary.join());
  }
});

test("resolveAtStart answers from what the process knows", async () => {
  mkdirSync(join(alpha, "below", ".git"), { recursive: true });
  writeFileSync(join(alpha, "below", "file"), "");
  symlinkSync(join(alpha, "below"), join(base, "link"));
  const start = (given, more) => resolveAtStart({ host: { style: "posix", transport: "stdio", ...given }, ...more });
  assert.equal((await start({ arguments: { project: alpha } })).path, alpha);
  assert.equal((await start({ env: { CLAUDE_PROJECT_DIR: beta } })).path, beta);
  assert.equal((await start({ cwd: join(alpha, "below") })).path, join(alpha, "below"));
  assert.equal((await start({ cwd: "/" }, { facts: { argument: join(alpha, "below") } })).path, join(alpha, "below"));
  assert.equal(await start({ cwd: "/" }), undefined);
  const { project, explanation } = await resolveAndExplain({ host: { style: "posix", cwd: "/" } });
  assert.equal(project, undefined);
  assert.match(explanation.text, /cwd/);
});

test("wrong options are refused at once, with their place", async () => {
  const refused = (run, place) =>
    assert.throws(run, (error) => error instanceof RootwiseError && error.message.includes(`at ${place}:`), place);
  refused(() => new Connection(), "options");
  refused(() => new Connection({ host, polcy: "recommended" }), "polcy");
  refused(() => new Connection({ host, sender: {} }), "sender.send");
  refused(() => new Connection({ host, sender: null }), "sender.send");
  refused(() => new Connection({ host, onChange: 7 }), "onChange");
  refused(() => new Connection({ host, clock: "now" }), "clock");
  refused(() => hostFacts("stdio", { polcy: "recommended" }), "polcy");
  await assert.rejects(resolveAtStart({ polcy: "recommended" }), { code: "bad_options", message: /polcy/ });
  new Connection({ host, sender: undefined, onChange: undefined, log: undefined, clock: undefined }).close();
});
