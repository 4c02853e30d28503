//! The driver without a runtime, on threads.
#![allow(missing_docs, clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::sync::mpsc;
use std::sync::{Arc, Mutex};

use rootwise::event::Asked;
use rootwise::{HostFacts, PathStyle, Policy};
use rootwise_host::blocking::Connection;
use serde_json::{Value, json};

fn connect(policy: Policy) -> (Arc<Connection>, mpsc::Receiver<Value>) {
    let (sent, received) = mpsc::channel();
    let sent = Mutex::new(sent);
    let mut host = HostFacts::new(PathStyle::Posix);
    host.env.insert("CLAUDE_PROJECT_DIR".into(), "/usr".into());
    let write = move |line: &str| sent.lock().unwrap().send(serde_json::from_str(line).unwrap()).unwrap();
    let connection = Arc::new(Connection::new(policy, host, write, |_| {}).unwrap());
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": { "roots": {} } });
    let lines = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
    ];
    for line in lines {
        assert_eq!(connection.message(&line.to_string()).unwrap().len(), 1);
    }
    (connection, received)
}

#[test]
fn threads_wait_for_the_answer_that_another_reads() {
    let (connection, received) = connect(Policy::recommended());
    let asking = [1, 2].map(|_| {
        let connection = connection.clone();
        std::thread::spawn(move || connection.ask(Asked::default()).unwrap().path.clone().unwrap())
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
    config.timing.wait_ms = 20;
    let (connection, received) = connect(Policy::try_from(config).unwrap());
    assert_eq!(connection.ask(Asked::default()).unwrap().path.as_deref(), Some("/usr"));
    assert_eq!(received.recv().unwrap().get("method").and_then(Value::as_str), Some("roots/list"));
    assert_eq!(connection.project().unwrap().path.as_deref(), Some("/usr"));
}

#[test]
fn a_closed_connection_says_so() {
    let (connection, _received) = connect(Policy::recommended());
    connection.feed(rootwise::Event::Closed).unwrap();
    assert_eq!(connection.ask(Asked::default()).unwrap_err().code(), "closed");
}
