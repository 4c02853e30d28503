//! The common part of all bindings: text in, text out.
//!
//! Every function returns JSON. An error is `{"error": {"code", "message"}}`, as in [`rootwise::wire`].

pub mod guarded;

use std::sync::{Mutex, MutexGuard, PoisonError};

use rootwise::Resolver;
use rootwise::wire::{self, Failure, Output, PolicyCache};
pub use rootwise::wire::{call, explain_json as explain, view_json as view};

static POLICIES: Mutex<PolicyCache> = Mutex::new(PolicyCache::new());

/// A panic leaves the cache intact: it stores a policy only after it was parsed.
fn policies() -> MutexGuard<'static, PolicyCache> {
    POLICIES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Creates a resolver.
///
/// # Errors
/// The options are malformed or contradict each other.
pub fn open(options: &str) -> Result<Resolver, Failure> {
    policies().open(options)
}

/// Restores a saved connection.
///
/// # Errors
/// The options are malformed, or the snapshot cannot be used.
pub fn restore(snapshot: &str, options: &str, now: f64, id_prefix: Option<&str>) -> Result<Resolver, Failure> {
    policies().restore(snapshot, options, now, id_prefix)
}

/// Processes one event.
///
/// # Errors
/// The host made a mistake; the resolver is unchanged.
pub fn handle(resolver: &mut Resolver, event: &str, now: f64) -> Result<Output, Failure> {
    #[cfg(feature = "test-panic")]
    assert!(event != r#"{"type":"testPanic"}"#, "requested by a test");
    Ok(wire::handle(resolver, event, now)?)
}

/// Processes one event; the result is JSON.
pub fn handle_json(resolver: &mut Resolver, event: &str, now: f64) -> String {
    handle(resolver, event, now).map_or_else(|failure| failure.to_json(), |output| output.to_json())
}

/// The error of an instance that panicked.
#[must_use]
pub fn dead() -> Failure {
    Failure::new("dead", "the resolver failed and cannot be used any more; create a new one")
}

/// The error of a use after closing.
#[must_use]
pub fn closed() -> Failure {
    Failure::new("used_after_close", "the resolver is closed; create a new one for a new connection")
}
