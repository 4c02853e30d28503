//! `rootwise run` with servers and clients that misbehave: crashes, hangs, floods, half lines, signals.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test stops at the first surprise"
)]

mod support;

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::Folder;
use support::client::{Client, text_of};

fn folder(name: &str) -> Folder {
    Folder::new(&format!("hostile-{name}"), &["a/.git", "b/.git", "plain"])
}

fn starts(folder: &Folder) -> usize {
    std::fs::read_to_string(folder.at("starts")).unwrap_or_default().lines().count()
}

/// A client in the project `a`, whose server notes its starts.
fn in_a(folder: &Folder, options: &[&str], args: &[&str]) -> Client {
    let option = format!("--project={}", folder.at("a"));
    let options: Vec<&str> = options.iter().copied().chain([option.as_str()]).collect();
    let mut client = Client::start(&options, args, &folder.at("plain"), &[("SCRIPTED_STARTS", &folder.at("starts"))]);
    client.initialize(Value::Null);
    client
}

#[test]
fn a_crash_is_the_error_of_pending_calls_and_the_next_call_works() {
    let folder = folder("crash");
    let mut client = in_a(&folder, &[], &[]);
    let hanging = client.request("tools/call", json!({ "name": "hang" }));
    let crashing = client.request("tools/call", json!({ "name": "crash" }));
    for id in [hanging, crashing] {
        let answer = client.answer_to(id);
        assert_eq!(answer["error"]["data"]["code"], "server_ended", "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains("ended with status 9"), "{answer}");
    }
    assert_eq!(text_of(&client.call("slow", json!({ "ms": 0 }))), folder.at("a"));
    assert_eq!(starts(&folder), 2);
}

#[test]
fn a_server_that_ends_again_and_again_is_given_up() {
    let folder = folder("again");
    // Starts in the empty folder, and ends in every project.
    std::fs::write(folder.at("a/.stop"), "").unwrap();
    let script = "[ -e .stop ] && exit 5; exec \"$0\" \"$@\"";
    let scripted = support::client::scripted();
    let log = folder.at("starts");
    let server = ["sh", "-c", script, scripted.as_str()];
    let mut client =
        Client::with_server(&["--restarts", "2"], &server, &folder.at("plain"), &[("SCRIPTED_STARTS", &log)]);
    client.initialize(json!([folder.at("a")]));
    let answer = client.call("where", json!({}));
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    let text = text_of(&answer);
    assert!(text.contains("ended with status 5, 3 times in a row"), "{text}");
    // Another project has another chance.
    client.roots = json!([folder.at("b")]);
    client.notify("notifications/roots/list_changed");
    let until = Instant::now() + Duration::from_secs(20);
    while client.call("where", json!({}))["result"]["isError"] == true {
        assert!(Instant::now() < until);
    }
}

#[test]
fn a_server_that_cannot_start_gives_its_status() {
    let folder = folder("dies");
    let option = format!("--project={}", folder.at("a"));
    let mut client = Client::start(&[&option, "--restarts", "1"], &["--dies"], &folder.at("plain"), &[]);
    client.request(
        "initialize",
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "raw", "version": "1" } }),
    );
    assert_eq!(client.exit_status(), Some(3));
}

#[test]
fn a_server_that_needs_a_project_gets_one_although_it_could_not_answer_the_handshake() {
    let folder = folder("needs");
    let mut client = Client::start(&[], &["--needs-mark"], &folder.at("plain"), &[]);
    let answer = client.initialize(json!([folder.at("a")]));
    assert_eq!(answer["result"]["serverInfo"]["name"], "scripted");
    assert_eq!(text_of(&client.call("slow", json!({ "ms": 0 }))), folder.at("a"));
    // It has no prompts, which nobody could know at the handshake.
    assert_eq!(client.asks("prompts/list", json!({}))["result"]["prompts"], json!([]));
    assert_eq!(client.asks("tools/list", json!({}))["result"]["tools"][0]["name"], "where");
}

#[test]
fn a_server_that_says_nothing_is_given_up() {
    let folder = folder("mute");
    let option = format!("--project={}", folder.at("a"));
    let options = [option.as_str(), "--start-timeout", "1", "--restarts", "0"];
    let mut client = Client::start(&options, &["--mute"], &folder.at("plain"), &[]);
    client.request(
        "initialize",
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "raw", "version": "1" } }),
    );
    assert_eq!(client.exit_status(), Some(137));
}

