//! Saving and restoring: what comes back is what was saved, and nothing else is accepted.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::arithmetic_side_effects,
    reason = "a test may fail loudly"
)]

use std::sync::Arc;

use rootwise::host::HostFacts;
use rootwise::path::PathStyle;
use rootwise::policy::Policy;
use rootwise::{Resolver, wire};

fn options() -> (Arc<Policy>, Arc<HostFacts>) {
    (Arc::new(Policy::recommended()), Arc::new(HostFacts::new(PathStyle::Posix)))
}

fn busy() -> Resolver {
    let (policy, host) = options();
    let mut resolver = Resolver::new(policy, host).unwrap();
    for event in [
        r#"{"type":"clientInitialized","capabilities":{"roots":{}},"clientInfo":{"name":"a \"client\""}}"#,
        r#"{"type":"clientReady"}"#,
        r#"{"type":"asked","ask":1}"#,
        r#"{"type":"rootsListed","request":1,"result":{"roots":[{"uri":"file:///a","name":"A"},{"uri":"junk"}]}}"#,
        r#"{"type":"probed","probe":1,"paths":[{"path":"/a","found":"directory","realPath":"/real/a"}]}"#,
        r#"{"type":"rootsChanged"}"#,
        r#"{"type":"asked","ask":2}"#,
    ] {
        let output = wire::handle_json(&mut resolver, event, 1000.0);
        assert!(!output.contains(r#""error""#), "{output}");
    }
    resolver
}

fn restore(text: &str) -> Result<Resolver, rootwise::SnapshotError> {
    let (policy, host) = options();
    Resolver::restore(text, policy, host, 1000, None)
}

#[test]
fn a_restored_resolver_shows_and_saves_the_same() {
    let resolver = busy();
    let restored = restore(&resolver.snapshot()).unwrap();
    assert_eq!(restored.project(), resolver.project());
    assert_eq!(restored.roots(), resolver.roots());
    assert_eq!(restored.explain(), resolver.explain());
    assert_eq!(restored.revision(), resolver.revision());
    assert_eq!(restored.snapshot(), resolver.snapshot());
}

#[test]
fn a_snapshot_of_another_policy_or_version_is_refused() {
    let text = busy().snapshot();
    let mut other = Policy::recommended().into_config();
    other.timing.wait_ms = 1;
    let (_, host) = options();
    assert!(
        Resolver::restore(&text, Policy::try_from(other.clone()).unwrap(), host.clone(), 0, None).is_ok(),
        "only the times differ"
    );
    other.sources.pop();
    let refused = Resolver::restore(&text, Policy::try_from(other).unwrap(), host, 0, None).unwrap_err();
    assert_eq!(refused.code(), "bad_snapshot");
    assert!(refused.to_string().contains("another policy"), "{refused}");
    let newer = text.replacen(r#"{"rootwise":3,"#, r#"{"rootwise":4,"#, 1);
    assert!(restore(&newer).unwrap_err().to_string().contains("another version"));
}

#[test]
fn no_single_damaged_byte_is_accepted() {
    let text = busy().snapshot();
    for at in 0..text.len() {
        if !text.is_char_boundary(at) || !text.is_char_boundary(at + 1) {
            continue;
        }
        let byte = text.as_bytes()[at];
        let other = if byte == b'1' { "2" } else { "1" };
        let damaged = format!("{}{other}{}", &text[..at], &text[at + 1..]);
        assert!(restore(&damaged).is_err(), "byte {at} ({}) changed unnoticed", byte as char);
        let cut = restore(&text[..at]);
        assert!(cut.is_err(), "cut at {at} unnoticed");
    }
}

#[test]
fn what_is_no_snapshot_is_refused_with_an_error() {
    for text in ["", "null", "{}", "[]", "1", r#"{"rootwise":1}"#, "\u{0}", &"[".repeat(100_000)] {
        assert_eq!(restore(text).unwrap_err().code(), "bad_snapshot");
    }
}

/// Changes the state of a snapshot and its hash, as somebody with access to the store can.
fn tampered(from: &str, to: &str) -> String {
    let text = busy().snapshot();
    let (head, state) = text.split_once(r#","state":"#).unwrap();
    let state = state.strip_suffix('}').unwrap();
    assert!(state.contains(from), "{state}");
    let state = state.replacen(from, to, 1);
    let (front, _) = head.split_once(r#""check":""#).unwrap();
    format!(r#"{front}"check":"{}","state":{state}}}"#, rootwise::path::uri::project_id(&state))
}

#[test]
fn a_snapshot_that_no_resolver_saved_is_refused() {
    assert!(restore(&tampered(r#""revision":"#, r#""revision": "#)).is_ok(), "only the hash was made again");
    for (from, to) in [
        (r#""idPrefix":"rootwise-""#, r#""idPrefix":"a\nb""#),
        (r#""lastToken":2"#, r#""lastToken":1"#),
        (r#""token":2"#, r#""token":0"#),
        (r#""failures":0"#, r#""failures":-1"#),
    ] {
        assert_eq!(restore(&tampered(from, to)).unwrap_err().code(), "bad_snapshot", "{to}");
    }
}

#[test]
fn a_restored_project_must_be_inside_the_allowed_folders() {
    let (policy, _) = options();
    for (allowed, kept) in [("/a", false), ("/real", false), ("/", true)] {
        let mut host = HostFacts::new(PathStyle::Posix);
        host.allowed_dirs = Some(vec![allowed.to_owned()]);
        let restored = Resolver::restore(&busy().snapshot(), policy.clone(), host, 1000, None).unwrap();
        assert_eq!(restored.project().is_some(), kept, "{allowed}: the spelling is /a and the real path /real/a");
    }
}

#[test]
fn an_id_prefix_that_would_break_json_is_refused() {
    let (policy, host) = options();
    let refused = Resolver::restore(&busy().snapshot(), policy, host, 0, Some("\"")).unwrap_err();
    assert_eq!(refused.code(), "bad_options");
}
