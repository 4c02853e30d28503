//! No answer depends on what another caller did: the answers of one caller are the same with and without all others.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{TestCaseError, TestRunner};
use rootwise::action::RequestMethod;
use rootwise::endpoint::action::EndpointAction;
use rootwise::endpoint::event::{
    CallAsked, CallCleared, CallEnded, CallSelected, CallStarted, EndpointEvent, EndpointProbed, RequestAnswered,
    SessionInitialized, SessionOpened, SessionReady,
};
use rootwise::event::{Argument, EntryKind, ProbedPath, SelectBy, Want};
use rootwise::host::{HostFacts, Transport};
use rootwise::path::PathStyle;
use rootwise::{Endpoint, FORM_KEY, INPUT_KEY, Policy};
use serde_json::{Value, json};

use super::generate::raw;
use super::{config, seed};

/// Everybody who calls, in ways that are easily mixed up: the same conversation of other callers, other conversations of the same
/// caller, clients of the same name on this machine, on pipes and unknown, and both eras in sessions over HTTP. Each session has one
/// era, because the calls of a session wait for a probe together (rule 37) and so get their answers sooner.
const CALLERS: [Caller<'_>; 13] = [
    Caller { name: Some("ann"), ..NOBODY },
    Caller { name: Some("bob"), ..NOBODY },
    Caller { name: Some("ann"), client: "other", ..NOBODY },
    Caller { name: Some("ann"), conversation: Some("1"), ..NOBODY },
    Caller { name: Some("bob"), conversation: Some("1"), ..NOBODY },
    Caller { conversation: Some("1"), ..NOBODY },
    NOBODY,
    Caller { conversation: Some("1"), session: Some(1), ..NOBODY },
    Caller { conversation: Some("2"), session: Some(1), ..NOBODY },
    Caller { conversation: Some("1"), session: Some(2), ..NOBODY },
    Caller { name: Some("ann"), conversation: Some("1"), session: Some(3), is_legacy: true, ..NOBODY },
    Caller { session: Some(5), ..NOBODY },
    Caller { session: Some(4), is_legacy: true, ..NOBODY },
];

const NOBODY: Caller<'_> = Caller { name: None, conversation: None, client: "c", session: None, is_legacy: false };

const FOLDERS: [&str; 3] = ["/p/a", "/p/b", "/q/a"];

#[derive(Clone, Copy, Debug)]
struct Caller<'a> {
    name: Option<&'a str>,
    conversation: Option<&'a str>,
    client: &'a str,
    session: Option<u32>,
    is_legacy: bool,
}

impl Caller<'_> {
    /// A call of this caller, whose client lists roots and shows forms.
    fn starts(&self, call: u32) -> CallStarted {
        let mut started = CallStarted::new(call);
        started.session = self.session.map(Into::into);
        started.caller = self.name.map(Into::into);
        started.meta = self.conversation.map(|id| raw(&json!({ "threadId": id }).to_string()));
        if self.is_legacy {
            started.channel = Some(call.into());
        } else {
            started.protocol_version = Some("2026-07-28".into());
            started.capabilities = Some(raw(CAPABILITIES));
            started.client_info = Some(raw(&json!({ "name": self.client }).to_string()));
        }
        started
    }
}

const CAPABILITIES: &str = r#"{"roots":{},"elicitation":{}}"#;

