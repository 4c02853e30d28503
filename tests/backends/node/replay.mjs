// Plays conversations through a built artifact: the same lines in and out as bindings-shared/examples/replay.rs. The artifact is
// an addon (`.node`), the plain module (`.wasm`) or the folder of the package, whose own module is then played.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { PlainModule } from "../plain-host.mjs";
import { play } from "../play.mjs";

const require = createRequire(import.meta.url);
const [, , artifact] = process.argv;
const backend = opened(artifact);
for (const line of readFileSync(0, "utf8").trimEnd().split("\n"))
  console.log(JSON.stringify(play(backend, JSON.parse(line))));

function opened(file) {
  if (file.endsWith(".wasm")) return new PlainModule(readFileSync(file)).backend();
  if (!file.endsWith(".node")) return require(join(file, "dist/cjs/node/module.js")).wasmBackend;
  const { Machine } = require(file);
  return {
    open: (...args) => made(() => Machine.open(...args)),
    restore: (...args) => made(() => Machine.restore(...args)),
  };
}

/** The message of an addon's error is the failure as JSON. */
function made(make) {
  try {
    return make();
  } catch ({ message }) {
    throw JSON.parse(message).error;
  }
}
