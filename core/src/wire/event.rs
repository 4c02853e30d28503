//! Events in JSON.
//!
//! Derived code for an internally tagged enum buffers its content, which breaks `RawValue` and loses the path of an error.
//! So the tag is read first, and then the fields of the variant it names. Errors name the place and the expected form and
//! repeat nothing that a peer may have written.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};

use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error};
use serde_json::value::RawValue;

use crate::api::event::Event;
use crate::error::Misuse;
use crate::peer::raw::Object;

/// Parses one event.
///
/// # Errors
/// The text is not an event; the error names the place and repeats nothing that a peer may have written.
pub fn parse_event(text: &str) -> Result<Event, Misuse> {
    let object = Object::read(text).ok_or_else(|| Misuse::bad_event("event", "must be an object"))?;
    if let Some((key, _)) = object.members().find(|(_, value)| value.is_none()) {
        return Err(Misuse::bad_event(format!("event.{key}"), "duplicate field"));
    }
    Ok(match object.string(TAG).unwrap_or_default().as_str() {
        "clientInitialized" => Event::ClientInitialized(fields(&object)?),
        "clientReady" => bare(Event::ClientReady, &object)?,
        "rootsListed" => Event::RootsListed(fields(&object)?),
        "rootsRefused" => Event::RootsRefused(fields(&object)?),
        "rootsChanged" => Event::RootsChanged(fields(&object)?),
        "hostFactsChanged" => Event::HostFactsChanged(fields(&object)?),
        "asked" => Event::Asked(fields(&object)?),
        "selected" => Event::Selected(fields(&object)?),
        "selectionCleared" => Event::SelectionCleared(fields(&object)?),
        "askWithdrawn" => Event::AskWithdrawn(fields(&object)?),
        "probed" => Event::Probed(fields(&object)?),
        "deadlineReached" => bare(Event::DeadlineReached, &object)?,
        "message" => Event::Message(fields(&object)?),
        "closed" => bare(Event::Closed, &object)?,
        _ => return Err(Misuse::bad_event("event.type", "missing or unknown")),
    })
}

/// Whether a text is the reply to a probe.
pub(super) fn is_probe_reply(text: &str) -> bool {
    Object::read(text).and_then(|object| object.string(TAG)).as_deref() == Some("probed")
}

const TAG: &str = "type";

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        parse_event(raw.get()).map_err(D::Error::custom)
    }
}

/// Parses the fields beside the tag.
fn fields<T: DeserializeOwned>(object: &Object<'_>) -> Result<T, Misuse> {
    // Through the same deserializer as everything else that a host writes: another one would double the generated code.
    let text = object.without(TAG);
    serde_path_to_error::deserialize(&mut serde_json::Deserializer::from_str(&text))
        .map_err(|error| bad_event(&error.path().to_string(), &error.inner().to_string()))
}

/// An event without fields.
fn bare(event: Event, object: &Object<'_>) -> Result<Event, Misuse> {
    match object.members().find(|(key, _)| *key != TAG) {
        None => Ok(event),
        Some((key, _)) => Err(Misuse::bad_event(format!("event.{key}"), "unknown field, this event has none")),
    }
}

/// Turns an error of serde into a misuse that repeats no value, and no key that may be a peer's.
fn bad_event(path: &str, message: &str) -> Misuse {
    let peers = ["facts.headers", "facts.query"].into_iter().find(|map| path.starts_with(map));
    let path = peers.unwrap_or(path);
    let place = if matches!(path, "." | "?") { "event".into() } else { format!("event.{path}") };
    let message = message.rsplit_once(" at line ").map_or(message, |(message, _)| message);
    // A value that is quoted in the message comes first, so the last "expected" is ours.
    let expected = message.rsplit_once(", expected ").map(|(_, expected)| expected);
    let problem: String = match expected {
        Some(expected) if message.starts_with("unknown field") => format!("unknown field, expected {expected}"),
        Some(expected) => format!("expected {expected}"),
        None if message.starts_with("missing field") || message.starts_with("duplicate") => message.into(),
        None => "has the wrong form".into(),
    };
    Misuse::bad_event(place, problem)
}
