//! `rootwise record` and `rootwise explain`: what passes, what is written down, and what is read of it.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test stops at the first surprise"
)]

mod support;

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use support::client::scripted;
use support::{Folder, ROOTWISE, on_terminal, rootwise, said};

/// Runs a server with this input, alone or recorded; returns what it says and its status.
fn output(command: &[&str], input: &[u8], cwd: &str) -> (Vec<u8>, Option<i32>) {
    let mut command_line = Command::new(command[0]);
    command_line.args(&command[1..]).current_dir(cwd).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command_line.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let done = child.wait_with_output().unwrap();
    let _ = writer.join();
    (done.stdout, done.status.code())
}

#[test]
fn every_byte_passes_and_every_message_is_written_down() {
    let folder = Folder::new("record", &["a/.git"]);
    let (file, a, server) = (folder.at("session.ndjson"), folder.at("a"), scripted());
    let odd = r#"{"method" : "tools/call","id":2,"jsonrpc":"2.0","params":{"name":"echo","n":123456789012345678901234567890,"arguments":{"line":"no message, \u00e9\n{\"id\":2,\"result\":{}}\nhalf a li"}}}"#;
    let input = format!("{}\n{odd}\n\n", json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }));
    let alone = output(&[&server, "--exit", "5"], input.as_bytes(), &a);
    let recorded = output(&[ROOTWISE, "record", &file, "--", &server, "--exit", "5"], input.as_bytes(), &a);
    assert_eq!(recorded, alone);
    assert_eq!(alone.1, Some(5));
    let text = std::fs::read_to_string(&file).unwrap();
    // The message is in the recording as it came, spaces and digits included.
    assert!(text.contains(odd), "{text}");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&lines[0]["direction"], &lines[0]["start"]["cwd"]), (&json!("rootwise"), &json!(a)));
    assert_eq!(lines.last().unwrap()["end"]["code"], 5);
    let from = |side: &str| lines.iter().filter(|line| line["direction"] == side).cloned().collect::<Vec<_>>();
    assert_eq!(from("client").len(), 3);
    let said: Vec<&Value> = lines
        .iter()
        .filter(|line| line["direction"] == "server" && line.get("text").is_some())
        .map(|line| &line["text"])
        .collect();
    assert_eq!(said, [&json!("no message, é"), &json!("half a li")]);
}

fn session(folder: &str) -> Vec<Value> {
    let client = json!({ "name": "claude-code", "version": "2.1" });
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": { "roots": { "listChanged": true } }, "clientInfo": client });
    let line = |time: u64, from: &str, message: Value| json!({ "time": time, "direction": from, "message": message });
    vec![
        json!({ "time": 1000, "direction": "rootwise", "start": { "command": ["server"], "cwd": "/", "env": { "CLAUDE_PROJECT_DIR": folder } } }),
        line(1000, "client", json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params })),
        line(1001, "server", json!({ "jsonrpc": "2.0", "id": 0, "result": {} })),
        line(1002, "client", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })),
        line(1005, "server", json!({ "jsonrpc": "2.0", "id": "r", "method": "roots/list" })),
        line(
            1025,
            "client",
            json!({ "jsonrpc": "2.0", "id": "r", "result": { "roots": [{ "uri": format!("file://{folder}") }] } }),
        ),
    ]
}

fn written(folder: &Folder, lines: &[String]) -> String {
    let file = folder.at("session.ndjson");
    std::fs::write(&file, lines.join("\n")).unwrap();
    file
}

