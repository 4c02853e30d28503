//! `rootwise run` for clients of 2026-07-28, which begin without a handshake, with servers of both eras.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first surprise"
)]

mod support;

use serde_json::{Value, json};
use support::client::{Client, scripted, text_of};
use support::{Folder, ROOTWISE};

fn folder(name: &str) -> Folder {
    Folder::new(&format!("modern-{name}"), &["a/.git", "b/.git", "plain"])
}

/// The parameters of a stateless request.
fn params(mut params: Value, capabilities: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "raw", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    });
    params
}

/// Calls a tool, and answers the question for roots with this folder.
fn called(client: &mut Client, tool: &str, folder: &str) -> Value {
    let asks = client.asks("tools/call", params(json!({ "name": tool, "arguments": {} }), json!({ "roots": {} })));
    assert_eq!(asks["result"]["resultType"], "input_required", "{asks}");
    assert_eq!(asks["result"]["inputRequests"]["rootwise"]["method"], "roots/list");
    let roots = json!({ "roots": [{ "uri": format!("file://{folder}") }] });
    let again = json!({ "name": tool, "arguments": {}, "inputResponses": { "rootwise": roots } });
    client.asks("tools/call", params(again, json!({ "roots": {} })))
}

#[test]
fn a_server_of_an_older_revision_is_translated() {
    let folder = folder("older");
    let (a, log) = (folder.at("a"), folder.at("lines"));
    let mut client = Client::start(&["--tools"], &[], &folder.at("plain"), &[("SCRIPTED_LINES", &log)]);
    let found = client.asks("server/discover", params(json!({}), json!({})));
    let result = &found["result"];
    assert_eq!((&result["resultType"], &result["supportedVersions"]), (&json!("complete"), &json!(["2026-07-28"])));
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "scripted");
    assert!(result["ttlMs"].is_number() && result["cacheScope"].is_string());
    let list = client.asks("tools/list", params(json!({}), json!({})));
    assert_eq!(
        (&list["result"]["resultType"], list["result"]["tools"].as_array().unwrap().len()),
        (&json!("complete"), 4)
    );
    let answer = called(&mut client, "where", &a);
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    let place: Value = serde_json::from_str(&text_of(&answer)).unwrap();
    assert_eq!(place["cwd"], a);
    // The server was never told of a question that it did not ask, nor of a revision that it does not know.
    let lines = std::fs::read_to_string(log).unwrap();
    let call = lines.lines().find(|line| line.contains("tools/call")).unwrap();
    assert!(!call.contains("inputResponses") && !call.contains("2026-07-28"), "{call}");
    let listening = client.asks("subscriptions/listen", params(json!({}), json!({})));
    assert_eq!(listening["error"]["code"], -32601);
}

#[test]
fn a_server_of_the_same_revision_is_asked_as_it_is() {
    let folder = folder("same");
    let (a, b) = (folder.at("a"), folder.at("b"));
    let policy = folder.at("policy.json");
    // The client is asked by every call.
    std::fs::write(&policy, r#"{ "timing": { "maxAgeMs": 0 } }"#).unwrap();
    let mut client = Client::with_server(&["--policy", &policy], &[ROOTWISE, "whereami"], &folder.at("plain"), &[]);
    for folder in [&a, &b, &a] {
        let answer = called(&mut client, "whereami", folder);
        let report = &answer["result"]["structuredContent"];
        assert_eq!((&report["cwd"], &report["era"]), (&json!(folder), &json!("modern")), "{answer}");
        // It asked for roots itself, and got its project from us.
        assert_eq!(report["roots"]["roots"][0]["uri"], format!("file://{folder}"));
    }
}

#[test]
fn a_call_without_a_project_gets_the_reason() {
    let folder = folder("none");
    let mut client = Client::start(&[], &[], &folder.at("plain"), &[]);
    let answer = client.asks("tools/call", params(json!({ "name": "where" }), json!({})));
    assert_eq!((&answer["result"]["isError"], &answer["result"]["resultType"]), (&json!(true), &json!("complete")));
    assert!(text_of(&answer).contains("No project"), "{answer}");
}

#[test]
fn a_server_that_is_silent_before_the_handshake_still_gets_one() {
    let folder = folder("silent");
    let option = format!("--project={}", folder.at("a"));
    // It swallows whatever comes before `initialize`.
    let script = "read first; exec \"$0\"";
    let server = ["sh", "-c", script, &scripted()];
    let mut client = Client::with_server(&[&option, "--start-timeout", "4"], &server, &folder.at("plain"), &[]);
    let answer = client.asks("tools/call", params(json!({ "name": "slow", "arguments": { "ms": 0 } }), json!({})));
    assert_eq!(text_of(&answer), folder.at("a"));
}
