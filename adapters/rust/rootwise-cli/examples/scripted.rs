//! A server for the tests of `rootwise run`: it knows one older revision of the protocol, trusts its working directory, and does on
//! request what servers should not do.
//!
//! Every start is one line in the file that SCRIPTED_STARTS names, every end of the input one in SCRIPTED_ENDS. `--needs-mark` ends in a folder without `.git`, `--dies` ends at once,
//! `--mute` reads and says nothing, `--exit N` is its status at the end of its input, `--modern-only` knows no revision before 2026-07-28.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test stops at the first surprise"
)]

use std::fs::OpenOptions;
use std::io::{BufRead, Write, stdin, stdout};
use std::path::Path;
use std::process::exit;
use std::time::Duration;

use serde_json::{Value, json};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| args.iter().any(|arg| arg == name);
    note("SCRIPTED_STARTS", &std::env::current_dir().unwrap().display().to_string());
    if has("--dies") || (has("--needs-mark") && !Path::new(".git").exists()) {
        eprintln!("scripted: cannot work here");
        exit(3);
    }
    for line in stdin().lock().lines() {
        let line = line.unwrap();
        note("SCRIPTED_LINES", &line);
        let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
        if has("--modern-only") {
            answer_modern(&message, &args);
        } else if !has("--mute") {
            answer(&message, &args);
        }
    }
    note("SCRIPTED_ENDS", &here());
    let at = args.iter().position(|arg| arg == "--exit");
    exit(at.map_or(0, |at| args[at + 1].parse().unwrap()));
}

/// Adds a line to the file that a variable names.
fn note(variable: &str, line: &str) {
    if let Some(file) = std::env::var_os(variable) {
        writeln!(OpenOptions::new().create(true).append(true).open(file).unwrap(), "{line}").unwrap();
    }
}

fn say(message: &Value) {
    let mut out = stdout().lock();
    if writeln!(out, "{message}").and_then(|()| out.flush()).is_err() {
        // Nobody listens any more.
        exit(0);
    }
}

fn answer(message: &Value, args: &[String]) {
    let id = &message["id"];
    let result = match message["method"].as_str() {
        Some("initialize") => json!({
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "scripted", "version": "1" },
            "instructions": format!("roots declared: {}", !message["params"]["capabilities"]["roots"].is_null()),
        }),
        Some("ping") => json!({}),
        Some("tools/list") => json!({ "tools": tools() }),
        Some("tools/call") => match call(message, args) {
            Some(text) => json!({ "content": [{ "type": "text", "text": text }] }),
            None => return,
        },
        Some("resources/read") => json!({ "contents": [{ "uri": message["params"]["uri"], "text": here() }] }),
        Some(method) if !id.is_null() => {
            return say(
                &json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32601, "message": format!("no {method}") } }),
            );
        }
        // The answer to a request of this server: the call that waits for it gets it.
        None if !id.is_null() => {
            let text = json!({ "asked": id, "result": message["result"], "error": message["error"] }).to_string();
            let waiting = id
                .as_str()
                .and_then(|id| id.strip_prefix("for "))
                .map_or_else(|| json!(7), |id| serde_json::from_str(id).unwrap());
            return say(
                &json!({ "jsonrpc": "2.0", "id": waiting, "result": { "content": [{ "type": "text", "text": text }] } }),
            );
        }
        _ => return,
    };
    say(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
}

