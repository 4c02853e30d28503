//! What all bindings have in common: text in, text out.
//!
//! Every function gives JSON. What goes wrong is `{"error": {"code", "message"}}`, as in [`rootwise::wire`].

pub mod guarded;

use std::sync::{Mutex, MutexGuard, PoisonError};

use rootwise::Resolver;
use rootwise::wire::{self, PolicyCache};
pub use rootwise::wire::{call, failure, view};

static MAKER: Mutex<PolicyCache> = Mutex::new(PolicyCache::new());

/// A panic leaves nothing half done in there: policies are kept only when they were read whole.
fn maker() -> MutexGuard<'static, PolicyCache> {
    MAKER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes a resolver; the error is ready to be given back.
///
/// # Errors
/// The options cannot be read or cannot work.
pub fn open(options: &str) -> Result<Resolver, String> {
    maker().open(options).map_err(|misuse| wire::misused(&misuse))
}

/// Goes on with a saved connection; the error is ready to be given back.
///
/// # Errors
/// The options cannot work, or the snapshot is not usable.
pub fn restore(snapshot: &str, options: &str, now: f64, id_prefix: Option<&str>) -> Result<Resolver, String> {
    maker().restore(snapshot, options, now, id_prefix).map_err(|misuse| wire::misused(&misuse))
}

/// Takes one event.
pub fn handle(resolver: &mut Resolver, event: &str, now: f64) -> String {
    #[cfg(feature = "provoke")]
    provoke(event);
    wire::handle(resolver, event, now)
}

/// Why an instance that panicked gives no more answers.
#[must_use]
pub fn dead() -> String {
    failure("dead", "the resolver broke down and answers no more; make a new one")
}

/// A use after closing.
#[must_use]
pub fn closed() -> String {
    failure("used_after_close", "the resolver is closed; make a new one for a new connection")
}

#[cfg(feature = "provoke")]
fn provoke(event: &str) {
    assert!(event != r#"{"type":"provokePanic"}"#, "provoked by a test");
}
