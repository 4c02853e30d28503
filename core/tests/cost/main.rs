//! The memory and the output of one event, whatever a peer sends: both are bounded by the event's size and by the asks
//! that it answers. Times are printed by `npm run bench`, never asserted.
#![allow(
    unsafe_code,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_precision_loss,
    clippy::panic,
    reason = "a test may fail loudly, and an allocator is unsafe to write"
)]

mod asks;
mod peer;

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
/// For every ask that has request-specific facts.
const DIFFERENT_ASK: usize = 64 << 10;
/// For an ask that is like another one: its places in the queue, in the probe it waits for and in the answer they share.
const EQUAL_ASK: usize = 128;
/// For an id in an answer.
const ASK_ID: usize = 16;

/// One connection, the cost of whose events is measured.
struct Measured {
    resolver: Resolver,
    /// The asks with different facts.
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

    /// The same for the text of an ask that has request-specific facts.
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
