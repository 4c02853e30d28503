//! Every state of an endpoint in small worlds: a breadth-first walk that knows states by their hash, as `tests/states.rs` does
//! for resolvers. Two states are one if they differ only in what cannot matter: the time of day and the numbers that count up.
//! A walk ends when no new state turns up, or at `ROOTWISE_STATES` states, which it says.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use rootwise::Endpoint;
use rootwise::endpoint::action::EndpointAction;
use rootwise::endpoint::event::{
    CallAsked, CallEnded, CallReturned, CallStarted, ChannelClosed, ChannelEnd, ChannelOpened, EndpointAskWithdrawn,
    EndpointEvent, EndpointProbed, RequestAnswered, RequestRefused, SessionInitialized, SessionOpened, SessionReady,
    SessionRootsChanged,
};
use rootwise::event::{EntryKind, ProbedPath, RefusalKind};
use rootwise::host::{HostFacts, Transport};
use rootwise::path::PathStyle;
use rootwise::policy::Policy;

use super::generate::raw;
use super::promises::Promises;

/// States of each world in a normal run.
const STATES: usize = 2_500;

/// An endpoint and what its host knows.
#[derive(Clone)]
struct Node {
    endpoint: Endpoint,
    promises: Promises,
    now: u64,
    /// The newest request.
    request: u32,
    /// The newest probe and its paths.
    probe: (u32, Vec<String>),
    path: Vec<&'static str>,
}

