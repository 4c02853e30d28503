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
    let newer = text.replacen(r#"{"rootwise":2,"#, r#"{"rootwise":3,"#, 1);
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

#[test]
fn an_id_prefix_that_would_break_json_is_refused() {
    let (policy, host) = options();
    let refused = Resolver::restore(&busy().snapshot(), policy, host, 0, Some("\"")).unwrap_err();
    assert_eq!(refused.code(), "bad_options");
}
