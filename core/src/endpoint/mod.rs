//! The endpoint: everything around the projects of a server's clients that has a rule. Sessions, channels, calls, rounds of
//! questions and requests in flight; one resolver for each session, and one for each call without a session.

pub mod action;
mod calls;
mod channels;
mod dirs;
pub mod event;
pub mod inputs;
mod memories;
mod parts;
mod requests;
mod roots;
mod rounds;
mod sessions;
mod turn;

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::api::explanation::Explanation;
use crate::api::host::{HostFacts, Transport};
use crate::api::project::Project;
use crate::error::{ConfigError, Misuse};
use crate::id::{AskId, CallId, ChannelId, Millis, ProbeId, SessionId};
use crate::machine::inspect::Reuse;
use crate::policy::Policy;

use action::EndpointAction;
use calls::Call;
use channels::Channel;
use event::EndpointEvent;
use inputs::PolicyInputs;
use memories::{Memories, MemoryId};
use requests::Requests;
use sessions::Session;
use turn::Turn;

/// The projects of a server's clients.
///
/// Pass every event to [`handle`](Self::handle) and carry out the actions it returns. An endpoint reads no clock, disk or
/// environment, and starts nothing by itself.
///
/// ```
/// use rootwise::endpoint::event::SessionOpened;
/// use rootwise::host::Transport;
/// use rootwise::{Endpoint, HostFacts, PathStyle, Policy};
///
/// let mut endpoint = Endpoint::new(Policy::recommended(), &HostFacts::new(PathStyle::Posix))?;
/// assert!(endpoint.inputs().headers.contains("x-project-path"));
/// let output = endpoint.handle(SessionOpened::new(1, Transport::Stdio), 0)?;
/// assert!(output.actions.is_empty() && endpoint.deadline().is_none());
/// assert!(endpoint.project(1).is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Endpoint {
    policy: Arc<Policy>,
    hosts: Hosts,
    inputs: PolicyInputs,
    /// Everything that is remembered, by whom it concerns: nothing passes from one scope to another. What maps hold is in
    /// boxes, because half of the places in a map are empty, and because maps of boxes share their code.
    scopes: BTreeMap<Scope, Box<Session>>,
    memories: Memories,
    channels: BTreeMap<ChannelId, Box<Channel>>,
    calls: BTreeMap<CallId, Box<Call>>,
    /// The asks that wait, by the host's ids: whom they concern, and the ids that the resolvers know.
    asks: BTreeMap<AskId, (Scope, AskId)>,
    requests: Requests,
    probes: BTreeMap<ProbeId, (Scope, ProbeId)>,
    last_probe: u32,
    /// The deadlines of all scopes.
    deadlines: BTreeSet<(Millis, Scope)>,
    now: Millis,
    roots_watched: bool,
    /// Whether it was logged that calls without a session cannot be asked.
    told_stateless: bool,
    /// Whether it was logged that they cannot select.
    told_cannot_select: bool,
    dirs_check: DirsCheck,
}

/// Whether the operator's folders were checked.
#[derive(Clone, Copy, Debug)]
enum DirsCheck {
    Due,
    Probed(ProbeId),
    Done,
}

/// Whom a memory concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Scope {
    /// A client, as long as it is connected.
    Session(SessionId),
    /// Calls without a session that have something in common.
    Memory(MemoryId),
    /// A stateless call.
    Call(CallId),
}

impl Scope {
    const fn session(self) -> Option<SessionId> {
        match self {
            Self::Session(session) => Some(session),
            Self::Memory(_) | Self::Call(_) => None,
        }
    }
}

/// What a session, or a call without one, says about its host instead of the facts of the process.
#[derive(Clone, Debug)]
struct OwnFacts {
    transport: Transport,
    local: Option<bool>,
    push: Option<bool>,
    allowed_dirs: Option<Vec<String>>,
}

