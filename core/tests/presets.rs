//! The preset policies: each reads, checks, survives a round trip, and says its seed's texts letter for letter.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at the first surprise")]

use std::path::PathBuf;
use std::sync::Arc;

use rootwise::action::Action;
use rootwise::event::Event;
use rootwise::host::HostFacts;
use rootwise::{Millis, Resolver};

use rootwise::path::PathStyle;
use rootwise::policy::Policy;

/// A preset, a key of its texts, the values to fill in, and what it says.
type Said = (&'static str, &'static str, &'static [(&'static str, &'static str)], &'static str);

const PRESETS: [&str; 10] = [
    "cocosearch",
    "cocosearch-shipped",
    "conport",
    "conport-shipped",
    "mcp-guide",
    "mcp-guide-shipped",
    "recommended",
    "thoughtbox",
    "thoughtbox-shipped",
    "wolfram",
];

#[test]
fn the_folder_holds_these_presets() {
    let mut found: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    found.sort();
    assert_eq!(found, PRESETS);
}

#[test]
fn every_preset_works_and_bears_its_file_name() {
    for name in PRESETS {
        let policy = preset(name);
        assert_eq!(policy.config().name, name);
        let host = Arc::new(HostFacts::new(PathStyle::Posix));
        if let Err(misuse) = Resolver::new(Arc::new(policy), host) {
            panic!("{name}: {misuse}");
        }
    }
}

#[test]
fn every_preset_survives_a_round_trip() {
    for name in PRESETS {
        let policy = preset(name);
        assert_eq!(Policy::from_json(&serde_json::to_string(&policy).unwrap()).as_ref(), Ok(&policy), "{name}");
    }
}

#[test]
fn every_preset_of_a_seed_says_where_it_departs_from_it() {
    for name in PRESETS.iter().filter(|name| **name != "recommended") {
        assert!(!preset(name).config().notes.is_empty(), "{name}");
    }
}

