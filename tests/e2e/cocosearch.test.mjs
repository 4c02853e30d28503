// The preset cocosearch-shipped beside what CocoSearch itself does, on a real disk with links. The cases restate the facts
// that its own tests check: which source names the folder, and which folder above it is the project.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { presets } from "rootwise";
import { ClientError, Connection } from "rootwise/driver";

const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-cocosearch-")));
// The timers of a connection keep no process alive, and nothing else does here.
const awake = setInterval(() => {}, 1_000);
after(() => {
  clearInterval(awake);
  rmSync(base, { recursive: true, force: true });
});

const folders = [
  "root",
  "query",
  "path",
  "project",
  "here",
  "with space",
  "#special",
  "repo/.git",
  "repo/src/module",
  "configured/src",
  "both/.git",
  "isolated",
  "parent/.git",
  "parent/child/.git",
  "parent/child/src",
  "worktree/src",
  "mono/.git",
  "mono/app/src",
  "mono/lib",
  "one/.git",
  "two/.git",
  "two/pkg/deep",
];
for (const folder of folders) mkdirSync(join(base, folder), { recursive: true });
for (const file of ["configured/cocosearch.yaml", "both/cocosearch.yaml", "mono/app/cocosearch.yaml"])
  writeFileSync(join(base, file), "");
// In a worktree `.git` is a file.
writeFileSync(join(base, "worktree/.git"), "gitdir: elsewhere");
symlinkSync(join(base, "repo"), join(base, "link"));
symlinkSync(join(base, "two/pkg"), join(base, "one/linked"));

const refuse = () => Promise.reject(new ClientError(-1, "not now"));
const env = (path, project) => ({
  ...(path ? { COCOSEARCH_PROJECT_PATH: join(base, path) } : {}),
  ...(project ? { COCOSEARCH_PROJECT: join(base, project) } : {}),
});

/** What a client, a request and a server bring: names stand for folders in `base`, other texts for themselves. */
const detection = [
  ["an existing root", { roots: ["root"] }, "root", "roots"],
  ["the first root that exists", { roots: ["gone", "root"] }, "root", "roots"],
  ["no root that exists", { roots: ["gone"] }, "here", "cwd"],
  ["an empty list", { roots: [] }, "here", "cwd"],
  ["a client without roots is not asked", {}, "here", "cwd"],
  ["a client that refuses", { answer: refuse }, "here", "cwd"],
  ["a space in a URI", { roots: ["with%20space"] }, "with space", "roots"],
  ["a percent-encoded character", { roots: ["%23special"] }, "#special", "roots"],
  ["another scheme is skipped", { roots: ["https://example.com", "root"] }, "root", "roots"],
  ["an empty URI is skipped", { roots: ["", "root"] }, "root", "roots"],
  ["a URI without a path is skipped", { roots: ["file://", "root"] }, "root", "roots"],
  ["a query parameter", { query: join(base, "query") }, "query", "query"],
  ["a relative query parameter", { query: "query" }, "here", "cwd"],
  ["a query parameter that does not exist", { query: join(base, "gone") }, "here", "cwd"],
  ["the first variable", { env: env("path") }, "path", "env"],
  ["the second variable", { env: env(undefined, "project") }, "project", "env"],
  ["the first variable before the second", { env: env("path", "project") }, "path", "env"],
  ["a relative variable", { env: { COCOSEARCH_PROJECT_PATH: "../path" } }, "path", "env"],
  ["a variable that does not exist", { env: env("gone") }, "here", "cwd"],
  ["the working directory", {}, "here", "cwd"],
  ["roots before the query parameter", { roots: ["root"], query: join(base, "query") }, "root", "roots"],
  ["the query parameter before the variable", { query: join(base, "query"), env: env("path") }, "query", "query"],
  ["the variable before the working directory", { env: env("path") }, "path", "env"],
];

/** From a folder to the project: the nearest folder with a marker, on the real path. */
const markers = [
  ["a repository itself", "repo", "repo"],
  ["a folder deep in a repository", "repo/src/module", "repo"],
  ["a folder below a configuration", "configured/src", "configured"],
  ["both markers in one folder", "both", "both"],
  ["no marker", "isolated", "isolated"],
  ["a link to a repository", "link", "repo"],
  ["a folder behind a link", "link/src", "repo"],
  ["a repository in a repository", "parent/child", "parent/child"],
  ["a folder of the inner repository", "parent/child/src", "parent/child"],
  ["a worktree", "worktree/src", "worktree"],
  ["monorepo: a package with its own configuration", "mono/app", "mono/app"],
  ["monorepo: a folder of that package", "mono/app/src", "mono/app"],
  ["monorepo: a package without one", "mono/lib", "mono"],
  ["monorepo: a link to a folder of another repository", "one/linked", "two"],
  ["a folder behind that link", "one/linked/deep", "two"],
];

async function detect({ roots, answer, query, env = {}, cwd = "here" }) {
  const sent = [];
  const uri = (text) => (text === "" || text.includes("://") ? text : `file://${base}/${text}`);
  const reply = answer ?? (async () => ({ roots: roots.map((text) => ({ uri: uri(text) })) }));
  const sender = { send: (request) => (sent.push(request), reply()) };
  const host = {
    style: "posix",
    transport: query === undefined ? "stdio" : "http",
    local: true,
    push: true,
    env,
    cwd: join(base, cwd),
  };
  const connection = new Connection({ policy: presets["cocosearch-shipped"], host, sender });
  try {
    connection.initialized({ capabilities: roots || answer ? { roots: {} } : {} });
    connection.ready();
    const { path, source } = await connection.ask(query === undefined ? {} : { query: { project_path: query } });
    assert.equal(sent.length, roots || answer ? 1 : 0, "requests");
    return [path, source];
  } finally {
    connection.close();
  }
}

for (const [name, given, folder, source] of detection) {
  test(`source: ${name}`, async () => assert.deepEqual(await detect(given), [join(base, folder), source]));
}

for (const [name, start, project] of markers) {
  test(`project: ${name}`, async () => {
    const expected = (source) => [join(base, project), source];
    assert.deepEqual(await detect({ roots: [start] }), expected("roots"));
    assert.deepEqual(await detect({ query: join(base, start) }), expected("query"));
    assert.deepEqual(await detect({ env: env(start) }), expected("env"));
    assert.deepEqual(await detect({ cwd: start }), expected("cwd"));
  });
}
