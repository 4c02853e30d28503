// Time that stands still until something waits for it.
import type { Timer } from "../driver/surroundings.js";

// Taken now: a test may replace the global one by a fake of its own.
const { setImmediate } = globalThis;

interface Due {
  readonly at: number;
  readonly run: () => void;
  isAwaited: boolean;
}

/** Turns of the event loop in which everything inside the process that can go on has gone on. */
const QUIET_TURNS = 10;

/** A clock that moves by itself only while a call waits for it, and then from one due time to the next. */
export class FakeTime {
  readonly #due = new Set<Due>();
  #now: number;
  #isFollowing = false;
  /** Counts what happened to the timers. */
  #changes = 0;

  constructor(now: number) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  setTimer(run: () => void, delayMs: number): Timer {
    const due: Due = { at: this.#now + delayMs, run, isAwaited: false };
    this.#due.add(due);
    this.#changes += 1;
    return {
      hold: (isAwaited) => {
        due.isAwaited = isAwaited;
        if (isAwaited) void this.#follow();
      },
      cancel: () => {
        this.#changes += 1;
        this.#due.delete(due);
      },
    };
  }

  /** Moves time, and everything that is due until then. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await quiet();
    for (let next = this.#next(); next && next.at <= end; next = this.#next()) {
      this.#run(next);
      await quiet();
    }
    this.#now = Math.max(this.#now, end);
  }

  /** Forgets every timer. */
  stop(): void {
    this.#due.clear();
  }

  async #follow(): Promise<void> {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    for (;;) {
      const before = this.#changes;
      await quiet();
      if (![...this.#due].some(({ isAwaited }) => isAwaited)) break;
      const next = this.#next();
      if (next && before === this.#changes) this.#run(next);
    }
    this.#isFollowing = false;
  }

  #next(): Due | undefined {
    return [...this.#due].sort((one, other) => one.at - other.at)[0];
  }

  #run(due: Due): void {
    this.#due.delete(due);
    this.#changes += 1;
    this.#now = Math.max(this.#now, due.at);
    due.run();
  }
}

async function quiet(): Promise<void> {
  for (let turn = 0; turn < QUIET_TURNS; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}
