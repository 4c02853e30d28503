// Random conversations produce identical bytes in the core, the C library, the addon and both modules.
import assert from "node:assert/strict";
import { test } from "node:test";
import { replayInC } from "./c.mjs";
import { faces } from "./faces.mjs";
import { play } from "./play.mjs";
import { replay } from "./rust.mjs";
import { conversations as generate } from "./sequences.mjs";

const count = Number(process.env.ROOTWISE_SEQUENCES ?? 2000);
const seed = Number(process.env.ROOTWISE_SEED ?? Math.floor(Math.random() * 2 ** 31));

test(`${count} random sequences, seed ${seed} (repeat with ROOTWISE_SEED=${seed})`, () => {
  const conversations = generate(faces.native, { numRuns: count, seed });
  const reference = replay(conversations);
  assert.equal(reference.length, count);
  const resolved = reference.flat().filter((text) => text.includes('"outcome":"resolved"')).length;
  assert.ok(resolved > count / 10, `only ${resolved} asks were resolved: the generator has lost its way`);
  console.log(`${reference.flat().length} outputs, ${resolved} of them resolved a call`);
  const compare = (name, said) => {
    for (const [index, conversation] of conversations.entries()) {
      if (said[index].join("\n") !== reference[index].join("\n")) {
        assert.deepEqual(said[index], reference[index], `${name} differs in sequence ${index}: ${JSON.stringify(conversation)}`);
      }
    }
  };
  compare("c", replayInC(conversations));
  for (const [name, face] of Object.entries(faces)) compare(name, conversations.map((conversation) => play(face, conversation)));
});
