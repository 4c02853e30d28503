//! The resolver: one mutator, actions returned, views that change nothing.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::asks::{Alike, AskQueue, DecisionCache};
use super::builder::{ResolverBuilder, Serves};
use super::change::{Change, Input};
use super::connection::Connection;
use super::logs::Logger;
use super::outbox::Outbox;
use super::probes::Probes;
use super::progress::UserProgress;
use super::roots_cycle::{HeldAnswer, RootsCycle};
use super::seal::SealKey;
use super::size::peer_bytes;
use crate::api::action::{Action, Answer, Outcome};
use crate::api::event::{Asked, ClientInitialized, Event, Probed, RequestFacts, RootsChanged};
use crate::api::host::{HostFacts, Transport};
use crate::api::project::Project;
use crate::error::{ConfigError, Misuse};
use crate::id::{AskId, Millis, Time};
use crate::peer::client::Client;
use crate::policy::{Policy, exceeds};
use crate::resolve::disk::{Freshness, learn};
use crate::resolve::memory::Memory;
use crate::texts::endpoint::NO_COMMON_DIRS;

/// The project of one connection.
///
/// Pass every event to [`handle`](Self::handle) and carry out the actions it returns. A resolver reads no clock, disk or
/// environment, and starts nothing by itself.
///
/// ```
/// use rootwise::{Action, HostFacts, PathStyle, Policy, Resolver, event::Asked};
///
/// let mut resolver = Resolver::new(Policy::recommended(), HostFacts::new(PathStyle::Posix))?;
/// // No client has said anything, so that the answer comes at once.
/// assert!(matches!(resolver.handle(Asked::new(1), 0)?[..], [Action::Answer(_), ..]));
/// println!("{:?} {:?} {:?}", resolver.host().style, resolver.era(), resolver.project());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Resolver {
    pub(super) policy: Arc<Policy>,
    /// The host facts as they were given.
    pub(super) operator: Arc<HostFacts>,
    /// The folders to which the connection's own project is confined, within those of the host facts.
    own_dirs: Option<Vec<String>>,
    /// The facts that follow for the connection.
    pub(super) host: Arc<HostFacts>,
    pub(super) connection: Connection,
    pub(super) asks: AskQueue,
    pub(super) probes: Probes,
    pub(super) now: Time,
    pub(super) cached: Option<CachedAnswer>,
    pub(super) seal_key: Option<Arc<SealKey>>,
    pub(super) serves: Serves,
    /// Counts the events that were not answered from the last answer.
    pub(super) turns: u32,
    /// Counts the handshakes.
    pub(super) handshakes: u32,
}

/// The answer to an ask, valid for asks that are alike until the next event.
#[derive(Clone, Debug)]
pub(super) struct CachedAnswer {
    pub(super) asks: Alike,
    pub(super) project: Arc<Project>,
    pub(super) until: Option<Time>,
}

