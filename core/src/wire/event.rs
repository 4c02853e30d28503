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
use crate::endpoint::inputs::PolicyInputs;
use crate::error::Misuse;
use crate::peer::raw::{self, Member};
use crate::policy::{Policy, SourceKind};

/// Parses one event.
///
/// ```
/// use rootwise::event::Event;
/// use rootwise::wire::parse_event;
///
/// assert!(matches!(parse_event(r#"{ "type": "asked", "ask": 1 }"#), Ok(Event::Asked(_))));
/// assert_eq!(parse_event(r#"{ "type": "asked" }"#).unwrap_err().code(), "bad_event");
/// ```
///
/// # Errors
/// The text is not an event; the error names the place and repeats nothing that a peer may have written.
pub fn parse_event(text: &str) -> Result<Event, Misuse> {
    parse(text, None)
}

/// Parses one event for a policy: headers and query parameters that it does not read are left out.
pub(super) fn parse(text: &str, policy: Option<&Policy>) -> Result<Event, Misuse> {
    Ok(match tag(text)?.as_str() {
        "clientInitialized" => Event::ClientInitialized(fields(text)?),
        "clientReady" => bare(Event::ClientReady, text)?,
        "rootsListed" => Event::RootsListed(fields(text)?),
        "userAnswered" => Event::UserAnswered(fields(text)?),
        "requestRefused" => Event::RequestRefused(fields(text)?),
        "rootsChanged" => Event::RootsChanged(fields(text)?),
        "hostFactsChanged" => Event::HostFactsChanged(fields(text)?),
        "asked" => Event::Asked(fields_of_call(text, policy)?),
        "selected" => Event::Selected(fields_of_call(text, policy)?),
        "selectionCleared" => Event::SelectionCleared(fields_of_call(text, policy)?),
        "askWithdrawn" => Event::AskWithdrawn(fields(text)?),
        "probed" => Event::Probed(fields(text)?),
        "deadlineReached" => bare(Event::DeadlineReached, text)?,
        "message" => Event::Message(fields(text)?),
        "closed" => bare(Event::Closed, text)?,
        _ => return Err(unknown()),
    })
}

/// The type of an event.
pub(super) fn tag(text: &str) -> Result<String, Misuse> {
    let Some([tag]) = raw::members(text, [TAG]) else {
        return Err(Misuse::bad_event("event", "must be an object"));
    };
    if matches!(tag, Member::Ambiguous) {
        return Err(Misuse::bad_event(format!("event.{TAG}"), "duplicate field"));
    }
    Ok(tag.string().unwrap_or_default())
}

pub(super) fn unknown() -> Misuse {
    Misuse::bad_event("event.type", "missing or unknown")
}

/// Whether a text is the reply to a probe.
pub(super) fn is_probe_reply(text: &str) -> bool {
    raw::member(text, TAG).and_then(|tag| raw::string(tag.get())).as_deref() == Some("probed")
}

const TAG: &str = "type";

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        parse_event(raw.get()).map_err(D::Error::custom)
    }
}

/// Parses the fields beside the tag.
pub(super) fn fields<T: DeserializeOwned>(text: &str) -> Result<T, Misuse> {
    let mut copy = String::with_capacity(text.len());
    copy_object(text, &mut copy, &|key, value, copy| key != TAG && keep(value, copy));
    parse_fields(&copy)
}

/// The same for a call. Of its headers and query parameters, of which a peer can send very many, only those are kept that
/// the policy reads; and those that are no text, because they are refused.
fn fields_of_call<T: DeserializeOwned>(text: &str, policy: Option<&Policy>) -> Result<T, Misuse> {
    let reads = |kind: SourceKind, is_name: &dyn Fn(&String) -> bool| {
        policy.is_none_or(|policy| {
            policy.config.sources.iter().any(|source| source.from == kind && source.read.iter().any(is_name))
        })
    };
    let header = |key: &str| reads(SourceKind::Header, &|name| name.eq_ignore_ascii_case(key));
    let parameter = |key: &str| reads(SourceKind::Query, &|name| name == key);
    let mut copy = String::with_capacity(text.len());
    copy_object(text, &mut copy, &|key, value, copy| match key {
        TAG => false,
        "facts" => copy_request(value, copy, &header, &parameter),
        _ => keep(value, copy),
    });
    parse_fields(&copy)
}

