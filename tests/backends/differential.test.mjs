// Random conversations produce identical bytes in the core, the C library, the Python extension, the addon and both modules.
// `ROOTWISE_SEQUENCES=1000000 node --test tests/backends/differential.test.mjs` compares more of them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { replayInC } from "./c.mjs";
import { backends } from "./backends.mjs";
import { play } from "./play.mjs";
import { replayInPython } from "./python.mjs";
import { replay } from "./rust.mjs";
import { conversations as generate } from "./sequences.mjs";

const count = Number(process.env.ROOTWISE_SEQUENCES ?? 10_000);
const seed = Number(process.env.ROOTWISE_SEED ?? Math.floor(Math.random() * 2 ** 30));
/** Conversations with one seed, and in memory at one time. */
const batch = 500;
const progressEvery = 50_000;

const inNode = (backend) => (conversations) => conversations.map((conversation) => play(backend, conversation));
const players = {
  c: replayInC,
  python: replayInPython,
  ...Object.fromEntries(Object.entries(backends).map(([name, backend]) => [name, inNode(backend)])),
};

test(`${count} random sequences, seed ${seed} (repeat with ROOTWISE_SEED=${seed})`, () => {
  let [outputs, resolved] = [0, 0];
  for (let done = 0; done < count; done += batch) {
    if (done > 0 && done % progressEvery === 0) console.log(`${done} of ${count} sequences, ${outputs} outputs equal`);
    const conversations = generate(backends.native, { numRuns: Math.min(batch, count - done), seed: seed + done });
    const reference = replay(conversations);
    assert.equal(reference.length, conversations.length);
    outputs += reference.flat().length;
    resolved += reference.flat().filter((text) => text.includes('"outcome":"resolved"')).length;
    for (const [name, player] of Object.entries(players))
      compare(name, player(conversations), reference, conversations, seed + done);
  }
  assert.ok(resolved > count / 10, `only ${resolved} asks were resolved: the generator has lost its way`);
  console.log(
    `${outputs} outputs of ${Object.keys(players).join(", ")} equal those of the core; ${resolved} of them resolved a call`,
  );
});

function compare(name, said, reference, conversations, seed) {
  for (const [index, conversation] of conversations.entries()) {
    if (said[index].join("\n") !== reference[index].join("\n")) {
      const where = `${name} differs in sequence ${index} of ROOTWISE_SEED=${seed} ROOTWISE_SEQUENCES=${batch}`;
      assert.deepEqual(said[index], reference[index], `${where}: ${JSON.stringify(conversation)}`);
    }
  }
}
