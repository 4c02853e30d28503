// The story in the address: compressed JSON in the fragment, which browsers send to nobody.
import { presets, type PresetName } from "rootwise";
import { unpacked } from "./core.js";
import type { Drawing } from "./disk.js";
import type { Move, Setup } from "./story.js";

/** What an address carries. */
export interface Shared extends Setup {
  title: string;
  moves: Move[];
  /** The policy beside it. */
  other?: Setup["policy"];
  at: number;
}

/** Longer addresses are cut off by mail programs and chats. */
export const MAX_FRAGMENT = 16_000;
/** An address that carries no story. */
export class BadAddress extends Error {}

/** What a short fragment may unpack to. */
const MAX_TEXT = 4_000_000;

export async function fragmentOf(shared: Shared): Promise<string> {
  const packed = new Blob([JSON.stringify(shared)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  let characters = "";
  for (const byte of bytes) characters += String.fromCharCode(byte);
  return `s=${btoa(characters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

/** @throws BadAddress the fragment carries no story */
export async function sharedIn(fragment: string): Promise<Shared> {
  const packed = new URLSearchParams(fragment).get("s") ?? "";
  let value: unknown;
  try {
    const characters = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(characters, (character) => character.charCodeAt(0));
    value = JSON.parse(await bounded(unpacked(bytes, "deflate-raw")));
  } catch (cause) {
    throw new BadAddress("The address carries a story that cannot be read: a part of it may be missing.", { cause });
  }
  if (!isShared(value)) throw new BadAddress("The address carries something that is no story.");
  return value;
}

/** The text of a response, which may unpack to far more than was sent. */
async function bounded(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const part = await reader?.read();
    if (!part || part.done) return text;
    text += decoder.decode(part.value, { stream: true });
    if (text.length > MAX_TEXT) throw new Error("too long");
  }
}

/** The form of the parts that the page itself reads; the core checks the policy and the host facts. */
function isShared(value: unknown): value is Shared {
  if (!isObject(value)) return false;
  const { title, host, disk, moves, policy, other, at } = value;
  return (
    typeof title === "string" &&
    isObject(host) &&
    (host.style === "posix" || host.style === "windows") &&
    isDrawing(disk) &&
    Array.isArray(moves) &&
    moves.every((move) => isObject(move) && typeof move.do === "string") &&
    isPolicy(policy) &&
    (other === undefined || isPolicy(other)) &&
    Number.isInteger(at)
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value: unknown) => typeof value === "string";
const isPolicy = (value: unknown) =>
  isObject(value) || (typeof value === "string" && Object.hasOwn(presets, value as PresetName));

function isDrawing(value: unknown): value is Drawing {
  if (!isObject(value) || !Array.isArray(value.files) || !value.files.every(isText)) return false;
  const { links = {}, denied = [] } = value;
  return isObject(links) && Object.values(links).every(isText) && Array.isArray(denied) && denied.every(isText);
}
