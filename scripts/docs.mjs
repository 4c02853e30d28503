// npm run docs: builds the documentation site into target/site: the pages of the repository, and the API pages that rustdoc, TypeDoc
// and pdoc make. It reads nothing from the network, except for the packages that it installs once.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { dirname, extname, join, normalize, relative } from "node:path";
import { parseArgs } from "node:util";
import { buildPlayground, playground } from "../playground/build.mjs";
import { pages, placeOf } from "../site/pages.mjs";
import { packagesOf } from "../tests/tools.mjs";
import { environment } from "./python.mjs";
import { at, bold, cargoDoc, main, prepare, read, run, seconds, Stop, targetFolder } from "./tools.mjs";

const help = `npm run docs -- [options]

Builds the documentation site into target/site.

  --only a,b   build only these parts: pages, playground, rust, typescript, python (default: all of them)
  --serve      then serve it on loopback
  --help       print this text`;

const stage = at("target", "site-pages");
const site = at("target", "site");
const parts = {
  pages: buildPages,
  playground: addPlayground,
  rust: buildRust,
  typescript: buildTypeScript,
  python: buildPython,
};

main(async () => {
  const { values } = parseArgs({
    options: { only: { type: "string" }, serve: { type: "boolean" }, help: { type: "boolean" } },
  });
  if (values.help) return console.log(help);
  const chosen = values.only?.split(",") ?? Object.keys(parts);
  for (const name of chosen)
    if (!parts[name]) throw new Stop(`unknown part \`${name}\`; the parts are ${Object.keys(parts).join(", ")}`);
  await prepare();
  for (const name of chosen) {
    const began = performance.now();
    console.log(bold(`Building ${name}.`));
    await parts[name]();
    console.log(`Built ${name} in ${seconds(began)}.`);
  }
  if (values.serve) return serve();
  console.log(`The site is in ${relative(at(), site)}; npm run docs -- --serve shows it.`);
});

const api = (name) => join(site, "api", name);
const place = new Map(pages.map((page) => [page.file, placeOf(page)]));
// The front page of the repository is the first page of the site.
place.set("README.md", "index.md");

async function buildPages() {
  const packages = packagesOf("site");
  rmSync(stage, { recursive: true, force: true });
  for (const page of pages) {
    const to = join(stage, placeOf(page));
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, shown(page));
  }
  mkdirSync(join(stage, "public"), { recursive: true });
  cpSync(at("site", "logo.svg"), join(stage, "public", "logo.svg"));
  cpSync(packages("mermaid", "dist", "mermaid.min.js"), join(stage, "public", "mermaid.min.js"));
  cpSync(at("site", ".vitepress"), join(stage, ".vitepress"), { recursive: true });
  cpSync(at("site", "pages.mjs"), join(stage, ".vitepress", "pages.mjs"));
  symlinkSync(packages(), join(stage, "node_modules"), "junction");
  const built = join(stage, "built");
  await run(process.execPath, [packages("vitepress", "bin", "vitepress.js"), "build", stage, "--outDir", built]);
  // The other parts are below api/ and playground/.
  mkdirSync(site, { recursive: true });
  const isOther = (name) => name === "api" || name === "playground";
  for (const name of readdirSync(site)) if (!isOther(name)) rmSync(join(site, name), { recursive: true, force: true });
  cpSync(built, site, { recursive: true });
}

async function addPlayground() {
  await buildPlayground();
  cpSync(playground, join(site, "playground"), { recursive: true });
}

