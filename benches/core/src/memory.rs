//! The memory of connections that are idle: their project is known, and nothing is asked.

use std::fs::read_to_string;

use rootwise::{Endpoint, HostFacts, PathStyle, Policy, wire};
use serde_json::json;

/// Opens this many connections at once, then opens and closes ten times as many, and prints the bytes of each and the memory after
/// each tenth.
pub(crate) fn measure(connections: u32) {
    let mut endpoint = Endpoint::new(Policy::recommended(), &HostFacts::new(PathStyle::Posix)).unwrap();
    let mut requests = 0;
    let mut probes = 0;
    let mut open = |endpoint: &mut Endpoint, session: u32| {
        requests += 1;
        probes += 1;
        open(endpoint, session, requests, probes);
    };
    open(&mut endpoint, 1);
    let before = resident();
    for session in 2..connections + 2 {
        open(&mut endpoint, session);
    }
    let each = resident().saturating_sub(before) / u64::from(connections);
    let mut after = Vec::new();
    let mut first = 1;
    for _ in 0..10 {
        for _ in 0..connections {
            close(&mut endpoint, first);
            open(&mut endpoint, first + connections + 1);
            first += 1;
        }
        after.push(resident());
    }
    println!("{}", json!({ "connections": connections, "bytesEach": each, "resident": after }));
}

fn open(endpoint: &mut Endpoint, session: u32, request: u32, probe: u32) {
    let roots = r#"{"roots":[{"uri":"file:///home/me/project","name":"project"}]}"#;
    let events = [
        format!(r#"{{"type":"sessionOpened","session":{session},"transport":"stdio"}}"#),
        format!(
            r#"{{"type":"clientInitialized","session":{session},"protocolVersion":"2025-11-25","capabilities":{{"roots":{{"listChanged":true}}}},"clientInfo":{{"name":"bench","version":"1"}}}}"#
        ),
        format!(r#"{{"type":"clientReady","session":{session}}}"#),
        format!(r#"{{"type":"asked","ask":1,"session":{session}}}"#),
        format!(r#"{{"type":"requestAnswered","request":{request},"result":{roots}}}"#),
        format!(r#"{{"type":"probed","probe":{probe},"paths":[{{"path":"/home/me/project","found":"directory"}}]}}"#),
    ];
    for event in events {
        wire::handle_endpoint(endpoint, &event, 0.0).unwrap();
    }
    assert!(endpoint.project(session).is_some(), "the project of session {session} is not known");
}

fn close(endpoint: &mut Endpoint, session: u32) {
    let event = format!(r#"{{"type":"sessionClosed","session":{session}}}"#);
    wire::handle_endpoint(endpoint, &event, 0.0).unwrap();
}

/// The memory of this process, in bytes.
fn resident() -> u64 {
    let status = read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
}
