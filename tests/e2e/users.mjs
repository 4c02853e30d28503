// Users of one HTTP server whose folders change and whose calls end at any moment.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
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
