//! JSON text in, JSON text out: the whole surface a binding needs.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::de::value::MapDeserializer;
use serde::{Deserialize, Serialize};

use crate::action::Action;
use crate::error::Misuse;
use crate::event::Event;
use crate::host::HostFacts;
use crate::json::{Member, Object};
use crate::policy::Policy;
use crate::project::Project;
use crate::recover::{RecoverRequest, recover_session};
use crate::resolver::Resolver;

/// What a resolver is made from.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Options {
    #[serde(default)]
    policy: Option<Policy>,
    host: HostFacts,
}

/// Everything one event led to.
#[derive(Debug, Serialize)]
struct Output<'a> {
    actions: &'a [Action],
    deadline: Option<u64>,
    /// Only where it changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<Option<&'a Project>>,
}

#[derive(Debug, Serialize)]
struct Failed<'a> {
    error: Problem<'a>,
}

#[derive(Debug, Serialize)]
struct Problem<'a> {
    code: &'a str,
    message: String,
}

/// Makes a resolver from `{"policy": {...}, "host": {...}}`; without a policy it is the recommended one.
///
/// # Errors
/// The options cannot be read or cannot work.
pub fn open(options: &str) -> Result<Resolver, Misuse> {
    let (policy, host) = read_options(options)?;
    Resolver::new(policy, host)
}

/// Makes a resolver from a snapshot and the options of [`open`].
///
/// # Errors
/// The options cannot work, or the snapshot is not usable.
pub fn restore(snapshot: &str, options: &str, now: f64, id_prefix: Option<&str>) -> Result<Resolver, Misuse> {
    let (policy, host) = read_options(options)?;
    Resolver::restore(snapshot, policy, host, milliseconds(now)?, id_prefix)
}

fn read_options(options: &str) -> Result<(Arc<Policy>, Arc<HostFacts>), Misuse> {
    let options: Options = serde_json::from_str(options).map_err(|error| Misuse::BadOptions {
        place: format!("line {} column {}", error.line(), error.column()),
        problem: error.to_string(),
    })?;
    Ok((Arc::new(options.policy.unwrap_or_else(Policy::recommended)), Arc::new(options.host)))
}

/// Takes one event as JSON and gives back `{"actions", "deadline", "project"?}`, or `{"error": {"code", "message"}}`.
pub fn handle(resolver: &mut Resolver, event: &str, now: f64) -> String {
    let before = resolver.project().cloned();
    let handled = read_event(resolver, event).and_then(|event| resolver.handle(event, milliseconds(now)?));
    match handled {
        Ok(actions) => {
            let project = resolver.project();
            let changed = match (&before, project) {
                (Some(old), Some(new)) => !Arc::ptr_eq(old, new) && old != new,
                (old, new) => old.is_some() || new.is_some(),
            };
            let project = changed.then(|| project.map(Arc::as_ref));
            text(&Output { actions: &actions, deadline: resolver.deadline(), project })
        }
        Err(misuse) => failure(&misuse),
    }
}

/// The connection's project as JSON, `null` where there is none.
#[must_use]
pub fn project(resolver: &Resolver) -> String {
    text(&resolver.project())
}

/// The explanation of the connection's project as JSON.
#[must_use]
pub fn explain(resolver: &Resolver) -> String {
    text(&resolver.explain())
}

/// Finds a session: [`RecoverRequest`] as JSON in, [`crate::recover::Recovery`] as JSON out.
///
/// # Errors
/// The request cannot be read.
pub fn recover(request: &str) -> Result<String, Misuse> {
    let request: RecoverRequest = serde_json::from_str(request).map_err(|error| Misuse::BadOptions {
        place: format!("line {} column {}", error.line(), error.column()),
        problem: error.to_string(),
    })?;
    Ok(text(&recover_session(&request)))
}

/// A misuse as `{"error": {"code", "message"}}`.
#[must_use]
pub fn failure(misuse: &Misuse) -> String {
    text(&Failed { error: Problem { code: misuse.code(), message: misuse.to_string() } })
}

fn read_event(resolver: &Resolver, text: &str) -> Result<Event, Misuse> {
    let limit = resolver.policy.limits.event_bytes;
    // Escapes make one byte six at most, and the rest of an event is small; the event's own check is exact.
    if usize::try_from(limit).is_ok_and(|most| text.len() > most.saturating_mul(6).saturating_add(ENVELOPE_BYTES)) {
        return Err(Misuse::EventTooLarge { bytes: text.len(), limit });
    }
    parse_event(text)
}

