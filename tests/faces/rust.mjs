// The core itself, without a face: the reference that every face is compared with.
import { join } from "node:path";
import { read, targetFolder } from "../../scripts/tools.mjs";

/** What the core says to each conversation. */
export function replay(conversations) {
  read("cargo", ["build", "--quiet", "--release", "-p", "rootwise-bindings", "--example", "replay"]);
  const input = conversations.map((conversation) => `${JSON.stringify(conversation)}\n`).join("");
  const output = read(join(targetFolder(), "release", "examples", "replay"), [], { input });
  return output.trimEnd().split("\n").map((line) => JSON.parse(line));
}
