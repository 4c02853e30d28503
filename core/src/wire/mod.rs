//! JSON text in, JSON text out: the surface that every binding needs.

mod endpoint;
mod event;
mod functions;
mod machine;
#[cfg(test)]
mod places;

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::api::action::Action;
use crate::api::host::HostFacts;
use crate::api::project::Project;
use crate::api::to_json;
use crate::error::{ConfigError, Misuse, SnapshotError, parse_json};
use crate::id::Millis;
use crate::policy::Policy;
use crate::{Resolver, ResolverBuilder, Reuse};

pub use endpoint::{handle_endpoint, handle_endpoint_json, parse_endpoint_event};
use event::is_probe_reply;
pub use event::parse_event;
pub use functions::call;
pub use machine::{Machine, MachineView, Reply};

/// The options of a resolver.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Options<'a> {
    #[serde(borrow, default)]
    policy: Option<&'a RawValue>,
    host: HostFacts,
    #[serde(default)]
    snapshot_key: Option<String>,
    /// Says that these are the options of a resolver.
    #[serde(default, rename = "machine")]
    _machine: IgnoredAny,
}

/// The result of one event.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Output {
    /// The actions, in order.
    pub actions: Vec<Action>,
    /// The next deadline.
    pub deadline: Option<Millis>,
    /// The connection's project, if it changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<Option<Arc<Project>>>,
    /// Whether the answer in `actions` may be given again to asks that are like the one it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reuse: Option<Reuse>,
}

impl Output {
    /// The result as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        to_json(self)
    }
}

/// The views that a binding keeps, so that reading them does not cross the boundary.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct View {
    /// The next deadline.
    pub deadline: Option<Millis>,
    /// The connection's project.
    pub project: Option<Arc<Project>>,
    /// The largest event that the resolver accepts, in bytes of JSON text; a host can refuse a larger one before it copies it.
    pub event_bytes: usize,
}

/// An error as bindings return it: `{"error": {"code", "message"}}`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Failure {
    /// The error.
    pub error: Problem,
}

/// The code and the message of an error.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Problem {
    /// The stable code.
    pub code: String,
    /// The message for a person.
    pub message: String,
}

impl Failure {
    /// An error with this code and message.
    #[must_use]
    pub fn new(code: &str, message: &str) -> Self {
        Self { error: Problem { code: code.into(), message: message.into() } }
    }

    /// The error as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        to_json(self)
    }
}

impl From<Misuse> for Failure {
    fn from(misuse: Misuse) -> Self {
        Self::new(misuse.code(), &misuse.to_string())
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::new(error.code(), &error.to_string())
    }
}

impl From<SnapshotError> for Failure {
    fn from(error: SnapshotError) -> Self {
        Self::new(error.code(), &error.to_string())
    }
}

/// Creates resolvers; those with the same policy text share the parsed policy.
///
/// ```
/// use rootwise::wire::{self, Failure, PolicyCache};
///
/// let options = r#"{ "host": { "style": "posix" } }"#;
/// let mut cache = PolicyCache::new();
/// let resolver = cache.open(options).map_err(|failure| failure.to_json())?;
/// let restored = cache.restore(&resolver.snapshot(), options, 0.0, Some("b-")).map_err(|failure| failure.to_json())?;
/// assert_eq!(wire::view(&restored).deadline, None);
///
/// let mut endpoint = cache.open_endpoint(options).map_err(|failure| failure.to_json())?;
/// let opened = r#"{ "type": "sessionOpened", "session": 1, "transport": "stdio" }"#;
/// let event = wire::parse_endpoint_event(opened, endpoint.inputs()).map_err(|misuse| misuse.to_string())?;
/// let output = wire::handle_endpoint(&mut endpoint, opened, 0.0).map_err(|misuse| misuse.to_string())?;
/// assert!(output.actions.is_empty());
/// assert!(wire::handle_endpoint_json(&mut endpoint, opened, 0.0).contains("duplicate_session"));
/// assert!(Failure::new("closed", "session 1 is not open").to_json().contains("closed"));
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Default)]
pub struct PolicyCache {
    /// Policies by their text; no text stands for the recommended policy.
    policies: Vec<(Option<Box<str>>, Arc<Policy>)>,
}

/// A server has one policy or two; a server that generates policies has no use for old ones.
const CACHED_POLICIES: usize = 8;

impl PolicyCache {
    /// An empty cache.
    #[must_use]
    pub const fn new() -> Self {
        Self { policies: Vec::new() }
    }

    /// Creates a resolver from `{"policy": {...}, "host": {...}, "snapshotKey": "..."}`; without a policy it uses the
    /// recommended one, and without a key its snapshots are not sealed.
    ///
    /// # Errors
    /// The options are malformed or contradict each other.
    pub fn open(&mut self, options: &str) -> Result<Resolver, Failure> {
        Ok(self.parse(options)?.build()?)
    }

