//! `rootwise run` with real processes: where a server runs, and what its client sees of that.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test stops at the first surprise"
)]

mod support;

use serde_json::{Value, json};
use support::Folder;
use support::client::{Client, text_of};

fn folder(name: &str) -> Folder {
    Folder::new(name, &["a/.git", "b/.git", "plain", "home"])
}

/// Where the server says that it is.
fn place(client: &mut Client) -> Value {
    serde_json::from_str(&client.text("where", json!({}))).unwrap()
}

/// The folders in which servers were started.
fn starts(folder: &Folder) -> Vec<String> {
    std::fs::read_to_string(folder.at("starts")).unwrap_or_default().lines().map(str::to_owned).collect()
}

#[test]
fn the_server_starts_again_in_the_project_of_its_client() {
    let folder = folder("project");
    let (a, log) = (folder.at("a"), folder.at("starts"));
    let variables = [("SCRIPTED_STARTS", log.as_str()), ("SCRIPTED_FILLED", "{name}|{uri}|{other}")];
    let mut client = Client::start(&[], &["--folder={path}", "{slug}"], &folder.at("plain"), &variables);
    let answer = client.initialize(json!([a]));
    // The client learns that lists can change, and the server that it may ask for roots.
    assert_eq!(answer["result"]["capabilities"]["tools"]["listChanged"], true);
    assert_eq!(answer["result"]["instructions"], "roots declared: true");
    let place = place(&mut client);
    assert_eq!((&place["cwd"], &place["pwd"]), (&json!(a), &json!(a)));
    assert_eq!(place["args"][0], format!("--folder={a}"));
    assert!(place["args"][1].as_str().unwrap().starts_with("a-"), "{place}");
    assert_eq!(place["filled"], format!("a|file://{a}|{{other}}"));
    assert_eq!(client.asks("resources/read", json!({ "uri": "x:y" }))["result"]["contents"][0]["text"], a);
    let starts = starts(&folder);
    assert_eq!((starts.len(), starts.last()), (2, Some(&a)));
    // The first one waited in an empty folder of its own, which is gone afterwards.
    assert_eq!(client.end(), Some(0));
    assert!(starts[0].contains("rootwise-") && !std::path::Path::new(&starts[0]).exists(), "{starts:?}");
}

#[test]
fn a_project_that_is_known_before_the_client_speaks_needs_no_second_start() {
    let folder = folder("early");
    let log = folder.at("starts");
    let (option, a) = (format!("--project={}", folder.at("a")), folder.at("a"));
    let mut client = Client::start(&[&option], &[], &folder.at("plain"), &[("SCRIPTED_STARTS", &log)]);
    client.initialize(Value::Null);
    assert_eq!(place(&mut client)["cwd"], a);
    let mut client = Client::start(&[], &[], &folder.at("a"), &[("SCRIPTED_STARTS", &log)]);
    client.initialize(json!([a]));
    assert_eq!(place(&mut client)["cwd"], a);
    assert_eq!(starts(&folder), [a.clone(), a]);
}

#[test]
fn a_call_without_a_project_gets_the_reason_and_the_advice() {
    let folder = folder("none");
    let mut client = Client::start(&[], &[], &folder.at("plain"), &[("HOME", &folder.at("home"))]);
    client.initialize(Value::Null);
    // What needs no project works.
    assert_eq!(client.asks("tools/list", json!({}))["result"]["tools"][0]["name"], "where");
    let answer = client.call("where", json!({}));
    assert_eq!(answer["result"]["isError"], true);
    let text = text_of(&answer);
    assert!(text.contains("No project") && text.contains("--project"), "{text}");
    let answer = client.asks("resources/read", json!({ "uri": "x:y" }));
    assert_eq!((&answer["error"]["code"], &answer["error"]["data"]["code"]), (&json!(-32602), &json!("no_project")));
}

