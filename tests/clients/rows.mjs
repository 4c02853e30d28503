// The rows of core/clients.json: what they say that the suite has seen, how that differs from a run, and how to write it.
import { readFileSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { at } from "../../scripts/tools.mjs";

const file = at("core", "clients.json");

export const readRows = () => JSON.parse(readFileSync(file, "utf8"));

/** Writes the rows as the file has them: a property in a line. */
export function writeRows(rows) {
  const row = (entries) => `  {\n${entries.map(([key, value]) => `    "${key}": ${line(value)}`).join(",\n")}\n  }`;
  writeFileSync(file, `[\n${rows.map((each) => row(Object.entries(each))).join(",\n")}\n]\n`);
}

/** The differences between a row and what a client did, as lines of a diff; none if the row is right. */
export function differences(row, id, version, seen) {
  const known = row.seen?.[id] ?? {};
  const lines = [];
  for (const key of new Set([...Object.keys(known), ...Object.keys(seen)])) {
    if (isDeepStrictEqual(known[key], seen[key])) continue;
    if (key in known) lines.push(`- "${key}": ${line(known[key])}`);
    if (key in seen) lines.push(`+ "${key}": ${line(seen[key])}`);
  }
  const { versions = [] } = row.known.run ?? {};
  if (!versions.some((each) => each.includes(version))) lines.push(`+ known.run.versions: ${version}`);
  const pointer = row.conversation?.known === "run" ? row.conversation.meta.slice(1).replaceAll("~1", "/") : undefined;
  if (pointer && !seen.meta?.includes(pointer)) lines.push(`- conversation: ${row.conversation.meta}`);
  return lines;
}

/** Puts what was seen into a row; the texts of the row remain, and its author reads them again. */
export function update(row, id, version, seen) {
  const { client, names, patterns, protocol, roots, cwd, env, signals, conversation, ...rest } = row;
  const before = { client, names, patterns, protocol, roots, cwd, env, signals, conversation };
  const order = { ...before, seen: { ...row.seen, [id]: seen }, ...rest };
  const versions = order.known.run?.versions ?? [];
  const all = versions.some((each) => each.includes(version)) ? versions : [version, ...versions];
  order.known = { ...order.known, run: { versions: all, date: new Date().toISOString().slice(0, 10) } };
  for (const key of Object.keys(row)) delete row[key];
  for (const [key, value] of Object.entries(order)) if (value !== undefined) row[key] = value;
}

/** JSON in one line, with a blank after every comma and colon. */
function line(value) {
  if (Array.isArray(value)) return `[${value.map(line).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, inner]) => `${JSON.stringify(key)}: ${line(inner)}`)
    .join(", ")}}`;
}
