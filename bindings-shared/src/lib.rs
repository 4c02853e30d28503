//! The common part of all bindings: text in, text out.
//!
//! Every function returns JSON. An error is `{"error": {"code", "message"}}`, as in [`rootwise::wire`].

pub mod guarded;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub use rootwise::wire::call;
use rootwise::wire::{Failure, Machine, PolicyCache, Reply};

static POLICIES: Mutex<PolicyCache> = Mutex::new(PolicyCache::new());

/// A panic leaves the cache intact: it stores a policy only after it was parsed.
fn policies() -> MutexGuard<'static, PolicyCache> {
    POLICIES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Creates a resolver or an endpoint.
///
/// # Errors
/// The options are malformed or contradict each other.
pub fn open(options: &str) -> Result<Machine, Failure> {
    policies().machine(options)
}

/// Restores a saved connection.
///
/// # Errors
/// The options are malformed, or the snapshot cannot be used.
pub fn restore(snapshot: &str, options: &str, now: f64, id_prefix: Option<&str>) -> Result<Machine, Failure> {
    Ok(policies().restore(snapshot, options, now, id_prefix)?.into())
}

/// Processes one event.
///
/// # Errors
/// The host made a mistake; the machine is unchanged.
pub fn handle(machine: &mut Machine, event: &str, now: f64) -> Result<Reply, Failure> {
    panic_on_request(event);
    machine.handle(event, now)
}

/// Processes one event; the result is JSON.
pub fn handle_json(machine: &mut Machine, event: &str, now: f64) -> String {
    panic_on_request(event);
    machine.handle_json(event, now)
}

#[cfg_attr(
    not(feature = "test-panic"),
    allow(unused_variables, clippy::missing_const_for_fn, reason = "empty without it")
)]
fn panic_on_request(event: &str) {
    #[cfg(feature = "test-panic")]
    assert!(event != r#"{"type":"testPanic"}"#, "requested by a test");
}

/// The error of an instance that panicked.
#[must_use]
pub fn dead() -> Failure {
    Failure::new("dead", "the machine failed and cannot be used any more; create a new one")
}

/// The error of a use after closing.
#[must_use]
pub fn closed() -> Failure {
    Failure::new("used_after_close", "the machine is closed; create a new one")
}