/// What an event's text needs besides what a peer wrote.
const ENVELOPE_BYTES: usize = 64 << 10;

/// Reads one event.
///
/// # Errors
/// It is no event: says where and what is wrong, without peer text.
pub fn parse_event(text: &str) -> Result<Event, Misuse> {
    let bad = |place: &str, problem: &str| Misuse::BadEvent { place: place.into(), problem: problem.into() };
    let object = Object::read(text).ok_or_else(|| bad("event", "not a JSON object"))?;
    let kind = object.string("type").ok_or_else(|| bad("event.type", "missing or not a string"))?;
    let mut fields = Vec::new();
    for (key, member) in object.members() {
        match member {
            Member::Once(raw) if key != "type" => fields.push((key, raw)),
            Member::Once(_) => {}
            Member::Twice => return Err(bad("event", "a field appears twice")),
        }
    }
    let place = format!("event of type {}", EVENTS.iter().find(|known| **known == kind).unwrap_or(&"unknown"));
    let payload = Payload { fields, place };
    Ok(match kind.as_str() {
        "clientInitialized" => Event::ClientInitialized(payload.read()?),
        "clientReady" => payload.nothing(Event::ClientReady)?,
        "rootsListed" => Event::RootsListed(payload.read()?),
        "rootsRefused" => Event::RootsRefused(payload.read()?),
        "rootsChanged" => payload.nothing(Event::RootsChanged)?,
        "hostFactsChanged" => Event::HostFactsChanged(payload.read()?),
        "asked" => Event::Asked(payload.read()?),
        "selected" => Event::Selected(payload.read()?),
        "selectionCleared" => Event::SelectionCleared(payload.read()?),
        "askWithdrawn" => Event::AskWithdrawn(payload.read()?),
        "probed" => Event::Probed(payload.read()?),
        "deadlineReached" => payload.nothing(Event::DeadlineReached)?,
        "message" => Event::Message(payload.read()?),
        "closed" => payload.nothing(Event::Closed)?,
        _ => return Err(bad("event.type", "no such event")),
    })
}

const EVENTS: [&str; 14] = [
    "clientInitialized",
    "clientReady",
    "rootsListed",
    "rootsRefused",
    "rootsChanged",
    "hostFactsChanged",
    "asked",
    "selected",
    "selectionCleared",
    "askWithdrawn",
    "probed",
    "deadlineReached",
    "message",
    "closed",
];

struct Payload<'a> {
    fields: Vec<(&'a str, &'a serde_json::value::RawValue)>,
    place: String,
}

impl<'a> Payload<'a> {
    fn read<T: Deserialize<'a>>(self) -> Result<T, Misuse> {
        let place = self.place;
        T::deserialize(MapDeserializer::new(self.fields.into_iter())).map_err(|error: serde_json::Error| {
            let message = error.to_string();
            // These name fields of ours or of the host; any other message could repeat a value.
            let speaks_of_fields = ["missing field", "unknown field"].iter().any(|start| message.starts_with(start));
            let problem = if speaks_of_fields { message } else { "a value has the wrong type".into() };
            Misuse::BadEvent { place, problem }
        })
    }

    fn nothing(self, event: Event) -> Result<Event, Misuse> {
        if self.fields.is_empty() {
            return Ok(event);
        }
        Err(Misuse::BadEvent { place: self.place, problem: "takes no fields".into() })
    }
}

/// Whole milliseconds, as every face passes them.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    clippy::float_cmp,
    reason = "the cast saturates and casting back finds every value it changed"
)]
fn milliseconds(now: f64) -> Result<u64, Misuse> {
    let whole = now as u64;
    if whole as f64 == now && now <= 9_007_199_254_740_991.0 {
        return Ok(whole);
    }
    Err(Misuse::BadEvent { place: "now".into(), problem: "must be whole milliseconds from 0 to 2^53 - 1".into() })
}

fn text(value: &impl Serialize) -> String {
    // Only maps with keys that are no strings can fail, and there are none.
    serde_json::to_string(value).unwrap_or_default()
}