#[test]
fn half_lines_are_joined_and_never_mixed() {
    let folder = folder("half");
    let mut client = in_a(&folder, &[], &[]);
    let answer = client.call("half", json!({}));
    assert_eq!(answer["result"]["content"], json!([]));
    // One that is never completed does not spoil the next line.
    let answer = client.call("half", json!({ "die": true }));
    assert_eq!(answer["error"]["data"]["code"], "server_ended", "{answer}");
    assert_eq!(text_of(&client.call("slow", json!({ "ms": 0 }))), folder.at("a"));
}

#[test]
#[cfg(unix)]
fn a_server_that_closes_a_stream_and_lives_on_is_replaced() {
    let folder = folder("closes");
    let option = format!("--project={}", folder.at("a"));
    let result =
        r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#;
    let closing = |close: &str| {
        let script = format!(
            r#"read line; id=$(echo "$line" | sed 's/.*"id":\("[^"]*"\).*/\1/'); echo '{{"jsonrpc":"2.0","id":'$id',"result":{result}}}'; read line; {close}; sleep 60"#
        );
        let mut client = Client::with_server(&[&option], &["sh", "-c", &script], &folder.at("plain"), &[]);
        client.initialize(Value::Null);
        // The second one comes when the input is closed for certain.
        let ids = [client.request("tools/call", json!({ "name": "t" })), {
            std::thread::sleep(Duration::from_millis(300));
            client.request("tools/call", json!({ "name": "t" }))
        }];
        (client, ids)
    };
    for (stream, (mut client, ids)) in [("output", closing("exec >&-")), ("input", closing("exec <&-"))] {
        for id in ids {
            let answer = client.answer_to(id);
            let text = answer["error"]["message"].as_str().unwrap();
            assert!(text.contains(&format!("closed its {stream}")), "{answer}");
        }
    }
}

