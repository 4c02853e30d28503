// Users of one HTTP server whose folders change and whose calls drop at any moment.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { list, Peer, said, within } from "./raw.mjs";

/** Ten users at once: every call that is not dropped must name its user's own newest folder, and none may wait. */
export async function tenUsers(url, base, tool = "where") {
  const faults = [];
  let dropped = 0;
  const user = async (index) => {
    const folders = [0, 1, 2].map((turn) => join(base, `user-${index}-${turn}`));
    for (const path of folders) mkdirSync(path, { recursive: true });
    const peer = await new Peer(url).open();
    let current = 0;
    /** Runs a call to its end, or drops it at any moment; answers with the roots of the moment, some time later. */
    const run = async (drop) => {
      const call = await peer.call(tool);
      if (drop) setTimeout(Math.random() * 15).then(() => ((dropped += 1), call.drop()));
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
        if (!drop) faults.push([index, error.message]);
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
  assert.ok(dropped > 20, `${dropped} dropped`);
}
