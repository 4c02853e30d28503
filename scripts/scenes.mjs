// The clients of `npm start`: real clients of both SDK generations, one after the other, with a real server.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** Plays every scene with the program and passes a row to `show` as soon as it is known: `{ client, project, milliseconds, from, note, text }`. */
export async function play(program, show) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-start-")));
  try {
    await scenes(base, program, show);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

async function scenes(base, program, show) {
  const sdk = await clients();
  const folder = (name) => {
    mkdirSync(join(base, name, ".git"), { recursive: true });
    return join(base, name);
  };
  const [shop, blog, home] = ["shop", "blog", "started-here"].map(folder);
  const roots = (...paths) => paths.map((path) => ({ uri: `file://${path}` }));
  const server = { cwd: home, env: { PATH: process.env.PATH, HOME: process.env.HOME } };
  const http = await serve(program, server);
  const all = [
    { who: "SDK 1.x, roots", client: sdk.first(() => roots(shop)), stdio: sdk.stdio1 },
    { who: "SDK 2.x, roots", client: sdk.second("legacy", () => roots(shop)), stdio: sdk.stdio2 },
    { who: "SDK 2.x, protocol 2026-07-28, roots", client: sdk.second("modern", () => roots(shop)), stdio: sdk.stdio2 },
    { who: "SDK 1.x, two roots", client: sdk.first(() => roots(blog, shop)), stdio: sdk.stdio1 },
    { who: "SDK 2.x, no roots", client: sdk.second("legacy"), stdio: sdk.stdio2 },
    { who: "SDK 1.x, no roots, a variable", client: sdk.first(), stdio: sdk.stdio1, env: { CLAUDE_PROJECT_DIR: blog } },
    { who: "SDK 2.x, HTTP, roots", client: sdk.second("legacy", () => roots(blog)), http: sdk.http2(http.url) },
    {
      who: "SDK 2.x, HTTP, protocol 2026-07-28",
      client: sdk.second("modern", () => roots(blog)),
      http: sdk.http2(http.url),
    },
    { who: "SDK 1.x, HTTP, a header", client: sdk.first(), http: sdk.http1(http.url, { "X-Project-Path": shop }) },
    { who: "SDK 1.x, never answers", client: sdk.first(() => new Promise(() => {})), stdio: sdk.stdio1, twice: true },
    {
      who: "SDK 2.x, changes its roots",
      client: sdk.second("legacy", (asked) => roots(asked === 1 ? shop : blog)),
      stdio: sdk.stdio2,
      change: true,
    },
  ];
  try {
    for (const { who, client, stdio, env, http: over, twice, change } of all) {
      const transport =
        over ?? stdio({ command: program, args: ["whereami"], ...server, env: { ...server.env, ...env } });
      await client.connect(transport);
      try {
        show(await call(base, who, client));
        if (twice) show(await call(base, "  its next call", client));
        if (change) {
          await client.sendRootsListChanged();
          show(await call(base, "  after the change", client));
        }
      } finally {
        await client.close();
      }
    }
  } finally {
    http.stop();
  }
}

async function call(base, client, connected) {
  const began = performance.now();
  const { structuredContent, content } = await connected.callTool({ name: "whereami", arguments: {} });
  const milliseconds = Math.round(performance.now() - began);
  const [{ project, why }] = structuredContent.choices;
  const words = {
    roots: "the client's roots",
    cwd: "the folder the server was started in",
    env: "the variable",
    header: "the header",
  };
  const notes = { overdue: "the client did not answer roots/list", undeclared: "the client declares no roots" };
  return {
    client,
    project: project ? (project.path ?? project.name).replace(`${base}/`, "") : "none",
    milliseconds,
    from: project ? [words[project.source] ?? project.source, project.via].filter(Boolean).join(" ") : why,
    note: notes[structuredContent.roots.state] ?? "",
    text: content[0].text,
  };
}

/** Loads the clients of both SDKs. */
async function clients() {
  const [
    { Client: Client1 },
    { StdioClientTransport: Stdio1 },
    { StreamableHTTPClientTransport: Http1 },
    { ListRootsRequestSchema },
  ] = await Promise.all([
    import("@modelcontextprotocol/sdk/client/index.js"),
    import("@modelcontextprotocol/sdk/client/stdio.js"),
    import("@modelcontextprotocol/sdk/client/streamableHttp.js"),
    import("@modelcontextprotocol/sdk/types.js"),
  ]);
  const [{ Client: Client2, StreamableHTTPClientTransport: Http2 }, { StdioClientTransport: Stdio2 }] =
    await Promise.all([import("@modelcontextprotocol/client"), import("@modelcontextprotocol/client/stdio")]);
  const info = { name: "rootwise-start", version: "1" };
  const answering = (client, method, roots) => {
    let asked = 0;
    if (roots) client.setRequestHandler(method, async () => ({ roots: await roots((asked += 1)) }));
    return client;
  };
  const capabilities = (roots) => ({ capabilities: roots ? { roots: { listChanged: true } } : {} });
  return {
    first: (roots) => answering(new Client1(info, capabilities(roots)), ListRootsRequestSchema, roots),
    second: (era, roots) => {
      const mode = era === "modern" ? { pin: "2026-07-28" } : "legacy";
      return answering(
        new Client2(info, { ...capabilities(roots), versionNegotiation: { mode } }),
        "roots/list",
        roots,
      );
    },
    stdio1: (options) => new Stdio1(options),
    stdio2: (options) => new Stdio2(options),
    http1: (url, headers) => new Http1(new URL(url), { requestInit: { headers } }),
    http2: (url) => new Http2(new URL(url)),
  };
}

async function serve(program, options) {
  const child = spawn(program, ["whereami", "--http"], {
    ...options,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [url] = await once(createInterface(child.stdout), "line");
  return { url, stop: () => child.kill() };
}
