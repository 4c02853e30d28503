// The state of the page. Every change ends in `changed`, which draws it.
import type { HostFacts, Policy, PresetName } from "rootwise";
import type { DiskChange, Drawing } from "./disk.js";
import { Disk } from "./disk.js";
import { MAX_BYTES, type Recording, recordingOf } from "./recording.js";
import { BadAddress, fragmentOf, MAX_FRAGMENT, type Shared, sharedIn } from "./share.js";
import type { Frame } from "./stage.js";
import { stories } from "./stories.js";
import type { Move, Setup, Story } from "./story.js";
import { Track } from "./track.js";

/** How long one moment of a story is shown while it plays. */
const BEAT_MS = 900;

export class Model {
  title = "";
  /** The ready-made story that is shown, unchanged. */
  story: Story | undefined;
  host: HostFacts = { style: "posix", transport: "stdio" };
  drawing: Drawing = { files: [] };
  moves: Move[] = [];
  tracks: Track[] = [new Track("recommended")];
  cursor = 0;
  isPlaying = false;
  isBusy = false;
  /** The last thing that the page has to say: what was copied, or what went wrong. */
  said = "";
  #draw: () => void = () => {};
  #replays = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  onChange(draw: () => void): void {
    this.#draw = draw;
  }

  get main(): Track {
    return this.tracks[0] as Track;
  }

  get last(): number {
    return Math.max(0, this.main.frames.length - 1);
  }

  get frame(): Frame | undefined {
    return this.main.frames[this.cursor];
  }

  /** The frame of a track that belongs to the cursor: the policies cause different frames for the same moves. */
  cursorIn(track: Track): number {
    if (track === this.main) return this.cursor;
    const { frames } = track;
    if (this.cursor >= this.last) return Math.max(0, frames.length - 1);
    const move = this.frame?.move ?? -1;
    let low = 0;
    let high = frames.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((frames[middle]?.move ?? -1) <= move) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The disk as it is at the cursor. */
  get disk(): Disk {
    const disk = new Disk(this.host.style, this.drawing);
    const until = this.frame?.move ?? -1;
    for (const move of this.moves.slice(0, until + 1)) if (move.do === "disk") disk.change(move);
    return disk;
  }

  async open(story: Story, at: "start" | "end" | number): Promise<void> {
    const other = this.tracks[1]?.policy;
    await this.#load({ ...story, at: 0, ...(other === undefined ? {} : { other }) });
    this.story = story;
    this.scrub(at === "end" ? this.last : at === "start" ? 0 : at);
  }

  /** Opens what the fragment of the address names. Says whether there was something. */
  async openFragment(fragment: string): Promise<boolean> {
    const named = new URLSearchParams(fragment);
    const story = stories.find(({ id }) => id === named.get("story"));
    if (story) {
      const at = named.get("at");
      await this.open(story, at === null ? "end" : Number.parseInt(at, 10) || 0);
      return true;
    }
    if (!named.has("s")) return false;
    try {
      const shared = await sharedIn(fragment);
      await this.#load(shared);
      this.story = undefined;
      this.scrub(shared.at);
      return true;
    } catch (error) {
      // What such a story began may not be whole, so another one takes its place.
      const [first] = stories;
      if (first) await this.open(first, "end");
      this.say(error instanceof BadAddress ? error.message : `The story in the address cannot be played: ${error}`);
      return true;
    }
  }

  async #load({ title, host, disk, moves, policy, other }: Omit<Shared, "at"> & { at?: number }): Promise<void> {
    this.pause();
    this.title = title;
    this.host = host;
    this.drawing = disk;
    this.moves = [...moves];
    for (const track of this.tracks) track.close();
    this.tracks = [new Track(policy), ...(other === undefined ? [] : [new Track(other)])];
    await this.#replay();
  }

  /** What an address carries. */
  get shared(): Shared {
    const other = this.tracks[1]?.policy;
    return {
      title: this.title,
      policy: this.main.policy,
      ...(other === undefined ? {} : { other }),
      host: this.host,
      disk: this.drawing,
      moves: this.moves,
      at: this.cursor,
    };
  }

  /** The fragment of this story, or undefined if it is too long for an address. */
  async fragment(): Promise<string | undefined> {
    if (this.story && this.tracks.length === 1) return `story=${this.story.id}&at=${this.cursor}`;
    const fragment = await fragmentOf(this.shared);
    return fragment.length > MAX_FRAGMENT ? undefined : fragment;
  }

  async play(...moves: Move[]): Promise<void> {
    this.pause();
    this.story = undefined;
    // What came after the cursor did not happen.
    const kept = (this.frame?.move ?? -1) + 1;
    if (kept < this.moves.length) {
      this.moves.length = kept;
      await this.#replay();
    }
    for (const move of moves) {
      this.moves.push(move);
      for (const track of this.tracks) track.play(move);
    }
    this.scrub(this.last);
  }

  /** Plays a recording. */
  async drop(file: File | undefined): Promise<void> {
    if (!file) return;
    const { name, size } = file;
    let recording: Recording;
    try {
      if (size > MAX_BYTES) throw new Error(`${name} has ${size} bytes; at most ${MAX_BYTES} are read.`);
      recording = recordingOf(await file.text(), this.host.toolArgument ?? undefined);
    } catch (error) {
      return this.say(error instanceof Error ? error.message : String(error));
    }
    this.story = undefined;
    await this.#load({ ...this.shared, ...recording, title: `Recording ${name}` });
    this.scrub(this.last);
    this.say(`${recording.moves.length} moves of ${name} were played; the disk has the folders that are named in it.`);
  }

  async clear(): Promise<void> {
    this.story = undefined;
    this.title = "Your own story";
    this.moves = [];
    await this.#replay();
    this.scrub(0);
  }

  async setPolicy(track: Track, text: string): Promise<void> {
    if (track.take(text, this.host)) {
      this.story = undefined;
      await this.#replay();
    }
    this.changed();
  }

  async setPreset(track: Track, preset: PresetName | Policy): Promise<void> {
    this.tracks = this.tracks.map((each) => (each === track ? new Track(preset) : each));
    track.close();
    this.story = undefined;
    await this.#replay();
    this.scrub(this.cursor);
  }

  async compareWith(preset: PresetName | undefined): Promise<void> {
    this.tracks[1]?.close();
    this.tracks = [this.main, ...(preset === undefined ? [] : [new Track(preset)])];
    await this.#replay();
    this.scrub(this.cursor);
  }

  async setHost(host: HostFacts): Promise<void> {
    this.story = undefined;
    this.host = host;
    for (const track of this.tracks) track.take(track.text, host);
    await this.#replay();
    this.scrub(this.last);
  }

  /** Before the first move, the disk of the beginning changes; later a change is a move. */
  async changeDisk(change: DiskChange): Promise<void> {
    if (this.moves.length > 0) return this.play({ do: "disk", ...change });
    const disk = this.disk;
    disk.change(change);
    this.drawing = disk.drawing();
    this.story = undefined;
    await this.#replay();
    this.changed();
  }

  scrub(to: number): void {
    this.said = "";
    this.cursor = Math.min(Math.max(0, Math.round(to)), this.last);
    this.changed();
  }

  toggle(): void {
    if (this.isPlaying) {
      this.pause();
      return;
    }
    this.isPlaying = true;
    if (this.cursor >= this.last) this.cursor = 0;
    this.changed();
    const beat = () => {
      if (!this.isPlaying) return;
      if (this.cursor >= this.last) return this.pause();
      this.scrub(this.cursor + 1);
      this.#timer = setTimeout(beat, BEAT_MS);
    };
    this.#timer = setTimeout(beat, BEAT_MS);
  }

  pause(): void {
    clearTimeout(this.#timer);
    if (!this.isPlaying) return;
    this.isPlaying = false;
    this.changed();
  }

  say(text: string): void {
    this.said = text;
    this.changed();
  }

  changed(): void {
    this.#draw();
  }

  async #replay(): Promise<void> {
    this.#replays += 1;
    const replay = this.#replays;
    const isCurrent = () => replay === this.#replays;
    const setup: Omit<Setup, "policy"> = { host: this.host, disk: this.drawing };
    this.isBusy = true;
    for (const track of this.tracks) {
      if (!isCurrent()) return;
      await track.replay(setup, [...this.moves], isCurrent);
    }
    if (!isCurrent()) return;
    this.isBusy = false;
    this.cursor = Math.min(this.cursor, this.last);
    this.changed();
  }
}
