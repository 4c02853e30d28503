//! No answer depends on what another caller did: the answers of one caller are the same with and without all others.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestRunner;
use rootwise::endpoint::action::EndpointAction;
use rootwise::endpoint::event::{
    CallAsked, CallCleared, CallEnded, CallSelected, CallStarted, EndpointEvent, SessionOpened,
};
use rootwise::event::{Argument, SelectBy};
use rootwise::host::{HostFacts, Transport};
use rootwise::path::PathStyle;
use rootwise::{Endpoint, FORM_KEY, INPUT_KEY, Policy};
use serde_json::{Value, json};

use super::generate::raw;
use super::{config, seed};

/// Everybody who calls, in ways that are easily mixed up: the same conversation of other callers, other conversations of the same
/// caller, clients of the same name on this machine, on pipes and unknown.
const CALLERS: [Caller<'_>; 9] = [
    Caller { name: Some("ann"), conversation: None, client: "c", session: None },
    Caller { name: Some("bob"), conversation: None, client: "c", session: None },
    Caller { name: Some("ann"), conversation: None, client: "other", session: None },
    Caller { name: Some("ann"), conversation: Some("1"), client: "c", session: None },
    Caller { name: Some("bob"), conversation: Some("1"), client: "c", session: None },
    Caller { name: None, conversation: Some("1"), client: "c", session: None },
    Caller { name: None, conversation: Some("1"), client: "c", session: Some(1) },
    Caller { name: None, conversation: Some("2"), client: "c", session: Some(1) },
    Caller { name: None, conversation: Some("1"), client: "c", session: Some(2) },
];

const FOLDERS: [&str; 3] = ["/p/a", "/p/b", "/q/a"];

#[derive(Clone, Copy, Debug)]
struct Caller<'a> {
    name: Option<&'a str>,
    conversation: Option<&'a str>,
    client: &'a str,
    session: Option<u32>,
}

impl Caller<'_> {
    /// A call of this caller, whose client lists roots and shows forms.
    fn starts(&self, call: u32) -> CallStarted {
        let mut started = CallStarted::new(call);
        started.protocol_version = Some("2026-07-28".into());
        started.session = self.session.map(Into::into);
        started.caller = self.name.map(Into::into);
        started.capabilities = Some(raw(r#"{"roots":{},"elicitation":{}}"#));
        started.client_info = Some(raw(&json!({ "name": self.client }).to_string()));
        started.meta = self.conversation.map(|id| raw(&json!({ "threadId": id }).to_string()));
        started
    }
}

#[derive(Clone, Debug)]
enum Deed {
    Ask { argument: Option<&'static str> },
    Select(&'static str),
    Clear,
}

#[derive(Clone, Debug)]
struct Act {
    caller: usize,
    deed: Deed,
    /// The roots that come with the call, if any do.
    roots: Option<Vec<&'static str>>,
    /// What the caller's user answers to a form, asked or not.
    user: Option<&'static str>,
}

fn act() -> impl Strategy<Value = Act> {
    let named = || select(vec!["/p/a", "/p/b", "/q/a", "a", "b", "/elsewhere"]);
    let deed = prop_oneof![
        4 => prop::option::weighted(0.3, named()).prop_map(|argument| Deed::Ask { argument }),
        3 => named().prop_map(Deed::Select),
        1 => Just(Deed::Clear),
    ];
    let roots = prop::option::weighted(0.8, vec(select(FOLDERS.to_vec()), 1..3));
    let user = prop::option::weighted(0.3, select(vec!["a", "/p/b", "/q/a", "/elsewhere"]));
    let act = (0..CALLERS.len(), deed, roots, user);
    act.prop_map(|(caller, deed, roots, user)| Act { caller, deed, roots, user })
}

/// The answers to one caller, as the others act too or not.
fn answers(acts: &[Act], caller: usize, alone: bool) -> Vec<Value> {
    let policy = r#"{"name":"callers","sources":[{"from":"argument","verify":"none"},{"from":"selected","verify":"none"},
        {"from":"roots","verify":"none"},{"from":"remembered"}],"memory":{"pin":"sticky","pinFrom":["roots"]},
        "elicit":"ambiguous"}"#;
    let mut host = HostFacts::new(PathStyle::Posix);
    (host.local, host.tool_argument) = (Some(true), Some("project".into()));
    let mut endpoint = Endpoint::new(Policy::from_json(policy).unwrap(), &host).unwrap();
    for session in [1, 2] {
        endpoint.handle(SessionOpened::new(session, Transport::Stdio), 0).unwrap();
    }
    let mut answers = Vec::new();
    for (at, act) in acts.iter().enumerate().filter(|(_, act)| !alone || act.caller == caller) {
        let (id, who) = (at as u32, CALLERS[act.caller]);
        let mut started = who.starts(id);
        let uri = |folder: &&str| json!({ "uri": format!("file://{folder}") });
        let roots = act.roots.as_ref().map(|roots| roots.iter().map(uri).collect::<Vec<_>>());
        let roots = roots.map(|roots| (INPUT_KEY, json!({ "roots": roots })));
        let user = act.user.map(|text| (FORM_KEY, json!({ "action": "accept", "content": { "project": text } })));
        let responses: BTreeMap<_, _> = roots.into_iter().chain(user).collect();
        started.input_responses = (!responses.is_empty()).then(|| raw(&json!(responses).to_string()));
        let event: EndpointEvent = match &act.deed {
            Deed::Ask { argument } => {
                let mut asked = CallAsked::new(id);
                asked.call = Some(id.into());
                asked.argument = argument.map(|argument| Argument::Text(argument.into()));
                asked.into()
            }
            Deed::Select(text) => {
                let mut selected = CallSelected::new(id, SelectBy::Value((*text).into()));
                selected.call = Some(id.into());
                selected.into()
            }
            Deed::Clear => {
                let mut cleared = CallCleared::new(id);
                cleared.call = Some(id.into());
                cleared.into()
            }
        };
        // Everything within the fresh time, in which old knowledge counts most.
        for event in [started.into(), event, CallEnded::new(id).into()] {
            let output = endpoint.handle(event, 1).unwrap();
            let of_caller = output.actions.iter().filter(|_| act.caller == caller);
            answers.extend(of_caller.filter_map(|action| match action {
                EndpointAction::Answer(answer) => Some(serde_json::to_value(answer).unwrap()),
                _ => None,
            }));
        }
    }
    answers
}

#[test]
fn no_answer_depends_on_what_another_caller_did() {
    let cases = super::number("ROOTWISE_CASES").unwrap_or(1_000);
    TestRunner::new(config(cases, seed()))
        .run(&vec(act(), 1..24), |acts| {
            for caller in 0..CALLERS.len() {
                prop_assert_eq!(answers(&acts, caller, false), answers(&acts, caller, true), "caller {}", caller);
            }
            Ok(())
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
    let caller = |name, conversation| Caller { name: Some(name), conversation, client: "c", session: None };
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
    let caller = |at: usize| Caller { name: Some(&names[at]), conversation: None, client: "c", session: None };
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
