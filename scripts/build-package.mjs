// The parts of the package that are text: generated sources and the compiled TypeScript.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { at, bin, read, root, Stop, targetFolder, WORKSPACE } from "./tools.mjs";
import { addonFile, platformPackages, settle } from "./platforms.mjs";

const generated = (name) => at("adapters", "typescript", "src", "generated", name);

/** Generates declarations and the schema from the Rust types, presets as data and package files of the platforms; all of them are committed. */
export function generate({ check }) {
  const [types, schema] = printed();
  const files = [
    [generated("types.ts"), types],
    [at("core", "policy.schema.json"), schema],
    [generated("presets.ts"), presets()],
    [generated("version.ts"), versionOf(JSON.parse(readFileSync(at("package.json"), "utf8")))],
    ...platformPackages().map(({ file, content }) => [file, `${JSON.stringify(content, null, 2)}\n`]),
  ];
  const stale = files.filter(([file, text]) => !settle(file, text, { check })).map(([file]) => relative(root, file));
  if (check && stale.length > 0) {
    throw new Stop(`out of date: ${stale.join(", ")}. Regenerate them: npm run build -- --types`);
  }
  console.log(stale.length > 0 ? `  written: ${stale.join(", ")}` : "  all up to date");
}

/** What the examples of `bindings-shared` print: declarations and the schema. */
function printed() {
  read("cargo", ["build", "--quiet", ...WORKSPACE, "--example", "types", "--example", "schema"]);
  return ["types", "schema"].map((name) => read(join(targetFolder(), "debug", "examples", name), []));
}

const versionOf = ({ version }) =>
  `/** The version of the package. */\nexport const version = ${JSON.stringify(version)};\n`;

function presets() {
  const entries = readdirSync(at("core", "presets"))
    .sort()
    .map((file) => {
      const preset = JSON.parse(readFileSync(at("core", "presets", file), "utf8"));
      return `  ${JSON.stringify(basename(file, ".json"))}: ${JSON.stringify(preset)},`;
    });
  return [
    "// Generated from core/presets by `npm run build -- --types`. Change those and run it again.",
    'import type { Policy } from "./types.js";',
    "",
    "/** The policies that come with the package, by name; plain data to use or to change. */",
    "export const presets = {",
    ...entries,
    "} as const satisfies Record<string, Policy>;",
    "",
  ].join("\n");
}

/**
 * Sources in adapters/typescript/src become dist/esm for browsers, dist/cjs for Node, where every entry has an ESM twin, and
 * dist/bundle for bundlers, which cannot turn `require` of Node's modules into ESM.
 */
export async function typescript() {
  clean();
  await bin("tsc", "-p", "adapters/typescript/tsconfig.json");
  await bin("tsc", "-p", "adapters/typescript/tsconfig.cjs.json");
  await bin("tsc", "-p", "adapters/typescript/tsconfig.bundle.json");
  embed();
  copyFileSync(at("core", "policy.schema.json"), at("dist", "policy.schema.json"));
  for (const folder of ["node", "client", "driver", "mcp", "testing"])
    mkdirSync(at("dist", folder), { recursive: true });
  writeFileSync(at("dist", "cjs", "package.json"), '{ "type": "commonjs" }\n');
  process.env.ROOTWISE_ADDON ??= addonFile();
  for (const entry of [
    "node/index",
    "node/native",
    "node/wasm",
    "client/index",
    "driver/index",
    "mcp/index",
    "testing/index",
  ]) {
    const names = Object.keys(await import(`${at("dist", "cjs", `${entry}.js`)}`)).filter(
      (name) => !["default", "__esModule", "module.exports"].includes(name),
    );
    // `import` and `require` share one implementation, so that both load the same Resolver class.
    writeFileSync(
      at("dist", `${entry}.js`),
      `import all from "../cjs/${entry}.js";\nexport const { ${names.join(", ")} } = all;\n`,
    );
    writeFileSync(at("dist", `${entry}.d.ts`), `export * from "../cjs/${entry}.js";\n`);
  }
}

/** Removes what earlier builds left; the glue comes from another part of the build. */
function clean() {
  for (const folder of ["bundle", "node", "client", "driver", "mcp", "testing"])
    rmSync(at("dist", folder), { recursive: true, force: true });
  for (const folder of ["esm", "cjs"]) {
    for (const name of readdirSync(at("dist", folder)))
      if (name !== "glue.js") rmSync(at("dist", folder, name), { recursive: true });
  }
}

/** Puts the compressed module into the code, so that the package works without a second file. */
function embed() {
  const module = readFileSync(at("dist", "rootwise.wasm"));
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 11,
    [constants.BROTLI_PARAM_LGWIN]: 22,
    [constants.BROTLI_PARAM_SIZE_HINT]: module.length,
  };
  const text = JSON.stringify(brotliCompressSync(module, { params }).toString("base64"));
  writeFileSync(at("dist", "cjs", "embedded.js"), `module.exports = ${text};\n`);
  writeFileSync(at("dist", "bundle", "embedded.js"), `export default ${text};\n`);
  copyFileSync(at("dist", "esm", "glue.js"), at("dist", "bundle", "glue.js"));
  renameSync(at("dist", "bundle", "node", "platform.bundle.js"), at("dist", "bundle", "node", "platform.js"));
}