#[test]
fn a_client_that_never_answers_costs_no_more_than_the_callers_patience() {
    let folder = folder("silence");
    let policy = folder.at("policy.json");
    std::fs::write(&policy, r#"{ "timing": { "callerTimeoutMs": 300 } }"#).unwrap();
    let mut client = Client::start(&["--policy", &policy], &[], &folder.at("plain"), &[]);
    client.initialize(json!([]));
    client.roots = Value::Null;
    let answer = client.call("where", json!({}));
    assert_eq!(answer["result"]["isError"], true, "{answer}");
}

#[test]
fn calls_without_a_project_are_served_if_the_user_wants_that() {
    let folder = folder("fallback");
    let plain = folder.at("plain");
    let mut client = Client::start(&["--fallback", "--start-in", &plain], &[], &folder.at("home"), &[]);
    client.initialize(Value::Null);
    assert_eq!(place(&mut client)["cwd"], plain);
}

#[test]
fn another_project_gets_another_server_and_calls_in_flight_end_on_the_old_one() {
    let folder = folder("change");
    let (a, b) = (folder.at("a"), folder.at("b"));
    std::fs::write(format!("{b}/extra-tool"), "only_in_b").unwrap();
    let mut client = Client::start(&[], &[], &folder.at("plain"), &[]);
    client.initialize(json!([a]));
    assert_eq!(client.asks("tools/list", json!({}))["result"]["tools"].as_array().unwrap().len(), 2);
    let slow = client.request("tools/call", json!({ "name": "slow", "arguments": { "ms": 1500 } }));
    client.roots = json!([b]);
    client.notify("notifications/roots/list_changed");
    // The other list is announced as soon as the other server is there.
    client.wait("notice of the other tools", |message| message["method"] == "notifications/tools/list_changed");
    assert_eq!(place(&mut client)["cwd"], b);
    assert_eq!(client.asks("tools/list", json!({}))["result"]["tools"][2]["name"], "only_in_b");
    let slow = client.answer_to(slow);
    assert_eq!(text_of(&slow), a);
}

#[test]
fn tools_appear_when_the_project_becomes_known_late() {
    let folder = folder("late");
    let a = folder.at("a");
    let variants: [(&[&str], &[&str]); 2] = [(&["--start-in", "none"], &[]), (&[], &["--needs-mark"])];
    for (options, args) in variants {
        let mut client = Client::start(options, args, &folder.at("plain"), &[]);
        client.initialize(json!([]));
        assert_eq!(client.asks("tools/list", json!({}))["result"]["tools"], json!([]));
        assert_eq!(client.asks("prompts/list", json!({}))["result"]["prompts"], json!([]));
        client.roots = json!([a]);
        client.notify("notifications/roots/list_changed");
        client.wait("notice of the tools", |message| message["method"] == "notifications/tools/list_changed");
        assert_eq!(client.asks("tools/list", json!({}))["result"]["tools"][0]["name"], "where");
        // It has no prompts, so that nothing changed there.
        client.asks("ping", json!({}));
        assert!(!client.has_read(|message| message["method"] == "notifications/prompts/list_changed"));
    }
}

#[test]
fn a_handshake_that_is_answered_here_claims_no_revision_that_is_not_known() {
    let folder = folder("revision");
    let log = folder.at("lines");
    for (asked, told) in [("2099-01-01", "2025-11-25"), ("2025-03-26", "2025-03-26"), ("2026-07-28", "2025-11-25")] {
        let _ = std::fs::remove_file(&log);
        let options = ["--start-in", "none"];
        let mut client = Client::start(&options, &[], &folder.at("plain"), &[("SCRIPTED_LINES", &log)]);
        client.roots = json!([folder.at("a")]);
        let capabilities = json!({ "roots": { "listChanged": true } });
        let params = json!({ "protocolVersion": asked, "capabilities": capabilities, "clientInfo": { "name": "raw", "version": "1" } });
        assert_eq!(client.asks("initialize", params)["result"]["protocolVersion"], told);
        client.notify("notifications/initialized");
        assert_eq!(place(&mut client)["cwd"], folder.at("a"));
        // The server that follows is asked for what the client was told.
        let lines = std::fs::read_to_string(&log).unwrap();
        assert!(lines.lines().next().unwrap().contains(&format!(r#""protocolVersion":"{told}""#)), "{lines}");
    }
}

#[test]
fn a_tool_of_the_server_with_the_name_of_ours_stays_the_servers() {
    let folder = folder("taken");
    let a = folder.at("a");
    std::fs::write(format!("{a}/extra-tool"), "which_project").unwrap();
    let mut client = Client::start(&["--tools"], &[], &folder.at("plain"), &[]);
    client.initialize(json!([a]));
    let tools = client.asks("tools/list", json!({}));
    let names: Vec<&str> =
        tools["result"]["tools"].as_array().unwrap().iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names, ["where", "crash", "which_project", "switch_project"]);
    // That of the tests answers with what it was sent.
    let said: Value = serde_json::from_str(&client.text("which_project", json!({ "to": "server" }))).unwrap();
    assert_eq!(said["arguments"]["to"], "server");
}

#[test]
fn the_same_tools_are_not_announced() {
    let folder = folder("same");
    let (a, b) = (folder.at("a"), folder.at("b"));
    let mut client = Client::start(&[], &[], &folder.at("plain"), &[]);
    client.initialize(json!([a]));
    client.asks("tools/list", json!({}));
    client.roots = json!([b]);
    client.notify("notifications/roots/list_changed");
    while place(&mut client)["cwd"] != b {}
    client.asks("tools/list", json!({}));
    assert!(!client.has_read(|message| message["method"] == "notifications/tools/list_changed"));
}

#[test]
fn tools_of_ours_explain_and_switch() {
    let folder = folder("tools");
    let (a, b) = (folder.at("a"), folder.at("b"));
    let mut client = Client::start(&["--tools"], &[], &folder.at("plain"), &[]);
    client.initialize(json!([a, b]));
    let tools = client.asks("tools/list", json!({}));
    let names: Vec<&str> =
        tools["result"]["tools"].as_array().unwrap().iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names, ["where", "crash", "which_project", "switch_project"]);
    let text = client.text("which_project", json!({}));
    assert!(text.contains(&a) && text.contains("roots"), "{text}");
    assert_eq!(place(&mut client)["cwd"], a);
    let text = client.text("switch_project", json!({ "project": b }));
    assert!(text.contains('b'), "{text}");
    assert_eq!(place(&mut client)["cwd"], b);
    let answer = client.call("switch_project", json!({ "project": folder.at("missing") }));
    assert_eq!(answer["result"]["isError"], true);
    assert_eq!(client.call("switch_project", json!({}))["error"]["code"], -32602);
}

/// A call that names its folder as Codex does.
fn called_in(client: &mut Client, folder: &str, tool: &str, arguments: Value) -> u64 {
    let meta = json!({ "codex/sandbox-state-meta": { "sandboxCwd": format!("file://{folder}") } });
    client.request("tools/call", json!({ "name": tool, "arguments": arguments, "_meta": meta }))
}

#[test]
fn every_project_has_a_server_of_its_own() {
    let folder = folder("several");
    let (a, b, log) = (folder.at("a"), folder.at("b"), folder.at("starts"));
    let mut client = Client::start(&["--start-in", "none"], &[], &folder.at("plain"), &[("SCRIPTED_STARTS", &log)]);
    let answer = client.initialize(Value::Null);
    assert_eq!(answer["result"]["capabilities"]["experimental"]["codex/sandbox-state-meta"], json!({}));
    let calls: Vec<(u64, &String)> = [&a, &b, &a, &b]
        .into_iter()
        .map(|folder| (called_in(&mut client, folder, "slow", json!({ "ms": 10 })), folder))
        .collect();
    for (id, folder) in calls {
        assert_eq!(text_of(&client.answer_to(id)), *folder);
    }
    let mut starts = starts(&folder);
    starts.sort();
    assert_eq!(starts, [a, b]);
}

#[test]
fn there_are_no_more_servers_than_allowed() {
    let folder = folder("max");
    let (a, b, log) = (folder.at("a"), folder.at("b"), folder.at("starts"));
    let options = ["--start-in", "none", "--max", "1"];
    let mut client = Client::start(&options, &[], &folder.at("plain"), &[("SCRIPTED_STARTS", &log)]);
    client.initialize(Value::Null);
    let first = called_in(&mut client, &a, "slow", json!({ "ms": 1000 }));
    let second = called_in(&mut client, &b, "where", json!({}));
    let refused = client.answer_to(second);
    assert!(refused["result"]["isError"] == true && text_of(&refused).contains("--max"), "{refused}");
    assert_eq!(text_of(&client.answer_to(first)), a);
    // A server that is idle makes room.
    let third = called_in(&mut client, &b, "slow", json!({ "ms": 0 }));
    assert_eq!(text_of(&client.answer_to(third)), b);
    assert_eq!(starts(&folder), [a, b]);
}

#[test]
fn roots_that_the_server_asks_for_are_its_project() {
    let folder = folder("roots");
    let (a, b) = (folder.at("a"), folder.at("b"));
    let mut client = Client::start(&[], &[], &folder.at("plain"), &[]);
    client.initialize(json!([a, b]));
    let said: Value = serde_json::from_str(&client.text("roots", json!({}))).unwrap();
    let uris: Vec<&Value> = said["result"]["roots"].as_array().unwrap().iter().map(|root| &root["uri"]).collect();
    assert_eq!(uris, [&json!(format!("file://{a}")), &json!(format!("file://{b}"))]);
    // Or they are the client's own.
    let mut client = Client::start(&["--roots", "client"], &[], &folder.at("plain"), &[]);
    client.initialize(json!([a]));
    let said: Value = serde_json::from_str(&client.text("roots", json!({}))).unwrap();
    assert_eq!(said["result"]["roots"], json!([{ "uri": format!("file://{a}") }]));
}

#[test]
fn a_server_learns_of_the_clients_other_folders() {
    let folder = folder("others");
    let (a, b, log) = (folder.at("a"), folder.at("b"), folder.at("lines"));
    let mut client = Client::start(&[], &[], &folder.at("plain"), &[("SCRIPTED_LINES", &log)]);
    client.initialize(json!([a]));
    assert_eq!(place(&mut client)["cwd"], a);
    let told = || std::fs::read_to_string(&log).unwrap().matches("notifications/roots/list_changed").count();
    // The project stays the first one; the server need not wait for a call to hear of the second.
    client.roots = json!([a, b]);
    client.notify("notifications/roots/list_changed");
    let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while told() == 0 {
        assert!(std::time::Instant::now() < until, "it was not told");
        client.asks("ping", json!({}));
    }
    let said: Value = serde_json::from_str(&client.text("roots", json!({}))).unwrap();
    assert_eq!(said["result"]["roots"].as_array().unwrap().len(), 2, "{said}");
    // The same list is nothing new.
    client.notify("notifications/roots/list_changed");
    assert_eq!(place(&mut client)["cwd"], a);
    assert_eq!(place(&mut client)["cwd"], a);
    assert_eq!(told(), 1);
}

#[test]
fn questions_of_two_servers_with_one_id_are_told_apart() {
    let folder = folder("questions");
    let (a, b) = (folder.at("a"), folder.at("b"));
    let mut client = Client::start(&["--start-in", "none"], &[], &folder.at("plain"), &[]);
    client.initialize(Value::Null);
    called_in(&mut client, &a, "ask", json!({}));
    let first = client.wait("question", |message| message["method"] == "elicitation/create");
    called_in(&mut client, &b, "ask", json!({}));
    let second = client.wait("question", |message| message["method"] == "elicitation/create");
    assert_eq!((&first["id"], &first["params"]["message"]), (&json!(1), &json!(a)));
    assert_eq!(second["params"]["message"], b);
    assert_ne!(first["id"], second["id"]);
    for (question, answer) in [(&second, "two"), (&first, "one")] {
        client.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "content": answer } }));
        let passed = client.wait("answer", |message| message["id"] == 7);
        let said: Value = serde_json::from_str(&text_of(&passed)).unwrap();
        assert_eq!((&said["asked"], &said["result"]["content"]), (&json!(1), &json!(answer)));
    }
}

