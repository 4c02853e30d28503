// The built playground in Chromium.
import { deflateRawSync } from "node:zlib";
import { buildPlayground, playground } from "../../playground/build.mjs";
import { launch, serve } from "../backends/browser.mjs";

/** Everything that a test waits for comes within this time, or the test fails. */
const PATIENCE_MS = 20_000;

/** Builds the page, starts a browser and a server; `open` gives a page at an address below it. */
export async function start() {
  await buildPlayground();
  const { address, server } = await serve(playground);
  const browser = await launch();
  const open = async (fragment = "", options = {}) => {
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      reducedMotion: "reduce",
      permissions: ["clipboard-read", "clipboard-write"],
      ...options,
    });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    const errors = [];
    page.on("pageerror", (error) => errors.push(error.message));
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    await page.goto(fragment.startsWith("file:") ? fragment : `${address}/${fragment}`);
    await page.waitForSelector("html[data-ready]");
    return { page, errors, context };
  };
  const end = async () => {
    await browser.close();
    server.close();
  };
  return { open, end, browser };
}

/** How the last call of the story that is shown ended, as the page says it. */
export async function ending(page) {
  const title = await page.locator(".project-title strong").first().textContent();
  const source = await page.locator(".project-title .source").first().textContent();
  const [, code] = /^code (\w+)$/.exec(source) ?? [];
  return code ? { code } : { project: title, source: source.replace(/^from (\w+).*$/, "$1") };
}

/** The fragment of an address that carries a story. */
export const packed = (story) => `#s=${deflateRawSync(JSON.stringify(story)).toString("base64url")}`;

export const tab = (page, name) => page.getByRole("tab", { name, exact: true }).click();

/** The text that a button of the page copies. */
export async function copied(page, form) {
  await page.locator(".copy select").selectOption(form);
  await page.locator(".copy button").click();
  await page.locator(".said", { hasText: "copied" }).waitFor();
  return page.evaluate(() => navigator.clipboard.readText());
}

/** Gives the page a recording with these lines. */
export const drop = (page, name, lines) =>
  page.locator(".drop input").setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(lines.join("\n")) });
