//! Every state of the real machine in small worlds: a breadth-first walk that knows states by their hash.
//!
//! A world is a policy, host facts and an alphabet: two roots, two asks, both eras, errors, timeouts, changes, a selection, a
//! second handshake, the end. From every state every event of the alphabet is tried, and every step must keep the promises in
//! [`check`]. Two states are one if they differ only in what cannot matter: the time of day, counters of what is over, ages
//! beyond every limit. A walk ends when no new state turns up, or at `ROOTWISE_STATES` states, which it says:
//!
//! ```text
//! ROOTWISE_STATES=1000000 cargo test --release -p rootwise --test states -- --nocapture --test-threads=1
//! ```
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::or_fun_call,
    clippy::string_slice,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "a test stops at the first surprise"
)]

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use rootwise::action::{Action, Outcome, RootsState};
use rootwise::event::{
    Argument, AskVia, AskWithdrawn, Asked, ClientInitialized, EntryKind, Event, Probed, ProbedPath, RefusalKind,
    RequestFacts, RequestRefused, RootsListed, SelectBy, Selected, SelectionCleared, Want,
};
use rootwise::host::{HostFacts, Transport};
use rootwise::path::{PathStyle, is_inside};
use rootwise::policy::Policy;
use rootwise::project::Project;
use rootwise::{RequestToken, Resolver};
use serde_json::value::RawValue;

/// States of each world in a normal run.
const STATES: usize = 2_500;

/// Of changes, and the shortest wait for a refresh.
const MIN_INTERVAL: u64 = 250;
const MAX_AGE: u64 = 1_000;
const LIFE: u64 = 60_000;

/// The machine and what its host knows.
#[derive(Clone)]
struct Node {
    machine: Resolver,
    now: u64,
    waiting: BTreeSet<u32>,
    token: u32,
    probes: BTreeMap<u32, Vec<String>>,
    announced: Option<String>,
    initialized: bool,
    closed: bool,
    path: Vec<&'static str>,
}

