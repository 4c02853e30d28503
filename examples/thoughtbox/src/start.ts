// The command line, for either SDK.
import { parseArgs } from "node:util";
import { presets, type Policy } from "rootwise";
import { openStore } from "./store.js";
import { presetNames } from "./thoughtbox.js";

const identities = ["folder", "repository", "remote"] as const;

export async function start() {
  const { values } = parseArgs({
    options: {
      preset: { type: "string", default: "thoughtbox" },
      store: { type: "string", default: "thoughtbox.db" },
      port: { type: "string" },
      "archive-after-days": { type: "string" },
      identity: { type: "string", default: "folder" },
    },
  });
  const preset = presetNames.find((name) => name === values.preset);
  if (!preset) throw new Error(`--preset is one of ${presetNames.join(", ")}`);
  const identity = identities.find((name) => name === values.identity);
  if (!identity) throw new Error(`--identity is one of ${identities.join(", ")}`);
  // With the identity of its repository, a worktree continues the session of the main checkout.
  const policy: Policy = { ...presets[preset], identity };
  const store = await openStore(values.store);
  const days = Number(values["archive-after-days"] ?? Infinity);
  if (!(days > 0)) throw new Error("--archive-after-days is a positive number");
  const port = values.port === undefined ? undefined : Number(values.port);
  // When the client closes the pipe, the open connection of a store would keep this process alive.
  if (port === undefined) process.stdin.once("end", () => void store.close());
  return { preset, policy, store, port, archiveAfterMs: days * 86_400_000 };
}