    /// Restores a resolver from a snapshot and the options of [`open`](Self::open).
    ///
    /// # Errors
    /// The options are malformed, or the snapshot cannot be used.
    pub fn restore(
        &mut self,
        snapshot: &str,
        options: &str,
        now: f64,
        id_prefix: Option<&str>,
    ) -> Result<Resolver, Failure> {
        let builder = self.parse(options)?;
        let builder = id_prefix.into_iter().fold(builder, ResolverBuilder::id_prefix);
        Ok(builder.restore(snapshot, milliseconds(now)?)?)
    }

    fn parse(&mut self, options: &str) -> Result<ResolverBuilder, ConfigError> {
        let Options { policy, host, snapshot_key, .. } = parse_json(options)?;
        let builder = Resolver::builder(host).policy(self.policy(policy.map(RawValue::get))?);
        Ok(snapshot_key.into_iter().fold(builder, ResolverBuilder::snapshot_key))
    }

    fn policy(&mut self, text: Option<&str>) -> Result<Arc<Policy>, ConfigError> {
        if let Some((_, policy)) = self.policies.iter().find(|(known, _)| known.as_deref() == text) {
            return Ok(policy.clone());
        }
        let policy = Arc::new(match text {
            Some(text) => Policy::from_json(text)?,
            None => Policy::recommended(),
        });
        if self.policies.len() == CACHED_POLICIES {
            self.policies.clear();
        }
        self.policies.push((text.map(Box::from), policy.clone()));
        Ok(policy)
    }
}

/// Like [`PolicyCache::open`], for one resolver.
///
/// # Errors
/// The options are malformed or contradict each other.
pub fn open(options: &str) -> Result<Resolver, Failure> {
    PolicyCache::new().open(options)
}

/// Processes one event in JSON.
///
/// # Errors
/// The host made a mistake; the resolver is unchanged.
pub fn handle(resolver: &mut Resolver, event: &str, now: f64) -> Result<Output, Misuse> {
    // Replies to probes are exempt: the resolver requested their size.
    if event.len() > most_bytes(resolver) && !is_probe_reply(event) {
        return Err(Misuse::EventTooLarge { bytes: event.len(), limit: resolver.policy().config.limits.event_bytes });
    }
    let event = event::parse(event, Some(resolver.policy()))?;
    let before = resolver.project().cloned();
    let actions = resolver.handle(event, milliseconds(now)?)?;
    let project = resolver.project();
    let changed = before.as_ref() != project;
    Ok(Output {
        actions,
        deadline: resolver.deadline(),
        project: changed.then(|| project.cloned()),
        reuse: resolver.reuse(),
    })
}

/// The largest text of an event. An escape makes at most six bytes out of one, and the rest of an event is small; the check
/// of the parsed event is exact.
fn most_bytes(resolver: &Resolver) -> usize {
    crate::policy::to_usize(resolver.policy().config.limits.event_bytes)
        .saturating_mul(6)
        .saturating_add(ENVELOPE_BYTES)
}

/// Processes one event and returns [`Output`] or [`Failure`] as JSON.
///
/// ```
/// use rootwise::wire;
///
/// let mut resolver = wire::open(r#"{ "host": { "style": "posix" } }"#).map_err(|failure| failure.to_json())?;
/// let output = wire::handle_json(&mut resolver, r#"{ "type": "asked", "ask": 1 }"#, 0.0);
/// assert!(output.contains(r#""outcome":"unresolved""#), "{output}");
/// assert!(wire::handle_json(&mut resolver, "{}", 0.0).contains("bad_event"));
/// assert!(wire::view_json(&resolver).contains("deadline"));
/// assert!(wire::explain_json(&resolver).contains("recommended"));
/// # Ok::<(), String>(())
/// ```
pub fn handle_json(resolver: &mut Resolver, event: &str, now: f64) -> String {
    match handle(resolver, event, now) {
        Ok(output) => output.to_json(),
        Err(misuse) => Failure::from(misuse).to_json(),
    }
}

/// The views that a binding keeps.
#[must_use]
pub fn view(resolver: &Resolver) -> View {
    View { deadline: resolver.deadline(), project: resolver.project().cloned(), event_bytes: most_bytes(resolver) }
}

/// The same as JSON.
#[must_use]
pub fn view_json(resolver: &Resolver) -> String {
    to_json(&view(resolver))
}

/// The explanation of the connection's project as JSON.
#[must_use]
pub fn explain_json(resolver: &Resolver) -> String {
    to_json(&resolver.explain())
}

/// The size of an event's own structure, beside what a peer wrote.
const ENVELOPE_BYTES: usize = 64 << 10;

/// Whole milliseconds, as every binding passes them.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    clippy::float_cmp,
    reason = "the cast saturates, and casting back finds every value that it changed"
)]
fn milliseconds(now: f64) -> Result<Millis, Misuse> {
    let whole = now as u64;
    if whole as f64 == now && now <= 9_007_199_254_740_991.0 {
        return Ok(Millis(whole));
    }
    Err(Misuse::bad_event("now", "must be whole milliseconds from 0 to 2^53 - 1"))
}