#[derive(Clone, Debug)]
enum Deed {
    Ask { argument: Option<&'static str> },
    Roots,
    Select(&'static str),
    Clear,
}

#[derive(Clone, Debug)]
struct Act {
    caller: usize,
    deed: Deed,
    /// The roots that come with the call, if any do; those of a session of the older era come when they are asked for.
    roots: Option<Vec<&'static str>>,
    /// What the caller's user answers to a form, asked or not.
    user: Option<&'static str>,
    /// The milliseconds since the act before.
    after: u64,
    /// The acts during which the call goes on, and those until the disk and the client have answered what it causes.
    lasts: (usize, usize),
}

fn act() -> impl Strategy<Value = Act> {
    let named = || select(vec!["/p/a", "/p/b", "/q/a", "a", "b", "a-1234", "/elsewhere"]);
    let deed = prop_oneof![
        4 => prop::option::weighted(0.3, named()).prop_map(|argument| Deed::Ask { argument }),
        1 => Just(Deed::Roots),
        3 => named().prop_map(Deed::Select),
        1 => Just(Deed::Clear),
    ];
    let roots = prop::option::weighted(0.8, vec(select(FOLDERS.to_vec()), 1..3));
    let user = prop::option::weighted(0.3, select(vec!["a", "/p/b", "/q/a", "/elsewhere"]));
    // Mostly within the fresh time, in which old knowledge counts most.
    let after = select(vec![0, 0, 1, 1, 20, 300, 1_100, 6_000, 90_000_000]);
    let act = (0..CALLERS.len(), deed, roots, user, after, (0..4_usize, 0..3_usize));
    act.prop_map(|(caller, deed, roots, user, after, lasts)| Act { caller, deed, roots, user, after, lasts })
}

/// What happens to one endpoint: the acts of one caller or of all, with the same times.
struct Play<'a> {
    acts: &'a [Act],
    endpoint: Endpoint,
    now: u64,
    /// The replies to come, by the act that they follow.
    replies: BTreeMap<usize, Vec<EndpointEvent>>,
    /// The answers to each act with the time.
    answers: BTreeMap<u32, Vec<(u64, Value)>>,
}

impl<'a> Play<'a> {
    fn new(acts: &'a [Act], policy: &str) -> Self {
        let mut host = HostFacts::new(PathStyle::Posix);
        (host.local, host.tool_argument) = (Some(true), Some("project".into()));
        let endpoint = Endpoint::new(Policy::from_json(policy).unwrap(), &host).unwrap();
        let mut play = Self { acts, endpoint, now: 0, replies: BTreeMap::new(), answers: BTreeMap::new() };
        for session in [1, 2] {
            play.feed(SessionOpened::new(session, Transport::Stdio), 0);
        }
        for session in [3, 4, 5] {
            let mut initialized = SessionInitialized::new(session);
            initialized.capabilities = Some(raw(CAPABILITIES));
            play.feed(SessionOpened::new(session, Transport::Http), 0);
            play.feed(initialized, 0);
            play.feed(SessionReady::new(session), 0);
        }
        play
    }

    /// Has all acts of these callers happen; returns the answers to them.
    fn run(mut self, acts_too: impl Fn(usize) -> bool) -> BTreeMap<u32, Vec<(u64, Value)>> {
        let acts = self.acts;
        let rest = acts.len().saturating_add(8);
        for at in 0..rest {
            self.now += acts.get(at).map_or(1, |act| act.after);
            // A deadline that comes early does nothing, so that all may come as often.
            self.feed(EndpointEvent::DeadlineReached, at);
            for reply in self.replies.remove(&at).unwrap_or_default() {
                self.feed(reply, at);
            }
            for (call, act) in acts.iter().enumerate().take(at) {
                if acts_too(act.caller) && call + act.lasts.0 + 1 == at {
                    self.feed(CallEnded::new(call as u32), at);
                }
            }
            if let Some(act) = acts.get(at).filter(|act| acts_too(act.caller)) {
                self.act(at, act);
            }
        }
        self.answers
    }

    fn act(&mut self, at: usize, act: &Act) {
        let (id, who) = (at as u32, CALLERS[act.caller]);
        let mut started = who.starts(id);
        let roots = act.roots.as_ref().map(|folders| (INPUT_KEY, listed(folders)));
        let user = act.user.map(|text| (FORM_KEY, json!({ "action": "accept", "content": { "project": text } })));
        let responses: BTreeMap<_, _> = roots.into_iter().chain(user).collect();
        started.input_responses = (!responses.is_empty() && !who.is_legacy).then(|| raw(&json!(responses).to_string()));
        let call = Some(id.into());
        let event: EndpointEvent = match &act.deed {
            Deed::Ask { argument } => {
                let mut asked = CallAsked::new(id);
                asked.call = call;
                asked.argument = argument.map(|argument| Argument::Text(argument.into()));
                asked.into()
            }
            Deed::Roots => {
                let mut asked = CallAsked::new(id);
                (asked.call, asked.want) = (call, Want::Roots);
                asked.into()
            }
            Deed::Select(text) => {
                let mut selected = CallSelected::new(id, SelectBy::Value((*text).into()));
                selected.call = call;
                selected.into()
            }
            Deed::Clear => {
                let mut cleared = CallCleared::new(id);
                cleared.call = call;
                cleared.into()
            }
        };
        self.feed(started, at);
        self.feed(event, at);
    }

