// Turns values into text. A backend never sees an object, so inherited properties, getters of prototypes and odd numbers
// cannot reach it: only what JSON.stringify writes does.
import { type ErrorCode, RootwiseError } from "./error.js";

/** Bytes of options or a snapshot; far above anything real, because memory of WebAssembly never shrinks. */
export const MOST = 16 << 20;

/** Bytes of the arguments of a function. */
export const MAX_ARGUMENTS = 2 << 20;

export function textOf(value: unknown, code: ErrorCode, what: string): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw new RootwiseError(code, `${what} cannot be written as JSON`, { cause });
  }
  if (text === undefined) throw new RootwiseError(code, `${what} is missing or not an object`);
  return text;
}

export function bounded(text: string, what: string, most = MOST): string {
  if (typeof text !== "string") throw new RootwiseError("bad_options", `${what} is not a string`);
  if (isLonger(text, most)) throw new RootwiseError("too_large", `${what} is larger than ${most} bytes`);
  return text;
}

/** Whether a text has more bytes than that in UTF-8; counts only where the length alone does not tell. */
export function isLonger(text: string, most: number): boolean {
  if (text.length > most) return true;
  return text.length * 3 > most && bytesOf(text) > most;
}

export function bytesOf(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    // A pair of surrogates has four bytes, which two for each unit makes.
    if (unit > 0x7f) bytes += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return bytes;
}

/** A copy in which `null` stands for parts that cannot be written as text: nested too deep, or far too large. */
export function writable<T>(value: T, levels = 2): T {
  if (isWritable(value)) return value;
  if (levels === 0 || typeof value !== "object" || value === null) return null as T;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, writable(part, levels - 1)])) as T;
}

function isWritable(value: unknown): boolean {
  try {
    return (JSON.stringify(value)?.length ?? 0) <= MOST / 4;
  } catch {
    return false;
  }
}
