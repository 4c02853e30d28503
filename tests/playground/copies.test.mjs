// What the playground copies: a vector holds in the core, and a test passes in TypeScript, Python and Rust.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { stories } from "../../playground/readme.mjs";
import { at, bin, debugBuild, read, WORKSPACE } from "../../scripts/tools.mjs";
import { library, python } from "../backends/python.mjs";
import { replay } from "../backends/rust.mjs";
import { copied, packed, start } from "./fixture.mjs";

const home = at("target", "playground-copies");

/** Stories whose copies are hard to write. */
const client = { name: "x", protocol: "2026-07-28", roots: {} };
const hard = {
  "without a call": { title: "2 many", moves: [] },
  "that ends with a question": { title: "", moves: [{ do: "call", modern: client }] },
  "with invisible characters": {
    title: 'fn \u202e "match" \u2028 \\ """',
    moves: [
      { do: "call", modern: client },
      { do: "answer", roots: [{ uri: "file:///w/a%20b", name: '\u202e \u2028 \u0085 "# """ \\' }] },
      { do: "call", modern: client, argument: 'C:\\u00e9 "# \u2029' },
    ],
  },
};

/** The copies of each story in one form. */
const copies = { vector: [], typescript: [], python: [], rust: [] };

before(async () => {
  rmSync(home, { recursive: true, force: true });
  const { open, end } = await start();
  try {
    const empty = { policy: "recommended", host: { style: "posix" }, disk: { files: ["/w/a b/"] }, at: 0 };
    const fragments = [
      ...stories.map(({ id }) => `#story=${id}`),
      ...Object.values(hard).map((story) => packed({ ...empty, ...story })),
    ];
    for (const fragment of fragments) {
      const { page, context } = await open(fragment);
      for (const [form, texts] of Object.entries(copies)) texts.push(await copied(page, form));
      await context.close();
    }
  } finally {
    await end();
  }
});

/** Writes the copies into files of a folder; returns their names. */
function written(form, name) {
  mkdirSync(join(home, form), { recursive: true });
  return copies[form].map((text, index) => {
    const file = name(index);
    writeFileSync(join(home, form, file), text);
    return file;
  });
}

test("a copied vector holds in the core", () => {
  const vectors = copies.vector.map((text) => JSON.parse(text));
  const outputs = replay(
    vectors.map(({ machine, policy, host, steps }) => ({
      machine,
      options: JSON.stringify({ machine, policy: preset(policy), host }),
      steps: steps.map(({ now, event }) => [JSON.stringify(event), now, null]),
    })),
  );
  for (const [index, { name, steps }] of vectors.entries()) {
    const said = outputs[index].map((text) => JSON.parse(text)).slice(1);
    for (const [at, { expect, expectDeadline, expectSessions }] of steps.entries()) {
      const { actions, deadline, sessions = [] } = said[at];
      const place = `${name}, step ${at}`;
      inPart(
        expect,
        actions.filter(({ type }) => type !== "log"),
        place,
      );
      assert.equal(deadline, expectDeadline, place);
      if (expectSessions) inPart(expectSessions, sessions, place);
    }
  }
});

test("a copied test in TypeScript has no type errors and passes", async () => {
  const files = written("typescript", (index) => `story${index}.ts`);
  const compilerOptions = {
    strict: true,
    module: "nodenext",
    target: "es2023",
    types: ["node"],
    skipLibCheck: true,
    outDir: "out",
  };
  const folder = join(home, "typescript");
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  await bin("tsc", "-p", join(folder, "tsconfig.json"));
  const compiled = files.map((file) => join(folder, "out", file.replace(".ts", ".js")));
  const said = execFileSync(process.execPath, ["--test", "--test-reporter=tap", ...compiled], {
    encoding: "utf8",
    // With this variable, a test reports to the one that started it.
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  });
  assert.match(said, new RegExp(`# pass ${files.length}\\b`), said);
});

test("a copied test in Python passes", () => {
  const files = written("python", (index) => `story_${index}.py`);
  const folder = join(home, "python");
  cpSync(at("adapters", "python", "src", "rootwise"), join(folder, "rootwise"), { recursive: true });
  copyFileSync(library(), join(folder, "rootwise", process.platform === "win32" ? "_native.pyd" : "_native.abi3.so"));
  // What pytest does with them.
  const runner = [
    "import importlib, sys",
    "for name in sys.argv[1:]:",
    "    tests = {k: v for k, v in vars(importlib.import_module(name)).items() if k.startswith('test_')}",
    "    assert len(tests) == 1, tests",
    "    [test() for test in tests.values()]",
    "    print('passed', name)",
  ].join("\n");
  writeFileSync(join(folder, "run.py"), runner);
  const said = read(python, ["run.py", ...files.map((file) => file.replace(".py", ""))], { cwd: folder });
  assert.equal(said.match(/^passed/gm)?.length, files.length, said);
});

test("a copied test in Rust compiles without warnings and passes", () => {
  const files = written("rust", (index) => `story_${index}.rs`);
  const modules = files.map((file, index) => `#[path = "${file}"]\nmod story_${index};\n`).join("");
  writeFileSync(join(home, "rust", "main.rs"), modules);
  const built = debugBuild();
  // The libraries as cargo has built them for the other tests.
  const artifacts = read("cargo", ["build", "--quiet", "--message-format=json", ...WORKSPACE, "--lib"])
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const crates = ["rootwise", "serde_json"].flatMap((name) => {
    const found = artifacts.findLast(({ target, filenames }) => target?.name === name && filenames?.length > 0);
    const file = found?.filenames.find((each) => each.endsWith(".rlib"));
    assert.ok(file, `cargo built no ${name}`);
    return ["--extern", `${name}=${file}`];
  });
  const program = join(home, "rust", "stories");
  const flags = ["--test", "--edition=2024", "-Dwarnings", "-L", `dependency=${join(built, "deps")}`, ...crates];
  read("rustc", [...flags, "-o", program, join(home, "rust", "main.rs")]);
  const said = read(program, []);
  assert.match(said, new RegExp(`\\b${files.length} passed; 0 failed`), said);
});

const preset = (policy) =>
  typeof policy === "string" ? JSON.parse(readFileSync(at("core/presets", `${policy}.json`), "utf8")) : policy;

/** As tests/vectors/README.md says it: every expected member is there, and lists are as long. */
function inPart(expected, got, place) {
  if (Array.isArray(expected)) {
    assert.equal(got?.length, expected.length, `${place}: ${JSON.stringify(got)}`);
    for (const [index, part] of expected.entries()) inPart(part, got[index], `${place}[${index}]`);
  } else if (typeof expected === "object" && expected !== null) {
    for (const [key, part] of Object.entries(expected)) inPart(part, got?.[key] ?? null, `${place}.${key}`);
  } else assert.equal(got ?? null, expected, place);
}
