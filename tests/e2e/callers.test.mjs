// Two users of one server, each confined to folders of their own.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { projectGate, rootwise } from "rootwise/mcp";
import { z } from "zod";

const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-callers-")));
after(() => rmSync(base, { recursive: true, force: true }));
for (const folder of ["alice/app", "bob/app"]) mkdirSync(join(base, folder), { recursive: true });
const of = (user) => join(base, user, "app");

/** A server whose users say in a header who they are, and a fetch that reaches it; the session of a request is its own choice. */
function serve(options) {
  const sessions = new Map();
  const logged = [];
  const connect = async () => {
    const server = new McpServer({ name: "team", version: "1" });
    const projects = rootwise(server, { argument: "project_path", log: (line) => logged.push(line.code), ...options });
    const inputSchema = { project_path: z.string().optional() };
    server.registerTool("where", { inputSchema }, async (_args, context) => ({
      content: [{ type: "text", text: (await projects.project(context)).path }],
    }));
    projects.registerTools();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: true,
      onsessioninitialized: (id) => sessions.set(id, transport),
    });
    await server.connect(transport);
    return transport;
  };
  const fetch = async (input, init) => {
    if (init?.method === "GET") return new Response(null, { status: 405 });
    const request = new Request(input, init);
    const transport = sessions.get(request.headers.get("mcp-session-id")) ?? (await connect());
    const user = request.headers.get("x-user");
    return transport.handleRequest(request, { authInfo: { token: "t", clientId: user, scopes: [] } });
  };
  return { fetch, logged, sessions };
}

/** Connects a user; with a session, as another client of that session. */
async function meet({ fetch }, user, session) {
  const client = new Client({ name: user, version: "1" }, { capabilities: {} });
  const state = { user };
  const as = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set("x-user", state.user);
    if (session !== undefined) headers.set("mcp-session-id", session);
    return fetch(input, { ...init, headers });
  };
  await client.connect(new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), { fetch: as }));
  const call = async (name, args = {}) => {
    const { content, isError = false } = await client.callTool({ name, arguments: args });
    return isError ? `error: ${content[0].text}` : content[0].text;
  };
  return { call, state };
}

const own = { allowedDirs: async ({ authInfo }) => [join(base, authInfo.clientId)] };

test("a caller names and selects folders of its own only, also in the session of another user", async () => {
  const team = serve(own);
  const user = await meet(team, "alice");
  assert.equal(await user.call("where", { project_path: of("alice") }), of("alice"));
  assert.match(await user.call("where", { project_path: of("bob") }), /outside the allowed folders/);
  assert.match(await user.call("switch_project", { project: of("bob") }), /outside the allowed folders/);
  assert.match(await user.call("switch_project", { project: of("alice") }), /Project set to: app/);
  assert.equal(await user.call("where"), of("alice"));
  // The same session, and another user of it.
  user.state.user = "bob";
  assert.match(await user.call("where"), /^error: No project was found/);
  assert.match(await user.call("where", { project_path: of("alice") }), /outside the allowed folders/);
  assert.equal(await user.call("where", { project_path: of("bob") }), of("bob"));
  user.state.user = "alice";
  assert.equal(await user.call("where"), of("alice"), "what one user selected is there for them again");
});

test("calls of two users that run side by side are each confined to their own folders", async () => {
  const team = serve({
    allowedDirs: async ({ authInfo }) => {
      await new Promise((resolve) => setImmediate(resolve));
      return [join(base, authInfo.clientId)];
    },
  });
  const [alice, bob] = [await meet(team, "alice"), await meet(team, "bob")];
  const calls = [alice, bob, alice, bob].map(({ call, state }) => call("where", { project_path: of(state.user) }));
  assert.deepEqual(await Promise.all(calls), [of("alice"), of("bob"), of("alice"), of("bob")]);
  const crossed = await Promise.all([
    alice.call("where", { project_path: of("bob") }),
    bob.call("where", { project_path: of("alice") }),
  ]);
  for (const said of crossed) assert.match(said, /outside the allowed folders/);
});

test("folders of a caller never go beyond those of the operator", async () => {
  const team = serve({ allowedDirs: () => [base, "/"], host: { allowedDirs: [join(base, "bob")] } });
  const { call } = await meet(team, "alice");
  assert.match(await call("where", { project_path: of("alice") }), /outside the allowed folders/);
  assert.equal(await call("where", { project_path: of("bob") }), of("bob"));
});

test("a function that fails or returns no folders allows nothing and says so", async () => {
  for (const [allowedDirs, said] of [
    [
      () => Promise.reject(new Error("no directory service")),
      /^error: The folders of this caller are not known: no directory service$/,
    ],
    [() => "/srv", /bad options at allowedDirs: the function must return a list of absolute paths/],
    [() => ["srv"], /bad options at allowedDirs\(\)\[0\]: must be an absolute path/],
    [() => undefined, /must return a list of absolute paths/],
  ]) {
    const { call } = await meet(serve({ allowedDirs }), "alice");
    assert.match(await call("where", { project_path: of("alice") }), said);
  }
  const { call } = await meet(serve({ allowedDirs: () => [] }), "alice");
  assert.match(await call("where", { project_path: of("alice") }), /outside the allowed folders/);
});

test("an allowed folder that does not exist is logged", async () => {
  const team = serve({ allowedDirs: [base, join(base, "nowhere")] });
  const { call } = await meet(team, "alice");
  assert.equal(await call("where", { project_path: of("alice") }), of("alice"));
  assert.deepEqual(
    team.logged.filter((code) => code === "allowed_dir_unusable"),
    ["allowed_dir_unusable"],
  );
});

test("allowed folders that do not exist are reported at the start, once for each list, also by a gate and without a log", async () => {
  const make = (options) => rootwise(new McpServer({ name: "start", version: "1" }), options);
  const warned = [];
  const listener = (warning) => warned.push([warning.name, warning.code, warning.message.split(": ").at(-1)]);
  process.on("warning", listener);
  const logged = [];
  const log = (line) => logged.push([line.code, line.message.split(": ").at(-1)]);
  const [one, two, three, four] = ["one", "two", "three", "four"].map((name) => join(base, "absent", name));
  try {
    for (const _ of [1, 2]) {
      make({ allowedDirs: [one] });
      make({ allowedDirs: [two], log });
      projectGate({ allowedDirs: [three] });
      projectGate({ allowedDirs: [four], log });
    }
    for (let turn = 0; turn < 500 && warned.length + logged.length < 4; turn += 1)
      await new Promise((resolve) => setTimeout(resolve, 10));
    await new Promise((resolve) => setTimeout(resolve, 50));
  } finally {
    process.off("warning", listener);
  }
  const code = "allowed_dir_unusable";
  assert.deepEqual(warned.sort(), [
    ["RootwiseWarning", code, one],
    ["RootwiseWarning", code, three],
  ]);
  assert.deepEqual(logged.sort(), [
    [code, four],
    [code, two],
  ]);
  assert.throws(() => projectGate({ log: 7 }), /bad options at log/);
});
