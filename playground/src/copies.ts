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

/** The end that the tests check: the last answer. */
function ending(played: Played): { ask: number; expected: Record<string, unknown> } | undefined {
  for (const { output } of stepsOf(played).reverse())
    for (const action of [...output.actions].reverse())
      if (action.type === "answer") {
        const { asks, ...expected } = intent(action) as { asks: number[] };
        return { ask: asks[0] ?? 0, expected };
      }
  return undefined;
}

const pairs = (played: Played) => stepsOf(played).map(({ now, event }) => [now, event]);

/** One event in each line. */
const lines = (played: Played, indent: string) =>
  pairs(played)
    .map((pair) => `${indent}${JSON.stringify(pair)},`)
    .join("\n");

function typescript(played: Played): string {
  const { title, policy, host } = played;
  const end = ending(played);
  return `import assert from "node:assert/strict";
import { test } from "node:test";
import { Endpoint, type EndpointEvent, type EndpointOptions } from "rootwise";

const options: EndpointOptions = ${JSON.stringify({ policy, host }, null, 2)};
const steps: [number, EndpointEvent][] = [
${lines(played, "  ")}
];

test(${JSON.stringify(title)}, () => {
  const endpoint = new Endpoint(options);
  const answers = steps
    .flatMap(([now, event]) => endpoint.handle(event, now).actions)
    .filter((action) => action.type === "answer");
  endpoint.close();
  const last = answers.at(-1);
  assert.equal(last?.outcome, ${JSON.stringify(end?.expected.outcome ?? null)});
${
  end?.expected.project
    ? `  assert.ok(last && "project" in last);
  assert.equal(last.project.key, ${JSON.stringify((end.expected.project as { key: string }).key)});
  assert.equal(last.project.source, ${JSON.stringify((end.expected.project as { source: string }).source)});`
    : `  assert.ok(last && "code" in last);
  assert.equal(last.code, ${JSON.stringify(end?.expected.code ?? null)});`
}
});
`;
}

const nameOf = (title: string) =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replaceAll(/^_|_$/g, "");

function python(played: Played): string {
  const { title, policy, host } = played;
  const end = ending(played);
  const check = end?.expected.project
    ? `    assert last["project"]["key"] == ${JSON.stringify((end.expected.project as { key: string }).key)}
    assert last["project"]["source"] == ${JSON.stringify((end.expected.project as { source: string }).source)}`
    : `    assert last["code"] == ${JSON.stringify(end?.expected.code ?? null)}`;
  return `import json

from rootwise import Endpoint

POLICY = ${typeof policy === "string" ? JSON.stringify(policy) : `json.loads(r"""${JSON.stringify(policy)}""")`}
HOST = json.loads(r"""${JSON.stringify(host)}""")
STEPS = [
    json.loads(step)
    for step in r"""
${pairs(played)
  .map((pair) => JSON.stringify(pair))
  .join("\n")}
""".strip().splitlines()
]


def test_${nameOf(title)}() -> None:
    endpoint = Endpoint(POLICY, host=HOST)
    actions = [action for now, event in STEPS for action in endpoint.handle(event, now).actions]
    last = [action for action in actions if action["type"] == "answer"][-1]
    assert last["outcome"] == ${JSON.stringify(end?.expected.outcome ?? null)}
${check}
`;
}

/** JSON as a raw string of Rust, with quotes that do not occur in it. */
function raw(value: unknown): string {
  const text = JSON.stringify(value);
  let hashes = "#";
  while (text.includes(`"${hashes}`)) hashes += "#";
  return `r${hashes}"${text}"${hashes}`;
}

function rust(played: Played): string {
  const { title, policy, host } = played;
  const end = ending(played);
  const check = end?.expected.project
    ? `    assert_eq!(last["project"]["key"], ${JSON.stringify((end.expected.project as { key: string }).key)});
    assert_eq!(last["project"]["source"], ${JSON.stringify((end.expected.project as { source: string }).source)});`
    : `    assert_eq!(last["code"], ${JSON.stringify(end?.expected.code ?? null)});`;
  const whole = typeof policy === "string" ? presets[policy] : policy;
  return `use rootwise::wire::PolicyCache;
use serde_json::{Value, json};

const STEPS: &[(f64, &str)] = &[
${stepsOf(played)
  .map(({ now, event }) => `    (${now}.0, ${raw(event)}),`)
  .join("\n")}
];

#[test]
fn ${nameOf(title)}() -> Result<(), Box<dyn std::error::Error>> {
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
    assert_eq!(last["outcome"], ${JSON.stringify(end?.expected.outcome ?? null)});
${check}
    Ok(())
}
`;
}
