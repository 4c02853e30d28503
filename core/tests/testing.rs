//! The public kit for property tests, with every kind of policy; and that it finds what it is there to find.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use rootwise::event::{AskWithdrawn, Asked, Event};
use rootwise::testing::{Player, Reply, Step, policies, steps};
use rootwise::{AskId, HostFacts, Outcome, PathStyle, Policy};

fn config() -> Config {
    Config { cases: 256, rng_seed: RngSeed::Fixed(11), failure_persistence: None, ..Config::default() }
}

fn host() -> HostFacts {
    let mut host = HostFacts::new(PathStyle::Posix);
    host.cwd = Some("/work/app".into());
    host.excluded_dirs.home = vec!["/home/me".into()];
    host
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_policy_survives_any_sequence(policy in policies(), steps in steps(40), confined in any::<bool>()) {
        let mut host = host();
        if confined {
            host.allowed_dirs = Some(vec!["/work".into()]);
        }
        let mut player = Player::new(policy, host)?;
        for step in &steps {
            player.play(step)?;
        }
        player.finish()?;
    }
}

#[test]
fn a_played_session_is_what_it_says() {
    let mut player = Player::new(Policy::recommended(), host()).unwrap();
    let ask = Step::Ask { ask_via: None, facts: rootwise::event::RequestFacts::default(), explain: false };
    let steps = [
        Step::Initialize { roots: true },
        Step::Ready,
        ask,
        Step::Probe { missing: vec![] },
        Step::Reply(Reply::Roots(vec!["file:///work/api".into()])),
        Step::Probe { missing: vec![] },
    ];
    for step in &steps {
        player.play(step).unwrap();
    }
    let answer = player.answers().get(&AskId(1)).unwrap();
    let Outcome::Resolved { project } = &answer.outcome else { panic!("{answer:?}") };
    assert_eq!(project.path.as_deref(), Some("/work/api"));
    player.finish().unwrap();
}

#[test]
fn a_violation_tells_the_events_that_led_to_it() {
    let mut player = Player::new(Policy::recommended(), host()).unwrap();
    player.play(&Step::Initialize { roots: true }).unwrap();
    player.feed(Asked::new(7)).unwrap();
    // The host uses the id of an ask that waits.
    let violation = player.feed(Asked::new(7)).unwrap_err();
    assert!(violation.what.contains("ask 7 is still waiting"), "{violation}");
    assert_eq!(violation.events, 3);
    assert!(violation.history.contains("ClientInitialized"));
    player.feed(Event::AskWithdrawn(AskWithdrawn::new(7))).unwrap();
    player.finish().unwrap();
}
