// Tests the server with exact input through a pipe and with real clients of both eras.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import {
  answer,
  call,
  changed,
  changedPreset,
  connect,
  error,
  folders,
  initialize,
  initialized,
  notification,
  open,
  play,
  program,
  request,
  result,
  root,
  short,
  timing,
} from "./kit.mjs";

const roots = { roots: { listChanged: true } };
const hello = [initialize(roots), initialized];

// Asking the client.

test("requests already in the pipe are answered between the roots request and its answer [W-03, W-04, W-08, W-09, W-10, W-11, W-14, W-21, W-28, W-34, C6]", (t) => {
  const { base, a } = folders(t, "a");
  const given = answer("s-1", root(a));
  const { raw, said, log } = play([...hello, request(2, "tools/list"), given, call(3, "directory")], { cwd: base });
  assert.deepEqual(said, ["1: ok", "roots/list s-1", "2: ok", `3: ${a}`]);
  assert.equal(raw[1], '{"jsonrpc":"2.0","id":"s-1","method":"roots/list","params":{}}');
  const drained = [`DrainRead: ${request(2, "tools/list")}`, `InterstitialResponse: ${raw[2]}`, `DrainRead: ${given}`];
  assert.deepEqual(log.trimEnd().split("\n"), [
    `ServerRequest: ${raw[1]}`,
    ...drained,
    `project_chosen: Set directory to client root: ${a}`,
  ]);
});

test("the answer to initialize is the same with and without roots, and no request is sent before initialized [W-03]", () => {
  const withRoots = play([initialize(roots)]);
  assert.deepEqual(withRoots.raw, play([initialize({})]).raw);
  assert.deepEqual(withRoots.said, ["1: ok"]);
});

test("the server speaks the client's revision if it knows it, otherwise the newest", () => {
  for (const [asked, spoken] of [
    ["2024-11-05", "2024-11-05"],
    ["2025-06-18", "2025-06-18"],
    ["1999-01-01", "2025-11-25"],
    [5, "2025-11-25"],
  ]) {
    const { raw } = play([request(1, "initialize", { protocolVersion: asked, capabilities: {} })]);
    assert.equal(JSON.parse(raw[0]).result.protocolVersion, spoken);
  }
});

test("roots that are not declared as an object are never requested, not even after a change [W-01, W-05, W-06, W-34]", () => {
  for (const capabilities of [
    undefined,
    null,
    "roots",
    [],
    {},
    { roots: null },
    { roots: true },
    { roots: "yes" },
    { roots: [] },
  ]) {
    const { said, log } = play([initialize(capabilities, { name: 7 }), initialized, changed, call(2, "roots")]);
    assert.equal(said.length, 2, JSON.stringify(capabilities));
    const known = JSON.parse(said[1].slice(3));
    const readable = typeof capabilities === "object" && capabilities !== null && !Array.isArray(capabilities);
    assert.deepEqual(known, { capabilities: readable ? capabilities : {}, state: "undeclared", roots: [] });
    assert.equal(log, "");
  }
});

test("a change counts although the client did not declare listChanged [W-02, W-06, W-29]", (t) => {
  const { base, a, b } = folders(t, "a", "b");
  const { said } = play(
    [
      initialize({ roots: {} }),
      initialized,
      answer("s-1", root(a)),
      call(2, "directory"),
      changed,
      answer("s-2", root(b)),
      call(3, "directory"),
    ],
    { cwd: base },
  );
  assert.deepEqual(said, ["1: ok", "roots/list s-1", `2: ${a}`, "roots/list s-2", `3: ${b}`]);
});

test("other notifications are not answered, and a second initialized sends no request [W-04, W-07, W-14]", () => {
  const { said } = play([
    ...hello,
    initialized,
    notification("progress"),
    notification("cancelled"),
    notification("unheard/of"),
  ]);
  assert.deepEqual(said, ["1: ok", "roots/list s-1"]);
});

