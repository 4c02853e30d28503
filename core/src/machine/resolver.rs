//! The resolver: one mutator, actions returned, views that change nothing.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::asks::{AskQueue, NewAsk, Recent, is_plain};
use super::builder::ResolverBuilder;
use super::connection::{Connection, Memory};
use super::logs::Logger;
use super::outbox::Outbox;
use super::probes::{Positions, Probes};
use super::roots_cycle::{AfterFailure, CycleState, Failure, HeldAnswer, RootsCycle, TokenStatus};
use super::seal::SealKey;
use super::size::peer_bytes;
use crate::api::action::{Action, Answer, Outcome};
use crate::api::event::{
    AskBy, Asked, ClientInitialized, Event, Probed, ProbedPath, RefusalKind, RootsChanged, RootsListed, RootsRefused,
};
use crate::api::explanation::{Era, Explanation, RootsReport};
use crate::api::host::{HostFacts, Transport};
use crate::api::project::Project;
use crate::error::{ConfigError, Misuse};
use crate::id::{AskId, Millis, RequestToken, Time};
use crate::peer::client::Client;
use crate::peer::root_list::RootList;
use crate::policy::{MarkerNames, Policy, SourceKind, exceeds};
use crate::resolve::disk::{Disk, Freshness, PathInfo, PathQuery, learn};
use crate::resolve::explain::Explainer;

/// The project of one connection.
///
/// Pass every event to [`handle`](Self::handle) and carry out the actions it returns. A resolver reads no clock, disk or
/// environment, and starts nothing by itself.
#[derive(Clone, Debug)]
pub struct Resolver {
    pub(super) policy: Arc<Policy>,
    pub(super) host: Arc<HostFacts>,
    pub(super) connection: Connection,
    pub(super) asks: AskQueue,
    pub(super) probes: Probes,
    pub(super) now: Time,
    pub(super) cached: Option<CachedAnswer>,
    pub(super) seal_key: Option<Arc<SealKey>>,
}

/// The answer to a plain ask, valid until the next event.
#[derive(Clone, Debug)]
pub(super) struct CachedAnswer {
    pub(super) project: Arc<Project>,
    pub(super) hints: Vec<String>,
    pub(super) until: Option<Time>,
}

/// The validity of the last answer for asks that bring nothing of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Reuse {
    /// The time at which it ends, if the next event does not come first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Millis>,
}

/// An event, by the way it is settled.
enum Input {
    /// Ends in an answer.
    Ask(NewAsk),
    /// May contain several changes, and text to forward.
    Message(String),
    Change(Change),
}

/// An event that changes the state of the connection.
pub(super) enum Change {
    ClientInitialized(ClientInitialized),
    ClientReady,
    RootsListed(RootsListed),
    RootsRefused(RootsRefused),
    RootsChanged(RootsChanged),
    HostFacts(HostFacts),
    AskWithdrawn(AskId),
    Probed(Probed),
    DeadlineReached,
    Closed,
}

impl From<Event> for Input {
    fn from(event: Event) -> Self {
        Self::Change(match event {
            Event::Asked(asked) => return Self::Ask(asked.into()),
            Event::Selected(selected) => return Self::Ask(selected.into()),
            Event::SelectionCleared(cleared) => return Self::Ask(cleared.into()),
            Event::Message(message) => return Self::Message(message.text),
            Event::ClientInitialized(params) => Change::ClientInitialized(params),
            Event::ClientReady => Change::ClientReady,
            Event::RootsListed(listed) => Change::RootsListed(listed),
            Event::RootsRefused(refused) => Change::RootsRefused(refused),
            Event::RootsChanged(changed) => Change::RootsChanged(changed),
            Event::HostFactsChanged(changed) => Change::HostFacts(changed.facts),
            Event::AskWithdrawn(withdrawn) => Change::AskWithdrawn(withdrawn.ask),
            Event::Probed(probed) => Change::Probed(probed),
            Event::DeadlineReached => Change::DeadlineReached,
            Event::Closed => Change::Closed,
        })
    }
}

