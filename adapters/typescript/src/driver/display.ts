// Texts that a person or a model reads: one bounded line without characters that hide, reorder or break it.

/** Characters of one value; as the resolver's own messages. */
const VALUE_CHARS = 1024;

const HIDDEN = /[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800\ufff9-\ufffb]/gu;

/** A value as it may be shown. It names nothing: different values may look the same. */
export function shown(text: string, most = VALUE_CHARS): string {
  // Far more than fits, so that the cost has a bound.
  const line = text
    .slice(0, most * 4)
    .split(/\s+/u)
    .map((word) => word.replace(HIDDEN, ""))
    .filter(Boolean)
    .join(" ");
  const characters = [...line];
  return characters.length > most || text.length > most * 4
    ? `${characters
        .slice(0, most - 1)
        .join("")
        .trimEnd()}…`
    : line;
}