/// One event of the alphabet.
#[derive(Clone, Copy, Debug)]
enum Act {
    Init,
    Ready,
    Changed,
    Listed(&'static str),
    HostListed(&'static str),
    Refused(RefusalKind, i64),
    Stale,
    Ask(u32),
    AskRoots(u32),
    Modern(u32),
    ModernPath(u32),
    Select(u32),
    Clear(u32),
    Withdraw(u32),
    Probed(Option<EntryKind>),
    /// A folder that leads out of the allowed ones.
    Link,
    Deadline,
    /// Time passes while nothing is under way.
    Later(u64),
    Closed,
}

const ONE: &str = r#"{"roots":[{"uri":"file:///p/a"}]}"#;
const BOTH: &str = r#"{"roots":[{"uri":"file:///q/out"},{"uri":"file:///p/b"}]}"#;
const NONE: &str = r#"{"roots":[]}"#;

const ALPHABET: [(&str, Act); 29] = [
    ("initialize", Act::Init),
    ("ready", Act::Ready),
    ("changed", Act::Changed),
    ("one root", Act::Listed(ONE)),
    ("two roots", Act::Listed(BOTH)),
    ("no roots", Act::Listed(NONE)),
    ("a list from the host", Act::HostListed(ONE)),
    ("an error", Act::Refused(RefusalKind::Error, -32603)),
    ("unsupported", Act::Refused(RefusalKind::Error, -32601)),
    ("abandoned", Act::Refused(RefusalKind::Abandoned, 0)),
    ("a stale answer", Act::Stale),
    ("ask 1", Act::Ask(1)),
    ("ask 2", Act::Ask(2)),
    ("ask 2 for roots", Act::AskRoots(2)),
    ("modern ask 1", Act::Modern(1)),
    ("modern ask 2 with a path", Act::ModernPath(2)),
    ("select by 1", Act::Select(1)),
    ("select by 2", Act::Select(2)),
    ("clear by 2", Act::Clear(2)),
    ("withdraw 1", Act::Withdraw(1)),
    ("a folder", Act::Probed(Some(EntryKind::Directory))),
    ("nothing there", Act::Probed(Some(EntryKind::Missing))),
    ("no report", Act::Probed(None)),
    ("a file", Act::Probed(Some(EntryKind::File))),
    ("a link", Act::Link),
    ("deadline", Act::Deadline),
    ("a second later", Act::Later(1_000)),
    ("a minute later", Act::Later(60_000)),
    ("closed", Act::Closed),
];

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

fn modern(argument: Option<&str>) -> RequestFacts {
    let capabilities = Some(raw(r#"{"roots":{}}"#));
    RequestFacts::default().capabilities(capabilities).argument(argument.map(Argument::from))
}

impl Node {
    fn new(policy: &str, host: HostFacts) -> Self {
        let machine = Resolver::new(Policy::from_json(policy).unwrap(), host).unwrap();
        Self {
            machine,
            now: 0,
            waiting: BTreeSet::new(),
            token: 0,
            probes: BTreeMap::new(),
            announced: None,
            initialized: false,
            closed: false,
            path: Vec::new(),
        }
    }

    fn in_flight(&self) -> bool {
        matches!(self.machine.roots().state, RootsState::Pending | RootsState::Overdue)
    }

    /// The event, where it can happen in this state.
    fn event(&self, act: Act) -> Option<Event> {
        let free = |ask: u32| !self.waiting.contains(&ask);
        let asked = |ask: u32, want: Want, facts: RequestFacts| Event::Asked(Asked::new(ask).want(want).facts(facts));
        let newest = RequestToken(self.token);
        Some(match act {
            Act::Init => {
                let capabilities = Some(raw(r#"{"roots":{}}"#));
                Event::ClientInitialized(ClientInitialized::default().capabilities(capabilities))
            }
            Act::Ready => Event::ClientReady,
            Act::Changed => Event::RootsChanged(Default::default()),
            Act::Listed(list) if self.in_flight() => Event::RootsListed(RootsListed::new(raw(list)).request(newest)),
            Act::HostListed(list) => Event::RootsListed(RootsListed::new(raw(list))),
            Act::Refused(kind, code) if self.in_flight() => {
                Event::RequestRefused(RequestRefused::new(newest, kind).code(code))
            }
            Act::Stale if self.token > 1 || (self.token == 1 && !self.in_flight()) => {
                let old = if self.in_flight() { self.token - 1 } else { self.token };
                Event::RootsListed(RootsListed::new(raw(BOTH)).request(RequestToken(old)))
            }
            Act::Ask(ask) if free(ask) => asked(ask, Want::Project, RequestFacts::default()),
            Act::AskRoots(ask) if free(ask) => asked(ask, Want::Roots, RequestFacts::default()),
            Act::Modern(ask) if free(ask) => asked(ask, Want::Project, modern(None)),
            Act::ModernPath(ask) if free(ask) => asked(ask, Want::Project, modern(Some("/p/a"))),
            Act::Select(ask) if free(ask) => {
                Event::Selected(Selected::new(ask, SelectBy::Path("/p/b".to_owned())).ask_via(AskVia::Request))
            }
            Act::Clear(ask) if free(ask) => Event::SelectionCleared(SelectionCleared::new(ask)),
            Act::Withdraw(ask) if !free(ask) => Event::AskWithdrawn(AskWithdrawn::new(ask)),
            Act::Link => {
                let (probe, paths) = self.probes.last_key_value()?;
                let said =
                    |path: &String| ProbedPath::new(path.clone(), EntryKind::Directory).real_path("/q/out".to_owned());
                Event::Probed(Probed::new(*probe, paths.iter().map(said).collect()))
            }
            // Any event has the asks that wait evaluated again; this one says nothing.
            Act::Later(_) if self.machine.deadline().is_none() => Event::AskWithdrawn(AskWithdrawn::new(99)),
            Act::Probed(found) => {
                let (probe, paths) = self.probes.last_key_value()?;
                let said = |path: &String| {
                    // What is above a file is a folder, and nothing has no real path.
                    let is_above = found == Some(EntryKind::File) && path.matches('/').count() == 1;
                    let found = if is_above { EntryKind::Directory } else { found.unwrap_or(EntryKind::Missing) };
                    let real_path = (found != EntryKind::Missing).then(|| path.clone());
                    ProbedPath::new(path.clone(), found).real_path(real_path)
                };
                let paths = if found.is_some() { paths.iter().map(said).collect() } else { Vec::new() };
                Event::Probed(Probed::new(*probe, paths))
            }
            Act::Deadline if self.machine.deadline().is_some() => Event::DeadlineReached,
            Act::Closed => Event::Closed,
            _ => return None,
        })
    }

    /// The state after an event, with every promise checked on the way.
    fn step(&self, name: &'static str, act: Act, allowed: Option<&str>) -> Option<Self> {
        let event = self.event(act)?;
        let mut next = self.clone();
        next.path.push(name);
        if matches!(act, Act::Deadline) {
            next.now = next.now.max(self.machine.deadline()?.0);
        }
        if let Act::Later(time) = act {
            next.now += time;
        }
        let was_in_flight = self.in_flight();
        let result = next.machine.handle(event, next.now);
        let asks = match act {
            Act::Ask(ask)
            | Act::AskRoots(ask)
            | Act::Modern(ask)
            | Act::ModernPath(ask)
            | Act::Select(ask)
            | Act::Clear(ask) => Some(ask),
            _ => None,
        };
        if self.closed && asks.is_some() {
            assert!(result.is_err(), "an ask after the end: {:?}", next.path);
            return None;
        }
        let actions = result.unwrap_or_else(|misuse| panic!("{misuse} after {:?}", next.path));
        next.waiting.extend(asks);
        match act {
            Act::Withdraw(ask) => drop(next.waiting.remove(&ask)),
            Act::Closed => next.closed = true,
            Act::Init => next.initialized = true,
            _ => {}
        }
        let ends_flight = match act {
            Act::Listed(_) | Act::Refused(..) | Act::Closed => true,
            Act::Init => self.initialized,
            _ => false,
        };
        check(self, &mut next, &actions, was_in_flight && !ends_flight, allowed);
        Some(next)
    }

    /// The text of the state without what cannot matter.
    fn normal(&self) -> String {
        let text = format!("{:?}", self.machine);
        let text = &text[text.find("connection: Connection").unwrap()..];
        let mut places: Vec<u64> = Vec::new();
        let mut probes: Vec<u64> = Vec::new();
        numbers(text, |name, number| match name {
            "place" | "Ask" => places.push(number),
            "ProbeId" => probes.push(number),
            _ => {}
        });
        for list in [&mut places, &mut probes] {
            list.sort_unstable();
            list.dedup();
        }
        let rank = |list: &[u64], number: u64| list.binary_search(&number).unwrap_or(list.len()) as u64;
        let now = self.now;
        let mut out = String::with_capacity(text.len());
        let mut from = 0;
        let mut at_numbers = Vec::new();
        positions(text, |start, end, name, number| at_numbers.push((start, end, name.to_owned(), number)));
        for (start, end, name, number) in at_numbers {
            let normal = match name.as_str() {
                // Times, from now on or until now.
                "expires_at" | "deadline" | "until" | "refresh_by" => number.saturating_sub(now),
                "last_sent" => now.saturating_sub(number).min(MIN_INTERVAL),
                // What is older than the fresh time is equally old, and so is a failure after its rest.
                "at" => now.saturating_sub(number).min(MAX_AGE),
                "failed_at" => now.saturating_sub(number).min(LIFE),
                "answer_took" => number.clamp(MIN_INTERVAL / 2, MAX_AGE / 2),
                "now" | "revision" | "stale_answers" | "requested" | "arrived" | "last_token" => 0,
                // A request is the newest or one that is over.
                "RequestToken" | "rootwise" => u64::from(number < u64::from(self.token)),
                "place" | "Ask" => rank(&places, number),
                "ProbeId" => rank(&probes, number),
                _ => number,
            };
            out.push_str(&text[from..start]);
            out.push_str(&normal.to_string());
            from = end;
        }
        out.push_str(&text[from..]);
        out
    }

    fn hash(&self) -> u128 {
        let text = self.normal();
        let part = |salt: u8| {
            let mut hasher = DefaultHasher::new();
            (salt, &text).hash(&mut hasher);
            u128::from(hasher.finish())
        };
        part(0) << 64 | part(1)
    }
}

/// Calls back for every number in a debug text, with its place and the field or type that it belongs to.
fn positions<'t>(text: &'t str, mut found: impl FnMut(usize, usize, &'t str, u64)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && bytes[at].is_ascii_digit() {
            at += 1;
        }
        let before = text[..start].strip_suffix("Some(").unwrap_or(&text[..start]);
        let before =
            before.strip_suffix(": ").or_else(|| before.strip_suffix('(')).or_else(|| before.strip_suffix('-'));
        let name = before.map(|before| {
            let word = before.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |at| at + 1);
            &before[word..]
        });
        if let (Some(name), Ok(number)) = (name, text[start..at].parse()) {
            found(start, at, name, number);
        }
    }
}

fn numbers(text: &str, mut found: impl FnMut(&str, u64)) {
    positions(text, |_, _, name, number| found(name, number));
}

fn rank(action: &Action) -> u8 {
    match action {
        Action::Answer(_) => 0,
        Action::Announce(_) => 1,
        Action::Cancel(_) => 2,
        Action::SendRequest(_) => 3,
        Action::Probe(_) => 4,
        Action::Forward(_) => 5,
        _ => 6,
    }
}

/// What every step keeps, whatever came before it.
fn check(before: &Node, next: &mut Node, actions: &[Action], in_flight: bool, allowed: Option<&str>) {
    let path = next.path.clone();
    assert!(actions.is_sorted_by_key(rank), "the order of {actions:?} after {path:?}");
    let inside = |project: &Project| {
        let real = project.real_path.as_deref();
        let ok = |folder: &str, at: Option<&str>| at.is_some_and(|at| is_inside(folder, at, PathStyle::Posix));
        let is_in = allowed.is_none_or(|folder| ok(folder, project.path.as_deref()) && ok(folder, real));
        assert!(is_in, "{project:?} is outside after {path:?}");
    };
    let (mut sent, mut cancelled) = (0, false);
    for action in actions {
        match action {
            Action::Answer(answer) => {
                for ask in &answer.asks {
                    assert!(next.waiting.remove(&ask.0), "{ask:?} is answered without waiting after {path:?}");
                }
                match &answer.outcome {
                    Outcome::Resolved { project }
                    | Outcome::Selected { project, .. }
                    | Outcome::Cleared { project: Some(project), .. } => inside(project),
                    _ => {}
                }
            }
            Action::Announce(announce) => {
                let from = announce.from.as_ref().map(|project| project.key.clone());
                assert_eq!(from, next.announced, "the announced project after {path:?}");
                next.announced = announce.to.as_ref().map(|project| project.key.clone());
                assert_ne!(from, next.announced, "nothing changed after {path:?}");
                announce.to.as_deref().into_iter().for_each(inside);
            }
            Action::Cancel(cancel) => {
                assert_eq!(cancel.request.0, before.token, "a request that is over is cancelled after {path:?}");
                cancelled = true;
            }
            Action::SendRequest(send) => {
                assert!(!in_flight || cancelled, "a second request is in flight after {path:?}");
                assert_eq!(send.request.0, before.token + 1, "the token after {path:?}");
                next.token = send.request.0;
                sent += 1;
            }
            Action::Probe(probe) => {
                let paths = probe.paths.iter().map(|path| path.path.clone()).collect();
                assert!(next.probes.insert(probe.probe.0, paths).is_none(), "a probe id twice after {path:?}");
            }
            _ => {}
        }
    }
    assert!(sent <= 1, "two requests after {path:?}");
    if let Some(project) = next.machine.project() {
        inside(project);
    }
    // Only probes that are still open are answered.
    let mut open = BTreeSet::new();
    numbers(&format!("{:?}", next.machine), |name, number| {
        if name == "ProbeId" {
            open.insert(number as u32);
        }
    });
    next.probes.retain(|probe, _| open.contains(probe));
    if next.closed {
        assert!(next.waiting.is_empty() && next.machine.deadline().is_none(), "something is left after {path:?}");
        assert!(!before.closed || actions.is_empty(), "{actions:?} after the end: {path:?}");
    }
    let idle = next.waiting.is_empty() && !next.in_flight() && open.is_empty();
    assert!(next.machine.deadline().is_some() || idle, "nothing will ever end the wait after {path:?}");
}

/// What a state keeps by itself.
fn check_state(node: &Node) {
    let path = &node.path;
    let text = format!("{:?}", node.machine);
    let mut machine = node.machine.clone();
    let unknown = Event::Probed(Probed::new(u32::MAX, Vec::new()));
    assert!(machine.handle(unknown, node.now + 1_000_000).is_err());
    if let Some(ask) = node.waiting.first() {
        let twice = Event::Asked(Asked::new(*ask));
        assert!(machine.handle(twice, node.now + 1_000_000).is_err());
    }
    assert_eq!(text, format!("{machine:?}"), "a refused event changed something after {path:?}");
    let is_http = node.machine.host().transport == Transport::Http;
    if is_http && !node.waiting.contains(&9) && !node.closed {
        // A modern ask over HTTP is stateless: if it ends at once, it leaves nothing behind.
        let ask = Asked::new(9).facts(modern(None));
        machine.handle(Event::Asked(ask), node.now).unwrap();
        let rest = Node { machine: machine.clone(), ..node.clone() };
        let cached = |text: String| text.rfind("cached: ").map_or(text.clone(), |at| text[..at].to_owned());
        assert_eq!(cached(node.normal()), cached(rest.normal()), "a modern ask left a trace after {path:?}");
    }
    // Deadlines alone bring it to rest, and every ask to its end.
    let (mut now, mut waiting) = (node.now, node.waiting.clone());
    let mut machine = node.machine.clone();
    for _ in 0..16 {
        let Some(deadline) = machine.deadline() else { break };
        now = now.max(deadline.0);
        for action in machine.handle(Event::DeadlineReached, now).unwrap() {
            if let Action::Answer(answer) = action {
                for ask in answer.asks {
                    assert!(waiting.remove(&ask.0), "answered twice after {path:?}");
                }
            }
        }
        assert!(machine.deadline().is_none_or(|next| next.0 > now), "a deadline came back after {path:?}");
    }
    assert!(machine.deadline().is_none() && waiting.is_empty(), "{waiting:?} waits for ever after {path:?}");
}

/// Walks through all states of a world, or as many as the run allows.
fn walk(name: &str, policy: &str, host: HostFacts) {
    let most = std::env::var("ROOTWISE_STATES").ok().and_then(|text| text.parse().ok()).unwrap_or(STATES);
    let allowed = host.allowed_dirs.clone().map(|dirs| dirs[0].clone());
    let start = Node::new(policy, host);
    let mut seen: HashSet<u128> = HashSet::from([start.hash()]);
    let mut layer = vec![start];
    let (mut depth, mut steps) = (0, 0_usize);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    while !layer.is_empty() && seen.len() < most {
        depth += 1;
        let share = layer.len().div_ceil(threads).max(1);
        let expand = |nodes: &[Node]| -> Vec<(u128, Node)> {
            let mut found = Vec::new();
            for node in nodes {
                check_state(node);
                let next = ALPHABET.iter().filter_map(|(name, act)| node.step(name, *act, allowed.as_deref()));
                found.extend(next.map(|next| (next.hash(), next)));
            }
            found
        };
        // One state's successors at a time, so that only new ones are kept.
        let mut next: Vec<Node> = Vec::new();
        for part in layer.chunks(share.min(512) * threads) {
            let found: Vec<(u128, Node)> = std::thread::scope(|scope| {
                let expand = &expand;
                let shares: Vec<_> = part.chunks(part.len().div_ceil(threads)).collect();
                let running: Vec<_> = shares.into_iter().map(|nodes| scope.spawn(move || expand(nodes))).collect();
                running.into_iter().flat_map(|running| running.join().unwrap()).collect()
            });
            steps += found.len();
            next.extend(found.into_iter().filter(|(hash, _)| seen.insert(*hash)).map(|(_, node)| node));
            if seen.len() >= most {
                break;
            }
        }
        layer = next;
    }
    let end = if layer.is_empty() { "all of them" } else { "more exist" };
    println!("{name}: {} states ({end}), {steps} steps, depth {depth}", seen.len());
    assert!(seen.len() > 1_000, "the walk through {name} has lost its way");
}

fn host() -> HostFacts {
    HostFacts::new(PathStyle::Posix)
}

#[test]
fn on_a_local_connection() {
    let policy = r#"{"name":"small","sources":[{"from":"argument","verify":"none"},{"from":"selected","verify":"none"},
        {"from":"roots","verify":"none"}],"timing":{"retries":1}}"#;
    walk("local", policy, host());
}

#[test]
fn with_a_disk_and_allowed_folders() {
    let policy = r#"{"name":"disk","sources":[{"from":"argument"},{"from":"selected"},{"from":"roots"},{"from":"remembered"}],
        "timing":{"retries":0},"memory":{"pin":"sticky","pinFrom":["roots"]}}"#;
    let mut host = host();
    host.allowed_dirs = Some(vec!["/p".to_owned()]);
    walk("disk", policy, host);
}

#[test]
fn over_http_with_nothing_outside_a_call() {
    let policy = r#"{"name":"http","sources":[{"from":"argument","verify":"none"},{"from":"selected","verify":"none"},
        {"from":"roots","verify":"none"}],"roots":{"ask":"eager"},"selection":{"enforceRoots":"onSelect"},"timing":{"retries":1}}"#;
    let mut host = host();
    host.transport = Transport::Http;
    walk("http", policy, host);
}
