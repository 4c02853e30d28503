// npm run playground: builds the page to play with, and draws its picture for the README.
import { readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { parseArgs } from "node:util";
import { address, buildPlayground, page } from "../playground/build.mjs";
import { titlesHash, withList } from "../playground/readme.mjs";
import { launch } from "../tests/backends/browser.mjs";
import { provide } from "./needs.mjs";
import { at, main, prepare, Stop } from "./tools.mjs";

const help = `npm run playground -- [options]

Builds the playground into target/playground: one page in which a story of client, server and disk can be played with any policy.
Open it in a browser; it needs no server and makes no request.

  --picture file   also draw the page as a picture (PNG)
  --list           only write the list of stories in playground/README.md
  --help           print this text`;

main(async () => {
  const { values } = parseArgs({
    options: { picture: { type: "string" }, list: { type: "boolean" }, help: { type: "boolean" } },
  });
  if (values.help) return console.log(help);
  if (values.list) return list();
  await prepare();
  await buildPlayground();
  if (values.picture) await draw(values.picture);
  console.log(`The page is ${relative(at(), page)}.`);
});

function list() {
  const readme = at("playground", "README.md");
  writeFileSync(readme, withList(readFileSync(readme, "utf8")));
}

async function draw(file) {
  const missing = await provide(["browser"]);
  if (missing.length > 0) throw new Stop("there is no browser to draw with");
  const browser = await launch();
  try {
    const view = await browser.newPage({
      viewport: { width: 1440, height: 1340 },
      reducedMotion: "reduce",
      colorScheme: "light",
    });
    // A story in which one source wins and another one disagrees.
    await view.goto(`${address}#story=left-behind`);
    await view.waitForSelector("html[data-ready]");
    // As high as the page, so that the sources and the explanation are seen too.
    writeFileSync(at(file), await view.screenshot({ fullPage: true }));
    writeFileSync(at(`${file}.sha256`), `${titlesHash()}\n`);
  } finally {
    await browser.close();
  }
  console.log(`The picture is ${file}.`);
}
