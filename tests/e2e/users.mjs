// Users of one HTTP server whose folders change and whose calls end at any moment.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { list, Peer, said, within } from "./raw.mjs";

/**
 * Ten users at once: every call that runs to its end must name its user's own newest folder, and none may wait. The others are
 * dropped or, with `cancels`, cancelled.
 */
export async function tenUsers(url, base, { tool = "where", cancels = true } = {}) {
  const faults = [];
  let ended = 0;
  const user = async (index) => {
    const folders = [0, 1, 2].map((turn) => join(base, `user-${index}-${turn}`));
    for (const path of folders) mkdirSync(path, { recursive: true });
    const peer = await new Peer(url).open();
    let current = 0;
    /** Ends a call at any moment. */
    const end = async ({ id, drop }) => {
      await setTimeout(Math.random() * 15);
      ended += 1;
      if (!cancels || Math.random() < 0.5) return drop();
      await peer.notify("notifications/cancelled", { requestId: id, reason: "changed my mind" });
      // A cancelled call has no response, and its stream may stay.
      await setTimeout(50);
      drop();
    };
    /** Runs a call to its end, or ends it early; answers with the roots of the moment, some time later. */
    const run = async (early) => {
      const call = await peer.call(tool);
      const ending = early && end(call);
      try {
        for (;;) {
          const message = await within(call.next());
          if (!message) return;
          if (message.method !== "roots/list") return said(message);
          const roots = list(folders[current]);
          await setTimeout(Math.random() * 10);
          await (await peer.answer(message.id, roots)).text();
        }
      } catch (error) {
        if (!early) faults.push([index, error.message]);
      } finally {
        await ending;
      }
    };
    const background = [];
    for (let turn = 0; turn < 40; turn += 1) {
      const chance = Math.random();
      if (chance < 0.3) background.push(run(true));
      else if (chance < 0.5) {
        current = (current + 1) % 3;
        await peer.notify("notifications/roots/list_changed");
        const path = await run(false);
        if (path !== folders[current]) faults.push([index, path, folders[current]]);
      } else {
        const path = await run(false);
        if (!folders.includes(path)) faults.push([index, path]);
      }
    }
    await Promise.all(background);
  };
  await Promise.all(Array.from({ length: 10 }, (_, index) => user(index)));
  assert.deepEqual(faults, []);
  assert.ok(ended > 20, `${ended} ended early`);
}

/** A key under which clients name the conversation of a call in `_meta`. */
export const CONVERSATION = "openai/session";

/**
 * The `call` of modernUsers for a server at `url` that knows its users by the header x-user: a real client of 2026-07-28 for each
 * conversation.
 */
export function callersAt(url) {
  const met = new Map();
  const meet = async (user, roots) => {
    const client = new Client(
      { name: "users", version: "1" },
      { capabilities: { roots: {} }, versionNegotiation: { mode: { pin: "2026-07-28" } } },
    );
    client.setRequestHandler("roots/list", () => ({ roots: roots.map((uri) => ({ uri })) }));
    await client.connect(
      new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { "x-user": user } } }),
    );
    return client;
  };
  return async (user, name, args, { roots, conversation, drops }) => {
    const key = `${user} ${conversation}`;
    if (!met.has(key)) met.set(key, meet(user, roots));
    const client = await met.get(key);
    const params = { name, arguments: args, _meta: conversation && { [CONVERSATION]: conversation } };
    if (drops) return void (await client.callTool(params, { signal: AbortSignal.timeout(5) }).catch(() => {}));
    return (await client.callTool(params)).content[0].text;
  };
}

/**
 * Users of revision 2026-07-28 beside them, with `call(user, tool, args, { roots, conversation, drops })`, which returns the text
 * of the result, or nothing if the call was dropped. Each user has three conversations with roots of their own, and a window
 * without one. Whatever the others do, a call works in what its own conversation selected, or else in its first root.
 */
export async function modernUsers(base, call, { tool = "where", users = 10, turns = 20 } = {}) {
  const faults = [];
  let dropped = 0;
  const converse = async (user, conversation) => {
    const folders = ["one", "two", "three"].map((name) => join(base, user, conversation ?? "none", name));
    for (const path of folders) mkdirSync(path, { recursive: true });
    const roots = folders.map((path) => `file://${path}`);
    const say = (tool, args = {}, drops = false) => call(user, tool, args, { roots, conversation, drops });
    let [current] = folders;
    for (let turn = 0; turn < turns; turn += 1) {
      const chance = Math.random();
      const chosen = folders[turn % 3];
      await setTimeout(Math.random() * 10);
      if (chance < 0.2) {
        dropped += 1;
        await say(tool, {}, true);
      } else if (chance < 0.5) {
        const answer = await say("switch_project", { project: chosen });
        const handle = /`project: "([^"]+)"`/.exec(answer)?.[1];
        if (!handle) faults.push([user, conversation, answer]);
        else if ((await say(tool, { project: handle })) !== chosen) faults.push([user, conversation, handle, chosen]);
        current = chosen;
      } else if (chance < 0.7) {
        const path = await say(tool, { project: chosen });
        if (path !== chosen) faults.push([user, conversation, path, chosen]);
      } else {
        const path = await say(tool);
        if (path !== current) faults.push([user, conversation, path, current]);
      }
    }
  };
  const everyone = Array.from({ length: users }, (_, index) => `modern-${index}`);
  // All users give their conversations the same ids.
  await Promise.all(everyone.flatMap((user) => ["c1", "c2", "c3", undefined].map((id) => converse(user, id))));
  assert.deepEqual(faults, []);
  assert.ok(dropped > users, `${dropped} were dropped`);
}
