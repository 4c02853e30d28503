// What the playground does: stories, policies, events, recordings, copies.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { build } from "rolldown";
import { storiesIn, stories, storyList } from "../../playground/readme.mjs";
import { at, bin } from "../../scripts/tools.mjs";
import { replay } from "../backends/rust.mjs";
import { copied, ending, start, tab } from "./fixture.mjs";

let open;
let end;
before(async () => {
  ({ open, end } = await start());
});
after(() => end?.());

test("there are stories of the five seed systems, of both eras and of ten faults, each told in two sentences", () => {
  const ids = new Set(stories.map(({ id }) => id));
  assert.equal(ids.size, stories.length);
  for (const id of ["mcp-guide", "conport", "cocosearch", "thoughtbox", "wolfram", "legacy", "modern"])
    assert.ok(ids.has(id), id);
  assert.equal(storiesIn("faults").length, 10);
  for (const { id, text } of stories) assert.equal(text.match(/[.](?= [A-Z]|$)/g)?.length, 2, `${id}: ${text}`);
});

test("the list of stories in playground/README.md is current", () => {
  const readme = readFileSync(at("playground/README.md"), "utf8");
  assert.ok(readme.includes(storyList()), "run npm run playground -- --list");
});

test("every story plays to its end, step by step, with the expected project", async () => {
  const { page, errors } = await open();
  for (const { id, ends } of stories) {
    await page.evaluate((id) => {
      location.hash = `story=${id}&at=0`;
    }, id);
    const forward = page.getByRole("button", { name: "Step forward" });
    await page.locator(`.stories [data-story="${id}"][aria-current="true"]`).waitFor();
    assert.equal(
      await page
        .locator(".count")
        .textContent()
        .then((text) => text.split(" / ")[0]),
      "0",
      id,
    );
    while (await forward.isEnabled()) await forward.click();
    assert.deepEqual(await ending(page), ends, id);
  }
  assert.deepEqual(errors, []);
});

test("Play goes through a story by itself and stops at its end", async () => {
  const { page } = await open("#story=modern&at=0");
  await page.clock.install();
  await page.getByRole("button", { name: "Play" }).click();
  assert.equal(await page.getByRole("button", { name: "Pause" }).count(), 1);
  await page.clock.runFor(60_000);
  assert.equal(await page.getByRole("button", { name: "Play" }).count(), 1);
  assert.deepEqual(await ending(page), { project: "/home/ada/shop", source: "roots" });
});

test("a policy that is nonsense shows the core's error at its field and breaks nothing", async () => {
  const { page, errors } = await open("#story=legacy");
  const before = await page.locator(".sequence li").allTextContents();
  await tab(page, "Policy");
  const write = async (text) => {
    await page.locator(".cm-content").click();
    await page.keyboard.press("ControlOrMeta+a");
    // As typed text would be completed by brackets, the whole is put in at once.
    await page.keyboard.insertText(text);
  };
  await write('{\n  "name": "mine",\n  "sources": [\n    { "from": "nowhere" }\n  ]\n}');
  await page.locator(".problem", { hasText: "Line 4" }).waitFor();
  const problem = await page.locator(".problem").textContent();
  assert.match(problem, /at sources\[0\]\.from: unknown variant/);
  assert.match(problem, /nowhere/);
  await page.locator(".cm-lintRange-error").waitFor();
  assert.deepEqual(await page.locator(".sequence li").allTextContents(), before);

  await write("{ not json");
  await page.locator(".problem", { hasText: "not JSON" }).waitFor();
  assert.deepEqual(await ending(page), { project: "/home/ada/blog", source: "roots" });

  // The next good text plays: without roots, the working directory is asked, which is the home folder.
  await write('{ "name": "mine", "sources": [{ "from": "cwd" }] }');
  await page.locator(".fine").waitFor();
  assert.deepEqual(await ending(page), { code: "no_project" });
  assert.deepEqual(errors, []);
});

