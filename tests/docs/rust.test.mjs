// The Rust programs of the documentation, run with real clients. They are examples of rootwise-rmcp, so that cargo builds them and
// the repository's lints hold; the pages show the same text. (The documentation tests of the crates compile the other examples.)
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { at, debugBuild } from "../../scripts/tools.mjs";
import { team } from "./team.mjs";

const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-rust-")));
after(() => rmSync(base, { recursive: true, force: true }));
let built;
before(() => {
  built = join(debugBuild(), "examples");
});

for (const [page, name, start] of [
  ["docs/tutorials/rust.md", "tutorial", "use rmcp::service::RequestContext;"],
  ["docs/tutorials/rust.md", "tutorial_client", "// The newest revision of the protocol deprecates roots"],
  ["docs/tutorials/rust.md", "tutorial_switching", "use rmcp::handler::server::wrapper::Parameters;"],
  ["docs/tutorials/rust.md", "tutorial_switch", "// The newest revision of the protocol deprecates roots"],
  ["docs/guides/http.md", "team", "use std::collections::HashMap;"],
]) {
  test(`${page} shows the example ${name}`, () => {
    const source = readFileSync(at(`adapters/rust/rootwise-rmcp/examples/${name}.rs`), "utf8");
    const listing = source.slice(source.indexOf(start));
    assert.ok(listing.length > 500, `${name}.rs does not contain: ${start}`);
    assert.ok(readFileSync(at(page), "utf8").includes(`\n${listing}\`\`\`\n`), `the listing differs from ${name}.rs`);
  });
}

/** Runs a client of the tutorial in a reader's folder, where it starts the server that cargo built. */
function reader(name, server, client) {
  const folder = join(base, name);
  mkdirSync(join(folder, "target", "debug"), { recursive: true });
  symlinkSync(join(built, server), join(folder, "target", "debug", "notes"));
  const run = (...folders) => {
    const done = spawnSync(join(built, client), folders, { cwd: folder, encoding: "utf8", timeout: 30_000 });
    assert.equal(done.status, 0, done.stderr);
    return done.stdout;
  };
  return { folder, run };
}

test("the client of the tutorial gets the project that it opens, and advice without one", () => {
  const { folder, run } = reader("notes", "tutorial", "tutorial_client");
  assert.equal(run("."), `working in ${folder}\n`);
  const page = readFileSync(at("docs/tutorials/rust.md"), "utf8");
  const none = run();
  assert.ok(page.includes(`\`\`\`text\n${none}\`\`\``), none);
});

test("the second client of the tutorial switches its project", () => {
  const { folder, run } = reader("switching", "tutorial_switching", "tutorial_switch");
  const other = join(base, "other");
  mkdirSync(other);
  assert.equal(run(".", other), `working in ${folder}\nProject set to: other\nworking in ${other}\n`);
});

test("the server of the guide serves a team", { timeout: 60_000 }, async () => {
  await team(join(built, "team"), [], base);
});
