// The parts of the suite of real clients, without the clients.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { at } from "../../scripts/tools.mjs";
import { serveModel } from "./model.mjs";
import { observe, outcomes, readRecording, results } from "./observe.mjs";
import { differences, readRows, textOf, update } from "./rows.mjs";
import { runInSandbox } from "./sandbox.mjs";

const folder = mkdtempSync(join(tmpdir(), "rootwise-suite-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const places = { project: "/w/alpha", second: "/w/beta", home: "/home/t" };
const { clients } = JSON.parse(readFileSync(new URL("clients.json", import.meta.url), "utf8"));

function recorded(...lines) {
  const file = join(folder, "recording.jsonl");
  writeFileSync(file, lines.map((line) => `${JSON.stringify({ process: 1, ...line })}\n`).join(""));
  return readRecording(file);
}
const client = (message) => ({ from: "client", message });
const server = (message) => ({ from: "server", message });

test("a session shows what its client declared and answered", {
  skip: process.platform === "win32" && "needs POSIX paths",
}, () => {
  const recording = recorded(
    { cwd: "/w/alpha", env: { PWD: "/w/alpha", EDITOR_PROJECT: "/w/alpha", EDITOR_CACHE: "/w/alpha/.cache" } },
    client({
      id: 0,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: { roots: {} }, clientInfo: { name: "editor" } },
    }),
    client({
      id: 1,
      method: "tools/call",
      params: {
        name: "where",
        _meta: { progressToken: 1, chat: "c1", folders: { "/w/alpha": {} }, at: "file:///w/alpha" },
      },
    }),
    // The server counts its requests too.
    server({ id: 1, method: "roots/list" }),
    client({ id: 1, result: { roots: [{ uri: "file:///w/alpha" }, { uri: "file:///w/beta" }] } }),
    server({ id: 1, result: { content: [{ type: "text", text: "alpha is at /w/alpha" }] } }),
  );
  assert.deepEqual(observe(recording, places), {
    name: "editor",
    protocol: "2025-06-18",
    capabilities: { roots: {} },
    roots: ["file://{project}", "file://{second}"],
    cwd: "{project}",
    env: ["EDITOR_PROJECT"],
    meta: ["at", "chat", "folders"],
    folders: ["/at", "/folders/*"],
  });
  const [result, ...others] = results(recording, places);
  assert.equal(result.text, "alpha is at {project}");
  assert.deepEqual(others, []);
});

test("a call without a session says it all itself", () => {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "modern" },
    "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
  };
  const call = { id: 1, method: "tools/call", params: { name: "where", _meta: meta } };
  const again = { ...call, id: 2, params: { ...call.params, inputResponses: { rootwise: { roots: [] } } } };
  const recording = recorded(
    { cwd: "/", env: {} },
    client(call),
    server({ id: 1, result: { resultType: "input_required", inputRequests: { rootwise: { method: "roots/list" } } } }),
    client(again),
    server({ id: 2, result: { isError: true, content: [{ type: "text", text: "none" }] } }),
  );
  const { name, protocol, capabilities, roots, meta: keys } = observe(recording, places);
  assert.deepEqual([name, protocol, capabilities, roots, keys], ["modern", "2026-07-28", { elicitation: {} }, [], []]);
  assert.deepEqual(
    results(recording, places).map(({ isError }) => isError),
    [true],
  );
});

test("a recording without a call shows nothing", () => {
  assert.equal(observe(recorded({ cwd: "/", env: {} }), places), undefined);
  assert.equal(observe(readRecording(join(folder, "missing")), places), undefined);
});

test("the clients of a gateway get a folder or an error", () => {
  const file = join(folder, "outcomes.jsonl");
  const lines = [
    { root: "/w/beta", text: "No project was found: the client declares no roots; and more.", isError: true },
    { root: "/w/alpha", text: "alpha is at /w/alpha", isError: false },
  ];
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  assert.deepEqual(outcomes(file, places), {
    "{project}": "{project}",
    "{second}": "No project was found: the client declares no roots",
  });
});