test("a client may use our ids for its own requests [W-08, W-10]", (t) => {
  const { base, a } = folders(t, "a");
  const { said } = play(
    [
      ...hello,
      request("s-1", "tools/list"),
      request("s-2", "ping", { zero: "\0" }),
      answer("s-1", root(a)),
      call("s-1", "directory"),
      changed,
    ],
    { cwd: base },
  );
  assert.deepEqual(said, ["1: ok", "roots/list s-1", "s-1: ok", "s-2: ok", `s-1: ${a}`, "roots/list s-2"]);
});

test("an answer with an unknown id is logged and dropped, and the wait continues [W-12]", (t) => {
  const { base, a, b } = folders(t, "a", "b");
  const stray = [answer("s-9", root(b)), answer(1, root(b)), error("s-0", -32603, "no")];
  const { said, log } = play([...hello, ...stray, answer("s-1", root(a)), call(2, "directory")], { cwd: base });
  assert.deepEqual(said, ["1: ok", "roots/list s-1", `2: ${a}`]);
  assert.deepEqual(
    log.match(/^UnexpectedResponse: .*$/gm),
    stray.map((line) => `UnexpectedResponse: ${line}`),
  );
});

test("lines that are not messages are skipped silently [W-13]", (t) => {
  const { base, a } = folders(t, "a");
  const junk = [
    "",
    "   \t",
    "{not json",
    "17",
    "null",
    '"text"',
    "[]",
    "[1,2]",
    "{}",
    '{"jsonrpc":"2.0","id":9}',
    "\u0000",
    "x".repeat(1 << 21),
  ];
  const { said } = play([...junk, ...hello, ...junk, answer("s-1", root(a)), ...junk, call(2, "directory")], {
    cwd: base,
  });
  assert.deepEqual(said, ["1: ok", "roots/list s-1", `2: ${a}`]);
});

test("changes during a request cause one more request [W-15]", (t) => {
  const { base, a, b } = folders(t, "a", "b");
  const lines = [...hello, changed, changed, answer("s-1", root(a)), answer("s-2", root(b)), call(2, "directory")];
  assert.deepEqual(play(lines, { cwd: base }).said, ["1: ok", "roots/list s-1", "roots/list s-2", `2: ${b}`]);
});

test("after 1,000 other messages the answer is not awaited any longer [W-16]", (t) => {
  const { base, a } = folders(t, "a");
  const pings = (from, count) => Array.from({ length: count }, (_, index) => request(from + index, "ping"));
  const fine = play([...hello, ...pings(2, 999), answer("s-1", root(a)), call("last", "directory")], { cwd: base });
  assert.equal(fine.said.at(-1), `last: ${a}`);
  const late = play([...hello, ...pings(2, 1000), call("last", "directory"), answer("s-1", root(a))], { cwd: base });
  assert.deepEqual(late.said.slice(-2), ["notifications/cancelled s-1", `last: ${base}`]);
  assert.match(late.log, /^RootsQueryFailed: Failed to query client roots: no answer\.$/m);
});

test("a request that fails while the client is awaited does not end the loop [W-11, W-14]", (t) => {
  const { base, a } = folders(t, "a");
  const failing = [
    request(2, "no/such/method"),
    call(3, "no such tool"),
    request(4, "tools/call", { name: 7 }),
    request(5, "tools/call"),
  ];
  const { said, log } = play([...hello, ...failing, answer("s-1", root(a)), call(6, "directory")], { cwd: base });
  assert.deepEqual(said, [
    "1: ok",
    "roots/list s-1",
    "2: error -32601",
    "3: error -32602",
    "4: error -32602",
    "5: error -32602",
    `6: ${a}`,
  ]);
  assert.equal(log.match(/^InterstitialResponse: /gm).length, 4);
});

test("Windows URIs become Windows paths [W-27]", (t) => {
  const { base } = folders(t);
  // This system sees a Windows path as a plain name.
  for (const name of ["C:\\work\\a b", "D:\\x"]) mkdirSync(join(base, name));
  const style = ["--style", "windows"];
  for (const [uri, name] of [
    ["file:///C:/work/a%20b", "C:\\work\\a b"],
    ["file:///d%3A/x", "D:\\x"],
    ["file://D:\\x", "D:\\x"],
  ]) {
    assert.equal(directoryAfter({ roots: [{ uri }] }, { cwd: base, options: style }), join(base, name), uri);
  }
  assert.equal(
    directoryAfter({ roots: [{ uri: "file:///C:/work/a%20b" }] }, { cwd: base }),
    base,
    "without the option, paths are those of this system",
  );
});

