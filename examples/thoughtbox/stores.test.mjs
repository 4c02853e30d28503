// What Thoughtbox's stores do by themselves, whichever SDK and transport a server has.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { compile, connect, NO_SESSIONS, startRedis } from "./peers.mjs";

const folder = mkdtempSync(join(tmpdir(), "thoughtbox-stores-"));
const options = { timeout: 120_000 };

before(compile);
after(() => rmSync(folder, { recursive: true, force: true }));

test(
  "an empty store says that there are no sessions, also to a client without roots [T-09, T-11]",
  options,
  async () => {
    const setup = { server: "sdk2", client: 2, era: "legacy", over: "stdio", store: join(folder, "empty.db") };
    const agent = await connect(setup, {});
    try {
      const { success, message } = await agent.init("load_context");
      assert.deepEqual([success, message], [false, NO_SESSIONS]);
      await agent.logged("warning: No root is bound; bind a root to recover sessions by project");
    } finally {
      await agent.close();
    }
  },
);

test("old sessions are archived by themselves, unless they are pinned [T-19]", options, async () => {
  const setup = {
    server: "sdk1",
    client: 1,
    era: "legacy",
    over: "stdio",
    store: join(folder, "old.db"),
    options: ["--archive-after-days", "30"],
  };
  const { openStore } = await import("./dist/store.js");
  const x = "file:///Users/dev/project";
  const ago = (days) => new Date(Date.now() - days * 86_400_000).toISOString();
  const store = await openStore(setup.store);
  for (const [id, days] of [
    ["pinned", 90],
    ["old", 31],
    ["recent", 29],
  ]) {
    await store.createSession({
      id,
      title: id,
      createdAt: ago(days),
      mcpRootUri: x,
      project: x.replace("file://", ""),
    });
  }
  await store.close();
  const agent = await connect(setup, { roots: [x] });
  try {
    const ids = async () => (await agent.init("list_sessions")).sessions.map(({ id }) => id);
    assert.deepEqual(await ids(), ["recent"]);
    await agent.init("update_session", { sessionId: "pinned", pinned: true });
    assert.deepEqual(await ids(), ["pinned", "recent"]);
    assert.equal((await agent.init("load_context", { sessionId: "old" })).success, true);
  } finally {
    await agent.close();
  }
});

test("a killed Redis restarts with all data, and its servers continue [T-01, T-17]", options, async (t) => {
  let redis = await startRedis(folder);
  t.after(() => redis.stop());
  const x = "file:///Users/dev/project";
  const setup = { server: "sdk2", client: 2, era: "modern", over: "http", store: redis.url };
  const agent = await (await connect(setup, { roots: [x] })).bind(x);
  try {
    const id = await agent.think("one", "two");
    await redis.stop("SIGKILL");
    redis = await startRedis(folder);
    const { session, thoughts } = await agent.init("load_context");
    assert.deepEqual([session.id, thoughts], [id, ["one", "two"]]);
  } finally {
    await agent.close();
  }
});
