// What the playground does: stories, policies, events, recordings.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { storiesIn, stories } from "../../playground/readme.mjs";
import { drop, ending, packed, start, tab } from "./fixture.mjs";

let open;
let end;
before(async () => {
  ({ open, end } = await start());
});
after(() => end?.());

test("there are stories of the five seed systems, of both eras and of ten faults, each told in two sentences", () => {
  const ids = new Set(stories.map(({ id }) => id));
  assert.equal(ids.size, stories.length);
  const named =
    "mcp-guide conport cocosearch thoughtbox wolfram legacy modern form handle conversation repository stale container";
  for (const id of named.split(" ")) assert.ok(ids.has(id), id);
  assert.equal(storiesIn("faults").length, 10);
  for (const { id, text } of stories) assert.equal(text.match(/[.](?= [A-Z]|$)/g)?.length, 2, `${id}: ${text}`);
});

test("a story opens each of its rules", async () => {
  const { page } = await open("#story=conversation");
  await page.getByRole("button", { name: "Rule E27" }).click();
  await page.locator(".rule:popover-open", { hasText: "Whose memory." }).waitFor();
  await page.keyboard.press("Escape");
  assert.equal(await page.locator(".rule:popover-open").count(), 0);
  for (const { id } of stories) {
    await page.evaluate((id) => {
      location.hash = `story=${id}`;
    }, id);
    await page.locator(`.stories [data-story="${id}"][aria-current="true"]`).waitFor();
    for (const text of await page.locator(".rule").allTextContents()) assert.ok(text.length > 60, `${id}: ${text}`);
  }
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

test("the form that is open is answered by clicking", async () => {
  const { page, errors } = await open("#story=form&at=7");
  await tab(page, "Events");
  const form = page.locator(".group", { hasText: "The user's form" }).locator("select");
  assert.deepEqual(await form.locator("option").allTextContents(), ["Shop", "Blog"]);
  await page.getByRole("button", { name: "Decline" }).click();
  assert.deepEqual(await ending(page), { project: "/home/ada/shop", source: "roots" });
  assert.equal(await page.getByRole("button", { name: "Accept" }).isDisabled(), true);
  await page.getByRole("slider", { name: "Step", exact: true }).fill("7");
  await form.selectOption("Blog");
  await page.getByRole("button", { name: "Accept" }).click();
  assert.deepEqual(await ending(page), { project: "/home/ada/blog", source: "selected" });
  assert.deepEqual(errors, []);
});

test("a worktree is drawn, a path map and a handle are used by clicking", async () => {
  const { page, errors } = await open();
  await page.getByRole("button", { name: "Begin with an empty story" }).click();
  const server = async (fields) => {
    await tab(page, "Server");
    for (const [label, text] of Object.entries(fields)) {
      await page.getByLabel(label).fill(text);
      await page.keyboard.press("Tab");
    }
  };
  await server({
    "path map": "C:\\code=/home/ada",
    "the parameter": "project",
    "the tool that": "switch_project",
  });
  await page.getByRole("combobox", { name: "transport" }).selectOption("http");
  await page.getByLabel("the client is on the same machine").check();
  await tab(page, "Disk");
  await page.getByRole("combobox", { name: "kind" }).selectOption("git worktree");
  await page.getByLabel("absolute path").fill("/home/ada/fix");
  await page.getByLabel("the repository that it belongs to").fill("/home/ada/shop");
  await page.getByRole("button", { name: "Draw it" }).click();
  await tab(page, "Events");
  await page.getByLabel("speaks revision 2026-07-28").check();
  await page.getByLabel("declares roots").check();
  await page.getByLabel("one URI in each line").fill("file:///c%3A/code/fix");
  await page.getByLabel("name, path or URI").fill("fix");
  await page.getByRole("button", { name: "Switch" }).click();
  await page.getByRole("button", { name: "Answer", exact: true }).click();
  assert.deepEqual(await ending(page), { project: "/home/ada/fix", source: "selected" });
  const text = await page.locator(".project-text").textContent();
  assert.match(text, /Its handle is fix-[0-9a-f]{4}:/);
  assert.match(text, /The client calls it C:\\code\\fix\./);
  assert.match(text, /the worktree fix of the repository shop\./);
  await page.getByLabel("argument project").fill("fix");
  await page.getByRole("button", { name: "Call a tool" }).click();
  await page.getByRole("button", { name: "Answer", exact: true }).click();
  assert.deepEqual(await ending(page), { project: "/home/ada/fix", source: "argument" });
  assert.deepEqual(errors, []);
});

test("a recording with a form and with calls of 2026-07-28 plays", async () => {
  const { page, errors } = await open("#story=form");
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": { roots: {}, elicitation: {} },
    "io.modelcontextprotocol/clientInfo": { name: "x", version: "1" },
  };
  const call = (id, more) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "where", _meta: meta, ...more },
  });
  const roots = { roots: [{ uri: "file:///home/ada/shop" }, { uri: "file:///home/ada/blog" }] };
  const lines = [
    call(1),
    call(2, { inputResponses: { rootwise: roots } }),
    call(3, {
      inputResponses: { rootwise: roots, "rootwise-project": { action: "accept", content: { project: "blog" } } },
    }),
  ];
  await drop(
    page,
    "form.ndjson",
    lines.map((line) => JSON.stringify(line)),
  );
  await page.locator(".said", { hasText: "were played" }).waitFor();
  assert.deepEqual(await ending(page), { project: "/home/ada/blog", source: "selected" });
  assert.deepEqual(errors, []);
});

