// What the playground is as a page: it works from anywhere, asks for nothing, can be used by everybody and stands still.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { address as fileAddress, page as file } from "../../playground/build.mjs";
import { stories } from "../../playground/readme.mjs";
import { at } from "../../scripts/tools.mjs";
import { serve } from "../backends/browser.mjs";
import { packagesOf } from "../tools.mjs";
import { ending, start, tab } from "./fixture.mjs";

const axe = packagesOf("playground")("axe-core", "axe.min.js");
const SIZES = [390, 820, 1440];
const TABS = ["Stories", "Events", "Policy", "Server", "Disk"];

let open;
let end;
let browser;
before(async () => {
  ({ open, end, browser } = await start());
});
after(() => end?.());

/** Uses the page at an address and returns what it requested besides itself. */
async function requestsOf(address) {
  const context = await browser.newContext({ reducedMotion: "reduce" });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  const requests = [];
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(`${address}#story=conport`);
  await page.waitForSelector("html[data-ready]");
  for (const name of TABS) await tab(page, name);
  await page.getByRole("button", { name: "First step" }).click();
  await page.getByRole("button", { name: "Last step" }).click();
  await page.getByRole("button", { name: "Share" }).click();
  assert.deepEqual(await ending(page), { project: "/home/ada/blog", source: "selected" });
  // A browser asks for an icon by itself, after the page is loaded.
  await page.waitForTimeout(500);
  await context.close();
  return requests.filter((url) => url.split("#")[0] !== address);
}

test("it works from a file and requests nothing else", async () => {
  assert.deepEqual(await requestsOf(fileAddress), []);
});

test("it works below another path and requests nothing else", async () => {
  const folder = at("target", "playground-sub-path");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "docs", "play"), { recursive: true });
  cpSync(file, join(folder, "docs", "play", "index.html"));
  const { address, server } = await serve(folder);
  try {
    assert.deepEqual(await requestsOf(`${address}/docs/play/`), []);
  } finally {
    server.close();
  }
});

for (const colorScheme of ["light", "dark"])
  test(`axe has no serious findings, ${colorScheme}`, async () => {
    const { page } = await open("#story=form&at=7", { colorScheme });
    await page.addScriptTag({ path: axe });
    const findings = async (place) => {
      const { violations } = await page.evaluate(() => globalThis.axe.run());
      return violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id, nodes }) => `${place}: ${id}: ${nodes.map(({ html }) => html).join(" ")}`);
    };
    const found = [];
    for (const name of TABS) {
      await tab(page, name);
      found.push(...(await findings(name)));
    }
    await page.getByRole("button", { name: "Rule 60" }).click();
    found.push(...(await findings("rule")));
    await page.keyboard.press("Escape");
    await tab(page, "Policy");
    await page.getByRole("button", { name: "Compare with another policy" }).click();
    found.push(...(await findings("comparison")));
    await page.locator(".cm-content").first().click();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText('{ "sources": [{ "from": "nowhere" }] }');
    await page.locator(".problem", { hasText: "nowhere" }).waitFor();
    await page.locator(".cm-lintRange-error").first().waitFor();
    found.push(...(await findings("an error of the policy")));
    await page.setViewportSize({ width: 390, height: 844 });
    found.push(...(await findings("comparison on a phone")));
    await page.getByRole("button", { name: "End the comparison" }).click();
    for (const name of TABS) {
      await tab(page, name);
      found.push(...(await findings(`${name} on a phone`)));
    }
    await page.getByRole("button", { name: "Step back" }).click();
    found.push(...(await findings("a step on a phone")));
    await page.evaluate(() => {
      location.hash = "s=eJxBroken";
    });
    await page.locator(".said", { hasText: "cannot be read" }).waitFor();
    found.push(...(await findings("a message on a phone")));
    assert.deepEqual(found, []);
  });

for (const width of SIZES)
  test(`nothing moves when the next story opens, ${width} px wide`, async () => {
    const { page, context } = await open("", { viewport: { width, height: 900 } });
    const tops = () =>
      page.evaluate(() =>
        [".bar", ".project", ".sequence", ".lifecycle"].map(
          (part) => document.querySelector(part).getBoundingClientRect().top + scrollY,
        ),
      );
    const first = await tops();
    for (const { id } of stories) {
      await page.evaluate((id) => {
        location.hash = `story=${id}`;
      }, id);
      await page.locator(`.stories [data-story="${id}"][aria-current="true"]`).waitFor();
      assert.deepEqual(await tops(), first, id);
    }
    await context.close();
  });

for (const width of SIZES)
  test(`nothing overflows or moves while a story plays, ${width} px wide`, async () => {
    for (const story of ["late", "form"]) {
      const { page, context } = await open(`#story=${story}&at=0`, { viewport: { width, height: 900 } });
      await tab(page, "Events");
      const isWide = () => page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      const places = () =>
        page.evaluate(() => {
          const parts = ".story, .bar, .project, .sequence, .lifecycle, .clock, .sources, .explanation, .panel, .group";
          return [...document.querySelectorAll(parts)].map((part) => {
            const { left, top, width, height } = part.getBoundingClientRect();
            return [part.className.split(" ")[0], left, top + scrollY, width, height].join(" ");
          });
        });
      const first = await places();
      assert.equal(first.length, 9 + 6);
      assert.equal(await isWide(), false);
      const forward = page.getByRole("button", { name: "Step forward" });
      while (await forward.isEnabled()) {
        await forward.click();
        assert.deepEqual(await places(), first);
      }
      await tab(page, "Policy");
      await page.getByRole("button", { name: "Compare with another policy" }).click();
      await page.locator(".track").nth(1).waitFor();
      assert.equal(await isWide(), false);
      await context.close();
    }
  });

test("the keyboard reaches tabs, steps and the diagram", async () => {
  const { page } = await open("#story=legacy");
  await page.getByRole("tab", { name: "Stories" }).focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Events");
  await page.getByRole("combobox", { name: "Client" }).waitFor();

  const last = await page.locator(".count").textContent();
  await page.getByRole("slider", { name: "Step", exact: true }).focus();
  await page.keyboard.press("Home");
  assert.match(await page.locator(".count").textContent(), /^0 \//);
  await page.locator(".rows").focus();
  await page.keyboard.press("ArrowDown");
  assert.match(await page.locator(".count").textContent(), /^1 \//);
  await page.getByRole("slider", { name: "Step", exact: true }).focus();
  await page.keyboard.press("End");
  assert.equal(await page.locator(".count").textContent(), last);

  // Every control that can be used has the focus at some time, and Tab leaves the editor.
  await tab(page, "Policy");
  await page.locator(".cm-content").focus();
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.closest(".cm-editor")), null);
});
