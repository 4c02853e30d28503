//! The driver without a runtime, on threads.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rootwise::action::RootsState;
use rootwise::endpoint::event::{CallSelected, SessionClosed};
use rootwise::event::SelectBy;
use rootwise::policy::{Pick, SourceKind, Within};
use rootwise::{HostFacts, Outcome, PathStyle, Policy, Reason};
use rootwise_host::Cause;
use rootwise_host::blocking::{Connection, SESSION};
use serde_json::{Value, json};

fn handshake() -> [Value; 2] {
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": { "roots": {} } });
    [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
    ]
}

fn connect(policy: Policy) -> (Arc<Connection>, mpsc::Receiver<Value>) {
    let (sent, received) = mpsc::channel();
    let sent = Mutex::new(sent);
    let mut host = HostFacts::new(PathStyle::Posix);
    host.env.insert("CLAUDE_PROJECT_DIR".into(), "/usr".into());
    let write = move |line: &str| sent.lock().unwrap().send(serde_json::from_str(line).unwrap()).unwrap();
    let connection = Arc::new(Connection::new(policy, &host, write, |_| {}).unwrap());
    for line in handshake() {
        assert_eq!(connection.message(&line.to_string()).unwrap().len(), 1);
    }
    (connection, received)
}

#[test]
fn threads_wait_for_the_answer_that_another_reads() {
    let (connection, received) = connect(Policy::recommended());
    let asking = [1, 2].map(|_| {
        let connection = connection.clone();
        std::thread::spawn(move || connection.ask().unwrap().path.clone().unwrap())
    });
    let request = received.recv().unwrap();
    let answer =
        json!({ "jsonrpc": "2.0", "id": request.get("id"), "result": { "roots": [{ "uri": "file:///usr/share" }] } });
    assert_eq!(connection.message(&answer.to_string()).unwrap().len(), 0);
    assert_eq!(asking.map(|thread| thread.join().unwrap()), ["/usr/share", "/usr/share"]);
    assert!(received.try_recv().is_err());
}

#[test]
fn a_silent_client_ends_the_wait() {
    let mut config = Policy::recommended().into_config();
    config.timing.caller_timeout_ms = 500;
    let (connection, received) = connect(Policy::try_from(config).unwrap());
    assert_eq!(connection.ask().unwrap().path.as_deref(), Some("/usr"));
    assert_eq!(received.recv().unwrap().get("method").and_then(Value::as_str), Some("roots/list"));
    assert_eq!(connection.project().unwrap().path.as_deref(), Some("/usr"));
}

#[test]
fn a_closed_connection_says_so() {
    let (connection, _received) = connect(Policy::recommended());
    connection.feed(SessionClosed::new(SESSION)).unwrap();
    assert_eq!(connection.ask().unwrap_err().reason(), Some(Reason::Closed));
}

#[test]
fn nobody_gets_the_answer_of_a_selection_that_was_dropped() {
    let mut config = Policy::recommended().into_config();
    for source in config.sources.iter_mut().filter(|source| source.from == SourceKind::Selected) {
        source.within = Some(Within::Anywhere);
    }
    let (connection, _received) = connect(Policy::try_from(config).unwrap());
    let selected = |ask: u32| {
        let by = SelectBy::Value("/usr/share".into());
        let mut selected = CallSelected::new(ask, by);
        selected.session = Some(SESSION);
        selected
    };
    for ask in 1..5 {
        connection.feed(selected(ask)).unwrap();
        assert_eq!(connection.ask().unwrap().path.as_deref(), Some("/usr/share"));
    }
    let answer = connection.question(selected(1)).unwrap();
    assert!(matches!(answer.outcome, Outcome::Selected { .. }), "{answer:?}");
}

#[test]
fn a_slow_writer_and_a_log_that_panics_block_nobody() {
    let (release, released) = mpsc::channel::<()>();
    let (writing, is_writing) = mpsc::channel();
    let (released, writing) = (Mutex::new(released), Mutex::new(writing));
    let write = move |_: &str| {
        writing.lock().unwrap().send(()).unwrap();
        // Also ends when the test fails.
        let _ = released.lock().unwrap().recv();
    };
    let mut config = Policy::recommended().into_config();
    config.timing.caller_timeout_ms = 500;
    let host = HostFacts::new(PathStyle::Posix);
    let policy = Policy::try_from(config).unwrap();
    let connection = Arc::new(Connection::new(policy, &host, write, |_| panic!("a log that fails")).unwrap());
    for line in handshake() {
        connection.message(&line.to_string()).unwrap();
    }
    let asking = connection.clone();
    let asking = std::thread::spawn(move || asking.ask().unwrap_err().code());
    is_writing.recv().unwrap();
    let (told, project) = mpsc::channel();
    let looking = connection.clone();
    std::thread::spawn(move || told.send(looking.project()));
    assert_eq!(project.recv_timeout(Duration::from_secs(10)).unwrap(), None);
    assert_eq!(asking.join().unwrap(), "no_project");
    drop(release);
}