test("the editor completes names and values from the schema", async () => {
  const { page } = await open();
  await tab(page, "Policy");
  await page.locator(".cm-content").click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText('{ "name": "mine", "sources": [{ "from": "roots" }], "roots": {  } }');
  for (let back = 0; back < 4; back += 1) await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Control+Space");
  const options = page.locator(".cm-tooltip-autocomplete li");
  await options.first().waitFor();
  const names = await options.allTextContents();
  assert.ok(names.includes("requireCapability") && names.includes("ask"), names.join());
  await page.keyboard.type('"as');
  await page.waitForFunction(() => document.querySelector(".cm-tooltip-autocomplete li")?.textContent === "ask");
  // The editor accepts no choice in the first moment, so that nobody takes one by accident.
  await page.waitForTimeout(200);
  await page.keyboard.press("Enter");
  await page.keyboard.press("Control+Space");
  await options.filter({ hasText: "eager" }).waitFor();
  assert.deepEqual((await options.allTextContents()).sort(), ['"eachRequest"', '"eager"', '"lazy"', '"never"']);
});

test("events play by clicking: a client, a call, its roots, time, a switch, the disk", async () => {
  const { page, errors } = await open();
  await page.getByRole("button", { name: "Begin with an empty story" }).click();
  await tab(page, "Disk");
  for (const remove of await page.getByRole("button", { name: /^Remove \/home$/ }).all()) await remove.click();
  for (const [kind, path, to] of [
    ["folder", "/home/ada/shop/.git"],
    ["folder", "/home/ada/notes/.git"],
    ["link", "/home/ada/now", "/home/ada/shop"],
  ]) {
    await page.getByRole("combobox", { name: "kind" }).selectOption(kind);
    await page.getByLabel("absolute path").fill(path);
    if (to) await page.getByLabel("where a link leads").fill(to);
    await page.getByRole("button", { name: "Draw it" }).click();
  }
  await tab(page, "Events");
  await page.getByRole("combobox", { name: "Client" }).selectOption({ label: "opencode" });
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page.getByRole("button", { name: "Call a tool" }).click();
  await page.locator(".project", { hasText: "A call waits" }).waitFor();
  await page.locator(".lifecycle", { hasText: "pending" }).waitFor();
  await page.locator("textarea").fill("file:///home/ada/now");
  await page.getByRole("button", { name: "Answer", exact: true }).click();
  assert.deepEqual(await ending(page), { project: "/home/ada/now", source: "roots" });
  await page.locator(".sequence li", { hasText: "leads to /home/ada/shop" }).waitFor();

  await page.getByLabel("name, path or URI").fill("/home/ada/notes");
  await page.getByRole("button", { name: "Switch" }).click();
  assert.deepEqual(await ending(page), { code: "not_in_roots" });

  // Scrubbed back and played on, what came after is gone.
  const step = page.getByRole("slider", { name: "Step", exact: true });
  await step.fill("3");
  await page.getByRole("button", { name: "Refuse", exact: true }).click();
  await page.locator(".lifecycle", { hasText: "unsupported" }).waitFor();
  assert.deepEqual(await ending(page), { code: "no_project" });

  await page.getByRole("button", { name: "Roots changed" }).click();
  await page.getByRole("button", { name: "Call a tool" }).click();
  await page.getByRole("button", { name: "To the deadline" }).click();
  await page.locator(".lifecycle", { hasText: "overdue" }).waitFor();
  assert.deepEqual(errors, []);
});

test("two policies are compared on the same events", async () => {
  const { page } = await open("#story=silent");
  await tab(page, "Policy");
  await page.getByRole("button", { name: "Compare with another policy" }).click();
  const titles = page.locator(".project-title strong");
  await titles.nth(1).waitFor();
  assert.deepEqual(await titles.allTextContents(), ["/home/ada/shop", "No project: no_project"]);
  await page.getByRole("button", { name: "First step" }).click();
  assert.deepEqual(await titles.allTextContents(), ["No call yet", "No call yet"]);
});

