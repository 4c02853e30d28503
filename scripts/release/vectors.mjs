// Plays every vector in a program and compares each output, byte by byte, with what the core says.
import { isDeepStrictEqual } from "node:util";
import { replay, replayWith } from "../../tests/backends/rust.mjs";
import { vectors, wrong } from "../../tests/backends/vectors.mjs";
import { Stop } from "../tools.mjs";

let all;

/** Returns what was played; throws `Stop` at the first difference. */
export function playsVectors(command) {
  all ??= compared();
  const said = replayWith(
    command,
    all.map(({ conversation }) => conversation),
  );
  for (const [index, vector] of all.entries()) {
    const problem =
      wrong(vector, said[index]) ??
      (isDeepStrictEqual(said[index], vector.core) ? undefined : "the output differs from the core's");
    if (problem) throw new Stop(`${vector.name}: ${problem}`);
  }
  return `${all.length} vectors`;
}

function compared() {
  const found = vectors();
  const core = replay(found.map(({ conversation }) => conversation));
  return found.map((vector, index) => ({ ...vector, core: core[index] }));
}
