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
use crate::error::{Misuse, place, read, refusal};
use crate::peer::raw;
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
    let parts = Parts::read(text)?;
    Ok(match parts.tag.as_str() {
        "clientInitialized" => Event::ClientInitialized(parts.parse()?),
        "clientReady" => parts.bare(Event::ClientReady)?,
        "rootsListed" => Event::RootsListed(parts.parse()?),
        "userAnswered" => Event::UserAnswered(parts.parse()?),
        "requestRefused" => Event::RequestRefused(parts.parse()?),
        "rootsChanged" => Event::RootsChanged(parts.parse()?),
        "hostFactsChanged" => Event::HostFactsChanged(parts.parse()?),
        "asked" => Event::Asked(parts.parse_call(policy)?),
        "selected" => Event::Selected(parts.parse_call(policy)?),
        "selectionCleared" => Event::SelectionCleared(parts.parse_call(policy)?),
        "askWithdrawn" => Event::AskWithdrawn(parts.parse()?),
        "probed" => Event::Probed(parts.parse()?),
        "deadlineReached" => parts.bare(Event::DeadlineReached)?,
        "message" => Event::Message(parts.parse()?),
        "closed" => parts.bare(Event::Closed)?,
        _ => return Err(unknown()),
    })
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

/// An event that is not parsed yet.
pub(super) struct Parts {
    /// Its type; empty if it has none.
    pub(super) tag: String,
    /// An object of its other members.
    fields: String,
}

impl Parts {
    pub(super) fn read(text: &str) -> Result<Self, Misuse> {
        let mut tags = 0_usize;
        let mut tag = String::new();
        let mut fields = String::with_capacity(text.len());
        let is_object = copy_members(text, &mut fields, &mut |key, value, copy| {
            if key != TAG {
                return keep(value, copy);
            }
            tags = tags.saturating_add(1);
            tag = raw::string(value).unwrap_or_default();
            false
        });
        match tags {
            _ if !is_object => Err(Misuse::bad_event("event", "must be an object")),
            0 | 1 => Ok(Self { tag, fields }),
            _ => Err(Misuse::bad_event(format!("event.{TAG}"), "duplicate field")),
        }
    }

    /// Parses the fields beside the tag.
    pub(super) fn parse<T: DeserializeOwned>(&self) -> Result<T, Misuse> {
        parse_fields(&self.fields)
    }

    /// The same for a call. Of its headers and query parameters, of which a peer can send very many, only those are kept that
    /// the policy reads; and those that are no text, because they are refused.
    fn parse_call<T: DeserializeOwned>(&self, policy: Option<&Policy>) -> Result<T, Misuse> {
        let reads = |kind: SourceKind, is_name: &dyn Fn(&String) -> bool| {
            policy.is_none_or(|policy| {
                policy.config.sources.iter().any(|source| source.from == kind && source.read.iter().any(is_name))
            })
        };
        let header = |key: &str| reads(SourceKind::Header, &|name| name.eq_ignore_ascii_case(key));
        let parameter = |key: &str| reads(SourceKind::Query, &|name| name == key);
        let mut copy = String::with_capacity(self.fields.len());
        copy_object(&self.fields, &mut copy, &mut |key, value, copy| match key {
            "facts" => copy_request(value, copy, &header, &parameter),
            _ => keep(value, copy),
        });
        parse_fields(&copy)
    }

    /// The same for a call whose request parts are the event's own.
    pub(super) fn parse_request<T: DeserializeOwned>(&self, inputs: &PolicyInputs) -> Result<T, Misuse> {
        let header = |key: &str| inputs.headers.contains(&key.to_ascii_lowercase());
        let mut copy = String::with_capacity(self.fields.len());
        copy_request(&self.fields, &mut copy, &header, &|key| inputs.query.contains(key));
        parse_fields(&copy)
    }

    /// An event without fields.
    pub(super) fn bare<E>(&self, event: E) -> Result<E, Misuse> {
        let mut field = None;
        raw::for_each_member(&self.fields, &mut |key, _| {
            if field.is_none() {
                field = raw::key_text(key);
            }
        });
        match field {
            None => Ok(event),
            Some(key) => Err(Misuse::bad_event(format!("event.{key}"), "unknown field, this event has none")),
        }
    }
}

/// Copies the parts of a request; of its headers and query parameters, those that are read and those that are no text.
fn copy_request(
    text: &str,
    copy: &mut String,
    header: &dyn Fn(&str) -> bool,
    parameter: &dyn Fn(&str) -> bool,
) -> bool {
    copy_object(text, copy, &mut |key, value, copy| {
        let is_read = match key {
            "headers" => header,
            "query" => parameter,
            _ => return keep(value, copy),
        };
        copy_object(value, copy, &mut |key, value, copy| (is_read(key) || !value.starts_with('"')) && keep(value, copy))
    })
}

/// Copies the value of a member.
fn keep(value: &str, copy: &mut String) -> bool {
    copy.push_str(value);
    true
}

/// Copies the value of a member with this key, or not.
type CopyValue<'a> = &'a mut dyn FnMut(&str, &str, &mut String) -> bool;

/// Copies an object with those members whose value is copied; another text is copied as it is.
fn copy_object(text: &str, copy: &mut String, copy_value: CopyValue<'_>) -> bool {
    let start = copy.len();
    if !copy_members(text, copy, copy_value) {
        copy.truncate(start);
        copy.push_str(text);
    }
    true
}

/// The same; returns whether the text is an object. If it is not, something may have been copied.
fn copy_members(text: &str, copy: &mut String, copy_value: CopyValue<'_>) -> bool {
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
    copy.push('}');
    is_object
}

fn parse_fields<T: DeserializeOwned>(text: &str) -> Result<T, Misuse> {
    read(text).map_err(|error| bad_event(&place(text, &error, &refusal::<T>), &error.to_string()))
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