test("an address carries the story, and a damaged one says so", async () => {
  const { page } = await open("#story=legacy");
  await tab(page, "Events");
  await page.locator("textarea").fill("file:///home/ada/shop");
  await page.getByRole("button", { name: "Roots changed" }).click();
  await page.getByRole("button", { name: "Step back" }).click();
  await page.getByRole("button", { name: "Share" }).click();
  await page.locator(".said", { hasText: "copied" }).waitFor();
  const shared = await page.evaluate(() => navigator.clipboard.readText());
  const seen = async (of) => [
    await of.locator(".count").textContent(),
    await of.locator(".sequence li").allTextContents(),
  ];
  const { page: other } = await open(shared.slice(shared.indexOf("#")));
  assert.match(shared, /#s=/);
  assert.deepEqual(await seen(other), await seen(page));

  const story = { title: "", policy: "recommended", host: { style: "posix" }, disk: { files: [] }, moves: [], at: 0 };
  const packed = (value) => `#s=${deflateRawSync(JSON.stringify(value)).toString("base64url")}`;
  for (const [fragment, says] of [
    ["#s=eJxBroken", /cannot be read/],
    [packed({ ...story, disk: 5 }), /is no story/],
    [packed({ ...story, moves: [{ do: "initialize" }] }), /cannot be played/],
  ]) {
    const { page: broken, errors } = await open(fragment);
    assert.match(await broken.locator(".said").textContent(), says);
    assert.deepEqual(await ending(broken), { project: "/home/ada/blog", source: "roots" });
    assert.deepEqual(errors, []);
  }
});

/** A connection with this many messages of its client. */
function recording(calls) {
  const line = (direction, time, message) =>
    JSON.stringify({ direction, time, message: { jsonrpc: "2.0", ...message } });
  const lines = [
    line("client", 0, {
      id: 0,
      method: "initialize",
      params: {
        protocolVersion: "2025-11-25",
        capabilities: { roots: {} },
        clientInfo: { name: "opencode", version: "1" },
      },
    }),
    line("server", 2, { id: 0, result: {} }),
    line("client", 5, { method: "notifications/initialized" }),
  ];
  for (let call = 1; call <= calls; call += 1) {
    lines.push(
      line("client", call * 400, { id: call, method: "tools/call", params: { name: "where", arguments: {} } }),
    );
    lines.push(line("server", call * 400 + 2, { id: `r${call}`, method: "roots/list" }));
    lines.push(
      line("client", call * 400 + 9, { id: `r${call}`, result: { roots: [{ uri: "file:///home/ada/shop" }] } }),
    );
    lines.push(line("server", call * 400 + 20, { id: call, result: {} }));
  }
  return lines;
}

const drop = (page, name, lines) =>
  page.locator(".drop input").setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(lines.join("\n")) });

test("a recording plays, with and without directions; what is no recording is refused with its line", async () => {
  // On another machine, whose disk has none of its folders.
  const { page, errors } = await open("#story=started-in-root");
  // As `rootwise record` writes it: with lines about the process, and with what was no message.
  const start = JSON.stringify({
    time: 0,
    direction: "rootwise",
    start: { command: ["server"], cwd: "/home/ada/shop" },
  });
  const noise = JSON.stringify({ time: 1, direction: "server", text: "listening" });
  const end = JSON.stringify({ time: 99, direction: "rootwise", end: { code: 0 } });
  await drop(page, "session.ndjson", [start, noise, ...recording(2), end]);
  await page.locator(".said", { hasText: "were played" }).waitFor();
  assert.deepEqual(await ending(page), { project: "/home/ada/shop", source: "roots" });
  const rows = await page.locator(".sequence li").allTextContents();
  await drop(
    page,
    "plain.ndjson",
    recording(2).map((line) => JSON.stringify(JSON.parse(line).message)),
  );
  await page.locator("h1", { hasText: "plain.ndjson" }).waitFor();
  const withoutTimes = (texts) =>
    texts.filter((text) => !/ pass$/.test(text)).map((text) => text.replace(/^[\d.]+ m?s/, ""));
  assert.deepEqual(
    withoutTimes(await page.locator(".sequence li").allTextContents()).slice(0, 4),
    withoutTimes(rows).slice(0, 4),
  );

  await drop(page, "wrong.txt", ['{"direction":"sideways","message":{}}']);
  await page.locator(".said", { hasText: "Line 1 has the direction" }).waitFor();
  await drop(page, "wrong.txt", ["{}", "oops"]);
  await page.locator(".said", { hasText: "Line 2 is not JSON" }).waitFor();
  assert.equal(await page.locator("h1").textContent(), "Recording plain.ndjson");
  assert.deepEqual(errors, []);
});

