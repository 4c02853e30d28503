//! The answer to a plain ask serves the next one, which then shares it, as long as nothing can have changed it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail loudly")]

use std::sync::Arc;

use rootwise::action::{Action, Answer, Outcome};
use rootwise::event::{Argument, AskVia, Asked, RequestFacts, Want};
use rootwise::host::HostFacts;
use rootwise::{Event, Millis, PathStyle, Policy, Project, Resolver};
use serde_json::value::RawValue;

const POLICY: &str = r#"{
    "name": "reuse",
    "sources": [{ "from": "argument", "verify": "none", "within": "anywhere" }, { "from": "roots", "verify": "none" }, { "from": "cwd", "verify": "none" }],
    "roots": { "requireCapability": true },
    "hints": [{ "sources": ["roots", "cwd"], "text": "always" }, { "sources": ["roots", "cwd"], "text": "once", "once": true }]
}"#;

/// A client on a host with a folder of its own.
fn connected(capabilities: &str) -> Resolver {
    let mut host = HostFacts::new(PathStyle::Posix);
    host.cwd = Some("/work/server".into());
    let mut resolver = Resolver::new(Policy::from_json(POLICY).unwrap(), host).unwrap();
    let initialize = format!(r#"{{"type":"clientInitialized","capabilities":{capabilities}}}"#);
    for event in [&initialize, r#"{"type":"clientReady"}"#] {
        resolver.handle(rootwise::wire::parse_event(event).unwrap(), 0_u64).unwrap();
    }
    resolver
}

fn ask(resolver: &mut Resolver, asked: Asked, now: u64) -> Option<Answer> {
    let actions = resolver.handle(asked, now).unwrap();
    actions.into_iter().find_map(|action| match action {
        Action::Answer(answer) => Some(*answer),
        _ => None,
    })
}

fn project(answer: &Answer) -> &Arc<Project> {
    let Outcome::Resolved { project } = &answer.outcome else { panic!("{answer:?}") };
    project
}

#[test]
fn the_second_of_two_plain_asks_is_reused_and_a_third_one_shares_it() {
    let mut resolver = connected("{}");
    assert_eq!(resolver.revision(), 0);
    let first = ask(&mut resolver, Asked::new(1), 0).unwrap();
    assert_eq!(first.hints, [""; 0]);
    assert_eq!(resolver.reuse(), None, "the first one changed the connection's project");
    let second = ask(&mut resolver, Asked::new(2), 0).unwrap();
    assert_eq!(resolver.reuse().unwrap().until, None);
    let third = ask(&mut resolver, Asked::new(3), 0).unwrap();
    assert!(Arc::ptr_eq(project(&second), project(&third)));
    assert_eq!((third.revision, resolver.revision()), (1, 1));

    resolver.handle(Event::DeadlineReached, 0_u64).unwrap();
    assert_eq!(resolver.reuse(), None, "an event ends it");
    let fourth = ask(&mut resolver, Asked::new(4), 0).unwrap();
    assert!(!Arc::ptr_eq(project(&third), project(&fourth)));
}

#[test]
fn an_ask_that_brings_something_of_its_own_gets_its_own_answer() {
    let mut resolver = connected("{}");
    for id in 1..3 {
        ask(&mut resolver, Asked::new(id), 0).unwrap();
    }
    let reused = |resolver: &mut Resolver| {
        ask(resolver, Asked::new(9), 0).unwrap();
        assert!(resolver.reuse().is_some());
    };

    reused(&mut resolver);
    let explained = ask(&mut resolver, Asked::new(3).explain(true), 0).unwrap();
    assert!(explained.explanation.is_some());
    assert_eq!(resolver.reuse(), None);

    reused(&mut resolver);
    let shown = ask(&mut resolver, Asked::new(7).hints(true), 0).unwrap();
    assert_eq!(shown.hints, ["always", "once"]);
    let again = ask(&mut resolver, Asked::new(8).hints(true), 0).unwrap();
    assert_eq!(again.hints, ["always"]);

    reused(&mut resolver);
    let listed = ask(&mut resolver, Asked::new(4).want(Want::Roots), 0).unwrap();
    assert!(matches!(listed.outcome, Outcome::Listed { .. }));

    reused(&mut resolver);
    let facts = RequestFacts::default().argument(Argument::from("/work/other"));
    let named = ask(&mut resolver, Asked::new(5).facts(facts), 0).unwrap();
    assert_eq!(project(&named).key, "/work/other");

    reused(&mut resolver);
    let modern = ask(&mut resolver, Asked::new(6).ask_via(AskVia::None).facts(described("{}", "one")), 0).unwrap();
    assert!(matches!(modern.outcome, Outcome::Resolved { .. }));
    assert_eq!(resolver.reuse(), None, "its client cannot be asked by its result, so that it serves no other ask");
}

fn described(capabilities: &str, name: &str) -> RequestFacts {
    let raw = |text: String| RawValue::from_string(text).unwrap();
    let info = raw(format!(r#"{{"name":"{name}","version":"1"}}"#));
    RequestFacts::default().capabilities(raw(capabilities.into())).client_info(info)
}

#[test]
fn an_answer_to_a_modern_ask_serves_those_that_describe_their_client_alike() {
    let mut resolver = connected("{}");
    let mut asks = 0;
    let mut answered = |resolver: &mut Resolver, via: Option<AskVia>, facts: RequestFacts| {
        asks += 1;
        ask(resolver, Asked::new(asks).ask_via(via).facts(facts), 0).unwrap()
    };
    let by_result = Some(AskVia::InputRequired);
    answered(&mut resolver, by_result, described("{}", "one"));
    let kept = answered(&mut resolver, by_result, described("{}", "one"));
    assert!(resolver.reuse().is_some());
    let mut is_kept = |resolver: &mut Resolver, via: Option<AskVia>, facts: RequestFacts| {
        let mut other = resolver.clone();
        let answer = answered(&mut other, via, facts);
        matches!(&answer.outcome, Outcome::Resolved { project } if Arc::ptr_eq(project, self::project(&kept)))
    };
    // The era follows from the capabilities, and what else the client says of itself changes nothing.
    let spelled_otherwise = r#"{ "sampling": {} }"#;
    for (via, facts) in [(by_result, described("{}", "one")), (None, described(spelled_otherwise, "one"))] {
        assert!(is_kept(&mut resolver, via, facts));
    }
    let others = [
        (None, RequestFacts::default()),
        (Some(AskVia::Request), RequestFacts::default()),
        (Some(AskVia::Request), described("{}", "one")),
        (Some(AskVia::None), described("{}", "one")),
        (by_result, described("{}", "two")),
        (by_result, RequestFacts::default()),
        (by_result, described(r#"{"elicitation":{}}"#, "one")),
        (by_result, described("{}", "one").argument(Argument::from("/work/server"))),
    ];
    for (via, facts) in others {
        assert!(!is_kept(&mut resolver, via, facts.clone()), "{via:?} {facts:?}");
    }
}

#[test]
fn an_answer_from_the_roots_is_reused_until_the_list_is_too_old() {
    let mut resolver = connected(r#"{"roots":{}}"#);
    assert!(ask(&mut resolver, Asked::new(1), 0).is_none(), "the client is asked");
    let listed = r#"{"type":"rootsListed","request":1,"result":{"roots":[{"uri":"file:///work/a"}]}}"#;
    resolver.handle(rootwise::wire::parse_event(listed).unwrap(), 10_u64).unwrap();
    let second = ask(&mut resolver, Asked::new(2), 10).unwrap();
    assert_eq!(project(&second).key, "/work/a");
    assert_eq!(resolver.reuse().unwrap().until, Some(Millis(1010)));
    let third = ask(&mut resolver, Asked::new(3), 1009).unwrap();
    assert!(Arc::ptr_eq(project(&second), project(&third)));
    assert!(ask(&mut resolver, Asked::new(4), 1010).is_none(), "the client is asked again");
}

#[test]
fn an_answer_that_rests_on_the_disk_is_reused_until_the_report_is_too_old() {
    let mut host = HostFacts::new(PathStyle::Posix);
    host.cwd = Some("/work/server".into());
    let policy = Policy::from_json(r#"{ "name": "disk", "sources": [{ "from": "cwd" }] }"#).unwrap();
    let mut resolver = Resolver::new(policy, host).unwrap();
    let initialized = r#"{"type":"clientInitialized","capabilities":{}}"#;
    resolver.handle(rootwise::wire::parse_event(initialized).unwrap(), 0_u64).unwrap();
    assert!(ask(&mut resolver, Asked::new(1), 0).is_none(), "the folder is probed");
    let report = r#"{"type":"probed","probe":1,"paths":[{"path":"/work/server","found":"directory"}]}"#;
    resolver.handle(rootwise::wire::parse_event(report).unwrap(), 5_u64).unwrap();
    ask(&mut resolver, Asked::new(2), 6).unwrap();
    assert_eq!(resolver.reuse().unwrap().until, Some(Millis(1005)));

    assert!(ask(&mut resolver, Asked::new(3), 1005).is_none(), "the folder is probed again");
    let actions = resolver.handle(Event::DeadlineReached, 1255_u64).unwrap();
    let Some(Action::Answer(old)) = actions.first() else { panic!("{actions:?}") };
    assert!(project(old).stale);
    let next = ask(&mut resolver, Asked::new(4), 1260).unwrap();
    assert!(project(&next).stale);
    assert_eq!(resolver.reuse(), None, "what is stale serves no other ask");
}
