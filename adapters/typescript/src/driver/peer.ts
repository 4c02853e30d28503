// What a resolver reads of what a client says about itself. The rest is other people's data, of any size, and stays outside.

/** Characters of a client's text that are passed on. */
export const MOST_TEXT = 4096;

/** A text as it is if it is short; anything else is left out. */
export const short = (value: unknown): string | undefined => (typeof value === "string" && value.length <= MOST_TEXT ? value : undefined);

/** The part of a client's capabilities about roots; `undefined` if it sent none. */
export function readCapabilities(capabilities: unknown): object | undefined {
  if (capabilities === undefined) return undefined;
  const roots = member(capabilities, "roots");
  if (typeof roots !== "object" || roots === null || Array.isArray(roots)) return {};
  return { roots: member(roots, "listChanged") === true ? { listChanged: true } : {} };
}

/** The client's name; a version says nothing that a resolver uses. */
export function readInfo(info: unknown): object | undefined {
  const name = short(member(info, "name"));
  return name === undefined ? undefined : { name };
}

/** An own member of any value. */
export function member(of: unknown, name: string): unknown {
  return typeof of === "object" && of !== null && Object.hasOwn(of, name) ? (of as Record<string, unknown>)[name] : undefined;
}
