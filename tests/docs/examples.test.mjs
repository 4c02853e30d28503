// Every JavaScript example of the documentation, run as it stands, in the order of the page.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { at } from "../../scripts/tools.mjs";

const PAGES = ["README.md"];

/** The blocks of a page in one language; what a `// …` comment after `console.log` says is what it must print. */
function examples(page) {
  const text = readFileSync(at(page), "utf8");
  return [...text.matchAll(/^```js\n([\s\S]*?)^```/gm)].map(([, code]) => code);
}

for (const page of PAGES) {
  for (const [index, code] of examples(page).entries()) {
    test(`${page}, example ${index + 1}`, () => {
      // Below the package, so that it finds itself by its own name, as an installed copy would be found.
      const folder = at("target/examples");
      mkdirSync(folder, { recursive: true });
      const file = join(folder, `${page.replaceAll(/\W/g, "-")}-${index + 1}.mjs`);
      writeFileSync(file, code);
      const done = spawnSync(process.execPath, [file], { encoding: "utf8", timeout: 30_000 });
      assert.equal(done.status, 0, done.stderr);
      for (const [, said] of code.matchAll(/console\.log\(.*\); \/\/ (.+)$/gm)) {
        assert.ok(done.stdout.includes(said), `prints "${said}", got:\n${done.stdout}`);
      }
    });
  }
}
