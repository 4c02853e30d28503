// npm run doctor: says what building and testing need, what of it is there, and how to install the rest.
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { command, missing, needs } from "./needs.mjs";
import { steps } from "./steps.mjs";
import { green, main, red, root } from "./tools.mjs";

const help = `npm run doctor -- [options]

Prints what building and testing need, what of it is on this machine, and the command that installs the rest. It changes nothing
and fails if something is missing.

  --help   print this text`;

main(() => {
  const { values } = parseArgs({ options: { help: { type: "boolean" } } });
  if (values.help) return console.log(help);
  const version = (program) =>
    spawnSync(program, ["--version"], { cwd: root, encoding: "utf8" }).stdout?.trim() || undefined;
  const row = (name, found, what) =>
    console.log(`  ${found ? green("found  ") : red("missing")}  ${name.padEnd(10)} ${found || what}`);
  row(
    "node",
    Number(process.versions.node.split(".")[0]) >= 20 && process.version,
    "Node 20 or newer: https://nodejs.org",
  );
  const cargo = version("cargo");
  row("rust", cargo, "Rust by rustup: https://rustup.rs (npm start and npm test install the toolchain)");
  for (const [name, need] of Object.entries(needs)) {
    const users = steps.filter((step) => step.needs?.includes(name)).map((step) => step.name);
    row(name, need.find(), `${need.what}${users.length > 0 ? ` (steps: ${users.join(", ")})` : ""}`);
  }
  const absent = missing();
  if (absent.length > 0) console.log(`\nnpm test installs these if it may. By hand: ${command(absent)}`);
  else if (cargo) console.log("\nEverything is there.");
  if (absent.length > 0 || !cargo) process.exitCode = 1;
});
