//! Measures a tool call whose project is known against the same call without Rootwise, and the memory of 10,000 clients.
//!
//! ```sh
//! cargo bench -p rootwise-rmcp --bench measure              # everything
//! cargo bench -p rootwise-rmcp --bench measure -- calls     # the time of a call, over three transports
//! cargo bench -p rootwise-rmcp --bench measure -- memory    # the memory of a client
//! cargo bench -p rootwise-rmcp --bench measure -- repeat with 20000   # for a profiler: `with` or `without`
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
        [] => {
            calls::measure().await;
            memory::measure().await;
        }
        ["calls"] => calls::measure().await,
        ["memory"] => memory::measure().await,
        ["memory", case] => memory::print(case).await,
        ["repeat", kind, calls] => calls::repeat(Kind::named(kind), calls.parse().unwrap()).await,
        ["serve", "stdio", kind] => server::over_stdio(Kind::named(kind)).await,
        ["serve", "http", kind] => server::over_http(Kind::named(kind)).await,
        _ => panic!("unknown arguments: {words:?}"),
    }
}