test("the rows are written as they are in the file, and every client has one", () => {
  const rows = readRows();
  assert.equal(textOf(rows), readFileSync(at("core/clients.json"), "utf8"));
  for (const [id, { row }] of Object.entries(clients))
    assert.ok(
      rows.some((each) => each.client === row),
      `${id}: there is no row \`${row}\``,
    );
});

test("what is seen in rows belongs to clients of the suite", () => {
  for (const { client: row, seen = {} } of readRows())
    for (const id of Object.keys(seen)) assert.equal(clients[id]?.row, row, id);
});

test("a row differs until it has what was seen", () => {
  const row = { client: "Editor", names: ["editor"], known: { reported: "2026-01" }, sources: ["a/b"] };
  const seen = { name: "editor", meta: [] };
  assert.deepEqual(differences(row, "editor", "1.2", seen), [
    '+ "name": "editor"',
    '+ "meta": []',
    "+ known.run.versions: 1.2",
  ]);
  update(row, "editor", "1.2", seen);
  assert.deepEqual(differences(row, "editor", "1.2", seen), []);
  assert.deepEqual(differences(row, "editor", "1.2", { ...seen, name: "other" }), [
    '- "name": "editor"',
    '+ "name": "other"',
  ]);
  update(row, "editor", "1.3", { ...seen, name: "other" });
  assert.deepEqual(differences(row, "editor", "1.3", { ...seen, name: "other" }), []);
  assert.deepEqual(row.known.run.versions, ["1.3", "1.2"]);
  update(row, "editor", "1.2", seen);
  row.conversation = { meta: "/chat~1id", known: "run" };
  assert.deepEqual(differences(row, "editor", "1.2", seen), ["- conversation: /chat~1id"]);
});

const tool = { name: "mcp__notes__where" };
const requests = {
  "/v1/chat/completions": [{ tools: [{ function: tool }] }, { messages: [{ role: "tool" }] }],
  "/v1/responses": [
    { tools: [{ type: "namespace", name: "mcp__notes", tools: [{ name: "where" }] }] },
    { input: [{ type: "function_call_output" }] },
  ],
  "/v1/messages": [{ tools: [tool] }, { messages: [{ content: [{ type: "tool_result" }] }] }],
  "/v1beta/models/m:generateContent": [
    { tools: [{ functionDeclarations: [tool] }] },
    { contents: [{ parts: [{ functionResponse: {} }] }] },
  ],
};
for (const [path, [offer, answered]] of Object.entries(requests)) {
  test(`the model calls one tool over ${path}, and no other`, async () => {
    const model = await serveModel([{ tool: "where", arguments: { depth: 7 } }], 0, () => {});
    after(() => model.close());
    const ask = async (body) => {
      const url = `http://127.0.0.1:${model.address().port}${path}`;
      return (await fetch(url, { method: "POST", body: JSON.stringify(body) })).text();
    };
    const call = await ask(offer);
    assert.match(call, /where/);
    assert.match(call, /depth/);
    assert.doesNotMatch(await ask({ ...offer, ...answered }), /where/);
    assert.doesNotMatch(await ask(JSON.parse(JSON.stringify(offer).replaceAll("where", "nowhere"))), /where/);
  });
}

const namespaces = spawnSync("unshare", [
  ...(process.getuid?.() === 0 ? [] : ["--map-root-user"]),
  "--net",
  "--pid",
  "--fork",
  "--mount-proc",
  "true",
]);
test("the sandbox has no network, no variables, and an end", {
  skip: namespaces.status !== 0 && "this machine gives no namespaces",
}, async () => {
  const run = (script, seconds = 20) => {
    const program = { command: [process.execPath, "-e", script], cwd: folder, env: { ONLY: "this" } };
    return runInSandbox(folder, { calls: [], helpers: [], programs: [program] }, seconds);
  };
  const outside = `require("node:net").connect(443, "192.0.2.1").on("error", (error) => process.exit(error.code === "ENETUNREACH" ? 0 : 3))`;
  assert.equal(await run(outside), undefined);
  assert.equal(await run(`process.exit(Object.keys(process.env).join() === "ONLY" ? 0 : 3)`), undefined);
  assert.equal(await run("process.exit(4)"), "it ended with 4");
  assert.equal(await run("setInterval(() => {}, 1000)", 1), "it did not end within 1 seconds");
});
