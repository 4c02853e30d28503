// Runs every vector in a browser.
import { root } from "../../scripts/tools.mjs";
import { withPage } from "./browser.mjs";
import { conversations, vectorsIn } from "./places.mjs";

vectorsIn("on wasm in Chromium", () =>
  withPage(root, async (page, address) => {
    await page.goto(`${address}/blank.html`);
    return page.evaluate(async (conversations) => {
      const { WasmBackend } = await import("/dist/esm/wasm.js");
      const { play } = await import("/tests/backends/play.mjs");
      const module = await WebAssembly.compileStreaming(fetch("/dist/rootwise.wasm"));
      const backend = new WasmBackend(() => module);
      return conversations.map((conversation) => play(backend, conversation));
    }, conversations);
  }),
);