test("a client that never answers gets its other requests served, then the roots request is cancelled [W-16, W-17, W-20]", async (t) => {
  const { base, a } = folders(t, "a");
  const policy = changedPreset(base, { timing: { callerTimeoutMs: 200, requestTimeoutMs: 200 } });
  const server = open(t, { cwd: base, policy });
  const ids = Array.from({ length: 900 }, (_, index) => index + 2);
  server.send(...hello, ...ids.map((id) => request(id, "ping")), call("waits", "directory"));
  assert.equal(short(await server.next()), "1: ok");
  assert.equal(short(await server.next()), "roots/list s-1");
  for (const id of ids) assert.equal(short(await server.next()), `${id}: ok`);
  assert.deepEqual([short(await server.next()), short(await server.next())].sort(), [
    "notifications/cancelled s-1",
    `waits: ${base}`,
  ]);
  server.send(answer("s-1", root(a)), call(2, "directory"));
  assert.equal(short(await server.next()), "roots/list s-2", "the next call tries again");
  server.send(answer("s-2", root(a)));
  assert.equal(short(await server.next()), `2: ${a}`);
  const log = await server.end();
  assert.match(log, /^RootsQueryFailed: Failed to query client roots: no answer\.$/m);
  assert.match(log, /^answer_stale: /m);
});

test("a client that answers late costs one wait, and its root is applied when it arrives [W-16, W-21]", async (t) => {
  const { base, a } = folders(t, "a");
  // The times of the preset, ten times as fast.
  const { callerTimeoutMs, requestTimeoutMs } = timing;
  const faster = { callerTimeoutMs: callerTimeoutMs / 10, requestTimeoutMs: requestTimeoutMs / 10 };
  const policy = changedPreset(base, { timing: faster });
  const server = open(t, { cwd: base, policy });
  server.send(...hello, call("waits", "directory"));
  for (const line of ["1: ok", "roots/list s-1", `waits: ${base}`]) assert.equal(short(await server.next()), line);
  server.send(call("later", "directory"), answer("s-1", root(a)), call("last", "directory"));
  assert.equal(short(await server.next()), `later: ${base}`, "nobody waits for it twice, and nobody asks twice");
  assert.equal(short(await server.next()), `last: ${a}`);
  assert.match(await server.end(), new RegExp(`^project_chosen: Set directory to client root: ${a}$`, "m"));
});

test("a request that is too large gets an error, and the next line is read as usual [W-13, W-14]", (t) => {
  const { base, a } = folders(t, "a");
  const large = (bytes) =>
    request("large", "tools/call", { name: "directory", arguments: { text: "x".repeat(bytes) } });
  const batch = `[${request("one", "ping", { text: "x".repeat(2 << 20) })},${request("two", "ping")}]`;
  const { raw, said } = play(
    [...hello, answer("s-1", root(a)), large(2 << 20), batch, large(17 << 20), call(2, "directory")],
    { cwd: base },
  );
  assert.deepEqual(said.slice(0, 3), ["1: ok", "roots/list s-1", "large: error -32600"]);
  assert.deepEqual(
    JSON.parse(raw[3]).map(({ id, error }) => [id, error.code]),
    [
      ["one", -32600],
      ["two", -32600],
    ],
  );
  assert.deepEqual(said.slice(4), ["null: error -32600", `2: ${a}`], "beyond 16 MiB nobody looks for the id");
});

test("a batch is answered in one line when its last reply is known [W-11, W-14]", (t) => {
  const { base, a } = folders(t, "a");
  const batch = `[${[call("x", "directory"), notification("progress"), request("y", "ping"), "7", request("z", "no")]}]`;
  const answers = `[${[answer("s-1", root(a)), request(2, "ping")]}]`;
  const { raw } = play([...hello, batch, `[${initialized}]`, "[]", answers, request(3, "ping")], { cwd: base });
  const shown = raw.map((line) =>
    line.startsWith("[") ? JSON.parse(line).map((one) => short(JSON.stringify(one))) : short(line),
  );
  assert.deepEqual(shown, ["1: ok", "roots/list s-1", ["2: ok"], ["y: ok", "z: error -32601", `x: ${a}`], "3: ok"]);
});