/// The facts of the process, by transport.
#[derive(Clone, Debug)]
struct Hosts([Arc<HostFacts>; 3]);

impl Hosts {
    fn new(facts: &HostFacts) -> Result<Self, ConfigError> {
        let facts = facts.clone().with_path_maps()?;
        let with = |transport: Transport| {
            let push = facts.push.or_else(|| (transport != Transport::Http).then_some(true));
            Arc::new(HostFacts { transport, push, ..facts.clone() })
        };
        Ok(Self([with(Transport::Stdio), with(Transport::Http), with(Transport::Other)]))
    }

    const fn of(&self, transport: Transport) -> &Arc<HostFacts> {
        let Self([stdio, http, other]) = self;
        match transport {
            Transport::Stdio => stdio,
            Transport::Http => http,
            Transport::Other => other,
        }
    }

    /// The facts for a session that differs from others of its transport.
    fn with(&self, own: &OwnFacts) -> Arc<HostFacts> {
        let OwnFacts { transport, local, push, .. } = own;
        let facts = self.of(*transport);
        if local.is_none() && push.is_none() {
            return facts.clone();
        }
        Arc::new(HostFacts { local: local.or(facts.local), push: push.or(facts.push), ..(**facts).clone() })
    }
}

/// The effect of one event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EndpointOutput {
    /// The actions, in order.
    pub actions: Vec<EndpointAction>,
    /// The next deadline.
    pub deadline: Option<Millis>,
    /// The sessions whose state may have changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sessions: Vec<SessionChange>,
}

/// What a host keeps of a session, so that reading it needs no call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[non_exhaustive]
pub struct SessionChange {
    /// The session.
    pub session: SessionId,
    /// The session's project, if it changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub project: Option<Option<Arc<Project>>>,
    /// Present if the answer in `actions` is also the answer to every ask of this session that is like the one it answers, until the
    /// session is named again: it has no facts of its own, and its call is of the same era and describes its client in the same way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(type = "{ until?: number, modern?: boolean }", optional))]
    pub known: Option<Reuse>,
}

impl Endpoint {
    /// Creates an endpoint with the facts of this process; each session brings its transport.
    ///
    /// ```
    /// use rootwise::{Endpoint, HostFacts, PathStyle, Policy};
    ///
    /// let mut facts = HostFacts::new(PathStyle::Posix);
    /// facts.cwd = Some("relative".into());
    /// // The error names the fact.
    /// let error = Endpoint::new(Policy::recommended(), &facts).map(drop).unwrap_err();
    /// assert!(error.to_string().contains("host.cwd"));
    /// ```
    ///
    /// # Errors
    /// A host fact is invalid; the error names it.
    pub fn new(policy: impl Into<Arc<Policy>>, host: &HostFacts) -> Result<Self, ConfigError> {
        let policy = policy.into();
        let (scopes, channels, calls, asks, probes) = Default::default();
        Ok(Self {
            hosts: Hosts::new(host)?,
            inputs: PolicyInputs::of(&policy),
            policy,
            scopes,
            memories: Memories::default(),
            channels,
            calls,
            asks,
            requests: Requests::default(),
            probes,
            last_probe: 0,
            deadlines: BTreeSet::new(),
            now: Millis(0),
            roots_watched: false,
            told_stateless: false,
            told_cannot_select: false,
            dirs_check: DirsCheck::Due,
        })
    }

