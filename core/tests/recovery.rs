//! Finding a project's session again (requirements T-01 to T-21).
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test may fail loudly")]

use rootwise::path::PathStyle;
use rootwise::session::{ProjectRef, RecoverRequest, Recovery, RecoveryOutcome, SessionRecord, TimeProblem};
use serde_json::{Value, json};

fn session(id: &str, project: Option<&str>, updated_at: &str) -> SessionRecord {
    let updated_at: Value = serde_json::from_str(updated_at).unwrap();
    undated(id, project).updated_at(updated_at)
}

fn undated(id: &str, project: Option<&str>) -> SessionRecord {
    let session = SessionRecord::new(id);
    match project {
        Some(project) => session.project(project),
        None => session,
    }
}

fn request(session_id: Option<&str>, project: Option<&str>, sessions: Vec<SessionRecord>) -> RecoverRequest {
    let mut request = RecoverRequest::new(sessions);
    request.session_id = session_id.map(Into::into);
    request.project = project.map(Into::into);
    request
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
    let without = undated("c", Some(X));
    let sessions = vec![without.clone(), session("a", Some(X), "-5"), session("b", Some(X), "-4.5")];
    assert_eq!(recover_session(&request(None, Some(X), sessions)).candidates, ["b", "a", "c"]);
    // Nobody knows that it is the newest.
    let found = recover_session(&request(None, Some(X), vec![without]));
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
fn a_time_that_cannot_be_read_is_reported_and_ranks_with_no_time() {
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
        let sessions = vec![
            undated("none", Some(X)),
            session("bad", Some(X), time),
            session("old", Some(X), "\"1970-01-01\""),
            session("new", Some(X), "\"2026-01-01\""),
        ];
        let found = recover_session(&request(None, Some(X), sessions.clone()));
        assert_eq!((found.outcome, found.session_id.as_deref()), (RecoveryOutcome::Newest, Some("new")), "{time}");
        assert_eq!(found.candidates, ["new", "old", "none", "bad"]);
        let [problem] = &found.problems[..] else { panic!("{time}: {found:?}") };
        assert_eq!((problem.session_id.as_str(), problem.code), ("bad", TimeProblem::Unreadable));
        assert!(problem.message.contains("ISO 8601"), "{}", problem.message);

        let explicit = recover_session(&request(Some("old"), Some(X), sessions.clone()));
        assert_eq!((explicit.outcome, explicit.session_id.as_deref()), (RecoveryOutcome::Explicit, Some("old")));
        // Nobody can say that it is too old, either.
        let kept = recover_session(&request(None, Some(X), sessions.clone()).archived_before("2025-01-01"));
        assert_eq!(kept.candidates, ["new", "none", "bad"]);
        // Sessions of other projects are not compared.
        let elsewhere = recover_session(&request(None, Some(Y), sessions));
        assert_eq!((elsewhere.outcome, elsewhere.problems), (RecoveryOutcome::NoSession, Vec::new()));
    }
    let undated = recover_session(&request(None, Some(X), vec![session("a", Some(X), "\"soon\"")]));
    assert_eq!((undated.outcome, undated.session_id.as_deref()), (RecoveryOutcome::Undated, Some("a")));
}

// Covers T-08.
#[test]
fn numbers_among_texts_cannot_be_compared_and_are_reported() {
    let sessions = vec![
        session("number", Some(X), "1"),
        session("text", Some(X), "\"2026-01-01\""),
        session("later", Some(X), "\"2026-01-02\""),
        session("elsewhere", Some(Y), "3"),
    ];
    let problems = |found: &Recovery| -> Vec<(String, TimeProblem)> {
        found.problems.iter().map(|problem| (problem.session_id.clone(), problem.code)).collect()
    };
    let found = recover_session(&request(None, Some(X), sessions.clone()));
    assert_eq!(found.candidates, ["later", "text", "number"]);
    assert_eq!(problems(&found), [("number".into(), TimeProblem::NotComparable)]);
    let explicit = recover_session(&request(Some("number"), Some(X), sessions.clone()));
    assert_eq!((explicit.outcome, explicit.session_id.as_deref()), (RecoveryOutcome::Explicit, Some("number")));
    let elsewhere = recover_session(&request(None, Some(Y), sessions.clone()));
    assert_eq!((elsewhere.outcome, elsewhere.problems), (RecoveryOutcome::Newest, Vec::new()));
    // The caller says how its store writes times.
    let found = recover_session(&request(None, Some(X), sessions).archived_before(0));
    assert_eq!(found.candidates, ["number", "text", "later"]);
    let others = ["text", "later"].map(|id| (id.into(), TimeProblem::NotComparable));
    assert_eq!(problems(&found), others);
}

#[test]
fn a_time_of_archiving_that_cannot_be_read_is_refused() {
    let call = r#"{"recoverSession":{"archivedBefore":"soon","sessions":[]}}"#;
    let refused: Value = serde_json::from_str(&rootwise::wire::call(call)).unwrap();
    assert_eq!(refused["error"]["code"], "bad_options");
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("archivedBefore") && message.contains("ISO 8601"), "{message}");
}

// Covers T-19.
#[test]
fn old_sessions_are_archived_by_themselves_unless_they_are_pinned() {
    let sessions = vec![session("old", Some(X), "10"), session("new", Some(X), "20")];
    let since = |time: i64, sessions: &[SessionRecord]| {
        recover_session(&request(None, Some(X), sessions.to_vec()).archived_before(time))
    };
    assert_eq!(since(10, &sessions).candidates, ["new", "old"]);
    assert_eq!(since(11, &sessions).candidates, ["new"]);
    assert_eq!(since(21, &sessions).outcome, RecoveryOutcome::NoSession);
    let pinned = sessions[0].clone().pinned(true);
    assert_eq!(since(21, &[pinned]).outcome, RecoveryOutcome::Pinned);
}

