//! `rootwise run` and 2026-07-28, which has no handshake: clients of that revision with servers of both eras, and servers that know no other.
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
}

/// Subscribes to changes of tools, and to those of one resource; returns what was granted.
fn listen(client: &mut Client) -> (u64, Value) {
    let wanted = json!({ "toolsListChanged": true, "promptsListChanged": false, "resourceSubscriptions": ["x:y"] });
    let id = client.request("subscriptions/listen", params(json!({ "notifications": wanted }), json!({})));
    let granted = client.wait("acknowledgement", |message| {
        message["method"] == "notifications/subscriptions/acknowledged" && of_subscription(message, id)
    });
    (id, granted["params"]["notifications"].clone())
}

fn of_subscription(message: &Value, id: u64) -> bool {
    message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == id
}

fn is_change(message: &Value, id: u64) -> bool {
    message["method"] == "notifications/tools/list_changed" && of_subscription(message, id)
}

#[test]
fn subscriptions_are_kept_here_and_outlive_a_server() {
    let folder = folder("listens");
    let b = folder.at("b");
    let in_b = json!({ "codex/sandbox-state-meta": { "sandboxCwd": format!("file://{b}") } });
    for (server, granted) in [
        (None, json!({ "toolsListChanged": true })),
        (Some("--modern-only"), json!({ "toolsListChanged": true, "resourceSubscriptions": ["x:y"] })),
    ] {
        let args: Vec<&str> = server.into_iter().collect();
        let mut client = Client::start(&["--max", "1"], &args, &folder.at("plain"), &[]);
        let found = client.asks("server/discover", params(json!({}), json!({})));
        assert_eq!(found["result"]["capabilities"]["tools"]["listChanged"], true, "{found}");
        client.asks("tools/list", params(json!({}), json!({})));
        let (one, told) = listen(&mut client);
        assert_eq!(told, granted);
        let (two, _) = listen(&mut client);
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": two } }));
        // A subscription keeps no server busy: it makes room for one that is needed.
        std::fs::write(format!("{b}/extra-tool"), "only_in_b").unwrap();
        let call = |tool: &str| {
            let mut call = params(json!({ "name": tool, "arguments": { "ms": 0 } }), json!({}));
            call["_meta"].as_object_mut().unwrap().extend(in_b.as_object().unwrap().clone());
            call
        };
        assert_eq!(text_of(&client.asks("tools/call", call("slow"))), b);
        client.wait("notice of the other tools", |message| is_change(message, one));
        if server.is_some() {
            // What the server announces has the name of the subscription that its client knows.
            client.asks("tools/call", call("change"));
            client.wait("notice", |message| is_change(message, one));
        }
        assert!(
            !client.has_read(|message| message["method"] != "notifications/subscriptions/acknowledged"
                && of_subscription(message, two))
        );
    }
}