test("a recording that is dropped anywhere plays on a machine of its own style", async () => {
  const { page, errors } = await open();
  const lines = recording(1).map((line) => line.replace("file:///home/ada/shop", "file:///c%3A/code/shop"));
  const transfer = await page.evaluateHandle((text) => {
    const files = new DataTransfer();
    files.items.add(new File([text], "windows.ndjson"));
    return files;
  }, lines.join("\n"));
  await page.dispatchEvent("h1", "drop", { dataTransfer: transfer });
  await page.locator("h1", { hasText: "windows.ndjson" }).waitFor();
  assert.deepEqual(await ending(page), { project: "C:\\code\\shop", source: "roots" });
  assert.deepEqual(errors, []);
});

test("a trace of 5,000 events: how long a step takes", async (context) => {
  const { page, errors } = await open("#story=legacy");
  const began = performance.now();
  await drop(page, "long.ndjson", recording(2_500));
  await page.locator(".said", { hasText: "were played" }).waitFor();
  context.diagnostic(`read and played in ${Math.round(performance.now() - began)} ms`);
  await tab(page, "Events");
  const measured = async (name) => {
    const times = await page.evaluate(async (name) => {
      const button = [...document.querySelectorAll("button")].find(
        (each) => (each.getAttribute("aria-label") ?? each.textContent.trim()) === name,
      );
      const taken = [];
      for (let count = 0; count < 40; count += 1) {
        const start = performance.now();
        button.click();
        // Style and layout belong to the step.
        document.body.getBoundingClientRect();
        taken.push(performance.now() - start);
        await new Promise((resolve) => setTimeout(resolve));
      }
      return taken.sort((one, other) => one - other);
    }, name);
    const [middle, nearly, most] = [times[20], times[37], times.at(-1)].map((ms) => ms.toFixed(1));
    context.diagnostic(`${name}: ${middle} ms in the middle, 95 % within ${nearly} ms, at most ${most} ms; goal 50 ms`);
  };
  await measured("Call a tool");
  await measured("Roots changed");
  await measured("Step back");
  const [, last] = (await page.locator(".count").textContent()).split(" / ");
  assert.ok(Number.parseInt(last, 10) >= 5_000, last);
  assert.ok((await page.locator(".sequence li").count()) < 100, "only the rows in view exist");
  assert.deepEqual(errors, []);
});

test("the copied vector of every story holds in the core", async () => {
  const { page } = await open();
  const vectors = [];
  for (const { id } of stories) {
    await page.evaluate((id) => {
      location.hash = `story=${id}`;
    }, id);
    await page.locator(`.stories [data-story="${id}"][aria-current="true"]`).waitFor();
    vectors.push(JSON.parse(await copied(page, "vector")));
  }
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

test("the copied test in TypeScript has no type errors and passes", async () => {
  const folder = at("target", "playground-copies");
  mkdirSync(folder, { recursive: true });
  const strict = {
    strict: true,
    noEmit: true,
    module: "nodenext",
    target: "es2023",
    types: ["node"],
    skipLibCheck: true,
  };
  writeFileSync(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions: strict, include: ["*.ts"] }));
  const { page } = await open();
  for (const id of ["worktree", "two-clients", "wolfram", "silent"]) {
    await page.evaluate((id) => {
      location.hash = `story=${id}`;
    }, id);
    await page.locator(`.stories [data-story="${id}"][aria-current="true"]`).waitFor();
    writeFileSync(`${folder}/${id}.ts`, await copied(page, "typescript"));
    const file = `${folder}/${id}.test.mjs`;
    await build({
      input: `${folder}/${id}.ts`,
      platform: "node",
      tsconfig: false,
      external: ["rootwise"],
      output: { file },
    });
    const said = execFileSync(process.execPath, ["--test", "--test-reporter=tap", file], {
      encoding: "utf8",
      // With this variable, a test reports to the one that started it.
      env: { ...process.env, NODE_TEST_CONTEXT: undefined },
    });
    assert.match(said, /# pass 1\b/, said);
  }
  await bin("tsc", "-p", `${folder}/tsconfig.json`);
});