/** A page as the site shows it. */
function shown(page) {
  const text = readFileSync(at(page.file), "utf8");
  // Without the lines that rustdoc hides, and without the words that tell it what to do with the example.
  const visible = text.replaceAll(/^```rust\b.*\n([\s\S]*?)^```/gm, (_block, code) => {
    return `\`\`\`rust\n${code.replaceAll(/^# .*\n/gm, "")}\`\`\``;
  });
  return outsideCode(visible, (prose) => {
    // Links to pages of the site lead there, links to other files of the repository to copies of them.
    return prose.replaceAll(
      /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\((?!https?:|mailto:|#)([^)\s]+)\)/g,
      (_link, image, label, target) => {
        const [path, heading] = target.split("#");
        const file = normalize(join(dirname(page.file), path)).replaceAll("\\", "/");
        // A story of the playground's README is played by the playground.
        if (file === "playground/README.md" && heading)
          return `[${label}](/playground/index.html#story=${heading}){target="_self"}`;
        const found = place.get(file) ?? place.get(join(file, "README.md"));
        if (found) return `[${label}](/${found}${heading ? `#${heading}` : ""})`;
        if (image) {
          const picture = relative("docs", file);
          cpSync(at(file), join(stage, "public", picture));
          return `![${label}](/${picture})`;
        }
        if (file.endsWith(".md")) throw new Stop(`${page.file} links to ${file}, which is missing in site/pages.mjs`);
        if (target.includes("::")) return `[${label}](/api/rust/rootwise/index.html?search=${target}){target="_self"}`;
        if (existsSync(at(file))) return `[${label}](${copied(file.replace(/\/$/, ""))}){target="_self"}`;
        throw new Stop(`${page.file} links to ${target}, which does not exist`);
      },
    );
  });
}

/** Copies a file or the files of a folder to the site and returns the address: for a folder, that of a page with their names. */
function copied(file) {
  const folder = statSync(at(file)).isDirectory();
  const names = read("git", ["ls-files", "--cached", "--others", "--exclude-standard", file]).trim().split("\n");
  for (const name of names) cpSync(at(name), join(stage, "public", "files", `${name}.txt`));
  if (!folder) return `/files/${file}.txt`;
  const list = names.map((name) => `- [${relative(file, name)}](/files/${name}.txt){target="_self"}`);
  mkdirSync(join(stage, "files", dirname(file)), { recursive: true });
  writeFileSync(join(stage, "files", `${file}.md`), `# ${file}\n\n${list.join("\n")}\n`);
  return `/files/${file}.html`;
}

/** Changes the text outside of fenced code. */
function outsideCode(text, change) {
  return text
    .split(/(^```[\s\S]*?^```)/m)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join("");
}

async function buildRust() {
  await cargoDoc();
  cpSync(join(targetFolder(), "doc"), api("rust"), { recursive: true });
}

async function buildTypeScript() {
  const packages = packagesOf("site");
  await run(process.execPath, [
    packages("typedoc", "bin", "typedoc"),
    "--options",
    at("site", "typedoc.json"),
    "--out",
    api("typescript"),
  ]);
}

async function buildPython() {
  const python = await environment("docs", [
    "pdoc==16.0.0",
    "fastmcp==4.1.2",
    "mcp==2.3.0",
    "starlette",
    "wasmtime==50.0.1",
  ]);
  const modules = ["", ".client", ".driver", ".fastmcp", ".mcp", ".starlette", ".testing", ".types"].map(
    (name) => `rootwise${name}`,
  );
  const env = { PYTHONPATH: at("adapters", "python", "src") };
  const look = [
    "--no-show-source",
    "--docformat",
    "restructuredtext",
    "--logo",
    "/logo.svg",
    "--logo-link",
    "/index.html",
  ];
  // pdoc warns about every field of a TypedDict, because Python does not keep the place where one is declared.
  await run(python, ["-W", "ignore", "-m", "pdoc", ...look, "--output-directory", api("python"), ...modules], { env });
}

/** Serves the site until the process ends. */
async function serve() {
  const types = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".json": "application/json",
    ".txt": "text/plain; charset=utf-8",
    ".woff2": "font/woff2",
  };
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname));
    const wanted = join(site, path);
    const candidates = [wanted, `${wanted}.html`, join(wanted, "index.html")];
    const file = candidates.find((candidate) => existsSync(candidate) && statSync(candidate).isFile());
    if (!file)
      return response.writeHead(404, { "content-type": "text/html" }).end(readFileSync(join(site, "404.html")));
    response.setHeader("content-type", types[extname(file)] ?? "application/octet-stream").end(readFileSync(file));
  });
  await new Promise((resolve) => server.listen(Number(process.env.PORT ?? 8000), "127.0.0.1", resolve));
  console.log(`http://127.0.0.1:${server.address().port}/`);
}
