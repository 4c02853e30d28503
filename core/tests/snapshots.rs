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
use rootwise::path::uri::project_id;
use rootwise::policy::Policy;
use rootwise::{Resolver, ResolverBuilder, SnapshotError, wire};
use serde_json::Value;

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

fn restore(text: &str) -> Result<Resolver, SnapshotError> {
    let (policy, host) = options();
    Resolver::builder(host).policy(policy).restore(text, 1000)
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
    other.timing.caller_timeout_ms = 1;
    let (_, host) = options();
    assert!(
        Resolver::builder(host.clone()).policy(Policy::try_from(other.clone()).unwrap()).restore(&text, 0).is_ok(),
        "only the times differ"
    );
    other.sources.pop();
    let refused = Resolver::builder(host).policy(Policy::try_from(other).unwrap()).restore(&text, 0).unwrap_err();
    assert_eq!(refused.code(), "bad_snapshot");
    assert!(refused.to_string().contains("another policy"), "{refused}");
    let newer = text.replacen(r#"{"rootwise":5,"#, r#"{"rootwise":6,"#, 1);
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
    format!(r#"{front}"check":"{}","state":{state}}}"#, project_id(&state))
}

#[test]
fn a_snapshot_that_no_resolver_saved_is_refused() {
    assert!(restore(&tampered(r#""revision":"#, r#""revision": "#)).is_ok(), "only the hash was made again");
    for (from, to) in [
        (r#""idPrefix":"rootwise-""#, r#""idPrefix":"a\nb""#),
        (r#""lastToken":2"#, r#""lastToken":1"#),
        (r#""token":2"#, r#""token":0"#),
        (r#""failures":0"#, r#""failures":-1"#),
        // A request in flight has a deadline, and a closed connection has none.
        (r#""closed":false"#, r#""closed":true"#),
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
        let restored = Resolver::builder(host).policy(policy.clone()).restore(&busy().snapshot(), 1000).unwrap();
        assert_eq!(restored.project().is_some(), kept, "{allowed}: the spelling is /a and the real path /real/a");
    }
}

#[test]
fn an_id_prefix_that_would_break_json_is_refused() {
    let (policy, host) = options();
    let refused = Resolver::builder(host).policy(policy).id_prefix("\"").restore(&busy().snapshot(), 0).unwrap_err();
    assert_eq!(refused.code(), "bad_options");
}

const KEY: &str = "0123456789abcdef0123456789abcdef";

/// A connection with a selection, opened through the wire.
fn sealed(key: &str) -> Resolver {
    let options = format!(r#"{{"host":{{"style":"posix"}},"snapshotKey":"{key}"}}"#);
    let mut resolver = wire::open(&options).unwrap();
    for event in
        [r#"{"type":"clientInitialized"}"#, r#"{"type":"rootsListed","result":{"roots":[{"uri":"file:///a"}]}}"#]
    {
        wire::handle(&mut resolver, event, 0.0).unwrap();
    }
    resolver
}

fn builder(key: Option<&str>) -> ResolverBuilder {
    let builder = Resolver::builder(HostFacts::new(PathStyle::Posix));
    key.into_iter().fold(builder, ResolverBuilder::snapshot_key)
}

#[test]
fn a_sealed_snapshot_is_restored_with_its_key_alone() {
    let snapshot = sealed(KEY).snapshot();
    let restored = builder(Some(KEY)).restore(&snapshot, 0_u64).unwrap();
    assert_eq!(restored.snapshot(), snapshot, "a restored resolver seals its snapshots too");
    for key in [None, Some("another key of thirty-two bytes..")] {
        assert_eq!(builder(key).restore(&snapshot, 0_u64).unwrap_err(), SnapshotError::Seal);
    }
    let plain = Resolver::builder(HostFacts::new(PathStyle::Posix)).build().unwrap().snapshot();
    assert_eq!(builder(Some(KEY)).restore(&plain, 0_u64).unwrap_err(), SnapshotError::Seal);
}

#[test]
fn a_sealed_snapshot_that_was_changed_is_refused_although_its_check_fits() {
    let snapshot = sealed(KEY).snapshot();
    let (head, state) = snapshot.split_once(r#""state":"#).unwrap();
    let state = state.strip_suffix('}').unwrap().replace("file:///a", "file:///b");
    let mut envelope: Value = serde_json::from_str(&snapshot).unwrap();
    envelope["check"] = project_id(&state).into();
    let forged = |seal: &Value| {
        let (policy, check) = (&envelope["policy"], &envelope["check"]);
        let version = &envelope["rootwise"];
        format!(r#"{{"rootwise":{version},"policy":{policy},"check":{check},"seal":{seal},"state":{state}}}"#)
    };
    assert!(head.contains(r#""seal":""#));
    for seal in [envelope["seal"].clone(), "".into(), "00".into(), "zz".into(), "é".into(), Value::Null] {
        let error = builder(Some(KEY)).restore(&forged(&seal), 0_u64).unwrap_err();
        assert_eq!(error, SnapshotError::Seal, "{seal}");
    }
    assert!(builder(None).restore(&forged(&Value::Null), 0_u64).is_ok(), "without a key the check is no secret");
}

#[test]
fn a_short_key_is_refused_and_no_key_is_shown() {
    let error = builder(Some("short")).build().unwrap_err();
    assert_eq!(error.to_string(), "bad options at snapshotKey: has 5 bytes, and a key needs at least 32");
    assert!(builder(Some(&KEY[..31])).build().is_err() && builder(Some(KEY)).build().is_ok());
    assert!(!format!("{:?} {:?}", sealed(KEY), builder(Some(KEY))).contains("48, 49"));
}

#[test]
fn probe_ids_go_on_counting_in_a_restored_resolver() {
    let listed = r#"{"type":"rootsListed","result":{"roots":[{"uri":"file:///a"}]}}"#;
    let snapshot = sealed(KEY).snapshot();
    let mut restored = builder(Some(KEY)).restore(&snapshot, 0_u64).unwrap();
    let output = wire::handle_json(&mut restored, listed, 0.0);
    assert!(output.contains(r#""probe":2"#), "the first probe was before the snapshot: {output}");
}