    /// Processes one event.
    ///
    /// ```
    /// use rootwise::endpoint::action::EndpointAction;
    /// use rootwise::endpoint::event::{CallAsked, EndpointProbed, SessionOpened};
    /// use rootwise::event::{EntryKind, ProbedPath};
    /// use rootwise::host::Transport;
    /// use rootwise::{Endpoint, HostFacts, PathStyle, Policy};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut host = HostFacts::new(PathStyle::Posix);
    /// host.env.insert("CLAUDE_PROJECT_DIR".into(), "/work/app".into());
    /// let mut endpoint = Endpoint::new(Policy::recommended(), &host)?;
    /// endpoint.handle(SessionOpened::new(1, Transport::Stdio), 0)?;
    /// let mut asked = CallAsked::new(7);
    /// asked.session = Some(1.into());
    /// let mut output = endpoint.handle(asked, 5)?;
    /// // The endpoint asks what is on disk, and then answers.
    /// while let Some(EndpointAction::Probe(probe)) =
    ///     output.actions.iter().find(|action| matches!(action, EndpointAction::Probe(_)))
    /// {
    ///     let paths = probe.paths.iter().map(|wanted| ProbedPath::new(&wanted.path, EntryKind::Directory));
    ///     output = endpoint.handle(EndpointProbed::new(probe.probe, paths.collect::<Vec<_>>()), 6)?;
    /// }
    /// assert!(output.actions.iter().any(|action| matches!(action, EndpointAction::Answer(_))));
    /// assert_eq!(endpoint.project(1).and_then(|project| project.path.as_deref()), Some("/work/app"));
    /// assert!(endpoint.explain(1).is_some_and(|explanation| explanation.text.contains("env")));
    /// // Another process can continue the session with this text.
    /// assert!(endpoint.snapshot(1).is_some() && endpoint.snapshot(2).is_none());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The host made a mistake; the endpoint is unchanged.
    pub fn handle(
        &mut self,
        event: impl Into<EndpointEvent>,
        now: impl Into<Millis>,
    ) -> Result<EndpointOutput, Misuse> {
        let before = self.now;
        self.now = before.max(now.into());
        let mut turn = Turn::default();
        if let Err(misuse) = self.apply(event.into(), &mut turn) {
            self.now = before;
            return Err(misuse);
        }
        self.run_queue(&mut turn);
        self.check_allowed_dirs(&mut turn);
        let (actions, sessions) = turn.finish();
        Ok(EndpointOutput { actions, deadline: self.deadline(), sessions })
    }

    fn apply(&mut self, event: EndpointEvent, turn: &mut Turn) -> Result<(), Misuse> {
        match event {
            EndpointEvent::SessionOpened(opened) => self.session_opened(opened, turn)?,
            EndpointEvent::SessionClosed(closed) => self.session_closed(closed.session, turn),
            EndpointEvent::ClientInitialized(params) => self.client_initialized(params, turn),
            EndpointEvent::ClientReady(ready) => self.client_ready(ready.session, turn),
            EndpointEvent::RootsChanged(changed) => self.roots_changed(changed.session, turn),
            EndpointEvent::RequestSeen(seen) => self.request_seen(&seen, turn),
            EndpointEvent::InputClosed(closed) => self.input_closed(closed.session, turn),
            EndpointEvent::Message(message) => self.message(message, turn),
            EndpointEvent::ChannelOpened(opened) => self.channel_opened(&opened)?,
            EndpointEvent::ChannelClosed(closed) => self.channel_closed(&closed, turn),
            EndpointEvent::CallStarted(started) => self.call_started(&started, turn)?,
            EndpointEvent::CallReturned(returned) => self.call_returned(&returned, turn),
            EndpointEvent::CallEnded(ended) => self.call_ended(&ended, turn),
            EndpointEvent::Asked(asked) => self.asked(asked, turn)?,
            EndpointEvent::Selected(selected) => self.selected(selected, turn)?,
            EndpointEvent::SelectionCleared(cleared) => self.selection_cleared(&cleared, turn)?,
            EndpointEvent::AskWithdrawn(withdrawn) => self.ask_withdrawn(withdrawn.ask, turn),
            EndpointEvent::RequestAnswered(answered) => self.request_answered(answered, turn),
            EndpointEvent::RequestRefused(refused) => self.request_refused(refused, turn),
            EndpointEvent::Probed(probed) => self.probed(probed, turn)?,
            EndpointEvent::DeadlineReached => self.deadline_reached(turn),
            EndpointEvent::HostFactsChanged(changed) => self.host_facts_changed(&changed.facts, turn)?,
            EndpointEvent::RootsWatched(watched) => self.roots_watched = watched.watched,
        }
        Ok(())
    }

