// npm start: connects real MCP clients of both SDK generations to a real server and shows which project each one gets.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { at, bold, cyan, dim, green, main, node, prepare, red, yellow } from "./tools.mjs";

const help = `npm start -- [options]

Starts the server \`rootwise whereami\`, connects real clients to it one after the other, and prints the project of each
client, its source, and the duration of the call. Builds the package first if necessary.

  --report   also print the full report of the first client
  --help     print this text

npm run replay shows a recorded conversation step by step instead.`;

main(async () => {
  const { values } = parseArgs({ options: { report: { type: "boolean" }, help: { type: "boolean" } } });
  if (values.help) return console.log(help);
  await prepare();
  if (!existsSync(at("dist", "cjs", "whereami", "cli.js"))) await node("scripts/build.mjs", "--wasm", "--addon", "--typescript");
  const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-start-")));
  try {
    await show(base, values);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
});

async function show(base, { report }) {
  const sdk = await clients();
  const folder = (name) => {
    mkdirSync(join(base, name, ".git"), { recursive: true });
    return join(base, name);
  };
  const [shop, blog, home] = ["shop", "blog", "started-here"].map(folder);
  const roots = (...paths) => paths.map((path) => ({ uri: `file://${path}` }));
  const server = { cwd: home, env: { PATH: process.env.PATH, HOME: process.env.HOME } };
  const http = await serve(server);
  const scenes = [
    { who: "SDK 1.x, roots", client: sdk.first(() => roots(shop)), stdio: sdk.stdio1 },
    { who: "SDK 2.x, roots", client: sdk.second("legacy", () => roots(shop)), stdio: sdk.stdio2 },
    { who: "SDK 2.x, 2026-07-28, roots", client: sdk.second("modern", () => roots(shop)), stdio: sdk.stdio2 },
    { who: "SDK 1.x, two roots", client: sdk.first(() => roots(blog, shop)), stdio: sdk.stdio1 },
    { who: "SDK 2.x, no roots", client: sdk.second("legacy"), stdio: sdk.stdio2 },
    { who: "SDK 1.x, no roots, variable", client: sdk.first(), stdio: sdk.stdio1, env: { CLAUDE_PROJECT_DIR: blog } },
    { who: "SDK 2.x, HTTP, roots", client: sdk.second("legacy", () => roots(blog)), http: sdk.http2(http.url) },
    { who: "SDK 2.x, HTTP, 2026-07-28", client: sdk.second("modern", () => roots(blog)), http: sdk.http2(http.url) },
    { who: "SDK 1.x, HTTP, header", client: sdk.first(), http: sdk.http1(http.url, { "X-Project-Path": shop }) },
    { who: "SDK 1.x, never answers", client: sdk.first(() => new Promise(() => {})), stdio: sdk.stdio1, twice: true },
    { who: "SDK 2.x, changes its roots", client: sdk.second("legacy", (asked) => roots(asked === 1 ? shop : blog)), stdio: sdk.stdio2, change: true },
  ];
  console.log(`\n${bold("Which project does each client get?")} ${dim(`folders are in ${base}`)}\n`);
  let first;
  try {
    for (const { who, client, stdio, env, http: over, twice, change } of scenes) {
      const transport = over ?? stdio({ command: process.execPath, args: [at("dist", "cjs", "whereami", "cli.js"), "whereami"], ...server, env: { ...server.env, ...env } });
      await client.connect(transport);
      try {
        const told = await line(base, who, client);
        first ??= told;
        if (twice) await line(base, `${who}, again`, client);
        if (change) {
          await client.sendRootsListChanged();
          await line(base, `${who}, after`, client);
        }
      } finally {
        await client.close();
      }
    }
  } finally {
    http.stop();
  }
  if (report) console.log(`\n${first.text}`);
  else console.log(dim("\nThe full report of a client: npm start -- --report"));
}

/** Calls the tool and prints its result. */
async function line(base, who, client) {
  const began = performance.now();
  const { structuredContent, content } = await client.callTool({ name: "whereami", arguments: {} });
  const took = `${Math.round(performance.now() - began)} ms`;
  const [{ project, why }] = structuredContent.choices;
  const what = project ? green((project.path ?? project.name).replace(`${base}/`, "").padEnd(13)) : red("none".padEnd(13));
  const roots = structuredContent.roots.state;
  console.log(`${cyan(who.padEnd(34))} ${what} ${took.padStart(8)}  ${why} ${roots === "ok" ? "" : yellow(`(roots: ${roots})`)}`);
  return { text: content[0].text };
}

/** Loads the clients of both SDKs. */
async function clients() {
  const [{ Client: Client1 }, { StdioClientTransport: Stdio1 }, { StreamableHTTPClientTransport: Http1 }, { ListRootsRequestSchema }] = await Promise.all([
    import("@modelcontextprotocol/sdk/client/index.js"),
    import("@modelcontextprotocol/sdk/client/stdio.js"),
    import("@modelcontextprotocol/sdk/client/streamableHttp.js"),
    import("@modelcontextprotocol/sdk/types.js"),
  ]);
  const [{ Client: Client2, StreamableHTTPClientTransport: Http2 }, { StdioClientTransport: Stdio2 }] = await Promise.all([
    import("@modelcontextprotocol/client"),
    import("@modelcontextprotocol/client/stdio"),
  ]);
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
      return answering(new Client2(info, { ...capabilities(roots), versionNegotiation: { mode } }), "roots/list", roots);
    },
    stdio1: (options) => new Stdio1(options),
    stdio2: (options) => new Stdio2(options),
    http1: (url, headers) => new Http1(new URL(url), { requestInit: { headers } }),
    http2: (url) => new Http2(new URL(url)),
  };
}

async function serve(options) {
  const child = spawn(process.execPath, [at("dist", "cjs", "whereami", "cli.js"), "whereami", "--http"], { ...options, stdio: ["ignore", "pipe", "inherit"] });
  const [url] = await once(createInterface(child.stdout), "line");
  return { url, stop: () => child.kill() };
}
