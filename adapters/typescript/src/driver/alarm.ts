import { surroundings, type Timer } from "./surroundings.js";

const MAX_TIMER_MS = 0x7fff_ffff;

/** One timer, which runs at the time of the latest deadline. */
export class Alarm {
  readonly #clock: () => number;
  readonly #run: () => void;
  #timer: Timer | undefined;
  #deadline: number | null = null;

  constructor(clock: () => number, run: () => void) {
    this.#clock = clock;
    this.#run = run;
  }

  /** Replaces the deadline; an awaited one keeps the process alive. */
  set(deadline: number | null, isAwaited: boolean): void {
    if (deadline !== this.#deadline) {
      this.#timer?.cancel();
      this.#timer = deadline === null ? undefined : this.#timerAt(deadline);
      this.#deadline = deadline;
    }
    this.#timer?.hold(isAwaited);
  }

  #timerAt(deadline: number): Timer {
    const run = () => {
      this.#deadline = null;
      this.#run();
    };
    return surroundings().setTimer(run, Math.min(Math.max(deadline - this.#clock(), 1), MAX_TIMER_MS));
  }
}