test("two policies are compared on the same events", async () => {
  const { page } = await open("#story=silent");
  await tab(page, "Policy");
  await page.getByRole("button", { name: "Compare with another policy" }).click();
  const titles = page.locator(".project-title strong");
  await titles.nth(1).waitFor();
  assert.deepEqual(await titles.allTextContents(), ["/home/ada/shop", "No project"]);
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

test("a recording plays, with and without directions; what is no recording is refused with its line", async () => {
  // On another machine, whose disk has none of its folders.
  const { page, errors } = await open("#story=started-in-root");
  // As `rootwise record` writes it: with lines about the process, and with what was no message.
  const start = JSON.stringify({
    time: 0,
    direction: "rootwise",
    start: {
      command: ["server"],
      cwd: "/home/ada/shop",
      env: { CLAUDE_PROJECT_DIR: "/home/ada/shop", MY_PROJECT: "(hidden: not a path)" },
    },
  });
  const noise = JSON.stringify({ time: 1, direction: "server", text: "listening" });
  const end = JSON.stringify({ time: 99, direction: "rootwise", end: { code: 0 } });
  await drop(page, "session.ndjson", [start, noise, ...recording(2), end]);
  await page.locator(".said", { hasText: "were played" }).waitFor();
  assert.deepEqual(await ending(page), { project: "/home/ada/shop", source: "roots" });
  await tab(page, "Server");
  assert.equal(await page.getByLabel("working directory").inputValue(), "/home/ada/shop");
  assert.equal(await page.getByLabel("variables").inputValue(), "CLAUDE_PROJECT_DIR=/home/ada/shop");
  await tab(page, "Stories");
  const sent = async () => {
    await page.getByRole("slider", { name: "Step", exact: true }).fill("2");
    const rows = await page.locator(".sequence li").allTextContents();
    return rows.map((text) => text.replace(/^[\d.]+ m?s/, "")).filter((text) => text.startsWith("client to server"));
  };
  const seen = await sent();
  assert.deepEqual(seen, ["client to server: initialize: opencode 1 declares roots", "client to server: initialized"]);
  await drop(
    page,
    "plain.ndjson",
    recording(2).map((line) => JSON.stringify(JSON.parse(line).message)),
  );
  await page.locator("h1", { hasText: "plain.ndjson" }).waitFor();
  assert.deepEqual(await sent(), seen);

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
  const timed = async (name, work) => {
    const began = performance.now();
    await work();
    context.diagnostic(`${name}: ${Math.round(performance.now() - began)} ms`);
  };
  const total = Number.parseInt((await page.locator(".count").textContent()).split(" / ")[1], 10);
  const slider = page.getByRole("slider", { name: "Step", exact: true });
  const slides = await slider.evaluate(async (range) => {
    const taken = [];
    for (let count = 1; count <= 40; count += 1) {
      const start = performance.now();
      range.value = String(Math.round((Number(range.max) * count) / 41));
      range.dispatchEvent(new Event("input", { bubbles: true }));
      document.body.getBoundingClientRect();
      taken.push(performance.now() - start);
      await new Promise((resolve) => setTimeout(resolve));
    }
    return taken.sort((one, other) => one - other);
  });
  context.diagnostic(
    `the slider over all steps: ${slides[20].toFixed(1)} ms in the middle, at most ${slides.at(-1).toFixed(1)} ms`,
  );
  const isDone = () => page.waitForFunction(() => !document.querySelector(".count").textContent.startsWith("…"));
  await timed("a call after scrubbing back, which plays what remains again", async () => {
    await slider.fill(String(total - 2));
    await page.getByRole("button", { name: "Call a tool" }).click();
    await isDone();
  });
  await tab(page, "Policy");
  await timed("a comparison, which plays everything twice", async () => {
    await page.getByRole("button", { name: "Compare with another policy" }).click();
    await page.locator(".track").nth(1).waitFor();
    await isDone();
  });
  await tab(page, "Events");
  await measured("Step back");
  await page.getByRole("button", { name: "Last step" }).click();
  const [, last] = (await page.locator(".count").textContent()).split(" / ");
  assert.ok(Number.parseInt(last, 10) >= 5_000, last);
  assert.ok((await page.locator(".sequence li").count()) < 100, "only the rows in view exist");
  assert.deepEqual(errors, []);
});
