// Clients on other machines: what a caller over HTTP learns about the disk of the server, and which of its folders are projects.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import disk from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { McpServer as Server1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { WebStandardStreamableHTTPServerTransport as Web1 } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import {
  createMcpHandler,
  McpServer as Server2,
  WebStandardStreamableHTTPServerTransport as Web2,
} from "@modelcontextprotocol/server";
import { backend } from "rootwise";
import { projectGate, rootwise } from "rootwise/mcp";
import { z } from "zod";
import { addonFile } from "../../scripts/platforms.mjs";

const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-remote-")));
after(() => rmSync(base, { recursive: true, force: true }));
const at = (...parts) => join(base, ...parts);
for (const folder of ["srv/alpha", "srv/beta", "outside"]) mkdirSync(at(folder), { recursive: true });
writeFileSync(at("srv/file.txt"), "");
symlinkSync(at("srv/beta"), at("srv/inner"));
symlinkSync(at("outside"), at("srv/escape"));
symlinkSync(at("nowhere"), at("srv/dangling"));
symlinkSync(at("srv/alpha"), at("back"));

/** The paths below `base` that were checked on disk. */
const looked = [];
for (const name of ["stat", "lstat", "realpath", "access"]) {
  const original = disk[name];
  disk[name] = (path, ...rest) => {
    if (String(path).startsWith(base)) looked.push(String(path));
    return original.call(disk, path, ...rest);
  };
}

// The addon examines all paths of a probe at once.
if (backend.kind === "native") {
  const addon = createRequire(import.meta.url)(addonFile());
  const { probe } = addon;
  addon.probe = (paths) => {
    looked.push(...JSON.parse(paths).flatMap(({ path }) => (path.startsWith(base) ? [path] : [])));
    return probe(paths);
  };
}

const eras = [
  {
    name: "SDK 1.x",
    Server: Server1,
    Web: Web1,
    shape: (shape) => shape,
    Client: Client1,
    Http: Http1,
    method: ListRootsRequestSchema,
  },
  {
    name: "SDK 2.x, legacy",
    Server: Server2,
    Web: Web2,
    shape: z.object,
    Client: Client2,
    Http: Http2,
    method: "roots/list",
  },
  {
    name: "SDK 2.x, 2026-07-28",
    Server: Server2,
    shape: z.object,
    Client: Client2,
    Http: Http2,
    method: "roots/list",
    modern: true,
  },
];

const text = (value) => ({
  content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }],
});
const shown = ({ path, clientPath, realPath }) => ({ path, clientPath, realPath });

function offer({ Server, shape }, options) {
  const server = new Server({ name: "remote", version: "1" });
  const projects = rootwise(server, { argument: "project_path", ...options });
  const project_path = z.string().optional();
  server.registerTool("where", { inputSchema: shape({ project_path }) }, async (_args, ctx) =>
    text(shown(await projects.project(ctx))),
  );
  server.registerTool("roots", { inputSchema: shape({}) }, async (_args, ctx) => text(await projects.roots(ctx)));
  server.registerTool("inside", { inputSchema: shape({ path: z.string() }) }, async ({ path }, ctx) =>
    text(await projects.resolve(ctx, path)),
  );
  projects.registerTools();
  return server;
}

/** Connects a client on another machine; everything runs in this process. */
async function meet(era, options, { roots, headers = {}, query = "" } = {}) {
  const sessions = new Map();
  const legacy = async (request) => {
    let transport = sessions.get(request.headers.get("mcp-session-id"));
    if (!transport) {
      transport = new era.Web({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => sessions.set(id, transport),
      });
      await offer(era, options).connect(transport);
    }
    return transport.handleRequest(request);
  };
  const modern = era.modern && createMcpHandler(() => offer(era, options));
  const fetch = (input, init) => {
    if (init?.method === "GET") return new Response(null, { status: 405 });
    const request = new Request(input, {
      ...init,
      headers: { ...Object.fromEntries(new Headers(init.headers)), ...headers },
    });
    return modern ? modern.fetch(request) : legacy(request);
  };
  const mode = era.modern ? { pin: "2026-07-28" } : "legacy";
  const client = new era.Client(
    { name: "remote", version: "1" },
    {
      capabilities: roots ? { roots: { listChanged: true } } : {},
      ...(era.Client === Client2 ? { versionNegotiation: { mode } } : {}),
    },
  );
  const state = { roots };
  if (roots) client.setRequestHandler(era.method, async () => ({ roots: state.roots.map((uri) => ({ uri })) }));
  await client.connect(new era.Http(new URL(`http://localhost/mcp${query}`), { fetch }));
  return {
    state,
    client,
    async call(name, args = {}) {
      const { content, isError = false } = await client.callTool({ name, arguments: args });
      return { said: content[0].text, isError };
    },
  };
}

