//! Events in JSON.
//!
//! Derived code for an internally tagged enum buffers its content, which breaks `RawValue` and loses the path of an error.
//! So the tag is read first, and then the fields of the variant it names. Errors name the place and the expected form and
//! repeat nothing that a peer may have written.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::de::value::MapDeserializer;
use serde::de::{Deserialize, Deserializer, Error};
use serde_json::value::RawValue;
use serde_path_to_error::Track;

use crate::api::event::Event;
use crate::error::Misuse;
use crate::peer::raw::Object;

/// Parses one event.
///
/// # Errors
/// The text is not an event; the error names the place and repeats nothing that a peer may have written.
pub fn parse_event(text: &str) -> Result<Event, Misuse> {
    let object = Object::read(text).ok_or_else(|| Misuse::bad_event("event", "must be an object"))?;
    let mut fields = Fields(Vec::new());
    for (key, value) in object.members() {
        let value = value.ok_or_else(|| Misuse::bad_event(format!("event.{key}"), "duplicate field"))?;
        if key != "type" {
            fields.0.push((key, value));
        }
    }
    Ok(match object.string("type").unwrap_or_default().as_str() {
        "clientInitialized" => Event::ClientInitialized(fields.parse()?),
        "clientReady" => fields.none(Event::ClientReady)?,
        "rootsListed" => Event::RootsListed(fields.parse()?),
        "rootsRefused" => Event::RootsRefused(fields.parse()?),
        "rootsChanged" => fields.none(Event::RootsChanged)?,
        "hostFactsChanged" => Event::HostFactsChanged(fields.parse()?),
        "asked" => Event::Asked(fields.parse()?),
        "selected" => Event::Selected(fields.parse()?),
        "selectionCleared" => Event::SelectionCleared(fields.parse()?),
        "askWithdrawn" => Event::AskWithdrawn(fields.parse()?),
        "probed" => Event::Probed(fields.parse()?),
        "deadlineReached" => fields.none(Event::DeadlineReached)?,
        "message" => Event::Message(fields.parse()?),
        "closed" => fields.none(Event::Closed)?,
        _ => return Err(Misuse::bad_event("event.type", "missing or unknown")),
    })
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        parse_event(raw.get()).map_err(D::Error::custom)
    }
}

/// The fields beside the tag.
struct Fields<'o, 'a>(Vec<(&'o str, &'a RawValue)>);

impl<'a> Fields<'_, 'a> {
    fn parse<T: Deserialize<'a>>(self) -> Result<T, Misuse> {
        let mut track = Track::new();
        let map = MapDeserializer::new(self.0.into_iter());
        T::deserialize(serde_path_to_error::Deserializer::new(map, &mut track))
            .map_err(|error: serde_json::Error| bad_event(&track.path().to_string(), &error.to_string()))
    }

    fn none(self, event: Event) -> Result<Event, Misuse> {
        match self.0.first() {
            None => Ok(event),
            Some((key, _)) => Err(Misuse::bad_event(format!("event.{key}"), "unknown field, this event has none")),
        }
    }
}

/// Turns an error of serde into a misuse that repeats no value, and no key that may be a peer's.
fn bad_event(path: &str, message: &str) -> Misuse {
    let peers = ["facts.headers", "facts.query"].into_iter().find(|map| path.starts_with(map));
    let path = peers.unwrap_or(path);
    let place = if matches!(path, "." | "?") { "event".into() } else { format!("event.{path}") };
    let message = message.split(" at line ").next().unwrap_or_default();
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
