//! The life cycle of the client's roots: every state against every event, as one reviewed table.
//!
//! `UPDATE_SNAPSHOTS=1 cargo test -p rootwise --test transitions` writes docs/transitions.md and the diagram in docs/contract.md.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail loudly")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use rootwise::action::{Action, Outcome, RootsState};
use rootwise::host::HostFacts;
use rootwise::path::PathStyle;
use rootwise::policy::Policy;
use rootwise::{Resolver, wire};

const POLICY: &str = r#"{
  "name": "table",
  "sources": [{ "from": "selected", "verify": "none" }, { "from": "roots", "verify": "none" }],
  "selection": { "names": "any" },
  "timing": { "callerTimeoutMs": 5000, "requestTimeoutMs": 60000, "minIntervalMs": 0, "maxAgeMs": null, "retries": 1 }
}"#;

/// How each state is reached; the last line of each leaves the resolver in it.
const STATES: [(&str, &[&str]); 16] = [
    ("not ready", &[INITIALIZED]),
    ("not asked", &[INITIALIZED, READY]),
    ("pending", &[INITIALIZED, READY, ASKED]),
    ("pending, changed", &[INITIALIZED, READY, ASKED, CHANGED]),
    ("overdue", &[INITIALIZED, READY, ASKED, "5000 deadlineReached"]),
    ("overdue, changed", &[INITIALIZED, READY, ASKED, "5000 deadlineReached", CHANGED]),
    ("timed out", &[INITIALIZED, READY, ASKED, "60000 deadlineReached"]),
    ("ok", &[INITIALIZED, READY, ASKED, LISTED]),
    ("empty", &[INITIALIZED, READY, ASKED, EMPTY]),
    ("all invalid", &[INITIALIZED, READY, ASKED, INVALID]),
    ("failed", &[INITIALIZED, READY, ASKED, FAILED]),
    ("unsupported", &[INITIALIZED, READY, ASKED, UNSUPPORTED]),
    ("stale", &[INITIALIZED, READY, ASKED, LISTED, NO_PUSH, CHANGED]),
    ("undeclared", &["0 clientInitialized {}", READY]),
    ("several clients", &[INITIALIZED, READY, ASKED, LISTED, LISTED]),
    ("closed", &[INITIALIZED, READY, "0 closed"]),
];

const INITIALIZED: &str = r#"0 clientInitialized {"capabilities":{"roots":{}}}"#;
const READY: &str = "0 clientReady";
const ASKED: &str = r#"0 asked {"ask":1}"#;
const CHANGED: &str = "0 rootsChanged";
const NO_PUSH: &str = r#"0 hostFactsChanged {"facts":{"style":"posix","push":false}}"#;
const LISTED: &str = r#"0 rootsListed {"request":1,"result":{"roots":[{"uri":"file:///a"}]}}"#;
const EMPTY: &str = r#"0 rootsListed {"request":1,"result":{"roots":[]}}"#;
const INVALID: &str = r#"0 rootsListed {"request":1,"result":{"roots":[{"uri":"https://x"}]}}"#;
const FAILED: &str = r#"0 requestRefused {"request":1,"kind":"error","code":-32000,"message":"busy"}"#;
const UNSUPPORTED: &str = r#"0 requestRefused {"request":1,"kind":"error","code":-32601}"#;

