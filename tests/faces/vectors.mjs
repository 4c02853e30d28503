// Reads tests/vectors literally: events and expected actions stay text.
import { readdirSync, readFileSync } from "node:fs";
import { at } from "../../scripts/tools.mjs";

/** Every vector as a conversation with its expected output. */
export function vectors() {
  return readdirSync(at("tests/vectors"), { recursive: true }).filter((file) => file.endsWith(".json")).sort().map((file) => {
    const fields = members(compact(readFileSync(at("tests/vectors", file), "utf8")));
    const steps = items(fields.get("steps")).map(members);
    const options = { policy: policy(JSON.parse(fields.get("policy"))), host: JSON.parse(fields.get("host")) };
    return {
      name: file.replace(/\.json$/, ""),
      covers: ["covers", "bugs", "spellings"].flatMap((key) => JSON.parse(fields.get(key) ?? "[]")),
      conversation: { options: JSON.stringify(options), steps: steps.map(step) },
      expected: steps.map((fields) => ({
        restore: fields.has("restore"),
        error: fields.get("error") && JSON.parse(fields.get("error")),
        actions: fields.get("actions"),
        deadline: fields.get("deadline"),
        project: fields.has("project") ? JSON.parse(fields.get("project")) : undefined,
      })),
    };
  });
}

/** Compares the output of a backend with a vector; returns the first difference, or undefined. */
export function wrong({ expected }, [, ...outputs]) {
  let project = null;
  for (const [index, wanted] of expected.entries()) {
    if (outputs[index] === undefined) return `step ${index}: no output`;
    if (wanted.restore) continue;
    const got = members(outputs[index]);
    if (wanted.error !== undefined || got.has("error")) {
      const code = got.has("error") ? JSON.parse(got.get("error")).code : undefined;
      if (code !== wanted.error) return `step ${index}: expected error ${wanted.error}, got ${outputs[index]}`;
      continue;
    }
    if (got.has("project")) project = JSON.parse(got.get("project"))?.key ?? null;
    for (const key of ["actions", "deadline"]) {
      if (got.get(key) !== wanted[key]) return `step ${index}: ${key}\n  expected ${wanted[key]}\n  got      ${got.get(key)}`;
    }
    if (project !== wanted.project) return `step ${index}: project ${project} instead of ${wanted.project}`;
  }
  return undefined;
}

function step(fields) {
  const now = JSON.parse(fields.get("now"));
  if (fields.has("restore")) return [null, now, JSON.parse(fields.get("restore")).idPrefix ?? null];
  const event = fields.has("eventText") ? JSON.parse(fields.get("eventText")) : fields.get("event");
  return [event, now, null];
}

function policy(written) {
  const preset = (name) => JSON.parse(readFileSync(at("core/presets", `${name}.json`), "utf8"));
  if (typeof written === "string") return preset(written);
  return written.preset ? merge(preset(written.preset), written.with) : written;
}

function merge(into, changes) {
  const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isObject(into) || !isObject(changes)) return changes;
  const merged = { ...into };
  for (const [key, change] of Object.entries(changes)) merged[key] = merge(into[key], change);
  return merged;
}

const compact = (json) => json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, "$1");

/** The members of an object in compact JSON, values as text. */
function members(text) {
  return new Map(items(text).map((item) => {
    const key = /^"(?:[^"\\]|\\.)*"/.exec(item)[0];
    return [JSON.parse(key), item.slice(key.length + 1)];
  }));
}

/** The parts of an object or array in compact JSON, as text. */
function items(text) {
  const found = [];
  let depth = 0;
  let start = 1;
  const tokens = /"(?:[^"\\]|\\.)*"|[[\]{},]/g;
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (token === "{" || token === "[") depth += 1;
    const ends = token === "}" || token === "]";
    if (depth === 1 && (token === "," || ends)) {
      if (index > start) found.push(text.slice(start, index));
      start = index + 1;
    }
    if (ends) depth -= 1;
  }
  return found;
}
