// Builds the playground into one HTML file: browsers load neither modules nor WebAssembly from other files where the page comes
// from `file:`. The module of the core is compressed, because text that stands for its bytes would be three times as long.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { defineConfig } from "vite";
import { at } from "../scripts/tools.mjs";

const MODULE = "virtual:rootwise-module";
const entry = at("dist", "esm", "web", "index.js");

const coreModule = {
  name: "core-module",
  enforce: "pre",
  resolveId: (id) => (id === MODULE ? `\0${MODULE}` : undefined),
  load(id) {
    if (id !== `\0${MODULE}`) return;
    const packed = gzipSync(readFileSync(at("dist", "rootwise.wasm")), { level: 9 });
    return `export default ${JSON.stringify(packed.toString("base64"))};`;
  },
  // The page passes the module to `init`; without this, Vite would add the file that `init` loads by default.
  transform: (code, id) =>
    id === entry ? code.replace(/new URL\("[^"]+\.wasm", import\.meta\.url\)/, '""') : undefined,
};

const oneFile = {
  name: "one-file",
  enforce: "post",
  generateBundle(_options, bundle) {
    const page = Object.values(bundle).find(({ fileName }) => fileName.endsWith(".html"));
    let html = page.source;
    for (const [name, { type, code, source }] of Object.entries(bundle)) {
      if (name === page.fileName) continue;
      // A function as replacement: `$&` in the code is no pattern.
      if (type === "chunk") {
        html = html.replace(/<script[^>]*src="[^"]*"[^>]*><\/script>/, "");
        html = html.replace("</body>", () => `<script>${code.replaceAll("</script", "<\\/script")}</script></body>`);
      } else html = html.replace(/<link[^>]*rel="stylesheet"[^>]*>/, () => `<style>${source}</style>`);
      delete bundle[name];
    }
    page.source = html;
  },
};

export default defineConfig({
  root: at("playground"),
  base: "./",
  logLevel: "warn",
  resolve: { alias: { rootwise: entry } },
  plugins: [coreModule, oneFile],
  build: {
    outDir: at("target", "playground"),
    emptyOutDir: true,
    target: "es2023",
    modulePreload: false,
    cssCodeSplit: false,
    chunkSizeWarningLimit: 4_000,
    rolldownOptions: { output: { format: "iife" } },
  },
});
