//! What a resolver tells of itself; nothing here changes it.

use alloc::sync::Arc;

use serde::{Deserialize, Serialize};

use super::asks::Alike;
use super::connection::Connection;
use super::resolver::{CachedAnswer, Resolver};
use super::roots_cycle::TokenStatus;
use crate::api::explanation::{Era, Explanation, RootsReport};
use crate::api::host::HostFacts;
use crate::api::is_default;
use crate::api::project::Project;
use crate::id::{Millis, RequestToken};
use crate::policy::Policy;

/// The validity of the last answer for asks that are like the one it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Reuse {
    /// The time at which it ends, if the next event does not come first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Millis>,
    /// Whether it answers asks of revision 2026-07-28, which describe their client in the same way; otherwise legacy ones.
    #[serde(default, skip_serializing_if = "is_default")]
    pub modern: bool,
}

impl Resolver {
    /// The time at which to send [`Event::DeadlineReached`](crate::api::event::Event::DeadlineReached) if no other event comes first.
    ///
    /// ```
    /// use rootwise::event::{Asked, Event};
    /// use rootwise::{HostFacts, PathStyle, Policy, Resolver};
    ///
    /// let mut host = HostFacts::new(PathStyle::Posix);
    /// host.arguments.insert("project".into(), "/work/app".into());
    /// let mut resolver = Resolver::new(Policy::recommended(), host)?;
    /// assert!(resolver.deadline().is_none());
    /// // The ask waits for a look at the disk. If nobody reports one, it ends at this time.
    /// resolver.handle(Asked::new(1), 0)?;
    /// let deadline = resolver.deadline().ok_or("nothing waits")?;
    /// resolver.handle(Event::DeadlineReached, deadline)?;
    /// assert!(resolver.deadline().is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn deadline(&self) -> Option<Millis> {
        let Connection { cycle, question, .. } = &self.connection;
        let deadlines = [self.asks.deadline(), cycle.deadline(), question.deadline(), self.probes.deadline()];
        deadlines.into_iter().flatten().min().map(Millis::from_time)
    }

    /// The connection's project.
    ///
    /// ```
    /// use rootwise::event::Asked;
    /// use rootwise::{HostFacts, PathStyle, Policy, Resolver};
    ///
    /// let policy = Policy::from_json(r#"{ "name": "env", "sources": [{ "from": "env", "read": ["P"], "verify": "none" }] }"#)?;
    /// let mut host = HostFacts::new(PathStyle::Posix);
    /// host.env.insert("P".into(), "/work/app".into());
    /// let mut resolver = Resolver::new(policy, host)?;
    /// assert!(resolver.project().is_none());
    /// resolver.handle(Asked::new(1), 0)?;
    /// assert_eq!(resolver.project().map(|project| project.name.as_str()), Some("app"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn project(&self) -> Option<&Arc<Project>> {
        self.connection.project.as_ref()
    }

    /// A counter that grows by one whenever the connection's project visibly changes.
    #[must_use]
    pub const fn revision(&self) -> u32 {
        self.connection.revision
    }

    /// The result of every source for the connection's project.
    ///
    /// ```
    /// use rootwise::{HostFacts, PathStyle, Policy, Resolver};
    ///
    /// let mut host = HostFacts::new(PathStyle::Posix);
    /// host.cwd = Some("/".into());
    /// let explanation = Resolver::new(Policy::recommended(), host)?.explain();
    /// assert_eq!(explanation.policy, "recommended");
    /// // One report for each source of the policy; the text has a line for each.
    /// assert!(explanation.tried.iter().any(|report| explanation.text.contains(report.source.name())));
    /// # Ok::<(), rootwise::ConfigError>(())
    /// ```
    #[must_use]
    pub fn explain(&self) -> Explanation {
        self.explainer().explain()
    }

    /// The client's roots and the state of the list.
    ///
    /// ```
    /// use rootwise::event::{Asked, ClientInitialized, Event, RootsListed};
    /// use rootwise::{Action, HostFacts, PathStyle, Policy, Resolver};
    /// use serde_json::value::RawValue;
    ///
    /// let mut resolver = Resolver::new(Policy::recommended(), HostFacts::new(PathStyle::Posix))?;
    /// let capabilities = RawValue::from_string(r#"{ "roots": {} }"#.into())?;
    /// resolver.handle(ClientInitialized::default().capabilities(capabilities), 0)?;
    /// resolver.handle(Event::ClientReady, 0)?;
    /// let actions = resolver.handle(Asked::new(1), 1)?;
    /// let [Action::SendRequest(send)] = actions.as_slice() else { panic!("{actions:?}") };
    /// let result = RawValue::from_string(r#"{ "roots": [{ "uri": "file:///work/app" }] }"#.into())?;
    /// resolver.handle(RootsListed::new(result).request(send.request), 2)?;
    /// assert_eq!(resolver.roots().available.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn roots(&self) -> RootsReport {
        self.explainer().roots()
    }

    /// Whether the last answer is also the answer to every ask that is like the last one, until the next event or `until`: it has no
    /// request-specific facts; of a modern one, only the same `capabilities` and `client_info`. A host may give it without asking
    /// again.
    ///
    /// ```
    /// use rootwise::event::Asked;
    /// use rootwise::{HostFacts, PathStyle, Policy, Resolver};
    ///
    /// let policy = Policy::from_json(r#"{ "name": "env", "sources": [{ "from": "env", "read": ["P"], "verify": "none" }] }"#)?;
    /// let mut host = HostFacts::new(PathStyle::Posix);
    /// host.env.insert("P".into(), "/work/app".into());
    /// let mut resolver = Resolver::new(policy, host)?;
    /// let initialized = rootwise::event::ClientInitialized::default();
    /// resolver.handle(initialized, 0)?;
    /// // The first answer announces the project; the second one changes nothing, so that it serves every further ask.
    /// resolver.handle(Asked::new(1), 0)?;
    /// resolver.handle(Asked::new(2), 0)?;
    /// assert!(resolver.reuse().is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn reuse(&self) -> Option<Reuse> {
        let modern = |cached: &CachedAnswer| matches!(cached.asks, Alike::Modern(_));
        self.cached.as_ref().map(|cached| Reuse { until: cached.until.map(Millis::from_time), modern: modern(cached) })
    }

    /// The protocol era of the client.
    #[must_use]
    pub const fn era(&self) -> Era {
        if self.connection.client.is_some() { Era::Legacy } else { Era::Unknown }
    }

    /// Counts the events that may have changed the state.
    pub(crate) const fn turns(&self) -> u32 {
        self.turns
    }

    /// Counts the handshakes of clients on this connection.
    pub(crate) const fn handshakes(&self) -> u32 {
        self.handshakes
    }

    /// Counts the lists of roots that were accepted.
    pub(crate) const fn lists(&self) -> u32 {
        self.connection.lists
    }

    /// The form in flight.
    pub(crate) const fn form_in_flight(&self) -> Option<RequestToken> {
        self.connection.question.token()
    }

    pub(crate) fn request_in_flight(&self) -> Option<RequestToken> {
        self.connection.cycle.token()
    }

    /// Whether several clients have shown themselves on the connection.
    pub(crate) const fn is_shared(&self) -> bool {
        self.connection.sharing.is_shown()
    }

    /// The request with this raw JSON-RPC id, if it was ever sent.
    pub(crate) fn request_with_id(&self, id: &str) -> Option<RequestToken> {
        let cycle = &self.connection.cycle;
        cycle.token_of(id).filter(|token| cycle.token_status(*token) != TokenStatus::NeverIssued)
    }

    pub(crate) fn declares_roots(&self) -> bool {
        self.connection.client.as_ref().is_some_and(|client| client.declares_roots)
    }

    /// The policy.
    #[must_use]
    pub const fn policy(&self) -> &Arc<Policy> {
        &self.policy
    }

    /// The host facts in force.
    #[must_use]
    pub const fn host(&self) -> &Arc<HostFacts> {
        &self.host
    }
}