#[test]
fn a_message_with_bytes_that_are_no_text_is_still_an_answer() {
    let folder = folder("binary");
    let (a, b) = (folder.at("a"), folder.at("b"));
    let mut client = Client::start(&[], &[], &folder.at("plain"), &[("SCRIPTED_ENDS", &folder.at("ends"))]);
    client.initialize(json!([a]));
    let id = client.request("tools/call", json!({ "name": "binary" }));
    assert_eq!(text_of(&client.answer_to(id)), "\u{fffd}\u{fffd}");
    // The server has nothing to do any more, so that it ends when its client works elsewhere.
    client.roots = json!([b]);
    client.notify("notifications/roots/list_changed");
    while text_of(&client.call("slow", json!({ "ms": 0 }))) != b {}
    let until = Instant::now() + Duration::from_secs(20);
    while !std::fs::read_to_string(folder.at("ends")).unwrap_or_default().contains(&a) {
        assert!(Instant::now() < until, "it goes on");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Resident memory in KiB.
#[cfg(target_os = "linux")]
fn memory(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn a_flood_that_nobody_reads_waits_in_the_server() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::{Command, Stdio};

    let folder = folder("flood");
    let mut command = Command::new(support::ROOTWISE);
    command.args(["run", &format!("--project={}", folder.at("a")), "--", &support::client::scripted()]);
    command.current_dir(folder.at("plain")).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut send = |message: Value| {
        writeln!(stdin, "{message}").unwrap();
        stdin.flush().unwrap();
    };
    let client = json!({ "name": "raw", "version": "1" });
    send(
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client } }),
    );
    lines.next().unwrap().unwrap();
    send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    // 100 MB, of which the client reads nothing at first.
    let flood = json!({ "name": "flood", "arguments": { "lines": 100_000 } });
    send(json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": flood }));
    let mut seen = Vec::new();
    for _ in 0..20 {
        std::thread::sleep(Duration::from_millis(50));
        seen.push(memory(child.id()));
    }
    assert!(seen.iter().all(|kib| *kib < 64 << 10), "{seen:?}");
    // Everything comes, in order.
    let mut expected = 0;
    loop {
        let message: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        if message["id"] == 2 {
            break;
        }
        assert_eq!(message["params"]["data"][0], expected);
        expected += 1;
    }
    assert_eq!(expected, 100_000);
    assert!(memory(child.id()) < 64 << 10);
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

/// 100,000 messages in each direction, or as many as the variable says.
#[test]
#[cfg(target_os = "linux")]
fn many_messages_leave_nothing_behind() {
    let folder = folder("soak");
    let all: u64 = std::env::var("ROOTWISE_SOAK_MESSAGES").map_or(100_000, |text| text.parse().unwrap());
    let mut client = in_a(&folder, &[], &[]);
    let mut next = 0;
    let mut after_a_tenth = 0;
    while next < all {
        let ids: Vec<u64> =
            (0..100).map(|_| client.request("tools/call", json!({ "name": "other", "arguments": {} }))).collect();
        for id in ids {
            client.answer_to(id);
        }
        next += 100;
        if after_a_tenth == 0 && next >= all / 10 {
            after_a_tenth = memory(client.child.id());
        }
    }
    let at_the_end = memory(client.child.id());
    assert!(at_the_end < after_a_tenth + 4_096, "{after_a_tenth} KiB and {at_the_end} KiB");
}

#[test]
fn a_server_that_does_not_read_does_not_stop_what_it_says() {
    let folder = folder("deadlock");
    let mut client = in_a(&folder, &[], &[]);
    // The server is busy writing while more requests come than any pipe holds.
    let flood = client.request("tools/call", json!({ "name": "flood", "arguments": { "lines": 3_000 } }));
    let filler = "x".repeat(10_000);
    let ids: Vec<u64> =
        (0..300).map(|_| client.request("tools/call", json!({ "name": "other", "filler": filler }))).collect();
    assert_eq!(text_of(&client.answer_to(flood)), "done");
    for id in ids {
        assert!(text_of(&client.answer_to(id)).contains("xxx"));
    }
}

#[test]
fn a_server_that_reads_nothing_stops_no_other() {
    let folder = folder("stuck");
    let (a, b, log) = (folder.at("a"), folder.at("b"), folder.at("lines"));
    let mut client =
        Client::start(&["--start-in", "none"], &[], &folder.at("plain"), &[("SCRIPTED_LINES", log.as_str())]);
    client.initialize(Value::Null);
    let call = |client: &mut Client, folder: &str, tool: &str, arguments: Value| {
        let meta = json!({ "codex/sandbox-state-meta": { "sandboxCwd": format!("file://{folder}") } });
        client.request("tools/call", json!({ "name": tool, "arguments": arguments, "_meta": meta }))
    };
    let hanging = call(&mut client, &b, "hang", json!({}));
    // Requests for a server that only starts would wait elsewhere.
    for folder in [&a, &b] {
        let began = call(&mut client, folder, "slow", json!({ "ms": 0 }));
        assert_eq!(text_of(&client.answer_to(began)), *folder);
    }
    let busy = call(&mut client, &a, "slow", json!({ "ms": 12_000 }));
    let filler = "x".repeat(10_000);
    // More than pipes and queues hold.
    let ids: Vec<u64> = (0..200).map(|_| call(&mut client, &a, "other", json!({ "filler": filler }))).collect();
    let refused = client.answer_to(*ids.last().unwrap());
    assert!(refused["result"]["isError"] == true && text_of(&refused).contains("reads nothing"), "{refused}");
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": hanging } });
    client.send(&cancel);
    let other = call(&mut client, &b, "slow", json!({ "ms": 0 }));
    assert_eq!(text_of(&client.answer_to(other)), b);
    assert!(std::fs::read_to_string(&log).unwrap().contains(&cancel.to_string()));
    assert!(!client.has_read(|message| message["id"] == busy), "it is still busy");
    // It goes on where it was.
    assert_eq!(text_of(&client.answer_to(busy)), a);
    assert!(text_of(&client.answer_to(ids[0])).contains("xxx"));
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        let again = call(&mut client, &a, "slow", json!({ "ms": 0 }));
        if text_of(&client.answer_to(again)) == a {
            return;
        }
        assert!(Instant::now() < until);
    }
}

#[test]
fn too_many_waiting_requests_are_refused() {
    let folder = folder("many");
    let mut client = Client::start(&[], &[], &folder.at("plain"), &[]);
    client.initialize(json!([folder.at("a")]));
    client.roots = Value::Null;
    let ids: Vec<u64> = (0..1_100).map(|_| client.request("tools/list", json!({}))).collect();
    let last = client.answer_to(*ids.last().unwrap());
    assert_eq!(last["error"]["data"]["code"], "too_many_waiting");
}