/// What can happen, and how the table calls it.
const EVENTS: [(&str, &str); 24] = [
    ("initialized again", INITIALIZED),
    ("ready", READY),
    ("listed", LISTED),
    ("listed, empty", EMPTY),
    ("listed, all invalid", INVALID),
    ("listed by the host", r#"0 rootsListed {"result":{"roots":[{"uri":"file:///h"}]}}"#),
    ("listed for an unknown request", r#"0 rootsListed {"request":9,"result":{"roots":[]}}"#),
    ("refused", FAILED),
    ("refused, unsupported", UNSUPPORTED),
    ("refused, undeliverable", r#"0 requestRefused {"request":1,"kind":"undeliverable"}"#),
    ("refused, unreadable", r#"0 requestRefused {"request":1,"kind":"unreadable"}"#),
    ("refused, abandoned", r#"0 requestRefused {"request":1,"kind":"abandoned"}"#),
    ("changed", CHANGED),
    ("asked", r#"0 asked {"ask":2}"#),
    ("asked, nobody to ask", r#"0 asked {"ask":2,"askVia":"none"}"#),
    ("asked, modern", r#"0 asked {"ask":2,"facts":{"capabilities":{"roots":{}}}}"#),
    ("selected", r#"0 selected {"ask":2,"by":{"path":"/s"}}"#),
    ("selection cleared", r#"0 selectionCleared {"ask":2}"#),
    ("ask withdrawn", r#"0 askWithdrawn {"ask":1}"#),
    ("host facts changed", r#"0 hostFactsChanged {"facts":{"style":"posix","cwd":"/w"}}"#),
    ("probed", r#"0 probed {"probe":1,"paths":[]}"#),
    ("wait over", "5000 deadlineReached"),
    ("life over", "60000 deadlineReached"),
    ("connection closed", "0 closed"),
];

#[test]
fn every_state_meets_every_event_as_the_table_says() {
    let mut page = String::from(
        "# Every state of the roots life cycle against every event\n\n\
         Written by `core/tests/transitions.rs` and reviewed by people. The policy has a selection and the roots, nothing is\n\
         checked on disk, and one retry is allowed. One ask (1) waits in the states that begin with \"pending\".\n",
    );
    let mut edges: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for (state, path) in STATES {
        write!(page, "\n## {state}\n\n| event | next | actions |\n|---|---|---|\n").unwrap();
        let mut resolver = fresh();
        for line in path {
            step(&mut resolver, line).unwrap();
        }
        assert_eq!(name_of(&resolver), state, "the state is what its name says");
        for (name, line) in EVENTS {
            let mut after = resolver.clone();
            let actions = step(&mut after, line).unwrap_or_else(|misuse| format!("misuse: {misuse}"));
            let next = name_of(&after);
            writeln!(page, "| {name} | {} | {actions} |", if next == state { "" } else { next }).unwrap();
            if next != state {
                edges.entry((state, next)).or_default().push(name);
            }
        }
    }
    compare("docs/transitions.md", &page);
    compare_part("docs/contract.md", "state diagram", &diagram(&edges));
}

/// The state of the roots in words, and what only the resolver itself distinguishes: the end of the connection, and a change
/// since the request in flight was sent.
fn name_of(resolver: &Resolver) -> &'static str {
    let saved: serde_json::Value = serde_json::from_str(&resolver.snapshot()).unwrap();
    let changed = saved["state"]["cycle"]["inFlight"]["changed"] == true;
    match resolver.roots().state {
        _ if saved["state"]["closed"] == true => "closed",
        RootsState::NotReady => "not ready",
        RootsState::NotAsked => "not asked",
        RootsState::Pending if changed => "pending, changed",
        RootsState::Pending => "pending",
        RootsState::Overdue if changed => "overdue, changed",
        RootsState::Overdue => "overdue",
        RootsState::TimedOut => "timed out",
        RootsState::Ok => "ok",
        RootsState::Empty => "empty",
        RootsState::AllInvalid => "all invalid",
        RootsState::Failed => "failed",
        RootsState::Unsupported => "unsupported",
        RootsState::Stale => "stale",
        RootsState::Undeclared => "undeclared",
        RootsState::SeveralClients => "several clients",
        other => panic!("{other:?}"),
    }
}

/// The main way through the states. States and events of one kind are drawn as one, and what the table alone shows is left out:
/// a change during a request, the ends of a connection, the host's own lists, and states that only other policies reach.
fn diagram(edges: &BTreeMap<(&str, &str), Vec<&str>>) -> String {
    const STATES: [(&str, &str, &[&str]); 7] = [
        ("notready", "not ready", &["not ready"]),
        ("notasked", "not asked", &["not asked"]),
        ("pending", "pending", &["pending"]),
        ("overdue", "overdue", &["overdue"]),
        ("listed", "ok, empty or all invalid", &["ok", "empty", "all invalid"]),
        ("refused", "failed or unsupported", &["failed", "unsupported"]),
        ("timedout", "timed out", &["timed out"]),
    ];
    let drawn = |state: &str| STATES.iter().find(|(_, _, states)| states.contains(&state)).map(|(id, ..)| *id);
    let mut lines: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for ((from, to), names) in edges {
        let (Some(from), Some(to)) = (drawn(from), drawn(to)) else { continue };
        for name in names.iter().filter(|name| !["initialized again", "listed by the host"].contains(name)) {
            let kind = match *name {
                "selected" | "selection cleared" => "asked",
                "refused, abandoned" => "abandoned",
                name => name.split(',').next().unwrap_or(name),
            };
            let kinds = lines.entry((from, to)).or_default();
            if from != to && !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
    }
    let mut text = String::from("```mermaid\nstateDiagram-v2\n    [*] --> notready\n");
    for (id, title, _) in STATES {
        writeln!(text, "    {id}: {title}").unwrap();
    }
    for ((from, to), kinds) in lines.iter().filter(|(_, kinds)| !kinds.is_empty()) {
        writeln!(text, "    {from} --> {to}: {}", kinds.join(" / ")).unwrap();
    }
    text.push_str("```\n");
    text
}

fn fresh() -> Resolver {
    let policy = Policy::from_json(POLICY).unwrap();
    Resolver::new(Arc::new(policy), Arc::new(HostFacts::new(PathStyle::Posix))).unwrap()
}

/// Feeds one line of the tables above and tells the actions in short.
fn step(resolver: &mut Resolver, line: &str) -> Result<String, &'static str> {
    let (now, rest) = line.split_once(' ').unwrap();
    let (kind, fields) = rest.split_once(' ').unwrap_or((rest, "{}"));
    let fields = fields.strip_prefix('{').unwrap();
    let comma = if fields == "}" { "" } else { "," };
    let event = wire::parse_event(&format!(r#"{{"type":"{kind}"{comma}{fields}"#)).unwrap();
    let actions = resolver.handle(event, now.parse::<u64>().unwrap()).map_err(|misuse| misuse.code())?;
    Ok(actions.iter().map(short).collect::<Vec<_>>().join(", "))
}

fn short(action: &Action) -> String {
    match action {
        Action::Answer(answer) => {
            let outcome = match &answer.outcome {
                Outcome::Resolved { project } => format!("{} ({})", project.key, project.source.name()),
                Outcome::Selected { project, .. } => format!("selected {}", project.key),
                Outcome::Cleared { project: Some(project), .. } => {
                    format!("cleared, {} ({})", project.key, project.source.name())
                }
                Outcome::Cleared { code, .. } => format!("cleared, {}", code.map_or("", |code| code.code())),
                Outcome::NeedsInput { .. } => "needs input".into(),
                Outcome::Unresolved(unresolved) => unresolved.code.code().into(),
                Outcome::Refused(refused) => format!("refused: {}", refused.code.code()),
                other => format!("{other:?}"),
            };
            {
                let asks: Vec<String> = answer.asks.iter().map(ToString::to_string).collect();
                format!("answer {}: {outcome}", asks.join(", "))
            }
        }
        Action::Announce(announce) => {
            let key = |project: &Option<Arc<rootwise::project::Project>>| {
                project.as_ref().map_or_else(|| "none".into(), |project| project.key.clone())
            };
            format!("announce {} → {}", key(&announce.from), key(&announce.to))
        }
        Action::Cancel(cancel) => format!("cancel {}", cancel.request),
        Action::SendRequest(send) => format!("send {}", send.request),
        Action::Probe(probe) => format!("probe {}", probe.probe),
        Action::Forward(_) => "forward".into(),
        Action::Log(log) => format!("log {}", log.code.code()),
        other => format!("{other:?}"),
    }
}

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

fn compare(file: &str, text: &str) {
    let path = repository().join(file);
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == text, "{file} differs; run with UPDATE_SNAPSHOTS=1 and review the change");
}

/// Compares the part of a page between `<!-- name -->` and `<!-- /name -->`.
fn compare_part(file: &str, name: &str, text: &str) {
    let page = std::fs::read_to_string(repository().join(file)).unwrap();
    let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let (before, rest) = page.split_once(&open).unwrap_or_else(|| panic!("{file} has no part {name}"));
    let (_, after) = rest.split_once(&close).unwrap_or_else(|| panic!("{file} does not close its part {name}"));
    compare(file, &format!("{before}{open}{text}{close}{after}"));
}
