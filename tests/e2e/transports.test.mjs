// Whose folders count depends on the transport: only the standard input of this process belongs to whoever started it. And what
// each transport carries besides: addresses, headers, capabilities, two clients on one pipe.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer, request } from "node:http";
import { connect as dial, createServer as createSocketServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, describe, test } from "node:test";
import { Client as Client2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { InMemoryTransport as Memory1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as Server1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { StdioServerTransport as Stdio1 } from "@modelcontextprotocol/sdk/server/stdio.js";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { InMemoryTransport as Memory2, McpServer as Server2 } from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport as Stdio2 } from "@modelcontextprotocol/server/stdio";
import { projectGate, rootwise } from "rootwise/mcp";
import { packagesOf } from "../tools.mjs";
import { at } from "./clients.mjs";

const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-transports-")));
after(() => rmSync(base, { recursive: true, force: true }));
const [alpha, beta] = ["alpha", "beta"].map((name) => {
  mkdirSync(join(base, name));
  return join(base, name);
});
const info = { name: "transports", version: "1" };
const text = (text) => ({ content: [{ type: "text", text }] });
const rootsOf = (...paths) => ({ roots: paths.map((path) => ({ uri: `file://${path}` })) });
const called = async (client, name, args = {}) => (await client.callTool({ name, arguments: args })).content[0].text;

const generations = [
  {
    name: "SDK 1.x",
    Server: Server1,
    Client: Client1,
    Memory: Memory1,
    Stdio: Stdio1,
    method: ListRootsRequestSchema,
    connect: (make, transport) => make().connect(transport),
  },
  {
    name: "SDK 2.x",
    Server: Server2,
    Client: Client2,
    Memory: Memory2,
    Stdio: Stdio2,
    method: "roots/list",
    connect: (make, transport) => make().connect(transport),
  },
  {
    name: "SDK 2.x, serveStdio",
    Server: Server2,
    Client: Client2,
    Memory: Memory2,
    Stdio: Stdio2,
    method: "roots/list",
    connect: async (make, transport) => void serveStdio(make, { transport }),
  },
];

/** A client's end of a socket that carries one message per line. */
function lineTransport(socket) {
  const transport = {
    async start() {
      createInterface(socket).on("line", (line) => transport.onmessage?.(JSON.parse(line)));
      socket.on("close", () => transport.onclose?.());
    },
    send: async (message) => void socket.write(`${JSON.stringify(message)}\n`),
    close: async () => void socket.destroy(),
  };
  return transport;
}

for (const { name, Server, Client, Memory, Stdio, method, connect } of generations) {
  describe(name, { timeout: 60_000 }, () => {
    const maker = (options) => () => {
      const server = new Server(info);
      const projects = rootwise(server, options);
      server.registerTool("where", {}, async (ctx) =>
        text(
          await projects.project(ctx).then(
            ({ path }) => path,
            ({ code }) => code,
          ),
        ),
      );
      projects.registerTools();
      return server;
    };
    const clientOf = async (transport) => {
      const client = new Client(info, { capabilities: { roots: { listChanged: true } } });
      client.setRequestHandler(method, async () => rootsOf(alpha));
      await client.connect(transport);
      return client;
    };

    test("a client on a socket is remote unless the server says otherwise", async () => {
      for (const [options, where] of [
        [{}, "other_machine"],
        [{ local: true }, alpha],
        [{ allowedDirs: [base] }, alpha],
      ]) {
        const server = createSocketServer((socket) => connect(maker(options), new Stdio(socket, socket)));
        server.listen(0, "127.0.0.1");
        await once(server, "listening");
        const client = await clientOf(lineTransport(dial(server.address().port, "127.0.0.1")));
        assert.equal(await called(client, "where"), where);
        assert.doesNotMatch(await called(client, "which_project"), /over stdio/);
        await client.close();
        server.close();
      }
    });

    test("a transport in memory is local unless the server says otherwise, and carries requests at any time", async () => {
      for (const [options, where] of [
        [{}, alpha],
        [{ local: true }, alpha],
        [{ local: false }, "other_machine"],
        [{ host: { local: false } }, "other_machine"],
      ]) {
        const [one, other] = Memory.createLinkedPair();
        await connect(maker(options), one);
        const client = await clientOf(other);
        assert.equal(await called(client, "where"), where);
        await client.close();
      }
    });

    if (name.endsWith("x"))
      test("the server declares that it reads the folder of Codex's sandbox, unless told not to", async () => {
        const declared = async (prepare) => {
          const [one, other] = Memory.createLinkedPair();
          const server = new Server(info);
          await prepare(server, one);
          if (!server.isConnected()) await server.connect(one);
          const client = await clientOf(other);
          const { experimental } = client.getServerCapabilities();
          await client.close();
          return experimental;
        };
        const codex = { "codex/sandbox-state-meta": {} };
        assert.deepEqual(await declared((server) => rootwise(server)), codex);
        assert.equal(await declared((server) => rootwise(server, { codexMeta: false })), undefined);
        assert.deepEqual(
          await declared(
            (server) => (server.server.registerCapabilities({ experimental: { own: {} } }), rootwise(server)),
          ),
          { own: {}, ...codex },
        );
        assert.deepEqual(
          await declared(
            (server) => (rootwise(server), server.server.registerCapabilities({ experimental: { own: {} } })),
          ),
          { ...codex, own: {} },
        );
        assert.equal(
          await declared(async (server, transport) => (await server.connect(transport), rootwise(server))),
          undefined,
        );
        // A policy that does not read it.
        assert.equal(
          await declared((server) => rootwise(server, { policy: { name: "own", sources: [{ from: "roots" }] } })),
          undefined,
        );
      });
  });
}

describe("SSE", { timeout: 60_000 }, () => {
  const sdks = packagesOf("tests/e2e/sdks");
  const versions = [{ version: "1.x", load: async () => ({ McpServer: Server1, SSEServerTransport }) }];
  for (const version of ["1.20", "1.26"]) {
    const part = (file) => import(sdks(`sdk-${version}`, "dist/esm/server", file));
    versions.push({ version, load: async () => ({ ...(await part("mcp.js")), ...(await part("sse.js")) }) });
  }
  for (const { version, load } of versions) {
    test(`SDK ${version}: the address of the stream names the project of its calls`, async () => {
      const { McpServer, SSEServerTransport } = await load();
      const sessions = new Map();
      const http = createServer(async (req, res) => {
        const { pathname, searchParams } = new URL(req.url, "http://localhost");
        if (pathname === "/messages") return sessions.get(searchParams.get("sessionId")).handlePostMessage(req, res);
        const transport = new SSEServerTransport("/messages", res);
        sessions.set(transport.sessionId, transport);
        const server = new McpServer(info);
        const projects = rootwise(server, { local: true });
        server.registerTool("where", {}, async (ctx) =>
          text(
            await projects.project(ctx).then(
              ({ path, source }) => `${source} ${path}`,
              ({ code }) => code,
            ),
          ),
        );
        await server.connect(transport);
      });
      http.listen(0, "127.0.0.1");
      await once(http, "listening");
      const where = async (query, headers = {}) => {
        const client = new Client1(info, { capabilities: { roots: {} } });
        client.setRequestHandler(ListRootsRequestSchema, async () => rootsOf(alpha));
        await client.connect(
          new SSEClientTransport(new URL(`http://127.0.0.1:${http.address().port}/sse${query}`), {
            requestInit: { headers },
          }),
        );
        const said = await called(client, "where");
        await client.close();
        return said;
      };
      try {
        assert.equal(await where(""), `roots ${alpha}`);
        assert.equal(await where(`?project_path=${encodeURIComponent(beta)}`), `query ${beta}`);
        assert.equal(await where("?project_path=relative"), "relative");
        // The header of a request ranks above the query.
        assert.equal(
          await where(`?project_path=${encodeURIComponent(beta)}`, { "X-Project-Path": alpha }),
          `header ${alpha}`,
        );
      } finally {
        http.closeAllConnections();
        http.close();
      }
    });
  }
});

test("several lines of the project header are one value, which names no folder", { timeout: 60_000 }, async () => {
  const gate = projectGate({ allowedDirs: [base] });
  const http = createServer((req, res) => gate(req, res, () => res.end(req.rootwise?.path ?? "none")));
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const get = async (...values) => {
    const sent = request({ port: http.address().port, headers: { "x-project-path": values } }).end();
    const [response] = await once(sent, "response");
    let body = "";
    for await (const part of response) body += part;
    return [response.statusCode, body];
  };
  try {
    assert.deepEqual(await get(alpha), [200, alpha]);
    for (const values of [
      [alpha, beta],
      [beta, alpha],
    ])
      assert.equal((await get(...values))[0], 400);
    // Frameworks that keep the lines apart.
    const verdict = await new Promise((resolve) =>
      gate({ headers: { "x-project-path": [alpha, beta] } }, { writeHead: resolve, end() {} }, () => resolve("passed")),
    );
    assert.equal(verdict, 400);
  } finally {
    http.close();
  }
});

test("a project header in UTF-8 names its folder, and so does one in ISO 8859-1", { timeout: 60_000 }, async () => {
  const folder = join(base, "jürgen");
  mkdirSync(folder);
  const gate = projectGate({ allowedDirs: [base] });
  for (const encoding of ["utf8", "latin1"]) {
    // As Node and the Fetch API pass the bytes of a header.
    const headers = { "x-project-path": Buffer.from(folder, encoding).toString("latin1") };
    const passed = { headers };
    await new Promise((resolve) => gate(passed, { writeHead: resolve, end() {} }, resolve));
    assert.equal(passed.rootwise?.path, folder, encoding);
    const { project } = await gate.check({ headers: new Headers(headers), url: "http://localhost/" });
    assert.equal(project?.path, folder, encoding);
  }
});

describe("two clients on one pipe", { timeout: 60_000 }, () => {
  /** A gateway as some are: every client's messages go to one server, and its messages go to every client. */
  function gateway(server) {
    const child = spawn(process.execPath, [at(`servers/${server}.mjs`)], { stdio: ["pipe", "pipe", "inherit"] });
    const clients = new Set();
    createInterface(child.stdout).on("line", (line) => {
      for (const client of clients) client.onmessage?.(JSON.parse(line));
    });
    return {
      join() {
        const transport = {
          start: async () => void clients.add(transport),
          send: async (message) => void child.stdin.write(`${JSON.stringify(message)}\n`),
          close: async () => void (clients.delete(transport), transport.onclose?.()),
        };
        return transport;
      },
      async stop() {
        child.kill();
        if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      },
    };
  }

  for (const server of ["sdk1", "sdk2"]) {
    // Clients number their messages as they like; with distinct numbers, only a second answer to one request shows them.
    for (const [numbers, first] of [
      ["equal", 0],
      ["distinct", 1000],
    ])
      test(`server ${server}: no client is told the project of the other, with ${numbers} numbers`, async () => {
        const { join, stop } = gateway(server);
        const open = async (path, first = 0) => {
          const client = new Client1(info, { capabilities: { roots: {} } });
          client._requestMessageId = first;
          client.setRequestHandler(ListRootsRequestSchema, async () => rootsOf(path));
          // Answers to the other client's requests.
          client.onerror = () => {};
          await client.connect(join());
          return client;
        };
        try {
          const one = await open(alpha);
          assert.equal(JSON.parse(await called(one, "where")).path, alpha);
          const two = await open(beta, first);
          for (let turn = 0; turn < 3; turn += 1) {
            for (const client of [two, one]) {
              const said = await called(client, "where");
              assert.doesNotMatch(said, /"path"/, said);
              assert.match(said, /gateway/);
            }
          }
          await Promise.all([one.close(), two.close()]);
        } finally {
          await stop();
        }
      });

    test(`server ${server}: a client that comes again is one client`, async () => {
      const { join, stop } = gateway(server);
      try {
        for (const path of [alpha, beta]) {
          const client = new Client1(info, { capabilities: { roots: {} } });
          client.setRequestHandler(ListRootsRequestSchema, async () => rootsOf(path));
          await client.connect(join());
          for (let turn = 0; turn < 2; turn += 1) assert.equal(JSON.parse(await called(client, "where")).path, path);
          await client.close();
        }
      } finally {
        await stop();
      }
    });
  }
});