#[test]
fn a_recording_says_what_was_asked_and_who_won() {
    let folder = Folder::new("explain", &["a/.git"]);
    let a = folder.at("a");
    let mut lines: Vec<String> = session(&a).iter().map(Value::to_string).collect();
    lines.insert(3, "{\"time\": 1, broken".into());
    let file = written(&folder, &lines);
    let (status, text) = said(&["explain", &file]);
    assert_eq!(status, Some(0), "{text}");
    for part in [
        "claude-code 2.1 (2025-11-25), declares roots and their changes",
        "client: initialize",
        "server: asks for the roots",
        &format!("client: lists file://{a} after 20 ms"),
        "line 4: ",
        &format!("recommended          {a}"),
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let (_, value) = rootwise(&["explain", &file], &[]);
    assert_eq!((&value["rootsAsked"], &value["rootsAnswered"]), (&json!(1), &json!(1)));
    assert_eq!((&value["choices"][0]["project"]["source"], &value["broken"][0]["line"]), (&json!("roots"), &json!(4)));
}

#[test]
fn bare_messages_and_lists_are_read_as_well() {
    let folder = Folder::new("bare", &["a/.git"]);
    let a = folder.at("a");
    let messages: Vec<Value> = session(&a).iter().filter_map(|line| line.get("message").cloned()).collect();
    let file = written(&folder, &messages.iter().map(Value::to_string).collect::<Vec<_>>());
    assert_eq!(rootwise(&["explain", &file], &[]).1["choices"][0]["project"]["path"], a);
    let inspected = folder.at("inspected.json");
    let entries: Vec<Value> = [(1, 0, Some(1)), (3, 2, None), (4, 3, Some(4))]
        .into_iter()
        .rev()
        .map(|(second, message, answer): (u32, usize, Option<usize>)| {
            let time = format!("2026-01-01T00:00:{second:02}.000Z");
            let direction = if messages[message].get("id").is_some() { "request" } else { "notification" };
            let mut entry = json!({ "id": second.to_string(), "timestamp": time, "direction": direction, "message": messages[message] });
            if let Some(answer) = answer.and_then(|answer| messages.get(answer)) {
                (entry["response"], entry["duration"]) = (answer.clone(), json!(250));
            }
            entry
        })
        .collect();
    std::fs::write(&inspected, serde_json::to_string_pretty(&json!({ "name": "x", "messages": entries })).unwrap())
        .unwrap();
    let (_, text) = said(&["explain", &inspected]);
    assert!(text.contains(&format!("client: lists file://{a} after 250 ms")), "{text}");
    let list = folder.at("list.json");
    std::fs::write(&list, serde_json::to_string_pretty(&messages).unwrap()).unwrap();
    assert_eq!(rootwise(&["explain", &list], &[]).1["choices"][0]["project"]["path"], a);
}

#[test]
fn the_log_of_a_client_is_read_as_well() {
    let folder = Folder::new("log", &["a/.git"]);
    let a = folder.at("a");
    // As Claude Desktop writes mcp-server-NAME.log.
    let log: Vec<String> = session(&a)
        .iter()
        .filter_map(|line| Some((line["time"].as_u64()? - 1000, line["direction"].as_str()?, line.get("message")?)))
        .map(|(ms, from, message)| {
            format!(
                "2026-01-01T00:00:00.{ms:03}Z [info] [git] Message from {from}: {message} {{ metadata: undefined }}"
            )
        })
        .collect();
    let (status, text) = said(&["explain", &written(&folder, &log)]);
    assert!(status == Some(0) && text.contains(&format!("client: lists file://{a} after 20 ms")), "{text}");
    assert!(!text.contains("line 1:"), "{text}");
}

#[test]
fn a_long_story_keeps_its_beginning_and_its_end() {
    let folder = Folder::new("long", &["a/.git"]);
    let a = folder.at("a");
    let change =
        json!({ "direction": "client", "message": { "method": "notifications/roots/list_changed" } }).to_string();
    let mut lines: Vec<String> = session(&a).iter().map(Value::to_string).collect();
    lines.extend(std::iter::repeat_n(change, 500));
    let asks = json!({ "direction": "server", "message": { "id": "last", "method": "roots/list" } });
    let error = json!({ "code": -1, "message": "the very end" });
    let answers = json!({ "direction": "client", "message": { "id": "last", "error": error } });
    lines.extend([asks.to_string(), asks.to_string(), answers.to_string()]);
    let file = written(&folder, &lines);
    let (_, text) = said(&["explain", &file]);
    assert!(text.contains("client: initialize") && text.contains("the very end"), "{text}");
    let (_, value) = rootwise(&["explain", &file], &[]);
    assert_eq!(value["timeline"].as_array().unwrap().len(), 200);
    assert!(value["timelineOmitted"].as_u64().unwrap() > 300);
}

#[test]
#[cfg(unix)]
fn a_person_sees_how_far_it_is() {
    let folder = Folder::new("bar", &["a/.git"]);
    let mut lines: Vec<String> = session(&folder.at("a")).iter().map(Value::to_string).collect();
    let line = json!({ "direction": "client", "message": { "id": 1, "method": "ping", "params": "x".repeat(900) } });
    lines.extend(std::iter::repeat_n(line.to_string(), 20_000));
    let file = written(&folder, &lines);
    for (args, input, shows) in [(["explain", &file], None, " of "), (["explain", "-"], Some(file.as_str()), " read")] {
        let Some((status, text)) = on_terminal(&args, input) else { return };
        assert_eq!(status, Some(0), "{text}");
        assert!(text.contains("MiB") && text.contains(shows), "{args:?}: {text:?}");
    }
}

#[test]
fn other_lines_at_the_start_are_no_obstacle() {
    let folder = Folder::new("starts", &["a/.git"]);
    let a = folder.at("a");
    let lines: Vec<String> = session(&a).iter().map(Value::to_string).collect();
    let noisy: Vec<String> = std::iter::once("[12:00:01] listening".to_owned()).chain(lines.clone()).collect();
    let (_, value) = rootwise(&["explain", &written(&folder, &noisy)], &[]);
    assert_eq!(
        (&value["choices"][0]["project"]["path"], &value["broken"][0]["line"]),
        (&json!(a), &json!(1)),
        "{value}"
    );
    // Several messages in one line, as 2025-03-26 allows.
    let batch = format!("[{}]", lines[1..3].join(","));
    let batched: Vec<String> = [lines[0].clone(), batch].into_iter().chain(lines[3..].iter().cloned()).collect();
    for lines in [&batched[..], &batched[1..]] {
        let (_, value) = rootwise(&["explain", &written(&folder, lines)], &[]);
        assert_eq!(value["choices"][0]["project"]["path"], a, "{value}");
    }
    // A document in one line.
    let document = json!({ "name": "x", "tags": [1, 2, 3, 4, 5, 6, 7, 8], "messages": session(&a) }).to_string();
    assert_eq!(rootwise(&["explain", &written(&folder, &[document])], &[]).1["choices"][0]["project"]["path"], a);
}

#[test]
fn a_line_without_end_is_one_broken_line() {
    let folder = Folder::new("endless", &["a/.git"]);
    let lines: Vec<String> = session(&folder.at("a")).iter().map(Value::to_string).collect();
    let file = written(&folder, &[lines[..2].join("\n"), "x".repeat(65 << 20), lines[2..].join("\n"), "{".into()]);
    let (_, value) = rootwise(&["explain", &file], &[]);
    let broken: Vec<&Value> = value["broken"].as_array().unwrap().iter().map(|line| &line["line"]).collect();
    assert_eq!(broken, [3, 8]);
    assert!(value["broken"][0]["message"].as_str().unwrap().contains("longer than"), "{value}");
    assert_eq!(value["choices"][0]["project"]["path"], folder.at("a"));
}

#[test]
#[cfg(target_os = "linux")]
fn a_million_lines_need_no_more_memory_than_a_thousand() {
    let folder = Folder::new("million", &["a/.git"]);
    let lines: Vec<String> = session(&folder.at("a")).iter().map(Value::to_string).collect();
    let most = |calls: u32| {
        let mut child = Command::new(ROOTWISE);
        let mut child =
            child.args(["explain", "-", "--json"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdin = std::io::BufWriter::new(child.stdin.take().unwrap());
        writeln!(stdin, "{}", lines.join("\n")).unwrap();
        for id in 1..=calls {
            writeln!(stdin, r#"{{"time":{id},"direction":"client","message":{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"t"}}}}}}"#).unwrap();
            writeln!(stdin, r#"{{"time":{id},"direction":"server","message":{{"jsonrpc":"2.0","id":{id},"result":{{"content":[]}}}}}}"#).unwrap();
        }
        stdin.flush().unwrap();
        // What it read before it answers; the end of its input is still to come.
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        let value: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(value["methods"]["tools/call"], calls);
        let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u32>().unwrap()
    };
    let (few, many) = (most(5_000), most(500_000));
    assert!(many < few + 4_096, "{few} KiB and {many} KiB");
}

#[test]
fn a_recording_without_a_project_or_a_client_is_no_success() {
    let folder = Folder::new("nothing", &["a"]);
    let lines: Vec<String> = session("/missing").iter().skip(1).take(3).map(Value::to_string).collect();
    let (status, text) = said(&["explain", &written(&folder, &lines)]);
    assert!(status == Some(1) && text.contains("No project"), "{text}");
    let (status, text) = said(&["explain", &written(&folder, &["{}".into(), "hello".into()])]);
    assert!(status == Some(1) && text.contains("no client") && text.contains("line 2"), "{text}");
    let (status, text) = said(&["explain", &folder.at("missing.ndjson")]);
    assert!(status == Some(2) && text.contains("missing.ndjson"), "{text}");
}

#[test]
fn what_is_recorded_is_explained() {
    let folder = Folder::new("both", &["a/.git"]);
    let (file, a) = (folder.at("session.ndjson"), folder.at("a"));
    let args =
        ["call", "--root", &a, "--tool", "whereami", "--", ROOTWISE, "record", &file, "--", ROOTWISE, "whereami"];
    let (status, _) = rootwise(&args, &[]);
    assert_eq!(status, Some(0));
    let (status, value) = rootwise(&["explain", &file], &[]);
    assert_eq!((status, &value["choices"][0]["project"]["path"]), (Some(0), &json!(a)), "{value}");
}