test("a failed roots request is logged and changes nothing [W-17, W-18, W-34]", (t) => {
  const { base, a } = folders(t, "a");
  for (const [code, message] of [
    [-32603, "boom"],
    [-32601, "Method not found"],
  ]) {
    const first = play([...hello, error("s-1", code, message), request(2, "ping")], { cwd: base });
    assert.deepEqual(first.said, ["1: ok", "roots/list s-1", "2: ok"]);
    assert.match(first.log, /^RootsQueryFailed: Failed to query client roots: .*\.$/m);
    const later = play([...hello, answer("s-1", root(a)), changed, error("s-2", code, message), call(2, "directory")], {
      cwd: base,
    });
    assert.equal(later.said.at(-1), `2: ${a}`);
  }
});

test("several calls wait for one roots request, and all are answered [W-11, W-32]", (t) => {
  const { base, a } = folders(t, "a");
  const waiting = ["x", "y", "z"];
  const { said } = play(
    [
      ...hello,
      ...waiting.map((id) => call(id, "directory")),
      request(2, "tools/list"),
      call(3, "nothing"),
      answer("s-1", root(a)),
    ],
    { cwd: base },
  );
  assert.deepEqual(said, [
    "1: ok",
    "roots/list s-1",
    "2: ok",
    "3: error -32602",
    ...waiting.map((id) => `${id}: ${a}`),
  ]);
});

test("calls that still wait when the input ends are answered [W-14]", (t) => {
  const { base } = folders(t);
  assert.deepEqual(play([...hello, call(2, "directory")], { cwd: base }).said, [
    "1: ok",
    "roots/list s-1",
    `2: ${base}`,
  ]);
});

// Choosing and applying.

const directoryAfter = (value, options) =>
  play([...hello, result("s-1", value), call(2, "directory")], options)
    .said.at(-1)
    .slice(3);

test("an answer without usable roots leaves the directory unchanged [W-18, W-20, W-23, W-24, W-25, W-34]", (t) => {
  const { base, a } = folders(t, "a");
  writeFileSync(join(a, "file"), "");
  const nothing = [
    null,
    {},
    [],
    "roots",
    { roots: null },
    { roots: {} },
    { roots: "x" },
    { roots: [] },
    { roots: [1, null, "file:///", []] },
    { roots: [root(a), "file:///"] },
  ];
  const bad = [
    {},
    { uri: 5 },
    { uri: "" },
    { uri: "not a uri" },
    { uri: "https://example.com/a" },
    { uri: "file:///no/such/folder" },
    root(join(a, "file")),
    { uri: a },
  ];
  for (const value of [...nothing, { roots: bad }, ...bad.map((one) => ({ roots: [one] }))]) {
    assert.equal(directoryAfter(value, { cwd: base }), base, JSON.stringify(value));
  }
});

test("the first root that is a directory counts, whatever comes before it [W-21, W-22, W-23, W-24, W-25, W-34]", (t) => {
  const { base, a, b } = folders(t, "a", "b");
  writeFileSync(join(a, "file"), "");
  const bad = [
    {},
    { uri: 5 },
    { uri: "https://example.com/a" },
    root(join(base, "missing")),
    root(join(a, "file")),
    { uri: "file://%zz" },
  ];
  assert.equal(directoryAfter({ roots: [root(a)] }, { cwd: base }), a);
  assert.equal(directoryAfter({ roots: [root(b), root(a)] }, { cwd: base }), b);
  assert.equal(directoryAfter({ roots: [...bad, root(b), root(a)] }, { cwd: base }), b);
});

