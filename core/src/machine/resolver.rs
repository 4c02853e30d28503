//! The machine: one mutator, actions returned, views that change nothing.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::action::{Action, Answer, Outcome, ProbePath, RootsState};
use crate::error::Misuse;
use crate::event::{AskBy, Asked, Event, ProbedPath, RefusalKind, RootsRefused, Want};
use crate::explain::{Era, Explanation};
use crate::find::contains;
use crate::host::HostFacts;
use crate::machine::asks::PendingAsk;
use crate::machine::connection::Connection;
use crate::machine::outbox::Outbox;
use crate::machine::probes::{Asker, OpenPath, Probes};
use crate::machine::roots_cycle::{Failure, Time, TokenStatus};
use crate::peer::client::Client;
use crate::peer::root_list::RootList;
use crate::policy::{Ask, Pin, Policy};
use crate::project::{Project, RootView};
use crate::resolve::verify::{Disk, PathInfo};

/// Knows the project of one connection.
///
/// Feed it everything that happens with [`handle`](Self::handle) and do what it gives back. It reads no clock, disk or
/// environment, and starts nothing by itself.
#[derive(Clone, Debug)]
pub struct Resolver {
    pub(crate) policy: Arc<Policy>,
    pub(crate) host: Arc<HostFacts>,
    pub(crate) connection: Connection,
    pub(crate) asks: Vec<PendingAsk>,
    pub(crate) taken_in: u64,
    pub(crate) probes: Probes,
    pub(crate) id_prefix: String,
    pub(crate) now: Time,
    pub(crate) standing: Option<CachedAnswer>,
}

/// The answer to an ask without facts of its own, good until something happens.
#[derive(Clone, Debug)]
pub(crate) struct CachedAnswer {
    pub(crate) project: Arc<Project>,
    pub(crate) hints: Vec<String>,
    pub(crate) until: Option<Time>,
}

impl Resolver {
    /// Starts before the handshake.
    ///
    /// # Errors
    /// The policy or the host facts cannot work.
    pub fn new(policy: Arc<Policy>, host: Arc<HostFacts>) -> Result<Self, Misuse> {
        policy.check()?;
        host.check()?;
        let id_prefix = policy.roots.request.id_prefix.clone();
        Ok(Self {
            policy,
            host,
            connection: Connection::default(),
            asks: Vec::new(),
            taken_in: 0,
            probes: Probes::default(),
            id_prefix,
            now: 0,
            standing: None,
        })
    }

    /// Takes one event and gives back, in order, all the host must do about it.
    ///
    /// # Errors
    /// The host called wrongly; nothing changed.
    pub fn handle(&mut self, event: Event, now: u64) -> Result<Vec<Action>, Misuse> {
        self.check(&event)?;
        self.now = self.now.max(Time::try_from(now).unwrap_or(Time::MAX));
        if let Event::Asked(asked) = &event
            && let Some(answer) = self.known_answer(asked)
        {
            return Ok([Action::Answer(answer.into())].into());
        }
        if self.connection.closed {
            return Ok(Vec::new());
        }
        let mut out = Outbox::default();
        self.standing = None;
        match event {
            Event::Asked(asked) => self.asked(asked.into(), &mut out),
            Event::Selected(selected) => self.asked(selected.into(), &mut out),
            Event::SelectionCleared(cleared) => self.asked(cleared.into(), &mut out),
            Event::Message(message) => {
                self.read_message(message.text, &mut out);
                self.settle(&mut out);
            }
            other => {
                self.apply(other, &mut out);
                self.settle(&mut out);
            }
        }
        Ok(out.into_actions(&self.policy, self.connection.revision))
    }

    /// When to send [`Event::DeadlineReached`] if nothing else happens first.
    #[must_use]
    pub fn deadline(&self) -> Option<u64> {
        let asks = self.asks.iter().map(|ask| ask.deadline);
        let flight = self.connection.cycle.flight.as_ref().map(|flight| flight.dies_at);
        let earliest = asks.chain(flight).chain(self.connection.cycle.deferred).chain(self.probes.deadline()).min();
        earliest.map(|at| u64::try_from(at).unwrap_or(0))
    }

