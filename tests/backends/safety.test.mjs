// Failures that must never happen: a dead process, an answer from a broken instance, memory that a peer can grow.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { at } from "../../scripts/tools.mjs";
import { packages, plain } from "./backends.mjs";
import { PlainModule } from "./plain-host.mjs";

const require = createRequire(import.meta.url);
const host = { style: "posix" };
const testPanic = { type: "testPanic" };

// A child process, because the test checks that the process survives.
function survives(script, environment = {}) {
  const done = spawnSync(process.execPath, ["--input-type=commonjs", "-e", script], {
    encoding: "utf8",
    env: { ...process.env, ...environment },
  });
  assert.equal(done.status, 0, `${done.signal ?? done.status}: ${done.stderr}`);
  return JSON.parse(done.stdout);
}

const codes = (entry, prepare) => `
  const rootwise = require(${JSON.stringify(at("dist/cjs/node", entry))});
  ${prepare}
  const host = { style: "posix" };
  const code = (work) => { try { work(); return "fine"; } catch (error) { return error.code ?? String(error); } };
  const broken = new rootwise.Resolver({ host });
  const other = new rootwise.Resolver({ host });
  const seen = [
    code(() => broken.handle(${JSON.stringify(testPanic)}, 0)),
    code(() => broken.handle({ type: "clientReady" }, 0)),
    code(() => broken.explain()),
    code(() => broken.snapshot()),
    code(() => other.handle({ type: "clientReady" }, 0)),
    code(() => broken.close()),
    code(() => new rootwise.Resolver({ host }).handle({ type: "clientReady" }, 0)),
    code(() => rootwise.fileUriToPath("file:///a", "posix")),
  ];
  console.log(JSON.stringify(seen));`;

test("native: a panic ends the resolver, but not the process or other resolvers", () => {
  const seen = survives(codes("native.js", ""), { ROOTWISE_ADDON: at("dist/test-panic/rootwise.node") });
  assert.deepEqual(seen, ["dead", "dead", "dead", "dead", "fine", "fine", "fine", "fine"]);
});

test("wasm: a trap ends the instance with all its resolvers, and the next resolver gets a new one", () => {
  const module = JSON.stringify(at("dist/test-panic/rootwise.wasm"));
  const seen = survives(codes("wasm.js", `rootwise.initSync(require("node:fs").readFileSync(${module}));`));
  assert.deepEqual(seen, ["dead", "dead", "dead", "dead", "dead", "fine", "fine", "fine"]);
});

test("plain: a panic is a trap that the host sees", () => {
  const module = new PlainModule(readFileSync(at("dist/test-panic/rootwise-plain.wasm")));
  const { handle } = JSON.parse(module.open(JSON.stringify({ host })));
  assert.throws(() => module.handle(handle, JSON.stringify(testPanic), 0), WebAssembly.RuntimeError);
});

test("shipped builds contain no way to provoke a panic", () => {
  for (const { Resolver } of Object.values(packages)) {
    assert.throws(() => new Resolver({ host }).handle(testPanic, 0), { code: "bad_event" });
  }
  assert.match(plain.open(JSON.stringify({ host })).handle(JSON.stringify(testPanic), 0), /bad_event/);
});

test("sizes are checked before data is copied into WebAssembly", () => {
  const glue = require(at("dist/cjs/glue.js"))();
  const { memory } = glue.initSync({ module: new WebAssembly.Module(readFileSync(at("dist/rootwise.wasm"))) });
  const machine = glue.Machine.open(JSON.stringify({ host }));
  const before = memory.buffer.byteLength;
  machine.handle(JSON.stringify({ type: "message", text: "x".repeat(100_000_000) }), 0);
  assert.ok(memory.buffer.byteLength > before + 100_000_000, "without a check memory grows, and never shrinks again");

  const { Resolver, fileUriToPath } = packages.wasm;
  const resolver = new Resolver({ host });
  const big = "x".repeat(100_000_000);
  const rss = process.memoryUsage.rss();
  assert.throws(() => resolver.handle({ type: "message", text: big }, 0), { code: "event_too_large" });
  assert.throws(() => fileUriToPath(big, "posix"), { code: "too_large" });
  assert.throws(() => new Resolver({ host: { ...host, cwd: big } }), { code: "too_large" });
  assert.throws(() => Resolver.restore(big, { host }, 0), { code: "too_large" });
  assert.ok(process.memoryUsage.rss() - rss < 1_500_000_000);
});

test("the policy sets the limit, and both backends apply it equally", () => {
  const policy = { ...packages.native.presets.recommended, name: "small", limits: { eventBytes: 1000 } };
  for (const text of [
    "x".repeat(990),
    "x".repeat(1001),
    "é".repeat(500),
    "é".repeat(501),
    "漢".repeat(700),
    "x".repeat(5000),
  ]) {
    const [native, wasm] = Object.values(packages).map(({ Resolver }) => {
      const resolver = new Resolver({ policy, host });
      try {
        return JSON.stringify(resolver.handle({ type: "message", text }, 0));
      } catch (error) {
        return `${error.code}: ${error.message}`;
      }
    });
    assert.equal(native, wasm);
    assert.equal(native.startsWith("event_too_large"), Buffer.byteLength(text) > 1000, native.slice(0, 80));
  }
});
