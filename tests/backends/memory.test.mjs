// Opening, using and closing resolvers leaks no memory.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { at } from "../../scripts/tools.mjs";
import "./backends.mjs";

const count = Number(process.env.ROOTWISE_RESOLVERS ?? 300_000);

// One process per backend, so that nothing else changes its memory.
const script = (backend) => `
  const { Resolver } = require(${JSON.stringify(at("dist/cjs/node", `${backend}.js`))});
  const options = { host: { style: "posix" } };
  const events = [
    { type: "clientInitialized", capabilities: { roots: {} } },
    { type: "clientReady" },
    { type: "asked", ask: 1 },
    { type: "rootsListed", request: 1, result: { roots: [{ uri: "file:///p/one" }] } },
    { type: "probed", probe: 1, paths: [{ path: "/p/one", found: "directory" }] },
  ];
  async function rounds(count) {
    for (let round = 0; round < count; round += 1) {
      // Like in a server: an addon is notified of dropped objects only between two turns of the event loop.
      if (round % 1000 === 0) await new Promise(setImmediate);
      const resolver = new Resolver(options);
      for (const event of events) resolver.handle(event, 0);
      if (resolver.project.path !== "/p/one") throw new Error("not resolved");
      resolver.close();
    }
    global.gc();
    return process.memoryUsage().rss;
  }
  const count = ${count};
  (async () => {
    const sizes = [await rounds(count / 10)];
    for (let quarter = 0; quarter < 4; quarter += 1) sizes.push(await rounds(count / 4));
    console.log(JSON.stringify(sizes));
  })();`;

for (const backend of ["native", "wasm"]) {
  test(`closed resolvers free their memory on ${backend} [G2]`, () => {
    const done = spawnSync(process.execPath, ["--expose-gc", "-e", script(backend)], { encoding: "utf8" });
    assert.equal(done.status, 0, done.stderr);
    const sizes = JSON.parse(done.stdout);
    console.log(
      `${count} on ${backend}: ${sizes.map((bytes) => `${(bytes / 1e6).toFixed(1)} MB`).join(", ")} after warming up and after each quarter`,
    );
    // A garbage collector may let memory grow for some time, but not in every quarter; a leak does.
    const grown = Math.min(...sizes.slice(1).map((bytes, index) => (bytes - sizes[index]) / (count / 4)));
    // An open resolver uses several kilobytes; losing one percent of that each time would exceed this.
    assert.ok(grown < 50, `${grown.toFixed(0)} bytes per resolver stay behind`);
  });
}