    /// The connection's project.
    #[must_use]
    pub const fn project(&self) -> Option<&Arc<Project>> {
        self.connection.project.as_ref()
    }

    /// Grows by one whenever the connection's project visibly changes.
    #[must_use]
    pub const fn revision(&self) -> u32 {
        self.connection.revision
    }

    /// What every source says about the connection's project.
    #[must_use]
    pub fn explain(&self) -> Explanation {
        self.explain_connection()
    }

    /// The client's roots and how current they are.
    #[must_use]
    pub fn roots(&self) -> (RootsState, Vec<RootView>) {
        let views = self.connection.cycle.list.as_ref().map(|list| list.views(&self.policy.limits));
        (self.roots_state(), views.unwrap_or_default())
    }

    /// How the client speaks.
    #[must_use]
    pub const fn era(&self) -> Era {
        if self.connection.client.is_some() { Era::Legacy } else { Era::Unknown }
    }

    /// What the host may not do; looked at before anything changes.
    fn check(&self, event: &Event) -> Result<(), Misuse> {
        match event {
            Event::Asked(_) | Event::Selected(_) | Event::SelectionCleared(_) => {
                let ask = event.ask().unwrap_or_default();
                if self.connection.closed {
                    Err(Misuse::Closed(ask))
                } else if self.asks.iter().any(|waiting| waiting.ask == ask) {
                    Err(Misuse::DuplicateAsk(ask))
                } else {
                    Ok(())
                }
            }
            Event::Probed(probed) if !self.probes.was_asked(probed.probe) => Err(Misuse::UnknownProbe(probed.probe)),
            Event::HostFactsChanged(changed) => changed.facts.check(),
            _ => Ok(()),
        }?;
        let bytes = event.peer_bytes();
        let limit = self.policy.limits.event_bytes;
        if usize::try_from(limit).is_ok_and(|most| bytes > most) {
            return Err(Misuse::EventTooLarge { bytes, limit });
        }
        Ok(())
    }

    /// The answer to an ask that brings nothing of its own, where nothing has happened since the last one.
    fn known_answer(&self, asked: &Asked) -> Option<Answer> {
        let standing = self.standing.as_ref()?;
        let current = standing.until.is_none_or(|until| self.now < until);
        if !current || !asked.is_plain() || asked.ask_by == Some(AskBy::InputRequired) {
            return None;
        }
        Some(Answer {
            ask: asked.ask,
            outcome: Outcome::Resolved { project: standing.project.clone() },
            revision: self.connection.revision,
            hints: standing.hints.clone(),
            explanation: None,
        })
    }

    /// The effect of one event, before anybody looks at what follows from it.
    pub(crate) fn apply(&mut self, event: Event, out: &mut Outbox) {
        match event {
            Event::ClientInitialized(said) => {
                if self.connection.client.is_some() {
                    self.close(out);
                    self.reopen(out);
                }
                self.connection.client = Some(Client::of_initialize(&said, self.policy.limits.name_bytes));
            }
            Event::ClientReady => {
                if !self.connection.ready {
                    self.connection.ready = true;
                    self.connection.cycle.due |= self.policy.roots.ask == Ask::Eager;
                }
            }
            Event::RootsListed(listed) => self.roots_listed(listed.request, listed.result.text(), out),
            Event::RootsRefused(refused) => self.roots_refused(&refused, out),
            Event::RootsChanged => {
                if self.is_declared() {
                    self.connection.cycle.changed(&self.policy, self.now);
                }
            }
            Event::HostFactsChanged(changed) => {
                self.host_changed(changed.facts);
                out.prune_disk = true;
            }
            Event::AskWithdrawn(withdrawn) => self.asks.retain(|ask| ask.ask != withdrawn.ask),
            Event::Probed(probed) => self.probed(probed.probe, probed.paths),
            Event::DeadlineReached => self.expire(out),
            Event::Closed => self.close(out),
            // Asks and messages never come here: they are settled in their own ways.
            Event::Asked(_) | Event::Selected(_) | Event::SelectionCleared(_) | Event::Message(_) => {}
        }
    }

