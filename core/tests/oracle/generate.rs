//! Cases: a policy, host facts, a disk, and steps that are turned into events as the run goes.
//!
//! A step names ids by position ("the newest request", "the oldest open probe") so that it stays meaningful when a case
//! is made smaller. A share of the steps is wrong on purpose: ids never given out, junk for JSON, time that goes back.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use rootwise::event::{Argument, AskVia, EntryKind, RefusalKind, RequestFacts, SelectBy, Want};
use rootwise::host::{HostFacts, PathMap, Transport};
use rootwise::path::PathStyle;
use rootwise::policy::{Elicit, Policy};
use serde_json::value::RawValue;

use super::checkouts::{Checkouts, checkouts};
use super::policies::policy;

/// One run.
#[derive(Clone)]
pub struct Case {
    pub policy: Policy,
    pub host: HostFacts,
    pub disk: BTreeMap<String, EntryKind>,
    pub checkouts: Checkouts,
    pub steps: Vec<Step>,
}

/// Raw JSON.
pub fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

/// Compact, because a failing case is read by a person: the events are in the message of the failure.
impl std::fmt::Debug for Case {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut policy =
            serde_json::from_str::<serde_json::Value>(&serde_json::to_string(&self.policy).unwrap()).unwrap();
        let usual =
            serde_json::from_str::<serde_json::Value>(&serde_json::to_string(&Policy::recommended()).unwrap()).unwrap();
        let sources = policy["sources"].take();
        writeln!(
            formatter,
            "policy {}, names from {:?}, other than recommended:",
            self.policy.config().name,
            self.policy.config().name_from
        )?;
        for part in ["roots", "timing", "memory", "selection", "limits"] {
            for (key, value) in policy[part].as_object().into_iter().flatten() {
                if usual[part][key] != *value {
                    writeln!(formatter, "  {part}.{key} = {value}")?;
                }
            }
        }
        for source in sources.as_array().into_iter().flatten() {
            write!(formatter, "  {}", source["from"].as_str().unwrap())?;
            for (key, value) in source.as_object().into_iter().flatten() {
                let usual = ["pathOrUri", "directory", "refuse", "onChange"].iter().any(|usual| value == usual);
                if !usual && !["from", "read", "refine"].contains(&key.as_str()) {
                    write!(formatter, " {key}={value}")?;
                }
            }
        }
        writeln!(formatter)?;
        writeln!(formatter, "host {}", serde_json::to_string(&self.host).unwrap())?;
        write!(formatter, "disk {:?} {:?}", self.disk, self.checkouts)
    }
}

/// One thing to do next.
#[derive(Clone, Debug)]
pub struct Step {
    pub time: Time,
    pub act: Act,
}

/// How time goes on.
#[derive(Clone, Copy, Debug)]
pub enum Time {
    By(u64),
    /// To the deadline, this much off.
    ToDeadline(i64),
    Back,
}

/// Which id.
#[derive(Clone, Copy, Debug)]
pub enum Which {
    Newest,
    Oldest,
    Unknown,
}