    fn feed(&mut self, event: impl Into<EndpointEvent>, at: usize) {
        // Whatever an act causes is answered after as many acts, whoever else acts.
        let due = at + 1 + self.acts.get(at).map_or(0, |act| act.lasts.1);
        for action in self.endpoint.handle(event, self.now).unwrap().actions {
            match action {
                EndpointAction::Answer(answer) => {
                    let mut said = serde_json::to_value(&answer).unwrap();
                    said.as_object_mut().unwrap().remove("asks");
                    for ask in &answer.asks {
                        self.answers.entry(ask.0).or_default().push((self.now, said.clone()));
                    }
                }
                EndpointAction::Probe(probe) => {
                    let found = |path: &str| match path {
                        "/p/a" | "/p/b" | "/q/a" => EntryKind::Directory,
                        _ => EntryKind::Missing,
                    };
                    let said = probe.paths.iter().map(|wanted| ProbedPath::new(&wanted.path, found(&wanted.path)));
                    let reply = EndpointProbed::new(probe.probe, said.collect::<Vec<_>>());
                    self.replies.entry(due).or_default().push(reply.into());
                }
                EndpointAction::SendRequest(sent) => {
                    let result = match sent.method {
                        RequestMethod::RootsList => listed(&["/p/a", "/q/a"]),
                        _ => json!({ "action": "decline" }),
                    };
                    let reply = RequestAnswered::new(sent.request, raw(&result.to_string()));
                    self.replies.entry(due).or_default().push(reply.into());
                }
                _ => {}
            }
        }
    }
}

fn listed(folders: &[&str]) -> Value {
    let uri = |folder: &&str| json!({ "uri": format!("file://{folder}") });
    json!({ "roots": folders.iter().map(uri).collect::<Vec<_>>() })
}

/// The answers to all callers are those that each of them gets where nobody else acts.
fn compare(acts: &[Act], policy: &str) -> Result<(), TestCaseError> {
    let all = Play::new(acts, policy).run(|_| true);
    for (caller, who) in CALLERS.iter().enumerate() {
        let alone = Play::new(acts, policy).run(|other| other == caller);
        let of_caller = all.iter().filter(|(ask, _)| acts[**ask as usize].caller == caller);
        let of_caller: BTreeMap<u32, Vec<(u64, Value)>> = of_caller.map(|(ask, said)| (*ask, said.clone())).collect();
        prop_assert_eq!(of_caller, alone, "caller {}: {:?}", caller, who);
    }
    Ok(())
}

#[test]
fn no_answer_depends_on_what_another_caller_did() {
    let trusting = r#"{"name":"callers","sources":[{"from":"argument","verify":"none"},{"from":"selected","verify":"none"},
        {"from":"roots","verify":"none"},{"from":"remembered"}],"memory":{"pin":"sticky","pinFrom":["roots"]},
        "elicit":"ambiguous"}"#;
    let checking = r#"{"name":"callers","sources":[{"from":"argument"},{"from":"selected"},{"from":"roots"},
        {"from":"remembered"}],"memory":{"pin":"sticky","pinFrom":["roots"]},"elicit":"ambiguous"}"#;
    let cases = super::number("ROOTWISE_CASES").unwrap_or(1_000);
    TestRunner::new(config(cases, seed()))
        .run(&(vec(act(), 1..24), any::<bool>()), |(acts, checks)| {
            compare(&acts, if checks { checking } else { trusting })
        })
        .unwrap();
}

