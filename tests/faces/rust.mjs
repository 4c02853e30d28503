// The core itself, without a face: the reference that every face is compared with.
import { join } from "node:path";
import { read, targetFolder } from "../../scripts/tools.mjs";

/** What the core says to each conversation. */
export function replay(conversations) {
  read("cargo", ["build", "--quiet", "--release", "-p", "rootwise-bindings", "--example", "replay"]);
  return replayWith(join(targetFolder(), "release", "examples", "replay"), conversations);
}

/** What a program that plays conversations says to each: one line of JSON in, one line of JSON out. */
export function replayWith(program, conversations) {
  const input = conversations.map((conversation) => `${JSON.stringify(conversation)}\n`).join("");
  return read(program, [], { input }).trimEnd().split("\n").map((line) => JSON.parse(line));
}
