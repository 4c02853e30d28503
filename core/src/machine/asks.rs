//! Asks: taking them in, looking at them again after every event, ending each exactly once.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::action::{Answer, Outcome, ProbePath, Refused, Unresolved};
use crate::error::Reason;
use crate::event::{AskBy, Asked, Event, RequestFacts, SelectBy, Selected, SelectionCleared};
use crate::machine::outbox::Outbox;
use crate::machine::probes::Asker;
use crate::machine::resolver::{CachedAnswer, Resolver};
use crate::machine::roots_cycle::Time;
use crate::map::Map;
use crate::peer::client::{Client, looks_modern};
use crate::peer::raw::{Json, Object};
use crate::peer::root_list::RootList;
use crate::policy::{Ask, Pin, SourceKind, Texts, Values};
use crate::project::Project;
use crate::resolve::evaluate::{Decision, Evaluation, EvaluationContext, RootsAccess};
use crate::resolve::verify::{Disk, DiskView, PathQuery};

/// The key of our question among a call's input requests.
pub const INPUT_KEY: &str = "rootwise";

const INPUT_REQUEST: &str = r#"{"method":"roots/list"}"#;

/// An ask that waits.
#[derive(Clone, Debug)]
pub(crate) struct PendingAsk {
    pub(crate) ask: u32,
    /// Its place among all asks of this resolver, in the order they came.
    pub(crate) place: u64,
    pub(crate) purpose: Purpose,
    pub(crate) by: AskBy,
    pub(crate) modern: bool,
    pub(crate) facts: RequestFacts,
    pub(crate) target: Option<String>,
    pub(crate) explain: bool,
    pub(crate) deadline: Time,
    /// Whether its wait is over.
    pub(crate) expired: bool,
    /// Replies to probes since it came.
    pub(crate) disk: Vec<Arc<Disk>>,
    /// Whether it waits for the client's roots.
    pub(crate) waits_for_roots: bool,
    /// The request it waits for.
    pub(crate) joined: Option<u32>,
    /// Whether that request is over.
    pub(crate) roots_done: bool,
    /// Whether it came to nothing, so that the ask goes on without.
    pub(crate) skip_roots: bool,
    /// Roots that came with the call itself.
    pub(crate) input: Option<RootList>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Project,
    Roots,
    Select(SelectBy),
    Clear,
}

/// An ask as it comes in.
pub(crate) struct NewAsk {
    ask: u32,
    purpose: Purpose,
    ask_by: Option<AskBy>,
    facts: RequestFacts,
    target: Option<String>,
    explain: bool,
}

impl From<Asked> for NewAsk {
    fn from(asked: Asked) -> Self {
        let Asked { ask, ask_by, explain, .. } = asked;
        let purpose = match asked.want {
            crate::event::Want::Project => Purpose::Project,
            crate::event::Want::Roots => Purpose::Roots,
        };
        Self { ask, purpose, ask_by, facts: asked.facts, target: asked.target, explain }
    }
}

impl From<Selected> for NewAsk {
    fn from(selected: Selected) -> Self {
        let Selected { ask, by, ask_by, facts, explain } = selected;
        Self { ask, purpose: Purpose::Select(by), ask_by, facts, target: None, explain }
    }
}

impl From<SelectionCleared> for NewAsk {
    fn from(cleared: SelectionCleared) -> Self {
        let SelectionCleared { ask, ask_by, facts, explain } = cleared;
        Self { ask, purpose: Purpose::Clear, ask_by, facts, target: None, explain }
    }
}

impl PendingAsk {
    pub(crate) const fn leave_request(&mut self) {
        self.joined = None;
    }
}

impl Event {
    pub(crate) const fn ask(&self) -> Option<u32> {
        match self {
            Self::Asked(asked) => Some(asked.ask),
            Self::Selected(selected) => Some(selected.ask),
            Self::SelectionCleared(cleared) => Some(cleared.ask),
            _ => None,
        }
    }
}

/// What came of looking at an ask.
pub(crate) struct AskEvaluation {
    pub(crate) step: Step,
    pub(crate) evaluation: Option<Evaluation>,
    pub(crate) touched: Vec<PathQuery>,
}

pub(crate) enum Step {
    End(Outcome),
    Wait { for_roots: bool, send: bool },
}