#[test]
fn a_modern_client_hears_of_the_first_tools() {
    let folder = folder("late");
    let a = folder.at("a");
    for args in [&[][..], &["--modern-only"]] {
        let mut client = Client::start(&["--start-in", "none"], args, &folder.at("plain"), &[]);
        assert_eq!(client.asks("tools/list", params(json!({}), json!({})))["result"]["tools"], json!([]));
        let (id, _) = listen(&mut client);
        let answer = called(&mut client, "where", &a);
        assert!(answer["result"].is_object(), "{answer}");
        client.wait("notice of the tools", |message| is_change(message, id));
        let tools = client.asks("tools/list", params(json!({}), json!({})))["result"]["tools"].clone();
        assert_eq!(tools[0]["name"], "where");
    }
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

#[test]
fn what_is_not_of_the_envelope_reaches_an_older_server_as_it_came() {
    let folder = folder("numbers");
    let (option, log) = (format!("--project={}", folder.at("a")), folder.at("lines"));
    let mut client = Client::start(&[&option], &[], &folder.at("plain"), &[("SCRIPTED_LINES", &log)]);
    let meta = params(json!({}), json!({}))["_meta"].to_string();
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"other","arguments":{{"n" : 12345678901234567890123}},"_meta":{meta}}}}}"#
    );
    client.send_line(&format!("{line}\n"));
    client.answer_to(1);
    let lines = std::fs::read_to_string(log).unwrap();
    assert!(lines.contains(r#"{"n" : 12345678901234567890123}"#), "{lines}");
}

#[test]
fn a_server_that_knows_only_this_revision_serves_older_clients() {
    let folder = folder("only");
    let (a, b) = (folder.at("a"), folder.at("b"));
    std::fs::write(format!("{b}/extra-tool"), "only_in_b").unwrap();
    let mut client = Client::start(&[], &["--modern-only"], &folder.at("plain"), &[]);
    let answer = client.initialize(json!([a]));
    let result = &answer["result"];
    assert_eq!((&result["protocolVersion"], &result["instructions"]), (&json!("2025-11-25"), &json!("modern")));
    assert_eq!(
        (&result["serverInfo"]["name"], &result["capabilities"]["tools"]["listChanged"]),
        (&json!("scripted"), &json!(true))
    );
    assert!(result["capabilities"]["resources"].get("subscribe").is_none(), "{answer}");
    assert_eq!(client.asks("ping", json!({}))["result"], json!({}));
    assert_eq!(client.asks("logging/setLevel", json!({ "level": "warning" }))["result"], json!({}));
    assert_eq!(client.asks("tools/list", json!({}))["result"]["tools"].as_array().unwrap().len(), 2);
    assert_eq!(text_of(&client.call("slow", json!({ "ms": 0 }))), a);
    // What the client said once goes with every request.
    let said: Value = serde_json::from_str(&client.text("meta", json!({}))).unwrap();
    let meta = |name: &str| said["_meta"][format!("io.modelcontextprotocol/{name}")].clone();
    assert_eq!((meta("clientInfo")["name"].clone(), meta("logLevel")), (json!("raw"), json!("warning")));
    // Its question becomes a request to the client; the roots are answered here.
    let call = client.request("tools/call", json!({ "name": "ask" }));
    let question = client.wait("question", |message| message["method"] == "elicitation/create");
    assert_eq!(question["params"]["message"], a);
    client.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "accept" } }));
    let said: Value = serde_json::from_str(&text_of(&client.answer_to(call))).unwrap();
    assert_eq!(
        (&said["requestState"], &said["inputResponses"]["who"]["action"]),
        (&json!("state of this server"), &json!("accept"))
    );
    assert_eq!(said["inputResponses"]["where"]["roots"][0]["uri"], format!("file://{a}"));
    // A refusal is the error of the call.
    let call = client.request("tools/call", json!({ "name": "ask" }));
    let question = client.wait("question", |message| message["method"] == "elicitation/create");
    client.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "error": { "code": -1, "message": "not now" } }));
    let refused = client.answer_to(call);
    assert!(refused["error"]["message"].as_str().unwrap().contains("not now"), "{refused}");
    // It announces changes to those who listen.
    client.call("change", json!({}));
    client.wait("notice", |message| message["method"] == "notifications/tools/list_changed");
    assert!(!client.has_read(|message| message["method"] == "notifications/subscriptions/acknowledged"));
    // The lists of another project are compared with its envelope as well.
    client.asks("tools/list", json!({}));
    client.roots = json!([b]);
    client.notify("notifications/roots/list_changed");
    client.wait("notice of the other tools", |message| message["method"] == "notifications/tools/list_changed");
    assert_eq!(text_of(&client.call("slow", json!({ "ms": 0 }))), b);
    assert_eq!(client.end(), Some(0));
}

#[test]
fn a_server_that_refuses_both_openings_is_quoted() {
    let folder = folder("refuses");
    let option = format!("--project={}", folder.at("a"));
    let script = r#"n=1; while read line; do echo '{"jsonrpc":"2.0","id":"rootwise:'$((n=n+1))'","error":{"code":-32600,"message":"go away"}}'; done"#;
    let mut client = Client::with_server(&[&option], &["sh", "-c", script], &folder.at("plain"), &[]);
    let sent = client.request(
        "initialize",
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "raw", "version": "1" } }),
    );
    let answer = client.answer_to(sent);
    assert_eq!(answer["error"]["message"], "go away", "{answer}");
}

#[test]
fn a_question_of_an_older_server_is_the_result_of_its_call() {
    let folder = folder("question");
    let option = format!("--project={}", folder.at("a"));
    let mut client = Client::start(&[&option], &[], &folder.at("plain"), &[]);
    let call = |id: u64, more: Value| {
        let mut params = params(json!({ "name": "ask", "arguments": {} }), json!({ "elicitation": {} }));
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
    };
    // The server of the tests answers this id.
    client.send(&call(7, json!({})));
    let asked = &client.answer_to(7)["result"];
    let question = &asked["inputRequests"]["question"];
    assert_eq!((&asked["resultType"], &question["method"]), (&json!("input_required"), &json!("elicitation/create")));
    assert_eq!(question["params"]["message"], folder.at("a"));
    let answers = json!({ "question": { "action": "accept" } });
    client.send(&call(8, json!({ "inputResponses": answers, "requestState": asked["requestState"] })));
    let answer = client.answer_to(8);
    let said: Value = serde_json::from_str(&text_of(&answer)).unwrap();
    assert_eq!((&said["asked"], &said["result"]["action"]), (&json!(1), &json!("accept")));
    assert_eq!(answer["result"]["resultType"], "complete");
    // A client that declares nothing of this is not asked, and neither is one of two.
    client.send(&json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params(json!({ "name": "ask" }), json!({})) }));
    let refused: Value = serde_json::from_str(&text_of(&client.answer_to(7))).unwrap();
    assert!(refused["error"]["message"].as_str().unwrap().contains("does not declare"), "{refused}");
    client.request("tools/call", params(json!({ "name": "hang" }), json!({ "elicitation": {} })));
    client.send(&call(7, json!({})));
    let refused: Value = serde_json::from_str(&text_of(&client.answer_to(7))).unwrap();
    assert!(refused["error"]["message"].as_str().unwrap().contains("one call"), "{refused}");
}
