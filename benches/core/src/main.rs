//! Measures the core for `npm run bench` and `npm run counts`, which print what it finds.
//!
//! ```sh
//! cargo run --release -p rootwise-bench -- list              # the scenarios
//! cargo run --release -p rootwise-bench -- times 60          # processor time of each scenario and its floor, as JSON
//! cargo run --release -p rootwise-bench -- repeat session 50 # for callgrind and other profilers
//! cargo run --release -p rootwise-bench -- growth            # the time of one event for n and 10 n, as JSON
//! cargo run --release -p rootwise-bench -- growth "members of _meta" 3200 1 # one such event, for callgrind
//! cargo run --release -p rootwise-bench -- memory 100000     # connections at once, then ten times as many in turn, as JSON
//! cargo run --release -p rootwise-bench -- pipe SERVER       # what `rootwise run` is compared with
//! ```
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_precision_loss,
    reason = "a measurement stops at the first surprise"
)]

mod clock;
mod endpoints;
mod floor;
mod growth;
mod memory;
mod pipe;
mod scenarios;
mod times;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["list"] => scenarios::ALL.iter().for_each(|scenario| println!("{}", scenario.name)),
        ["times", rounds] => times::measure(rounds.parse().unwrap()),
        ["repeat", name, count] => repeat(name, count.parse().unwrap()),
        ["growth"] => growth::measure(),
        ["growth", what, n, count] => growth::repeat(what, n.parse().unwrap(), count.parse().unwrap()),
        ["memory", connections] => memory::measure(connections.parse().unwrap()),
        ["pipe", command @ ..] => pipe::run(command),
        _ => panic!("unknown arguments: {words:?}"),
    }
}

fn repeat(name: &str, count: u32) {
    let mut work = scenarios::named(name);
    for _ in 0..count {
        work();
    }
}
