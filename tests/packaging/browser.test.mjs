// Installs the packed package into a project of a web page, bundles it and opens it in a browser.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { at } from "../../scripts/tools.mjs";
import { withPage } from "../backends/browser.mjs";
import { command, project } from "./fixture.mjs";

test("Vite bundle in Chromium", async () => {
  const folder = project("vite", { addon: false });
  command(folder, process.execPath, [at("node_modules/vite/bin/vite.js"), "build", "--logLevel", "warn"]);
  const said = await withPage(join(folder, "dist"), async (page, address) => {
    await page.goto(`${address}/`);
    await page.waitForFunction(() => document.title !== "waiting");
    return page.evaluate(() => JSON.parse(document.title));
  });
  assert.deepEqual(said, { path: "/p/one", refused: "encoded_separator", backend: "wasm", early: "not_ready" });
});