/// The effect of one event so far.
#[derive(Debug, Default)]
pub(super) struct Turn {
    pub(super) outbox: Outbox,
    /// Whether the host is asked to probe for the connection's own project.
    pub(super) probe_connection: bool,
    /// Whether a change of the project is announced although the host has not probed the new one: no reply is awaited.
    pub(super) announce_unsettled: bool,
    /// The time until which the last answer of the event rests on what is fresh.
    pub(super) fresh_until: Option<Time>,
}

impl Resolver {
    /// Creates a resolver for a connection before its handshake.
    ///
    /// # Errors
    /// A host fact cannot work; the error names it.
    pub fn new(policy: impl Into<Arc<Policy>>, host: impl Into<Arc<HostFacts>>) -> Result<Self, ConfigError> {
        let (policy, host) = (policy.into(), host.into());
        host.check()?;
        let cycle = RootsCycle::new(policy.roots.request.id_prefix.clone());
        Ok(Self {
            policy,
            host,
            connection: Connection::new(cycle),
            asks: AskQueue::default(),
            probes: Probes::default(),
            now: 0,
            cached: None,
            seal_key: None,
        })
    }

    /// Starts a resolver with these host facts and, unless another policy is set, the recommended policy.
    pub fn builder(host: impl Into<Arc<HostFacts>>) -> ResolverBuilder {
        ResolverBuilder::new(host.into())
    }

    /// Processes one event and returns its actions in order.
    ///
    /// # Errors
    /// The host made a mistake; the resolver is unchanged.
    pub fn handle(&mut self, event: impl Into<Event>, now: impl Into<Millis>) -> Result<Vec<Action>, Misuse> {
        let event = event.into();
        self.check(&event)?;
        self.now = self.now.max(now.into().time());
        if let Event::Asked(asked) = &event
            && let Some(answer) = self.cached_answer(asked)
        {
            return Ok([Action::Answer(answer.into())].into());
        }
        if self.connection.closed {
            return Ok(Vec::new());
        }
        self.cached = None;
        let mut turn = Turn::default();
        match event.into() {
            Input::Ask(new) => self.asked(new, &mut turn),
            Input::Message(text) => {
                self.read_message(text, &mut turn);
                self.settle(&mut turn);
            }
            Input::Change(change) => {
                self.apply(change, &mut turn);
                self.settle(&mut turn);
            }
        }
        Ok(turn.outbox.into_actions(&self.policy, self.connection.revision))
    }

    /// The time at which to send [`Event::DeadlineReached`] if no other event comes first.
    #[must_use]
    pub fn deadline(&self) -> Option<Millis> {
        let deadlines = [self.asks.deadline(), self.connection.cycle.deadline(), self.probes.deadline()];
        deadlines.into_iter().flatten().min().map(Millis::from_time)
    }

    /// The connection's project.
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
    #[must_use]
    pub fn explain(&self) -> Explanation {
        self.explainer().explain()
    }

    /// The client's roots and the state of the list.
    #[must_use]
    pub fn roots(&self) -> RootsReport {
        self.explainer().roots()
    }

    /// The state of the roots life cycle, as `docs/transitions.md` names it.
    #[must_use]
    pub fn roots_cycle(&self) -> CycleState {
        if self.connection.closed { CycleState::Closed } else { self.connection.cycle.state(&self.policy) }
    }

    /// Whether the last answer is also the answer to every ask that brings nothing of its own, until the next event or `until`.
    /// A host may give it without asking again.
    #[must_use]
    pub fn reuse(&self) -> Option<Reuse> {
        self.cached.as_ref().map(|cached| Reuse { until: cached.until.map(Millis::from_time) })
    }

    /// The protocol era of the client.
    #[must_use]
    pub const fn era(&self) -> Era {
        if self.connection.client.is_some() { Era::Legacy } else { Era::Unknown }
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

    pub(super) fn explainer(&self) -> Explainer<'_> {
        Explainer { policy: &self.policy, host: &self.host, connection: &self.connection, now: self.now }
    }

    pub(super) fn freshness(&self) -> Freshness {
        Freshness { now: self.now, max_age: self.policy.timing.max_age_ms.map(Time::from) }
    }