#[test]
fn bytes_that_are_not_ours_pass_unchanged_and_in_order() {
    let folder = folder("bytes");
    let log = folder.at("lines");
    let option = format!("--project={}", folder.at("a"));
    let mut client = Client::start(&[&option], &[], &folder.at("plain"), &[("SCRIPTED_LINES", &log)]);
    client.initialize(Value::Null);
    // Spaces, members that nobody knows, numbers that no float holds, escapes that need not be.
    let sent = r#"{ "params" : {"name":"echo","n":12345678901234567890123, "u":"\u0041\/"  ,"arguments":{"line":"{\"result\" : {\"n\":1.0e2,\"a\":\"\\u00e9\"},\t\"id\":5,\"jsonrpc\":\"2.0\"}\n"}},"id":5,"jsonrpc":"2.0","method":"tools/call","x":[ ] }"#;
    client.send_line(&format!("{sent}\n"));
    assert_eq!(client.line().unwrap(), "{\"result\" : {\"n\":1.0e2,\"a\":\"\\u00e9\"},\t\"id\":5,\"jsonrpc\":\"2.0\"}");
    assert_eq!(std::fs::read_to_string(log).unwrap().lines().last(), Some(sent));
    // Noise of the server reaches the client as well, as it would without a program between them.
    client.request("tools/call", json!({ "name": "echo", "arguments": { "line": "Listening on stdio\n" } }));
    assert_eq!(client.line().unwrap(), "Listening on stdio");
}

