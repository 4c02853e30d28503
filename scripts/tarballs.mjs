// npm run pack: makes tarballs of the npm package as it is published, for use on this machine.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { packLocal } from "./pack.mjs";
import { main, targetFolder } from "./tools.mjs";

const help = `npm run pack -- [folder]

Packs what npm run build made: the package as it is published, and the addon for this machine. It prints the paths of the
two tarballs; install both. Plain npm pack makes a package without an addon, which runs on WebAssembly.

  folder     where the tarballs go (default: target/tarballs)
  --help     print this text`;

main(async () => {
  const { values, positionals } = parseArgs({ options: { help: { type: "boolean" } }, allowPositionals: true });
  if (values.help) return console.log(help);
  const folder = positionals[0] ?? join(targetFolder(), "tarballs");
  rmSync(join(folder, "stage"), { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const tarball of packLocal(folder)) console.log(tarball);
});
