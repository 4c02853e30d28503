// The core itself, without a binding: the reference for all bindings.
import { join } from "node:path";
import { read, targetFolder } from "../../scripts/tools.mjs";

/** Plays each conversation in the core and returns its output. The debug profile checks more, and the Rust tests have built it. */
export function replay(conversations) {
  read("cargo", ["build", "--quiet", "-p", "rootwise-bindings", "--example", "replay"]);
  const input = conversations.map((conversation) => `${JSON.stringify(conversation)}\n`).join("");
  const output = read(join(targetFolder(), "debug", "examples", "replay"), [], { input });
  return output.trimEnd().split("\n").map((line) => JSON.parse(line));
}
