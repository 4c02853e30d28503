//! The endpoint against its second model, and what must hold of any sequence of events.
//!
//! A normal run takes [`CASES`] cases of up to [`STEPS`] events, with a new seed each time. `ROOTWISE_CASES` sets another number,
//! and `ROOTWISE_SEED` repeats the seed that a failure prints:
//!
//! ```text
//! ROOTWISE_CASES=1000000 cargo test --release -p rootwise --test endpoint model -- --nocapture
//! ```
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::or_fun_call,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::large_enum_variant,
    clippy::type_complexity,
    reason = "a test stops at the first surprise"
)]

mod callers;
mod calls;
mod carry;
mod generate;
mod hostile;
mod log;
mod memories;
mod model;
mod parts;
mod promises;
mod states;
mod world;

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use generate::{Case, case, policy};
use model::{ANY, Model};
use promises::Promises;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use rootwise::endpoint::inputs::PolicyInputs;
use rootwise::{Endpoint, Policy};
use serde_json::Value;
use world::World;

/// Cases against the model, and for the promises.
const CASES: u64 = 2_000;
/// Cases with one seed.
const BATCH: u64 = 200;
/// Events per case.
const STEPS: usize = 40;

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().and_then(|text| text.parse().ok())
}

/// The seed of this run: another one each time, unless one is to be repeated.
fn seed() -> u64 {
    static SEED: LazyLock<u64> = LazyLock::new(|| {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        number("ROOTWISE_SEED").unwrap_or_else(|| since.map_or(0, |since| since.as_millis() as u64))
    });
    *SEED
}

fn config(cases: u64, seed: u64) -> Config {
    Config {
        cases: cases as u32,
        rng_seed: RngSeed::Fixed(seed),
        max_shrink_iters: 20_000,
        failure_persistence: None,
        ..Config::default()
    }
}

/// Whether a value is as the model expects it; a text of the model may leave its end open.
fn is_expected(expected: &Value, got: &Value) -> bool {
    match (expected, got) {
        (Value::String(expected), Value::String(got)) => match expected.strip_suffix(ANY) {
            Some(start) => got.len() > start.len() && got.starts_with(start),
            None => expected == got,
        },
        (Value::Array(expected), Value::Array(got)) => {
            expected.len() == got.len() && expected.iter().zip(got).all(|(expected, got)| is_expected(expected, got))
        }
        (Value::Object(expected), Value::Object(got)) => {
            expected.len() == got.len()
                && expected.iter().all(|(name, value)| got.get(name).is_some_and(|got| is_expected(value, got)))
        }
        _ => expected == got,
    }
}

/// An output with its actions in one order: the rules say nothing about the order of answers, and of log lines, to different
/// asks.
fn sorted(mut output: Value) -> Value {
    const ORDER: [&str; 10] = [
        "answer",
        "announce",
        "announceRoots",
        "callResult",
        "cancel",
        "sendRequest",
        "probe",
        "forward",
        "watchRequests",
        "log",
    ];
    let key = |action: &Value| {
        let kind = ORDER.iter().position(|kind| action["type"] == *kind).unwrap();
        let place = match ORDER[kind] {
            "answer" => action["asks"].to_string(),
            "log" => [&action["code"], &action["session"], &action["ask"]].map(Value::to_string).concat(),
            _ => String::new(),
        };
        (kind, place)
    };
    if let Some(actions) = output["actions"].as_array_mut() {
        actions.sort_by_key(key);
    }
    output
}

/// How often all cases together came to what is rare: forms in requests, forms in results, conversations on pipes; and the
/// cases that the model could not follow to their end.
static REACHED: [AtomicUsize; 3] = [const { AtomicUsize::new(0) }; 3];
static LOST: AtomicUsize = AtomicUsize::new(0);

