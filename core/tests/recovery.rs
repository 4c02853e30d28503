//! Finding a project's session again (requirements T-01 to T-21).
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]

use rootwise::path::PathStyle;
use rootwise::session::{RecoverRequest, RecoveryOutcome, SessionRecord, recover_session};
use serde_json::value::RawValue;

fn session(id: &str, project: Option<&str>, updated_at: &str) -> SessionRecord {
    SessionRecord {
        id: id.into(),
        project: project.map(Into::into),
        updated_at: Some(RawValue::from_string(updated_at.into()).unwrap()),
        pinned: false,
        archived: false,
    }
}

fn request(session_id: Option<&str>, project: Option<&str>, sessions: Vec<SessionRecord>) -> RecoverRequest {
    RecoverRequest {
        style: PathStyle::Posix,
        session_id: session_id.map(Into::into),
        project: project.map(Into::into),
        sessions,
    }
}

const X: &str = "file:///Users/dev/my-project";
const Y: &str = "file:///Users/dev/other";

// Covers T-01, T-02, T-05, T-08, T-17, T-18.
#[test]
fn the_newest_session_of_the_root_is_found_without_any_memory_of_the_agent() {
    let sessions = vec![session("a", Some(X), "100"), session("b", Some(X), "200"), session("c", Some(Y), "300")];
    let found = recover_session(&request(None, Some(X), sessions));
    assert_eq!(found.outcome, RecoveryOutcome::Newest);
    assert_eq!(found.session_id.as_deref(), Some("b"));
    assert!(!found.other_project);
}

// Covers T-04, T-06, T-18.
#[test]
fn an_explicit_id_wins_although_the_root_has_a_newer_session() {
    let sessions = vec![session("a", Some(X), "100"), session("b", Some(X), "200")];
    let found = recover_session(&request(Some("a"), Some(X), sessions));
    assert_eq!((found.outcome, found.session_id.as_deref()), (RecoveryOutcome::Explicit, Some("a")));
}

// Covers T-09, T-18.
#[test]
fn a_root_without_sessions_gives_none() {
    let found = recover_session(&request(None, Some("file:///new"), vec![session("a", Some(X), "1")]));
    assert_eq!((found.outcome, found.session_id), (RecoveryOutcome::NoSession, None));
}

#[test]
fn a_root_on_another_machine_is_found_by_its_uri_and_by_its_key() {
    let (uri, key) = ("vscode-remote://ssh/x", "uri:vscode-remote://ssh/x");
    for (asked, stored) in [(uri, uri), (uri, key), (key, uri), (key, key)] {
        let found = recover_session(&request(None, Some(asked), vec![session("a", Some(stored), "1")]));
        assert_eq!(found.session_id.as_deref(), Some("a"), "{asked} and {stored}");
    }
}

// Covers T-10.
#[test]
fn an_unknown_id_is_not_replaced_by_a_guess() {
    let found = recover_session(&request(Some("zzz"), Some(X), vec![session("a", Some(X), "1")]));
    assert_eq!((found.outcome, found.session_id), (RecoveryOutcome::UnknownId, None));
}

// Covers T-11.
#[test]
fn neither_id_nor_root_asks_for_a_root_to_be_bound() {
    let found = recover_session(&request(None, None, vec![session("a", Some(X), "1"), session("b", None, "2")]));
    assert_eq!((found.outcome, found.session_id), (RecoveryOutcome::NoProject, None));
}

// Covers T-02.
#[test]
fn a_session_without_a_root_never_matches_one() {
    let found = recover_session(&request(None, Some(X), vec![session("a", None, "9")]));
    assert_eq!(found.outcome, RecoveryOutcome::NoSession);
}

// Covers T-07, T-20.
#[test]
fn every_spelling_of_the_root_is_the_same_root() {
    for spelling in [
        "file:///Users/dev/my-project/",
        "file://localhost/Users/dev/my-project",
        "file:///Users/dev/./my%2Dproject",
        "/Users/dev/my-project",
    ] {
        let found = recover_session(&request(None, Some(spelling), vec![session("a", Some(X), "1")]));
        assert_eq!(found.session_id.as_deref(), Some("a"), "{spelling}");
    }
    let other_case =
        recover_session(&request(None, Some("file:///users/dev/my-project"), vec![session("a", Some(X), "1")]));
    assert_eq!(other_case.outcome, RecoveryOutcome::NoSession);
}

// Covers T-15.
#[test]
fn the_agent_can_choose_among_the_sessions_of_one_root() {
    let sessions = vec![session("a", Some(X), "1"), session("c", Some(Y), "9"), session("b", Some(X), "2")];
    let found = recover_session(&request(None, Some(X), sessions));
    assert_eq!(found.candidates, ["b", "a"]);
}

// Covers T-16.
#[test]
fn a_session_of_another_root_is_allowed_by_id_and_said() {
    let found = recover_session(&request(Some("c"), Some(X), vec![session("c", Some(Y), "1")]));
    assert_eq!(found.outcome, RecoveryOutcome::Explicit);
    assert!(found.other_project);
    let rootless = recover_session(&request(Some("c"), Some(X), vec![session("c", None, "1")]));
    assert!(!rootless.other_project);
}

// Covers T-19.
#[test]
fn a_pinned_session_beats_a_newer_one_and_the_newest_pinned_beats_the_others() {
    let mut sessions = vec![session("a", Some(X), "1"), session("b", Some(X), "9"), session("c", Some(X), "5")];
    sessions[0].pinned = true;
    let found = recover_session(&request(None, Some(X), sessions.clone()));
    assert_eq!((found.outcome, found.session_id.as_deref()), (RecoveryOutcome::Pinned, Some("a")));
    sessions[2].pinned = true;
    let found = recover_session(&request(None, Some(X), sessions));
    assert_eq!(found.session_id.as_deref(), Some("c"));
}

// Covers T-19.
#[test]
fn an_archived_session_is_found_only_by_its_id() {
    let mut sessions = vec![session("old", Some(X), "9"), session("new", Some(X), "1")];
    sessions[0].archived = true;
    sessions[0].pinned = true;
    let found = recover_session(&request(None, Some(X), sessions.clone()));
    assert_eq!(found.session_id.as_deref(), Some("new"));
    assert_eq!(found.candidates, ["new"]);
    let found = recover_session(&request(Some("old"), Some(X), sessions));
    assert_eq!(found.session_id.as_deref(), Some("old"));
}

// Covers T-08, T-21.
#[test]
fn equal_times_keep_their_order_and_unreadable_times_are_oldest() {
    let sessions = vec![session("a", Some(X), "7"), session("b", Some(X), "7"), session("c", Some(X), "\"yesterday\"")];
    let found = recover_session(&request(None, Some(X), sessions));
    assert_eq!(found.candidates, ["a", "b", "c"]);
    let sessions = vec![session("c", Some(X), "null"), session("d", Some(X), "{}"), session("a", Some(X), "-5")];
    let found = recover_session(&request(None, Some(X), sessions));
    assert_eq!(found.candidates, ["a", "c", "d"]);
}

#[test]
fn a_request_reads_from_plain_json() {
    let call = r#"{"recoverSession":{"style":"posix","project":"file:///p","sessions":[{"id":"a","project":"file:///p","updatedAt":1.5,"title":"kept by the host"}]}}"#;
    let found: serde_json::Value = serde_json::from_str(&rootwise::wire::call(call)).unwrap();
    assert_eq!(found["value"]["sessionId"], "a");
}