impl Resolver {
    /// Takes an ask in and ends it at once where that is possible.
    pub(crate) fn asked(&mut self, incoming: NewAsk, out: &mut Outbox) {
        let plain = incoming.purpose == Purpose::Project
            && !incoming.explain
            && incoming.target.is_none()
            && incoming.facts == RequestFacts::default();
        let id = incoming.ask;
        let remembered = self.connection.memory.remembered.clone();
        let mut ask = self.take_in(incoming);
        if ask.purpose == Purpose::Clear && !ask.modern && !self.is_immutable() {
            self.connection.memory.selected = None;
            self.connection.memory.pin = None;
            ask.purpose = Purpose::Project;
        }
        if usize::try_from(self.policy.limits.waiting_asks).is_ok_and(|most| self.asks.len() >= most) {
            let looked = self.look_at(&ask);
            if matches!(looked.step, Step::Wait { .. }) {
                ask.expired = true;
                self.note_too_many(ask.ask, out);
            }
        }
        let by_request = ask.by == AskBy::Request;
        out.probe_connection |= matches!(ask.purpose, Purpose::Select(_)) && !ask.modern;
        self.asks.push(ask);
        self.settle(out);
        let unchanged = remembered == self.connection.memory.remembered;
        if plain && by_request && unchanged && !out.changed_connection() {
            self.standing = out.only_project(id).map(|project| CachedAnswer {
                hints: self.lasting_hints(&project),
                until: self.connection.cycle.expires_at(&self.policy),
                project,
            });
        }
    }

    fn take_in(&mut self, incoming: NewAsk) -> PendingAsk {
        let looks_modern = looks_modern(&incoming.facts);
        let by = incoming.ask_by.unwrap_or_else(|| {
            if looks_modern {
                AskBy::InputRequired
            } else if self.connection.client.is_some() {
                AskBy::Request
            } else {
                AskBy::None
            }
        });
        let modern = by == AskBy::InputRequired || (by == AskBy::None && looks_modern);
        let input = if modern { self.read_input(&incoming.facts) } else { None };
        self.taken_in = self.taken_in.saturating_add(1);
        PendingAsk {
            ask: incoming.ask,
            place: self.taken_in,
            purpose: incoming.purpose,
            by,
            modern,
            facts: incoming.facts,
            target: incoming.target,
            explain: incoming.explain,
            deadline: self.now.saturating_add(self.policy.timing.wait_ms.into()),
            expired: false,
            disk: Vec::new(),
            waits_for_roots: false,
            joined: None,
            roots_done: false,
            skip_roots: false,
            input,
        }
    }

    /// Our part of a call's input responses: there at all, it is an answer, even as junk.
    fn read_input(&self, facts: &RequestFacts) -> Option<RootList> {
        let responses = Object::read(facts.input_responses.as_ref()?.text())?;
        if !responses.has(INPUT_KEY) {
            return None;
        }
        let result = responses.get(INPUT_KEY).unwrap_or("null");
        Some(RootList::read(result, &self.policy, &self.host))
    }

    /// Looks at everything again after an event.
    pub(crate) fn settle(&mut self, out: &mut Outbox) {
        loop {
            out.forget_wants();
            let asks = core::mem::take(&mut self.asks);
            self.settle_asks(asks, out);
            // A selection can end asks that wait for something worse; each ends one ask, so this ends.
            if !core::mem::take(&mut out.selection_made) {
                break;
            }
        }
        self.settle_connection(out);
    }

    /// Ends the asks that can end, and keeps the others waiting.
    fn settle_asks(&mut self, asks: Vec<PendingAsk>, out: &mut Outbox) {
        let mut sender = None;
        for mut ask in asks {
            let looked = self.look_at(&ask);
            match looked.step {
                Step::End(outcome) => self.end(&ask, outcome, looked.evaluation, out),
                Step::Wait { for_roots, send } => {
                    out.want(Asker::Ask(ask.place), looked.touched);
                    if send && sender.is_none() {
                        sender = Some(ask.ask);
                    }
                    ask.waits_for_roots = for_roots;
                    if for_roots {
                        ask.joined = self.connection.cycle.flight.as_ref().map(|flight| flight.token).or(ask.joined);
                    }
                    self.asks.push(ask);
                }
            }
        }
        self.send_if_due(sender, out);
    }

    fn send_if_due(&mut self, sender: Option<u32>, out: &mut Outbox) {
        let counts = self.policy.source(SourceKind::Roots).is_some();
        let due = core::mem::take(&mut self.connection.cycle.due) && counts && self.host.may_push() && self.may_ask();
        if self.connection.cycle.flight.is_some() || !self.connection.ready || (sender.is_none() && !due) {
            if !self.host.may_push() && !self.asks.iter().any(|ask| ask.waits_for_roots) {
                self.connection.cycle.deferred = None;
            }
            return;
        }
        let relates_to = sender.or_else(|| self.asks.iter().find(|ask| ask.waits_for_roots).map(|ask| ask.ask));
        let flight = self.connection.cycle.send(&self.policy, &self.id_prefix, self.now);
        let token = flight.token;
        out.send(flight, relates_to, self.policy.roots.request.empty_params);
        for ask in self.asks.iter_mut().filter(|ask| ask.waits_for_roots) {
            ask.joined = Some(token);
        }
    }

