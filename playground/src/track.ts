// One policy and what it makes of the moves.
import { type Policy, type PresetName, presets, RootwiseError } from "rootwise";
import { type Row, rowsOf } from "./rows.js";
import { type Frame, Stage } from "./stage.js";
import type { Move, Setup } from "./story.js";

/** How long a replay may keep the page busy before it lets the page breathe. */
const SLICE_MS = 12;

export class Track {
  /** The text in the editor, also while it is wrong. */
  text: string;
  /** The policy that plays: the last one that the core accepted. */
  policy: PresetName | Policy;
  /** What is wrong with the text. */
  error: string | undefined;
  readonly rows: Row[] = [];
  /** The number of rows up to the end of each frame. */
  readonly ends: number[] = [];
  #stage: Stage | undefined;

  constructor(policy: PresetName | Policy) {
    this.policy = policy;
    this.text = textOf(policy);
  }

  get frames(): readonly Frame[] {
    return this.#stage?.frames ?? [];
  }

  get stage(): Stage | undefined {
    return this.#stage;
  }

  /** The preset that the text is, unchanged. */
  get preset(): PresetName | undefined {
    return typeof this.policy === "string" ? this.policy : undefined;
  }

  /** Takes a text; a wrong one changes nothing but the error. Says whether the policy changed. */
  take(text: string, host: Setup["host"]): boolean {
    this.text = text;
    try {
      const policy = policyIn(text);
      new Stage({ policy, host, disk: { files: [] } }).close();
      this.policy = policy;
      this.error = undefined;
      return true;
    } catch (error) {
      this.error = problem(error);
      return false;
    }
  }

  /** Plays everything from the beginning; `isCurrent` says whether anybody still wants it. */
  async replay(setup: Omit<Setup, "policy">, moves: readonly Move[], isCurrent: () => boolean): Promise<void> {
    let stage: Stage;
    try {
      stage = new Stage({ ...setup, policy: this.policy });
    } catch (error) {
      this.error = problem(error);
      return;
    }
    let began = performance.now();
    for (const move of moves) {
      stage.play(move);
      if (performance.now() - began < SLICE_MS) continue;
      await new Promise((resolve) => setTimeout(resolve));
      began = performance.now();
      if (!isCurrent()) return stage.close();
    }
    this.#stage?.close();
    this.#stage = stage;
    this.rows.length = 0;
    this.ends.length = 0;
    this.#extend();
  }

  play(move: Move): void {
    this.#stage?.play(move);
    this.#extend();
  }

  close(): void {
    this.#stage?.close();
  }

  #extend(): void {
    const { frames } = this;
    for (let index = this.ends.length; index < frames.length; index += 1) {
      const frame = frames[index];
      if (frame) for (const row of rowsOf(frame, index, frames[index - 1])) this.rows.push(row);
      this.ends.push(this.rows.length);
    }
  }
}

export const textOf = (policy: PresetName | Policy): string =>
  JSON.stringify(typeof policy === "string" ? presets[policy] : policy, null, 2);

/** A preset by its name if the text is one, letter for letter in meaning. */
function policyIn(text: string): PresetName | Policy {
  let policy: Policy;
  try {
    policy = JSON.parse(text) as Policy;
  } catch (error) {
    throw new NotJson(error instanceof Error ? error.message : String(error));
  }
  const same = JSON.stringify(policy);
  const names = Object.keys(presets) as PresetName[];
  return names.find((name) => JSON.stringify(presets[name]) === same) ?? policy;
}

class NotJson extends Error {}

export function problem(error: unknown): string {
  // The place in the text counts in the form in which the core received it, which nobody sees.
  if (error instanceof RootwiseError) return error.message.replace(/ at line \d+ column \d+$/, "");
  if (error instanceof NotJson) return `The policy is not JSON: ${error.message}`;
  throw error;
}
