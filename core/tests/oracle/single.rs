//! Single cases: how many requests a burst, a minute or a silent client causes, and when nothing is left to wait for.

use std::sync::Arc;

use rootwise::action::RootsState;
use rootwise::event::{ClientInitialized, Event, RootsListed};
use rootwise::host::HostFacts;
use rootwise::path::PathStyle;
use rootwise::policy::Policy;
use rootwise::{Millis, RequestToken, Resolver};

use super::oracle::Effects;
use super::oracle::compare::effects;

/// The policies whose lists grow old, with a host that may be asked at any time.
fn aging() -> Resolver {
    let policy = r#"{"name":"aging","sources":[{"from":"roots","verify":"none"}]}"#;
    let mut machine = Resolver::new(Policy::from_json(policy).unwrap(), HostFacts::new(PathStyle::Posix)).unwrap();
    let capabilities = Some(super::oracle::generate::raw(r#"{"roots":{}}"#));
    machine.handle(Event::ClientInitialized(ClientInitialized::default().capabilities(capabilities)), 0).unwrap();
    machine.handle(Event::ClientReady, 0).unwrap();
    machine
}

fn asked(machine: &mut Resolver, ask: u32, now: u64) -> Effects {
    let asked = rootwise::event::Asked::new(ask);
    effects(&machine.handle(Event::Asked(asked), now).unwrap())
}

fn listed(machine: &mut Resolver, token: u32, now: u64) -> Effects {
    let result = super::oracle::generate::raw(r#"{"roots":[{"uri":"file:///p/a"}]}"#);
    effects(&machine.handle(Event::RootsListed(RootsListed::new(result).request(RequestToken(token))), now).unwrap())
}

#[test]
fn a_burst_shares_one_request() {
    let mut machine = aging();
    for (burst, now) in (0..5_u32).zip((0..).step_by(1_000)) {
        let sent: Vec<u32> = (0..100)
            .flat_map(|ask| asked(&mut machine, burst * 100 + ask, now).send)
            .map(|(token, ..)| token)
            .collect();
        assert_eq!(sent, [burst + 1], "at {now}");
        assert_eq!(listed(&mut machine, burst + 1, now).answers.len(), 100);
    }
}

#[test]
fn there_is_at_most_one_refresh_per_second() {
    let mut machine = aging();
    let mut requests = 0;
    for (ask, now) in (0..200_u32).zip((0..).step_by(50)) {
        for (token, ..) in asked(&mut machine, ask, now).send {
            requests += 1;
            assert_eq!(listed(&mut machine, token, now).answers.len(), 1);
        }
    }
    assert_eq!(requests, 10, "in ten seconds");
}

#[test]
fn a_client_that_falls_silent_costs_one_short_wait_per_request() {
    let mut machine = aging();
    asked(&mut machine, 0, 0);
    listed(&mut machine, 1, 0);
    let (mut waits, mut requests) = (0, 0);
    for (ask, now) in (1..2_000_u32).zip((1_000..).step_by(100)) {
        let deadlines = machine.deadline().is_some_and(|at| at.0 <= now);
        if deadlines {
            machine.handle(Event::DeadlineReached, now).unwrap();
        }
        let seen = asked(&mut machine, ask, now);
        requests += seen.send.len();
        if seen.answers.is_empty() {
            waits += 1;
            let at = machine.deadline().unwrap().0;
            assert_eq!(at, now + 250, "ask {ask} waits longer than for a refresh");
            let answers = effects(&machine.handle(Event::DeadlineReached, at).unwrap()).answers;
            assert_eq!(answers.len(), 1, "ask {ask}");
        }
    }
    assert_eq!(waits, requests);
    // In 200 seconds: each request lives for a minute, and after it the client rests for one.
    assert!(requests <= 2, "{requests} requests");
}

#[test]
fn ten_thousand_changes_in_no_time_cause_at_most_two_requests() {
    for policy in super::oracle::policies::policies() {
        let mut machine = Resolver::new(Arc::new(policy), Arc::new(HostFacts::new(PathStyle::Posix))).unwrap();
        let capabilities = Some(super::oracle::generate::raw(r#"{"roots":{}}"#));
        let mut requests = 0;
        let mut handle = |event: Event| {
            let actions = machine.handle(event, 5).unwrap();
            requests += effects(&actions).send.len();
        };
        handle(Event::ClientInitialized(ClientInitialized::default().capabilities(capabilities)));
        handle(Event::ClientReady);
        for _ in 0..10_000 {
            handle(Event::RootsChanged(Default::default()));
        }
        assert!(requests <= 2, "{requests} requests");
    }
}

#[test]
fn a_deadline_is_there_exactly_while_something_can_end() {
    // The model's deadline is the least of all that can end, and `the_machine_does_what_the_model_predicts` compares it; here
    // only the two ends of a life.
    let mut machine =
        Resolver::new(Arc::new(Policy::recommended()), Arc::new(HostFacts::new(PathStyle::Posix))).unwrap();
    assert_eq!(machine.deadline(), None);
    let capabilities = Some(super::oracle::generate::raw(r#"{"roots":{}}"#));
    machine.handle(Event::ClientInitialized(ClientInitialized::default().capabilities(capabilities)), 0).unwrap();
    machine.handle(Event::ClientReady, 0).unwrap();
    assert_eq!(machine.deadline(), None);
    machine.handle(Event::Asked(rootwise::event::Asked::new(1)), 10).unwrap();
    assert_eq!(machine.deadline(), Some(Millis(5_010)));
    machine.handle(Event::DeadlineReached, 5_010).unwrap();
    assert_eq!(machine.roots().state, RootsState::Overdue);
    assert_eq!(machine.deadline(), Some(Millis(60_010)));
    machine.handle(Event::DeadlineReached, 60_010).unwrap();
    assert_eq!(machine.deadline(), None);
}
