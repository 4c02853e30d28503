// What processes compute (Linux).
import { readdirSync, readFileSync } from "node:fs";

/** Nanoseconds that a process and its children computed, all their threads. */
export function computedBy(pid) {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.reduce((sum, thread) => {
      const [own] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ");
      const children = readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean);
      return children.reduce((all, child) => all + computedBy(child), sum + Number(own));
    }, 0);
  } catch {
    return 0;
  }
}
