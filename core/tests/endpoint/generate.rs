//! Cases: a policy, host facts, and steps that are turned into events as the run goes.
//!
//! A step names requests and probes by position ("the newest request"), so that it stays meaningful when a case is made smaller.
//! Ids of sessions, channels, calls and asks are few, so that they meet often; a share of them is wrong on purpose.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use rootwise::endpoint::event::{
    CallAsked, CallCleared, CallEnded, CallReturned, CallSelected, CallStarted, ChannelClosed, ChannelEnd,
    ChannelOpened, EndpointAskWithdrawn, EndpointEvent, EndpointFactsChanged, InputClosed, RequestSeen, RootsWatched,
    SessionClosed, SessionInitialized, SessionOpened, SessionReady, SessionRootsChanged,
};
use rootwise::event::{Argument, EntryKind, RefusalKind, SelectBy, Want};
use rootwise::host::{HostFacts, Transport};
use rootwise::path::PathStyle;
use rootwise::policy::Policy;
use serde_json::value::RawValue;

/// One run.
#[derive(Clone)]
pub struct Case {
    pub policy: &'static str,
    pub host: HostFacts,
    pub steps: Vec<Step>,
}

/// Short, because the message of a failure has the whole case as a vector.
impl std::fmt::Debug for Case {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} steps", self.steps.len())
    }
}

/// One thing to do next, and how long after the last one.
#[derive(Clone, Debug)]
pub struct Step {
    pub time: Time,
    pub act: Act,
}

#[derive(Clone, Copy, Debug)]
pub enum Time {
    By(u64),
    /// To the deadline.
    Deadline,
    Back,
}

#[derive(Clone, Copy, Debug)]
pub enum Which {
    Newest,
    Older,
    Unknown,
}

/// What happens; an event that names nothing which the endpoint gave out is itself.
#[derive(Clone, Debug)]
pub enum Act {
    Event(EndpointEvent),
    Listed(Which, String),
    /// The answer to a form.
    Filled(Which, String),
    Refused(Which, RefusalKind, Option<i64>, String),
    /// The answer as a raw message.
    Answer(u32, Which, String),
    Message(u32, String),
    /// Whether every path is such an entry; none leaves all of them out.
    Probed(Which, Option<EntryKind>),
    /// A session continues what another one saved.
    Restore(u32, u32),
}

pub fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

/// Few sources that ask nobody, so that roots decide; a disk; eager, repeated and undeclared asking; small limits; and the user.
pub const POLICIES: [&str; 8] = [
    r#"{"name":"plain","sources":[{"from":"server","verify":"none"},{"from":"argument","verify":"none"},
        {"from":"header","read":["X-Project"],"verify":"none"},{"from":"meta","read":["/project"],"verify":"none"},
        {"from":"selected","verify":"none"},{"from":"roots","verify":"none"}],
        "timing":{"retries":1,"callerTimeoutMs":1000,"requestTimeoutMs":5000}}"#,
    r#"{"name":"disk","sources":[{"from":"argument"},{"from":"query","read":["project"]},{"from":"selected"},
        {"from":"roots"},{"from":"remembered"}],"timing":{"minIntervalMs":0,"maxAgeMs":500}}"#,
    r#"{"name":"eager","sources":[{"from":"roots","verify":"none"},{"from":"cwd","verify":"none"}],
        "roots":{"ask":"eager"},"timing":{"minIntervalMs":0,"retries":2}}"#,
    r#"{"name":"each","sources":[{"from":"argument","verify":"none"},{"from":"roots"}],
        "roots":{"ask":"eachRequest","requireCapability":false,"request":{"idPrefix":"","emptyParams":true}},
        "timing":{"callerTimeoutMs":300,"requestTimeoutMs":900}}"#,
    r#"{"name":"small","sources":[{"from":"server","verify":"none"},{"from":"argument","verify":"none"},
        {"from":"header","read":["X-Project"],"verify":"none"},{"from":"meta","read":["/project","/deep/er"],"verify":"none"},
        {"from":"selected","verify":"none"},{"from":"roots","verify":"none"}],
        "limits":{"eventBytes":1000,"valueBytes":64,"valueChars":16,"waitingAsks":2}}"#,
    r#"{"name":"user","sources":[{"from":"argument","verify":"none"},{"from":"selected","verify":"none"},
        {"from":"roots","verify":"none"}],"roots":{"pick":"only"},"elicit":"unresolved"}"#,
    r#"{"name":"guess","sources":[{"from":"selected"},{"from":"roots"},{"from":"remembered"}],"elicit":"ambiguous",
        "memory":{"pin":"sticky"},"timing":{"callerTimeoutMs":1000}}"#,
    rootwise::policy::RECOMMENDED,
];

