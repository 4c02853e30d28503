// Builds the playground into one HTML file: browsers load neither modules nor WebAssembly from other files where the page comes
// from `file:`. The module of the core is compressed, because text that stands for its bytes would be three times as long.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { defineConfig } from "vite";
import { licenceTexts } from "../scripts/licences.mjs";
import { at } from "../scripts/tools.mjs";
import { stories } from "./readme.mjs";

const LICENCES = "licences.txt";
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

/** The rules that the stories show, as their pages have them. */
const RULES = "virtual:rootwise-rules";
const rules = {
  name: "rules",
  resolveId: (id) => (id === RULES ? `\0${RULES}` : undefined),
  load(id) {
    if (id !== `\0${RULES}`) return;
    const found = new Map();
    for (const [file, start] of [
      ["rules", "\\d+"],
      ["endpoint", "E\\d+"],
    ]) {
      const page = at("docs", `${file}.md`);
      this.addWatchFile(page);
      const rule = new RegExp(`^(${start})\\. ([^]*?)(?=^${start}\\. |^#)`, "gm");
      for (const [, number, text] of readFileSync(page, "utf8").matchAll(rule)) found.set(number, blocksOf(text));
    }
    const shown = new Set(stories.flatMap((story) => story.rules.map(String)));
    return `export default ${JSON.stringify(Object.fromEntries([...shown].map((number) => [number, found.get(number)])))};`;
  },
};

/** Paragraphs and items of lists, without tables and links. */
function blocksOf(text) {
  const blocks = [];
  for (const line of text.split("\n").map((part) => part.trim())) {
    if (line === "" || line.startsWith("|")) continue;
    if (blocks.length === 0 || line.startsWith("- ")) blocks.push(line);
    else blocks.push(`${blocks.pop()} ${line}`);
  }
  return blocks.map((block) =>
    block
      .replaceAll(/ \(\[play: [^\]]*\]\([^)]*\)\)|; \[play: [^\]]*\]\([^)]*\)/g, "")
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1"),
  );
}

/** The licences of what is in the page, beside it: the packages of npm, and the crates in the module. */
const licences = {
  name: "licences",
  generateBundle(_options, bundle) {
    const modules = Object.values(bundle).flatMap(({ moduleIds = [] }) => moduleIds);
    const home = /^(.*\/playground\/node_modules\/((?:@[^/]+\/)?[^/]+))\//;
    const found = new Map(modules.flatMap((id) => (home.exec(id) ? [home.exec(id).slice(1, 3).reverse()] : [])));
    const texts = [...found].sort().map(([name, folder]) => {
      const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      return `${name} ${version}: ${license}\n\n${readFileSync(join(folder, "LICENSE"), "utf8").trim()}\n`;
    });
    const rule = `\n${"-".repeat(80)}\n\n`;
    const source = ["Packages that are part of this page\n", ...texts, licenceTexts()].join(rule);
    this.emitFile({ type: "asset", fileName: LICENCES, source });
  },
};

const oneFile = {
  name: "one-file",
  enforce: "post",
  generateBundle(_options, bundle) {
    const page = Object.values(bundle).find(({ fileName }) => fileName.endsWith(".html"));
    let html = page.source;
    for (const [name, { type, code, source }] of Object.entries(bundle)) {
      if (name === page.fileName || name === LICENCES) continue;
      // A function as replacement: `$&` in the code is no pattern.
      if (type === "chunk") {
        html = html.replace(/<script[^>]*src="[^"]*"[^>]*><\/script>/, "");
        html = html.replace("</body>", () => `<script>${code.replaceAll("</script", "<\\/script")}</script></body>`);
      } else html = html.replace(/<link[^>]*rel="stylesheet"[^>]*>/, () => `<style>${source}</style>`);
      delete bundle[name];
    }
    page.source = html.replace("<head>", `<head>\n    <!-- Licences of what is in this page: ${LICENCES} -->`);
  },
};

export default defineConfig({
  root: at("playground"),
  base: "./",
  logLevel: "warn",
  resolve: { alias: { rootwise: entry } },
  plugins: [coreModule, rules, licences, oneFile],
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
