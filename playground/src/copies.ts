// A story in other forms: a vector of tests/vectors, and a test in three languages that passes the same events to the endpoint.
import { type EndpointAction, type HostFacts, type Policy, type PresetName, type Project, presets } from "rootwise";
import type { Frame, Step } from "./stage.js";

/** What is copied: the events as the endpoint received them. */
export interface Played {
  title: string;
  policy: PresetName | Policy;
  host: HostFacts;
  rules: (number | string)[];
  frames: readonly Frame[];
}

export type Form = "vector" | "typescript" | "python" | "rust";

export const FORMS: Record<Form, string> = {
  vector: "Vector",
  typescript: "TypeScript test",
  python: "Python test",
  rust: "Rust test",
};

export function copyOf(form: Form, played: Played): string {
  const copies = { vector, typescript, python, rust };
  return copies[form](played);
}

const stepsOf = ({ frames }: Played): Step[] => frames.flatMap(({ steps }) => steps);

function vector(played: Played): string {
  const { title, policy, host, rules } = played;
  const steps = stepsOf(played).map(({ now, event, output }) => {
    const changed = (output.sessions ?? []).some(({ project }) => project !== undefined);
    return {
      now,
      event,
      expect: output.actions.filter(({ type }) => type !== "log").map(intent),
      expectDeadline: output.deadline,
      ...(changed ? { expectSessions: (output.sessions ?? []).map(sessionIntent) } : {}),
    };
  });
  return `${JSON.stringify({ name: title, machine: "endpoint", ...(rules.length > 0 ? { rules } : {}), policy, host, steps }, null, 2)}\n`;
}

const keyOf = (project: Project | null | undefined) => (project ? { key: project.key, source: project.source } : null);

const sessionIntent = ({ session, project }: { session: number; project?: Project | null }) => ({
  session,
  ...(project === undefined ? {} : { project: keyOf(project) }),
});

/** The part of an action that the story is about: no texts, which may be reworded. */
function intent(action: EndpointAction): Record<string, unknown> {
  switch (action.type) {
    case "answer": {
      const { type, asks, outcome } = action;
      const code = "code" in action ? { code: action.code } : {};
      const project = "project" in action ? { project: keyOf(action.project) } : {};
      return { type, asks, outcome, ...code, ...project };
    }
    case "announce":
      return { type: action.type, session: action.session, from: keyOf(action.from), to: keyOf(action.to) };
    case "sendRequest": {
      const { message: _message, ...rest } = action;
      return rest;
    }
    case "cancel":
      return { type: action.type, request: action.request };
    case "forward":
      return { type: action.type, session: action.session, kind: action.kind };
    case "announceRoots":
      return { type: action.type, session: action.session, state: action.state };
    default:
      return { ...action };
  }
}

/** What the tests check: the last answer as its facts, by the way to them; none if no call was answered. */
function ending(played: Played): [path: string[], value: string][] | undefined {
  const last = stepsOf(played)
    .flatMap(({ output }) => output.actions)
    .findLast((action) => action.type === "answer");
  if (!last) return undefined;
  const facts: [string[], string][] = [[["outcome"], last.outcome]];
  if ("code" in last) facts.push([["code"], last.code]);
  if ("project" in last)
    facts.push([["project", "key"], last.project.key], [["project", "source"], last.project.source]);
  return facts;
}

