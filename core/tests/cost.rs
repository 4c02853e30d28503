//! The memory and the output of one event, whatever a peer sends: both are bounded by the event's size and by the asks
//! that it answers. Times are printed by `cargo bench`, never asserted.
#![allow(
    unsafe_code,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_precision_loss,
    clippy::panic,
    reason = "a test may fail loudly, and an allocator is unsafe to write"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

use rootwise::host::HostFacts;
use rootwise::path::PathStyle;
use rootwise::policy::Policy;
use rootwise::{Resolver, wire};
use serde_json::{Value, json};

/// Counts the memory of the current thread, so that tests can run side by side.
struct Counting;

thread_local! {
    static USED: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    // A thread that ends frees memory after its counters are gone.
    let _ = USED.try_with(|used| {
        used.set(used.get() + bytes);
        PEAK.with(|peak| peak.set(peak.get().max(used.get())));
    });
}

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size().cast_signed());
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(-layout.size().cast_signed());
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const MIB: usize = 1 << 20;
/// For the connection itself: its list of roots, what is known about the disk, and its project.
const CONNECTION: usize = 256 << 10;
/// For every ask that brings something of its own.
const DIFFERENT_ASK: usize = 64 << 10;
/// For an ask that is like another one: its places in the queue, in the probe it waits for and in the answer they share.
const EQUAL_ASK: usize = 128;
/// For an id in an answer.
const ASK_ID: usize = 16;

/// One connection, the cost of whose events is measured.
struct Measured {
    resolver: Resolver,
    /// The asks that bring something different.
    different: BTreeSet<String>,
    /// The bytes of those of them that came before.
    brought: usize,
    waiting: usize,
    now: f64,
    probes: Vec<Value>,
    /// The largest use of memory and of output, each as a part of what is allowed.
    memory: f64,
    output: f64,
}

impl Measured {
    fn new(policy: &str, asks: usize, ask: impl Fn(usize) -> Value) -> Self {
        let mut host = HostFacts::new(PathStyle::Posix);
        host.cwd = Some("/home/me/cwd".into());
        let mut measured = Self::connected(Policy::preset(policy).unwrap(), host);
        for at in 0..asks {
            measured.ask(at, ask(at));
        }
        measured
    }

    /// After the handshake of a client with roots.
    fn connected(policy: Policy, host: HostFacts) -> Self {
        let resolver = Resolver::new(Arc::new(policy), Arc::new(host)).unwrap();
        let different = BTreeSet::new();
        let mut measured = Self {
            resolver,
            different,
            brought: 0,
            waiting: 0,
            now: 0.0,
            probes: Vec::new(),
            memory: 0.0,
            output: 0.0,
        };
        measured.event(&json!({ "type": "clientInitialized", "capabilities": { "roots": {} } }));
        measured.event(&json!({ "type": "clientReady" }));
        measured
    }

    /// Asks with these members beside the id.
    fn ask(&mut self, id: usize, mut asked: Value) -> usize {
        if asked != json!({}) {
            self.different.insert(asked.to_string());
        }
        asked["type"] = "asked".into();
        asked["ask"] = id.into();
        self.event(&asked)
    }

    /// Handles an event and checks its cost.
    fn event(&mut self, event: &Value) -> usize {
        self.text(&event.to_string())
    }

    /// The same for the text of an ask that brings something of its own.
    fn call(&mut self, ask: &str) -> usize {
        self.different.insert(ask.to_owned());
        self.text(ask)
    }