/// Answers requests for roots with these folders until the connection is gone.
fn answer_roots(connection: &Arc<Connection>, received: mpsc::Receiver<Value>, roots: Value) {
    let connection = Arc::downgrade(connection);
    std::thread::spawn(move || {
        for request in received {
            let answer = json!({ "jsonrpc": "2.0", "id": request.get("id"), "result": { "roots": roots } });
            let Some(connection) = connection.upgrade() else { return };
            connection.message(&answer.to_string()).unwrap();
        }
    });
}

#[test]
fn roots_are_listed_and_paths_are_checked_against_all_of_them() {
    let (connection, received) = connect(Policy::recommended());
    answer_roots(
        &connection,
        received,
        json!([{ "uri": "file:///usr/share", "name": "share" }, { "uri": "file:///no" }]),
    );
    let roots = connection.roots().unwrap();
    let problems: Vec<_> = roots.roots.iter().map(|view| view.problem).collect();
    assert_eq!((problems, roots.state), (vec![None, Some(Reason::Missing)], RootsState::Ok));
    assert_eq!(connection.ask().unwrap().path.as_deref(), Some("/usr/share"));
    let real = std::path::Path::new("/usr/share").canonicalize().unwrap();
    assert_eq!(connection.resolve("new/file").unwrap(), real.join("new/file"));
    assert_eq!(connection.resolve("/usr/share").unwrap(), real);
    assert_eq!(connection.resolve("/etc").unwrap_err().reason(), Some(Reason::Outside));
    assert_eq!(
        ["/usr/share/x", "../../etc", "/etc"].map(|path| connection.inside(path).unwrap()),
        [true, false, false]
    );
}

#[test]
fn a_client_without_roots_has_no_path_inside_them() {
    let (connection, received) = connect(Policy::recommended());
    answer_roots(&connection, received, json!([]));
    assert_eq!(connection.resolve("/usr").unwrap_err().cause(), &Cause::NoRoots);
    assert!(!connection.inside("/usr").unwrap());
}

#[test]
fn a_project_is_selected_explained_and_removed() {
    let (connection, received) = connect(Policy::recommended());
    answer_roots(&connection, received, json!([{ "uri": "file:///usr/share" }, { "uri": "file:///usr/lib" }]));
    let selection = connection.select(SelectBy::Value("/usr/lib".into())).unwrap();
    assert_eq!(selection.project.path.as_deref(), Some("/usr/lib"));
    assert!(selection.message.contains("lib"), "{}", selection.message);
    assert_eq!(connection.ask().unwrap().path.as_deref(), Some("/usr/lib"));
    let explanation = connection.explain().unwrap();
    assert!(explanation.text.contains("selected"), "{}", explanation.text);
    assert_eq!(connection.select(SelectBy::Value("/etc".into())).unwrap_err().reason(), Some(Reason::NotInRoots));
    assert_eq!(connection.unselect().unwrap().unwrap().path.as_deref(), Some("/usr/share"));
    connection.feed(SessionClosed::new(SESSION)).unwrap();
    let closed = [connection.roots().err(), connection.unselect().err(), connection.explain().err()];
    assert_eq!(closed.map(|error| error.unwrap().reason()), [Some(Reason::Closed); 3]);
}

#[test]
fn a_selection_is_removed_although_nothing_says_which_root_counts_then() {
    let mut config = Policy::recommended().into_config();
    config.roots.pick = Pick::Only;
    let (connection, received) = connect(Policy::try_from(config).unwrap());
    answer_roots(&connection, received, json!([{ "uri": "file:///usr/share" }, { "uri": "file:///usr/lib" }]));
    assert!(connection.select(SelectBy::Value("/usr/lib".into())).is_ok());
    assert_eq!(connection.unselect(), Ok(None));
    assert_eq!(connection.ask().unwrap_err().reason(), Some(Reason::Ambiguous));
}

#[test]
fn a_hint_waits_for_an_ask_that_shows_it() {
    let policy = r#"{ "name": "h", "sources": [{ "from": "env", "read": ["CLAUDE_PROJECT_DIR"] }],
                      "hints": [{ "sources": ["env"], "text": "Tip", "once": true }] }"#;
    let (connection, _received) = connect(Policy::from_json(policy).unwrap());
    assert_eq!(connection.ask().unwrap().path.as_deref(), Some("/usr"));
    for expected in [vec!["Tip"], vec![]] {
        let (project, hints) = connection.project_and_hints().unwrap();
        assert_eq!((project.path.as_deref(), hints), (Some("/usr"), expected.into_iter().map(String::from).collect()));
    }
}
