//! No input of any kind panics, misuse changes nothing and repeats nothing of what a peer wrote, and bounds hold.
#![allow(clippy::unwrap_used, clippy::arithmetic_side_effects, reason = "a test may fail loudly")]

use std::sync::Arc;

use proptest::prelude::*;
use rootwise::host::HostFacts;
use rootwise::path::PathStyle;
use rootwise::policy::Policy;
use rootwise::{Resolver, wire};

fn resolver() -> Resolver {
    let host = HostFacts::new(PathStyle::Posix);
    Resolver::new(Arc::new(Policy::recommended()), Arc::new(host)).unwrap()
}

fn ready() -> Resolver {
    let mut resolver = resolver();
    for event in [r#"{"type":"clientInitialized","capabilities":{"roots":{}}}"#, r#"{"type":"clientReady"}"#] {
        wire::handle_json(&mut resolver, event, 0.0);
    }
    resolver
}

/// JSON of any shape, with the words events are made of.
fn json(depth: u32) -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("type".to_owned()),
        Just("asked".to_owned()),
        Just("rootsListed".to_owned()),
        Just("ask".to_owned()),
        Just("request".to_owned()),
        Just("result".to_owned()),
        Just("roots".to_owned()),
        Just("uri".to_owned()),
        Just("__proto__".to_owned()),
        any::<String>(),
    ];
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|value| value.to_string()),
        any::<i64>().prop_map(|value| value.to_string()),
        any::<f64>().prop_map(|value| serde_json::to_string(&value).unwrap()),
        word.clone().prop_map(|value| serde_json::to_string(&value).unwrap()),
        Just(r#""\ud800""#.to_owned()),
    ];
    leaf.prop_recursive(depth, 64, 6, move |inner| {
        let member = (word.clone(), inner.clone())
            .prop_map(|(key, value)| format!("{}:{value}", serde_json::to_string(&key).unwrap()));
        prop_oneof![
            prop::collection::vec(inner, 0..6).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec(member, 0..6).prop_map(|members| format!("{{{}}}", members.join(","))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_text_gets_an_answer(texts in prop::collection::vec(prop_oneof![any::<String>(), json(5)], 1..6), now in any::<f64>()) {
        let mut resolver = ready();
        for text in texts {
            let output = wire::handle_json(&mut resolver, &text, now);
            prop_assert!(serde_json::from_str::<serde_json::Value>(&output).is_ok());
        }
    }

    #[test]
    fn any_json_in_place_of_what_a_peer_says_is_data(part in json(6)) {
        let mut resolver = ready();
        let message = serde_json::to_string(&part).unwrap();
        for event in [
            format!(r#"{{"type":"clientInitialized","capabilities":{part},"clientInfo":{part},"protocolVersion":{part}}}"#),
            r#"{"type":"clientReady"}"#.to_owned(),
            format!(r#"{{"type":"rootsListed","result":{part}}}"#),
            format!(r#"{{"type":"rootsListed","result":{{"roots":{part}}}}}"#),
            format!(r#"{{"type":"rootsListed","result":{{"roots":[{part},{{"uri":{part},"name":{part}}}]}}}}"#),
            format!(r#"{{"type":"asked","ask":1,"facts":{{"meta":{part},"inputResponses":{part}}}}}"#),
            r#"{"type":"askWithdrawn","ask":1}"#.to_owned(),
            format!(r#"{{"type":"asked","ask":2,"facts":{{"capabilities":{{"roots":{{}}}},"inputResponses":{{"rootwise":{part}}}}}}}"#),
            r#"{"type":"askWithdrawn","ask":2}"#.to_owned(),
            format!(r#"{{"type":"message","text":{message}}}"#),
        ] {
            let output = wire::handle_json(&mut resolver, &event, 0.0);
            prop_assert!(!output.starts_with(r#"{"error""#), "{event}\n{output}");
        }
    }

    #[test]
    fn a_refused_text_changes_nothing(text in prop_oneof![any::<String>(), json(4)]) {
        let mut resolver = ready();
        wire::handle_json(&mut resolver, r#"{"type":"asked","ask":1}"#, 0.0);
        let before = format!("{resolver:?}");
        if wire::handle_json(&mut resolver, &text, 5.0).starts_with(r#"{"error""#) {
            prop_assert_eq!(format!("{resolver:?}"), before);
        }
    }

    #[test]
    fn options_and_records_of_any_shape_are_read_or_refused(text in prop_oneof![any::<String>(), json(5)]) {
        let _ = wire::open(&text);
        let _ = wire::open(&format!(r#"{{"host":{{"style":"posix"}},"policy":{text}}}"#));
        let _ = wire::call(&text);
        let _ = wire::call(&format!(r#"{{"recoverSession":{text}}}"#));
    }
}

#[test]
fn depth_costs_nothing_where_nobody_looks() {
    let mut resolver = ready();
    for depth in [126, 127, 128, 100_000] {
        let deep = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let event = format!(
            r#"{{"type":"rootsListed","result":{{"x":{deep},"roots":[{{"uri":"file:///a","_meta":{deep}}},{deep}]}}}}"#
        );
        let output = wire::handle_json(&mut resolver, &event, 0.0);
        assert!(!output.starts_with(r#"{"error""#), "depth {depth}: {output}");
        assert_eq!(resolver.roots().available.len(), 1, "the good entry is kept");
    }
}

#[test]
fn misuse_repeats_nothing_a_peer_wrote() {
    let marker = "PLANTED-SECRET";
    let mut resolver = ready();
    for event in [
        format!(r#"{{"type":"{marker}"}}"#),
        format!(r#"{{"type":"asked","ask":"{marker}"}}"#),
        format!(r#"{{"type":"asked","ask":1,"target":["{marker}"]}}"#),
        format!(r#"{{"type":"probed","probe":99,"paths":[{{"path":"{marker}","found":"directory"}}]}}"#),
        format!(r#"{{"type":"rootsListed","request":"{marker}","result":{{}}}}"#),
        marker.to_owned(),
    ] {
        let output = wire::handle_json(&mut resolver, &event, 0.0);
        assert!(output.starts_with(r#"{"error""#) && !output.contains(marker), "{output}");
    }
}

#[test]
fn times_that_are_no_whole_milliseconds_are_misuse() {
    for now in [-1.0, 0.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 9_007_199_254_740_992.0, 1e300] {
        let output = wire::handle_json(&mut ready(), r#"{"type":"clientReady"}"#, now);
        assert!(output.contains(r#""code":"bad_event""#), "{now}: {output}");
    }
    assert!(!wire::handle_json(&mut ready(), r#"{"type":"clientReady"}"#, 9_007_199_254_740_991.0).contains("error"));
}

#[test]
fn ten_thousand_changes_in_no_time_cause_two_requests() {
    let mut resolver = ready();
    let mut sent = 0;
    let mut count = |output: String| sent += output.matches(r#""type":"sendRequest""#).count();
    count(wire::handle_json(&mut resolver, r#"{"type":"asked","ask":1}"#, 0.0));
    for _ in 0..10_000 {
        count(wire::handle_json(&mut resolver, r#"{"type":"rootsChanged"}"#, 0.0));
    }
    count(wire::handle_json(&mut resolver, r#"{"type":"rootsListed","request":1,"result":{"roots":[]}}"#, 300.0));
    for _ in 0..10_000 {
        count(wire::handle_json(&mut resolver, r#"{"type":"rootsChanged"}"#, 300.0));
    }
    assert_eq!(sent, 2);
}

#[test]
fn what_a_hostile_peer_leaves_behind_is_bounded() {
    let mut resolver = ready();
    let kept = |resolver: &Resolver| resolver.snapshot().len();
    for round in 0..40 {
        let roots: Vec<String> = (0..1_000)
            .map(|n| format!(r#"{{"uri":"file:///{round}/{n}/{}","name":"{}"}}"#, "x".repeat(20), "n".repeat(50)))
            .collect();
        let event = format!(r#"{{"type":"rootsListed","result":{{"roots":[{}]}}}}"#, roots.join(","));
        wire::handle_json(&mut resolver, &event, 0.0);
        let argument =
            format!(r#"{{"type":"asked","ask":{round},"facts":{{"meta":{{"agent-working-dir":"rel-{round}"}}}}}}"#);
        wire::handle_json(&mut resolver, &argument, 0.0);
    }
    assert!(kept(&resolver) < 200_000, "{} bytes kept", kept(&resolver));
    assert_eq!(resolver.roots().available.len(), 256);
    assert_eq!(resolver.explain().roots.dropped, 744);
}

#[test]
fn a_resolver_can_be_forked_and_handed_to_another_thread() {
    fn holds<T: Clone + Send + Sync + 'static>(value: T) -> T {
        value
    }
    let original = holds(ready());
    let mut fork = original.clone();
    let asked =
        std::thread::spawn(move || wire::handle_json(&mut fork, r#"{"type":"asked","ask":1}"#, 0.0)).join().unwrap();
    assert!(asked.contains("roots/list"), "{asked}");
    assert_eq!(original.deadline(), None, "what the fork does is its own");
}

// Covers G1, G2, G5.
#[test]
fn no_resolver_knows_of_another() {
    // No global can hide in the crate: the words for them do not occur.
    let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![source];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            for word in ["static ", "thread_local", "OnceLock", "OnceCell", "LazyLock", "AtomicU"] {
                let used = text
                    .lines()
                    .any(|line| line.replace("'static ", "").contains(word) && !line.trim_start().starts_with("//"));
                assert!(!used, "{} uses `{word}`", path.display());
            }
        }
    }
}

#[test]
fn a_bad_event_says_where_it_is_bad_and_nothing_that_a_peer_wrote() {
    for (event, said) in [
        (r#"{"type":"asked","ask":1,"facts":{"query":{"peer":["a"]}}}"#, "event.facts.query: expected a string"),
        (
            r#"{"type":"asked","ask":1,"facts":{"headers":{"peer":"a","peer":"b"}}}"#,
            "event.facts.headers: duplicate key",
        ),
        (
            r#"{"type":"asked","ask":1,"facts":{"type":"peer"}}"#,
            "event.facts.type: unknown field, expected one of `server`",
        ),
        (r#"{"type":"asked","ask":1,"ask":2}"#, "event.ask: duplicate field"),
        (r#"{"type":"closed","ask":1}"#, "event.ask: unknown field, this event has none"),
        (
            r#"{"type":"selected","ask":1,"by":{"folder":"peer"}}"#,
            "event.by: expected one of `name`, `path`, `uri`, `root`, `value`",
        ),
        (
            r#"{"type":"probed","probe":1,"paths":[{"path":"/p","found":"peer"}]}"#,
            "event.paths[0].found: expected one of `directory`",
        ),
        (
            r#"{"type":"requestRefused","request":1,"kind":"error","code":"a, expected peer at line 3"}"#,
            "event.code: expected i64",
        ),
        (r#"{"type":"asked","ask":1e999}"#, "event.ask: has the wrong form"),
        (r#"{"type":"asked","ask":1,"target":"peer \ud800"}"#, "event.target: has the wrong form"),
        (r#"["peer"]"#, "event: must be an object"),
    ] {
        let message = wire::parse_event(event).unwrap_err().to_string();
        assert!(message.contains(said) && !message.contains("peer"), "{event}: {message}");
    }
}

#[test]
fn resolvers_that_share_policies_never_get_another_s() {
    let mut maker = wire::PolicyCache::new();
    let options = |name: &str, field: &str| {
        format!(r#"{{"host":{{"style":"posix"}},"policy":{{"name":"{name}","{field}":[{{"from":"roots"}}]}}}}"#)
    };
    // More than are kept, twice, with one between them that cannot be read.
    for name in (0..12).chain(0..12).map(|number| format!("policy {number}")) {
        assert_eq!(maker.open(&options(&name, "sources")).unwrap().explain().policy, name);
        assert!(maker.open(&options(&name, "source")).is_err());
        assert_eq!(maker.open(r#"{"host":{"style":"posix"}}"#).unwrap().explain().policy, "recommended");
    }
}