/** Every way in which a caller can name a folder; each returns what the caller then reads. */
const ways = {
  root: async (era, options, path) => (await meet(era, options, { roots: [`file://${path}`] })).call("where"),
  header: async (era, options, path) =>
    (await meet(era, options, { headers: { "x-project-path": path } })).call("where"),
  query: async (era, options, path) =>
    (await meet(era, options, { query: `?project_path=${encodeURIComponent(path)}` })).call("where"),
  argument: async (era, options, path) => (await meet(era, options)).call("where", { project_path: path }),
  select: async (era, options, path) => (await meet(era, options)).call("switch_project", { project: path }),
  "select after roots": async (era, options, path) =>
    (await meet(era, options, { roots: [`file://${path}`] })).call("switch_project", { project: path }),
  roots: async (era, options, path) => (await meet(era, options, { roots: [`file://${path}`] })).call("roots"),
  list_roots: async (era, options, path) =>
    (await meet(era, options, { roots: [`file://${path}`] })).call("list_roots"),
  which_project: async (era, options, path) =>
    (await meet(era, options, { roots: [`file://${path}`] })).call("which_project"),
  "path inside a root": async (era, options, path) =>
    (await meet(era, options, { roots: [`file://${path}`] })).call("inside", { path: join(path, "x") }),
};

const folders = ["srv/alpha", "srv/missing", "srv/file.txt", "srv/escape", "srv/inner", "outside", "missing"];
/** What the caller reads, with the folder that it named itself left out. */
const without = (path, { said, isError }) => ({ said: said.replaceAll(path, "…"), isError });

