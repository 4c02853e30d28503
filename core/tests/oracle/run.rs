//! Runs cases through the machine, with a seed that can be repeated.

use std::sync::{Arc, LazyLock};

use proptest::test_runner::{Config, RngSeed, TestCaseError};
use rootwise::Resolver;
use rootwise::action::Action;
use rootwise::event::Event;

use super::compare::{effects, views};
use super::generate::Case;
use super::world::World;
use super::{Effects, Views};

pub fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().and_then(|text| text.parse().ok())
}

/// The seed of this run: another one each time, unless one is to be repeated.
pub fn seed() -> u64 {
    static SEED: LazyLock<u64> = LazyLock::new(|| {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        number("ROOTWISE_SEED").unwrap_or_else(|| since.map_or(0, |since| since.as_millis() as u64))
    });
    *SEED
}

pub fn config(cases: u32) -> Config {
    // Shown if the test fails.
    println!("repeat with ROOTWISE_SEED={}", seed());
    Config {
        cases: number("ROOTWISE_CASES").map_or(cases, |cases| cases as u32),
        rng_seed: RngSeed::Fixed(seed()),
        max_shrink_iters: 20_000,
        failure_persistence: None,
        ..Config::default()
    }
}

pub fn resolver(case: &Case) -> Resolver {
    Resolver::new(Arc::new(case.policy.clone()), Arc::new(case.host.clone())).unwrap()
}

/// What one step did: the event, its time, and the actions unless it was refused.
pub struct Done {
    pub event: Event,
    pub now: u64,
    pub actions: Option<Vec<Action>>,
    pub views: Views,
}

/// Runs a case through the machine alone.
pub fn run(case: &Case) -> Vec<Done> {
    let mut machine = resolver(case);
    let mut world = World::default();
    let mut done = Vec::new();
    for step in &case.steps {
        let (event, now) = world.event(case, step);
        let actions = machine.handle(event.clone(), now).ok();
        if let Some(actions) = &actions {
            world.observe(&event, now, &effects(actions), machine.deadline().map(|at| at.0));
        }
        done.push(Done { event, now, actions, views: views(&machine) });
    }
    done
}

/// Runs a case and calls back after every step, with the machine, the world, the effects and all events so far.
pub fn after_every_step(
    case: &Case,
    mut check: impl FnMut(&mut Resolver, &World, &Effects, &str) -> Result<(), TestCaseError>,
) -> Result<(), TestCaseError> {
    let mut machine = resolver(case);
    let mut world = World::default();
    let mut trace = String::new();
    for step in &case.steps {
        let (event, now) = world.event(case, step);
        trace.push_str(&format!("\n@{now} {event:?}"));
        let mut seen = Effects::default();
        if let Ok(actions) = machine.handle(event.clone(), now) {
            seen = effects(&actions);
            trace.push_str(&format!("\n    -> {seen:?}"));
            world.observe(&event, now, &seen, machine.deadline().map(|at| at.0));
        }
        check(&mut machine, &world, &seen, &trace)?;
    }
    Ok(())
}

/// Feeds events that were taken down before.
pub fn replay(machine: &mut Resolver, done: &[Done]) -> Vec<Option<Vec<Action>>> {
    done.iter().map(|done| machine.handle(done.event.clone(), done.now).ok()).collect()
}

pub fn ask_of(event: &Event) -> Option<u32> {
    match event {
        Event::Asked(asked) => Some(asked.ask.0),
        Event::Selected(selected) => Some(selected.ask.0),
        Event::SelectionCleared(cleared) => Some(cleared.ask.0),
        _ => None,
    }
}
