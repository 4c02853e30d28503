// What can be played by clicking and by the keyboard alone, and recordings as rootwise record writes them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { at } from "../../scripts/tools.mjs";
import { drop, ending, packed, start, tab } from "./fixture.mjs";

let open;
let end;
before(async () => {
  ({ open, end } = await start());
});
after(() => end?.());

const base = {
  title: "mine",
  policy: "recommended",
  host: { style: "posix", transport: "stdio", cwd: "/home/ada" },
  disk: { files: ["/home/ada/shop/.git/", "/home/ada/blog/.git/"] },
  moves: [],
  at: 0,
};
const http = { ...base, host: { ...base.host, transport: "http", local: true } };

const press = (page, name) => page.getByRole("button", { name, exact: true }).click();
const rows = (page) => page.locator(".sequence li").allTextContents();
const last = async (page) => (await rows(page)).at(-1);

/** A client that has roots, connected. */
async function connected(page) {
  await tab(page, "Events");
  await page.getByRole("combobox", { name: "Client" }).selectOption({ label: "opencode" });
  await press(page, "Connect");
}

test("a header and a _meta of a call are played by clicking", async () => {
  const { page, errors } = await open(packed(http));
  await connected(page);
  await page.getByLabel("header x-project-path").fill("/home/ada/blog");
  await press(page, "Call a tool");
  assert.deepEqual(await ending(page), { project: "/home/ada/blog", source: "header" });
  await page.getByLabel("header x-project-path").fill("");
  await page.getByLabel(/^_meta /).fill("/home/ada/shop");
  await press(page, "Call a tool");
  await page.locator(".project", { hasText: "/home/ada/shop" }).waitFor();
  assert.deepEqual(await ending(page), { project: "/home/ada/shop", source: "meta" });
  assert.deepEqual(errors, []);
});

test("a stream is broken, cut and resumed by clicking", async () => {
  const { page, errors } = await open(packed(http));
  await connected(page);
  await press(page, "Call a tool");
  await page.locator(".project", { hasText: "A call waits" }).waitFor();
  await press(page, "Cut");
  await page.locator(".project", { hasText: "A call waits" }).waitFor();
  await press(page, "Resume");
  await press(page, "Answer");
  assert.deepEqual(await ending(page), { project: "/home/ada/shop", source: "roots" });

  await press(page, "Roots changed");
  await press(page, "Call a tool");
  await page.locator(".project", { hasText: "A call waits" }).waitFor();
  await press(page, "Break");
  await page.locator(".lifecycle strong", { hasText: "pending" }).waitFor({ state: "detached" });
  assert.equal(await page.getByRole("button", { name: "Cancel the call" }).isDisabled(), true);
  // Nobody heard the question: the next call asks again, and is answered.
  await press(page, "Call a tool");
  await press(page, "Answer");
  assert.deepEqual(await ending(page), { project: "/home/ada/shop", source: "roots" });
  assert.deepEqual(errors, []);
});

test("a call is cancelled, and a client disconnects, by clicking", async () => {
  const { page, errors } = await open(packed(base));
  await connected(page);
  await press(page, "Call a tool");
  await page.locator(".project", { hasText: "A call waits" }).waitFor();
  await press(page, "Cancel the call");
  assert.equal((await ending(page)).code, "cancelled");
  assert.equal(await page.getByRole("button", { name: "Cancel the call" }).isDisabled(), true);
  await press(page, "Call a tool");
  await press(page, "Answer");
  assert.deepEqual(await ending(page), { project: "/home/ada/shop", source: "roots" });
  await press(page, "Disconnect");
  await page.locator(".sequence li", { hasText: "connection closes" }).waitFor();
  await press(page, "Call a tool");
  await page.locator(".sequence li", { hasText: "no project: closed" }).waitFor();
  assert.equal((await ending(page)).code, "closed");
  assert.deepEqual(errors, []);
});

test("an answer after six seconds comes too late for its call, and counts for the next one", async () => {
  const { page, errors } = await open(packed(base));
  await connected(page);
  await press(page, "Call a tool");
  await press(page, "Answer after 6 s");
  assert.ok("code" in (await ending(page)), JSON.stringify(await ending(page)));
  await press(page, "Call a tool");
  assert.deepEqual(await ending(page), { project: "/home/ada/shop", source: "roots" });
  assert.deepEqual(errors, []);
});

