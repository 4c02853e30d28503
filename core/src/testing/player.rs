//! Plays steps on a resolver and checks what holds for every one.

use alloc::borrow::ToOwned;
use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde_json::value::RawValue;

use super::strategies::json_of;
use super::{Answers, Client, Disk, Reply, Step};
use crate::action::{Action, Answer, Probe, RequestMethod};
use crate::event::{
    AskWithdrawn, Asked, ClientInitialized, EntryKind, Event, Message, Probed, ProbedPath, RefusalKind, RequestFacts,
    RequestRefused, RootsListed, SelectBy, Selected, SelectionCleared, UserAnswered, Want,
};
use crate::{AskId, ConfigError, HostFacts, Millis, Outcome, Policy, Project, RequestToken, Resolver};

/// Something that must hold and does not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("after {events} events: {what}\n{history}")]
#[non_exhaustive]
pub struct Violation {
    /// What was found.
    pub what: String,
    /// The number of events so far.
    pub events: usize,
    /// The events so far, one per line.
    pub history: String,
}

/// A resolver with a client, a disk and a clock that do what steps say.
///
/// After every event it checks that actions come in their order and number, that every ask is answered once and none after its
/// caller left, that at most one request is outstanding, that no project is outside the allowed folders, and that a deadline
/// that was reported does not come back.
///
/// ```
/// use rootwise::event::Asked;
/// use rootwise::testing::{Client, Player, Step};
/// use rootwise::{HostFacts, PathStyle, Policy};
///
/// let host = HostFacts::new(PathStyle::Posix);
/// let mut player = Player::new(Policy::recommended(), host)?.client(Client::silent())?;
/// // Events that no step has can be fed too.
/// player.feed(Asked::new(7).target("/work/app/src".to_owned()))?;
/// assert_eq!(player.waiting().count(), 1);
/// player.play(&Step::Wait(60_000))?;
/// assert_eq!((player.waiting().count(), player.answers().len()), (0, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Player {
    resolver: Resolver,
    host: Arc<HostFacts>,
    now: u64,
    last_ask: u32,
    waiting: VecDeque<AskId>,
    answers: BTreeMap<AskId, Answer>,
    outstanding: Option<RequestToken>,
    /// What the outstanding request asks for.
    method: RequestMethod,
    over: BTreeSet<RequestToken>,
    probes: VecDeque<Probe>,
    disk: Option<Disk>,
    client: Option<Client>,
    /// When the client answers the outstanding request.
    answers_at: Option<u64>,
    /// The calls of a client of revision 2026-07-28 that may have to be repeated.
    calls: BTreeMap<AskId, Asked>,
    /// When it repeats a call, and the call.
    repeats: VecDeque<(u64, Asked)>,
    closed: bool,
    history: Vec<String>,
}

impl Player {
    /// Starts before the handshake.
    ///
    /// # Errors
    /// A host fact is invalid.
    pub fn new(policy: impl Into<Arc<Policy>>, host: impl Into<Arc<HostFacts>>) -> Result<Self, ConfigError> {
        let host = host.into();
        Ok(Self {
            resolver: Resolver::new(policy, host.clone())?,
            host,
            now: 0,
            last_ask: 0,
            waiting: VecDeque::new(),
            answers: BTreeMap::new(),
            outstanding: None,
            method: RequestMethod::RootsList,
            over: BTreeSet::new(),
            probes: VecDeque::new(),
            disk: None,
            client: None,
            answers_at: None,
            calls: BTreeMap::new(),
            repeats: VecDeque::new(),
            closed: false,
            history: Vec::new(),
        })
    }

    /// Gives it a disk, which answers every probe at once. Without one, [`Step::Probe`] answers, and every path is a folder.
    #[must_use]
    pub fn disk(self, disk: Disk) -> Self {
        Self { disk: Some(disk), ..self }
    }

    /// Gives it a client that has completed its handshake, if it makes one, and answers by itself. Without one, steps do both.
    ///
    /// # Errors
    /// Something that must hold does not.
    pub fn client(mut self, client: Client) -> Result<Self, Violation> {
        let roots = client.answers != Answers::Undeclared;
        let introduction = client.initialized();
        let is_modern = client.modern;
        self.client = Some(client);
        if is_modern {
            return Ok(self);
        }
        match introduction {
            Some(event) => self.feed(event)?,
            None => self.play(&Step::Initialize { roots })?,
        };
        self.play(&Step::Ready)?;
        Ok(self)
    }

    /// The resolver.
    #[must_use]
    pub const fn resolver(&self) -> &Resolver {
        &self.resolver
    }

