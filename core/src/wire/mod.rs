//! JSON text in, JSON text out: the whole surface a binding needs.

use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

mod functions;

use crate::error::Misuse;
use crate::event::Event;
use crate::host::HostFacts;
use crate::machine::resolver::Resolver;
use crate::peer::raw::{self, Json, Object};
use crate::policy::Policy;
use crate::read::{self, Fault, Faults, Fielded, Fields, Step, read_fields};
use crate::write::{object, text};
pub use functions::call;

/// What a resolver is made from.
#[derive(Debug)]
struct Options {
    policy: Option<Json>,
    host: HostFacts,
}

read_fields!(Options: host; policy);

/// Makes resolvers, and has those with the same policy share it.
#[derive(Debug, Default)]
pub struct PolicyCache {
    /// Policies, each with its text; without a text it is the recommended one.
    policies: Vec<(Option<Json>, Arc<Policy>)>,
}

/// A server has one policy or two; one that makes them up as it goes has no use for old ones.
const KEPT_POLICIES: usize = 8;

impl PolicyCache {
    /// One that has made nothing yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { policies: Vec::new() }
    }

    /// Makes a resolver from `{"policy": {...}, "host": {...}}`; without a policy it is the recommended one.
    ///
    /// # Errors
    /// The options cannot be read or cannot work.
    pub fn open(&mut self, options: &str) -> Result<Resolver, Misuse> {
        let (policy, host) = self.read(options)?;
        Resolver::new(policy, host)
    }

    /// Makes a resolver from a snapshot and the options of [`open`](Self::open).
    ///
    /// # Errors
    /// The options cannot work, or the snapshot is not usable.
    pub fn restore(
        &mut self,
        snapshot: &str,
        options: &str,
        now: f64,
        id_prefix: Option<&str>,
    ) -> Result<Resolver, Misuse> {
        let (policy, host) = self.read(options)?;
        Resolver::restore(snapshot, policy, host, milliseconds(now)?, id_prefix)
    }

    fn read(&mut self, options: &str) -> Result<(Arc<Policy>, Arc<HostFacts>), Misuse> {
        let Options { policy: text, host } = read::parse(options)?;
        let known = self.policies.iter().find(|(known, _)| *known == text).map(|(_, policy)| policy.clone());
        let policy = match known {
            Some(policy) => policy,
            None => {
                let read =
                    text.as_ref().map_or_else(|| Ok(Policy::recommended()), |text| Policy::from_json(text.text()));
                let policy = Arc::new(read?);
                if self.policies.len() == KEPT_POLICIES {
                    self.policies.clear();
                }
                self.policies.push((text, policy.clone()));
                policy
            }
        };
        Ok((policy, Arc::new(host)))
    }
}

/// As [`PolicyCache::open`], for one resolver.
///
/// # Errors
/// The options cannot be read or cannot work.
pub fn open(options: &str) -> Result<Resolver, Misuse> {
    PolicyCache::new().open(options)
}

/// As [`PolicyCache::restore`], for one resolver.
///
/// # Errors
/// The options cannot work, or the snapshot is not usable.
pub fn restore(snapshot: &str, options: &str, now: f64, id_prefix: Option<&str>) -> Result<Resolver, Misuse> {
    PolicyCache::new().restore(snapshot, options, now, id_prefix)
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
            object(|output| {
                output.field("actions", &actions);
                output.field("deadline", &resolver.deadline());
                if changed {
                    output.field("project", &project);
                }
            })
        }
        Err(misuse) => misused(&misuse),
    }
}

/// What a face keeps so that reading it crosses no boundary: `{"deadline", "project"}`.
#[must_use]
pub fn view(resolver: &Resolver) -> String {
    object(|view| {
        view.field("deadline", &resolver.deadline());
        view.field("project", &resolver.project());
    })
}

/// The explanation of the connection's project as JSON.
#[must_use]
pub fn explain(resolver: &Resolver) -> String {
    text(&resolver.explain())
}

/// A misuse as `{"error": {"code", "message"}}`.
#[must_use]
pub fn misused(misuse: &Misuse) -> String {
    failure(misuse.code(), &misuse.to_string())
}

/// What went wrong as `{"error": {"code", "message"}}`.
#[must_use]
pub fn failure(code: &str, message: &str) -> String {
    let problem = Json::known(object(|problem| {
        problem.field("code", &code);
        problem.field("message", &message);
    }));
    object(|failed| failed.field("error", &problem))
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

/// Tells the kind of an event, beside its fields.
const KIND: &str = "type";

/// Reads one event.
///
/// # Errors
/// It is no event: says where and what is wrong, without peer text.
pub fn parse_event(text: &str) -> Result<Event, Misuse> {
    let mut faults = Faults::default();
    let event = faults.within(Step::Key("event"), |faults| event(text, faults));
    match faults.0 {
        Some(Fault { place, problem }) => Err(Misuse::BadEvent { place, problem }),
        None => Ok(event),
    }
}

fn event(text: &str, faults: &mut Faults) -> Event {
    let mut object = read::object(text, faults);
    match object.take(KIND).and_then(raw::string).unwrap_or_default().as_str() {
        "clientInitialized" => Event::ClientInitialized(Fielded::read_object(&object, faults)),
        "clientReady" => bare(Event::ClientReady, &object, faults),
        "rootsListed" => Event::RootsListed(Fielded::read_object(&object, faults)),
        "rootsRefused" => Event::RootsRefused(Fielded::read_object(&object, faults)),
        "rootsChanged" => bare(Event::RootsChanged, &object, faults),
        "hostFactsChanged" => Event::HostFactsChanged(Fielded::read_object(&object, faults)),
        "asked" => Event::Asked(Fielded::read_object(&object, faults)),
        "selected" => Event::Selected(Fielded::read_object(&object, faults)),
        "selectionCleared" => Event::SelectionCleared(Fielded::read_object(&object, faults)),
        "askWithdrawn" => Event::AskWithdrawn(Fielded::read_object(&object, faults)),
        "probed" => Event::Probed(Fielded::read_object(&object, faults)),
        "deadlineReached" => bare(Event::DeadlineReached, &object, faults),
        "message" => Event::Message(Fielded::read_object(&object, faults)),
        "closed" => bare(Event::Closed, &object, faults),
        _ => {
            faults.within(Step::Key(KIND), |faults| faults.note("is missing, or there is no such event"));
            Event::Closed
        }
    }
}

/// An event without fields.
fn bare(event: Event, object: &Object<'_>, faults: &mut Faults) -> Event {
    Fields::of(object, &[], faults);
    event
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