/// The fields of a call whose request parts are the event's own.
pub(super) fn fields_of_request<T: DeserializeOwned>(text: &str, inputs: &PolicyInputs) -> Result<T, Misuse> {
    let mut copy = String::with_capacity(text.len());
    let header = |key: &str| inputs.headers.contains(&key.to_ascii_lowercase());
    let mut request = String::with_capacity(text.len());
    copy_request(text, &mut request, &header, &|key| inputs.query.contains(key));
    copy_object(&request, &mut copy, &|key, value, copy| key != TAG && keep(value, copy));
    parse_fields(&copy)
}

/// Copies the parts of a request; of its headers and query parameters, those that are read and those that are no text.
fn copy_request(
    text: &str,
    copy: &mut String,
    header: &dyn Fn(&str) -> bool,
    parameter: &dyn Fn(&str) -> bool,
) -> bool {
    copy_object(text, copy, &|key, value, copy| {
        let is_read = match key {
            "headers" => header,
            "query" => parameter,
            _ => return keep(value, copy),
        };
        copy_object(value, copy, &|key, value, copy| (is_read(key) || !value.starts_with('"')) && keep(value, copy))
    })
}

/// Copies the value of a member.
fn keep(value: &str, copy: &mut String) -> bool {
    copy.push_str(value);
    true
}

/// Copies an object with those members whose value is copied; another text is copied as it is.
fn copy_object(text: &str, copy: &mut String, copy_value: &dyn Fn(&str, &str, &mut String) -> bool) -> bool {
    let start = copy.len();
    copy.push('{');
    let is_object = raw::for_each_member(text, &mut |key, value| {
        let Some(name) = raw::key_text(key) else { return };
        let end = copy.len();
        if !copy.ends_with('{') {
            copy.push(',');
        }
        copy.push_str(key.get());
        copy.push(':');
        if !copy_value(&name, value.get(), copy) {
            copy.truncate(end);
        }
    });
    if is_object {
        copy.push('}');
    } else {
        copy.truncate(start);
        copy.push_str(text);
    }
    true
}

fn parse_fields<T: DeserializeOwned>(text: &str) -> Result<T, Misuse> {
    // Through the same deserializer as everything else that a host writes: another one would double the generated code.
    serde_path_to_error::deserialize(&mut serde_json::Deserializer::from_str(text))
        .map_err(|error| bad_event(&error.path().to_string(), &error.inner().to_string()))
}

/// An event without fields.
pub(super) fn bare<E>(event: E, text: &str) -> Result<E, Misuse> {
    let mut field = None;
    raw::for_each_member(text, &mut |key, _| {
        if field.is_none() {
            field = raw::key_text(key).filter(|key| key != TAG);
        }
    });
    match field {
        None => Ok(event),
        Some(key) => Err(Misuse::bad_event(format!("event.{key}"), "unknown field, this event has none")),
    }
}

/// Turns an error of serde into a misuse that repeats no value, and no key that may be a peer's.
fn bad_event(path: &str, message: &str) -> Misuse {
    let peers = ["facts.headers", "facts.query", "headers", "query"].into_iter().find(|map| path.starts_with(map));
    let path = peers.unwrap_or(path);
    let place = if matches!(path, "." | "?") { "event".into() } else { format!("event.{path}") };
    let message = message.rsplit_once(" at line ").map_or(message, |(message, _)| message);
    // The name of a field that appears twice is one of ours.
    if let Some(field) = message.strip_prefix("duplicate field `").and_then(|rest| rest.strip_suffix('`')) {
        return Misuse::bad_event(format!("{place}.{field}"), "duplicate field");
    }
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