const VALUES: [&str; 7] = ["/p/a", "/p/b", "file:///p/a", "p/rel", "", " /p/missing", "/p/\u{c3}\u{a9}"];

const LISTS: [&str; 8] = [
    r#"{"roots":[{"uri":"file:///p/a"}]}"#,
    r#"{"roots":[{"uri":"file:///p/b","name":"b"}]}"#,
    r#"{"roots":[{"uri":"file:///p/a"},{"uri":"file:///p/missing"}]}"#,
    r#"{"roots":[{"uri":"https://example.com/x"}]}"#,
    r#"{"roots":[]}"#,
    r#"{"roots":7}"#,
    "null",
    r#"{"roots":[{"uri":"file:///p/a"},{"uri":"file:///p/b","name":"b"}]}"#,
];

/// What a user answers to a form; the first answers name a folder.
const ANSWERS: [&str; 6] = [
    r#"{"action":"accept","content":{"project":"b"}}"#,
    r#"{"action":"accept","content":{"project":"/p/a"}}"#,
    r#"{"action":"accept","content":{"project":"/elsewhere"}}"#,
    r#"{"action":"decline"}"#,
    r#"{"action":"cancel","content":{"project":"b"}}"#,
    r#"{"roots":[{"uri":"file:///p/a"}]}"#,
];

const CAPABILITIES: [&str; 7] = [
    r#"{"roots":{"listChanged":true}}"#,
    r#"{"roots":{}}"#,
    "{}",
    r#"{"roots":true}"#,
    "7",
    r#"{"roots":{},"elicitation":{}}"#,
    r#"{"elicitation":{"form":{},"url":{}}}"#,
];

const MESSAGES: [&str; 8] = [
    r#"{"jsonrpc":"2.0","id":7,"method":"tools/call"}"#,
    r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#,
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{"roots":{}},"clientInfo":{"name":"c"}}}"#,
    r#"{"jsonrpc":"2.0","id":"other-1","result":{"roots":[]}}"#,
    "{",
    "",
];

fn session() -> impl Strategy<Value = u32> {
    prop_oneof![6 => Just(1_u32), 5 => Just(2), 2 => Just(3)]
}

fn few(most: u32) -> impl Strategy<Value = u32> {
    1..=most
}

fn flag() -> impl Strategy<Value = Option<bool>> {
    select(vec![None, None, None, None, Some(true), Some(false)])
}

fn maybe<T: Clone + std::fmt::Debug + 'static>(
    weight: f64,
    value: impl Strategy<Value = T> + 'static,
) -> BoxedStrategy<Option<T>> {
    prop::option::weighted(weight, value).boxed()
}

/// A text, now and then a long one.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => select(VALUES.to_vec()).prop_map(str::to_owned),
        1 => select(vec![60_usize, 64, 65, 9_000]).prop_map(|long| format!("/p/{}", "x".repeat(long))),
    ]
}

fn argument() -> impl Strategy<Value = Argument> {
    prop_oneof![6 => text().prop_map(Argument::Text), 1 => Just(Argument::Other)]
}

