//! Endpoints before an event whose time may grow with what was there before it.

use rootwise::host::HostFacts;
use rootwise::path::PathStyle;
use rootwise::policy::Policy;
use rootwise::{Endpoint, wire};

/// An endpoint before the event, and the text of the event.
type Prepared = (Endpoint, String);

/// One of many sessions asks for its project.
pub(crate) fn sessions(n: usize) -> Prepared {
    let mut endpoint = endpoint("{}");
    for session in 1..=n {
        open(&mut endpoint, session);
    }
    (endpoint, r#"{"type":"asked","ask":1,"session":1}"#.into())
}

/// The client lists its roots, for which many calls wait.
pub(crate) fn calls(n: usize) -> Prepared {
    (waiting("{}", n), r#"{"type":"requestAnswered","request":1,"result":{"roots":[{"uri":"file:///p"}]}}"#.into())
}

/// A session ends while many of its calls wait.
pub(crate) fn closed(n: usize) -> Prepared {
    (waiting("{}", n), r#"{"type":"sessionClosed","session":1}"#.into())
}

/// The client's user answers a form, for which many calls wait.
pub(crate) fn form(n: usize) -> Prepared {
    let mut endpoint = waiting(r#"{"elicit":"ambiguous","roots":{"pick":"only"}}"#, n);
    let roots = r#"{"roots":[{"uri":"file:///p/one","name":"one"},{"uri":"file:///p/two","name":"two"}]}"#;
    let output = feed(&mut endpoint, &format!(r#"{{"type":"requestAnswered","request":1,"result":{roots}}}"#));
    let output = if output.contains(r#""type":"probe""#) {
        let found = r#"[{"path":"/p/one","found":"directory"},{"path":"/p/two","found":"directory"}]"#;
        feed(&mut endpoint, &format!(r#"{{"type":"probed","probe":1,"paths":{found}}}"#))
    } else {
        output
    };
    assert!(output.contains("elicitation/create"), "no form: {output}");
    let content = r#"{"action":"accept","content":{"project":"one"}}"#;
    (endpoint, format!(r#"{{"type":"requestAnswered","request":2,"result":{content}}}"#))
}

/// A call begins, and many callers have a memory each.
pub(crate) fn memories(n: usize) -> Prepared {
    let mut endpoint = endpoint("{}");
    for call in 1..=n {
        feed(&mut endpoint, &call_of(call));
        feed(&mut endpoint, &format!(r#"{{"type":"callEnded","call":{call}}}"#));
    }
    (endpoint, call_of(n + 1))
}

fn call_of(call: usize) -> String {
    format!(
        r#"{{"type":"callStarted","call":{call},"transport":"http","caller":"user {call}","protocolVersion":"2026-07-28","capabilities":{{"roots":{{}}}}}}"#
    )
}

fn endpoint(policy: &str) -> Endpoint {
    let policy = Policy::from_json(policy).unwrap();
    Endpoint::new(policy, &HostFacts::new(PathStyle::Posix)).unwrap()
}

fn open(endpoint: &mut Endpoint, session: usize) {
    let capabilities = r#"{"roots":{},"elicitation":{}}"#;
    for event in [
        format!(r#"{{"type":"sessionOpened","session":{session},"transport":"stdio"}}"#),
        format!(r#"{{"type":"clientInitialized","session":{session},"capabilities":{capabilities}}}"#),
        format!(r#"{{"type":"clientReady","session":{session}}}"#),
    ] {
        feed(endpoint, &event);
    }
}

/// A session whose calls wait for its client.
fn waiting(policy: &str, calls: usize) -> Endpoint {
    let mut endpoint = endpoint(policy);
    open(&mut endpoint, 1);
    for call in 1..=calls {
        feed(&mut endpoint, &format!(r#"{{"type":"callStarted","call":{call},"session":1}}"#));
        feed(&mut endpoint, &format!(r#"{{"type":"asked","ask":{call},"call":{call}}}"#));
    }
    endpoint
}

fn feed(endpoint: &mut Endpoint, event: &str) -> String {
    let output = wire::handle_endpoint_json(endpoint, event, 0.0);
    assert!(!output.contains(r#""error""#), "{event}: {output}");
    output
}