    fn roots_listed(&mut self, request: Option<u32>, result: &str, out: &mut Outbox) {
        let answers_flight = match request.map(|token| self.connection.cycle.token_status(token)) {
            None => false,
            Some(TokenStatus::InFlight) => true,
            Some(status) => return self.ignore_answer(status, out),
        };
        let list = RootList::read(result, &self.policy, &self.host);
        self.note_list(&list, out);
        self.forget_lost_root(&list);
        let newest = self.connection.cycle.listed(list, answers_flight, &self.policy, self.now);
        if let (true, Some(token)) = (newest, request) {
            self.conclude_waits(token, false);
        }
        self.connection.has_evidence = true;
        out.probe_connection = true;
        out.prune_disk = true;
    }

    fn roots_refused(&mut self, refused: &RootsRefused, out: &mut Outbox) {
        let status = self.connection.cycle.token_status(refused.request);
        if status != TokenStatus::InFlight {
            return self.ignore_answer(status, out);
        }
        let unsupported = refused.kind == RefusalKind::Error && self.means_unsupported(refused);
        let again = self.connection.cycle.failed(Failure::Other, unsupported, &self.policy, self.now);
        self.note_refusal(refused, unsupported, out);
        if refused.kind == RefusalKind::Abandoned {
            self.asks.iter_mut().for_each(PendingAsk::leave_request);
        } else if !again {
            self.conclude_waits(refused.request, true);
        }
        self.connection.has_evidence = true;
    }

    fn means_unsupported(&self, refused: &RootsRefused) -> bool {
        let rules = &self.policy.roots.unsupported;
        let by_code = refused.code.is_some_and(|code| rules.codes.contains(&code));
        let message = refused.message.as_deref().unwrap_or_default().to_ascii_lowercase();
        by_code || rules.messages.iter().any(|part| contains(&message, &part.to_ascii_lowercase()))
    }

    /// The request is over for those who waited for it.
    fn conclude_waits(&mut self, token: u32, failed: bool) {
        for ask in self.asks.iter_mut().filter(|ask| ask.joined == Some(token)) {
            ask.roots_done = true;
            ask.skip_roots = failed;
        }
    }

    fn ignore_answer(&mut self, status: TokenStatus, out: &mut Outbox) {
        let cycle = &mut self.connection.cycle;
        cycle.stale_answers = cycle.stale_answers.saturating_add(1);
        self.note_ignored(status, out);
    }

    fn forget_lost_root(&mut self, list: &RootList) {
        if self.policy.memory.keep_lost_root {
            return;
        }
        let remembered = &mut self.connection.memory.remembered;
        if remembered
            .as_ref()
            .is_some_and(|project| project.root.is_some() && !list.has(project, &self.host, &self.policy.limits))
        {
            *remembered = None;
        }
    }

    fn host_changed(&mut self, facts: HostFacts) {
        if facts.style != self.host.style {
            self.connection.disk.clear();
        }
        self.host = Arc::new(facts);
        if let Some(list) = &mut self.connection.cycle.list {
            *list = RootList::restore(&list.keep(), &self.policy, &self.host);
        }
    }

    fn probed(&mut self, probe: u32, found: Vec<ProbedPath>) {
        let Some(open) = self.probes.close(probe) else { return };
        let mut told = Vec::new();
        for ProbedPath { path, found, real_path, markers } in found {
            told.push((path, PathInfo { found: Some(found), real_path, asked: Vec::new(), markers }));
        }
        let told = Disk::of(told);
        let (mut disk, mut added, mut left_out) = (Vec::new(), Vec::new(), Vec::new());
        for OpenPath { want, shared } in open.paths {
            let Some(mut fact) = told.get(&want.path).cloned() else {
                left_out.push(want);
                continue;
            };
            fact.markers.retain(|marker| want.markers.contains(marker));
            fact.asked = want.markers;
            if shared {
                match self.connection.disk.get_mut(&want.path) {
                    Some(known) => *known = fact.clone().with_earlier(known),
                    None => added.push((want.path.clone(), fact.clone())),
                }
            }
            disk.push((want.path, fact));
        }
        self.connection.disk.add(added);
        let disk = Arc::new(Disk::of(disk));
        for ask in &mut self.asks {
            if open.wanted_by.binary_search(&Asker::Ask(ask.place)).is_ok() {
                ask.disk.push(disk.clone());
            }
        }
        self.unconfirmed(left_out);
    }

