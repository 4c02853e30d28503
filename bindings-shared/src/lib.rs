//! What all bindings have in common: text in, text out.
//!
//! Every function gives JSON. What goes wrong is `{"error": {"code", "message"}}`, as in [`rootwise::wire`].

mod functions;
pub mod guarded;

pub use functions::call;
use rootwise::Resolver;
use rootwise::error::Misuse;
use rootwise::project::Project;
use rootwise::wire;
use serde::Serialize;

/// Makes a resolver; the error is ready to be given back.
///
/// # Errors
/// The options cannot be read or cannot work.
pub fn open(options: &str) -> Result<Resolver, String> {
    wire::open(options).map_err(|misuse| wire::failure(&misuse))
}

/// Goes on with a saved connection; the error is ready to be given back.
///
/// # Errors
/// The options cannot work, or the snapshot is not usable.
pub fn restore(snapshot: &str, options: &str, now: f64, id_prefix: Option<&str>) -> Result<Resolver, String> {
    wire::restore(snapshot, options, now, id_prefix).map_err(|misuse| wire::failure(&misuse))
}

/// Takes one event.
pub fn handle(resolver: &mut Resolver, event: &str, now: f64) -> String {
    #[cfg(feature = "provoke")]
    provoke(event);
    wire::handle(resolver, event, now)
}

/// What a face keeps so that reading it crosses no boundary: `{"deadline", "project"}`.
#[must_use]
pub fn view(resolver: &Resolver) -> String {
    #[derive(Serialize)]
    struct View<'a> {
        deadline: Option<u64>,
        project: Option<&'a Project>,
    }
    text(&View { deadline: resolver.deadline(), project: resolver.project().map(AsRef::as_ref) })
}

/// A failure of the face itself rather than of the resolver.
#[must_use]
pub fn failure(code: &str, message: &str) -> String {
    #[derive(Serialize)]
    struct Failed<'a> {
        error: Problem<'a>,
    }
    #[derive(Serialize)]
    struct Problem<'a> {
        code: &'a str,
        message: &'a str,
    }
    text(&Failed { error: Problem { code, message } })
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

fn misuse(place: &str, problem: String) -> String {
    wire::failure(&Misuse::BadOptions { place: place.to_string(), problem })
}

fn text(value: &impl Serialize) -> String {
    // Only maps with keys that are no strings can fail, and there are none.
    serde_json::to_string(value).unwrap_or_default()
}

#[cfg(feature = "provoke")]
fn provoke(event: &str) {
    assert!(event != r#"{"type":"provokePanic"}"#, "provoked by a test");
}