// Covers T-19.
#[test]
fn a_session_that_is_linked_to_another_root_is_found_there_too() {
    let linked = session("a", Some(X), "1").linked_to("/Users/dev/other/");
    for root in [X, Y] {
        let found = recover_session(&request(None, Some(root), vec![linked.clone()]));
        assert_eq!((found.session_id.as_deref(), found.other_project), (Some("a"), false), "{root}");
    }
    let found = recover_session(&request(None, Some("/elsewhere"), vec![linked]));
    assert_eq!(found.outcome, RecoveryOutcome::NoSession);
}

#[test]
fn a_request_reads_from_plain_json() {
    let call = r#"{"recoverSession":{"project":"file:///p","sessions":[{"id":"a","project":"file:///p","updatedAt":1.5,"title":"kept by the host"}]}}"#;
    let found: Value = serde_json::from_str(&rootwise::wire::call(call)).unwrap();
    assert_eq!(found["value"]["sessionId"], "a");
}

const WINDOWS: [&str; 4] =
    ["file:///c%3A/Users/dev/p", "file:///C:/Users/dev/p/", r"c:\users\DEV\p", r"C:\USERS\DEV\P"];

// Covers T-07, T-20.
#[test]
fn a_windows_project_is_found_on_any_server_by_every_spelling_and_by_its_key() {
    for asked in WINDOWS {
        for stored in WINDOWS {
            let found = recover_session(&request(None, Some(asked), vec![session("a", Some(stored), "1")]));
            assert_eq!(found.session_id.as_deref(), Some("a"), "{asked} and {stored}");
            let other = session("a", Some(Y), "1");
            let linked = other.linked_to(stored);
            assert!(!recover_session(&request(Some("a"), Some(asked), vec![linked])).other_project);
        }
    }
}

/// The project that a server of one system sees for a client whose root is this URI.
fn project_of(root: &str, style: PathStyle, local: bool) -> rootwise::Project {
    let policy = json!({ "name": "test", "requirePath": false, "sources": [{ "from": "roots", "verify": "none" }] });
    let host = json!({ "style": style, "transport": "http", "local": local, "push": true });
    let mut resolver = rootwise::wire::open(&json!({ "policy": policy, "host": host }).to_string()).unwrap();
    let listed = json!({ "type": "rootsListed", "result": { "roots": [{ "uri": root }] } });
    rootwise::wire::handle_json(&mut resolver, &listed.to_string(), 0.0);
    let asked = json!({ "type": "asked", "ask": 1, "askVia": "none" });
    let output: Value =
        serde_json::from_str(&rootwise::wire::handle_json(&mut resolver, &asked.to_string(), 0.0)).unwrap();
    serde_json::from_value(output["actions"][0]["project"].clone()).unwrap_or_else(|_| panic!("{root}: {output}"))
}

// Covers T-02, T-07.
#[test]
fn a_project_of_every_client_and_server_finds_its_session_as_an_object_and_by_its_key() {
    let (posix, windows) = (PathStyle::Posix, PathStyle::Windows);
    for (root, server, local, style) in [
        ("file:///c%3A/Users/dev/p", posix, false, windows),
        ("file:///C:/Users/dev/p", windows, true, windows),
        ("file:///home/dev/p", posix, true, posix),
        ("file:///home/dev/p", windows, false, posix),
        // On a POSIX machine a folder may be called `C:`.
        ("file:///C:/dev/p", posix, true, posix),
    ] {
        let project = project_of(root, server, local);
        assert_eq!(project.style, Some(style), "{root}");
        for asked in [ProjectRef::from(&project), ProjectRef::from(project.key.as_str())] {
            for stored in [ProjectRef::from(&project), project.key.as_str().into(), root.into()] {
                let record = session("a", None, "1").project(stored.clone());
                let found = recover_session(&RecoverRequest::new(vec![record]).project(asked.clone()));
                assert_eq!(found.session_id.as_deref(), Some("a"), "{asked:?} and {stored:?}");
            }
        }
    }
}

#[test]
fn a_project_of_the_wire_is_taken_as_it_is() {
    let project = project_of("file:///c%3A/Users/dev/p", PathStyle::Posix, false);
    let session = json!({ "id": "a", "project": project, "updatedAt": 1 });
    let call = json!({ "recoverSession": { "project": project, "sessions": [session] } });
    let found: Value = serde_json::from_str(&rootwise::wire::call(&call.to_string())).unwrap();
    assert_eq!(found["value"]["sessionId"], "a", "{found}");
    for junk in [json!(5), json!({ "name": "p" }), json!(["/p"])] {
        let call = json!({ "recoverSession": { "project": junk, "sessions": [] } });
        let refused: Value = serde_json::from_str(&rootwise::wire::call(&call.to_string())).unwrap();
        let message = refused["error"]["message"].as_str().unwrap();
        assert!(message.contains("recoverSession.project") && message.contains("its key"), "{message}");
    }
}

// Covers T-02, T-11.
#[test]
fn a_blank_project_is_no_project() {
    for blank in ["", " ", "\t\n"] {
        for asked in [ProjectRef::from(blank), ProjectRef::Project { key: blank.into(), style: None }] {
            let record = session("a", Some(blank), "1").linked_to(blank);
            let found = recover_session(&RecoverRequest::new(vec![record.clone()]).project(asked));
            assert_eq!((found.outcome, found.candidates), (RecoveryOutcome::NoProject, Vec::new()), "{blank:?}");
            let explicit = recover_session(&request(Some("a"), Some(X), vec![record]));
            assert!(!explicit.other_project, "it was started in no project");
        }
    }
}
