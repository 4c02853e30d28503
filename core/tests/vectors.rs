//! Runs `tests/vectors` through the wire and checks what they cover. The format is in `tests/vectors/README.md`.
//!
//! `UPDATE_VECTORS=1` records what the machine does; what a scenario expects is written by hand and never rewritten.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test stops at the first surprise"
)]

#[path = "support/layout.rs"]
mod layout;
#[path = "support/vectors.rs"]
mod support;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use rootwise::Resolver;
use rootwise::host::HostFacts;
use rootwise::policy::Policy;
use serde_json::Value;

use layout::Node;
use support::{files, folder, policy, value};

/// What the machine did in a step, in the order it is written; everything else in a file is written by hand.
const RECORDED: [&str; 3] = ["actions", "deadline", "project"];

const HAND_WRITTEN: [&str; 9] =
    ["now", "event", "eventText", "restore", "error", "expect", "expectLogs", "expectDeadline", "expectProject"];

/// What templates may show; none may be left open in a text.
const TEMPLATE_NAMES: [&str; 13] =
    ["advice", "client", "count", "detail", "from", "list", "name", "path", "reason", "source", "to", "uri", "value"];

#[test]
fn every_vector_holds() {
    let update = std::env::var_os("UPDATE_VECTORS").is_some();
    let only = std::env::var("VECTOR").unwrap_or_default();
    let mut wrong = Vec::new();
    for path in files() {
        if !path.to_str().unwrap().contains(&only) {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let mut run = Run::new(&path, &text);
        run.all();
        if update {
            let new = run.file.pretty();
            if new != text {
                std::fs::write(&path, new).unwrap();
            }
        } else {
            run.compare_recorded(&text);
        }
        wrong.extend(run.wrong);
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_tag_exists_and_every_rule_and_trace_is_covered() {
    let listed = value(&folder().join("../coverage.json"));
    let known = |kind: &str| -> BTreeSet<String> { listed[kind].as_object().unwrap().keys().cloned().collect() };
    let tags = [("covers", known("requirements")), ("bugs", known("bugs")), ("spellings", known("spellings"))];
    assert_eq!(tags.each_ref().map(|(_, known)| known.len()), [133, 82, 19]);

    let text = std::fs::read_to_string(folder().join("../../docs/rules.md")).unwrap();
    let numbered = |line: &str| line.split_once(". ").and_then(|(number, _)| number.parse().ok());
    let last_rule: u64 = text.lines().filter_map(numbered).max().unwrap();

    let mut rules = BTreeSet::new();
    let mut traces = BTreeSet::new();
    let mut wrong = Vec::new();
    for path in files() {
        let text = std::fs::read_to_string(&path).unwrap();
        let file = value(&path);
        let name = name(&path);
        for (key, known) in &tags {
            for id in strings(&file[key]).iter().filter(|id| !known.contains(*id)) {
                wrong.push(format!("{name}: `{id}` in `{key}` does not exist"));
            }
        }
        for id in strings(&file["spellings"]) {
            if !text.contains(&listed["spellings"][&id].to_string()) {
                wrong.push(format!("{name}: does not have the root {id} spells"));
            }
        }
        for (key, most, seen) in [("rules", last_rule, &mut rules), ("traces", 16, &mut traces)] {
            for number in file[key].as_array().into_iter().flatten() {
                let number = number.as_u64().unwrap();
                if number == 0 || number > most {
                    wrong.push(format!("{name}: {number} in `{key}` does not exist"));
                }
                seen.insert(number);
            }
        }
    }
    wrong.extend(missing("rule", last_rule, &rules));
    wrong.extend(missing("trace", 16, &traces));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// One scenario on its way through the machine.
struct Run {
    name: String,
    file: Node,
    options: (Arc<Policy>, Arc<HostFacts>),
    resolver: Resolver,
    project: Value,
    wrong: Vec<String>,
}

impl Run {
    fn new(path: &Path, text: &str) -> Self {
        let name = name(path);
        let file = Node::read(text);
        let known = ["name", "covers", "rules", "traces", "bugs", "spellings", "policy", "host", "steps"];
        let mut wrong = Vec::new();
        for key in file.keys().filter(|key| !known.contains(key)) {
            wrong.push(format!("{name}: unknown field `{key}`"));
        }
        let value: Value = serde_json::from_str(text).unwrap();
        if value["name"].as_str().is_none_or(|text| Some(kebab(text).as_str()) != name.rsplit('/').next()) {
            wrong.push(format!("{name}: the file is not named after its scenario"));
        }
        let policy = Policy::from_json(&policy(&value["policy"]).to_string())
            .unwrap_or_else(|misuse| panic!("{name}: {misuse}"));
        let host: HostFacts =
            HostFacts::from_json(&value["host"].to_string()).unwrap_or_else(|error| panic!("{name}: {error}"));
        let options = (Arc::new(policy), Arc::new(host));
        Self {
            resolver: Resolver::new(options.0.clone(), options.1.clone()).unwrap(),
            options,
            name,
            file,
            project: Value::Null,
            wrong,
        }
    }

    fn all(&mut self) {
        let mut steps = std::mem::take(self.file.member("steps").items());
        for (index, step) in steps.iter_mut().enumerate() {
            self.step(index, step);
        }
        *self.file.member("steps").items() = steps;
    }

    fn step(&mut self, index: usize, step: &mut Node) {
        let unknown = step.keys().find(|key| !HAND_WRITTEN.contains(key) && !RECORDED.contains(key));
        if let Some(key) = unknown {
            self.fail(index, format!("unknown field `{key}`"));
        }
        let written = step.value();
        let now = written["now"].as_f64().unwrap();
        if let Some(restore) = written.get("restore") {
            return self.restore(index, step, &written, restore);
        }
        let event = match written["eventText"].as_str() {
            Some(text) => text.to_owned(),
            None => step.member("event").compact(),
        };
        for key in RECORDED {
            step.remove(key);
        }
        let output = rootwise::wire::handle_json(&mut self.resolver, &event, now);
        let mut recorded = Node::read(&output);
        let got = recorded.value();
        if got["error"] != Value::Null || written["error"] != Value::Null {
            if got["error"]["code"] != written["error"] {
                self.fail(index, format!("expected error {}, got {output}", written["error"]));
            }
            return;
        }
        if got.get("project").is_some() {
            self.project = got["project"]["key"].clone();
        }
        self.expectations(index, &written, &got);
        self.invariants(index, &got);
        step.push("actions", std::mem::take(recorded.member("actions")));
        step.push("deadline", std::mem::take(recorded.member("deadline")));
        step.push("project", Node::read(&self.project.to_string()));
    }

    /// Saves the resolver and goes on with the restored one, as another process would.
    fn restore(&mut self, index: usize, step: &mut Node, written: &Value, restore: &Value) {
        for key in RECORDED {
            step.remove(key);
        }
        let snapshot = self.resolver.snapshot();
        let now = written["now"].as_u64().unwrap();
        let prefix = restore["idPrefix"].as_str();
        let (policy, host) = self.options.clone();
        self.resolver = Resolver::restore(&snapshot, policy, host, now, prefix).unwrap();
        if self.resolver.snapshot() != snapshot && prefix.is_none() {
            self.fail(index, "a restored resolver saves something else".into());
        }
        let deadline = Value::from(self.resolver.deadline().map(|at| at.0));
        self.expectations(index, written, &serde_json::json!({ "actions": [], "deadline": deadline }));
        step.push("deadline", Node::read(&deadline.to_string()));
        step.push("project", Node::read(&self.project.to_string()));
    }

    fn expectations(&mut self, index: usize, written: &Value, got: &Value) {
        let (notices, actions): (Vec<Value>, Vec<Value>) =
            list(&got["actions"]).into_iter().partition(|action| action["type"] == "log");
        match written["expect"].as_array() {
            None => self.fail(index, "has no `expect`".into()),
            Some(expected) => self.compare(index, "action", expected, &actions),
        }
        if let Some(expected) = written["expectLogs"].as_array() {
            self.notices(index, expected, &notices);
        }
        for (key, got) in [("expectDeadline", &got["deadline"]), ("expectProject", &self.project.clone())] {
            if written.get(key).is_some_and(|expected| expected != got) {
                self.fail(index, format!("{key} is {}, got {got}", written[key]));
            }
        }
    }

    fn compare(&mut self, index: usize, what: &str, expected: &[Value], got: &[Value]) {
        for (at, (expected, got)) in expected.iter().zip(got).enumerate() {
            if let Err(place) = subset(expected, got, String::new()) {
                self.fail(index, format!("{what} {at}{place}\n    expected {expected}\n    got      {got}"));
            }
        }
        if expected.len() != got.len() {
            let rest = &got[expected.len().min(got.len())..];
            self.fail(
                index,
                format!(
                    "expected {} {what}s, got {}; missing {:?}, left over {}",
                    expected.len(),
                    got.len(),
                    &expected[expected.len().min(got.len())..],
                    Value::from(rest.to_vec())
                ),
            );
        }
    }

    /// Those expected must come in this order, others may come between; an empty list expects none at all.
    fn notices(&mut self, index: usize, expected: &[Value], got: &[Value]) {
        let mut rest = got.iter();
        let missing = expected.iter().find(|expected| !rest.any(|got| subset(expected, got, String::new()).is_ok()));
        if missing.is_some() || expected.is_empty() && !got.is_empty() {
            let expected = Value::from(expected.to_vec());
            let got = Value::from(got.to_vec());
            self.fail(index, format!("notices\n    expected {expected}\n    got      {got}"));
        }
    }

    /// Rule 3, one answer for each ask, and texts without holes.
    fn invariants(&mut self, index: usize, got: &Value) {
        let order = ["answer", "announce", "cancel", "sendRequest", "probe", "forward", "log"];
        let ranks: Vec<usize> = list(&got["actions"])
            .iter()
            .map(|action| order.iter().position(|kind| action["type"] == **kind).unwrap())
            .collect();
        if !ranks.is_sorted() {
            self.fail(index, "actions out of order".into());
        }
        for action in list(&got["actions"]) {
            for text in texts(&action) {
                if TEMPLATE_NAMES.iter().any(|name| text.contains(&format!("{{{name}}}"))) {
                    self.fail(index, format!("a template is not filled in: {text}"));
                }
            }
        }
        let mut asks = BTreeSet::new();
        for answer in list(&got["actions"]).iter().filter(|action| action["type"] == "answer") {
            for ask in list(&answer["asks"]) {
                if !asks.insert(ask.as_u64().unwrap()) {
                    self.fail(index, format!("two answers for ask {ask}"));
                }
            }
        }
    }

    fn compare_recorded(&mut self, text: &str) {
        let new = self.file.pretty();
        if new == text {
            return;
        }
        let line = new.lines().zip(text.lines()).position(|(new, old)| new != old).unwrap_or_default();
        self.wrong.push(format!(
            "{}: differs from the recording at line {}\n    recorded {}\n    got      {}",
            self.name,
            line + 1,
            text.lines().nth(line).unwrap_or_default().trim(),
            new.lines().nth(line).unwrap_or_default().trim(),
        ));
    }

    fn fail(&mut self, index: usize, problem: String) {
        self.wrong.push(format!("{} step {index}: {problem}", self.name));
    }
}

/// Whether everything expected is there; an expected `null` also stands for an absent member.
fn subset(expected: &Value, got: &Value, place: String) -> Result<(), String> {
    match (expected, got) {
        (Value::Object(expected), Value::Object(got)) => expected
            .iter()
            .try_for_each(|(key, part)| subset(part, got.get(key).unwrap_or(&Value::Null), format!("{place}.{key}"))),
        (Value::Array(expected), Value::Array(got)) if expected.len() == got.len() => expected
            .iter()
            .zip(got)
            .enumerate()
            .try_for_each(|(at, (expected, got))| subset(expected, got, format!("{place}[{at}]"))),
        (expected, got) if expected == got => Ok(()),
        _ => Err(format!(" differs at `{place}`")),
    }
}

/// The texts an action shows to people.
fn texts(action: &Value) -> Vec<String> {
    ["message", "instruction"].iter().filter_map(|key| action[key].as_str()).map(ToOwned::to_owned).collect()
}

fn missing(what: &str, most: u64, seen: &BTreeSet<u64>) -> Vec<String> {
    (1..=most)
        .filter(|number| !seen.contains(number))
        .map(|number| format!("{what} {number} is covered by no vector"))
        .collect()
}

/// The path of a vector below `tests/vectors`, without its ending.
fn name(path: &Path) -> String {
    let path = path.strip_prefix(folder()).unwrap().with_extension("");
    path.iter().map(|part| part.to_str().unwrap()).collect::<Vec<_>>().join("/")
}

/// A sentence as a file name: lower case, without articles, `-` between words.
fn kebab(text: &str) -> String {
    text.to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !["", "a", "an", "the"].contains(word))
        .collect::<Vec<_>>()
        .join("-")
}

fn strings(value: &Value) -> Vec<String> {
    list(value).iter().map(|entry| entry.as_str().unwrap().to_owned()).collect()
}

fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}
