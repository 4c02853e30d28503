//! No answer depends on what another caller did: the answers of one caller are the same with and without all others.

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
use rootwise::{Endpoint, Policy};
use serde_json::{Value, json};

use super::generate::raw;
use super::{config, seed};

/// Everybody who calls, in ways that are easily mixed up: the same conversation of other callers, other conversations of the same
/// caller, clients of the same name on this machine, on pipes and unknown.
const CALLERS: [Caller; 9] = [
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
struct Caller {
    name: Option<&'static str>,
    conversation: Option<&'static str>,
    client: &'static str,
    session: Option<u32>,
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
}

fn act() -> impl Strategy<Value = Act> {
    let named = || select(vec!["/p/a", "/p/b", "/q/a", "a", "b", "/elsewhere"]);
    let deed = prop_oneof![
        4 => prop::option::weighted(0.3, named()).prop_map(|argument| Deed::Ask { argument }),
        3 => named().prop_map(Deed::Select),
        1 => Just(Deed::Clear),
    ];
    let roots = prop::option::weighted(0.8, vec(select(FOLDERS.to_vec()), 1..3));
    (0..CALLERS.len(), deed, roots).prop_map(|(caller, deed, roots)| Act { caller, deed, roots })
}

/// The answers to one caller, as the others act too or not.
fn answers(acts: &[Act], caller: usize, alone: bool) -> Vec<Value> {
    let policy = r#"{"name":"callers","sources":[{"from":"argument","verify":"none"},{"from":"selected","verify":"none"},
        {"from":"roots","verify":"none"},{"from":"remembered"}],"memory":{"pin":"sticky","pinFrom":["roots"]}}"#;
    let mut host = HostFacts::new(PathStyle::Posix);
    (host.local, host.tool_argument) = (Some(true), Some("project".into()));
    let mut endpoint = Endpoint::new(Policy::from_json(policy).unwrap(), &host).unwrap();
    for session in [1, 2] {
        endpoint.handle(SessionOpened::new(session, Transport::Stdio), 0).unwrap();
    }
    let mut answers = Vec::new();
    for (at, act) in acts.iter().enumerate().filter(|(_, act)| !alone || act.caller == caller) {
        let (id, who) = (at as u32, CALLERS[act.caller]);
        let mut started = CallStarted::new(id);
        started.protocol_version = Some("2026-07-28".into());
        started.session = who.session.map(Into::into);
        started.caller = who.name.map(Into::into);
        started.capabilities = Some(raw(r#"{"roots":{}}"#));
        started.client_info = Some(raw(&json!({ "name": who.client }).to_string()));
        started.meta = who.conversation.map(|id| raw(&json!({ "threadId": id }).to_string()));
        let uri = |folder: &&str| json!({ "uri": format!("file://{folder}") });
        let roots = act.roots.as_ref().map(|roots| roots.iter().map(uri).collect::<Vec<_>>());
        started.input_responses = roots.map(|roots| raw(&json!({ "rootwise": { "roots": roots } }).to_string()));
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