#[test]
#[cfg(unix)]
fn signals_reach_the_server_and_its_status_comes_back() {
    use rustix::process::{Pid, Signal, kill_process};

    let folder = folder("signal");
    let mark = folder.at("mark");
    // It handles the signal, and says so.
    let script = format!("trap 'echo handled > {mark}; exit 42' TERM; echo ready; while :; do sleep 0.05; done");
    let option = format!("--project={}", folder.at("a"));
    let mut client = Client::with_server(&[&option], &["sh", "-c", &script], &folder.at("plain"), &[]);
    assert_eq!(client.line().as_deref(), Some("ready"));
    kill_process(Pid::from_raw(client.child.id().try_into().unwrap()).unwrap(), Signal::TERM).unwrap();
    assert_eq!(client.exit_status(), Some(42));
    assert_eq!(std::fs::read_to_string(mark).unwrap(), "handled\n");
}

#[test]
#[cfg(unix)]
fn signals_that_a_server_gives_a_meaning_reach_it_and_end_nothing() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::{Command, Stdio};

    use rustix::process::{Pid, Signal, kill_process};

    let folder = folder("user-signal");
    let script = "trap 'echo one' USR1; trap 'echo two' USR2; trap 'echo quit; exit 7' QUIT; echo ready; while :; do if read line; then echo got; fi; done";
    let (project, file) = (format!("--project={}", folder.at("a")), folder.at("session.ndjson"));
    for command in [["run", project.as_str()], ["record", file.as_str()]] {
        let mut child = Command::new(support::ROOTWISE)
            .args(command)
            .args(["--", "sh", "-c", script])
            .current_dir(folder.at("plain"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let pid = Pid::from_raw(child.id().try_into().unwrap()).unwrap();
        assert_eq!(lines.next().unwrap().unwrap(), "ready");
        let mut stdin = child.stdin.take().unwrap();
        for (signal, said) in [(Signal::USR1, "one"), (Signal::USR2, "two")] {
            kill_process(pid, signal).unwrap();
            assert_eq!(lines.next().unwrap().unwrap(), said, "{command:?}");
            // It is served as before.
            stdin.write_all(b"line\n").unwrap();
            assert_eq!(lines.next().unwrap().unwrap(), "got", "{command:?}");
        }
        kill_process(pid, Signal::QUIT).unwrap();
        assert_eq!(lines.next().unwrap().unwrap(), "quit", "{command:?}");
        assert_eq!(child.wait().unwrap().code(), Some(7));
    }
}

#[test]
#[cfg(unix)]
fn signals_reach_the_servers_of_clients_over_http_too() {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::TcpStream;
    use std::process::{Command, Stdio};

    use rustix::process::{Pid, Signal, kill_process};

    let folder = folder("http-signal");
    let mark = folder.at("mark");
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}"#;
    // A shell handles a signal between its commands.
    let script = format!(
        "say() {{ echo $1 >> {mark}; }}; trap 'say one' USR1; trap 'say two' USR2; trap 'say quit; exit 7' QUIT
         trap 'say term; exit' TERM; read line; echo '{answer}'; say ready; while :; do sleep 0.05; done"
    );
    let mut child = Command::new(support::ROOTWISE)
        .args(["run", "--http", &format!("--project={}", folder.at("a")), "--", "sh", "-c", &script])
        .current_dir(folder.at("plain"))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let pid = Pid::from_raw(child.id().try_into().unwrap()).unwrap();
    let mut url = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
    let address = url.trim().trim_start_matches("http://").trim_end_matches("/mcp");
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
    let head = format!("POST /mcp HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\nconnection: close");
    let accept = "accept: application/json, text/event-stream";
    for _ in 0..2 {
        let mut stream = TcpStream::connect(address).unwrap();
        write!(stream, "{head}\r\n{accept}\r\ncontent-length: {}\r\n\r\n{body}", body.len()).unwrap();
        let mut said = String::new();
        stream.read_to_string(&mut said).unwrap();
        assert!(said.starts_with("HTTP/1.1 200") && said.contains("mcp-session-id"), "{said}");
    }
    let mut expected = vec!["ready"; 2];
    let said = |expected: &[&str]| {
        let until = Instant::now() + Duration::from_secs(20);
        loop {
            let text = std::fs::read_to_string(&mark).unwrap_or_default();
            if text.lines().collect::<Vec<_>>() == expected {
                return;
            }
            assert!(Instant::now() < until, "{text:?}, not {expected:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    said(&expected);
    for (signal, word) in [(Signal::USR1, "one"), (Signal::USR2, "two"), (Signal::QUIT, "quit")] {
        kill_process(pid, signal).unwrap();
        expected.extend([word; 2]);
        said(&expected);
    }
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let (status, text) = support::said(&["run", "--", "no-such-server"]);
    assert!(status == Some(2) && text.contains("`no-such-server` cannot be started"), "{text}");
}
