//! Saves and restores a connection, so that another process can continue it.

use alloc::string::String;
use alloc::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::connection::{Connection, ReportedOnce};
use super::probes::Probes;
use super::question::{Question, SavedQuestion};
use super::resolver::Resolver;
use super::roots_cycle::{RootsCycle, SavedCycle};
use super::sharing::Sharing;
use crate::api::project::Project;
use crate::api::to_json;
use crate::error::{ConfigError, SnapshotError};
use crate::id::Millis;
use crate::path::uri::project_id;
use crate::peer::client::Client;
use crate::policy::{Identity, Policy, is_plain_prefix};
use crate::resolve::disk::Disk;
use crate::resolve::memory::{Memory, is_allowed};

const VERSION: u32 = 5;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Envelope<'a> {
    /// The version of the format.
    rootwise: u32,
    /// The policy the state belongs to.
    policy: String,
    /// A hash of the state's text.
    check: String,
    /// The seal, if the host has a key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seal: Option<String>,
    #[serde(borrow)]
    state: &'a RawValue,
}

/// The state of a connection; times are relative to the moment it was saved.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct State {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    client: Option<Client>,
    closed: bool,
    #[serde(default, skip_serializing_if = "crate::api::is_default")]
    sharing: Sharing,
    has_evidence: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    project: Option<Arc<Project>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    announced: Option<Arc<Project>>,
    revision: u32,
    memory: Memory,
    reported: ReportedOnce,
    disk: Disk,
    cycle: SavedCycle,
    #[serde(default, skip_serializing_if = "crate::api::is_default")]
    question: SavedQuestion,
    probes: u32,
}

impl Resolver {
    /// Saves the connection: its state and the request in flight, without asks and probes. With a
    /// [key](super::builder::ResolverBuilder::snapshot_key) it is sealed.
    ///
    /// ```
    /// use rootwise::{HostFacts, PathStyle, Resolver};
    ///
    /// let host = HostFacts::new(PathStyle::Posix);
    /// let saved = Resolver::builder(host.clone()).snapshot_key([7; 32]).build()?.snapshot();
    /// // Another process continues the connection; its ids must differ from ours.
    /// let restored = Resolver::builder(host).snapshot_key([7; 32]).id_prefix("replica-2-").restore(&saved, 0)?;
    /// assert!(restored.project().is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn snapshot(&self) -> String {
        let Connection {
            client,
            closed,
            sharing,
            cycle,
            question,
            memory,
            mut disk,
            has_evidence,
            project,
            announced,
            revision,
            lists: _,
            reported,
        } = self.connection.clone();
        let now = self.now;
        disk.values_mut().for_each(|info| info.at = now.saturating_sub(info.at));
        let state = State {
            client,
            closed,
            sharing,
            has_evidence,
            project,
            announced,
            revision,
            memory,
            reported,
            disk,
            // A deferred request for which only asks wait goes with them.
            cycle: cycle.save(self.now, cycle.can_push(&self.host)),
            question: question.save(self.now),
            probes: self.probes.requested(),
        };
        // Only maps with keys that are not strings can fail, and there are none.
        let Ok(state) = serde_json::value::to_raw_value(&state) else { return String::new() };
        let check = project_id(state.get());
        let policy = fingerprint(&self.policy);
        let seal = self.seal_key.as_ref().map(|key| key.seal(&policy, state.get()));
        let envelope = Envelope { rootwise: VERSION, policy, check, seal, state: &state };
        to_json(&envelope)
    }

    /// This resolver, which is new, with the state of a snapshot.
    pub(crate) fn restored(self, snapshot: &str, now: Millis, id_prefix: Option<&str>) -> Result<Self, SnapshotError> {
        let mut resolver = self;
        let envelope: Envelope<'_> = serde_json::from_str(snapshot).map_err(|_| SnapshotError::Damaged)?;
        if envelope.rootwise != VERSION {
            return Err(SnapshotError::Version);
        }
        if envelope.policy != fingerprint(&resolver.policy) {
            return Err(SnapshotError::OtherPolicy);
        }
        if envelope.check != project_id(envelope.state.get()) {
            return Err(SnapshotError::Damaged);
        }
        match (&resolver.seal_key, &envelope.seal) {
            (None, None) => {}
            (Some(key), Some(seal)) if key.verifies(seal, &envelope.policy, envelope.state.get()) => {}
            _ => return Err(SnapshotError::Seal),
        }
        let state: State = serde_json::from_str(envelope.state.get()).map_err(|_| SnapshotError::Damaged)?;
        state.cycle.check(state.closed, &resolver.policy).map_err(SnapshotError::Impossible)?;
        if !state.question.is_possible(state.closed, state.cycle.last_token()) {
            return Err(SnapshotError::Impossible("its question for the user"));
        }
        if let Some(prefix) = id_prefix {
            check_prefix(prefix)?;
        }
        let now = now.time();
        let mut disk = state.disk;
        for info in disk.values_mut() {
            if info.at.is_negative() {
                return Err(SnapshotError::Impossible("the age of a report"));
            }
            info.at = now.saturating_sub(info.at);
        }
        resolver.now = now;
        resolver.probes = Probes::after(state.probes);
        let cycle = RootsCycle::restore(state.cycle, id_prefix, now, &resolver.policy, &resolver.host);
        resolver.connection = Connection {
            client: state.client,
            closed: state.closed,
            sharing: state.sharing,
            cycle,
            question: Question::restore(state.question, now),
            memory: state.memory,
            disk,
            has_evidence: state.has_evidence,
            project: state.project,
            announced: state.announced,
            revision: state.revision,
            lists: 0,
            reported: state.reported,
        };
        resolver.connection.memory.confine(&resolver.policy, &resolver.host);
        resolver.connection.project.take_if(|project| !is_allowed(project, &resolver.policy, &resolver.host));
        Ok(resolver)
    }
}

pub(super) fn check_prefix(prefix: &str) -> Result<(), ConfigError> {
    if is_plain_prefix(prefix) { Ok(()) } else { Err(ConfigError::new("idPrefix", "must be plain text")) }
}

/// The part of a policy that a saved state depends on: other texts or times can continue with it, other sources cannot.
fn fingerprint(policy: &Policy) -> String {
    let mut identity = policy.config.name.clone();
    identity.push_str(&alloc::format!("{:?}", policy.config.memory.pin));
    if policy.config.identity != Identity::Folder {
        identity.push_str(&alloc::format!("{:?}", policy.config.identity));
    }
    for source in &policy.config.sources {
        identity.push_str(source.from.name());
        identity.push(' ');
    }
    project_id(&identity)
}
