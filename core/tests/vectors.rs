//! Runs `tests/vectors` through the wire and checks what they cover. The format is in `tests/vectors/README.md`.
//!
//! `UPDATE_VECTORS=1` records what the machine returns, in a file beside the vector; the vector itself is written by hand and only
//! formatted.
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

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use rootwise::wire::{Machine, PolicyCache};
use serde_json::{Value, json};

use layout::Node;
use support::{files, folder, machine_of, orphans, policy, recording, value};

const SCENARIO_FIELDS: [&str; 11] =
    ["name", "machine", "covers", "rules", "traces", "bugs", "spellings", "policy", "host", "rootsWatched", "steps"];

const STEP_FIELDS: [&str; 11] = [
    "now",
    "event",
    "eventText",
    "restore",
    "save",
    "error",
    "expect",
    "expectLogs",
    "expectDeadline",
    "expectProject",
    "expectSessions",
];

/// The id of an ask that no vector uses.
const SPARE_ASK: u32 = u32::MAX;

/// The id of a call that no vector uses.
const SPARE_CALL: u32 = u32::MAX;

/// The types of actions, in the order in which one event causes them.
const RESOLVER_ACTIONS: [&str; 7] = ["answer", "announce", "cancel", "sendRequest", "probe", "forward", "log"];
const ENDPOINT_ACTIONS: [&str; 10] = [
    "answer",
    "announce",
    "announceRoots",
    "callResult",
    "cancel",
    "sendRequest",
    "probe",
    "forward",
    "watchRequests",
    "log",
];

/// What templates may show; none may be left open in a text.
const TEMPLATE_NAMES: [&str; 13] =
    ["advice", "client", "count", "detail", "from", "list", "name", "path", "reason", "source", "to", "uri", "value"];

