//! What is measured: each scenario is made once and then repeated.

use std::hint::black_box;
use std::sync::Arc;

use rootwise::host::HostFacts;
use rootwise::path::PathStyle;
use rootwise::policy::Policy;
use rootwise::wire::{self, PolicyCache};
use rootwise::{Endpoint, Resolver};

use crate::floor;

pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) make: fn() -> Box<dyn FnMut()>,
}

pub(crate) const ALL: &[Scenario] = &[
    Scenario { name: "floor", make: || floor::floor(SESSION, FOLDER) },
    Scenario { name: "session", make: session },
    Scenario { name: "endpoint-session", make: endpoint_session },
    Scenario { name: "endpoint-refresh", make: endpoint_refresh },
    Scenario { name: "endpoint-modern-call", make: endpoint_modern_call },
    Scenario { name: "known-ask", make: known_ask },
    Scenario { name: "argument", make: argument },
    Scenario { name: "nothing-found", make: nothing_found },
    Scenario { name: "roots-256", make: roots_256 },
    Scenario { name: "raw-messages", make: raw_messages },
    Scenario { name: "snapshot-and-restore", make: snapshot_and_restore },
    Scenario { name: "policy", make: policy },
    Scenario { name: "file-uri-to-path", make: file_uri_to_path },
];

pub(crate) fn named(name: &str) -> Box<dyn FnMut()> {
    let scenario = ALL.iter().find(|scenario| scenario.name == name);
    (scenario.unwrap_or_else(|| panic!("no scenario {name}")).make)()
}

/// The folder that is the project.
const FOLDER: &str = "file:///home/me/project";

/// A whole session of one connection: the handshake, an ask, three roots, the disk.
const SESSION: &[&str] = &[
    r#"{"type":"clientInitialized","protocolVersion":"2025-11-25","capabilities":{"roots":{"listChanged":true}},"clientInfo":{"name":"bench","version":"1"}}"#,
    r#"{"type":"clientReady"}"#,
    r#"{"type":"asked","ask":1}"#,
    r#"{"type":"rootsListed","request":1,"result":{"roots":[{"uri":"file:///home/me/project","name":"project"},{"uri":"file:///home/me/two","name":"two"},{"uri":"file:///home/me/three","name":"three"}]}}"#,
    r#"{"type":"probed","probe":1,"paths":[{"path":"/home/me/project","found":"directory"},{"path":"/home/me/two","found":"directory"},{"path":"/home/me/three","found":"directory"}]}"#,
];

/// The same with an endpoint.
const ENDPOINT_SESSION: &[&str] = &[
    r#"{"type":"sessionOpened","session":1,"transport":"stdio"}"#,
    r#"{"type":"clientInitialized","session":1,"protocolVersion":"2025-11-25","capabilities":{"roots":{"listChanged":true}},"clientInfo":{"name":"bench","version":"1"}}"#,
    r#"{"type":"clientReady","session":1}"#,
    r#"{"type":"callStarted","call":1,"session":1}"#,
    r#"{"type":"asked","ask":1,"call":1}"#,
    r#"{"type":"requestAnswered","request":1,"result":{"roots":[{"uri":"file:///home/me/project","name":"project"},{"uri":"file:///home/me/two","name":"two"},{"uri":"file:///home/me/three","name":"three"}]}}"#,
    r#"{"type":"probed","probe":1,"paths":[{"path":"/home/me/project","found":"directory"},{"path":"/home/me/two","found":"directory"},{"path":"/home/me/three","found":"directory"}]}"#,
    r#"{"type":"callEnded","call":1}"#,
];

fn given() -> (Arc<Policy>, Arc<HostFacts>) {
    (Arc::new(Policy::recommended()), Arc::new(HostFacts::new(PathStyle::Posix)))
}

/// A resolver that has processed these events.
fn resolver(events: &[&str]) -> Resolver {
    let (policy, host) = given();
    let mut resolver = Resolver::new(policy, host).unwrap();
    for event in events {
        black_box(wire::handle_json(&mut resolver, event, 0.0));
    }
    resolver
}

fn settled() -> Resolver {
    let resolver = resolver(SESSION);
    assert_eq!(resolver.project().and_then(|project| project.path.as_deref()), Some("/home/me/project"));
    resolver
}