    /// What the connection's project is now, and what the host has to look at.
    fn settle_connection(&mut self, out: &mut Outbox) {
        if self.connection.has_evidence && !self.connection.closed {
            let (evaluation, touched) = self.evaluate_connection(false, false);
            let disk = &self.connection.disk;
            let knows = |want: &ProbePath| disk.get(&want.path).is_some_and(|fact| fact.answers(want));
            self.probes.keep_for_connection(|want| !out.probe_connection && !knows(want));
            if out.probe_connection {
                out.want(Asker::Connection, touched);
            }
            self.update_project(&evaluation.decision, out);
        }
        if out.prune_disk {
            let (_, touched) = self.evaluate_connection(true, true);
            let named = Map::of(touched.into_iter().map(|touched| (touched.want.path, 0_usize)).collect());
            self.connection.disk.retain(|path| named.get(path).is_some());
        }
        let deadline = self.now.saturating_add(self.policy.timing.wait_ms.into());
        if let Some(probe) = self.probes.open(out.take_wants(), deadline) {
            out.probe(probe);
        }
        let asks = &self.asks;
        self.probes.keep_wanted(|place| asks.binary_search_by_key(&place, |ask| ask.place).is_ok());
    }

    pub(crate) fn evaluate_connection(&self, all: bool, thorough: bool) -> (Evaluation, Vec<PathQuery>) {
        let roots = match &self.connection.cycle.list {
            Some(list) => RootsAccess::Known(list),
            None => RootsAccess::Unavailable(self.roots_state()),
        };
        let view = EvaluationContext {
            policy: &self.policy,
            host: &self.host,
            facts: None,
            target: None,
            memory: Some(&self.connection.memory),
            roots,
            newest: self.connection.cycle.list.as_ref(),
            thorough,
        };
        let mut look = DiskView { thorough, ..DiskView::new(&[], Some(&self.connection.disk), false) };
        let evaluation = view.evaluate(&mut look, all);
        (evaluation, look.touched)
    }

    fn update_project(&mut self, decision: &Decision, out: &mut Outbox) {
        let new = match decision {
            Decision::Won(project) => Some(project.clone()),
            Decision::Refused(_) | Decision::Unresolved(_) | Decision::NeedsInput => None,
            Decision::Waiting { .. } => {
                let list = self.connection.cycle.list.as_ref();
                let gone = |project: &Arc<Project>| {
                    project.source == SourceKind::Roots
                        && !list.is_some_and(|list| list.has(project, &self.host, &self.policy.limits))
                };
                self.connection.project.clone().filter(|project| !gone(project))
            }
        };
        if let Decision::Won(project) = decision {
            self.pin(project);
        }
        let old = &self.connection.project;
        if *old == new {
            return;
        }
        let key = |project: &Option<Arc<Project>>| project.as_ref().map(|project| project.key.clone());
        if key(old) != key(&new) {
            out.announce(old.clone(), new.clone());
            self.note_chosen(new.as_ref(), out);
        }
        self.connection.revision = self.connection.revision.saturating_add(1);
        self.connection.project = new;
    }

    fn pin(&mut self, project: &Arc<Project>) {
        let rules = &self.policy.memory;
        let pins = rules.pin_from.is_empty() || rules.pin_from.contains(&project.source);
        if rules.pin != Pin::No && self.connection.memory.pin.is_none() && pins {
            self.connection.memory.pin = Some(project.clone());
        }
    }

    /// What an ask may know of the client's roots.
    pub(crate) fn roots_access<'a>(&'a self, ask: &'a PendingAsk) -> RootsAccess<'a> {
        if ask.modern {
            return self.modern_roots(ask);
        }
        let cycle = &self.connection.cycle;
        let known = match &cycle.list {
            Some(list) => RootsAccess::Known(list),
            None => RootsAccess::Unavailable(self.roots_state()),
        };
        if ask.by == AskBy::None || ask.expired || ask.skip_roots {
            return known;
        }
        let each = self.policy.roots.ask == Ask::EachRequest && !ask.roots_done;
        // The answer to its own request is never too old for an ask.
        let aged = !ask.roots_done && cycle.is_aged(&self.policy, self.now);
        let fresh = cycle.list.is_some() && !cycle.stale && !aged && !each;
        if fresh {
            return known;
        }
        match &cycle.flight {
            Some(flight) if flight.overdue && ask.joined != Some(flight.token) => known,
            Some(_) => RootsAccess::Wait,
            None if ask.roots_done || !self.may_ask() => known,
            None if !self.connection.ready => RootsAccess::Wait,
            None if cycle.deferred.is_some() && ask.joined.is_some() => RootsAccess::Wait,
            None => RootsAccess::Send,
        }
    }