/// What happens.
#[derive(Clone, Debug)]
pub enum Act {
    Init(&'static str),
    Ready,
    /// With an open stream for a request, or without.
    Changed(bool),
    Listed(Which, String),
    HostListed(String),
    Refused(Which, RefusalKind, Option<i64>, &'static str),
    Ask {
        id: u32,
        want: Want,
        by: Option<AskVia>,
        facts: RequestFacts,
        target: Option<&'static str>,
        quiet: bool,
    },
    Select {
        id: u32,
        by: SelectBy,
        ask_via: Option<AskVia>,
        facts: RequestFacts,
    },
    Clear {
        id: u32,
        ask_via: Option<AskVia>,
        facts: RequestFacts,
    },
    Withdraw(u32),
    /// The bits say which paths are left out, and which are other than before.
    Probed(Which, u8, u8),
    Deadline,
    UserAnswered(Which, String),
    FormRefused(Which, RefusalKind),
    /// The answer to the newest form as a raw message.
    UserMessage(String),
    Answer(Which, bool, String),
    Text(&'static str),
    Batch(Which, Vec<&'static str>, String),
    Host(HostFacts),
    Closed,
}

const PLACES: [&str; 11] =
    ["/", "/p/a", "/p/b", "/p/a/sub", "/p/a/sub/x", "/p/file", "/p/c d", "/home/u", "/home/u/w", "/tmp", "/opt/app/x"];

const URIS: [&str; 20] = [
    "file:///p/a",
    "file:///p/b",
    "file:///p/a/sub",
    "file:///p/a/",
    "file://localhost/p/b",
    "file:///p/c%20d",
    "file:///p/file",
    "file:///home/u",
    "file:///opt/app/x",
    "file:///",
    "file:///p/%zz",
    "file:///${workspaceFolder}",
    "https://example.com/x/repo",
    "/p/b",
    "p/b",
    "file:///theirs/a",
    "file:///C:/code",
    "file:///c%3A/code/a",
    "file://host/share/x",
    "C:/code",
];

const VALUES: [&str; 18] = [
    "/",
    "https://x/y",
    "/p/a",
    "/p/b",
    "/p/a/sub",
    "/p/a/",
    "file:///p/b",
    "/p/file",
    "/p/missing",
    "p/rel",
    "${workspaceFolder}",
    " ",
    "/theirs/b",
    "/opt/app/x",
    "C:/code",
    "file:///C:/code",
    "C:/code/a",
    "file://host/share/x",
];

/// Files that calls are about.
const TARGETS: [&str; 14] = [
    "/p/a/sub/x",
    "/p/b/y",
    "file:///p/a/z",
    "rel",
    "sub/x/f",
    "file:///p/a/sub/f",
    "../b/y",
    "sub/../../a/sub/f",
    "/elsewhere/sub",
    "/theirs/sub/f",
    "C:/code/a/sub/f",
    "C:\\code\\a\\sub\\f",
    "file:///theirs/a/sub",
    "https://x/y",
];

/// What only an argument can mean: names of roots.
const NAMES: [&str; 3] = ["Own", "a", "b"];

const CAPABILITIES: [&str; 11] = [
    r#"{"roots":{"listChanged":true}}"#,
    r#"{"roots":{}}"#,
    "{}",
    r#"{"roots":true}"#,
    "7",
    FORMS,
    r#"{"roots":{},"elicitation":{"form":{},"url":{}}}"#,
    r#"{"roots":{},"elicitation":{"url":{}}}"#,
    r#"{"elicitation":{"form":null,"url":null}}"#,
    r#"{"roots":{},"elicitation":{"form":true}}"#,
    r#"{"roots":{},"elicitation":true}"#,
];

/// What a client with roots declares that shows forms.
const FORMS: &str = r#"{"roots":{},"elicitation":{}}"#;

const TEXTS: [&str; 20] = [
    "",
    "  ",
    "{",
    "[]",
    "17",
    r#"{"jsonrpc":"2.0","id":7,"method":"tools/list"}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
    r#"{"jsonrpc":"2.0","id":8,"method":"tools/list"}"#,
    r#"{"jsonrpc":"2.0","id":"2","method":"tools/call"}"#,
    r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{}}"#,
    r#"{"jsonrpc":"2.0","id":"other-1","result":{"roots":[]}}"#,
    r#"{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}"#,
    r#"{"jsonrpc":"2.0","id":"rootwise-99","result":{"roots":[]}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{"name":"c"}}}"#,
    r#"{"jsonrpc":"2.0","id":5,"method":"initialize","params":{"capabilities":{"roots":{}}}}"#,
    r#"{"jsonrpc":"2.0","id":null}"#,
];

pub fn host() -> impl Strategy<Value = HostFacts> {
    let place = || prop_oneof![3 => Just(None), 4 => select(VALUES.to_vec()).prop_map(Some)];
    let flag = || select(vec![None, None, Some(true), Some(false)]);
    (
        (select(vec![Transport::Stdio, Transport::Stdio, Transport::Http]), flag(), flag()),
        (place(), place(), place(), place(), prop_oneof![9 => Just(None), 1 => select(VALUES.to_vec()).prop_map(Some)]),
        prop_oneof![2 => Just(None), 3 => select(PLACES.to_vec()).prop_map(Some)],
        (prop::bool::weighted(0.1), prop::bool::weighted(0.2), prop::bool::weighted(0.3), flag(), 0..3_u8),
    )
        .prop_map(
            |(
                (transport, local, push),
                (own, client, list, option, other),
                cwd,
                (allowed, mapped, flag, dedicated, more),
            )| {
                let mut host = HostFacts::new(PathStyle::Posix);
                host.transport = transport;
                host.local = local;
                host.push = push;
                host.dedicated = dedicated;
                let own = own.map(|value| ("ROOTWISE_PROJECT", value.to_owned()));
                let client = client.map(|value| ("CLAUDE_PROJECT_DIR", value.to_owned()));
                let other = other.map(|value| ("CURSOR_PROJECT_DIR", value.to_owned()));
                let pwd = cwd.map(|cwd| ("PWD", cwd.to_owned()));
                let list = list.map(|value| ("WORKSPACE_FOLDER_PATHS", format!("{value},/p/a")));
                for (name, value) in own.into_iter().chain(client).chain(other).chain(pwd).chain(list) {
                    host.env.insert(name.to_owned(), value);
                }
                for (name, value) in
                    option.map(|value| ("project", value)).into_iter().chain(flag.then_some(("project-from-cwd", "")))
                {
                    host.arguments.insert(name.to_owned(), value.to_owned());
                }
                host.cwd = cwd.map(str::to_owned);
                host.excluded_dirs.home = vec!["/home/u".to_owned()];
                host.excluded_dirs.temporary = vec!["/tmp".to_owned()];
                host.excluded_dirs.install = vec!["/opt/app".to_owned()];
                if allowed {
                    host.allowed_dirs = Some(vec!["/p".to_owned()]);
                }
                if mapped {
                    let windows = PathMap::new("C:\\code", PathStyle::Windows, "/p");
                    let theirs = PathMap::new("/theirs", PathStyle::Posix, "/p");
                    let elsewhere = PathMap::new("D:\\", PathStyle::Windows, "/elsewhere");
                    host.path_map = match more {
                        0 => vec![theirs],
                        1 => vec![theirs, windows],
                        _ => vec![windows, PathMap::new("/theirs", PathStyle::Posix, "/p/a"), theirs, elsewhere],
                    };
                }
                host
            },
        )
}

fn list() -> impl Strategy<Value = String> {
    let entry = prop_oneof![
        12 => select(URIS.to_vec()).prop_map(|uri| format!("{{\"uri\":\"{uri}\"}}")),
        3 => select(URIS.to_vec()).prop_map(|uri| format!("{{\"uri\":\"{uri}\",\"name\":\"Own\"}}")),
        1 => Just("{}".to_owned()),
        1 => Just("7".to_owned()),
        1 => Just(r#"{"uri":"\ud800"}"#.to_owned()),
        1 => Just(r#"{"uri":"file:///p/a","uri":"file:///p/b"}"#.to_owned()),
        1 => Just(r#"{"uri":"file:///p/a","name":[[[[]]]]}"#.to_owned()),
    ];
    prop_oneof![
        12 => vec(entry, 0..4).prop_map(|entries| format!("{{\"roots\":[{}]}}", entries.join(","))),
        4 => Just(r#"{"roots":[{"uri":"file:///p/a"}]}"#.to_owned()),
        1 => Just(r#"{"roots":"x"}"#.to_owned()),
        1 => Just("{}".to_owned()),
        1 => Just("[]".to_owned()),
    ]
}

/// What a user answers to a form, and what a client makes of it.
fn user_answer() -> impl Strategy<Value = String> {
    let texts =
        ["/p/a", "/p/b", "a", "Own", "file:///p/b", "https://example.com/x/repo", "p/b", "/p/missing", " ", "/home/u"];
    prop_oneof![
        8 => select(texts.to_vec())
            .prop_map(|text| format!("{{\"action\":\"accept\",\"content\":{{\"project\":\"{text}\"}}}}")),
        1 => Just(r#"{"action":"decline"}"#.to_owned()),
        1 => Just(r#"{"action":"cancel","content":{"project":"/p/a"}}"#.to_owned()),
        1 => Just(r#"{"action":"accept","content":{"project":7}}"#.to_owned()),
        1 => Just("7".to_owned()),
    ]
}

fn facts() -> impl Strategy<Value = RequestFacts> {
    let value = || prop_oneof![9 => Just(None), 2 => select(VALUES.to_vec()).prop_map(|value| Some(value.to_owned()))];
    let argument = prop_oneof![
        9 => Just(None),
        2 => select(VALUES.to_vec()).prop_map(|value| Some(value.to_owned())),
        1 => select(NAMES.to_vec()).prop_map(|value| Some(value.to_owned())),
    ];
    let modern = |name: &str| {
        let info = if name.is_empty() {
            String::new()
        } else {
            format!(r#","io.modelcontextprotocol/clientInfo":{{"name":"{name}"}}"#)
        };
        format!(
            r#"{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{"roots":{{}}}}{info}}}"#
        )
    };
    let meta = prop_oneof![
        24 => Just(None),
        3 => Just(Some(r#"{"agent-working-dir":"/p/b"}"#.to_owned())),
        3 => Just(Some(r#"{"agent-working-dir":7}"#.to_owned())),
        3 => Just(Some(modern(""))),
        3 => Just(Some(modern("one"))),
        1 => Just(Some(modern("other"))),
        3 => Just(Some("7".to_owned())),
    ];
    let capabilities = prop_oneof![
        16 => Just(None),
        2 => select(CAPABILITIES.to_vec()).prop_map(Some),
        1 => Just(Some(FORMS)),
    ];
    let input = prop_oneof![
        6 => Just(None),
        1 => list().prop_map(|list| Some(format!("{{\"rootwise\":{list}}}"))),
        1 => user_answer().prop_map(|answer| Some(format!("{{\"rootwise-project\":{answer}}}"))),
        1 => (list(), user_answer()).prop_map(|(list, answer)| Some(format!("{{\"rootwise\":{list},\"rootwise-project\":{answer}}}"))),
        1 => Just(Some(r#"{"other":{}}"#.to_owned())),
        1 => Just(Some("7".to_owned())),
    ];
    let rare = || prop_oneof![30 => Just(None), 1 => select(VALUES.to_vec()).prop_map(|value| Some(value.to_owned()))];
    let pairs = |one: &str, value: Option<String>, other: &str, more: Option<String>| {
        let named = |name: &str, value: Option<String>| value.map(|value| (name.to_owned(), value));
        named(one, value).into_iter().chain(named(other, more)).collect()
    };
    (
        value(),
        (argument, prop::bool::weighted(0.03)),
        (value(), rare(), any::<bool>()),
        (value(), rare()),
        meta,
        capabilities,
        input,
    )
        .prop_map(
            move |(
                server,
                (argument, other_type),
                (header, more_header, twice),
                (query, more_query),
                meta,
                capabilities,
                input,
            )| {
                RequestFacts::default()
                    .server(server)
                    .argument(if other_type { Some(Argument::Other) } else { argument.map(Argument::from) })
                    .headers(pairs(
                        "X-WORKSPACE-id",
                        header,
                        if twice { "x-workspace-ID" } else { "x-project-PATH" },
                        more_header,
                    ))
                    .query(pairs("project_path", query, "project", more_query))
                    .meta(meta.as_deref().map(raw))
                    .capabilities(capabilities.map(raw))
                    .input_responses(input.as_deref().map(raw))
            },
        )
}

fn which() -> impl Strategy<Value = Which> {
    prop_oneof![8 => Just(Which::Newest), 2 => Just(Which::Oldest), 1 => Just(Which::Unknown)]
}

fn ask_via() -> impl Strategy<Value = Option<AskVia>> {
    prop_oneof![
        8 => Just(None),
        2 => Just(Some(AskVia::Request)),
        1 => Just(Some(AskVia::InputRequired)),
        1 => Just(Some(AskVia::None)),
    ]
}

fn select_by() -> impl Strategy<Value = SelectBy> {
    let text = || {
        select(vec![
            "/p/a",
            "/p/b",
            "a",
            "Own",
            "file:///p/a",
            "file:///p/b",
            "https://x/y",
            "/p/../p/a",
            "p/a",
            "C:/code",
            "b c",
            " ",
            "/p/missing",
            "${x}",
        ])
    };
    prop_oneof![
        text().prop_map(|text| SelectBy::Name(text.to_owned())),
        text().prop_map(|text| SelectBy::Path(text.to_owned())),
        text().prop_map(|text| SelectBy::Uri(text.to_owned())),
        text().prop_map(|text| SelectBy::Root(text.to_owned())),
        text().prop_map(|text| SelectBy::Value(text.to_owned())),
    ]
}

/// A call of revision 2026-07-28 that only describes its client, or brings its roots too.
fn modern_ask(id: u32, capabilities: &str, name: &str, list: Option<&str>) -> Act {
    let info = raw(&format!(r#"{{"name":"{name}"}}"#));
    let input = list.map(|list| raw(&format!(r#"{{"rootwise":{list}}}"#)));
    let facts = RequestFacts::default().capabilities(raw(capabilities)).client_info(info).input_responses(input);
    Act::Ask { id, want: Want::Project, by: Some(AskVia::InputRequired), facts, target: None, quiet: false }
}

fn act() -> impl Strategy<Value = Act> {
    let refusal = select(vec![
        (RefusalKind::Error, Some(-32601), "x"),
        (RefusalKind::Error, Some(-32603), "Roots NOT supported here"),
        (RefusalKind::Error, Some(-32603), "broken"),
        (RefusalKind::Error, None, ""),
        (RefusalKind::Undeliverable, None, ""),
        (RefusalKind::Unreadable, None, ""),
        (RefusalKind::Abandoned, None, ""),
        (RefusalKind::Abandoned, None, "unsupported"),
    ]);
    let about = prop_oneof![3 => Just(None), 1 => select(TARGETS.to_vec()).prop_map(Some)];
    let want = prop_oneof![6 => Just(Want::Project), 1 => Just(Want::Roots)];
    let bare = || prop_oneof![3 => Just(RequestFacts::default()), 2 => facts()];
    prop_oneof![
        1 => prop_oneof![4 => Just(CAPABILITIES[1]), 2 => Just(FORMS), 2 => select(CAPABILITIES.to_vec())].prop_map(Act::Init),
        2 => Just(Act::Ready),
        4 => prop::bool::weighted(0.2).prop_map(Act::Changed),
        6 => (which(), list()).prop_map(|(which, list)| Act::Listed(which, list)),
        1 => list().prop_map(Act::HostListed),
        4 => (which(), refusal).prop_map(|(which, (kind, code, message))| Act::Refused(which, kind, code, message)),
        12 => (0..6_u32, want, ask_via(), bare(), about, prop::bool::weighted(0.05))
            .prop_map(|(id, want, by, facts, target, quiet)| Act::Ask { id, want, by, facts, target, quiet }),
        3 => (0..6_u32, select(CAPABILITIES[..3].to_vec()), select(vec!["one", "one", "other"]))
            .prop_map(|(id, capabilities, name)| modern_ask(id, capabilities, name, None)),
        2 => (0..6_u32, select_by(), ask_via(), bare())
            .prop_map(|(id, by, ask_via, facts)| Act::Select { id, by, ask_via, facts }),
        1 => (0..6_u32, ask_via(), bare())
            .prop_map(|(id, ask_via, facts)| Act::Clear { id, ask_via, facts }),
        1 => (0..6_u32).prop_map(Act::Withdraw),
        10 => (which(), prop_oneof![6 => Just(0_u8), 1 => any::<u8>()], prop_oneof![6 => Just(0_u8), 1 => any::<u8>()])
            .prop_map(|(which, out, other)| Act::Probed(which, out, other)),
        5 => Just(Act::Deadline),
        3 => (which(), user_answer()).prop_map(|(which, answer)| Act::UserAnswered(which, answer)),
        1 => (which(), select(vec![RefusalKind::Error, RefusalKind::Abandoned, RefusalKind::Undeliverable]))
            .prop_map(|(which, kind)| Act::FormRefused(which, kind)),
        1 => user_answer().prop_map(Act::UserMessage),
        2 => (which(), any::<bool>(), list()).prop_map(|(which, as_string, list)| Act::Answer(which, as_string, list)),
        2 => select(TEXTS.to_vec()).prop_map(Act::Text),
        1 => (which(), vec(select(TEXTS[4..17].to_vec()), 0..3), list()).prop_map(|(which, texts, list)| Act::Batch(which, texts, list)),
        1 => host().prop_map(Act::Host),
        1 => prop_oneof![4 => Just(Act::Changed(false)), 1 => Just(Act::Closed)],
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let time = prop_oneof![
        12 => select(vec![0, 1, 5, 50, 100, 250, 299, 300, 400, 500, 999, 1_000]).prop_map(Time::By),
        1 => select(vec![5_000, 60_000, 120_000, 600_000]).prop_map(Time::By),
        4 => select(vec![0, 0, 1, -1]).prop_map(Time::ToDeadline),
        2 => Just(Time::Back),
    ];
    (time, act()).prop_map(|(time, act)| {
        let time = match (&act, time) {
            // A deadline event mostly comes when it is due.
            (Act::Deadline, Time::By(odd)) if odd > 1 => Time::ToDeadline(0),
            (_, time) => time,
        };
        Step { time, act }
    })
}

pub fn disk() -> impl Strategy<Value = BTreeMap<String, EntryKind>> {
    let found = prop_oneof![
        6 => Just(EntryKind::Directory),
        2 => Just(EntryKind::Missing),
        1 => Just(EntryKind::File),
        1 => Just(EntryKind::Unreadable),
    ];
    vec(found, PLACES.len()).prop_map(|found| {
        let mut disk: BTreeMap<String, EntryKind> = PLACES.iter().map(|place| (*place).to_owned()).zip(found).collect();
        for folder in ["/", "/p", "/home/u", "/tmp"] {
            disk.insert(folder.to_owned(), EntryKind::Directory);
        }
        disk
    })
}

/// A case; most begin with a handshake, because little happens without one.
pub fn case(steps: usize) -> impl Strategy<Value = Case> {
    let start = prop_oneof![
        8 => Just(vec![Act::Init(CAPABILITIES[1]), Act::Ready]),
        1 => Just(vec![Act::Init(CAPABILITIES[1])]),
        1 => Just(Vec::new()),
        2 => list().prop_map(|list| {
            let again = || modern_ask(2, CAPABILITIES[1], "one", None);
            vec![modern_ask(1, CAPABILITIES[1], "one", Some(&list)), Act::Probed(Which::Newest, 0, 0), again(), again()]
        }),
    ];
    (policy(), host(), disk(), start, vec(step(), 1..steps), checkouts()).prop_map(
        |(policy, host, disk, mut start, more, checkouts)| {
            if let Some(Act::Init(capabilities)) = start.first_mut().filter(|_| policy.config().elicit != Elicit::Never)
            {
                *capabilities = FORMS;
            }
            let begin = start.into_iter().map(|act| Step { time: Time::By(1), act });
            let steps = begin.chain(more).collect();
            Case { policy, host, disk, checkouts, steps }
        },
    )
}
