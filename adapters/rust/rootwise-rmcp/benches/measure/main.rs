//! What a tool call whose project is known costs beside the same call without Rootwise and beside what an author writes by hand, and
//! the memory of a client. `npm run bench` prints what this finds.
//!
//! ```sh
//! cargo bench -p rootwise-rmcp --bench measure -- calls 100           # the time of a call in 100 rounds, as JSON
//! cargo bench -p rootwise-rmcp --bench measure -- memory 10000        # the memory of one of 10,000 clients, as JSON
//! cargo bench -p rootwise-rmcp --bench measure -- repeat known 20000  # for a profiler
//! ```
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::arithmetic_side_effects,
    clippy::cast_precision_loss,
    reason = "a measurement stops at the first surprise"
)]
#![allow(deprecated, reason = "the protocol deprecates roots")]

mod by_hand;
mod calls;
#[path = "../../examples/http_server/mod.rs"]
mod http_server;
mod memory;
mod server;

use server::Kind;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    // Memory management is faster in a process that never had a second thread; a server has several.
    tokio::task::spawn_blocking(|| ()).await.unwrap();
    // `cargo bench` adds an option of its own.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["calls", rounds] => calls::measure(rounds.parse().unwrap()).await,
        ["memory", clients] => memory::measure(clients.parse().unwrap()).await,
        ["memory", case, clients] => memory::print(case, clients.parse().unwrap()).await,
        ["repeat", kind, calls] => calls::repeat(Kind::named(kind), calls.parse().unwrap()).await,
        ["serve", "stdio", kind] => server::over_stdio(Kind::named(kind)).await,
        ["serve", "http", kind] => server::over_http(Kind::named(kind)).await,
        _ => panic!("unknown arguments: {words:?}"),
    }
}