/// One event of an alphabet; the host fills in the newest request or probe.
#[derive(Clone)]
enum Act {
    Event(EndpointEvent),
    Listed(&'static str),
    Refused(RefusalKind),
    Probed(bool),
    Deadline,
}

type Alphabet = Vec<(&'static str, Act)>;

fn act(name: &'static str, event: impl Into<EndpointEvent>) -> (&'static str, Act) {
    (name, Act::Event(event.into()))
}

fn call(id: u32, session: u32, channel: Option<u32>) -> CallStarted {
    let mut started = CallStarted::new(id);
    started.session = Some(session.into());
    started.channel = channel.map(Into::into);
    started
}

fn ask(id: u32, call: u32) -> CallAsked {
    let mut asked = CallAsked::new(id);
    asked.call = Some(call.into());
    asked
}

fn ask_of_session(id: u32, session: u32) -> CallAsked {
    let mut asked = CallAsked::new(id);
    asked.session = Some(session.into());
    asked
}

fn cancelled(call: u32) -> CallEnded {
    let mut ended = CallEnded::new(call);
    ended.cancelled = true;
    ended
}

impl Node {
    /// An endpoint whose sessions are ready, over HTTP.
    fn new(policy: &str, sessions: u32) -> Self {
        let mut host = HostFacts::new(PathStyle::Posix);
        host.local = Some(true);
        let endpoint = Endpoint::new(Policy::from_json(policy).unwrap(), &host).unwrap();
        let (promises, path) = (Promises::default(), Vec::new());
        let mut node = Self { endpoint, promises, now: 0, request: 0, probe: (0, Vec::new()), path };
        for session in 1..=sessions {
            let mut params = SessionInitialized::new(session);
            params.capabilities = Some(raw(r#"{"roots":{}}"#));
            node.handle(SessionOpened::new(session, Transport::Http).into());
            node.handle(params.into());
            node.handle(SessionReady::new(session).into());
        }
        node
    }

    /// Passes an event on, with every promise checked; false if it is a mistake in this state.
    fn handle(&mut self, event: EndpointEvent) -> bool {
        let output = self.promises.handle(&mut self.endpoint, event, self.now);
        let output = output.unwrap_or_else(|promise| panic!("{promise} after {:?}", self.path));
        for action in output.iter().flat_map(|output| &output.actions) {
            match action {
                EndpointAction::SendRequest(sent) => self.request = sent.request.0,
                EndpointAction::Probe(probe) => {
                    self.probe = (probe.probe.0, probe.paths.iter().map(|path| path.path.clone()).collect());
                }
                _ => {}
            }
        }
        output.is_some()
    }

    fn step(&self, name: &'static str, act: &Act) -> Option<Self> {
        let mut next = self.clone();
        next.path.push(name);
        let event = match act.clone() {
            Act::Event(event) => event,
            Act::Listed(_) | Act::Refused(_) if self.request == 0 => return None,
            Act::Listed(list) => RequestAnswered::new(self.request, raw(list)).into(),
            Act::Refused(kind) => RequestRefused::new(self.request, kind).into(),
            Act::Probed(_) if self.probe.0 == 0 => return None,
            Act::Probed(there) => {
                let found = if there { EntryKind::Directory } else { EntryKind::Missing };
                let said = |path: &String| ProbedPath::new(path.clone(), found).real_path(there.then(|| path.clone()));
                EndpointProbed::new(self.probe.0, self.probe.1.iter().map(said).collect::<Vec<_>>()).into()
            }
            Act::Deadline => {
                next.now = next.now.max(self.endpoint.deadline()?.0);
                EndpointEvent::DeadlineReached
            }
        };
        next.handle(event).then_some(next)
    }

    /// What must be possible from every state: deadlines alone end every wait, and then nothing is left at the end.
    fn check(&self) {
        let mut node = self.clone();
        for _ in 0..32 {
            let Some(deadline) = node.endpoint.deadline() else { break };
            node.now = node.now.max(deadline.0);
            node.handle(EndpointEvent::DeadlineReached);
        }
        assert!(node.endpoint.deadline().is_none(), "deadlines without end after {:?}", self.path);
        let left = node.promises.finish(&mut node.endpoint, node.now);
        assert!(left.is_ok(), "{left:?} after {:?}", self.path);
    }

    /// The text of the state without what cannot matter: times count from now, and ids that count up by their order.
    fn normal(&self) -> String {
        let text = format!("{:?}", self.endpoint);
        let text = &text[text.find("scopes: ").unwrap()..];
        let numbers = numbers(text);
        let kind =
            |name: &str| ["RequestToken", "ProbeId", "AskId", "place", "Ask"].iter().position(|kind| *kind == name);
        let mut orders: [Vec<u64>; 5] = Default::default();
        for (_, _, name, number) in &numbers {
            if let Some(kind) = kind(name) {
                orders[kind].push(*number);
            }
        }
        for order in &mut orders {
            order.sort_unstable();
            order.dedup();
        }
        let mut out = String::with_capacity(text.len());
        let mut from = 0;
        for (start, end, name, number) in numbers {
            let normal = match name {
                _ if kind(name).is_some() => orders[kind(name).unwrap()].binary_search(&number).unwrap() as u64,
                "expires_at" | "deadline" | "until" | "refresh_by" | "Millis" => number.saturating_sub(self.now),
                "at" | "failed_at" | "last_sent" => self.now.saturating_sub(number).min(1_000),
                "answer_took" => number.min(1_000),
                "now" | "revision" | "stale_answers" | "requested" | "arrived" | "last" | "turns" | "rootwise"
                | "lists" | "seen" => 0,
                name if name.starts_with("last_") => 0,
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

/// The numbers in a debug text, with their places and the field or type that they belong to.
fn numbers(text: &str) -> Vec<(usize, usize, &str, u64)> {
    let bytes = text.as_bytes();
    let (mut found, mut at) = (Vec::new(), 0);
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
        let before = [": ", "(", "-"].iter().find_map(|end| before.strip_suffix(end));
        let word = |before: &str| before.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |at| at + 1);
        if let (Some(before), Ok(number)) = (before, text[start..at].parse()) {
            found.push((start, at, &before[word(before)..], number));
        }
    }
    found
}

/// Walks through all states of a world, or as many as the run allows.
fn walk(name: &str, start: Node, alphabet: &Alphabet) {
    let most = super::number("ROOTWISE_STATES").map_or(STATES, |most| most as usize);
    let mut seen: HashSet<u128> = HashSet::from([start.hash()]);
    let mut layer = vec![start];
    let (mut depth, mut steps) = (0, 0_usize);
    while !layer.is_empty() && seen.len() < most {
        depth += 1;
        let mut next = Vec::new();
        for node in &layer {
            node.check();
            for (name, act) in alphabet {
                let Some(found) = node.step(name, act) else { continue };
                steps += 1;
                if seen.insert(found.hash()) {
                    next.push(found);
                }
            }
            if seen.len() >= most {
                break;
            }
        }
        layer = next;
    }
    let end = if layer.is_empty() { "all of them" } else { "more exist" };
    println!("{name}: {} states ({end}), {steps} steps, depth {depth}", seen.len());
    assert!(seen.len() >= most.min(500), "the walk through {name} has lost its way");
}

const PLAIN: &str = r#"{"name":"plain","sources":[{"from":"roots","verify":"none"}],
    "timing":{"retries":0,"minIntervalMs":0,"callerTimeoutMs":1000,"requestTimeoutMs":2000}}"#;
const ONE: &str = r#"{"roots":[{"uri":"file:///p/a"}]}"#;

/// Two calls on streams of their own and one stream outside calls: every way for a request to travel, move and be lost.
#[test]
fn channels_that_break_and_are_cut() {
    let broken = |channel: u32| ChannelClosed::new(channel, ChannelEnd::Broken);
    let cut = |channel: u32| ChannelClosed::new(channel, ChannelEnd::Cut);
    let alphabet = vec![
        act("call 1 on channel 1", call(1, 1, Some(1))),
        act("call 2 on channel 2", call(2, 1, Some(2))),
        act("call 2 on channel 1", call(2, 1, Some(1))),
        act("call 2 without a channel", call(2, 1, None)),
        act("channel 3 opens", ChannelOpened::new(1, 3)),
        act("channel 1 opens again", ChannelOpened::new(1, 1)),
        act("channel 1 breaks", broken(1)),
        act("channel 1 is cut", cut(1)),
        act("channel 2 is cut", cut(2)),
        act("channel 3 breaks", broken(3)),
        act("channel 3 is cut", cut(3)),
        act("ask 1 of call 1", ask(1, 1)),
        act("ask 2 of call 2", ask(2, 2)),
        act("ask 3 of the session", ask_of_session(3, 1)),
        act("ask 1 is withdrawn", EndpointAskWithdrawn::new(1)),
        act("call 1 ends", CallEnded::new(1)),
        act("call 1 is cancelled", cancelled(1)),
        act("call 2 ends", CallEnded::new(2)),
        act("the roots change", SessionRootsChanged::new(1)),
        ("one root", Act::Listed(ONE)),
        ("an error", Act::Refused(RefusalKind::Error)),
        ("a deadline", Act::Deadline),
    ];
    walk("channels", Node::new(PLAIN, 1), &alphabet);
}

/// Calls of both eras with a disk that is asked: rounds, and what ends them.
#[test]
fn calls_that_return() {
    let policy = r#"{"name":"disk","sources":[{"from":"argument"},{"from":"roots"}],
        "timing":{"retries":0,"minIntervalMs":0,"callerTimeoutMs":1000,"requestTimeoutMs":2000}}"#;
    let modern = |id: u32, session: Option<u32>, channel: Option<u32>| {
        let mut started = CallStarted::new(id);
        started.session = session.map(Into::into);
        started.channel = channel.map(Into::into);
        started.capabilities = Some(raw(r#"{"roots":{}}"#));
        started
    };
    let mut repeated = modern(1, Some(1), Some(1));
    repeated.input_responses = Some(raw(&format!(r#"{{"rootwise":{ONE}}}"#)));
    let mut named = modern(2, None, None);
    named.argument = Some("/p/b".into());
    let mut peek = ask(3, 2);
    peek.peek = true;
    let alphabet = vec![
        act("call 1", modern(1, Some(1), Some(1))),
        act("call 1 repeated", repeated),
        act("call 2 alone", modern(2, None, None)),
        act("call 2 with an argument", named),
        act("call 3 of before", call(3, 1, Some(3))),
        act("ask 1 of call 1", ask(1, 1)),
        act("ask 2 of call 2", ask(2, 2)),
        act("a look by call 2", peek),
        act("ask 3 of call 3", ask(3, 3)),
        act("ask 1 is withdrawn", EndpointAskWithdrawn::new(1)),
        act("call 1 returns", CallReturned::new(1, false)),
        act("call 1 returns with questions", CallReturned::new(1, true)),
        act("call 2 returns with questions", CallReturned::new(2, true)),
        act("channel 1 breaks", ChannelClosed::new(1, ChannelEnd::Broken)),
        act("call 1 ends", CallEnded::new(1)),
        act("call 2 ends", CallEnded::new(2)),
        act("call 3 is cancelled", cancelled(3)),
        ("one root", Act::Listed(ONE)),
        ("a folder", Act::Probed(true)),
        ("nothing there", Act::Probed(false)),
        ("a deadline", Act::Deadline),
    ];
    walk("calls", Node::new(policy, 1), &alphabet);
}

/// Two sessions side by side, of which one closes and comes back with its id.
#[test]
fn sessions_side_by_side() {
    let alphabet = vec![
        act("call 1 of session 1", call(1, 1, Some(1))),
        act("call 2 of session 2", call(2, 2, Some(2))),
        act("ask 1 of call 1", ask(1, 1)),
        act("ask 2 of call 2", ask(2, 2)),
        act("ask 3 of session 2", ask_of_session(3, 2)),
        act("channel 3 of session 2 opens", ChannelOpened::new(2, 3)),
        act("channel 1 breaks", ChannelClosed::new(1, ChannelEnd::Broken)),
        act("channel 2 is cut", ChannelClosed::new(2, ChannelEnd::Cut)),
        act("call 1 is cancelled", cancelled(1)),
        act("call 2 ends", CallEnded::new(2)),
        act("session 1 closes", rootwise::endpoint::event::SessionClosed::new(1)),
        act("session 1 opens", SessionOpened::new(1, Transport::Http)),
        act("session 1 opens on a pipe", SessionOpened::new(1, Transport::Stdio)),
        act("the roots of session 2 change", SessionRootsChanged::new(2)),
        ("one root", Act::Listed(ONE)),
        ("abandoned", Act::Refused(RefusalKind::Abandoned)),
        ("a deadline", Act::Deadline),
    ];
    walk("sessions", Node::new(PLAIN, 2), &alphabet);
}