for (const era of eras) {
  describe(era.name, { timeout: 60_000 }, () => {
    for (const [way, ask] of Object.entries(ways)) {
      test(`by default a caller learns nothing about a folder that it names: ${way}`, async () => {
        looked.length = 0;
        const answers = new Set();
        // Names of one length and form, so that nothing but the disk could make a difference.
        for (const name of folders) {
          const path = at(name);
          const answer = without(path, await ask(era, {}, path));
          answers.add(JSON.stringify(answer).replaceAll(name.split("/").at(-1), "…"));
        }
        assert.equal(answers.size, 1, [...answers].join("\n"));
        assert.deepEqual(looked, []);
      });
    }

    test("by default a folder on another machine is refused, with the three ways out", async () => {
      for (const way of ["root", "header", "query", "argument"]) {
        const { said, isError } = await ways[way](era, {}, at("srv/alpha"));
        assert.ok(isError, said);
        for (const out of ["`local`", "`allowedDirs`", "`requirePath`"])
          assert.ok(said.includes(out), `${way}: ${said}`);
      }
    });

    test("where no path is required, the folder is the client's, in its own spelling", async () => {
      for (const [given, clientPath] of [
        [at("srv/alpha"), at("srv/alpha")],
        [at("missing"), at("missing")],
        ["/C:/Users/me/proj", "C:\\Users\\me\\proj"],
      ]) {
        looked.length = 0;
        for (const way of given.startsWith("/C:") ? ["root"] : ["root", "header", "query", "argument"]) {
          const { said, isError } = await ways[way](era, { requirePath: false }, given);
          assert.ok(!isError, said);
          assert.deepEqual(JSON.parse(said), { clientPath }, way);
        }
        const { roots } = JSON.parse((await ways.roots(era, { requirePath: false }, given)).said);
        assert.deepEqual(
          roots.map(({ path, clientPath, exists, problem }) => ({ path, clientPath, exists, problem })),
          [{ path: undefined, clientPath, exists: undefined, problem: undefined }],
        );
        assert.deepEqual(looked, []);
      }
    });

    test("a Windows client never gets a path that no machine has", async () => {
      for (const options of [{}, { requirePath: false }, { allowedDirs: [at("srv")] }]) {
        for (const way of ["root", "roots", "list_roots", "which_project"]) {
          const { said } = await ways[way](era, options, "/C:/Users/me/proj");
          assert.doesNotMatch(said, /(?<!file:\/\/)\/C:\//, `${way} ${JSON.stringify(options)}`);
        }
      }
    });

    test("with allowedDirs, folders verified inside are projects, and everything else gets one answer", async () => {
      const options = { allowedDirs: [at("srv")] };
      for (const way of ["root", "header", "query", "argument", "select"]) {
        if (way === "select" && era.modern) continue;
        for (const [name, real] of [
          ["srv/alpha", "srv/alpha"],
          ["srv/inner", "srv/beta"],
        ]) {
          const { said, isError } = await ways[way](era, options, at(name));
          assert.ok(!isError, `${way} ${name}: ${said}`);
          if (way !== "select") assert.deepEqual(JSON.parse(said), { path: at(name), realPath: at(real) });
        }
        const refused = new Set();
        for (const name of [
          "srv/missing",
          "srv/escape",
          "srv/dangling",
          "srv/escape/deeper",
          "outside",
          "missing",
          "back",
          "srv/../outside",
        ]) {
          const answer = await ways[way](era, options, at(name).includes("..") ? at(name) : `${base}/${name}`);
          assert.ok(answer.isError, `${way} ${name}: ${answer.said}`);
          refused.add(JSON.stringify(without(`${base}/${name}`, without(at(name), answer))));
        }
        assert.equal(refused.size, 1, `${way}\n${[...refused].join("\n")}`);
      }
    });

    test("with allowedDirs, a link that changes between two calls is followed again", async () => {
      for (const way of era.modern ? ["root", "header", "argument"] : ["root", "header", "argument", "select"]) {
        const link = at("srv", `moving-${way}-${randomUUID()}`);
        symlinkSync(at("srv/alpha"), link);
        const peer = await meet(
          era,
          { allowedDirs: [at("srv")] },
          way === "root"
            ? { roots: [`file://${link}`] }
            : way === "header"
              ? { headers: { "x-project-path": link } }
              : {},
        );
        if (way === "select") await peer.call("switch_project", { project: link });
        const where = () => peer.call("where", way === "argument" ? { project_path: link } : {});
        assert.deepEqual(JSON.parse((await where()).said), { path: link, realPath: at("srv/alpha") });
        rmSync(link);
        symlinkSync(at("outside"), link);
        const { said, isError } = await where();
        assert.ok(isError, `${way}: ${said}`);
        rmSync(link);
      }
    });

    test("an empty list of allowed folders allows nothing", async () => {
      for (const way of ["root", "header", "query", "argument"])
        assert.ok((await ways[way](era, { allowedDirs: [] }, at("srv/alpha"))).isError, way);
    });
  });
}

test("the gate takes the option that its refusal names", async () => {
  const request = () => new Request("http://localhost/mcp", { headers: { "X-Project-Path": at("srv/alpha") } });
  looked.length = 0;
  assert.match((await projectGate().check(request())).refusal.body, /`local`/);
  assert.deepEqual(looked, []);
  for (const options of [{ local: true }, { host: { local: true } }, { local: false, host: { local: true } }])
    assert.equal((await projectGate(options).check(request())).project?.path, at("srv/alpha"), JSON.stringify(options));
  assert.ok(looked.includes(at("srv/alpha")));
  assert.throws(() => projectGate({ local: "yes" }), /local/);
});

test("the gate gives one answer for every folder, and checks none", async () => {
  looked.length = 0;
  const gate = projectGate({ header: "X-Project-Path" });
  const ask = async (name) =>
    gate.check(new Request("http://localhost/mcp", { headers: { "X-Project-Path": at(name) } }));
  const answers = await Promise.all(
    folders.map(async (name) => JSON.stringify(await ask(name)).replaceAll(at(name), "…")),
  );
  assert.equal(new Set(answers).size, 1, answers.join("\n"));
  assert.match(answers[0], /"status":400.*other_machine/s);
  const identities = projectGate({ header: "X-Project-Path", requirePath: false });
  const { project } = await identities.check(
    new Request("http://localhost/mcp", { headers: { "X-Project-Path": at("missing") } }),
  );
  assert.deepEqual(shown(project), { path: undefined, clientPath: at("missing"), realPath: undefined });
  assert.deepEqual(looked, []);
});