    fn modern_roots<'a>(&self, ask: &'a PendingAsk) -> RootsAccess<'a> {
        use crate::action::RootsState;
        if let Some(list) = &ask.input {
            return RootsAccess::Known(list);
        }
        let client = Client::of_request(&ask.facts, self.policy.limits.name_bytes);
        // The revision forbids to ask for what a client did not declare, whatever the policy says.
        if !client.declares_roots {
            RootsAccess::Unavailable(RootsState::Undeclared)
        } else if ask.by == AskBy::InputRequired && self.policy.roots.ask != Ask::Never {
            RootsAccess::Input
        } else {
            RootsAccess::Unavailable(RootsState::NotAsked)
        }
    }

    pub(crate) fn view<'a>(&'a self, ask: &'a PendingAsk) -> EvaluationContext<'a> {
        EvaluationContext {
            policy: &self.policy,
            host: &self.host,
            facts: Some(&ask.facts),
            target: ask.target.as_deref(),
            memory: (!ask.modern).then_some(&self.connection.memory),
            roots: self.roots_access(ask),
            newest: self.connection.cycle.list.as_ref(),
            thorough: false,
        }
    }

    pub(crate) fn look<'a>(&'a self, ask: &'a PendingAsk) -> DiskView<'a> {
        DiskView::new(&ask.disk, (!ask.modern).then_some(&self.connection.disk), ask.expired)
    }

    fn look_at(&self, ask: &PendingAsk) -> AskEvaluation {
        match &ask.purpose {
            Purpose::Project => self.look_for_project(ask),
            Purpose::Roots => AskEvaluation { step: self.look_for_roots(ask), evaluation: None, touched: Vec::new() },
            Purpose::Select(by) => self.look_for_selection(ask, by),
            Purpose::Clear => {
                let (reason, given) =
                    if ask.modern { (Reason::PassEachCall, "/path/to/project") } else { (Reason::Immutable, "none") };
                let step = Step::End(self.refuse_selection(ask, reason, given, None));
                AskEvaluation { step, evaluation: None, touched: Vec::new() }
            }
        }
    }

    fn look_for_project(&self, ask: &PendingAsk) -> AskEvaluation {
        let view = self.view(ask);
        let mut look = self.look(ask);
        let evaluation = view.evaluate(&mut look, false);
        let step = match &evaluation.decision {
            Decision::Won(project) => Step::End(Outcome::Resolved { project: project.clone() }),
            Decision::Refused(at) => Step::End(self.refusal(ask, &evaluation, *at)),
            Decision::Unresolved(reason) => Step::End(self.unresolved(ask, *reason)),
            Decision::NeedsInput => Step::End(needs_input()),
            Decision::Waiting { .. } if ask.expired => Step::End(self.unresolved(ask, Reason::NoProject)),
            Decision::Waiting { for_roots, send } => Step::Wait { for_roots: *for_roots, send: *send },
        };
        AskEvaluation { step, evaluation: Some(evaluation), touched: look.touched }
    }

    fn look_for_roots(&self, ask: &PendingAsk) -> Step {
        match self.roots_access(ask) {
            RootsAccess::Wait => Step::Wait { for_roots: true, send: false },
            RootsAccess::Send => Step::Wait { for_roots: true, send: true },
            RootsAccess::Input => Step::End(needs_input()),
            RootsAccess::Known(list) => {
                let state = if ask.modern { list.state() } else { self.roots_state() };
                Step::End(Outcome::Listed { roots: list.views(&self.policy.limits), state })
            }
            RootsAccess::Unavailable(state) => Step::End(Outcome::Listed { roots: Vec::new(), state }),
        }
    }

    fn end(&mut self, ask: &PendingAsk, outcome: Outcome, evaluation: Option<Evaluation>, out: &mut Outbox) {
        let hints = self.hints(ask, &outcome);
        let explained = ask.explain || matches!(outcome, Outcome::Unresolved(_));
        let explanation = explained.then(|| self.explain_ask(ask, &outcome));
        if let Some(evaluation) = &evaluation {
            self.note_findings(ask, evaluation, &outcome, out);
        }
        if !ask.modern {
            match &outcome {
                Outcome::Selected { project, .. } => {
                    self.remember_selection(ask, project);
                    out.selection_made = true;
                }
                Outcome::Resolved { project } => self.remember(project),
                _ => {}
            }
            let concludes =
                matches!(outcome, Outcome::Resolved { .. } | Outcome::Unresolved(_) | Outcome::Selected { .. });
            self.connection.has_evidence |= concludes;
        }
        let revision = if ask.modern { Some(0) } else { None };
        out.answer(ask.place, revision, Answer { ask: ask.ask, outcome, revision: 0, hints, explanation });
    }

    fn remember(&mut self, project: &Arc<Project>) {
        let kept = self.policy.source(SourceKind::Remembered).is_some();
        if kept && !project.source.is_per_request() && project.source != SourceKind::Remembered {
            self.connection.memory.remembered = Some(project.clone());
        }
    }

    fn hints(&mut self, ask: &PendingAsk, outcome: &Outcome) -> Vec<String> {
        let Outcome::Resolved { project } = outcome else {
            return Vec::new();
        };
        let policy = self.policy.clone();
        let mut hints = Vec::new();
        for (index, hint) in policy.hints.iter().enumerate() {
            if !hint.sources.contains(&project.source) {
                continue;
            }
            if hint.once && !ask.modern {
                let index = u32::try_from(index).unwrap_or(u32::MAX);
                if self.connection.reported.hints.contains(&index) {
                    continue;
                }
                self.connection.reported.hints.push(index);
            }
            hints.push(hint.text.clone());
        }
        hints
    }

    /// The hints that come with every answer from this source.
    fn lasting_hints(&self, project: &Project) -> Vec<String> {
        let lasting = self.policy.hints.iter().filter(|hint| !hint.once && hint.sources.contains(&project.source));
        lasting.map(|hint| hint.text.clone()).collect()
    }

    pub(crate) fn closed_answer(&self, ask: &PendingAsk) -> Answer {
        let outcome = self.unresolved(ask, Reason::Closed);
        let explanation = Some(self.explain_ask(ask, &outcome));
        Answer { ask: ask.ask, outcome, revision: 0, hints: Vec::new(), explanation }
    }

    fn refusal(&self, ask: &PendingAsk, evaluation: &Evaluation, at: usize) -> Outcome {
        let Some((finding, bad, status)) = evaluation.refused(at) else {
            return self.unresolved(ask, Reason::NoProject);
        };
        if bad.reason == Reason::Ambiguous {
            return self.unresolved(ask, bad.reason);
        }
        let source = finding.source;
        let value = finding.value.as_deref().unwrap_or_default();
        let path = bad.path.as_deref().unwrap_or(value);
        let values = Values::new()
            .with("value", value)
            .with("path", path)
            .with("source", source.name())
            .with("reason", bad.reason.code())
            .with("detail", bad.detail());
        let texts = Texts(&self.policy);
        let message = texts.refused(source.name(), bad.reason, &values);
        let instruction = texts.refused_instruction(bad.reason, &values);
        Outcome::Refused(Refused { code: bad.reason, source, message, instruction, status })
    }

    pub(crate) fn unresolved(&self, ask: &PendingAsk, reason: Reason) -> Outcome {
        let texts = Texts(&self.policy);
        let client = self.client_name(ask);
        let list = self.listing(ask);
        let advice = texts.advice(client.as_deref(), self.host.transport).unwrap_or_default();
        let values = Values::new()
            .with("list", &list)
            .with("advice", advice)
            .with("client", client.as_deref().unwrap_or("the client"))
            .with("reason", reason.code());
        let message = texts.unresolved(reason, &values);
        let instruction = texts.instruction(reason, &values);
        Outcome::Unresolved(Unresolved { code: reason, message, instruction })
    }

    pub(crate) fn client_name(&self, ask: &PendingAsk) -> Option<String> {
        if ask.modern {
            return Client::of_request(&ask.facts, self.policy.limits.name_bytes).name;
        }
        self.connection.client.as_ref()?.name.clone()
    }

    /// The roots an ask may see, as a message lists them.
    pub(crate) fn listing(&self, ask: &PendingAsk) -> String {
        let list = if ask.modern { ask.input.as_ref() } else { self.connection.cycle.list.as_ref() };
        list.map(|list| list.listing(&self.policy.limits)).unwrap_or_default()
    }
}

fn needs_input() -> Outcome {
    Outcome::NeedsInput { input_requests: Map::one(INPUT_KEY, Json::known(INPUT_REQUEST.into())) }
}
