//! Processor time of the scenarios. All take turns in every round, so that a change of the machine meets all of them.

use std::time::Duration;

use crate::clock::Clock;
use crate::scenarios;

/// Repetitions in one round.
const BATCH: u32 = 50;

pub(crate) fn measure(rounds: usize) {
    let mut works: Vec<_> = scenarios::ALL.iter().map(|scenario| (scenario.name, (scenario.make)())).collect();
    let mut samples = vec![Vec::new(); works.len()];
    for round in 0..rounds + 5 {
        for turn in 0..works.len() {
            let at = (round + turn) % works.len();
            let took = batch(&mut works[at].1);
            // The first rounds warm up.
            if round >= 5 {
                samples[at].push(took.as_nanos() as f64 / f64::from(BATCH));
            }
        }
    }
    let rows = works.iter().zip(samples).map(|((name, _), samples)| ((*name).to_owned(), samples.into()));
    println!("{}", serde_json::Value::Object(rows.collect()));
}

fn batch(work: &mut dyn FnMut()) -> Duration {
    let clock = Clock::now();
    for _ in 0..BATCH {
        work();
    }
    clock.elapsed()
}