/// Selects a folder for a caller, or asks for its project; returns the source and the folder of the answer.
fn one_call(endpoint: &mut Endpoint, call: u32, caller: Caller<'_>, selects: Option<&str>) -> Option<(String, String)> {
    let event: EndpointEvent = match selects {
        Some(folder) => {
            let mut selected = CallSelected::new(call, SelectBy::Path(folder.into()));
            selected.call = Some(call.into());
            selected.into()
        }
        None => {
            let mut asked = CallAsked::new(call);
            asked.call = Some(call.into());
            asked.into()
        }
    };
    let mut named = None;
    for event in [caller.starts(call).into(), event, CallEnded::new(call).into()] {
        for action in endpoint.handle(event, u64::from(call)).unwrap().actions {
            let EndpointAction::Answer(answer) = action else { continue };
            let answer = serde_json::to_value(answer).unwrap();
            let project = &answer["project"];
            let text = |value: &Value| value.as_str().map(str::to_owned);
            named = text(&project["source"]).zip(text(&project["path"]));
        }
    }
    named
}

#[test]
fn ten_thousand_conversations_of_one_caller_take_nothing_from_another() {
    let policy = r#"{"name":"crowd","sources":[{"from":"selected","verify":"none","within":"anywhere"}]}"#;
    let mut host = HostFacts::new(PathStyle::Posix);
    host.local = Some(true);
    let mut endpoint = Endpoint::new(Policy::from_json(policy).unwrap(), &host).unwrap();
    let caller = |name, conversation| Caller { name: Some(name), conversation, ..NOBODY };
    let selected = |folder: &str| Some(("selected".to_owned(), folder.to_owned()));
    let ann = caller("ann", Some("0"));
    one_call(&mut endpoint, 0, ann, Some("/p/a"));
    let ids: Vec<String> = (0..10_000).map(|number| number.to_string()).collect();
    for (id, call) in ids.iter().zip(1..) {
        one_call(&mut endpoint, call, caller("bob", Some(id)), Some("/q/a"));
    }
    assert_eq!(one_call(&mut endpoint, 20_001, ann, None), selected("/p/a"));
    let newest = caller("bob", ids.last().map(String::as_str));
    assert_eq!(one_call(&mut endpoint, 20_002, newest, None), selected("/q/a"));
    // The 64 conversations that bob used last are kept.
    assert_eq!(one_call(&mut endpoint, 20_003, caller("bob", Some("9936")), None), selected("/q/a"));
    assert_eq!(one_call(&mut endpoint, 20_004, caller("bob", Some("9935")), None), None);
}

#[test]
fn of_ten_thousand_callers_those_that_were_unused_for_longest_are_forgotten() {
    let policy = r#"{"name":"crowd","sources":[{"from":"selected","verify":"none","within":"anywhere"}]}"#;
    let mut host = HostFacts::new(PathStyle::Posix);
    host.local = Some(true);
    let mut endpoint = Endpoint::new(Policy::from_json(policy).unwrap(), &host).unwrap();
    let names: Vec<String> = (0..10_000).map(|number| format!("user {number}")).collect();
    let caller = |at: usize| Caller { name: Some(&names[at]), ..NOBODY };
    for (at, call) in (0..names.len()).zip(1..) {
        let folder = format!("/p/{at}");
        one_call(&mut endpoint, call, caller(at), Some(&folder));
    }
    for (at, call) in [(9_999, 20_001), (5_904, 20_002)] {
        let folder = format!("/p/{at}");
        assert_eq!(one_call(&mut endpoint, call, caller(at), None), Some(("selected".to_owned(), folder)));
    }
    assert_eq!(one_call(&mut endpoint, 20_003, caller(5_903), None), None);
}

#[test]
fn client_of_this_machine_with_many_conversations_takes_nothing_from_another_client() {
    let policy = r#"{"name":"crowd","sources":[{"from":"selected","verify":"none","within":"anywhere"}]}"#;
    let mut host = HostFacts::new(PathStyle::Posix);
    host.local = Some(true);
    let mut endpoint = Endpoint::new(Policy::from_json(policy).unwrap(), &host).unwrap();
    let selected = |folder: &str| Some(("selected".to_owned(), folder.to_owned()));
    let quiet = Caller { conversation: Some("0"), client: "quiet", ..NOBODY };
    one_call(&mut endpoint, 0, quiet, Some("/p/a"));
    let ids: Vec<String> = (0..200).map(|number| number.to_string()).collect();
    for (id, call) in ids.iter().zip(1..) {
        one_call(&mut endpoint, call, Caller { conversation: Some(id), ..NOBODY }, Some("/q/a"));
    }
    assert_eq!(one_call(&mut endpoint, 1_001, quiet, None), selected("/p/a"));
    // The other client has what is left of the 64.
    assert_eq!(one_call(&mut endpoint, 1_002, Caller { conversation: Some("137"), ..NOBODY }, None), selected("/q/a"));
    assert_eq!(one_call(&mut endpoint, 1_003, Caller { conversation: Some("136"), ..NOBODY }, None), None);
}

