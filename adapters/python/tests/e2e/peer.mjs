// The official TypeScript clients, 1.x and 2.x, as a peer: plays the scripts of tests/e2e/python/peer.py, one in each line of
// its input. Besides, a script names the `client`, 1 or 2, and may have `headers`, "silent" roots, and the word that the
// client answers when it is asked for one.
import { createInterface } from "node:readline";
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const SDKS = {
  1: { Client: Client1, Http: Http1, Stdio: Stdio1, roots: ListRootsRequestSchema, elicit: ElicitRequestSchema },
  2: { Client: Client2, Http: Http2, Stdio: Stdio2, roots: "roots/list", elicit: "elicitation/create" },
};

async function play({ client: generation, era, server, headers, steps, word, form, ...script }) {
  const sdk = SDKS[generation];
  const state = { asked: 0, roots: script.roots, forms: [] };
  const answer = form ?? (word && { action: "accept", content: { word } });
  const capabilities = { ...(state.roots && { roots: { listChanged: true } }), ...(answer && { elicitation: {} }) };
  const versionNegotiation = { mode: era === "modern" ? { pin: "2026-07-28" } : "legacy" };
  const client = new sdk.Client({ name: "peer", version: "1" }, { capabilities, versionNegotiation });
  if (state.roots) client.setRequestHandler(sdk.roots, () => listed(state));
  if (answer) {
    client.setRequestHandler(sdk.elicit, ({ params }) => {
      state.forms.push(params.requestedSchema.properties);
      return answer;
    });
  }

  await client.connect(
    server.url ? new sdk.Http(new URL(server.url), { requestInit: { headers } }) : new sdk.Stdio(server),
  );
  try {
    const results = [];
    for (const step of steps) {
      if (step.roots) {
        state.roots = step.roots;
        await client.sendRootsListChanged();
      } else {
        results.push(await Promise.all(Array.from({ length: step.times ?? 1 }, () => call(client, step.call))));
      }
    }
    return { results, asked: state.asked, forms: state.forms };
  } finally {
    // Otherwise the session would outlive its client.
    await client.transport?.terminateSession?.();
    await client.close();
  }
}

function listed(state) {
  state.asked += 1;
  if (state.roots === "silent") return new Promise(() => {});
  if (state.roots === "refuse") throw Object.assign(new Error("Method not found"), { code: -32601 });
  return { roots: state.roots.map((uri) => ({ uri })) };
}

async function call(client, name) {
  const { content, isError } = await client.callTool({ name, arguments: {} });
  return { text: content.map(({ text }) => text).join("\n"), failed: isError === true };
}

for await (const line of createInterface(process.stdin)) {
  let outcome;
  try {
    outcome = await play(JSON.parse(line));
  } catch (error) {
    // The test that the script belongs to fails with it; the others go on.
    outcome = { error: String(error?.stack ?? error) };
  }
  process.stdout.write(`${JSON.stringify(outcome)}\n`);
}
process.exit();
