// npm start: connects real MCP clients of both SDK generations to a real server and shows which project each one gets.
import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { picture } from "./picture.mjs";
import { addonFile, programFile } from "./platforms.mjs";
import { play } from "./scenes.mjs";
import { at, bold, cyan, dim, green, main, prepare, quietly, yellow } from "./tools.mjs";

const help = `npm start -- [options]

Starts the server \`rootwise whereami\`, connects real clients to it one after the other, and prints the project of each
client, its source, and the duration of the call. Builds the package first if necessary.

  --report         also print the full report of the first client
  --picture file   also draw the table as a picture (SVG)
  --help           print this text

npm run replay shows a recorded conversation step by step instead.`;

main(async () => {
  const { values } = parseArgs({
    options: { report: { type: "boolean" }, picture: { type: "string" }, help: { type: "boolean" } },
  });
  if (values.help) return console.log(help);
  await prepare({ quiet: true });
  if (!isBuilt()) {
    // WebAssembly is enough to show; the addon takes as long again.
    const addon = existsSync(addonFile()) ? ["--addon"] : [];
    await quietly("Building the package, which takes a few minutes the first time", process.execPath, [
      "scripts/build.mjs",
      "--wasm",
      ...addon,
      "--program",
      "--typescript",
    ]);
  }
  await table(values);
});

async function table(values) {
  console.log(`\n${bold("Which project does each client get?")}\n`);
  console.log(
    `The clients have the folder shop or blog open. The server was started in the folder started-here, so that a server`,
  );
  console.log(`which trusts its working directory would work there, for every client.\n`);
  console.log(dim(`${"client".padEnd(36)} ${"project".padEnd(13)} ${"time".padStart(8)}  known from`));
  const rows = [];
  await play(programFile(), (row) => {
    rows.push(row);
    const colour = row.project === "started-here" ? yellow : green;
    const note = row.note ? yellow(` (${row.note})`) : "";
    console.log(
      `${cyan(row.client.padEnd(36))} ${colour(row.project.padEnd(13))} ${`${row.milliseconds} ms`.padStart(8)}  ${row.from}${note}`,
    );
  });
  if (values.picture) writeFileSync(at(values.picture), picture(rows));
  console.log(`
${bold("How to read it")}
  project       the folder in which a tool of this server works when this client calls it.
  known from    the best source that named a folder. Roots are the folders that a client has open; the server asks for them.
  started-here  the last resort. It counts only because it contains .git; Rootwise never guesses /, a home folder or a system folder.
  5 seconds     one client accepts the question for its roots and never answers. Rootwise waits once, at most 5 seconds (a setting);
                the client's next call is answered at once.
`);
  console.log(
    values.report
      ? rows[0].text
      : dim("Everything that a client sends, and what each policy makes of it: npm start -- --report"),
  );
}

/** Whether the package is there and no older than its sources. */
function isBuilt() {
  const core = ["core/src", "core/presets"];
  return (
    isNewer(at("dist", "cjs", "program", "cli.js"), [
      ...core,
      "bindings-shared/src",
      "bindings-wasm/src",
      "adapters/typescript/src",
    ]) &&
    isNewer(programFile(), [...core, ...["host", "rmcp", "cli"].map((name) => `adapters/rust/rootwise-${name}/src`)])
  );
}

function isNewer(made, folders) {
  if (!existsSync(made)) return false;
  const sources = folders.flatMap((folder) =>
    readdirSync(at(folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name)),
  );
  return sources.every((file) => statSync(file).mtimeMs <= statSync(made).mtimeMs);
}