    /// Refuses the host's mistakes before anything changes.
    fn check(&self, event: &Event) -> Result<(), Misuse> {
        match event {
            Event::Asked(Asked { ask, .. }) => self.check_ask(*ask),
            Event::Selected(selected) => self.check_ask(selected.ask),
            Event::SelectionCleared(cleared) => self.check_ask(cleared.ask),
            Event::Probed(probed) if !self.probes.was_requested(probed.probe) => {
                Err(Misuse::UnknownProbe(probed.probe))
            }
            Event::HostFactsChanged(changed) => Ok(changed.facts.check()?),
            _ => Ok(()),
        }?;
        let (bytes, limit) = (peer_bytes(event), self.policy.limits.event_bytes);
        if exceeds(bytes, limit) { Err(Misuse::EventTooLarge { bytes, limit }) } else { Ok(()) }
    }

    fn check_ask(&self, ask: AskId) -> Result<(), Misuse> {
        if self.connection.closed {
            Err(Misuse::Closed(ask))
        } else if self.asks.has_id(ask) {
            Err(Misuse::DuplicateAsk(ask))
        } else {
            Ok(())
        }
    }

    /// The answer to a plain ask, if nothing has happened since the last one.
    fn cached_answer(&self, asked: &Asked) -> Option<Answer> {
        let cached = self.cached.as_ref()?;
        let current = cached.until.is_none_or(|until| self.now < until);
        if !current || !is_plain(asked) || asked.ask_by == Some(AskBy::InputRequired) {
            return None;
        }
        Some(Answer {
            asks: [asked.ask].into(),
            outcome: Outcome::Resolved { project: cached.project.clone() },
            revision: self.connection.revision,
            hints: cached.hints.clone(),
            explanation: None,
        })
    }

    /// Applies a change, without its consequences for the asks that wait.
    pub(super) fn apply(&mut self, change: Change, turn: &mut Turn) {
        match change {
            Change::ClientInitialized(params) => self.client_initialized(&params, turn),
            Change::ClientReady => {
                self.connection.sharing.ready();
                self.connection.cycle.client_ready(&self.policy);
            }
            Change::RootsListed(listed) => self.roots_listed(listed.request, listed.result.get(), turn),
            Change::RootsRefused(refused) => self.roots_refused(&refused, turn),
            Change::RootsChanged(RootsChanged { push }) => {
                if self.connection.cycle.is_declared(&self.policy) {
                    self.connection.cycle.changed(push, &self.policy, self.now);
                }
            }
            Change::HostFacts(facts) => self.host_changed(facts, turn),
            Change::AskWithdrawn(ask) => self.asks.withdraw(ask),
            Change::Probed(probed) => self.probed(probed, turn),
            Change::DeadlineReached => self.expire(turn),
            Change::Closed => self.close(turn),
        }
    }

    fn client_initialized(&mut self, params: &ClientInitialized, turn: &mut Turn) {
        if self.connection.client.is_some() {
            self.close(turn);
            self.reopen(turn);
        }
        let client = Client::from_initialize(params, self.policy.limits.name_bytes);
        self.connection.cycle.client_initialized(client.declares_roots);
        self.connection.client = Some(client);
    }

    /// A call of the client is under way, so that it is ready.
    pub(super) fn called(&mut self, turn: &mut Turn) {
        if self.host.transport != Transport::Http {
            let was_shown = self.connection.sharing.is_shown();
            self.connection.sharing.called();
            self.forget_if_shared(was_shown, turn);
        }
        self.connection.cycle.client_ready(&self.policy);
    }

    /// What was learned from one of several clients says nothing about the others.
    pub(super) fn forget_if_shared(&mut self, was_shown: bool, turn: &mut Turn) {
        if self.connection.sharing.is_shown() && !was_shown {
            self.connection.memory = Memory::default();
            self.logger(turn).several_clients();
        }
    }