    /// The answers so far.
    #[must_use]
    pub const fn answers(&self) -> &BTreeMap<AskId, Answer> {
        &self.answers
    }

    /// The asks that wait, oldest first.
    pub fn waiting(&self) -> impl Iterator<Item = AskId> {
        self.waiting.iter().copied()
    }

    /// Plays one step; returns its actions.
    ///
    /// # Errors
    /// Something that must hold does not.
    pub fn play(&mut self, step: &Step) -> Result<Vec<Action>, Violation> {
        match step {
            Step::Wait(ms) => self.wait(u64::from(*ms)),
            Step::Open(uris) => match &mut self.client {
                Some(client) => {
                    client.reply = Reply::Roots(uris.clone());
                    self.play(&Step::RootsChanged)
                }
                None => Ok(Vec::new()),
            },
            _ => match self.event(step) {
                Some(event) => self.feed(event),
                None => Ok(Vec::new()),
            },
        }
    }

    /// Lets time pass. A late client answers, and deadlines are reported, each at its time.
    fn wait(&mut self, ms: u64) -> Result<Vec<Action>, Violation> {
        let end = self.now.saturating_add(ms);
        let mut actions = Vec::new();
        while let Some(at) = self.next_of_client().filter(|at| *at <= end) {
            actions.extend(self.pass_to(at)?);
            actions.extend(self.react()?);
        }
        actions.extend(self.pass_to(end)?);
        Ok(actions)
    }

    /// When the client does something by itself.
    fn next_of_client(&self) -> Option<u64> {
        let repeats = self.repeats.iter().map(|(at, _)| *at);
        self.answers_at.into_iter().chain(repeats).min()
    }

    fn pass_to(&mut self, at: u64) -> Result<Vec<Action>, Violation> {
        self.now = self.now.max(at);
        let is_due = self.resolver.deadline().is_some_and(|deadline| deadline.0 <= self.now);
        if is_due { self.feed(Event::DeadlineReached) } else { Ok(Vec::new()) }
    }

    /// The client answers the outstanding request, if there is one.
    fn answer_now(&mut self) -> Result<Vec<Action>, Violation> {
        self.answers_at = None;
        let method = self.method;
        let answered = |client: &Client| Some(answer(self.outstanding?, method, client.reply_to(method)?));
        match self.client.as_ref().and_then(answered) {
            Some(event) => self.feed(event),
            None => Ok(Vec::new()),
        }
    }

    /// Performs what the disk and the client do at once.
    fn react(&mut self) -> Result<Vec<Action>, Violation> {
        let mut actions = Vec::new();
        if let Some(disk) = &self.disk
            && let Some(probe) = self.probes.pop_front()
        {
            let paths = probe.paths.iter().map(|wanted| disk.examine(wanted)).collect();
            actions.extend(self.feed(Probed::new(probe.probe, paths))?);
        }
        if self.answers_at.is_some_and(|at| at <= self.now) {
            actions.extend(self.answer_now()?);
        }
        if self.repeats.front().is_some_and(|(at, _)| *at <= self.now)
            && let Some((_, call)) = self.repeats.pop_front()
        {
            actions.extend(self.feed(call)?);
        }
        Ok(actions)
    }

    /// Lets every deadline pass, closes the connection, and checks that nothing waits.
    ///
    /// # Errors
    /// Something that must hold does not.
    pub fn finish(&mut self) -> Result<(), Violation> {
        // Each round ends a request, a probe or a wait; a policy may retry, but not for ever.
        self.client = None;
        for _ in 0..64 {
            let Some(deadline) = self.resolver.deadline() else { break };
            self.now = self.now.max(deadline.0);
            self.feed(Event::DeadlineReached)?;
        }
        if self.resolver.deadline().is_some() {
            return Err(self.violation("deadlines alone do not bring the resolver to rest"));
        }
        if !self.waiting.is_empty() {
            return Err(self.violation(format!("asks wait without a deadline: {:?}", self.waiting)));
        }
        self.feed(Event::Closed).map(drop)
    }

