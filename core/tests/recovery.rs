//! Finding a project's session again (requirements T-01 to T-21).
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]

use rootwise::path::PathStyle;
use rootwise::session::{RecoverRequest, Recovery, RecoveryOutcome, SessionRecord, Timestamp};

fn session(id: &str, project: Option<&str>, updated_at: &str) -> SessionRecord {
    SessionRecord {
        id: id.into(),
        project: project.map(Into::into),
        linked_projects: Vec::new(),
        updated_at: Some(serde_json::from_str(updated_at).unwrap()),
        pinned: false,
        archived: false,
    }
}

fn request(session_id: Option<&str>, project: Option<&str>, sessions: Vec<SessionRecord>) -> RecoverRequest {
    RecoverRequest {
        style: PathStyle::Posix,
        session_id: session_id.map(Into::into),
        project: project.map(Into::into),
        archived_before: None,
        sessions,
    }
}

fn recover_session(request: &RecoverRequest) -> Recovery {
    rootwise::session::recover_session(request).unwrap()
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
fn equal_times_keep_their_order_and_sessions_without_a_time_come_last() {
    let sessions = vec![session("a", Some(X), "7"), session("b", Some(X), "7"), session("c", Some(X), "7.5")];
    assert_eq!(recover_session(&request(None, Some(X), sessions)).candidates, ["c", "a", "b"]);
    let undated = SessionRecord { updated_at: None, ..session("c", Some(X), "0") };
    let sessions = vec![undated.clone(), session("a", Some(X), "-5"), session("b", Some(X), "-4.5")];
    assert_eq!(recover_session(&request(None, Some(X), sessions)).candidates, ["b", "a", "c"]);
    // Nobody knows that it is the newest.
    let found = recover_session(&request(None, Some(X), vec![undated]));
    assert_eq!((found.outcome, found.session_id.as_deref()), (RecoveryOutcome::Undated, Some("c")));
}

// Covers T-08.
#[test]
fn times_are_compared_as_points_in_time_whatever_their_spelling() {
    let spellings = [
        "2025-12-31",
        "2026-01-31T09:00Z",
        "2026-01-31T09:00:00.001+00:00",
        "2026-01-31 10:30:00,5+01:30",
        "2026-01-31T09:00:00.5000001",
        "2026-01-31T08:00:01-01",
        "2026-03-01t00:00:00.1z",
        "2028-02-29T00:00:00Z",
    ];
    for later in 1..spellings.len() {
        let (old, new) = (spellings[later - 1], spellings[later]);
        let sessions =
            vec![session("old", Some(X), &format!("\"{old}\"")), session("new", Some(X), &format!("\"{new}\""))];
        let found = recover_session(&request(None, Some(X), sessions));
        assert_eq!(found.session_id.as_deref(), Some("new"), "{old} before {new}");
        assert_eq!(found.outcome, RecoveryOutcome::Newest);
    }
}

// Covers T-08.
#[test]
fn a_time_that_cannot_be_read_is_refused_with_its_place() {
    for time in [
        "\"yesterday\"",
        "\"\"",
        "{}",
        "true",
        "\"2026-02-29\"",
        "\"2026-13-01\"",
        "\"2026-01-01T24:00\"",
        "\"2026-01-01T10:00:00+9\"",
        "\"2026-01-01T10:00:00.Z\"",
        "\"2026-1-1\"",
    ] {
        let call = format!(
            r#"{{"recoverSession":{{"style":"posix","sessions":[{{"id":"a"}},{{"id":"b","updatedAt":{time}}}]}}}}"#
        );
        let refused = rootwise::wire::call(&call);
        assert!(refused.contains("bad_options") && refused.contains("sessions[1].updatedAt"), "{time}: {refused}");
        assert!(refused.contains("ISO 8601"), "{refused}");
    }
    let mixed = vec![session("a", Some(X), "1"), session("b", Some(X), "\"2026-01-01\"")];
    let refused = rootwise::session::recover_session(&request(None, Some(X), mixed)).unwrap_err();
    assert!(refused.to_string().contains("one way"), "{refused}");
}

// Covers T-19.
#[test]
fn old_sessions_are_archived_by_themselves_unless_they_are_pinned() {
    let sessions = vec![session("old", Some(X), "10"), session("new", Some(X), "20")];
    let since = |time: i64, sessions: &[SessionRecord]| {
        let archived_before = Some(Timestamp::from(time));
        recover_session(&RecoverRequest { archived_before, ..request(None, Some(X), sessions.to_vec()) })
    };
    assert_eq!(since(10, &sessions).candidates, ["new", "old"]);
    assert_eq!(since(11, &sessions).candidates, ["new"]);
    assert_eq!(since(21, &sessions).outcome, RecoveryOutcome::NoSession);
    let pinned = SessionRecord { pinned: true, ..sessions[0].clone() };
    assert_eq!(since(21, &[pinned]).outcome, RecoveryOutcome::Pinned);
}

// Covers T-19.
#[test]
fn a_session_that_is_linked_to_another_root_is_found_there_too() {
    let linked = SessionRecord { linked_projects: vec!["/Users/dev/other/".into()], ..session("a", Some(X), "1") };
    for root in [X, Y] {
        let found = recover_session(&request(None, Some(root), vec![linked.clone()]));
        assert_eq!((found.session_id.as_deref(), found.other_project), (Some("a"), false), "{root}");
    }
    let found = recover_session(&request(None, Some("/elsewhere"), vec![linked]));
    assert_eq!(found.outcome, RecoveryOutcome::NoSession);
}

#[test]
fn a_request_reads_from_plain_json() {
    let call = r#"{"recoverSession":{"style":"posix","project":"file:///p","sessions":[{"id":"a","project":"file:///p","updatedAt":1.5,"title":"kept by the host"}]}}"#;
    let found: serde_json::Value = serde_json::from_str(&rootwise::wire::call(call)).unwrap();
    assert_eq!(found["value"]["sessionId"], "a");
}
