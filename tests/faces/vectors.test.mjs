// Runs every vector on every backend that needs no browser.
import { replayInC } from "./c.mjs";
import { faces } from "./faces.mjs";
import { conversations, reference, vectorsIn } from "./places.mjs";
import { play } from "./play.mjs";

vectorsIn("in Rust", () => reference);

vectorsIn("in C", () => replayInC(conversations));

for (const [name, face] of Object.entries(faces)) {
  vectorsIn(`on ${name} in Node`, () => conversations.map((conversation) => play(face, conversation)));
}