fn list() -> impl Strategy<Value = String> {
    prop_oneof![
        12 => select(LISTS.to_vec()).prop_map(str::to_owned),
        1 => select(vec![80_usize, 1_100, 1 << 20]).prop_map(|long| {
            format!(r#"{{"roots":[{{"uri":"file:///p/a","name":"{}"}}]}}"#, "n".repeat(long))
        }),
    ]
}

/// The folders of one caller.
fn dirs() -> impl Strategy<Value = Vec<String>> {
    let dirs: [&[&str]; 6] = [&["/p/a"], &["/p/b"], &["/p"], &[], &["/p/a/sub", "/p/b"], &["p"]];
    select(dirs.map(|dirs| dirs.iter().map(|dir| (*dir).to_owned()).collect()).to_vec())
}

fn open() -> impl Strategy<Value = EndpointEvent> {
    let transport = select(vec![Transport::Stdio, Transport::Http, Transport::Http, Transport::Other]);
    (session(), transport, flag(), flag(), maybe(0.3, dirs())).prop_map(|(session, transport, local, push, dirs)| {
        let mut opened = SessionOpened::new(session, transport);
        (opened.local, opened.push, opened.allowed_dirs) = (local, push, dirs);
        opened.into()
    })
}

fn initialize() -> impl Strategy<Value = EndpointEvent> {
    let name = select(vec![Some(3_usize), None, Some(5_000)]);
    let id = || prop_oneof![2 => Just(None), 3 => select(vec!["0", "1", "7", "\"7\""]).prop_map(Some)];
    (session(), select(CAPABILITIES.to_vec()), name, id(), id()).prop_map(
        |(session, capabilities, name, id, previous)| {
            let mut params = SessionInitialized::new(session);
            params.capabilities = Some(raw(capabilities));
            params.client_info = name.map(|long| raw(&format!(r#"{{"name":"{}","version":"1"}}"#, "c".repeat(long))));
            params.id = id.map(raw);
            params.previous_id = previous.map(raw);
            params.into()
        },
    )
}

/// A call of either era, with parts of every size.
fn call() -> impl Strategy<Value = EndpointEvent> {
    let version = select(vec![None, None, None, Some("2025-11-25"), Some("2026-07-28"), Some("2027-01-01")]);
    let method = select(vec![None, Some("tools/call"), Some("resources/read"), Some("tools/list")]);
    let capabilities = maybe(0.25, select(CAPABILITIES.to_vec()));
    let meta = select(vec![
        r#"{"progressToken":1}"#.to_owned(),
        r#"{"project":"/p/b"}"#.to_owned(),
        r#"{"project":7,"deep":{"er":"/p/a"}}"#.to_owned(),
        r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":{}}}"#.to_owned(),
        r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#.to_owned(),
        format!(r#"{{"project":"/p/a","junk":"{}"}}"#, "j".repeat(300)),
        "[]".to_owned(),
    ]);
    let responses = select(vec![
        r#"{"rootwise":{"roots":[{"uri":"file:///p/a"}]}}"#.to_owned(),
        r#"{"rootwise":7}"#.to_owned(),
        r#"{"other":{}}"#.to_owned(),
        format!(r#"{{"rootwise":{{"roots":[{{"uri":"file:///p/a","name":"{}"}}]}}}}"#, "n".repeat(300)),
        "7".to_owned(),
        format!(r#"{{"rootwise":{},"rootwise-project":{}}}"#, LISTS[7], ANSWERS[0]),
        format!(r#"{{"rootwise-project":{}}}"#, ANSWERS[1]),
        format!(r#"{{"rootwise":{},"rootwise-project":{}}}"#, LISTS[7], ANSWERS[3]),
        format!(r#"{{"rootwise":{},"rootwise-project":"{}"}}"#, LISTS[7], "n".repeat(300)),
    ]);
    let whose = (maybe(0.25, select(vec!["ann", "bob"])), maybe(0.5, select(vec!["c1", "c2"])));
    let place = (few(5), maybe(0.85, session()), maybe(0.7, few(4)), whose);
    let parts = (maybe(0.3, text()), maybe(0.2, text()), maybe(0.35, meta), maybe(0.2, argument()));
    let round =
        (capabilities, maybe(0.25, responses), maybe(0.3, Just("state".to_owned())), maybe(0.1, Just(5_000_usize)));
    let transport = maybe(0.3, (select(vec![Transport::Stdio, Transport::Http, Transport::Other]), any::<bool>()));
    (place, (version, method, transport, maybe(0.2, dirs())), parts, round).prop_map(
        |(place, (version, method, transport, dirs), parts, round)| {
            let mut started = CallStarted::new(place.0);
            started.allowed_dirs = dirs;
            started.session = place.1.map(Into::into);
            started.channel = place.2.map(Into::into);
            (started.transport, started.local) = transport.unzip();
            started.protocol_version = version.map(str::to_owned);
            started.method = method.map(str::to_owned);
            started.headers = parts.0.map(|text| ("X-Project".to_owned(), text)).into_iter().collect();
            started.headers.insert("accept".to_owned(), "*/*".to_owned());
            started.query = parts.1.map(|text| ("project".to_owned(), text)).into_iter().collect();
            started.meta = parts.2.as_deref().map(raw);
            started.argument = parts.3;
            let (caller, conversation) = place.3;
            started.caller = caller.map(str::to_owned);
            if let (None, Some(id)) = (&started.meta, conversation) {
                started.meta = Some(raw(&format!(r#"{{"threadId":"{id}"}}"#)));
            }
            started.capabilities = round.0.map(raw);
            started.input_responses = round.1.as_deref().map(raw);
            started.request_state = round.2;
            started.client_info = round.3.map(|long| raw(&format!(r#"{{"name":"{}"}}"#, "c".repeat(long))));
            started.into()
        },
    )
}

/// Who asks: mostly a call, else a session; rarely both or nobody.
fn asker() -> impl Strategy<Value = (Option<u32>, Option<u32>)> {
    prop_oneof![
        30 => few(5).prop_map(|call| (Some(call), None)),
        10 => session().prop_map(|session| (None, Some(session))),
        1 => Just((Some(1), Some(1))),
        1 => Just((None, None)),
    ]
}

fn ask() -> impl Strategy<Value = EndpointEvent> {
    let want = prop_oneof![5 => Just(Want::Project), 1 => Just(Want::Roots)];
    let own = (maybe(0.1, text()), maybe(0.1, argument()), maybe(0.1, text()));
    let how = (prop::bool::weighted(0.1), prop::bool::weighted(0.15), any::<bool>());
    (few(6), asker(), want, own, how).prop_map(|(ask, (call, session), want, own, (explain, peek, hints))| {
        let mut asked = CallAsked::new(ask);
        (asked.call, asked.session) = (call.map(Into::into), session.map(Into::into));
        (asked.want, asked.explain, asked.peek, asked.hints) = (want, explain, peek, hints);
        (asked.target, asked.argument, asked.server) = own;
        asked.into()
    })
}

fn select_project() -> impl Strategy<Value = EndpointEvent> {
    (few(6), asker(), text(), any::<bool>()).prop_map(|(ask, (call, session), text, by_value)| {
        let by = if by_value { SelectBy::Value(text) } else { SelectBy::Path(text) };
        let mut selected = CallSelected::new(ask, by);
        (selected.call, selected.session) = (call.map(Into::into), session.map(Into::into));
        selected.into()
    })
}

fn clear() -> impl Strategy<Value = EndpointEvent> {
    (few(6), asker()).prop_map(|(ask, (call, session))| {
        let mut cleared = CallCleared::new(ask);
        (cleared.call, cleared.session) = (call.map(Into::into), session.map(Into::into));
        cleared.into()
    })
}

fn which() -> impl Strategy<Value = Which> {
    prop_oneof![12 => Just(Which::Newest), 4 => Just(Which::Older), 1 => Just(Which::Unknown)]
}

pub fn host() -> impl Strategy<Value = HostFacts> {
    let local = select(vec![Some(true), Some(true), Some(true), None]);
    let push = select(vec![None, None, None, None, None, Some(true), Some(false)]);
    let dirs = prop_oneof![10 => Just(None), 5 => dirs().prop_map(Some)];
    let own = (dirs, maybe(0.1, Just(false)));
    let flags = (prop::bool::weighted(0.9), prop::bool::weighted(0.1));
    let facts = (local, push, maybe(0.3, Just("/p/a".to_owned())), own, flags);
    facts.prop_map(|(local, push, cwd, (dirs, dedicated), (has_parameter, replicas))| {
        let mut host = HostFacts::new(PathStyle::Posix);
        host.dedicated = dedicated;
        (host.local, host.push, host.cwd, host.allowed_dirs) = (local, push, cwd, dirs);
        host.tool_argument = has_parameter.then(|| "project".to_owned());
        host.select_tool = Some("switch_project".to_owned());
        host.replicas = replicas;
        host
    })
}

fn event() -> impl Strategy<Value = EndpointEvent> {
    let end = select(vec![ChannelEnd::Broken, ChannelEnd::Cut, ChannelEnd::Cut]);
    prop_oneof![
        4 => open(),
        1 => session().prop_map(|session| SessionClosed::new(session).into()),
        3 => initialize(),
        2 => session().prop_map(|session| SessionReady::new(session).into()),
        4 => session().prop_map(|session| SessionRootsChanged::new(session).into()),
        1 => (session(), select(vec!["1", "7", "\"a\""]), maybe(0.5, select(vec!["tools/call", "ping", "initialize"])))
            .prop_map(|(session, id, method)| {
                let mut seen = RequestSeen::new(session, raw(id));
                seen.method = method.map(str::to_owned);
                seen.into()
            }),
        1 => prop_oneof![1 => session().prop_map(|session| InputClosed::new(session).into()), 3 => ask()],
        6 => (session(), few(4)).prop_map(|(session, channel)| ChannelOpened::new(session, channel).into()),
        8 => (few(4), end).prop_map(|(channel, end)| ChannelClosed::new(channel, end).into()),
        16 => call(),
        4 => (few(5), any::<bool>()).prop_map(|(call, required)| CallReturned::new(call, required).into()),
        6 => (few(5), any::<bool>()).prop_map(|(call, cancelled)| {
            let mut ended = CallEnded::new(call);
            ended.cancelled = cancelled;
            ended.into()
        }),
        26 => ask(),
        2 => select_project(),
        1 => clear(),
        4 => few(6).prop_map(|ask| EndpointAskWithdrawn::new(ask).into()),
        10 => Just(EndpointEvent::DeadlineReached),
        1 => host().prop_map(|facts| EndpointFactsChanged::new(facts).into()),
        2 => prop::bool::weighted(0.7).prop_map(|watched| RootsWatched::new(watched).into()),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let refusal = (
        select(vec![RefusalKind::Error, RefusalKind::Undeliverable, RefusalKind::Unreadable, RefusalKind::Abandoned]),
        select(vec![None, Some(-32601), Some(-32603)]),
        select(vec!["no".to_owned(), "x".repeat(2_000)]),
    );
    let found = select(vec![
        Some(EntryKind::Directory),
        Some(EntryKind::Directory),
        Some(EntryKind::Directory),
        Some(EntryKind::Missing),
        None,
    ]);
    let act = prop_oneof![
        70 => event().prop_map(Act::Event),
        8 => (which(), list()).prop_map(|(which, list)| Act::Listed(which, list)),
        5 => (which(), select(ANSWERS.to_vec())).prop_map(|(which, answer)| Act::Filled(which, answer.to_owned())),
        4 => (which(), refusal).prop_map(|(which, (kind, code, message))| Act::Refused(which, kind, code, message)),
        10 => (which(), found).prop_map(|(which, found)| Act::Probed(which, found)),
        2 => (session(), which(), list()).prop_map(|(session, which, list)| Act::Answer(session, which, list)),
        2 => (session(), select(MESSAGES.to_vec())).prop_map(|(session, text)| Act::Message(session, text.to_owned())),
        1 => (session(), session()).prop_map(|(from, to)| Act::Restore(from, to)),
    ];
    let time = prop_oneof![
        12 => select(vec![0, 0, 0, 1, 50, 250, 300, 600, 1_000]).prop_map(Time::By),
        3 => Just(Time::Deadline),
        1 => Just(Time::Back),
    ];
    (time, act).prop_map(|(time, act)| match (&act, time) {
        // A deadline event mostly comes when it is due.
        (Act::Event(EndpointEvent::DeadlineReached), Time::By(odd)) if odd > 0 => Step { time: Time::Deadline, act },
        _ => Step { time, act },
    })
}

/// Events that belong together and would rarely meet by chance; anything may happen after them.
fn scene() -> impl Strategy<Value = Vec<Act>> {
    let ids = (session(), few(4), few(5), few(5));
    (0..14_u8, ids, select(LISTS.to_vec()), any::<bool>()).prop_map(
        |(kind, (session, channel, call, ask), list, flag)| scene_of(kind, session, (channel, call, ask), list, flag),
    )
}

fn scene_of(kind: u8, session: u32, (channel, call, ask): (u32, u32, u32), list: &str, flag: bool) -> Vec<Act> {
    let started = |call: u32| {
        let mut started = CallStarted::new(call);
        (started.session, started.channel) = (Some(session.into()), Some(channel.into()));
        started
    };
    let asked = |ask: u32| {
        let mut asked = CallAsked::new(ask);
        asked.call = Some(call.into());
        Act::Event(asked.into())
    };
    let listed = |list: &str| Act::Listed(Which::Newest, list.to_owned());
    let event = |event: EndpointEvent| Act::Event(event);
    let begin = event(started(call).into());
    match kind {
        0 => vec![begin, asked(ask), listed(list)],
        // Several asks of one call, of which the client or the handler gives some up.
        1 => {
            let mut ended = CallEnded::new(call);
            ended.cancelled = flag;
            let withdrawn = EndpointAskWithdrawn::new(ask + 1);
            vec![begin, asked(ask), asked(ask + 1), event(withdrawn.into()), event(ended.into())]
        }
        // A stream that goes while another one is there.
        2 => {
            let end = if flag { ChannelEnd::Cut } else { ChannelEnd::Broken };
            let (other, closed) = (ChannelOpened::new(session, channel % 4 + 1), ChannelClosed::new(channel, end));
            vec![event(other.into()), begin, asked(ask), event(closed.into())]
        }
        // A round.
        3 => {
            let mut modern = started(call);
            modern.capabilities = Some(raw(CAPABILITIES[1]));
            modern.request_state = Some("state".to_owned());
            vec![event(modern.into()), asked(ask), event(CallReturned::new(call, flag).into())]
        }
        // A client that leaves, and another one that gets its id.
        4 => {
            let closed = event(SessionClosed::new(session).into());
            let again = beginning(session, if flag { Transport::Http } else { Transport::Stdio });
            let again = again.into_iter().map(|step| step.act);
            [begin, closed].into_iter().chain(again).chain([asked(ask)]).collect()
        }
        // Lists that follow each other faster than the disk answers.
        5 => vec![
            event(RootsWatched::new(true).into()),
            begin,
            asked(ask),
            listed(list),
            event(SessionRootsChanged::new(session).into()),
            asked(ask + 1),
            listed(LISTS[usize::from(flag)]),
            Act::Probed(Which::Older, Some(EntryKind::Directory)),
            Act::Probed(Which::Newest, Some(EntryKind::Directory)),
        ],
        // The user of a call is asked, and the call goes on as such calls do.
        6 | 9..=11 => {
            let mut params = SessionInitialized::new(session);
            params.capabilities = Some(raw(CAPABILITIES[5]));
            let answer = Act::Filled(Which::Newest, ANSWERS[usize::from(flag)].to_owned());
            vec![
                event(params.into()),
                event(SessionReady::new(session).into()),
                begin,
                asked(ask),
                listed(LISTS[7]),
                Act::Probed(Which::Newest, Some(EntryKind::Directory)),
                asked(ask + 1),
                if kind == 9 { event(ChannelClosed::new(channel, ChannelEnd::Cut).into()) } else { answer.clone() },
                answer,
            ]
        }
        // Calls on a pipe that describe their client alike, and one that may not.
        13 => {
            let described = |call: u32, capabilities: usize, name: &str| {
                let mut modern = started(call);
                modern.capabilities = Some(raw(CAPABILITIES[capabilities]));
                modern.client_info = Some(raw(&format!(r#"{{"name":"{name}"}}"#)));
                modern
            };
            let round = |call: CallStarted, ask: u32| {
                let id = call.call;
                let mut asked = CallAsked::new(ask);
                asked.call = Some(id);
                [event(CallEnded::new(id).into()), event(call.into()), event(asked.into())]
            };
            let mut first = described(call, 1, "one");
            first.input_responses = Some(raw(&format!(r#"{{"rootwise":{list}}}"#)));
            let probed = Act::Probed(Which::Newest, Some(EntryKind::Directory));
            let other = if flag { described(call, usize::from(ask > 3), "one") } else { described(call, 1, "two") };
            let alike = [round(described(call, 1, "one"), ask), round(described(call, 1, "one"), ask)].concat();
            let opened = event(SessionOpened::new(session, Transport::Stdio).into());
            let rounds = [round(first, ask).to_vec(), vec![probed], alike, round(other, ask).to_vec()].concat();
            let last = round(described(call, 1, "one"), ask);
            [opened].into_iter().chain(rounds).chain(last).collect()
        }
        // Two rounds of a call that asks its user, on a pipe in a conversation.
        7 | 8 => {
            let round = |call: u32, responses: Option<&str>| {
                let mut modern = started(call);
                modern.capabilities = Some(raw(CAPABILITIES[5]));
                modern.meta = flag.then(|| raw(r#"{"threadId":"c1"}"#));
                modern.input_responses = responses.map(raw);
                event(modern.into())
            };
            let ended = |call: u32| event(CallEnded::new(call).into());
            let roots = format!(r#"{{"rootwise":{}}}"#, LISTS[7]);
            let both = format!(r#"{{"rootwise":{},"rootwise-project":{}}}"#, LISTS[7], ANSWERS[0]);
            let probed = || Act::Probed(Which::Newest, Some(EntryKind::Directory));
            let returned = event(CallReturned::new(call, kind == 7).into());
            let first = [ended(call), round(call, Some(&roots)), asked(ask), probed(), returned, ended(call)];
            first.into_iter().chain([round(call, Some(&both)), asked(ask), probed()]).collect()
        }
        _ => {
            let changed = event(SessionRootsChanged::new(session).into());
            vec![begin, asked(ask), event(InputClosed::new(session).into()), changed, asked(ask + 1)]
        }
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let at_once = |act| Step { time: Time::By(0), act };
    prop_oneof![
        12 => step().prop_map(|step| vec![step]),
        1 => scene().prop_map(move |acts| acts.into_iter().map(at_once).collect()),
    ]
}

/// A session that is ready, as most cases begin, because little happens without one.
fn beginning(session: u32, transport: Transport) -> Vec<Step> {
    let mut params = SessionInitialized::new(session);
    params.capabilities = Some(raw(CAPABILITIES[1]));
    let opened = SessionOpened::new(session, transport);
    let events: [EndpointEvent; 3] = [opened.into(), params.into(), SessionReady::new(session).into()];
    events.map(|event| Step { time: Time::By(1), act: Act::Event(event) }).into()
}

pub fn case(steps: usize) -> impl Strategy<Value = Case> {
    let transport = || select(vec![Transport::Http, Transport::Http, Transport::Stdio, Transport::Other]);
    let start = prop_oneof![
        5 => transport().prop_map(|one| beginning(1, one)),
        5 => (transport(), transport()).prop_map(|(one, two)| [beginning(1, one), beginning(2, two)].concat()),
        1 => Just(Vec::new()),
    ];
    let watched = prop::bool::weighted(0.3).prop_map(|watched| {
        let event = watched.then(|| RootsWatched::new(true).into());
        event.map(|event| Step { time: Time::By(0), act: Act::Event(event) })
    });
    (select(POLICIES.to_vec()), host(), watched, start, vec(self::steps(), 1..steps)).prop_map(
        |(policy, mut host, watched, start, more)| {
            host.allowed_dirs = None;
            Case { policy, host, steps: watched.into_iter().chain(start).chain(more.concat()).collect() }
        },
    )
}

pub fn policy(case: &Case) -> Policy {
    Policy::from_json(case.policy).unwrap()
}
