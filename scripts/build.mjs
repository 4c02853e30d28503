// npm run build: builds all parts of the package into dist/.
import { parseArgs } from "node:util";
import { bold, main, prepare, seconds } from "./tools.mjs";
import { addon, plainModule, program, wasmModule } from "./build-native.mjs";
import { generate, typescript } from "./build-package.mjs";

const help = `npm run build -- [parts]

Builds the package into dist/. Without parts it builds all of them.

  --types       generated sources: TypeScript declarations and presets
  --wasm        the WebAssembly module with its glue
  --plain       the WebAssembly module without glue and imports
  --addon       the Node addon for this machine
  --program     the program for this machine
  --typescript  the package itself
  --check       with --types: only report whether the generated sources are up to date
  --test-panic     also the variants in which a test can provoke a panic
  --help        this text`;

const parts = {
  types: (values) => generate({ check: values.check }),
  wasm: wasmModule,
  plain: plainModule,
  addon,
  program,
  typescript,
};

main(async () => {
  const flag = { type: "boolean" };
  const names = [...Object.keys(parts), "check", "test-panic", "help"];
  const { values } = parseArgs({ options: Object.fromEntries(names.map((name) => [name, flag])) });
  if (values.help) return console.log(help);
  await prepare();
  const wanted = Object.keys(parts).filter((part) => values[part]);
  for (const part of wanted.length > 0 ? wanted : Object.keys(parts)) {
    const began = performance.now();
    console.log(bold(`Building ${part}.`));
    await parts[part]({ ...values, testPanic: values["test-panic"] });
    console.log(`Built ${part} in ${seconds(began)}.`);
  }
});
