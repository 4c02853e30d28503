// The commands of two guides, in a shell; the comment after a command says what it prints, where `…` stands for anything.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, test } from "node:test";
import { at, debugBuild } from "../../scripts/tools.mjs";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-guide-")));
after(() => rmSync(folder, { recursive: true, force: true }));
let built;
before(() => {
  built = debugBuild();
});

const pages = ["run", "containers"].map((guide) => readFileSync(at(`docs/guides/${guide}.md`), "utf8")).join("\n");
const lines = [...pages.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, block]) => block.trim().split("\n"));

test("the guides have commands that say what they print", () => {
  assert.ok(lines.filter((line) => line.includes(" # ")).length > 5);
});

for (const line of lines) {
  test(line, { timeout: 60_000, skip: process.platform === "win32" && "needs a POSIX shell" }, () => {
    const [command, promised] = line.split(/ +# /);
    const env = { PATH: [built, process.env.PATH].join(delimiter), HOME: folder };
    const { stdout, stderr } = spawnSync("sh", ["-c", command], { cwd: folder, env, encoding: "utf8" });
    if (!promised) return;
    const pattern = promised
      .split("…")
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(/ +/g, " +"));
    assert.match(stdout, new RegExp(pattern.join(".*")), stderr);
  });
}
