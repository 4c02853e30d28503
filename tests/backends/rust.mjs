// The core itself, without a binding: the reference for all bindings.
import { join } from "node:path";
import { debugBuild, read } from "../../scripts/tools.mjs";

/** Plays each conversation in the core and returns its output. The debug profile checks more, and the Rust tests have built it. */
export const replay = (conversations) => replayWith([core()], conversations);

let built;
function core() {
  built ??= join(debugBuild(), "examples", "replay");
  return built;
}

/** Plays each conversation in a program that takes and prints one line of JSON per conversation. */
export function replayWith([program, ...args], conversations) {
  const input = conversations.map((conversation) => `${JSON.stringify(conversation)}\n`).join("");
  return read(program, args, { input })
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}
