// The ready-made tools on every SDK 1.x line that is supported, and on 2.x: they need no schema library.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import * as client2 from "@modelcontextprotocol/client";
import * as server2 from "@modelcontextprotocol/server";
import { rootwise } from "rootwise/mcp";
import { at } from "../../scripts/tools.mjs";
import { packagesOf } from "../tools.mjs";

const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-versions-")));
after(() => rmSync(base, { recursive: true, force: true }));
const [alpha, beta] = ["alpha", "alpha/beta"].map((name) => {
  mkdirSync(join(base, name));
  return join(base, name);
});

const sdks = packagesOf("tests/e2e/sdks");
const first = async (name, home) => {
  const part = (file) => import(home("dist/esm", file));
  const [{ McpServer }, { Client }, { InMemoryTransport }, { ListRootsRequestSchema }] = await Promise.all(
    ["server/mcp.js", "client/index.js", "inMemory.js", "types.js"].map(part),
  );
  return { name, McpServer, Client, InMemoryTransport, method: ListRootsRequestSchema };
};
const versions = await Promise.all([
  ...["1.20", "1.22", "1.26"].map((version) => first(`SDK ${version}`, (...parts) => sdks(`sdk-${version}`, ...parts))),
  first("SDK 1.x", (...parts) => at("node_modules/@modelcontextprotocol/sdk", ...parts)),
  {
    name: "SDK 2.x",
    McpServer: server2.McpServer,
    Client: client2.Client,
    InMemoryTransport: server2.InMemoryTransport,
    method: "roots/list",
  },
]);

for (const { name, McpServer, Client, InMemoryTransport, method } of versions) {
  describe(name, () => {
    const meet = async (use) => {
      const server = new McpServer({ name: "versions", version: "1" });
      const projects = rootwise(server, { local: true, host: { cwd: "/" } });
      projects.registerTools();
      const client = new Client({ name: "versions", version: "1" }, { capabilities: { roots: {} } });
      client.setRequestHandler(method, async () => ({ roots: [{ uri: `file://${alpha}` }] }));
      const [one, other] = InMemoryTransport.createLinkedPair();
      await Promise.all([server.connect(one), client.connect(other)]);
      try {
        await use(client);
      } finally {
        await client.close();
      }
    };
    const call = async (client, name, args) => {
      const { content, isError } = await client
        .callTool({ name, arguments: args })
        .catch(({ message }) => ({ content: [{ text: message }], isError: true }));
      return [content[0].text, isError === true];
    };

    test("switch_project has its argument in the schema, takes a text and nothing else", () =>
      meet(async (client) => {
        const { tools } = await client.listTools();
        const { inputSchema } = tools.find((tool) => tool.name === "switch_project");
        assert.equal(inputSchema.type, "object");
        assert.deepEqual(inputSchema.required, ["project"]);
        assert.equal(inputSchema.properties.project.type, "string");
        assert.match(inputSchema.properties.project.description, /Absolute path/);
        for (const wrong of [{}, { project: 7 }, { project: null }]) {
          const [text, failed] = await call(client, "switch_project", wrong);
          assert.ok(failed, text);
          assert.match(text, /project|string/i);
        }
        assert.deepEqual(await call(client, "switch_project", { project: beta }), ["Project set to: beta", false]);
        const [why] = await call(client, "which_project", {});
        assert.ok(why.includes(beta), why);
        const [roots] = await call(client, "list_roots", {});
        assert.ok(roots.includes(alpha), roots);
      }));
  });
}
