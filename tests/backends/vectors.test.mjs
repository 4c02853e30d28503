// Runs every vector on every backend that needs no browser.
import { replayInC } from "./c.mjs";
import { backends } from "./backends.mjs";
import { conversations, reference, vectorsIn } from "./places.mjs";
import { play } from "./play.mjs";

vectorsIn("in Rust", () => reference);

vectorsIn("in C", () => replayInC(conversations));

for (const [name, backend] of Object.entries(backends)) {
  vectorsIn(`on ${name} in Node`, () => conversations.map((conversation) => play(backend, conversation)));
}