/// Checks the folders of one caller. A connection whose folders are on another machine for the host facts, and here for a
/// caller, would read its roots in two ways.
pub(crate) fn check_callers_dirs(dirs: &[String], host: &HostFacts, place: &str) -> Result<(), Misuse> {
    if host.allowed_dirs.is_none() {
        return Err(Misuse::bad_event(place, NO_COMMON_DIRS));
    }
    let checked = host.check_dirs(place, dirs);
    checked.map_err(|ConfigError { place, problem }| Misuse::bad_event(place, problem))
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
    /// ```
    /// use rootwise::{HostFacts, PathStyle, Policy, Resolver};
    ///
    /// let resolver = Resolver::new(Policy::recommended(), HostFacts::new(PathStyle::Posix))?;
    /// assert!(resolver.project().is_none());
    /// # Ok::<(), rootwise::ConfigError>(())
    /// ```
    ///
    /// # Errors
    /// A host fact is invalid; the error names it.
    pub fn new(policy: impl Into<Arc<Policy>>, host: impl Into<Arc<HostFacts>>) -> Result<Self, ConfigError> {
        let (policy, host) = (policy.into(), checked_facts(host.into())?);
        let cycle = RootsCycle::new(policy.config.roots.request.id_prefix.clone());
        Ok(Self {
            policy,
            operator: host.clone(),
            own_dirs: None,
            host,
            connection: Connection::new(cycle),
            asks: AskQueue::default(),
            probes: Probes::default(),
            now: 0,
            cached: None,
            seal_key: None,
            serves: Serves::Connection,
            turns: 0,
            handshakes: 0,
        })
    }

    /// Starts a resolver with these host facts and, unless another policy is set, the recommended policy.
    ///
    /// ```
    /// use rootwise::{HostFacts, PathStyle, Policy, Resolver};
    ///
    /// let policy = Policy::from_json(r#"{ "timing": { "maxAgeMs": 5000 } }"#)?;
    /// let resolver = Resolver::builder(HostFacts::new(PathStyle::Posix)).policy(policy).id_prefix("replica-7-").build()?;
    /// assert_eq!(resolver.policy().config().timing.max_age_ms, Some(5_000));
    /// # Ok::<(), rootwise::ConfigError>(())
    /// ```
    pub fn builder(host: impl Into<Arc<HostFacts>>) -> ResolverBuilder {
        ResolverBuilder::new(host.into())
    }

    /// Processes one event and returns its actions in order.
    ///
    /// ```
    /// use rootwise::event::{Asked, EntryKind, Probed, ProbedPath};
    /// use rootwise::{Action, HostFacts, PathStyle, Policy, Resolver};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut host = HostFacts::new(PathStyle::Posix);
    /// host.arguments.insert("project".into(), "/work/app".into());
    /// let mut resolver = Resolver::new(Policy::recommended(), host)?;
    /// let actions = resolver.handle(Asked::new(1), 0)?;
    /// let [Action::Probe(probe)] = actions.as_slice() else { panic!("{actions:?}") };
    /// // The probe has until this time; a host sets a timer for it.
    /// assert!(resolver.deadline().is_some());
    /// let paths = vec![ProbedPath::new("/work/app", EntryKind::Directory)];
    /// resolver.handle(Probed::new(probe.probe, paths), 3)?;
    /// assert_eq!(resolver.project().and_then(|project| project.path.as_deref()), Some("/work/app"));
    /// assert_eq!((resolver.revision(), resolver.deadline()), (1, None));
    /// // The next ask is answered at once.
    /// assert!(matches!(resolver.handle(Asked::new(2), 4)?.as_slice(), [Action::Answer(_)]));
    /// println!("{}", resolver.explain().text);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The host made a mistake; the resolver is unchanged.
    pub fn handle(&mut self, event: impl Into<Event>, now: impl Into<Millis>) -> Result<Vec<Action>, Misuse> {
        let event = event.into();
        self.check(&event)?;
        Ok(self.accept(event, now.into()))
    }

    /// Processes an event that is no mistake: an ask has a new id, a probe was requested, facts are valid, and the parts of
    /// peers are bounded.
    pub(crate) fn accept(&mut self, event: Event, now: Millis) -> Vec<Action> {
        self.advance(now);
        let mut alike = None;
        if let Event::Asked(asked) = &event {
            alike = Alike::of(asked, &self.policy);
            if let Some(answer) = alike.as_ref().and_then(|alike| self.cached_answer(asked.ask, alike)) {
                return [Action::Answer(answer.into())].into();
            }
        }
        if self.connection.closed {
            return Vec::new();
        }
        self.cached = None;
        self.turns = self.turns.wrapping_add(1);
        let mut turn = Turn::default();
        match event.into() {
            Input::Ask(new) => self.asked(new, alike, &mut turn),
            Input::Message(text) => {
                self.read_message(text, &mut turn);
                self.settle(&mut turn);
            }
            Input::Change(change) => {
                self.apply(change, &mut turn);
                self.settle(&mut turn);
            }
        }
        turn.outbox.into_actions(&self.policy, self.connection.revision)
    }

    fn advance(&mut self, now: Millis) {
        self.now = self.now.max(now.time());
    }

    /// A call of revision 2026-07-28 arrived that another resolver answers; what its client calls itself may show that several
    /// share the connection.
    pub(crate) fn client_described(&mut self, name: Option<&str>, now: Millis) -> Vec<Action> {
        let was_shown = self.connection.sharing.is_shown();
        self.connection.sharing.described(name);
        if self.connection.sharing.is_shown() == was_shown || self.connection.closed {
            return Vec::new();
        }
        let mut turn = Turn::default();
        self.forget_if_shared(was_shown, &mut turn);
        self.settle_sharing(now, turn)
    }

    /// Several clients have shown themselves on the connection that has the conversation of this resolver.
    pub(crate) fn several_clients(&mut self, now: Millis) -> Vec<Action> {
        self.connection.sharing.several();
        self.connection.memory = Memory::default();
        self.settle_sharing(now, Turn::default())
    }

    fn settle_sharing(&mut self, now: Millis, mut turn: Turn) -> Vec<Action> {
        self.advance(now);
        self.cached = None;
        self.turns = self.turns.wrapping_add(1);
        self.settle(&mut turn);
        turn.outbox.into_actions(&self.policy, self.connection.revision)
    }

    /// The answer with these hints reached nobody: those that come once are due again.
    pub(crate) fn hints_were_lost(&mut self, lost: &[String]) {
        for (at, _) in self.policy.config.hints.iter().enumerate().filter(|(_, hint)| lost.contains(&hint.text)) {
            self.connection.reported.forget_hint(at);
        }
        self.cached = None;
    }

    pub(super) fn freshness(&self) -> Freshness {
        Freshness { now: self.now, max_age: self.policy.config.timing.max_age_ms.map(Time::from) }
    }

    /// Refuses the host's mistakes before anything changes.
    fn check(&self, event: &Event) -> Result<(), Misuse> {
        match event {
            Event::Asked(Asked { ask, facts, .. }) => self.check_ask(*ask, facts),
            Event::Selected(selected) => self.check_ask(selected.ask, &selected.facts),
            Event::SelectionCleared(cleared) => self.check_ask(cleared.ask, &cleared.facts),
            Event::Probed(probed) if !self.probes.was_requested(probed.probe) => {
                Err(Misuse::UnknownProbe(probed.probe))
            }
            Event::HostFactsChanged(changed) => Ok(changed.facts.clone().with_path_maps().map(drop)?),
            _ => Ok(()),
        }?;
        let (bytes, limit) = (peer_bytes(event), self.policy.config.limits.event_bytes);
        if exceeds(bytes, limit) { Err(Misuse::EventTooLarge { bytes, limit }) } else { Ok(()) }
    }

    fn check_ask(&self, ask: AskId, facts: &RequestFacts) -> Result<(), Misuse> {
        if let Some(dirs) = &facts.allowed_dirs {
            check_callers_dirs(dirs, &self.host, "event.facts.allowedDirs")?;
        }
        if self.connection.closed {
            Err(Misuse::Closed(ask))
        } else if self.asks.has_id(ask) {
            Err(Misuse::DuplicateAsk(ask))
        } else {
            Ok(())
        }
    }

    /// The answer to an ask, if nothing has happened since one that is alike was answered.
    fn cached_answer(&self, ask: AskId, alike: &Alike) -> Option<Answer> {
        let cached = self.cached.as_ref()?;
        let is_current = cached.until.is_none_or(|until| self.now < until);
        if !is_current || cached.asks != *alike {
            return None;
        }
        Some(Answer {
            asks: [ask].into(),
            outcome: Outcome::Resolved { project: cached.project.clone() },
            revision: self.connection.revision,
            hints: Vec::new(),
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
            Change::UserAnswered(answered) => self.user_answered(answered.request, answered.result.get(), turn),
            Change::RequestRefused(refused) => self.request_refused(&refused, turn),
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
        self.handshakes = self.handshakes.wrapping_add(1);
        if self.connection.client.is_some() {
            self.close(turn);
            self.reopen(turn);
        }
        let client = Client::from_initialize(params, self.policy.config.limits.name_bytes);
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

    /// Confines the connection's own project.
    pub(super) fn confine(&mut self, dirs: Option<Vec<String>>) {
        self.host = match &dirs {
            Some(dirs) => Arc::new(self.operator.confined_to(dirs)),
            None => self.operator.clone(),
        };
        self.own_dirs = dirs;
    }

    fn host_changed(&mut self, facts: HostFacts, turn: &mut Turn) {
        self.connection.disk.clear();
        // Whoever passed the event has checked them.
        self.operator = Arc::new(facts.clone().with_path_maps().unwrap_or(facts));
        let own_dirs = self.own_dirs.take();
        self.confine(own_dirs);
        self.connection.cycle.host_changed(&self.policy, &self.host);
        self.asks.host_changed(&self.policy, &self.host, &self.operator);
        self.connection.memory.confine(&self.policy, &self.host);
        turn.announce_unsettled = true;
    }

    fn probed(&mut self, Probed { probe, paths }: Probed, turn: &mut Turn) {
        let Some(open) = self.probes.close(probe) else { return };
        let freshness = self.freshness();
        let told = open.read_reply(paths, self.now);
        for (query, info) in open.paths.iter().zip(&told).filter(|(query, _)| query.shared) {
            learn(&mut self.connection.disk, &query.path, info.clone(), freshness);
        }
        // What the host has told may lead the connection to further paths. A host that leaves paths out is not asked again.
        turn.probe_connection |= open.connection_learns_all(&told);
        self.asks.learn(&open.tell_asks(&told));
    }

    fn expire(&mut self, turn: &mut Turn) {
        if let Some(HeldAnswer { list, arrived, .. }) = self.connection.cycle.take_held(self.now) {
            self.connection.sharing.answered_once();
            self.accept_list(list, arrived, self.connection.cycle.token(), turn);
        }
        if let Some(in_flight) = self.connection.cycle.expired(&self.policy, self.now) {
            turn.outbox.cancel(in_flight.token, &in_flight.id);
            self.logger(turn).roots_timed_out();
            self.asks.conclude(in_flight.token, true);
            self.connection.has_evidence = true;
        }
        self.expire_form(turn);
        turn.announce_unsettled |= self.probes.expire(self.now);
        self.asks.expire(self.now, &self.policy, &mut self.connection.cycle, &mut self.probes);
    }

    fn close(&mut self, turn: &mut Turn) {
        let asks = self.asks.take();
        let mut cache = DecisionCache::of(&asks);
        for ask in asks.into_iter().filter(|ask| ask.user != UserProgress::Late) {
            let known = cache.take(&ask).filter(|(_, at)| turn.outbox.share_answer(*at, &ask, &[]));
            let (ask, at) = known.unwrap_or_else(|| {
                let revision = if self.is_alone(&ask) { 0 } else { self.connection.revision };
                let at = turn.outbox.answer(&ask, Some(revision), self.closed_answer(&ask));
                (ask, at)
            });
            cache.keep(ask, at);
        }
        self.connection.cycle.closed();
        self.connection.question.closed();
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
        let mut sharing = core::mem::take(&mut self.connection.sharing);
        sharing.initialized_again();
        let lists = self.connection.lists;
        self.connection = Connection { revision, sharing, lists, ..Connection::new(self.connection.cycle.reopened()) };
    }

    pub(super) fn logger<'t>(&'t self, turn: &'t mut Turn) -> Logger<'t> {
        Logger { policy: &self.policy, outbox: &mut turn.outbox }
    }
}

/// The facts as they count; those without path maps to read are shared as they are.
fn checked_facts(host: Arc<HostFacts>) -> Result<Arc<HostFacts>, ConfigError> {
    if host.has_path_maps() {
        return Ok(Arc::new(Arc::unwrap_or_clone(host).with_path_maps()?));
    }
    host.check()?;
    Ok(host)
}