    pub(super) fn roots_listed(&mut self, request: Option<RequestToken>, result: &str, turn: &mut Turn) {
        let answers_flight = match request.map(|token| self.connection.cycle.token_status(token)) {
            None => false,
            Some(TokenStatus::InFlight) => true,
            Some(status) => return self.ignore_answer(status, request, turn),
        };
        let list = RootList::read(result, &self.policy, &self.host);
        let may_be_shared = self.host.transport != Transport::Http && self.connection.sharing.expects_second_answer();
        match request.filter(|_| may_be_shared && answers_flight) {
            Some(token) if self.connection.cycle.holds_answer() => self.answered_twice(token, turn),
            Some(_) => self.connection.cycle.hold(list, self.now),
            None => self.accept_list(list, self.now, request, turn),
        }
    }

    /// Two clients answered the request in flight: neither answer counts.
    fn answered_twice(&mut self, token: RequestToken, turn: &mut Turn) {
        if self.host.transport != Transport::Http {
            let was_shown = self.connection.sharing.is_shown();
            self.connection.sharing.answered_twice();
            self.forget_if_shared(was_shown, turn);
        }
        self.connection.has_evidence = true;
        if self.connection.cycle.failed(Failure::Failed, &self.policy, self.now) == AfterFailure::Without {
            self.asks.conclude(token, true);
        }
    }

    /// Takes a list of roots that arrived at a time, as the answer to a request or from the host.
    fn accept_list(&mut self, list: RootList, arrived: Time, request: Option<RequestToken>, turn: &mut Turn) {
        let answers_flight = request.is_some();
        self.logger(turn).roots_listed(&list, &self.connection);
        let memory = &mut self.connection.memory;
        let lost = |project: &Arc<Project>| project.source == SourceKind::Roots && !list.has(project);
        if !self.policy.memory.keep_lost_root && memory.remembered.as_ref().is_some_and(lost) {
            memory.remembered = None;
        }
        let confirms = |known: &RootList| self.connection.cycle.is_current() && *known == list;
        if !self.connection.cycle.list().is_none_or(confirms) {
            self.connection.disk.clear();
        }
        let newest = self.connection.cycle.listed(list, arrived, answers_flight, &self.policy, self.now);
        if let (true, Some(token)) = (newest, request) {
            self.asks.conclude(token, false);
        }
        self.connection.has_evidence = true;
        turn.probe_connection = true;
    }

    pub(super) fn roots_refused(&mut self, refused: &RootsRefused, turn: &mut Turn) {
        let status = self.connection.cycle.token_status(refused.request);
        if status != TokenStatus::InFlight {
            let by_client = (refused.kind == RefusalKind::Error).then_some(refused.request);
            return self.ignore_answer(status, by_client, turn);
        }
        if refused.kind == RefusalKind::Error {
            if self.connection.cycle.holds_answer() {
                return self.answered_twice(refused.request, turn);
            }
            self.connection.cycle.refused_by_client();
        }
        self.connection.has_evidence = true;
        if refused.kind == RefusalKind::Abandoned {
            match self.connection.cycle.abandoned(&self.policy, self.now) {
                AfterFailure::Again => self.asks.abandon(refused.request),
                AfterFailure::Without => self.asks.conclude(refused.request, true),
            }
            return self.logger(turn).roots_refused(refused, false);
        }
        let message = refused.message.as_deref().unwrap_or_default();
        let unsupported = refused.kind == RefusalKind::Error && self.policy.means_unsupported(refused.code, message);
        let failure = if unsupported { Failure::Unsupported } else { Failure::Failed };
        let after = self.connection.cycle.failed(failure, &self.policy, self.now);
        self.logger(turn).roots_refused(refused, unsupported);
        if after == AfterFailure::Without {
            self.asks.conclude(refused.request, true);
        }
    }

    /// `by_client` is the request, if the answer came from the client and not from the host.
    fn ignore_answer(&mut self, status: TokenStatus, by_client: Option<RequestToken>, turn: &mut Turn) {
        let is_second = self.connection.cycle.ignored_answer(by_client);
        self.logger(turn).answer_ignored(status);
        if is_second && self.host.transport != Transport::Http {
            let was_shown = self.connection.sharing.is_shown();
            self.connection.sharing.answered_twice();
            self.forget_if_shared(was_shown, turn);
        }
    }