    /// The same for the text of an event.
    fn text(&mut self, event: &str) -> usize {
        let is_ask =
            ["asked", "selected", "selectionCleared"].iter().any(|kind| event.contains(&format!(r#""type":"{kind}""#)));
        self.waiting += usize::from(is_ask);
        let before = USED.get();
        PEAK.set(before);
        let output = wire::handle(&mut self.resolver, event, self.now).unwrap();
        let memory = usize::try_from(PEAK.get() - before).unwrap();
        let output = output.to_json();
        let mut read: Value = serde_json::from_str(&output).unwrap();
        let Value::Array(mut actions) = read["actions"].take() else { panic!("no actions") };
        let asks = |action: &Value| action["asks"].as_array().map_or(0, Vec::len);
        let answered: usize = actions.iter().map(asks).sum();
        let all = actions.len();
        actions.retain(|action| action["type"] != "answer");
        let answers = all - actions.len();
        self.probes.extend(actions.into_iter().filter(|action| action["type"] == "probe"));
        let most = 4 * (event.len() + self.brought) + CONNECTION + DIFFERENT_ASK * self.different.len();
        let (most_memory, most_output) = (most + EQUAL_ASK * self.waiting, most + ASK_ID * answered);
        let cost = format!(
            "an event of {} bytes with {answers} answers to {answered} asks needs {memory} bytes of memory and {} of output",
            event.len(),
            output.len()
        );
        let shown: String = event.chars().take(160).collect();
        assert!(memory <= most_memory, "{cost}; at most {most_memory} of memory are allowed: {shown}");
        assert!(output.len() <= most_output, "{cost}; at most {most_output} of output are allowed: {shown}");
        self.memory = self.memory.max(memory as f64 / most_memory as f64);
        self.output = self.output.max(output.len() as f64 / most_output as f64);
        for probe in &self.probes {
            let paths = probe["paths"].as_array().unwrap();
            let bytes: usize = paths.iter().map(|path| path["path"].as_str().unwrap().len()).sum();
            assert!(
                paths.len() <= 256 && bytes <= (16 + 8) << 10,
                "a probe of {} paths and {bytes} bytes",
                paths.len()
            );
        }
        self.waiting -= answered;
        self.brought = self.different.iter().map(String::len).sum();
        answered
    }

    /// Sends a list, and replies to every probe; returns the number of answers.
    fn list(&mut self, roots: &[Value], found: &str) -> usize {
        let mut answers = self.event(&json!({ "type": "rootsListed", "request": 1, "result": { "roots": roots } }));
        let mut replies = 0;
        while let Some(probe) = self.probes.pop() {
            answers += self.reply(&probe, found);
            replies += 1;
            assert!(replies < 1000, "the probes never end");
        }
        let (memory, output) = (self.memory * 100.0, self.output * 100.0);
        println!("  memory {memory:.0} %, output {output:.0} % of what is allowed, {replies} probes");
        answers
    }
}

impl Measured {
    /// Replies to a probe: the same for all its paths.
    fn reply(&mut self, probe: &Value, found: &str) -> usize {
        let reply =
            |path: &Value| json!({ "path": path["path"], "found": found, "realPath": path["path"], "markers": [] });
        let paths: Vec<Value> = probe["paths"].as_array().unwrap().iter().map(reply).collect();
        self.event(&json!({ "type": "probed", "probe": probe["probe"], "paths": paths }))
    }
}

/// A list of 1 MiB, of roots with this many bytes each.
fn roots(each: usize, uri: impl Fn(usize) -> String) -> Vec<Value> {
    let each = each.max(uri(0).len());
    (0..MIB / (each + 12)).map(|at| json!({ "uri": format!("{:x<each$}", uri(at)) })).collect()
}

fn plain(_: usize) -> Value {
    json!({})
}

fn valid(at: usize) -> String {
    format!("file:///home/me/{at:05}/")
}

/// Folders inside folders, as deep as a walk goes.
fn deep(at: usize) -> String {
    format!("file:///home/me/{at:05}/{}", "d/".repeat(40))
}

fn invalid(at: usize) -> String {
    format!("file:relative/{at:05}/")
}

const SIZES: [usize; 3] = [40, 400, 8000];

#[test]
fn a_large_list_of_roots() {
    for asks in [1, 1024] {
        for each in SIZES {
            println!("{asks} asks, roots of {each} bytes");
            assert_eq!(Measured::new("recommended", asks, plain).list(&roots(each, valid), "directory"), asks);
        }
    }
}

#[test]
fn a_large_list_without_a_valid_root() {
    for asks in [1, 1024] {
        for each in SIZES {
            println!("{asks} asks, roots of {each} bytes");
            assert_eq!(Measured::new("recommended", asks, plain).list(&roots(each, invalid), "directory"), asks);
        }
    }
}

#[test]
fn a_large_list_of_folders_that_are_missing() {
    for asks in [1, 128] {
        for each in SIZES {
            println!("{asks} asks, roots of {each} bytes");
            assert_eq!(Measured::new("recommended", asks, plain).list(&roots(each, valid), "missing"), asks);
        }
    }
}

#[test]
fn a_large_list_whose_roots_are_walked() {
    for asks in [1, 128] {
        for each in SIZES {
            println!("{asks} asks, roots of {each} bytes");
            let list = roots(each, deep);
            assert_eq!(Measured::new("cocosearch-shipped", asks, plain).list(&list, "missing"), asks);
            assert_eq!(Measured::new("cocosearch-shipped", asks, plain).list(&list, "directory"), asks);
        }
    }
}

#[test]
fn a_few_long_roots_that_are_walked() {
    let long = |at| format!("file:///home/me/{at}/{}/{}", "x".repeat(7000), "d/".repeat(40));
    let list: Vec<Value> = (0..4).map(|at: usize| json!({ "uri": long(at) })).collect();
    assert_eq!(Measured::new("cocosearch-shipped", 1, plain).list(&list, "missing"), 1);
}

#[test]
fn a_large_list_for_asks_that_differ() {
    let ask = |at: usize| json!({ "target": format!("/home/me/{:05}/file", at % 16), "explain": at.is_multiple_of(2) });
    for asks in [16, 256] {
        for each in SIZES {
            println!("{asks} asks, roots of {each} bytes");
            assert_eq!(Measured::new("recommended", asks, ask).list(&roots(each, valid), "directory"), asks);
        }
    }
}

#[test]
fn a_large_list_for_asks_that_want_the_list() {
    for asks in [1, 128] {
        for each in SIZES {
            println!("{asks} asks, roots of {each} bytes");
            let ask = |_| json!({ "want": "roots" });
            assert_eq!(Measured::new("recommended", asks, ask).list(&roots(each, valid), "directory"), asks);
        }
    }
}

#[test]
fn the_end_of_a_connection_with_a_large_list() {
    for each in SIZES {
        println!("1024 asks, roots of {each} bytes");
        let mut measured = Measured::new("recommended", 0, plain);
        measured.event(&json!({ "type": "rootsListed", "result": { "roots": roots(each, valid) } }));
        measured.event(&json!({ "type": "rootsChanged" }));
        for ask in 0..1024 {
            measured.event(&json!({ "type": "asked", "ask": ask }));
        }
        measured.event(&json!({ "type": "closed" }));
    }
}

/// JSON that takes the most memory for its size, one text of each kind.
fn bodies(size: usize) -> Vec<String> {
    let repeated = |part: &str| vec![part; size / (part.len() + 1)].join(",");
    let members = |value: &str| {
        let member = |at: usize| format!(r#""{at:x}":{value}"#);
        let most = size / (value.len() + 8);
        (0..most).map(member).collect::<Vec<_>>().join(",")
    };
    let nested = |open: &str, close: &str| {
        let depth = size / (open.len() + close.len());
        format!("{}0{}", open.repeat(depth), close.repeat(depth))
    };
    vec![
        format!("[{}]", repeated("0")),
        format!("[{}]", repeated("{}")),
        format!("[{}]", repeated(r#""""#)),
        format!("[{}]", repeated(r#"{"uri":""}"#)),
        format!("[{}]", repeated(r#"{"uri":"x:"}"#)),
        format!("{{{}}}", repeated(r#""":0"#)),
        format!("{{{}}}", repeated(r#""\u0061":0"#)),
        format!("{{{}}}", members("0")),
        format!("{{{}}}", members(r#""""#)),
        format!("{{{}}}", members("{}")),
        format!(r#"{{"{}":0}}"#, "\\u0061".repeat(size / 6)),
        nested("[", "]"),
        nested(r#"{"":"#, "}"),
        format!(r#""{}""#, "x".repeat(size)),
        format!(r#""{}""#, r"\n".repeat(size / 2)),
        format!(r#""x{}""#, "\\u0061".repeat(size / 6)),
        "1".repeat(size),
    ]
}

/// A small one, and one for which buffers that double have just doubled.
const SIZES_OF_A_BODY: [usize; 2] = [2_000, (1 << 17) + 16];

/// Feeds events, each with every body in place of `BODY`, to connections that wait for a list.
fn feed(events: &[&str]) {
    for size in SIZES_OF_A_BODY {
        for body in bodies(size) {
            for event in events {
                let mut measured = Measured::new("recommended", 1, plain);
                let event = event.replace("BODY", &body);
                if event.contains(r#""ask":"#) {
                    measured.call(&event)
                } else {
                    measured.text(&event)
                };
            }
        }
    }
}

#[test]
fn a_large_handshake() {
    feed(&[
        r#"{"type":"clientInitialized","capabilities":BODY}"#,
        r#"{"type":"clientInitialized","capabilities":{"roots":BODY}}"#,
        r#"{"type":"clientInitialized","clientInfo":BODY}"#,
        r#"{"type":"clientInitialized","clientInfo":{"name":BODY}}"#,
        r#"{"type":"clientInitialized","protocolVersion":BODY}"#,
    ]);
}

#[test]
fn a_large_answer_of_another_form() {
    feed(&[
        r#"{"type":"rootsListed","request":1,"result":BODY}"#,
        r#"{"type":"rootsListed","request":1,"result":{"roots":BODY}}"#,
        r#"{"type":"rootsListed","request":1,"result":{"roots":[BODY]}}"#,
        r#"{"type":"rootsListed","request":1,"result":{"roots":[{"uri":BODY}]}}"#,
        r#"{"type":"rootsListed","request":1,"result":{"roots":[{"uri":"file:///a","name":BODY}]}}"#,
        r#"{"type":"rootsListed","request":9,"result":{"roots":BODY}}"#,
    ]);
}

const PARTS_OF_A_CALL: [&str; 11] = [
    r#""meta":BODY"#,
    r#""meta":{"codex/sandbox-state-meta":BODY}"#,
    r#""meta":{"codex/sandbox-state-meta":{"sandboxCwd":BODY}}"#,
    r#""meta":{"io.modelcontextprotocol/clientCapabilities":BODY}"#,
    r#""meta":{"io.modelcontextprotocol/clientCapabilities":{"roots":BODY}}"#,
    r#""capabilities":BODY"#,
    r#""capabilities":{},"clientInfo":BODY"#,
    r#""capabilities":{},"clientInfo":{"name":BODY}"#,
    r#""capabilities":{},"inputResponses":BODY"#,
    r#""capabilities":{},"inputResponses":{"rootwise":BODY}"#,
    r#""capabilities":{},"inputResponses":{"rootwise":{"roots":BODY}}"#,
];

#[test]
fn a_large_call() {
    for part in PARTS_OF_A_CALL {
        feed(&[
            &format!(r#"{{"type":"asked","ask":9,"facts":{{{part}}}}}"#),
            &format!(r#"{{"type":"selected","ask":9,"by":{{"path":"/p"}},"facts":{{{part}}}}}"#),
        ]);
    }
}

/// The texts of a call, each with the same text in place of `TEXT`.
const TEXTS: [&str; 10] = [
    r#"{"type":"rootsRefused","request":1,"kind":"error","code":-1,"message":TEXT}"#,
    r#"{"type":"asked","ask":9,"target":TEXT}"#,
    r#"{"type":"asked","ask":9,"facts":{"host":TEXT}}"#,
    r#"{"type":"asked","ask":9,"facts":{"argument":TEXT}}"#,
    r#"{"type":"asked","ask":9,"facts":{"headers":{"X-Project-Path":TEXT}}}"#,
    r#"{"type":"asked","ask":9,"facts":{"query":{"project_path":TEXT}}}"#,
    r#"{"type":"selected","ask":9,"by":{"name":TEXT}}"#,
    r#"{"type":"selected","ask":9,"by":{"path":TEXT}}"#,
    r#"{"type":"selected","ask":9,"by":{"root":TEXT}}"#,
    r#"{"type":"selected","ask":9,"by":{"value":TEXT}}"#,
];

#[test]
fn a_large_text() {
    for size in [2_000, 8_000, (1 << 17) + 16] {
        for text in ["x", "/", "%41", "\u{1}", "\u{10ffff}", "d/", "../", "a,b;"] {
            for start in ["", "/", "file:///", "C:\\"] {
                let text: Value = format!("{start}{}", text.repeat(size / text.len())).into();
                for event in TEXTS {
                    Measured::new("recommended", 1, plain).call(&event.replace("TEXT", &text.to_string()));
                }
            }
        }
    }
}

/// A spelling of a name, with capitals by the bits of a number.
fn spelling(name: &str, bits: usize) -> String {
    let mut bits = bits;
    let mut capital = || {
        let capital = bits & 1 == 1;
        bits >>= 1;
        capital
    };
    name.chars().map(|c| if c.is_alphabetic() && capital() { c.to_ascii_uppercase() } else { c }).collect()
}

#[test]
fn many_headers_and_parameters() {
    for size in [2_000, 40_000, 1_000_000] {
        let tiny: Vec<String> = (0..size / 10).map(|at| format!(r#""{at:x}":"""#)).collect();
        let same = |at| format!(r#""{}":"{at}""#, spelling("x-project-path", at));
        let same: Vec<String> = (0..4096.min(size / 20)).map(same).collect();
        for (kind, entries) in [("headers", &tiny), ("query", &tiny), ("headers", &same)] {
            let facts = format!(r#""facts":{{"{kind}":{{{}}}}}"#, entries.join(","));
            let mut measured = Measured::new("recommended", 1, plain);
            measured.call(&format!(r#"{{"type":"asked","ask":9,{facts}}}"#));
            measured.call(&format!(r#"{{"type":"selected","ask":10,"by":{{"path":"/p"}},{facts}}}"#));
            measured.call(&format!(r#"{{"type":"selectionCleared","ask":11,{facts}}}"#));
        }
    }
}

#[test]
fn a_large_message() {
    let ours = r#"{"jsonrpc":"2.0","id":"rootwise-1","result":BODY}"#;
    let messages = [
        "BODY",
        r#"{"jsonrpc":"2.0","id":BODY,"method":"tools/call"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":BODY,"params":BODY}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":BODY}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":BODY,"clientInfo":BODY}}"#,
        r#"{"jsonrpc":"2.0","id":BODY,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":"rootwise-1","error":BODY}"#,
        r#"{"jsonrpc":"2.0","id":"rootwise-1","error":{"code":BODY,"message":BODY}}"#,
        r#"{"jsonrpc":"2.0","id":"rootwise-1","result":{"roots":BODY}}"#,
        ours,
    ];
    for size in SIZES_OF_A_BODY {
        for body in bodies(size) {
            for message in messages {
                let message = message.replace("BODY", &body);
                // Alone, and in a batch with an answer that is for the resolver.
                let batch = format!("[{message},{}]", ours.replace("BODY", "{}"));
                for text in [message, batch] {
                    let mut measured = Measured::new("recommended", 1, plain);
                    measured.event(&json!({ "type": "message", "text": text }));
                }
            }
        }
    }
}

#[test]
fn a_large_batch() {
    for message in [
        "0",
        "{}",
        r#"{"method":0}"#,
        r#"{"id":0,"method":""}"#,
        r#"{"id":"rootwise-1","result":{}}"#,
        r#"{"id":"rootwise-1","error":{}}"#,
        r#"{"id":"rootwise-9","error":{}}"#,
        r#"{"id":0,"method":"initialize"}"#,
        r#"{"method":"notifications/initialized"}"#,
        r#"{"method":"notifications/roots/list_changed"}"#,
        r#"{"id":"rootwise-1","result":{"roots":[{"uri":"file:///a"}]}},0"#,
    ] {
        for size in [2_000, 40_000, 1_000_000] {
            let text = format!("[{}]", vec![message; size / (message.len() + 1)].join(","));
            for asks in [0, 64] {
                let mut measured = Measured::new("recommended", asks, plain);
                measured.event(&json!({ "type": "message", "text": text }));
            }
        }
    }
}

/// A server that allows one folder, and a configured project in it that is missing.
fn confined(change: impl Fn(&mut rootwise::policy::PolicyConfig)) -> Measured {
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
        json!({ "type": "rootsRefused", "request": 1, "kind": "error", "code": -32601 }),
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
    let refused = json!({ "type": "rootsRefused", "request": 1, "kind": "error", "code": -32601 });
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
            "host": long(at, "host"),
            "argument": long(at, "argument"),
            "headers": { "x-project-path": long(at, "header") },
            "query": { "project_path": long(at, "query") },
            "meta": { "agent-working-dir": long(at, "meta"), "IJ_MCP_SERVER_PROJECT_PATH": long(at, "editor") },
        })
    };
    let ask = |at: usize| json!({ "target": long(at, "target"), "explain": true, "facts": facts(at) });
    for found in ["directory", "missing"] {
        let mut measured = Measured::new("recommended", 12, ask);
        assert_eq!(measured.waiting, 12, "all wait for a look at the disk");
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
        json!({ "type": "rootsRefused", "request": 1, "kind": "abandoned" }),
        json!({ "type": "deadlineReached" }),
    ] {
        let mut measured = Measured::new("recommended", 1024, plain);
        measured.event(&event);
    }
    let mut measured = Measured::new("recommended", 1024, plain);
    assert_eq!(measured.list(&roots(40, valid)[..1], "directory"), 1024);
}