    /// Passes any event to the resolver, and checks its actions.
    ///
    /// # Errors
    /// Something that must hold does not.
    pub fn feed(&mut self, event: impl Into<Event>) -> Result<Vec<Action>, Violation> {
        let event = event.into();
        self.history.push(format!("@{} {event:?}", self.now));
        let expired = matches!(event, Event::DeadlineReached);
        let ask = match &event {
            Event::Asked(Asked { ask, .. })
            | Event::Selected(Selected { ask, .. })
            | Event::SelectionCleared(SelectionCleared { ask, .. }) => Some(*ask),
            _ => None,
        };
        let (left, resets) = match &event {
            Event::AskWithdrawn(withdrawn) => (Some(withdrawn.ask), false),
            Event::ClientInitialized(_) | Event::Closed => (None, true),
            _ => (None, false),
        };
        if let Event::Asked(asked) = &event
            && self.client.as_ref().is_some_and(|client| client.modern)
        {
            self.calls.insert(asked.ask, asked.clone());
        }
        self.close_request(&event);
        let closing = matches!(event, Event::Closed);
        let mut actions = match self.resolver.handle(event, Millis(self.now)) {
            Ok(actions) => actions,
            // After the end of the connection, an ask is the host's mistake.
            Err(_) if self.closed && ask.is_some() => return Ok(Vec::new()),
            Err(misuse) => return Err(self.violation(format!("a valid event was refused: {misuse}"))),
        };
        self.waiting.extend(ask);
        self.waiting.retain(|waiting| Some(*waiting) != left);
        if resets {
            self.probes.clear();
        }
        self.check_form(&actions)?;
        for action in &actions {
            self.perform(action)?;
        }
        self.closed |= closing;
        let is_due = |deadline: Millis| deadline.0 <= self.now;
        if expired && self.resolver.deadline().is_some_and(is_due) {
            return Err(self.violation("a deadline that was reported came back"));
        }
        if self.closed && !self.waiting.is_empty() {
            return Err(self.violation(format!("asks wait on a closed connection: {:?}", self.waiting)));
        }
        actions.extend(self.react()?);
        Ok(actions)
    }

    /// A request is over when its answer arrives, or with its connection.
    fn close_request(&mut self, event: &Event) {
        let over = match event {
            Event::RootsListed(RootsListed { request, .. }) => *request,
            Event::RequestRefused(refused) => Some(refused.request),
            Event::UserAnswered(answered) => Some(answered.request),
            Event::ClientInitialized(_) | Event::Closed => self.outstanding,
            Event::Message(message) => self.outstanding.filter(|token| self.is_answer(*token, &message.text)),
            _ => None,
        };
        if over.is_some() && over == self.outstanding {
            self.over.extend(self.outstanding.take());
        }
    }

    /// Whether one of the raw messages of [`super::Scene::step`] answers a request.
    fn is_answer(&self, request: RequestToken, message: &str) -> bool {
        let id = format!("\"id\":\"{}{request}\"", self.resolver.policy().config.roots.request.id_prefix);
        message.contains(&id) && message.contains("\"result\"")
    }

    fn check_form(&self, actions: &[Action]) -> Result<(), Violation> {
        if !actions.is_sorted_by_key(rank) {
            return Err(self.violation(format!("actions out of order: {actions:?}")));
        }
        let others = actions.iter().filter(|action| !matches!(action, Action::Answer(_))).count();
        let limit = self.resolver.policy().config.limits.actions;
        if crate::policy::exceeds(others, limit) {
            return Err(self.violation(format!("{others} actions, and the limit is {limit}")));
        }
        Ok(())
    }

    fn perform(&mut self, action: &Action) -> Result<(), Violation> {
        match action {
            Action::Answer(answer) => {
                for id in &answer.asks {
                    let Some(place) = self.waiting.iter().position(|ask| ask == id) else {
                        return Err(self.violation(format!("ask {id} was answered without waiting")));
                    };
                    self.waiting.remove(place);
                    self.answers.insert(*id, (**answer).clone());
                    self.repeat(*id, &answer.outcome);
                }
                if let Outcome::Resolved { project }
                | Outcome::Selected { project, .. }
                | Outcome::Cleared { project: Some(project), .. } = &answer.outcome
                {
                    self.check_project(project)?;
                }
            }
            Action::Announce(announce) => {
                if let Some(project) = &announce.to {
                    self.check_project(project)?;
                }
            }
            Action::Cancel(cancel) => {
                if self.outstanding != Some(cancel.request) {
                    return Err(self.violation(format!("request {} was cancelled, but is over", cancel.request)));
                }
                self.over.extend(self.outstanding.take());
            }
            Action::SendRequest(send) => {
                if let Some(other) = self.outstanding.replace(send.request) {
                    return Err(self.violation(format!("request {} was sent beside {other}", send.request)));
                }
                self.method = send.method;
                let answering = self.client.as_ref().filter(|client| client.reply_to(send.method).is_some());
                self.answers_at = answering.map(|client| self.now.saturating_add(client.delay_ms()));
            }
            Action::Probe(probe) => self.probes.push_back(probe.clone()),
            Action::Forward(_) | Action::Log(_) => {}
        }
        Ok(())
    }