    /// The time at which to send [`EndpointEvent::DeadlineReached`] if no other event comes first.
    #[must_use]
    pub fn deadline(&self) -> Option<Millis> {
        self.deadlines.first().map(|(at, _)| *at)
    }

    /// What the policy reads of a request, the environment and the command line.
    #[must_use]
    pub const fn inputs(&self) -> &PolicyInputs {
        &self.inputs
    }

    /// The policy.
    #[must_use]
    pub const fn policy(&self) -> &Arc<Policy> {
        &self.policy
    }

    /// The project of a session.
    ///
    /// ```
    /// use rootwise::endpoint::event::{CallAsked, SessionOpened};
    /// use rootwise::host::Transport;
    /// use rootwise::{Endpoint, HostFacts, PathStyle, Policy};
    ///
    /// let policy = Policy::from_json(r#"{ "name": "env", "sources": [{ "from": "env", "read": ["P"], "verify": "none" }] }"#)?;
    /// let mut host = HostFacts::new(PathStyle::Posix);
    /// host.env.insert("P".into(), "/work/app".into());
    /// let mut endpoint = Endpoint::new(policy, &host)?;
    /// endpoint.handle(SessionOpened::new(1, Transport::Stdio), 0)?;
    /// assert!(endpoint.project(1).is_none());
    /// let mut asked = CallAsked::new(7);
    /// asked.session = Some(1.into());
    /// endpoint.handle(asked, 5)?;
    /// assert_eq!(endpoint.project(1).map(|project| project.name.as_str()), Some("app"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn project(&self, session: impl Into<SessionId>) -> Option<&Arc<Project>> {
        self.session(session.into())?.resolver.project()
    }

    /// The result of every source for the project of a session.
    ///
    /// ```
    /// use rootwise::endpoint::event::SessionOpened;
    /// use rootwise::host::Transport;
    /// use rootwise::{Endpoint, HostFacts, PathStyle, Policy};
    ///
    /// let mut endpoint = Endpoint::new(Policy::recommended(), &HostFacts::new(PathStyle::Posix))?;
    /// endpoint.handle(SessionOpened::new(1, Transport::Stdio), 0)?;
    /// assert!(endpoint.explain(1).is_some_and(|explanation| explanation.policy == "recommended"));
    /// assert!(endpoint.explain(2).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn explain(&self, session: impl Into<SessionId>) -> Option<Explanation> {
        Some(self.session(session.into())?.resolver.explain())
    }

    /// The state of a session as text, for `saved` of a session in this or another process.
    ///
    /// ```
    /// use rootwise::endpoint::event::SessionOpened;
    /// use rootwise::host::Transport;
    /// use rootwise::{Endpoint, HostFacts, PathStyle, Policy};
    ///
    /// let host = HostFacts::new(PathStyle::Posix);
    /// let mut endpoint = Endpoint::new(Policy::recommended(), &host)?;
    /// endpoint.handle(SessionOpened::new(1, Transport::Http), 0)?;
    /// // Another process continues the session.
    /// let mut replica = Endpoint::new(Policy::recommended(), &host)?;
    /// let mut opened = SessionOpened::new(8, Transport::Http);
    /// opened.saved = endpoint.snapshot(1);
    /// replica.handle(opened, 0)?;
    /// assert!(replica.snapshot(8).is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn snapshot(&self, session: impl Into<SessionId>) -> Option<String> {
        Some(self.session(session.into())?.resolver.snapshot())
    }

    fn session(&self, session: SessionId) -> Option<&Session> {
        self.scopes.get(&Scope::Session(session)).map(Box::as_ref)
    }
}
