// Opening, using and closing resolvers leaves nothing behind.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { at } from "../../scripts/tools.mjs";
import "./faces.mjs";

const count = Number(process.env.ROOTWISE_RESOLVERS ?? 100_000);

// A process of its own for each face, so that nothing else moves its memory.
const script = (face) => `
  const { Resolver } = require(${JSON.stringify(at("dist/cjs/node", `${face}.js`))});
  const options = { host: { style: "posix" } };
  const events = [
    { type: "clientInitialized", capabilities: { roots: {} } },
    { type: "clientReady" },
    { type: "asked", ask: 1 },
    { type: "rootsListed", request: 1, result: { roots: [{ uri: "file:///p/one" }] } },
    { type: "probed", probe: 1, paths: [{ path: "/p/one", found: "directory" }] },
  ];
  function rounds(count) {
    for (let round = 0; round < count; round += 1) {
      const resolver = new Resolver(options);
      for (const event of events) resolver.handle(event, 0);
      if (resolver.project.path !== "/p/one") throw new Error("not resolved");
      resolver.close();
    }
    global.gc();
    return process.memoryUsage().rss;
  }
  const count = ${count};
  const warm = rounds(count / 10);
  const halfway = rounds(count / 2);
  const end = rounds(count / 2);
  console.log(JSON.stringify({ warm, halfway, end }));`;

for (const face of ["native", "wasm"]) {
  test(`${count} resolvers on ${face}`, () => {
    const done = spawnSync(process.execPath, ["--expose-gc", "-e", script(face)], { encoding: "utf8" });
    assert.equal(done.status, 0, done.stderr);
    const { warm, end } = JSON.parse(done.stdout);
    const grown = (end - warm) / count;
    console.log(`${face}: ${(warm / 1e6).toFixed(0)} MB after warming up, ${(end / 1e6).toFixed(0)} MB at the end`);
    // An open resolver has several kilobytes: one lost byte in a hundred of that would show.
    assert.ok(grown < 200, `${grown.toFixed(0)} bytes per resolver stay behind`);
  });
}