/// Answers what has the envelope of 2026-07-28, and refuses everything else.
fn answer_modern(message: &Value, args: &[String]) {
    let (id, params) = (&message["id"], &message["params"]);
    if id.is_null() {
        if message["method"] == "notifications/cancelled" {
            listeners().retain(|listener| *listener != params["requestId"]);
        }
        return;
    }
    let reply = |result: Value| say(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
    let refuse = |code: i64, text: &str| {
        say(
            &json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": text, "data": { "supported": ["2026-07-28"] } } }),
        );
    };
    if params["_meta"]["io.modelcontextprotocol/protocolVersion"] != "2026-07-28" {
        return refuse(-32022, "only 2026-07-28");
    }
    let text = |text: String| json!({ "resultType": "complete", "content": [{ "type": "text", "text": text }] });
    match (message["method"].as_str(), params["name"].as_str()) {
        (Some("server/discover"), _) => reply(json!({
            "resultType": "complete", "ttlMs": 0, "cacheScope": "private", "supportedVersions": ["2026-07-28"],
            "capabilities": { "tools": {}, "resources": { "subscribe": true } }, "instructions": "modern",
            "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "scripted", "version": "1" } },
        })),
        (Some("subscriptions/listen"), _) => {
            listeners().push(id.clone());
            tell("notifications/subscriptions/acknowledged", id);
        }
        (Some("tools/list"), _) => {
            reply(json!({ "resultType": "complete", "ttlMs": 0, "cacheScope": "private", "tools": tools() }));
        }
        (Some("tools/call"), Some("ask")) if params["inputResponses"].is_null() => reply(json!({
            "resultType": "input_required", "requestState": "state of this server",
            "inputRequests": {
                "who": { "method": "elicitation/create", "params": { "message": here() } },
                "where": { "method": "roots/list" },
            },
        })),
        (Some("tools/call"), Some("ask" | "meta")) => reply(text(params.to_string())),
        (Some("tools/call"), Some("change")) => {
            listeners().iter().for_each(|listener| tell("notifications/tools/list_changed", listener));
            reply(text(here()));
        }
        (Some("tools/call"), _) => {
            if let Some(said) = call(message, args) {
                reply(text(said));
            }
        }
        _ => refuse(-32601, "unknown method"),
    }
}

/// The subscriptions that are open.
fn listeners() -> std::sync::MutexGuard<'static, Vec<Value>> {
    static LISTENERS: std::sync::Mutex<Vec<Value>> = std::sync::Mutex::new(Vec::new());
    LISTENERS.lock().unwrap()
}

fn tell(method: &str, listener: &Value) {
    let meta = json!({ "io.modelcontextprotocol/subscriptionId": listener });
    say(&json!({ "jsonrpc": "2.0", "method": method, "params": { "_meta": meta } }));
}

/// The folder can add a tool, so that the lists of two projects differ.
fn tools() -> Vec<Value> {
    let extra = std::fs::read_to_string("extra-tool").ok();
    let names = ["where", "crash"].into_iter().map(str::to_owned).chain(extra);
    names.map(|name| json!({ "name": name.trim(), "inputSchema": { "type": "object" } })).collect()
}

fn here() -> String {
    std::env::current_dir().unwrap().display().to_string()
}

fn call(message: &Value, args: &[String]) -> Option<String> {
    let (id, given) = (&message["id"], &message["params"]["arguments"]);
    match message["params"]["name"].as_str()? {
        "where" => Some(json!({
            "cwd": here(), "args": args, "pwd": std::env::var("PWD").ok(), "filled": std::env::var("SCRIPTED_FILLED").ok(),
        }).to_string()),
        "slow" => {
            std::thread::sleep(Duration::from_millis(given["ms"].as_u64()?));
            Some(here())
        }
        "crash" => exit(9),
        "hang" => None,
        "echo" => {
            // Exactly these bytes, spaces and all.
            print!("{}", given["line"].as_str()?);
            stdout().flush().unwrap();
            None
        }
        "binary" => {
            let head = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":""#);
            stdout().write_all(&[head.as_bytes(), b"\xff\xfe\"}]}}\n"].concat()).unwrap();
            stdout().flush().unwrap();
            None
        }
        "half" => {
            let whole = json!({ "jsonrpc": "2.0", "id": id, "result": { "content": [] } }).to_string();
            let (first, second) = whole.split_at(20);
            print!("{first}");
            stdout().flush().unwrap();
            if given["die"] == true {
                exit(4);
            }
            std::thread::sleep(Duration::from_millis(100));
            println!("{second}");
            None
        }
        "flood" => {
            let filler = "x".repeat(1_000);
            for number in 0..given["lines"].as_u64()? {
                say(&json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": { "level": "info", "data": [number, filler] } }));
            }
            Some("done".into())
        }
        "roots" => {
            say(&json!({ "jsonrpc": "2.0", "id": format!("for {id}"), "method": "roots/list" }));
            None
        }
        "ask" => {
            // The same id in every process.
            say(&json!({ "jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": { "message": here() } }));
            None
        }
        _ => Some(message["params"].to_string()),
    }
}