#[test]
fn every_vector_holds() {
    let update = std::env::var_os("UPDATE_VECTORS").is_some();
    let only = std::env::var("VECTOR").unwrap_or_default();
    let is_wanted = |path: &PathBuf| path.to_str().unwrap().contains(&only);
    let mut wrong = Vec::new();
    for path in files().into_iter().filter(is_wanted) {
        let text = std::fs::read_to_string(&path).unwrap();
        let file = Node::read(&text);
        let mut run = Run::new(&path, &file);
        let steps = file.member("steps").items().iter().enumerate();
        let replies = Node::List(steps.map(|(index, step)| run.step(index, step)).collect());
        let recorded = std::fs::read_to_string(recording(&path)).ok();
        if update {
            write_changed(&path, Some(text), file.pretty());
            write_changed(&recording(&path), recorded, replies.pretty());
        } else {
            run.compare_layout(&text, &file);
            run.compare_recording(recorded.as_deref(), &replies);
        }
        wrong.extend(run.wrong);
    }
    for path in orphans().into_iter().filter(is_wanted) {
        if update {
            std::fs::remove_file(path).unwrap();
        } else {
            wrong.push(format!("{}: a recording without a vector", name(&path)));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_tag_exists_and_every_rule_and_trace_is_covered() {
    let listed = value(&folder().join("../coverage.json"));
    let known = |kind: &str| -> BTreeSet<String> { listed[kind].as_object().unwrap().keys().cloned().collect() };
    let tags = [("covers", known("requirements")), ("bugs", known("bugs")), ("spellings", known("spellings"))];
    assert_eq!(tags.each_ref().map(|(_, known)| known.len()), [133, 82, 19]);

    let mut known_rules: BTreeSet<Rule> = numbered("rules.md", "").into_iter().map(Rule::Resolver).collect();
    known_rules.extend(numbered("endpoint.md", "E").into_iter().map(Rule::Endpoint));
    let known_traces: BTreeSet<u64> = (1..=16).collect();

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
        let is_endpoint = machine_of(&file) == "endpoint";
        for tag in list(&file["rules"]) {
            match Rule::read(&tag).filter(|rule| known_rules.contains(rule)) {
                Some(Rule::Endpoint(number)) if !is_endpoint => {
                    wrong.push(format!("{name}: E{number} is a rule of the endpoint"));
                }
                Some(rule) => drop(rules.insert(rule)),
                None => wrong.push(format!("{name}: {tag} in `rules` does not exist")),
            }
        }
        for tag in list(&file["traces"]) {
            match tag.as_u64().filter(|number| known_traces.contains(number)) {
                Some(number) => drop(traces.insert(number)),
                None => wrong.push(format!("{name}: {tag} in `traces` does not exist")),
            }
        }
    }
    let must_be_covered = |rule: &&Rule| matches!(rule, Rule::Resolver(_));
    wrong.extend(
        known_rules.difference(&rules).filter(must_be_covered).map(|rule| format!("{rule:?} is covered by no vector")),
    );
    wrong.extend(known_traces.difference(&traces).map(|trace| format!("trace {trace} is covered by no vector")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A rule of `docs/rules.md`, or of `docs/endpoint.md`, where its number follows an `E`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rule {
    Resolver(u64),
    Endpoint(u64),
}

impl Rule {
    fn read(tag: &Value) -> Option<Self> {
        let of_endpoint = || tag.as_str()?.strip_prefix('E')?.parse().ok().map(Self::Endpoint);
        tag.as_u64().map(Self::Resolver).or_else(of_endpoint)
    }
}

/// The numbers of the rules of a document: lines that begin with a number and a point.
fn numbered(document: &str, prefix: &str) -> Vec<u64> {
    let text = std::fs::read_to_string(folder().join("../../docs").join(document)).unwrap();
    let number = |line: &str| line.strip_prefix(prefix)?.split_once(". ")?.0.parse().ok();
    let numbers: Vec<u64> = text.lines().filter_map(number).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>(), "the rules of {document}");
    numbers
}

/// What a host keeps of a session of an endpoint.
#[derive(Default)]
struct Kept {
    project: Option<String>,
    known: Option<Known>,
}

/// An answer that a host gives again (E31).
struct Known {
    answer: Value,
    until: Option<f64>,
    /// The events of another ask that is like the one that it answers.
    like: Vec<Value>,
}

/// One scenario on its way through the machine.
struct Run {
    name: String,
    options: String,
    machine: Machine,
    project: Value,
    sessions: BTreeMap<u32, Kept>,
    /// The latest snapshot of each session.
    saved: BTreeMap<u32, String>,
    /// The event with which each call started, and the session and the call of each ask.
    calls: BTreeMap<u64, Value>,
    asks: BTreeMap<u64, (Value, Option<Value>)>,
    wrong: Vec<String>,
}

impl Run {
    fn new(path: &Path, file: &Node) -> Self {
        let name = name(path);
        let mut wrong = Vec::new();
        for key in file.keys().filter(|key| !SCENARIO_FIELDS.contains(key)) {
            wrong.push(format!("{name}: unknown field `{key}`"));
        }
        let value = file.value();
        if value["name"].as_str().is_none_or(|text| Some(kebab(text).as_str()) != name.rsplit('/').next()) {
            wrong.push(format!("{name}: the file is not named after its scenario"));
        }
        let mut options = json!({ "policy": policy(&value["policy"]), "host": value["host"] });
        for key in ["machine", "rootsWatched"].into_iter().filter(|key| value.get(key).is_some()) {
            options[key] = value[key].clone();
        }
        let options = options.to_string();
        let machine = PolicyCache::new().machine(&options);
        let machine = machine.unwrap_or_else(|failure| panic!("{name}: {}", failure.to_json()));
        let (sessions, saved, calls, asks) = Default::default();
        Self { name, options, machine, project: Value::Null, sessions, saved, calls, asks, wrong }
    }

    fn step(&mut self, index: usize, step: &Node) -> Node {
        if let Some(key) = step.keys().find(|key| !STEP_FIELDS.contains(key)) {
            self.fail(index, format!("unknown field `{key}`"));
        }
        let written = step.value();
        if let Some(session) = written["save"].as_u64() {
            return self.save(u32::try_from(session).unwrap());
        }
        let now = written["now"].as_f64().unwrap();
        let reply = match (written.get("restore"), written["eventText"].as_str()) {
            (Some(restore), _) => self.restore(index, now, restore["idPrefix"].as_str()),
            (None, Some(text)) => self.machine.handle_json(text, now),
            (None, None) => self.machine.handle_json(&self.with_saved(step.member("event").compact()), now),
        };
        let reply = Node::read(&reply);
        let got = reply.value();
        if got["error"] != Value::Null || written["error"] != Value::Null {
            if got["error"]["code"] != written["error"] {
                self.fail(index, format!("expected error {}, got {got}", written["error"]));
            }
            return reply;
        }
        if got.get("project").is_some() {
            self.project = got["project"]["key"].clone();
        }
        self.keep(&written["event"], &got);
        self.expectations(index, &written, &got);
        self.invariants(index, &got);
        self.session_invariants(index, now);
        reply
    }

    fn save(&mut self, session: u32) -> Node {
        let saved = self.machine.snapshot(session).unwrap();
        let reply = Node::read(&json!({ "saved": saved }).to_string());
        self.saved.insert(session, saved);
        reply
    }

    /// An event with snapshots in place of the texts that stand for them.
    fn with_saved(&self, event: String) -> String {
        self.saved.iter().fold(event, |event, (session, saved)| {
            event.replace(&format!("\"saved\":\"${session}\""), &format!("\"saved\":{}", json!(saved)))
        })
    }

    /// Saves the machine and goes on with the restored one, as another process would.
    fn restore(&mut self, index: usize, now: f64, id_prefix: Option<&str>) -> String {
        let saved = self.machine.snapshot(0).unwrap();
        self.machine = PolicyCache::new().restore(&saved, &self.options, now, id_prefix).unwrap().into();
        if self.machine.snapshot(0).unwrap() != saved && id_prefix.is_none() {
            self.fail(index, "a restored machine saves something else".into());
        }
        self.machine.view_json()
    }

    /// Keeps of each session what a host keeps.
    fn keep(&mut self, event: &Value, got: &Value) {
        if let (Some(call), "callStarted") = (event["call"].as_u64(), event["type"].as_str().unwrap_or_default()) {
            self.calls.insert(call, event.clone());
        }
        if let Some(ask) = event["ask"].as_u64() {
            let call = event["call"].as_u64().and_then(|call| self.calls.get(&call).cloned());
            let session = call.as_ref().map_or(&event["session"], |call| &call["session"]).clone();
            self.asks.insert(ask, (session, call));
        }
        for change in list(&got["sessions"]) {
            let session = &change["session"];
            let kept = self.sessions.entry(u32::try_from(session.as_u64().unwrap()).unwrap()).or_default();
            if let Some(project) = change.get("project") {
                kept.project = project["key"].as_str().map(ToOwned::to_owned);
            }
            let put = |answer: &Value| self.asks.get(&answer["asks"][0].as_u64()?);
            let own = list(&got["actions"]).into_iter().filter_map(|answer| Some((put(&answer)?.clone(), answer)));
            let own = own.into_iter().find(|((of, _), _)| of == session);
            kept.known = change.get("known").zip(own).map(|(known, ((_, call), answer))| Known {
                answer,
                until: known["until"].as_f64(),
                like: alike(session, call),
            });
        }
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
        if let Some(expected) = written["expectSessions"].as_array() {
            self.compare(index, "session", expected, &list(&got["sessions"]));
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
        let order: &[&str] = match self.machine {
            Machine::Resolver(_) => &RESOLVER_ACTIONS,
            Machine::Endpoint(_) => &ENDPOINT_ACTIONS,
            _ => panic!("a machine without an order of actions"),
        };
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

    /// A host that keeps what it is told knows what the endpoint knows.
    fn session_invariants(&mut self, index: usize, now: f64) {
        let Machine::Endpoint(endpoint) = &self.machine else { return };
        let mut problems = Vec::new();
        for (&session, kept) in self.sessions.iter().filter(|(session, _)| endpoint.snapshot(**session).is_some()) {
            let project = endpoint.project(session).map(|project| project.key.to_string());
            if kept.project != project {
                problems.push(format!("session {session} has {project:?}, its host knows {:?}", kept.project));
            }
            let Some(known) = kept.known.as_ref().filter(|known| known.until.is_none_or(|until| now < until)) else {
                continue;
            };
            // An event that changes nothing, so that the answer is not the one that the machine has kept itself.
            let ping = json!({ "type": "requestSeen", "session": session, "id": "spare", "method": "ping" });
            let mut machine = self.machine.clone();
            let mut reply = String::new();
            for event in std::iter::once(&ping).chain(&known.like) {
                reply = machine.handle_json(&event.to_string(), now);
            }
            let got: Value = serde_json::from_str(&reply).unwrap();
            let mut expected = known.answer.clone();
            expected["asks"] = json!([SPARE_ASK]);
            let answers: Vec<Value> =
                list(&got["actions"]).into_iter().filter(|action| action["type"] != "log").collect();
            if answers != [expected.clone()] {
                problems.push(format!("session {session}: the host would answer {expected}, the endpoint does {got}"));
            }
        }
        for problem in problems {
            self.fail(index, problem);
        }
    }

    fn compare_layout(&mut self, text: &str, file: &Node) {
        let difference = difference(text, &file.pretty());
        self.wrong.extend(difference.map(|place| format!("{}: is not formatted, {place}", self.name)));
    }

    fn compare_recording(&mut self, recorded: Option<&str>, replies: &Node) {
        let steps = replies.items().len();
        let problem = match recorded.map(|text| (text, serde_json::from_str::<Vec<Value>>(text))) {
            None => Some("has no recording".into()),
            Some((_, Ok(old))) if old.len() != steps => Some(format!("has {steps} steps, but {} recorded", old.len())),
            Some((text, _)) => {
                difference(text, &replies.pretty()).map(|place| format!("differs from its recording, {place}"))
            }
        };
        self.wrong.extend(problem.map(|problem| format!("{}: {problem}", self.name)));
    }

    fn fail(&mut self, index: usize, problem: String) {
        self.wrong.push(format!("{} step {index}: {problem}", self.name));
    }
}

/// The events of an ask that is like one of a call, or of a session outside calls.
fn alike(session: &Value, call: Option<Value>) -> Vec<Value> {
    let mut asked = json!({ "type": "asked", "ask": SPARE_ASK });
    let Some(mut started) = call else {
        asked["session"] = session.clone();
        return vec![asked];
    };
    let kept = ["type", "session", "protocolVersion", "capabilities", "clientInfo"];
    started.as_object_mut().unwrap().retain(|name, _| kept.contains(&name.as_str()));
    (started["call"], asked["call"]) = (json!(SPARE_CALL), json!(SPARE_CALL));
    vec![started, asked]
}

/// Replaces a file as a whole, because another test may read it at this moment.
fn write_changed(path: &Path, old: Option<String>, new: String) {
    if old.as_ref() != Some(&new) {
        let part = path.with_extension("part");
        std::fs::write(&part, new).unwrap();
        std::fs::rename(part, path).unwrap();
    }
}

/// The first line that differs.
fn difference(old: &str, new: &str) -> Option<String> {
    if old == new {
        return None;
    }
    let line = new.lines().zip(old.lines()).position(|(new, old)| new != old);
    let line = line.unwrap_or_else(|| new.lines().count().min(old.lines().count()));
    let shown = |text: &str| text.lines().nth(line).unwrap_or_default().trim().to_owned();
    Some(format!("line {}\n    old {}\n    new {}", line + 1, shown(old), shown(new)))
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
