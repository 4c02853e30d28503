// The core itself, without a binding: the reference for all bindings.
import { join } from "node:path";
import { read, targetFolder } from "../../scripts/tools.mjs";

/** Plays each conversation in the core and returns its output. */
export function replay(conversations) {
  read("cargo", ["build", "--quiet", "--release", "-p", "rootwise-bindings", "--example", "replay"]);
  return replayWith(join(targetFolder(), "release", "examples", "replay"), conversations);
}

/** Plays each conversation in a program that takes and prints one line of JSON per conversation. */
export function replayWith(program, conversations) {
  const input = conversations.map((conversation) => `${JSON.stringify(conversation)}\n`).join("");
  return read(program, [], { input }).trimEnd().split("\n").map((line) => JSON.parse(line));
}
