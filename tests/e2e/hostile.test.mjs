// A hostile client beside a good one: see tests/soak/hostile.mjs, which also runs for longer.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { at } from "./clients.mjs";

for (const server of ["sdk1", "sdk2"]) {
  test(`server ${server}: a good client is not let down beside a hostile one`, { timeout: 180_000 }, () => {
    const env = { ...process.env, E2E_OPTIONS: JSON.stringify({ host: { local: true } }) };
    const command = [
      at("../soak/hostile.mjs"),
      "--seconds",
      "8",
      "--",
      process.execPath,
      at(`servers/${server}.mjs`),
      "--http",
    ];
    const { status, stdout, stderr } = spawnSync(process.execPath, command, { env, encoding: "utf8" });
    process.stdout.write(stdout);
    assert.equal(status, 0, stderr);
  });
}
