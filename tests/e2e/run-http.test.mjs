// `rootwise run --http`: several clients of one address, each in its own project, and everything that can go wrong on a wire.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect as connectTo } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CreateMessageRequestSchema, ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { debugBuild } from "../../scripts/tools.mjs";
import { packagesOf } from "../tools.mjs";

const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-http-")));
after(() => rmSync(base, { recursive: true, force: true }));
const [alpha, beta] = ["alpha", "beta"].map((name) => {
  mkdirSync(join(base, name, ".git"), { recursive: true });
  return join(base, name);
});

/** A server that knows nothing of HTTP and projects. */
const scripted = join(base, "scripted.mjs");
const log = join(base, "log.ndjson");
writeFileSync(
  scripted,
  `
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const note = (what) => void appendFileSync(${JSON.stringify(log)}, JSON.stringify({ pid: process.pid, cwd: process.cwd(), ...what }) + "\\n");
const text = (value) => ({ content: [{ type: "text", text: value }] });
let sampled;
let cancelled = false;
note({ start: true });
const tools = {
  where: () => text(process.cwd()),
  crash: () => process.exit(3),
  hang: () => note({ hangs: true }),
  slow: async ({ ms }) => (await new Promise((done) => setTimeout(done, ms)), text(process.cwd())),
  progress: async (_, { progressToken }) => {
    for (let progress = 1; progress <= 3; progress++) {
      send({ method: "notifications/progress", params: { progressToken, progress, message: process.cwd() } });
      await new Promise((done) => setTimeout(done, 20));
    }
    return text(process.cwd());
  },
  flood: async ({ times = 20_000 }) => {
    for (let number = 0; number < times; number++) {
      if (number % 1_000 === 0) await new Promise((done) => process.stdout.write("", done));
      send({ method: "notifications/message", params: { level: "info", data: "x".repeat(200) } });
    }
    return text("done");
  },
  // Progress reaches its own call, also where clients share a server.
  spate: async ({ times }, { progressToken }) => {
    for (let progress = 0; progress < times && !cancelled; progress++) {
      if (progress % 100 === 0) await new Promise((done) => process.stdout.write("", done));
      send({ method: "notifications/progress", params: { progressToken, progress, message: "x".repeat(1_000) } });
    }
    return text("done");
  },
  sample: async () => {
    send({ id: 1, method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } });
    const { content } = await new Promise((done) => { sampled = done; });
    return text(content.text);
  },
};
createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === "initialize")
    send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {}, logging: {} }, serverInfo: { name: "scripted", version: "1" } } });
  else if (method === "tools/list")
    send({ id, result: { tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: "object" } })) } });
  else if (method === "tools/call") {
    const said = await tools[params.name](params.arguments ?? {}, params._meta ?? {});
    if (said) send({ id, result: said });
  } else if (method === "notifications/cancelled") {
    cancelled = true;
    note({ cancelled: params.requestId });
  }
  else if (result?.content) sampled(result);
  else if (id !== undefined && method) send({ id, error: { code: -32601, message: "unknown" } });
}).on("close", () => process.exit(0));
`,
);
const notes = () =>
  existsSync(log)
    ? readFileSync(log, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
    : [];
const cancellations = () => notes().filter(({ cancelled }) => cancelled).length;
/** The processes of the scripted server that run. */
const alive = () => notes().filter(({ start, pid }) => start && isRunning(pid));
function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
async function until(what, fits) {
  for (let tries = 0; tries < 400; tries++) {
    if (await fits()) return;
    await sleep(25);
  }
  assert.fail(`never: ${what}`);
}

let program;
let filesystem;
before(() => {
  program = join(debugBuild(), "rootwise");
  filesystem = packagesOf("tests/e2e/published")("@modelcontextprotocol/server-filesystem", "dist/index.js");
});

const running = new Set();
after(() => {
  for (const child of running) child.kill("SIGKILL");
});

async function serve({ server = [scripted], options = [] } = {}) {
  const env = { PATH: process.env.PATH, HOME: base };
  const args = ["run", "--http", ...options, "--", process.execPath, ...server];
  const child = spawn(program, args, { cwd: alpha, env, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  const said = [];
  createInterface(child.stderr).on("line", (line) => said.push(line));
  const [line] = await once(createInterface(child.stdout), "line");
  return {
    url: new URL(line),
    said,
    child,
    async stop() {
      if (child.exitCode === null) {
        child.kill("SIGTERM");
        await once(child, "exit");
      }
      running.delete(child);
      return child.exitCode;
    },
  };
}

const kinds = [
  { name: "SDK 1.x", line: 1 },
  { name: "SDK 2.x, legacy", line: 2, mode: "legacy" },
  { name: "SDK 2.x, 2026-07-28", line: 2, mode: { pin: "2026-07-28" } },
];

async function connect({ line, mode }, url, { roots, headers } = {}) {
  const capabilities = { ...(roots && { roots: { listChanged: true } }), sampling: {} };
  const info = { name: "e2e", version: "1" };
  const options =
    line === 1
      ? { capabilities }
      : { capabilities, versionNegotiation: { mode }, inputRequired: { autoFulfill: true } };
  const client = new (line === 1 ? Client1 : Client2)(info, options);
  const state = { roots };
  const listed = async () => ({ roots: state.roots.map((folder) => ({ uri: `file://${folder}` })) });
  if (roots) client.setRequestHandler(line === 1 ? ListRootsRequestSchema : "roots/list", listed);
  await client.connect(new (line === 1 ? Http1 : Http2)(url, { requestInit: { headers } }));
  return {
    client,
    state,
    async call(name, args = {}, ...rest) {
      const { content, isError } = await client.callTool({ name, arguments: args }, ...rest);
      return { text: content.map((part) => part.text).join("\n"), failed: isError === true };
    },
  };
}

for (const kind of kinds) {
  describe(kind.name, () => {
    let at;
    before(async () => {
      at = await serve();
    });
    after(() => at.stop());

    test("a published server sees the client's folder and no other", { timeout: 60_000 }, async () => {
      const files = await serve({ server: [filesystem, "{path}"] });
      const { client, call } = await connect(kind, files.url, { roots: [beta] });
      try {
        assert.ok((await client.listTools()).tools.length > 5);
        assert.deepEqual((await call("list_allowed_directories")).text.split("\n").slice(1), [beta]);
      } finally {
        await client.close();
        await files.stop();
      }
    });

    test("without a project, the model reads the reason; the folder of this program counts for nobody", {
      timeout: 60_000,
    }, async () => {
      const { client, call } = await connect(kind, at.url);
      try {
        const { text, failed } = await call("where");
        assert.ok(failed, text);
        assert.match(text, /No project was found/);
        assert.match(text, /X-Project-Path/i);
      } finally {
        await client.close();
      }
    });

    test("a header names the project", { timeout: 60_000 }, async () => {
      const { client, call } = await connect(kind, at.url, { headers: { "X-Project-Path": beta } });
      try {
        assert.deepEqual(await call("where"), { text: beta, failed: false });
      } finally {
        await client.close();
      }
    });

    test("progress arrives with the call that it is about", { timeout: 60_000 }, async () => {
      const both = await Promise.all([alpha, beta].map((folder) => connect(kind, at.url, { roots: [folder] })));
      try {
        const seen = await Promise.all(
          both.map(async ({ client, call }) => {
            const messages = [];
            // The SDK has something to say itself where a call needs several rounds.
            const onprogress = ({ message }) => message.startsWith(base) && messages.push(message);
            // The argument in the middle is the schema of the result in the first line of the SDK.
            const rest = client instanceof Client1 ? [undefined, { onprogress }] : [{ onprogress }];
            assert.ok(!(await call("progress", {}, ...rest)).failed);
            return messages;
          }),
        );
        assert.deepEqual(
          seen,
          [alpha, beta].map((folder) => [folder, folder, folder]),
        );
      } finally {
        for (const { client } of both) await client.close();
      }
    });

    test("a crash ends the calls that wait, and the next call works", { timeout: 60_000 }, async () => {
      const { client, call } = await connect(kind, at.url, { roots: [alpha] });
      try {
        assert.equal((await call("where")).text, alpha);
        const crashed = await call("crash").catch((error) => ({ text: error.message, failed: true }));
        assert.ok(crashed.failed);
        assert.match(crashed.text, /ended with status 3/);
        assert.equal((await call("where")).text, alpha);
      } finally {
        await client.close();
      }
    });

    test("a server that floods loses nothing of its answer", { timeout: 60_000 }, async () => {
      const { client, call } = await connect(kind, at.url, { roots: [alpha] });
      try {
        assert.equal((await call("flood")).text, "done");
        assert.equal((await call("where")).text, alpha);
      } finally {
        await client.close();
      }
    });
  });
}

test("many clients of both eras at once never meet", { timeout: 120_000 }, async () => {
  const at = await serve();
  const folders = Array.from({ length: 6 }, (_, index) => join(base, `many-${index}`));
  for (const folder of folders) mkdirSync(join(folder, ".git"), { recursive: true });
  const clients = await Promise.all(
    folders.map((folder, index) => connect(kinds[index % 3], at.url, { roots: [folder] })),
  );
  try {
    for (let round = 0; round < 10; round++) {
      const said = await Promise.all(clients.map(({ call }) => call("slow", { ms: (round * 7) % 20 })));
      assert.deepEqual(
        said.map(({ text }) => text),
        folders,
      );
    }
  } finally {
    for (const { client } of clients) await client.close();
    assert.equal(await at.stop(), 0);
  }
});

test("the next call after a change works in the other folder", { timeout: 60_000 }, async () => {
  const at = await serve();
  const { client, state, call } = await connect(kinds[1], at.url, { roots: [alpha] });
  try {
    assert.equal((await call("where")).text, alpha);
    state.roots = [beta];
    await client.sendRootsListChanged();
    assert.equal((await call("where")).text, beta);
  } finally {
    await client.close();
    await at.stop();
  }
});

test("a server's own questions reach the client that it works for", { timeout: 60_000 }, async () => {
  const at = await serve();
  const both = await Promise.all([alpha, beta].map((folder) => connect(kinds[0], at.url, { roots: [folder] })));
  try {
    for (const [index, { client }] of both.entries())
      client.setRequestHandler(CreateMessageRequestSchema, async () => ({
        role: "assistant",
        model: "m",
        content: { type: "text", text: `client ${index}` },
      }));
    const said = await Promise.all(both.map(({ call }) => call("sample")));
    assert.deepEqual(
      said.map(({ text }) => text),
      ["client 0", "client 1"],
    );
  } finally {
    for (const { client } of both) await client.close();
    await at.stop();
  }
});

test("a client of 2026-07-28 that does not read loses its call, and no other client", { timeout: 90_000 }, async () => {
  const at = await serve();
  const others = await Promise.all([alpha, beta].map((folder) => connect(kinds[2], at.url, { roots: [folder] })));
  try {
    for (const { call } of others) await call("where");
    const before = cancellations();
    const body = modern(1, "spate");
    body.params.arguments.times = 100_000;
    body.params._meta.progressToken = 1;
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "x-project-path": alpha,
    };
    const flood = request(at.url, { method: "POST", headers, agent: false });
    flood.on("error", () => {});
    flood.end(JSON.stringify(body));
    const [response] = await once(flood, "response");
    response.pause();
    // The other folder has another server, and the same one goes on when the stream is given up.
    for (let round = 0; round < 20; round++) assert.equal((await others[1].call("where")).text, beta);
    assert.equal((await others[0].call("where")).text, alpha);
    await until("the server learns of it", () => cancellations() > before);
    assert.ok(at.said.some((line) => line.includes("read nothing for 5 s")));
    flood.destroy();
  } finally {
    for (const { client } of others) await client.close();
    await at.stop();
  }
});

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};
const modern = (id, name) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: {
    name,
    arguments: {},
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
      "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    },
  },
});