    /// What the host did not tell counts as unconfirmed for everybody who waits now.
    fn unconfirmed(&mut self, paths: Vec<ProbePath>) {
        if paths.is_empty() {
            return;
        }
        let unknown = |want: ProbePath| {
            (want.path, PathInfo { found: None, real_path: None, asked: want.markers, markers: Vec::new() })
        };
        let disk = Arc::new(Disk::of(paths.into_iter().map(unknown).collect()));
        for ask in &mut self.asks {
            ask.disk.push(disk.clone());
        }
    }

    fn expire(&mut self, out: &mut Outbox) {
        let now = self.now;
        let dead = self.connection.cycle.flight.take_if(|flight| flight.dies_at <= now);
        if let Some(flight) = dead {
            let token = flight.token;
            out.cancel(&flight);
            self.connection.cycle.flight = Some(flight);
            self.connection.cycle.failed(Failure::TimedOut, false, &self.policy, now);
            self.note_timeout(out);
            self.conclude_waits(token, true);
            self.connection.has_evidence = true;
        }
        for open in self.probes.expire(now) {
            self.unconfirmed(open.paths.into_iter().map(|path| path.want).collect());
        }
        let cycle = &mut self.connection.cycle;
        if cycle.deferred.is_some_and(|at| at <= now) {
            cycle.deferred = None;
            cycle.due = true;
        }
        for ask in self.asks.iter_mut().filter(|ask| ask.deadline <= now) {
            ask.expired = true;
            if let Some(flight) = &mut cycle.flight {
                flight.overdue |= ask.joined == Some(flight.token);
            }
        }
    }

    fn close(&mut self, out: &mut Outbox) {
        for ask in core::mem::take(&mut self.asks) {
            let revision = if ask.modern { 0 } else { self.connection.revision };
            out.answer(ask.place, Some(revision), self.closed_answer(&ask));
        }
        let cycle = &mut self.connection.cycle;
        cycle.flight = None;
        cycle.deferred = None;
        cycle.due = false;
        self.probes.close_all();
        self.connection.closed = true;
    }

    /// A fresh connection whose ids go on counting.
    fn reopen(&mut self, out: &mut Outbox) {
        let last_token = self.connection.cycle.last_token;
        let mut revision = self.connection.revision;
        if let Some(project) = self.connection.project.take() {
            out.announce(Some(project), None);
            revision = revision.saturating_add(1);
        }
        self.connection = Connection::default();
        self.connection.cycle.last_token = last_token;
        self.connection.revision = revision;
    }

    /// Whether the client's roots count at all.
    pub(crate) fn is_declared(&self) -> bool {
        !self.policy.roots.require_capability
            || self.connection.client.as_ref().is_some_and(|client| client.declares_roots)
    }

    /// Whether the client may be asked, once it is ready.
    pub(crate) fn may_ask(&self) -> bool {
        let cycle = &self.connection.cycle;
        self.policy.roots.ask != Ask::Never
            && self.is_declared()
            && !cycle.unsupported
            && cycle.failures <= self.policy.timing.retries
    }

    pub(crate) fn roots_state(&self) -> RootsState {
        if let Some(state) = self.connection.cycle.state() {
            return state;
        }
        if !self.connection.ready {
            RootsState::NotReady
        } else if self.is_declared() {
            RootsState::NotAsked
        } else {
            RootsState::Undeclared
        }
    }

    pub(crate) fn is_immutable(&self) -> bool {
        self.policy.memory.pin == Pin::Immutable && self.connection.memory.pin.is_some()
    }
}

impl Asked {
    fn is_plain(&self) -> bool {
        self.want == Want::Project
            && !self.explain
            && self.target.is_none()
            && self.facts == crate::event::RequestFacts::default()
    }
}
