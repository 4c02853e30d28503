// The client's user who is asked for the project, with real clients of both SDKs and both eras over stdio and HTTP.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { connect, pairs } from "./clients.mjs";

const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-elicit-")));
after(() => rmSync(base, { recursive: true, force: true }));
const [shop, api, app] = ["shop", "api", "app"].map((name) => join(base, name));
for (const folder of [shop, api, join(app, ".git")]) mkdirSync(folder, { recursive: true });
const roots = [shop, api].map((folder) => ({ uri: `file://${folder}`, name: folder === shop ? "shop" : "api" }));
const options = { host: { local: true }, policy: { elicit: "ambiguous" } };

/** A user who answers every form in the same way, and the forms that the user saw. */
function user(answer) {
  const forms = [];
  const elicit = async ({ params }) => {
    forms.push(params);
    return answer;
  };
  return { forms, elicit };
}
const accept = (project) => ({ action: "accept", content: { project } });

for (const pair of pairs) {
  // Over HTTP a modern call is stateless: nothing would keep the answer.
  const isAsked = pair.era === "legacy" || pair.over === "stdio";
  describe(pair.name, () => {
    test("the user chooses one of several roots, once", async () => {
      const { forms, elicit } = user(accept("api"));
      const connection = await connect(pair, { roots, options, elicit, env: { HOME: base } });
      try {
        const expected = isAsked ? { path: api, source: "selected" } : { path: shop, source: "roots" };
        for (let call = 0; call < 2; call += 1) {
          const { value, text } = await connection.call("where");
          assert.deepEqual({ path: value?.path, source: value?.source }, expected, text);
        }
        assert.equal(forms.length, isAsked ? 1 : 0);
        if (!isAsked) return;
        assert.match(forms[0].message, new RegExp(`shop \\(${shop}\\), api \\(${api}\\)`));
        assert.deepEqual(forms[0].requestedSchema.properties.project.enum, ["shop", "api"]);
      } finally {
        await connection.close();
      }
    });

    test("a user who declines leaves the first root, and is not asked again", async () => {
      const { forms, elicit } = user({ action: "decline" });
      const connection = await connect(pair, { roots, options, elicit, env: { HOME: base } });
      try {
        for (let call = 0; call < 2; call += 1) assert.equal((await connection.call("where")).value?.path, shop);
        assert.equal(forms.length, isAsked ? 1 : 0);
      } finally {
        await connection.close();
      }
    });

    test("a client that declares no elicitation is not asked", async () => {
      const connection = await connect(pair, { roots, options, env: { HOME: base } });
      try {
        assert.equal((await connection.call("where")).value?.path, shop);
      } finally {
        await connection.close();
      }
    });

    if (!isAsked) return;

    test("an answer that may not be selected fails the call, and not the next one", async () => {
      const { forms, elicit } = user(accept("/etc"));
      const policy = { elicit: "unresolved", roots: { requireCapability: true } };
      const connection = await connect(pair, {
        options: { ...options, policy },
        elicit,
        env: { HOME: base },
        cwd: "/",
      });
      try {
        const refused = await connection.call("where");
        assert.ok(refused.failed && /no project marker/.test(refused.text), refused.text);
        const next = await connection.call("where");
        assert.ok(next.failed && /No project was found/.test(next.text), next.text);
        assert.equal(forms.length, 1);
        assert.equal(forms[0].requestedSchema.properties.project.enum, undefined);
      } finally {
        await connection.close();
      }
    });

    test("the user names a folder where no project was found", async () => {
      const { elicit } = user(accept(app));
      const policy = { elicit: "unresolved", roots: { requireCapability: true } };
      const connection = await connect(pair, {
        options: { ...options, policy },
        elicit,
        env: { HOME: base },
        cwd: "/",
      });
      try {
        assert.equal((await connection.call("where")).value?.path, app);
      } finally {
        await connection.close();
      }
    });

    test("an answer of a megabyte selects nothing, and the next call works", async () => {
      const { forms, elicit } = user(accept(`/${"x".repeat(1 << 20)}`));
      const connection = await connect(pair, { roots, options, elicit, env: { HOME: base } });
      try {
        const first = await connection.call("where");
        // Some SDKs refuse an answer that is none of those that the form offers.
        assert.ok(first.value === undefined || first.value.path === shop, first.text);
        assert.ok(first.text.length < 10_000, "the answer is repeated");
        assert.equal((await connection.call("where")).value?.path, shop);
        assert.equal(forms.length, isAsked ? 1 : 0);
      } finally {
        await connection.close();
      }
    });

    // A modern question is in the result, so that no call waits on the server.
    if (pair.era === "modern") return;

    test("another call does not wait for the user", async () => {
      let answer;
      let asked;
      const answered = new Promise((resolve) => (answer = resolve));
      const seen = new Promise((resolve) => (asked = resolve));
      const elicit = () => {
        asked();
        return answered;
      };
      const connection = await connect(pair, { roots, options, elicit, env: { HOME: base } });
      try {
        const first = connection.call("where");
        await seen;
        assert.equal((await connection.call("where")).value?.path, shop);
        answer(accept("api"));
        assert.equal((await first).value?.path, api);
      } finally {
        await connection.close();
      }
    });
  });
}