test("the policy decides which of several roots counts [W-33]", (t) => {
  const { base, a, b } = folders(t, "a", "b");
  const policy = changedPreset(base, { roots: { pick: "only" } });
  assert.equal(directoryAfter({ roots: [root(a), root(b)] }, { cwd: base, policy }), base);
  assert.equal(directoryAfter({ roots: [root(b)] }, { cwd: base, policy }), b);
});

test("a URI is decoded, and roots are trusted [W-26, W-30]", (t) => {
  const { base, odd } = folders(t, "odd");
  const spaced = join(odd, "a b ü%41");
  mkdirSync(spaced);
  assert.equal(directoryAfter({ roots: [{ uri: `file://${odd}/a%20b%20%C3%BC%2541` }] }, { cwd: base }), spaced);
  assert.equal(directoryAfter({ roots: [{ uri: `file://${odd}/x/../../odd` }] }, { cwd: base }), odd);
  assert.equal(directoryAfter({ roots: [{ uri: "file:///" }] }, { cwd: base }), "/");
});

test("the full list and the capabilities stay readable for tools [W-19]", (t) => {
  const { base, a, b } = folders(t, "a", "b");
  const given = [root(join(base, "missing"), "gone"), root(a, "A"), { uri: "https://example.com/x" }, root(b)];
  const { said } = play([...hello, answer("s-1", ...given), call(2, "roots")], { cwd: base });
  const { capabilities, state, roots: known } = JSON.parse(said.at(-1).slice(3));
  assert.deepEqual(capabilities, roots);
  assert.equal(state, "ok");
  assert.deepEqual(
    known.map(({ uri, name }) => ({ uri, name })),
    given.map(({ uri, name }) => ({ uri, name })),
  );
});

test("a directory that cannot be entered is logged, and the server stays in its current one [W-28]", (t) => {
  const { base, a, closed } = folders(t, "a", "closed");
  chmodSync(closed, 0o000);
  // The root user can enter every directory, so the server runs as another user, from a folder that this user can read.
  const as = process.getuid() === 0 ? { uid: 65534, gid: 65534 } : {};
  const run = join(base, "program");
  copyFileSync(program, run);
  const policy = changedPreset(base, {});
  const { said, log } = play(
    [...hello, answer("s-1", root(a)), changed, answer("s-2", root(closed)), call(2, "directory")],
    { cwd: base, policy, as, run },
  );
  assert.equal(said.at(-1), `2: ${a}`);
  assert.match(log, /^ApplyRootsFailed: Permission denied$/m);
  assert.doesNotMatch(log, new RegExp(`Set directory to client root: ${closed}`));
});

test("a new initialize resets the state, and so does a new process [W-08, W-31]", async (t) => {
  const { base, a, b } = folders(t, "a", "b");
  const { said } = play([...hello, answer("s-1", root(a)), initialize({}), initialized, call(2, "roots")], {
    cwd: base,
  });
  const forgotten = JSON.stringify({ capabilities: {}, state: "undeclared", roots: [] });
  assert.deepEqual(said, ["1: ok", "roots/list s-1", "1: ok", `2: ${forgotten}`]);
  assert.deepEqual(play([...hello, call(2, "directory")], { cwd: base }).said, [
    "1: ok",
    "roots/list s-1",
    `2: ${base}`,
  ]);
  // The root of a client that comes again is applied as soon as it is clear that no other client answered too.
  const server = open(t, { cwd: base });
  server.send(...hello, answer("s-1", root(a)), ...hello, answer("s-2", root(b)));
  for (const line of ["1: ok", "roots/list s-1", "1: ok", "roots/list s-2"])
    assert.equal(short(await server.next()), line);
  let directory;
  for (let id = 3; directory !== b && id < 100; id += 1) {
    await setTimeout(20);
    server.send(call(id, "directory"));
    directory = short(await server.next()).replace(`${id}: `, "");
  }
  assert.equal(directory, b);
  await server.end();
});

// Real clients.

