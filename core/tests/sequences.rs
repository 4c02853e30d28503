//! Properties over sequences of events: the machine against its second model, and what must hold of any sequence.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    unreachable_pub,
    reason = "a test stops at the first surprise"
)]

mod oracle;

use std::sync::Arc;

use oracle::compare::{effects, left_out_notices, rank, views};
use oracle::generate::{Case, World, case};
use oracle::model::Oracle;
use proptest::prelude::*;
use proptest::test_runner::Config;
use rootwise::Resolver;

/// Cases per property; each has up to [`STEPS`] events.
const CASES: u32 = 512;
const STEPS: usize = 40;

fn config() -> Config {
    let cases = std::env::var("ROOTWISE_CASES").ok().and_then(|cases| cases.parse().ok());
    Config { cases: cases.unwrap_or(CASES), max_shrink_iters: 20_000, failure_persistence: None, ..Config::default() }
}

fn resolver(case: &Case) -> Resolver {
    Resolver::new(Arc::new(case.policy.clone()), Arc::new(case.host.clone())).unwrap()
}

/// Runs a case through the machine and the model side by side.
fn compare(case: &Case) -> Result<(), TestCaseError> {
    let mut machine = resolver(case);
    let mut oracle = Oracle::new(case.policy.clone(), case.host.clone());
    let mut world = World::default();
    let mut trace = String::new();
    for step in &case.steps {
        let (event, now) = world.event(case, step);
        trace.push_str(&format!("\n@{now} {event:?}"));
        let expected = oracle.step(&event, now);
        let got = machine.handle(event.clone(), now);
        match (&expected, &got) {
            (Err(code), Err(misuse)) => prop_assert_eq!(*code, misuse.code(), "{}", trace),
            (Ok(expected), Ok(actions)) => {
                let mut seen = effects(actions);
                trace.push_str(&format!("\n    -> {seen:?}"));
                prop_assert!(actions.is_sorted_by_key(rank), "order of {:?}", actions);
                if left_out_notices(actions) {
                    seen.notices = expected.notices.clone();
                }
                prop_assert_eq!(expected, &seen, "model (left) and machine (right) differ after{}", trace);
                world.observe(&event, now, &seen, machine.deadline());
            }
            _ => prop_assert!(false, "model {expected:?}, machine {got:?} after{trace}"),
        }
        prop_assert_eq!(
            oracle.views(),
            views(&machine),
            "views of model (left) and machine (right) differ after{}",
            trace
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_machine_does_what_the_model_predicts(case in case(STEPS)) {
        compare(&case)?;
    }
}
