// A file inside the project of a call, from whichever source the project came, over every transport and with every client.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { connect, pairs } from "./clients.mjs";

const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-files-")));
after(() => rmSync(base, { recursive: true, force: true }));
const at = (...parts) => join(base, ...parts);
for (const name of ["one", "two"]) {
  mkdirSync(at(name, "src"), { recursive: true });
  mkdirSync(at(name, ".git"));
  for (const file of ["same.txt", `${name}.txt`]) writeFileSync(at(name, "src", file), name);
  symlinkSync(at(name, "src"), at(name, "link"));
}
mkdirSync(at("outside"));
symlinkSync(at("outside"), at("one/out"));
symlinkSync(at("two/src/two.txt"), at("one/src/other.txt"));
const uri = (name) => ({ uri: `file://${at(name)}` });

/** What every server says about files of the project `one`. */
async function knowsOne(call) {
  for (const [file, real] of [
    ["src/same.txt", "one/src/same.txt"],
    ["link/one.txt", "one/src/one.txt"],
    ["link/../src/./one.txt", "one/src/one.txt"],
    ["new/file", "one/new/file"],
    [at("one/link/new"), "one/src/new"],
    [uri("one/link").uri, "one/src"],
  ])
    assert.deepEqual(await call("file", { path: file }), { text: at(real), failed: false, value: undefined }, file);
  for (const [file, message] of [
    ["out/new", `outside the project ${at("one")}: out leads to ${at("outside")}`],
    ["src/other.txt", `outside the project ${at("one")}: src/other.txt leads to ${at("two/src/two.txt")}`],
    ["../two/src/two.txt", `../two/src/two.txt leads to ${at("two/src/two.txt")}`],
    [at("two/src/two.txt"), `outside the project ${at("one")}`],
    ["src/one.txt/below", "src/one.txt in the path is not a folder"],
    ["C:\\one\\src", "another operating system"],
    ["a\0b", "null character"],
    ["a".repeat(1 << 20), "1048576 characters"],
  ]) {
    const { text, failed } = await call("file", { path: file });
    assert.ok(failed && text.includes(message), `${file.slice(0, 80)}: ${text}`);
  }
}

for (const pair of pairs) {
  describe(pair.name, () => {
    const meet = (options, use) => async () => {
      const { call, close } = await connect(pair, { cwd: "/", ...options });
      try {
        await use(call);
      } finally {
        await close();
      }
    };
    const local = { host: { local: true } };

    test(
      "two roots: the project is the first, and a file of the other is outside",
      meet({ roots: [uri("one"), uri("two")], options: local }, knowsOne),
    );

    if (pair.over === "http") {
      const headers = { "x-project-path": at("one") };
      test("a project from a header", meet({ headers, options: local }, knowsOne));
      test(
        "a header in the client's spelling, within the allowed folders",
        meet(
          {
            headers: { "x-project-path": "C:\\code\\one" },
            options: { allowedDirs: [base] },
            env: { ROOTWISE_PATH_MAP: `C:\\code=${base}` },
          },
          async (call) => {
            await knowsOne(call.bind(undefined));
            const { text } = await call("file", { path: "c:\\Code\\one\\src\\one.txt" });
            assert.equal(text, at("one/src/one.txt"));
          },
        ),
      );
    } else {
      test("the working directory", meet({ cwd: at("one"), options: {} }, knowsOne));
    }

    if (pair.era === "legacy") {
      test(
        "a selection among two roots",
        meet({ roots: [uri("two"), uri("one")], options: local }, async (call) => {
          assert.equal((await call("file", { path: "src/same.txt" })).text, at("two/src/same.txt"));
          const switched = await call("switch_project", { project: at("one") });
          assert.ok(!switched.failed, switched.text);
          await knowsOne(call);
        }),
      );
      test(
        "a selection of a client without roots",
        meet({ options: local }, async (call) => {
          const switched = await call("switch_project", { project: at("one") });
          assert.ok(!switched.failed, switched.text);
          await knowsOne(call);
        }),
      );
    }
  });
}