#[test]
fn a_silent_client_costs_one_wait_with_every_preset() {
    for (name, call_carries_requests) in PRESETS.iter().flat_map(|name| [(name, false), (name, true)]) {
        let policy = preset(name);
        let mut resolver = Resolver::new(Arc::new(policy.clone()), Arc::new(HostFacts::new(PathStyle::Posix))).unwrap();
        let mut now = 0;
        let mut handle = |event: &str, now: u64| {
            let event: Event = serde_json::from_str(event).unwrap();
            let actions = resolver.handle(event, Millis(now)).unwrap();
            (actions, resolver.deadline())
        };
        handle(r#"{"type":"clientInitialized","capabilities":{"roots":{"listChanged":true}}}"#, now);
        handle(r#"{"type":"clientReady"}"#, now);
        let mut waited = 0;
        for ask in 1..=20 {
            let asked = now;
            let (mut actions, mut deadline) = handle(&format!(r#"{{"type":"asked","ask":{ask}}}"#), now);
            let mut sent = None;
            while !actions.iter().any(|action| matches!(action, Action::Answer(_))) {
                sent = actions.iter().find_map(|action| match action {
                    Action::SendRequest(request) => Some(request.request),
                    _ => sent,
                });
                now = deadline.expect("every wait has a deadline").0;
                (actions, deadline) = handle(r#"{"type":"deadlineReached"}"#, now);
            }
            waited += now - asked;
            // Over HTTP a request ends with the stream of its call.
            if let (true, Some(request)) = (call_carries_requests, sent) {
                handle(&format!(r#"{{"type":"requestRefused","request":{request},"kind":"abandoned"}}"#), now);
            }
            now += 90_000;
            handle(r#"{"type":"deadlineReached"}"#, now);
        }
        assert!(
            waited <= u64::from(policy.config().timing.caller_timeout_ms),
            "{name}: {waited} ms, {call_carries_requests}"
        );
    }
}

// Covers C-22, C-24, S-13, T-12, T-13.
#[test]
fn texts_that_only_the_host_can_say_come_from_the_policy() {
    let cases: [Said; 13] = [
        (
            "cocosearch",
            "host.notIndexed",
            &[("path", "/path")],
            "Project detected at /path but not indexed. Run `cocosearch index /path` first.",
        ),
        (
            "cocosearch-shipped",
            "host.notIndexed",
            &[("path", "/p")],
            "Project detected at /p but not indexed. Index this project first using:\n  CLI: cocosearch index /p\n  MCP: index_codebase(path='/p')",
        ),
        ("conport", "host.operated", &[("path", "/w")], "Operated on workspace: /w"),
        ("conport", "host.error", &[("message", "no")], "Error: no"),
        ("conport", "host.emptyPath", &[], "Workspace path cannot be empty"),
        ("conport", "host.invalidPath", &[("path", "/w")], "Invalid workspace path: /w"),
        ("thoughtbox", "host.noSessions", &[], "No sessions found for project. Use start_new to begin."),
        ("thoughtbox", "host.notFound", &[("id", "abc-123")], "Session abc-123 not found"),
        (
            "thoughtbox",
            "host.recoveredLog",
            &[("id", "abc-123"), ("uri", "file:///Users/dev/my-project")],
            "[Init] Auto-recovered session abc-123 for root file:///Users/dev/my-project",
        ),
        (
            "thoughtbox",
            "host.recovered",
            &[("id", "abc-123"), ("count", "47"), ("age", "2 min")],
            "Auto-recovered session abc-123 (47 thoughts, last updated 2 min ago)",
        ),
        (
            "thoughtbox-shipped",
            "host.noSessions",
            &[],
            "No sessions found in this workspace. Start one with tb.thought({ thought, nextThoughtNeeded: true }).",
        ),
        (
            "mcp-guide-shipped",
            "host.noName",
            &[],
            "Project context not available. Call set_project() with the basename of your current directory.",
        ),
        (
            "wolfram",
            "host.applyRootsFailed",
            &[("reason", "no such directory")],
            "Failed to apply client roots: no such directory",
        ),
    ];
    for (name, key, values, text) in cases {
        assert_eq!(preset(name).render(key, values).as_deref(), Some(text), "{name} {key}");
    }
}

fn preset(name: &str) -> Policy {
    let text = std::fs::read_to_string(folder().join(format!("{name}.json"))).unwrap();
    match Policy::from_json(&text) {
        Ok(policy) => policy,
        Err(misuse) => panic!("{name}: {misuse}"),
    }
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("presets")
}

#[test]
fn the_policy_page_names_every_field() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/policy.md")).unwrap();
    let mut missing = Vec::new();
    for name in PRESETS {
        let path = format!("{}/presets/{name}.json", env!("CARGO_MANIFEST_DIR"));
        let policy = Policy::from_json(&std::fs::read_to_string(path).unwrap()).unwrap();
        let mut values = vec![serde_json::to_value(&policy).unwrap()];
        while let Some(value) = values.pop() {
            for (key, inner) in value.as_object().into_iter().flatten() {
                // The keys of texts and of reasons are described by their forms.
                if key != "texts" && key != "onBad" {
                    values.push(inner.clone());
                }
                if !page.contains(&format!("`{key}`")) {
                    missing.push(key.clone());
                }
            }
            values.extend(value.as_array().into_iter().flatten().cloned());
        }
    }
    assert!(missing.is_empty(), "docs/policy.md does not speak of {missing:?}");
}

#[test]
fn an_invalid_policy_is_refused_with_the_place_and_the_reason() {
    let with = |field: &str, value: serde_json::Value| {
        let mut policy: serde_json::Value = serde_json::from_str(rootwise::policy::RECOMMENDED).unwrap();
        *policy.pointer_mut(field).unwrap_or_else(|| panic!("{field}")) = value;
        Policy::from_json(&policy.to_string()).unwrap_err()
    };
    let minimal = |fields: &str| {
        Policy::from_json(&format!(r#"{{"name":"p","sources":[{{"from":"roots"}}]{fields}}}"#)).unwrap_err()
    };
    for (refused, place, words) in [
        (with("/name", "".into()), "name", "empty"),
        (with("/sources", serde_json::json!([])), "sources", "at least one"),
        (with("/sources/2/read", serde_json::json!([])), "sources[2].read", "what to read"),
        (with("/sources/5/read/0", "cwd".into()), "sources[5].read", "JSON pointer"),
        (
            with("/sources/0", serde_json::json!({"from":"server","onBad":{"never":"next"}})),
            "sources[0].onBad",
            "`never`",
        ),
        (with("/sources/2/status", 200.into()), "sources[2].status", "200"),
        (with("/sources/1", serde_json::json!({"from":"argument","read":["x"]})), "sources[1].read", "reads nothing"),
        (with("/sources/7", serde_json::json!({"from":"selected"})), "sources", "`selected` twice"),
        (with("/sources/10/refine/levels", 33.into()), "sources[10].refine.levels", "walkLevels"),
        (with("/sources/10/refine/tiers/0/names/0", "a/b".into()), "sources[10].refine.tiers", "a/b"),
        (
            minimal(r#","timing":{"callerTimeoutMs":9,"requestTimeoutMs":8}"#),
            "timing.callerTimeoutMs",
            "requestTimeoutMs",
        ),
        (minimal(r#","memory":{"pinFrom":["roots"]}"#), "memory.pinFrom", "without `pin`"),
        (minimal(r#","memory":{"pin":"sticky","pinFrom":["header"]}"#), "memory.pinFrom", "one request"),
        (minimal(r#","limits":{"roots":0}"#), "limits.roots", "at least 1"),
        (minimal(r#","limits":{"actions":5}"#), "limits.actions", "at least 6"),
        (minimal(r#","texts":{"nonsense":""}"#), "texts.nonsense", "no message"),
        (minimal(r#","texts":{"log.typo":""}"#), "texts.log.typo", "no message"),
        (minimal(r#","texts":{"unresolved":"{wrong}"}"#), "texts.unresolved", "{wrong}"),
        (minimal(r#","roots":{"request":{"idPrefix":"a\"b"}}"#), "roots.request.idPrefix", "plain"),
        (
            minimal(r#","extra":1"#),
            "at extra:",
            "unknown field `extra`, expected one of `$schema`, `name`, `notes`, `sources`",
        ),
        (
            minimal(r#","roots":{"pick":"some"}"#),
            "at roots.pick:",
            "unknown variant `some`, expected `first` or `only`",
        ),
        (
            minimal(r#","roots":{"request":{"emptyParams":0}}"#),
            "at roots.request.emptyParams:",
            "invalid type: integer `0`, expected a boolean",
        ),
        (
            minimal(r#","hints":[{"text":"a","sources":[]},{"sources":["roots"]}]"#),
            "at hints[1]:",
            "missing field `text`",
        ),
        (
            minimal(r#","hints":[{"text":"a","sources":["cwd","here"]}]"#),
            "at hints[0].sources[1]:",
            "expected one of `server`, `argument`",
        ),
        (minimal(r#","timing":{"retries":-1}"#), "at timing.retries:", "invalid value: integer `-1`, expected u32"),
        (minimal(r#","name":"q""#), "at the top:", "duplicate field `name`"),
        (minimal(",\n  \"notes\": [,]"), "at line 2 column 13:", "not JSON"),
    ] {
        assert_eq!(refused.code(), "bad_options");
        let text = refused.to_string();
        assert!(text.contains(place) && text.contains(words), "{place}, {words}: {text}");
    }
}

#[test]
fn a_folder_that_is_not_absolute_is_refused_wherever_the_host_names_it() {
    let bad = [
        ("cwd", r#""w""#),
        ("allowedDirs[0]", r#"["./x"]"#),
        ("excludedDirs.home[0]", r#"{"home":["~"]}"#),
        ("excludedDirs.temporary[1]", r#"{"temporary":["/tmp","tmp"]}"#),
        ("excludedDirs.install[0]", r#"{"install":["C:\\x"]}"#),
    ];
    for (place, value) in bad {
        let field = place.split(['.', '[']).next().unwrap();
        let host = HostFacts::from_json(&format!(r#"{{"style":"posix","{field}":{value}}}"#)).unwrap();
        let error = Resolver::new(Policy::recommended(), host).unwrap_err().to_string();
        assert!(error.contains(&format!("host.{place}")), "{place}: {error}");
    }
}