    fn host_changed(&mut self, facts: HostFacts, turn: &mut Turn) {
        self.connection.disk.clear();
        self.host = Arc::new(facts);
        self.connection.cycle.host_changed(&self.policy, &self.host);
        self.asks.host_changed(&self.policy, &self.host);
        self.connection.memory.confine(&self.policy, &self.host);
        turn.announce_unsettled = true;
    }

    fn probed(&mut self, Probed { probe, paths }: Probed, turn: &mut Turn) {
        let Some(open) = self.probes.close(probe) else { return };
        let freshness = self.freshness();
        let mut reports = Disk::new();
        for ProbedPath { path, found, real_path, markers } in paths {
            let info = PathInfo { found: Some(found), real_path, asked: MarkerNames::default(), markers, at: self.now };
            // Of two reports on one path the first counts.
            reports.entry(path).or_insert(info);
        }
        let mut told: Vec<(&String, PathInfo)> = Vec::with_capacity(open.paths.len());
        for PathQuery { path, markers, shared } in &open.paths {
            // A path that the host left out is unconfirmed for those who asked.
            let mut info = reports.remove(path).unwrap_or_else(|| PathInfo::unconfirmed(self.now));
            info.markers.retain(|marker| markers.contains(marker));
            info.asked = markers.clone();
            if *shared {
                learn(&mut self.connection.disk, path, info.clone(), freshness);
            }
            told.push((path, info));
        }
        // What the host has told may lead the connection to further paths. A host that leaves paths out is not asked again.
        turn.probe_connection |= open.connection_needs().is_some_and(|needs| {
            told.iter().enumerate().all(|(at, (_, info))| !needs.contains(at) || info.found.is_some())
        });
        // Asks that need the same paths share one copy.
        let mut copies: BTreeMap<&Positions, Arc<Disk>> = BTreeMap::new();
        for (_, needs) in open.asks() {
            copies.entry(needs).or_insert_with(|| {
                let needed = told.iter().enumerate().filter(|(at, _)| needs.contains(*at));
                Arc::new(needed.map(|(_, (path, info))| ((*path).clone(), info.clone())).collect())
            });
        }
        self.asks.learn(open.asks().filter_map(|(place, needs)| Some((place, copies.get(needs)?))));
    }

    fn expire(&mut self, turn: &mut Turn) {
        if let Some(HeldAnswer { list, arrived, .. }) = self.connection.cycle.take_held(self.now) {
            self.connection.sharing.answered_once();
            self.accept_list(list, arrived, self.connection.cycle.token(), turn);
        }
        if let Some(flight) = self.connection.cycle.expired(&self.policy, self.now) {
            turn.outbox.cancel(&flight);
            self.logger(turn).roots_timed_out();
            self.asks.conclude(flight.token, true);
            self.connection.has_evidence = true;
        }
        turn.announce_unsettled |= self.probes.expire(self.now);
        self.asks.expire(self.now, &self.policy, &mut self.connection.cycle, &mut self.probes);
    }

    fn close(&mut self, turn: &mut Turn) {
        let mut recent = Recent::new();
        for ask in self.asks.take() {
            let known = recent.take(&ask).filter(|(_, at)| turn.outbox.share_answer(*at, &ask, &[]));
            recent.keep(known.unwrap_or_else(|| {
                let revision = if ask.modern { 0 } else { self.connection.revision };
                let at = turn.outbox.answer(&ask, Some(revision), self.closed_answer(&ask));
                (ask, at)
            }));
        }
        self.connection.cycle.closed();
        self.probes.close_all();
        self.connection.closed = true;
    }

    /// Starts a fresh connection on which tokens and the revision keep counting.
    fn reopen(&mut self, turn: &mut Turn) {
        let mut revision = self.connection.revision;
        if self.connection.project.is_some() {
            revision = revision.saturating_add(1);
        }
        if let Some(project) = self.connection.announced.take() {
            turn.outbox.announce(Some(project), None);
        }
        let mut sharing = self.connection.sharing;
        sharing.initialized_again();
        self.connection = Connection { revision, sharing, ..Connection::new(self.connection.cycle.reopened()) };
    }

    pub(super) fn logger<'t>(&'t self, turn: &'t mut Turn) -> Logger<'t> {
        Logger { policy: &self.policy, outbox: &mut turn.outbox }
    }
}