/** One request as it is; the answer's status, headers and text. */
async function raw(url, { method = "POST", headers = {}, body } = {}) {
  const sent = request(url, {
    method,
    agent: false,
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
  });
  sent.on("error", () => {});
  sent.end(typeof body === "string" || body === undefined ? body : JSON.stringify(body));
  const [response] = await once(sent, "response");
  let text = "";
  for await (const part of response) text += part;
  return { status: response.statusCode, headers: response.headers, text };
}

test("what is no request of a client is refused, and ends nothing", { timeout: 60_000 }, async () => {
  const at = await serve();
  try {
    for (const [headers, status] of [
      [{ host: "evil.example" }, 403],
      [{ origin: "https://evil.example" }, 403],
      [{ origin: "null" }, 403],
      [{ origin: "http://localhost.evil.example" }, 403],
      [{ host: "localhost@evil.example" }, 403],
      [{ origin: "http://localhost:6274" }, 405],
    ])
      assert.equal((await raw(at.url, { method: "GET", headers })).status, status, JSON.stringify(headers));
    const evil = await raw(at.url, { headers: { origin: "https://evil.example" }, body: initialize });
    assert.equal(evil.status, 403);
    for (const body of [
      "",
      "{",
      "[]",
      '["x","initialize"]',
      JSON.stringify([initialize]),
      "null",
      '{"id":1,"id":2,"method":"initialize"}',
      "\u0000",
    ])
      assert.ok([400, 403].includes((await raw(at.url, { body })).status), body);
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    assert.equal((await raw(at.url, { body: list })).status, 400);
    assert.equal((await raw(at.url, { headers: { "mcp-protocol-version": "2026-07-28" }, body: list })).status, 400);
    // The answer comes before the end of what is too long; some systems then report the broken connection.
    const long = await raw(at.url, { body: "x".repeat(65 << 20) }).catch(({ code }) => ({ status: code }));
    assert.ok([413, "ECONNRESET", "EPIPE"].includes(long.status), long.status);
    const lost = { "mcp-session-id": "00000000-0000-4000-8000-000000000000" };
    for (const method of ["POST", "GET", "DELETE"])
      assert.equal(
        (await raw(at.url, { method, headers: lost, body: method === "POST" ? initialize : undefined })).status,
        404,
      );
    assert.equal((await raw(new URL("/other", at.url), { body: initialize })).status, 404);
    // A session that begins, with ends of lines inside its message, and that is left.
    const begun = await raw(at.url, { body: JSON.stringify(initialize, null, 2).replaceAll("\n", "\r\n") });
    assert.match(begun.text, /^data: \{.*"serverInfo"/m);
    const session = { "mcp-session-id": begun.headers["mcp-session-id"] };
    assert.match(session["mcp-session-id"], /^[0-9a-f-]{36}$/);
    assert.equal(
      (await raw(at.url, { headers: session, body: { jsonrpc: "2.0", method: "notifications/initialized" } })).status,
      202,
    );
    assert.match(
      (await raw(at.url, { headers: session, body: { jsonrpc: "2.0", id: 2, method: "ping" } })).text,
      /"id":2/,
    );
    const before = alive().length;
    assert.equal((await raw(at.url, { method: "DELETE", headers: session })).status, 204);
    assert.equal(
      (await raw(at.url, { headers: session, body: { jsonrpc: "2.0", id: 3, method: "ping" } })).status,
      404,
    );
    await until("the server of a client that left ends", () => alive().length === before - 1);
  } finally {
    assert.equal(await at.stop(), 0);
  }
});

test("a client that went away without a word leaves, and one that listens stays", { timeout: 60_000 }, async () => {
  const at = await serve({ options: ["--idle", "1"] });
  const begin = async () => ({ "mcp-session-id": (await raw(at.url, { body: initialize })).headers["mcp-session-id"] });
  try {
    const [gone, listening] = [await begin(), await begin()];
    const stream = request(at.url, { headers: { ...listening, accept: "text/event-stream" } });
    stream.on("error", () => {});
    stream.end();
    const [response] = await once(stream, "response");
    assert.equal(response.statusCode, 200);
    const ping = { jsonrpc: "2.0", id: 9, method: "ping" };
    await sleep(8_000);
    assert.equal((await raw(at.url, { headers: gone, body: ping })).status, 404);
    assert.match((await raw(at.url, { headers: listening, body: ping })).text, /"id":9/);
    stream.destroy();
  } finally {
    await at.stop();
  }
});

test("a client that does not read slows its server down and nobody else", { timeout: 60_000 }, async () => {
  const at = await serve();
  const other = await connect(kinds[1], at.url, { roots: [beta] });
  try {
    const begun = await raw(at.url, { body: initialize });
    const headers = {
      "content-type": "application/json",
      "mcp-session-id": begun.headers["mcp-session-id"],
      "x-project-path": alpha,
    };
    await raw(at.url, { headers, body: { jsonrpc: "2.0", method: "notifications/initialized" } });
    const flood = request(at.url, { method: "POST", headers });
    flood.on("error", () => {});
    flood.end(
      JSON.stringify({
        jsonrpc: "2.0",
        id: 2,
        method: "tools/call",
        params: { name: "flood", arguments: { times: 500_000 } },
      }),
    );
    const [response] = await once(flood, "response");
    response.pause();
    for (let round = 0; round < 30; round++) {
      assert.equal((await other.call("where")).text, beta);
      await sleep(100);
    }
    if (process.platform === "linux") {
      const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${at.child.pid}/status`, "utf8"));
      assert.ok(kilobytes < 80_000, `${kilobytes} kB, with 110 MB that wait to be read`);
    }
    flood.destroy();
  } finally {
    await other.client.close();
    await at.stop();
  }
});

test("it listens on this machine alone, and says so if the port is taken", { timeout: 60_000 }, async (context) => {
  const at = await serve();
  try {
    assert.equal(at.url.hostname, "127.0.0.1");
    const again = spawnSync(program, ["run", "--http", at.url.port, "--", "cat"], { encoding: "utf8" });
    assert.equal(again.status, 2);
    assert.match(again.stderr, new RegExp(`127.0.0.1:${at.url.port} cannot be served: .*name another port`));
    const other = Object.values(networkInterfaces())
      .flat()
      .find(({ internal, family }) => !internal && family === "IPv4");
    if (!other) return context.diagnostic("this machine has no other address to try");
    const socket = connectTo(Number(at.url.port), other.address);
    const [error] = await once(socket, "error");
    assert.equal(error.code, "ECONNREFUSED");
  } finally {
    await at.stop();
  }
});

test("whoever closes the stream of a modern call cancels it, and no other call", { timeout: 60_000 }, async () => {
  const at = await serve();
  try {
    const headers = {
      "content-type": "application/json",
      accept: "text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "x-project-path": alpha,
    };
    const begin = (name) => {
      const sent = request(at.url, { method: "POST", headers });
      sent.on("error", () => {});
      sent.end(JSON.stringify(modern(1, name)));
      return sent;
    };
    const hanging = begin("hang");
    await once(hanging, "response");
    const other = begin("hang");
    await once(other, "response");
    const before = cancellations();
    await until("both calls reach the server", () => notes().filter(({ hangs }) => hangs).length === 2);
    hanging.destroy();
    await until("the server hears of it", () => cancellations() > before);
    assert.equal(cancellations(), before + 1);
    other.destroy();
    await until("the other one as well", () => cancellations() === before + 2);
  } finally {
    await at.stop();
  }
});

test("a signal ends every server", { timeout: 60_000 }, async () => {
  const at = await serve();
  const clients = await Promise.all(kinds.map((kind) => connect(kind, at.url, { roots: [alpha] })));
  for (const { call } of clients) assert.equal((await call("where")).text, alpha);
  assert.equal(await at.stop(), 0);
  await until("no server is left", () => alive().length === 0);
  for (const { client } of clients) await client.close().catch(() => {});
});