/// Whether the endpoint does what the model predicts; if not, the events up to the difference, as a vector.
fn compare(case: &Case) -> Result<(), TestCaseError> {
    let mut endpoint = Endpoint::new(policy(case), &case.host).unwrap();
    let mut model = Model::new(policy(case), case.host.clone());
    let mut world = World::default();
    for step in &case.steps {
        let (event, now) = world.event(&endpoint, step);
        let expected = model.step(&event, now);
        if model.is_lost {
            LOST.fetch_add(1, Ordering::Relaxed);
            return Ok(());
        }
        let got = endpoint.handle(event, now);
        match (expected, got) {
            (Err(code), Err(misuse)) => prop_assert_eq!(code, misuse.code(), "{}", world.vector(case)),
            (Ok(expected), Ok(output)) => {
                let (expected, got) = (sorted(expected), sorted(serde_json::to_value(&output).unwrap()));
                prop_assert!(
                    is_expected(&expected, &got),
                    "the model expects\n{expected:#}\nand the endpoint does\n{got:#}\nafter\n{}",
                    world.vector(case)
                );
                world.observe(&output);
            }
            (expected, got) => {
                prop_assert!(
                    false,
                    "the model expects {expected:?}, the endpoint does {got:?} after {}",
                    world.vector(case)
                );
            }
        }
        for session in 1..=3 {
            prop_assert_eq!(model.project(session), endpoint.project(session), "{}", world.vector(case));
        }
    }
    for (sum, count) in REACHED.iter().zip(model.log.reached()) {
        sum.fetch_add(count, Ordering::Relaxed);
    }
    Ok(())
}

/// Whether every promise is kept, up to the end of all sessions and calls.
fn keep_promises(case: &Case) -> Result<(), TestCaseError> {
    let mut endpoint = Endpoint::new(policy(case), &case.host).unwrap();
    let (mut promises, mut world) = (Promises::of(&case.host), World::default());
    let broken =
        |promise: String, world: &World| TestCaseError::fail(format!("{promise} after\n{}", world.vector(case)));
    for step in &case.steps {
        let (event, now) = world.event(&endpoint, step);
        let output = promises.handle(&mut endpoint, event, now).map_err(|promise| broken(promise, &world))?;
        output.iter().for_each(|output| world.observe(output));
    }
    promises.finish(&mut endpoint, world.now).map_err(|promise| broken(promise, &world))
}

/// Runs batches of cases on all cores; every batch has a seed of its own, counted from the first.
fn run(cases: u64, check: impl Fn(&Case) -> Result<(), TestCaseError> + Sync) {
    let (cases, seed) = (number("ROOTWISE_CASES").unwrap_or(cases), seed());
    let batches = cases.div_ceil(BATCH);
    let (next, failed) = (AtomicU64::new(0), AtomicU64::new(0));
    let started = std::time::Instant::now();
    let work = || {
        while let batch = next.fetch_add(1, Ordering::Relaxed)
            && batch < batches
        {
            let config = config((cases - batch * BATCH).min(BATCH), seed.wrapping_add(batch));
            if let Err(failure) = TestRunner::new(config).run(&case(STEPS), |case| check(&case)) {
                failed.fetch_add(1, Ordering::Relaxed);
                println!("ROOTWISE_SEED={} ROOTWISE_CASES={BATCH} fails: {failure}", seed.wrapping_add(batch));
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    println!("{cases} cases, seed {seed}, {} s", started.elapsed().as_secs());
    assert_eq!(failed.into_inner(), 0, "batches with a case that fails");
}

#[test]
fn the_endpoint_does_what_the_model_predicts() {
    run(CASES, compare);
    let [forms, in_results, conversations] = REACHED.each_ref().map(|sum| sum.load(Ordering::Relaxed));
    println!("{forms} forms, {in_results} in results, {conversations} conversations on pipes; lost in {LOST:?} cases");
    assert!([forms, in_results, conversations].iter().all(|count| *count > 0), "the cases are too tame");
}

#[test]
fn the_endpoint_keeps_its_promises() {
    run(CASES, keep_promises);
}

#[test]
fn only_options_of_the_command_line_that_the_policy_reads_count() {
    let inputs = PolicyInputs::of(&Policy::recommended());
    let found = |words: &[&str]| inputs.arguments(words.iter().copied()).into_iter().collect::<Vec<_>>();
    let project = |value: &str| vec![("project".to_owned(), value.to_owned())];
    assert_eq!(found(&["--verbose", "--other=/o", "--project=/p"]), project("/p"));
    assert_eq!(found(&["--project", "/p", "--project=/q"]), project("/p"), "the first counts");
    assert_eq!(found(&["--project", "--verbose"]), project(""), "the next option is no value");
    assert_eq!(found(&["--", "--project=/p"]), []);
    assert_eq!(found(&["--proj=/p", "--project-path", "/q"]), [], "an abbreviation may be another option");
}
