// Headless Chromium with a local page, served on loopback.
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { chromium } from "playwright-core";
import { browser as found } from "../../scripts/browser.mjs";
import { Stop } from "../../scripts/tools.mjs";

const types = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".wasm": "application/wasm",
};

/** Serves the files below `folder`, opens a page and passes it to `work`. */
export async function withPage(folder, work) {
  const { address, server } = await serve(folder);
  const browser = await launch();
  try {
    const page = await browser.newPage();
    return await work(page, address);
  } finally {
    await browser.close();
    server.close();
  }
}

/** Serves the files below `folder` on loopback. */
export async function serve(folder) {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname));
    const file = join(folder, path.endsWith("/") ? `${path}index.html` : path);
    if (path === "/blank.html")
      return response.setHeader("content-type", "text/html").end("<!doctype html><title>rootwise</title>");
    if (!existsSync(file)) return response.writeHead(404).end();
    response.setHeader("content-type", types[extname(file)] ?? "application/octet-stream").end(readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: `http://127.0.0.1:${server.address().port}`, server };
}

/** Starts the browser. */
export async function launch() {
  const { executablePath, env } = found();
  if (!existsSync(executablePath))
    throw new Stop(`there is no Chromium at ${executablePath}: npm test brings one, or name yours in CHROMIUM`);
  return chromium.launch({
    executablePath,
    env,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}