/** JSON in which every character can be seen: others end lines in Python, and Rust refuses some of them. */
const plain = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[\u007f-\u00a0\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

const pairs = (played: Played) => stepsOf(played).map(({ now, event }) => [now, event]);

function typescript(played: Played): string {
  const { title, policy, host } = played;
  const facts = ending(played);
  const isIn = (name: string) => facts?.some(([[first]]) => first === name);
  const checks = [
    ...(facts ? [] : ["assert.equal(last, undefined);"]),
    ...(isIn("project") ? ['assert.ok(last && "project" in last);'] : []),
    ...(isIn("code") ? ['assert.ok(last && "code" in last);'] : []),
    ...(facts ?? []).map(
      ([path, value]) =>
        `assert.equal(last${path[0] === "outcome" ? "?" : ""}.${path.join(".")}, ${JSON.stringify(value)});`,
    ),
  ];
  return `import assert from "node:assert/strict";
import { test } from "node:test";
import { Endpoint, type EndpointEvent, type EndpointOptions } from "rootwise";

const options: EndpointOptions = ${JSON.stringify({ policy, host }, null, 2)};
const steps: [number, EndpointEvent][] = [
${pairs(played)
  .map((pair) => `  ${JSON.stringify(pair)},`)
  .join("\n")}
];

test(${JSON.stringify(title)}, () => {
  const endpoint = new Endpoint(options);
  const answers = steps
    .flatMap(([now, event]) => endpoint.handle(event, now).actions)
    .filter((action) => action.type === "answer");
  endpoint.close();
  const last = answers.at(-1);
${checks.map((check) => `  ${check}`).join("\n")}
});
`;
}

/** The title as a name; what calls it puts a word before it, so that it may begin with a digit. */
const nameOf = (title: string) =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replaceAll(/^_|_$/g, "") || "story";

function python(played: Played): string {
  const { title, policy, host } = played;
  const checks = ending(played)?.map(
    ([path, value]) => `assert last${path.map((name) => `[${JSON.stringify(name)}]`).join("")} == ${plain(value)}`,
  ) ?? ["assert last == {}"];
  return `import json

from rootwise import Endpoint

POLICY = ${typeof policy === "string" ? JSON.stringify(policy) : `json.loads(r"""${plain(policy)}""")`}
HOST = json.loads(r"""${plain(host)}""")
STEPS = [
    json.loads(step)
    for step in r"""
${pairs(played).map(plain).join("\n")}
""".strip().splitlines()
]


def test_${nameOf(title)}() -> None:
    endpoint = Endpoint(POLICY, host=HOST)
    actions = [action for now, event in STEPS for action in endpoint.handle(event, now).actions]
    last = next((action for action in reversed(actions) if action["type"] == "answer"), {})
${checks.map((check) => `    ${check}`).join("\n")}
`;
}

/** A text as a literal of Rust. */
const literal = (text: string): string => {
  const characters = Array.from(text, (character) => {
    if (/["\\]/.test(character)) return `\\${character}`;
    return /[ -~\p{L}\p{N}]/u.test(character) ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`;
  });
  return `"${characters.join("")}"`;
};

/** JSON as a raw string of Rust, with quotes that do not occur in it. */
function raw(value: unknown): string {
  const text = plain(value);
  let hashes = "#";
  while (text.includes(`"${hashes}`)) hashes += "#";
  return `r${hashes}"${text}"${hashes}`;
}

function rust(played: Played): string {
  const { title, policy, host } = played;
  const checks = ending(played)?.map(
    ([path, value]) =>
      `assert_eq!(last${path.map((name) => `[${JSON.stringify(name)}]`).join("")}, ${literal(value)});`,
  ) ?? ["assert_eq!(last, Value::Null);"];
  const whole = typeof policy === "string" ? presets[policy] : policy;
  return `use rootwise::wire::PolicyCache;
use serde_json::{Value, json};

const STEPS: &[(f64, &str)] = &[
${stepsOf(played)
  .map(({ now, event }) => `    (${now}.0, ${raw(event)}),`)
  .join("\n")}
];

#[test]
fn story_${nameOf(title)}() -> Result<(), Box<dyn std::error::Error>> {
    let policy: Value = serde_json::from_str(${raw(whole)})?;
    let host: Value = serde_json::from_str(${raw(host)})?;
    let options = json!({ "machine": "endpoint", "policy": policy, "host": host }).to_string();
    let mut endpoint = PolicyCache::new().machine(&options).map_err(|failure| failure.to_json())?;
    let mut last = Value::Null;
    for (now, event) in STEPS {
        let reply: Value = serde_json::from_str(&endpoint.handle_json(event, *now))?;
        let answers = reply["actions"].as_array().into_iter().flatten().filter(|action| action["type"] == "answer");
        last = answers.last().cloned().unwrap_or(last);
    }
${checks.map((check) => `    ${check}`).join("\n")}
    Ok(())
}
`;
}