test("client, call, answer, switch and disk are played with the keyboard alone", async () => {
  const { page, errors } = await open(packed({ ...base, host: { ...base.host, cwd: "/" } }));
  /** Tab until a control has the focus; nothing is focused in another way. */
  const reach = async (role, name) => {
    const wanted = page.getByRole(role, { name, exact: true });
    for (let count = 0; count < 120; count += 1) {
      if (await wanted.evaluate((element) => element === document.activeElement)) return;
      await page.keyboard.press("Tab");
    }
    assert.fail(`${role} ${name} is not reached`);
  };
  const enter = async (name) => {
    await reach("button", name);
    await page.keyboard.press("Enter");
  };
  const write = async (name, text) => {
    await reach("textbox", name);
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type(text);
  };
  /** From the tabs, which the arrow keys change. */
  const choose = async (from, to, arrow) => {
    await reach("tab", from);
    while ((await page.evaluate(() => document.activeElement.textContent)) !== to) await page.keyboard.press(arrow);
  };
  await choose("Stories", "Events", "ArrowRight");
  await reach("combobox", "Client");
  await page.keyboard.type("opencode");
  await enter("Connect");
  await enter("Call a tool");
  await page.locator(".project", { hasText: "A call waits" }).waitFor();
  await write("one URI in each line; a name may follow after a space", "file:///home/ada/shop");
  await enter("Answer");
  assert.deepEqual(await ending(page), { project: "/home/ada/shop", source: "roots" });
  await write("name, path or URI", "/home/ada/shop");
  await enter("Switch");
  assert.deepEqual(await ending(page), { project: "/home/ada/shop", source: "selected" });
  await choose("Events", "Disk", "ArrowRight");
  await write("absolute path", "/home/ada/notes");
  await enter("Draw it");
  await page.locator(".sequence li", { hasText: "/home/ada/notes" }).waitFor();
  assert.deepEqual(errors, []);
});

test("the second policy of a comparison plays the same events, with its own messages and sources, and is shared", async () => {
  const { page } = await open("#story=silent");
  await tab(page, "Policy");
  await press(page, "Compare with another policy");
  const tracks = page.locator(".track");
  await tracks.nth(1).waitFor();
  const seen = async (of) => {
    const all = [];
    for (const track of await of.locator(".track").all())
      all.push({
        rows: (await track.locator(".sequence li").allTextContents()).map((text) => text.replace(/^[\d.]+ m?s/, "")),
        sources: await track.locator(".sources tbody tr").allTextContents(),
      });
    return all;
  };
  const [one, other] = await seen(page);
  assert.ok(one.rows.some((text) => /roots\/list/.test(text)) && other.rows.some((text) => /roots\/list/.test(text)));
  assert.notDeepEqual(one.rows, other.rows);
  // The preset wolfram reads the roots alone; the recommended one goes on to the variable.
  assert.ok(
    one.sources.some((text) => /^env.*won/.test(text)),
    one.sources.join("\n"),
  );
  assert.deepEqual(
    other.sources
      .map((text) => /^[a-z]+/.exec(text)[0].replace(/(absent|won|waits|failed|not|unanswered).*/, ""))
      .sort(),
    ["roots"],
  );

  await press(page, "Share");
  await page.locator(".said", { hasText: "copied" }).waitFor();
  const shared = await page.evaluate(() => navigator.clipboard.readText());
  const { page: again } = await open(shared.slice(shared.indexOf("#")));
  await again.locator(".track").nth(1).waitFor();
  assert.deepEqual(await seen(again), [one, other]);
});

const recorded = (name) =>
  readFileSync(at("tests", "playground", "recordings", name), "utf8")
    .trim()
    .split("\n");

for (const [file, client] of [
  ["claude-code.ndjson", "claude-code"],
  ["opencode.ndjson", "opencode"],
])
  test(`a recording that rootwise record made plays: ${file}`, async () => {
    const { page, errors } = await open("#story=started-in-root");
    await drop(page, file, recorded(file));
    await page.locator(".said", { hasText: "were played" }).waitFor();
    assert.deepEqual(await ending(page), { project: "/home/ada/shop", source: "roots" });
    assert.match(await last(page), /\/home\/ada\/shop/);
    assert.match(await page.locator(".explanation").textContent(), new RegExp(client));
    assert.deepEqual(errors, []);
  });

test("a recording keeps the argument that names the project, and batches are read message by message", async () => {
  const { page, errors } = await open(packed({ ...base, host: { ...base.host, toolArgument: "project" } }));
  await drop(page, "opencode.ndjson", recorded("opencode.ndjson"));
  await page.locator(".said", { hasText: "were played" }).waitFor();
  // The client has another folder open.
  assert.deepEqual(await ending(page), { code: "not_in_roots" });

  const messages = recorded("opencode.ndjson").flatMap((line) => JSON.parse(line).message ?? []);
  const [hello, , ready, call, question, answer] = messages;
  assert.equal(question.method, "roots/list");
  const lines = [hello, [ready, call], question, [answer]];
  await drop(
    page,
    "batch.ndjson",
    lines.map((line) => JSON.stringify(line)),
  );
  await page.locator("h1", { hasText: "batch.ndjson" }).waitFor();
  assert.deepEqual(await ending(page), { code: "not_in_roots" });
  await drop(page, "wrong.ndjson", [JSON.stringify([hello, 5])]);
  await page.locator(".said", { hasText: "Line 1 is a batch with something that is not a message" }).waitFor();
  assert.deepEqual(errors, []);
});
