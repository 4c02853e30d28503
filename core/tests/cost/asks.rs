//! Many asks that wait, however they came to know what they know.

use rootwise::host::HostFacts;
use rootwise::path::PathStyle;
use rootwise::policy::{Policy, PolicyConfig};
use serde_json::json;

use super::{Measured, SIZES, invalid, plain, roots, valid};

/// A server that allows one folder, and a configured project in it that is missing.
fn confined(change: impl Fn(&mut PolicyConfig)) -> Measured {
    let mut policy = Policy::recommended().into_config();
    change(&mut policy);
    let mut host = HostFacts::new(PathStyle::Posix);
    host.allowed_dirs = Some(vec!["/home/me".to_owned()]);
    host.arguments.insert("project".into(), "/home/me/configured".into());
    Measured::connected(Policy::try_from(policy).unwrap(), host)
}

/// Asks, each of which gets its own reply on the configured project before it waits for the roots.
fn ask_one_by_one(measured: &mut Measured, asks: usize) {
    for id in 0..asks {
        measured.ask(id, json!({}));
        while let Some(at) = measured.probes.iter().position(|probe| probe["paths"][0]["path"] == "/home/me/configured")
        {
            let probe = measured.probes.remove(at);
            measured.reply(&probe, "missing");
        }
    }
}

#[test]
fn a_reply_for_asks_that_got_equal_replies_before() {
    for each in SIZES {
        let mut measured = confined(|_| {});
        let list = &roots(each, valid)[..8];
        measured.event(&json!({ "type": "rootsListed", "result": { "roots": list } }));
        measured.event(&json!({ "type": "rootsChanged" }));
        ask_one_by_one(&mut measured, 1024);
        assert_eq!(measured.waiting, 1024, "all wait for the roots");
        assert_eq!(measured.list(list, "missing"), 1024);
    }
}

#[test]
fn an_event_that_ends_asks_that_got_equal_replies_before() {
    for end in [
        json!({ "type": "rootsListed", "request": 1, "result": { "roots": [] } }),
        json!({ "type": "requestRefused", "request": 1, "kind": "error", "code": -32601 }),
        json!({ "type": "deadlineReached" }),
        json!({ "type": "clientInitialized" }),
        json!({ "type": "closed" }),
    ] {
        let mut measured = confined(|_| {});
        ask_one_by_one(&mut measured, 1024);
        assert_eq!(measured.waiting, 1024, "all wait for the roots");
        measured.now = 5000.0;
        assert_eq!(measured.event(&end), 1024, "{end}");
    }
}

#[test]
fn asks_that_got_equal_replies_in_another_order() {
    let mut measured = confined(|policy| policy.limits.probe_paths = 1);
    let mut host = (**measured.resolver.host()).clone();
    host.env.insert("ROOTWISE_PROJECT".into(), "/home/me/variable".into());
    measured.event(&json!({ "type": "hostFactsChanged", "facts": host }));
    for pair in 0..512 {
        measured.ask(2 * pair, json!({}));
        let first = measured.probes.pop().unwrap();
        measured.reply(&first, "missing");
        // The second ask waits for the second reply to the first one, and gets its own first reply later.
        measured.ask(2 * pair + 1, json!({}));
        while let Some(probe) = measured.probes.pop() {
            assert_ne!(probe["probe"], first["probe"]);
            measured.reply(&probe, "missing");
        }
    }
    assert_eq!(measured.waiting, 1024, "all wait for the roots");
    let refused = json!({ "type": "requestRefused", "request": 1, "kind": "error", "code": -32601 });
    assert_eq!(measured.event(&refused), 1024);
}

#[test]
fn asks_that_differ_in_many_ways() {
    for kinds in [65, 200] {
        let ask = |at: usize| json!({ "target": format!("/home/me/{:05}/file", at % kinds), "explain": true });
        assert_eq!(Measured::new("recommended", 1024, ask).list(&roots(400, invalid), "missing"), 1024);
    }
}

#[test]
fn asks_with_long_values() {
    let long = |at: usize, kind: &str| format!("/home/me/{at}/{kind}/{}", "d/".repeat(3900));
    let facts = |at| {
        json!({
            "server": long(at, "host"),
            "argument": long(at, "argument"),
            "headers": { "x-project-path": long(at, "header") },
            "query": { "project_path": long(at, "query") },
            "meta": { "agent-working-dir": long(at, "meta"), "IJ_MCP_SERVER_PROJECT_PATH": long(at, "editor") },
        })
    };
    let ask = |at: usize| json!({ "target": long(at, "target"), "explain": true, "facts": facts(at) });
    for found in ["directory", "missing"] {
        let mut measured = Measured::new("recommended", 12, ask);
        assert_eq!(measured.waiting, 12, "all wait for a disk check");
        // The client is asked for its roots only after the host has replied.
        measured.list(&roots(400, valid), found);
        measured.list(&roots(400, valid), found);
        assert_eq!(measured.waiting, 0);
    }
}

#[test]
fn a_small_event_while_a_thousand_asks_wait() {
    for event in [
        json!({ "type": "rootsChanged" }),
        json!({ "type": "askWithdrawn", "ask": 5 }),
        json!({ "type": "message", "text": "{}" }),
        json!({ "type": "hostFactsChanged", "facts": { "style": "posix" } }),
        json!({ "type": "selected", "ask": 5000, "by": { "path": "/p" } }),
        json!({ "type": "selectionCleared", "ask": 5000 }),
        json!({ "type": "requestRefused", "request": 1, "kind": "abandoned" }),
        json!({ "type": "deadlineReached" }),
    ] {
        let mut measured = Measured::new("recommended", 1024, plain);
        measured.event(&event);
    }
    let mut measured = Measured::new("recommended", 1024, plain);
    assert_eq!(measured.list(&roots(40, valid)[..1], "directory"), 1024);
}
