// Reads tests/vectors literally: events and recorded replies stay text.
import { readdirSync, readFileSync } from "node:fs";
import { at } from "../../scripts/tools.mjs";

/** Every vector as a conversation, with the recorded reply to each step. */
export function vectors() {
  const isVector = (file) => file.endsWith(".json") && !file.endsWith(".out.json");
  return readdirSync(at("tests/vectors"), { recursive: true })
    .filter(isVector)
    .sort()
    .map((file) => {
      const name = file.replace(/\.json$/, "");
      const fields = members(text(file));
      const given = (key) => (fields.has(key) ? { [key]: JSON.parse(fields.get(key)) } : {});
      const options = {
        policy: policy(JSON.parse(fields.get("policy"))),
        host: JSON.parse(fields.get("host")),
        ...given("rootsWatched"),
        ...given("machine"),
      };
      const recorded = items(text(`${name}.out.json`));
      return {
        name,
        covers: ["covers", "bugs", "spellings"].flatMap((key) => JSON.parse(fields.get(key) ?? "[]")),
        conversation: {
          ...given("machine"),
          options: JSON.stringify(options),
          steps: stepsOf(items(fields.get("steps")).map(members), recorded),
        },
        recorded,
      };
    });
}

/** The steps of a conversation; a snapshot that an event continues is the recorded one. */
function stepsOf(steps, recorded) {
  const saved = new Map();
  return steps.map((fields, index) => {
    const made = step(fields);
    if (fields.has("save")) saved.set(made[2], members(recorded[index]).get("saved"));
    const [event] = made;
    return event === null || saved.size === 0
      ? made
      : [event.replace(/(?<="saved":)"\$(\d+)"/, (_, session) => saved.get(session)), ...made.slice(1)];
  });
}

/** Compares the output of a backend with the recording of a vector; returns the first difference, or undefined. */
export function wrong({ conversation, recorded }, [, ...outputs]) {
  const index = conversation.steps.findIndex(
    (_, index) => outputs[index] === undefined || outputs[index] !== recorded[index],
  );
  return index < 0 ? undefined : `step ${index}\n  recorded ${recorded[index]}\n  got      ${outputs[index]}`;
}

function step(fields) {
  if (fields.has("save")) return [null, 0, fields.get("save")];
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

/** A file without whitespace between tokens. */
function text(file) {
  return readFileSync(at("tests/vectors", file), "utf8").replace(/("(?:[^"\\]|\\.)*")|\s+/g, "$1");
}

/** The members of an object in compact JSON, values as text. */
function members(text) {
  return new Map(
    items(text).map((item) => {
      const key = /^"(?:[^"\\]|\\.)*"/.exec(item)[0];
      return [JSON.parse(key), item.slice(key.length + 1)];
    }),
  );
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