#[test]
fn caller_with_many_conversations_makes_room_for_a_caller_with_one() {
    let policy = r#"{"name":"crowd","sources":[{"from":"selected","verify":"none","within":"anywhere"}]}"#;
    let mut host = HostFacts::new(PathStyle::Posix);
    host.local = Some(true);
    let mut endpoint = Endpoint::new(Policy::from_json(policy).unwrap(), &host).unwrap();
    let selected = |folder: &str| Some(("selected".to_owned(), folder.to_owned()));
    let names: Vec<String> = (0..64).map(|number| format!("user {number}")).collect();
    let ids: Vec<String> = (0..64).map(|number| number.to_string()).collect();
    let one = |name| Caller { name: Some(name), ..NOBODY };
    one_call(&mut endpoint, 0, one("ann"), Some("/p/a"));
    // 64 callers with as many conversations as one may have are 4,096 memories.
    let all = names.iter().flat_map(|name| ids.iter().map(move |id| (name, id)));
    for ((name, id), call) in all.zip(1..) {
        one_call(&mut endpoint, call, Caller { conversation: Some(id), ..one(name) }, Some("/q/a"));
    }
    one_call(&mut endpoint, 5_000, one("bob"), Some("/p/b"));
    assert_eq!(one_call(&mut endpoint, 5_001, one("ann"), None), selected("/p/a"));
    assert_eq!(one_call(&mut endpoint, 5_002, one("bob"), None), selected("/p/b"));
}

#[test]
fn handle_works_in_another_process_of_the_server_where_the_selection_is_not_known() {
    let policy = r#"{"name":"replicas","sources":[{"from":"argument","verify":"none"},{"from":"selected","verify":"none"},
        {"from":"roots","verify":"none"}]}"#;
    for replicas in [false, true] {
        let mut host = HostFacts::new(PathStyle::Posix);
        (host.local, host.tool_argument, host.replicas) = (Some(true), Some("project".into()), replicas);
        let process = || Endpoint::new(Policy::from_json(policy).unwrap(), &host).unwrap();
        let (mut first, mut second) = (process(), process());
        let ann = Caller { name: Some("ann"), conversation: Some("1"), ..NOBODY };
        let call = |endpoint: &mut Endpoint, argument: Option<String>, event: EndpointEvent| {
            let mut started = ann.starts(1);
            started.argument = argument.map(Argument::Text);
            started.input_responses = Some(raw(&json!({ INPUT_KEY: listed(&["/p/a", "/p/b"]) }).to_string()));
            endpoint.handle(started, 0).unwrap();
            let output = endpoint.handle(event, 0).unwrap();
            endpoint.handle(CallEnded::new(1), 0).unwrap();
            let answer = output.actions.iter().find(|action| matches!(action, EndpointAction::Answer(_)));
            serde_json::to_value(answer.unwrap()).unwrap()["project"].clone()
        };
        let asked = || {
            let mut asked = CallAsked::new(2);
            asked.call = Some(1.into());
            EndpointEvent::from(asked)
        };
        let mut selected = CallSelected::new(1, SelectBy::Value("b".into()));
        selected.call = Some(1.into());
        let selected = call(&mut first, None, selected.into());
        let handle = selected["handle"].as_str().map(str::to_owned);
        assert!(handle.is_some(), "{selected}");
        // Without it the processes differ, unless none of them remembers anything.
        assert_eq!(call(&mut first, None, asked())["path"], if replicas { "/p/a" } else { "/p/b" });
        assert_eq!(call(&mut second, None, asked())["path"], "/p/a");
        for process in [&mut first, &mut second] {
            assert_eq!(call(process, handle.clone(), asked())["path"], "/p/b");
        }
    }
}