#[test]
fn a_cancelled_call_that_waits_is_never_sent() {
    let folder = folder("cancel");
    let log = folder.at("lines");
    let mut client = Client::start(&[], &[], &folder.at("plain"), &[("SCRIPTED_LINES", &log)]);
    // Silent until the call is cancelled.
    client.initialize(json!([folder.at("a")]));
    client.roots = Value::Null;
    let id = client.request("tools/call", json!({ "name": "never" }));
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }));
    let question = client.wait_raw("roots/list");
    client.roots = json!([folder.at("a")]);
    client.answer_roots(&question["id"]);
    assert_eq!(place(&mut client)["cwd"], folder.at("a"));
    assert!(!std::fs::read_to_string(log).unwrap().contains("never"));
}

#[test]
fn what_came_before_the_end_of_the_input_is_answered() {
    let folder = folder("end");
    let (a, option) = (folder.at("a"), "--exit");
    let mut client = Client::start(&[], &[option, "7"], &folder.at("plain"), &[]);
    client.initialize(json!([a]));
    client.asks("tools/list", json!({}));
    let id = client.request("tools/call", json!({ "name": "slow", "arguments": { "ms": 200 } }));
    client.close_input();
    assert_eq!(text_of(&client.answer_to(id)), a);
    // The status is that of the server.
    assert_eq!(client.exit_status(), Some(7));
}