for (const kind of ["1.x", "2.x"]) {
  test(`client ${kind}: is asked after initialized, and its root becomes the directory [W-04, W-21, W-34]`, async (t) => {
    const { base, a } = folders(t, "a");
    const { client, state, call } = await connect(t, kind, { cwd: base, roots: [root(a)] });
    assert.equal(await call("directory"), a);
    assert.deepEqual(
      (await client.listTools()).tools.map(({ name }) => name),
      ["directory", "roots"],
    );
    assert.equal(await call("directory"), a);
    assert.equal(state.asked, 1);
  });

  test(`client ${kind}: without roots no request is sent, and an empty or bad list changes nothing [W-05, W-20, W-23, W-34]`, async (t) => {
    const { base } = folders(t);
    const without = await connect(t, kind, { cwd: base });
    assert.equal(await without.call("directory"), base);
    for (const roots of [[], [{ uri: "file:///no/such/folder" }]]) {
      const { call, state } = await connect(t, kind, { cwd: base, roots });
      assert.equal(await call("directory"), base);
      assert.equal(state.asked, 1);
    }
  });

  test(`client ${kind}: the first existing root of several is used, and another one after a change [W-06, W-22, W-29, W-34]`, async (t) => {
    const { base, a, b } = folders(t, "a", "b");
    const { call, changed, state } = await connect(t, kind, {
      cwd: base,
      roots: [root(join(base, "missing")), root(a), root(b)],
    });
    assert.equal(await call("directory"), a);
    await changed([root(b)]);
    assert.equal(await call("directory"), b);
    await changed([]);
    assert.equal(await call("directory"), b, "an empty list changes nothing");
    assert.equal(state.asked, 3);
  });
}

for (const kind of ["2.x modern", "2.x auto"]) {
  test(`client ${kind}: is asked within each call, and an empty list leaves the directory unchanged`, async (t) => {
    const { base, a, b } = folders(t, "a", "b");
    const { client, call, state } = await connect(t, kind, {
      cwd: base,
      roots: [root(join(base, "missing")), root(a)],
    });
    assert.deepEqual(
      (await client.listTools()).tools.map(({ name }) => name),
      ["directory", "roots"],
    );
    assert.equal(state.asked, 0, "a list of tools asks nothing");
    assert.equal(await call("directory"), a);
    state.roots = [root(b)];
    assert.equal(await call("directory"), b, "no notification is needed");
    state.roots = [];
    assert.equal(await call("directory"), b, "as for a client with a handshake");
    assert.equal(state.asked, 3);
    assert.deepEqual(JSON.parse(await call("roots")).roots, []);
  });

  test(`client ${kind}: without roots no request is sent`, async (t) => {
    const { base } = folders(t);
    const { call } = await connect(t, kind, { cwd: base });
    assert.equal(await call("directory"), base);
  });
}

test("modern and legacy requests on one pipe are those of one client", (t) => {
  const { base, a, b } = folders(t, "a", "b");
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": { roots: {} },
  };
  const modern = (id, changes, inputResponses) =>
    request(id, "tools/call", { name: "directory", inputResponses, _meta: { ...meta, ...changes } });
  const lines = [
    ...hello,
    answer("s-1", root(a)),
    modern(2),
    modern(3, {}, { rootwise: { roots: [root(b)] } }),
    call(4, "directory"),
    modern(5, { "io.modelcontextprotocol/protocolVersion": "2099-01-01" }),
    modern(6, { "io.modelcontextprotocol/clientCapabilities": undefined }),
  ];
  const { raw, said } = play(lines, { cwd: base });
  assert.deepEqual(said, [
    "1: ok",
    "roots/list s-1",
    "2: ok",
    `3: ${b}`,
    `4: ${b}`,
    "5: error -32022",
    "6: error -32602",
  ]);
  assert.deepEqual(JSON.parse(raw[2]).result, {
    resultType: "input_required",
    inputRequests: { rootwise: { method: "roots/list" } },
  });
});

// The library for the Wolfram Language.

test("the functions for LibraryLink answer as the kernel would call them", () => {
  const here = fileURLToPath(new URL(".", import.meta.url));
  execFileSync("make", ["--silent", "link-test"], { cwd: here, stdio: ["ignore", "inherit", "inherit"] });
  assert.equal(
    execFileSync("./link-test", ["./rootwise_link.so"], { cwd: here, encoding: "utf8" }),
    "LibraryLink: all calls answered\n",
  );
});