fn endpoint(events: &[&str]) -> Endpoint {
    let (policy, host) = given();
    let mut endpoint = Endpoint::new(policy, &host).unwrap();
    for event in events {
        let output = wire::handle_endpoint_json(&mut endpoint, event, 0.0);
        assert!(!output.contains(r#""error""#), "{event}: {output}");
        black_box(output);
    }
    endpoint
}

fn session() -> Box<dyn FnMut()> {
    settled();
    let (policy, host) = given();
    Box::new(move || {
        let mut resolver = Resolver::new(policy.clone(), host.clone()).unwrap();
        for event in SESSION {
            black_box(wire::handle_json(&mut resolver, black_box(event), 0.0));
        }
    })
}

fn endpoint_session() -> Box<dyn FnMut()> {
    let checked = endpoint(ENDPOINT_SESSION);
    assert_eq!(checked.project(1).and_then(|project| project.path.as_deref()), Some("/home/me/project"));
    let (policy, host) = given();
    Box::new(move || {
        let mut endpoint = Endpoint::new(policy.clone(), &host).unwrap();
        for event in ENDPOINT_SESSION {
            black_box(wire::handle_endpoint_json(&mut endpoint, black_box(event), 0.0));
        }
    })
}

/// A call that asks the client and the disk again, because what is known is older than the policy allows.
fn endpoint_refresh() -> Box<dyn FnMut()> {
    let mut endpoint = endpoint(ENDPOINT_SESSION);
    let mut number = 1_u32;
    Box::new(move || {
        number += 1;
        let now = f64::from(number) * 10_000.0;
        let paths = r#"[{"path":"/home/me/project","found":"directory"},{"path":"/home/me/two","found":"directory"},{"path":"/home/me/three","found":"directory"}]"#;
        let roots = r#"{"roots":[{"uri":"file:///home/me/project","name":"project"},{"uri":"file:///home/me/two","name":"two"},{"uri":"file:///home/me/three","name":"three"}]}"#;
        let events = [
            format!(r#"{{"type":"callStarted","call":{number},"session":1}}"#),
            format!(r#"{{"type":"asked","ask":{number},"call":{number}}}"#),
            format!(r#"{{"type":"requestAnswered","request":{number},"result":{roots}}}"#),
            format!(r#"{{"type":"probed","probe":{number},"paths":{paths}}}"#),
        ];
        let mut answers = 0;
        for event in events {
            let output = wire::handle_endpoint_json(&mut endpoint, &event, now);
            answers += usize::from(output.contains(r#""type":"answer""#));
        }
        assert_eq!(answers, 1, "call {number}");
        let ended = format!(r#"{{"type":"callEnded","call":{number}}}"#);
        black_box(wire::handle_endpoint_json(&mut endpoint, &ended, now));
    })
}

/// A call of 2026-07-28 that comes again with its roots.
fn endpoint_modern_call() -> Box<dyn FnMut()> {
    let mut endpoint = endpoint(&[]);
    let mut number = 0_u32;
    Box::new(move || {
        number += 1;
        let client =
            r#""protocolVersion":"2026-07-28","capabilities":{"roots":{}},"clientInfo":{"name":"bench","version":"1"}"#;
        let responses = r#""inputResponses":{"rootwise":{"roots":[{"uri":"file:///home/me/project"}]}}"#;
        let events = [
            format!(r#"{{"type":"callStarted","call":{number},"transport":"http","local":true,{client},{responses}}}"#),
            format!(r#"{{"type":"asked","ask":{number},"call":{number}}}"#),
            format!(
                r#"{{"type":"probed","probe":{number},"paths":[{{"path":"/home/me/project","found":"directory"}}]}}"#
            ),
            format!(r#"{{"type":"callEnded","call":{number}}}"#),
        ];
        for event in events {
            let output = wire::handle_endpoint_json(&mut endpoint, &event, 0.0);
            assert!(!output.contains(r#""error""#), "{event}: {output}");
            black_box(output);
        }
    })
}

fn known_ask() -> Box<dyn FnMut()> {
    let mut resolver = settled();
    Box::new(move || {
        black_box(wire::handle_json(&mut resolver, black_box(r#"{"type":"asked","ask":2}"#), 100.0));
    })
}

fn argument() -> Box<dyn FnMut()> {
    let mut resolver = settled();
    let mut probe = 1_u32;
    Box::new(move || {
        probe += 1;
        let asked = r#"{"type":"asked","ask":2,"facts":{"argument":"/home/me/two"}}"#;
        black_box(wire::handle_json(&mut resolver, asked, 100.0));
        let probed =
            format!(r#"{{"type":"probed","probe":{probe},"paths":[{{"path":"/home/me/two","found":"directory"}}]}}"#);
        black_box(wire::handle_json(&mut resolver, &probed, 100.0));
    })
}

fn nothing_found() -> Box<dyn FnMut()> {
    let mut resolver = resolver(&[r#"{"type":"clientInitialized","capabilities":{}}"#, r#"{"type":"clientReady"}"#]);
    Box::new(move || {
        let asked = r#"{"type":"asked","ask":2,"explain":true}"#;
        black_box(wire::handle_json(&mut resolver, asked, 100.0));
    })
}

fn roots_256() -> Box<dyn FnMut()> {
    let mut resolver = settled();
    let roots: Vec<String> = (0..256).map(|n| format!(r#"{{"uri":"file:///home/me/project-{n}"}}"#)).collect();
    let listed = format!(r#"{{"type":"rootsListed","result":{{"roots":[{}]}}}}"#, roots.join(","));
    Box::new(move || {
        black_box(wire::handle_json(&mut resolver, &listed, 100.0));
    })
}

/// Messages that a host without an SDK passes on as they are.
fn raw_messages() -> Box<dyn FnMut()> {
    let mut resolver = settled();
    let call = r#"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"read\",\"arguments\":{\"path\":\"src/main.rs\"}}}"#;
    let message = format!(r#"{{"type":"message","text":"{call}"}}"#);
    Box::new(move || {
        black_box(wire::handle_json(&mut resolver, &message, 100.0));
    })
}

fn snapshot_and_restore() -> Box<dyn FnMut()> {
    let resolver = settled();
    let mut policies = PolicyCache::new();
    Box::new(move || {
        let restored = policies.restore(&resolver.snapshot(), r#"{"host":{"style":"posix"}}"#, 0.0, None);
        black_box(restored.map_err(|failure| failure.to_json()).unwrap());
    })
}

fn policy() -> Box<dyn FnMut()> {
    let text = serde_json::to_string(Policy::recommended().config()).unwrap();
    Box::new(move || {
        black_box(Policy::from_json(&text).unwrap());
    })
}

fn file_uri_to_path() -> Box<dyn FnMut()> {
    // One of the functions that need no machine.
    let call = r#"{"fileUriToPath":{"uri":"file:///c%3A/Users/me/my%20project","style":"windows"}}"#;
    Box::new(move || {
        black_box(wire::call(black_box(call)));
    })
}