    /// A call that was asked for something is made again with the client's answers.
    fn repeat(&mut self, ask: AskId, outcome: &Outcome) {
        let Some(call) = self.calls.remove(&ask) else { return };
        let (Some(client), Outcome::NeedsInput { input_requests }) = (&self.client, outcome) else { return };
        let Some(responses) = client.responses(input_requests) else { return };
        let at = self.now.saturating_add(client.delay_ms());
        let facts = RequestFacts { input_responses: Some(responses), ..call.facts.clone() };
        let call = Asked { ask: self.next_ask(), facts, ..call };
        self.repeats.push_back((at, call));
    }

    fn check_project(&self, project: &Project) -> Result<(), Violation> {
        let Some(allowed) = &self.host.allowed_dirs else { return Ok(()) };
        let is_inside = |path: &str| allowed.iter().any(|dir| crate::path::is_inside(dir, path, self.host.style));
        let paths = [project.path.as_deref(), project.real_path.as_deref()];
        if paths.into_iter().flatten().all(is_inside) {
            return Ok(());
        }
        Err(self.violation(format!("a project outside the allowed folders: {project:?}")))
    }

    fn event(&mut self, step: &Step) -> Option<Event> {
        let raw = |text: &str| RawValue::from_string(text.to_owned()).ok();
        Some(match step {
            Step::Initialize { roots } => {
                let capabilities = raw(if *roots { "{\"roots\":{\"listChanged\":true}}" } else { "{}" });
                ClientInitialized { capabilities, ..ClientInitialized::default() }.into()
            }
            Step::Ready => Event::ClientReady,
            Step::RootsChanged => Event::RootsChanged(crate::event::RootsChanged::default()),
            Step::Reply(reply) => answer(self.outstanding?, RequestMethod::RootsList, reply),
            Step::StaleReply(reply) => answer(*self.over.first()?, RequestMethod::RootsList, reply),
            Step::Ask { ask_via, facts, explain } => {
                let (ask_via, mut facts, explain) = (*ask_via, facts.clone(), *explain);
                facts.meta = facts.meta.or_else(|| self.client.as_ref()?.meta());
                Asked { ask_via, facts, explain, ..Asked::new(self.next_ask()) }.into()
            }
            Step::AskRoots => Asked { want: Want::Roots, ..Asked::new(self.next_ask()) }.into(),
            Step::Select(value) => Selected::new(self.next_ask(), SelectBy::Value(value.clone())).into(),
            Step::Unselect => SelectionCleared { ask: self.next_ask(), ..SelectionCleared::default() }.into(),
            Step::Withdraw => AskWithdrawn { ask: *self.waiting.front()? }.into(),
            Step::Probe { missing } => probed(&self.probes.pop_front()?, missing),
            Step::Message(text) => Message { text: text.clone() }.into(),
            Step::Close => Event::Closed,
            Step::Wait(_) | Step::Open(_) => return None,
        })
    }

    const fn next_ask(&mut self) -> AskId {
        self.last_ask = self.last_ask.wrapping_add(1);
        AskId(self.last_ask)
    }

    fn violation(&self, what: impl Into<String>) -> Violation {
        Violation { what: what.into(), events: self.history.len(), history: self.history.join("\n") }
    }
}

fn answer(request: RequestToken, method: RequestMethod, reply: &Reply) -> Event {
    let refused = |kind, code| Event::from(RequestRefused { request, kind, code, message: None });
    match reply {
        Reply::Error(code) => refused(RefusalKind::Error, Some(*code)),
        Reply::Abandoned => refused(RefusalKind::Abandoned, None),
        Reply::Roots(_) | Reply::Junk(_) => match RawValue::from_string(json_of(reply)) {
            Ok(result) if method == RequestMethod::ElicitationCreate => UserAnswered::new(request, result).into(),
            Ok(result) => RootsListed { request: Some(request), result }.into(),
            Err(_) => refused(RefusalKind::Unreadable, None),
        },
    }
}

fn probed(probe: &Probe, missing: &[String]) -> Event {
    let report = |path: &String| {
        let found = if missing.contains(path) { EntryKind::Missing } else { EntryKind::Directory };
        let real_path = (found == EntryKind::Directory).then(|| path.clone());
        ProbedPath::new(path.clone(), found).real_path(real_path)
    };
    Probed { probe: probe.probe, paths: probe.paths.iter().map(|wanted| report(&wanted.path)).collect() }.into()
}

const fn rank(action: &Action) -> u8 {
    match action {
        Action::Answer(_) => 0,
        Action::Announce(_) => 1,
        Action::Cancel(_) => 2,
        Action::SendRequest(_) => 3,
        Action::Probe(_) => 4,
        Action::Forward(_) => 5,
        Action::Log(_) => 6,
    }
}
