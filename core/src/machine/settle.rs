//! The consequences of an event: which asks end, what is sent and probed, and the connection's project.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::asks::{Alike, DecisionCache, NewAsk, PendingAsk, Waiting};
use super::builder::Serves;
use super::outbox::AnswerPosition;
use super::probes::{Asker, Wanted};
use super::progress::{UserProgress, Wait, WaitsFor};
use super::question::Ending;
use super::resolver::{CachedAnswer, Resolver, Turn};
use crate::api::action::{Answer, Outcome, Refused, Unresolved};
use crate::api::event::AskVia;
use crate::api::explanation::Explanation;
use crate::api::project::Project;
use crate::api::reason::Reason;
use crate::id::AskId;
use crate::policy::{SourceKind, to_usize};
use crate::resolve::ask::{AskDecision, Step};
use crate::resolve::disk::{DiskView, PathQuery, newest, report};
use crate::resolve::evaluate::{Decision, Evaluation};
use crate::resolve::memory::is_allowed;
use crate::resolve::view::Purpose;

/// The asks of one event, as far as they are decided.
struct Settling {
    /// The paths that they need.
    wanted: Vec<Wanted>,
    /// Those that need a request for roots.
    senders: Vec<(u64, AskId)>,
    /// Those that go on waiting.
    waiting: Waiting,
    cache: DecisionCache<Decided>,
}

/// The decision on an ask, for every ask that is like it.
#[derive(Clone)]
struct Decided {
    step: Step,
    evaluation: Option<Evaluation>,
    /// Whether it waits for a newer version of what is known.
    refreshes: bool,
    /// The place of the paths that it needs.
    wanted: Option<usize>,
    explanation: Option<Arc<Explanation>>,
    /// The answer that such an ask got in this event.
    answer: Option<AnswerPosition>,
}

impl Resolver {
    /// Takes an ask, and ends it at once if possible.
    pub(super) fn asked(&mut self, new: NewAsk, alike: Option<Alike>, turn: &mut Turn) {
        let remembered = self.connection.memory.remembered.clone();
        let initialized = self.connection.client.is_some();
        let mut ask = self.asks.read(new, initialized, self.now, &self.policy, &self.host, &self.operator);
        let was_shared = self.connection.sharing.is_shown();
        if initialized && ask.by == AskVia::Request {
            self.called(turn);
        }
        if ask.modern && self.serves == Serves::Connection && self.host.is_one_client() {
            self.connection.sharing.described(ask.client.name.as_deref());
            self.forget_if_shared(was_shared, turn);
        }
        let is_shared = self.connection.sharing.is_shown();
        let is_alone = self.is_alone(&ask);
        let brings_roots = !is_alone && self.take_roots(&ask, turn);
        if !is_alone {
            self.take_form_answer(&mut ask, turn);
        }
        // An ask that only asks changes nothing for those that wait already, and a stateless one changes nothing at all.
        let only_asks = matches!(ask.purpose, Purpose::Project | Purpose::Roots);
        let settles_itself = is_alone || (only_asks && !brings_roots && is_shared == was_shared);
        let may_clear = !is_alone && !is_shared && !self.connection.memory.is_immutable(&self.policy);
        if ask.purpose == Purpose::Clear && may_clear {
            self.connection.memory.clear_selection();
            self.connection.disk.clear();
            ask.purpose = Purpose::Cleared;
        }
        if self.asks.len() >= to_usize(self.policy.config.limits.waiting_asks) {
            if !ask.modern {
                // It would have to wait for the user.
                ask.user = UserProgress::Apart;
            }
            if matches!(self.context(&ask).decide().step, Step::Wait { .. }) {
                ask.wait = Wait::Over;
                self.logger(turn).too_many_asks(ask.id);
            }
        }
        let may_serve = match alike {
            Some(Alike::Legacy) => ask.by == AskVia::Request,
            Some(Alike::Modern(_)) => self.serves == Serves::Connection,
            None => false,
        };
        if settles_itself {
            self.settle_asks([ask].into(), turn);
        } else {
            self.asks.push(ask);
            self.settle(turn);
        }
        let unchanged = remembered == self.connection.memory.remembered;
        if may_serve && unchanged && !turn.outbox.changed_connection() {
            let answered = turn.outbox.only_project().filter(|project| !project.stale);
            let until = turn.fresh_until;
            self.cached = answered.zip(alike).map(|(project, asks)| CachedAnswer { asks, project, until });
        }
    }

    /// Takes the roots that came with a call, for the calls after it. Returns whether there are any.
    fn take_roots(&mut self, ask: &PendingAsk, turn: &mut Turn) -> bool {
        let Some(list) = ask.input.clone().filter(|_| self.serves != Serves::Caller) else { return false };
        self.accept_list(list, self.now, None, turn);
        true
    }

    /// Decides everything again after an event.
    pub(super) fn settle(&mut self, turn: &mut Turn) {
        // What a tool selects is there for all who wait, whoever came first.
        let (mut asks, others): (Waiting, Waiting) =
            self.asks.take().into_iter().partition(|ask| matches!(ask.purpose, Purpose::Select(_)));
        asks.extend(others);
        self.settle_asks(asks, turn);
    }

    /// Ends the asks that can end, keeps the others waiting, and decides the rest.
    fn settle_asks(&mut self, asks: Waiting, turn: &mut Turn) {
        let mut settling = Settling {
            wanted: Vec::new(),
            senders: Vec::new(),
            waiting: Vec::with_capacity(asks.len()),
            cache: DecisionCache::of(&asks),
        };
        for ask in asks {
            self.settle_ask(ask, &mut settling, turn);
        }
        let Settling { wanted, senders, waiting, .. } = settling;
        self.asks.put_back(waiting);
        self.send_if_due(senders.into_iter().min().map(|(_, ask)| ask), turn);
        self.settle_connection(wanted, turn);
    }

    fn settle_ask(&mut self, mut ask: Box<PendingAsk>, settling: &mut Settling, turn: &mut Turn) {
        let (key, mut known) = match settling.cache.take(&ask) {
            Some((key, known)) => (Some(key), known),
            None => (settling.cache.key(&ask), self.decide(&ask, &mut settling.wanted)),
        };
        match known.step.clone() {
            Step::End(outcome) => match self.before_end(&mut ask, outcome, known.evaluation.as_ref(), turn) {
                Ending::Waits => settling.waiting.push(ask),
                Ending::DecidesAgain => {
                    settling.cache.clear();
                    return self.settle_ask(ask, settling, turn);
                }
                Ending::Vanishes => return settling.cache.clear(),
                Ending::Asks(outcome) => {
                    // No ask that is like this one shares the answer.
                    self.end(&ask, outcome, &mut Decided { answer: None, ..known.clone() }, turn);
                }
                Ending::Ends(outcome) => {
                    if self.end(&ask, outcome, &mut known, turn) {
                        return settling.cache.clear();
                    }
                }
            },
            Step::Wait { for_roots, send } => {
                if let Some(wanted) = known.wanted.and_then(|at| settling.wanted.get_mut(at)) {
                    wanted.askers.push(Asker::Ask(ask.place));
                }
                if send {
                    settling.senders.push((ask.place, ask.id));
                }
                if known.refreshes && ask.wait == Wait::Full {
                    let until = self.now.saturating_add(self.connection.cycle.refresh_wait());
                    ask.wait = Wait::Refreshing { until: until.min(ask.deadline) };
                }
                ask.waits_for = if for_roots { WaitsFor::Roots } else { WaitsFor::Disk };
                if let Some(request) = self.connection.cycle.token().filter(|_| for_roots) {
                    ask.roots.join(request);
                }
                settling.waiting.push(ask);
            }
        }
        if let Some(key) = key {
            settling.cache.keep(key, known);
        }
    }

    /// Decides an ask; the paths it needs go to `wanted`.
    fn decide(&self, ask: &PendingAsk, wanted: &mut Vec<Wanted>) -> Decided {
        let AskDecision { step, evaluation, queries: paths, refreshes } = self.context(ask).decide();
        let at = wanted.len();
        let waits = matches!(step, Step::Wait { .. });
        // Only an answer needs it, and it repeats every value.
        let evaluation = evaluation.filter(|_| !waits);
        let waits = waits && !paths.is_empty();
        if waits {
            wanted.push(Wanted { askers: Vec::new(), paths });
        }
        Decided { step, evaluation, refreshes, wanted: waits.then_some(at), explanation: None, answer: None }
    }

    fn send_if_due(&mut self, sender: Option<AskId>, turn: &mut Turn) {
        let Self { policy, host, connection, asks, .. } = self;
        let cycle = &mut connection.cycle;
        let reads_roots = policy.source(SourceKind::Roots).is_some();
        let is_shared = connection.sharing.is_shown();
        let due =
            cycle.take_due() && !is_shared && reads_roots && cycle.can_push(host) && cycle.may_ask(policy, self.now);
        let waiting = asks.first_waiting_for_roots();
        if cycle.in_flight().is_some() || !cycle.is_ready() || (sender.is_none() && !due) {
            if !cycle.can_push(host) && waiting.is_none() {
                cycle.drop_deferred();
            }
            return;
        }
        let in_flight = cycle.sent(policy, self.now);
        let carrier = sender.or(waiting);
        turn.outbox.send(&in_flight, carrier, policy.config.roots.request.empty_params);
        asks.join(in_flight.token, carrier);
    }

    /// Decides the connection's project, and what the host must probe.
    fn settle_connection(&mut self, mut wanted: Vec<Wanted>, turn: &mut Turn) {
        let probe_paths = self.policy.config.limits.probe_paths;
        if self.connection.has_evidence && !self.connection.closed {
            let probe_connection = turn.probe_connection || self.probes.owes_connection;
            let mut view = DiskView::of_connection(&self.connection.disk, self.now, to_usize(probe_paths));
            let evaluation = self.explainer().evaluate(&mut view, false);
            let DiskView { queries: paths, is_cut, .. } = view;
            let disk = &self.connection.disk;
            let is_known = |query: &PathQuery| disk.get(query.path.as_str()).is_some_and(|info| info.answers(query));
            self.probes.keep_for_connection(|query| !probe_connection && !is_known(query));
            self.probes.owes_connection = probe_connection && is_cut;
            if probe_connection && !paths.is_empty() {
                wanted.push(Wanted { askers: [Asker::Connection].into(), paths });
            }
            // What nobody has chosen does not become the project while the user is about to choose.
            if !(evaluation.is_guess() && self.connection.question.is_awaited(self.now)) {
                self.update_project(&evaluation.decision, turn);
            }
        }
        let deadline = self.now.saturating_add(self.policy.config.timing.caller_timeout_ms.into());
        let asks = &self.asks;
        let dirs = self.host.allowed_dirs.as_ref();
        turn.outbox.probe(self.probes.open(&wanted, deadline, probe_paths, dirs, |place| asks.has_place(place)));
    }

    fn update_project(&mut self, decision: &Decision, turn: &mut Turn) {
        let new = match decision {
            Decision::Won(project) => Some(project.clone()),
            Decision::Refused(_) | Decision::Unresolved(_) | Decision::NeedsInput => None,
            Decision::Waiting { .. } => {
                let list = self.connection.cycle.list();
                let pin = self.connection.memory.pin.as_ref();
                let is_gone = |project: &Arc<Project>| {
                    project.source == SourceKind::Roots
                        && !list.is_some_and(|list| list.has(project))
                        && pin.is_none_or(|pin| pin.folder_key() != project.folder_key())
                };
                let keeps = |project: &Arc<Project>| !is_gone(project) && is_allowed(project, &self.policy, &self.host);
                self.connection.project.clone().filter(keeps)
            }
        };
        if let Decision::Won(project) = decision
            && self.serves != Serves::Caller
        {
            self.connection.memory.pin(project, &self.policy);
        }
        if self.connection.project != new {
            self.connection.revision = self.connection.revision.saturating_add(1);
            self.connection.project.clone_from(&new);
        }
        // A switch is announced once, when the new project is settled.
        if matches!(decision, Decision::Waiting { .. }) && !turn.announce_unsettled {
            return;
        }
        // Another worktree of the same project is a change too: whoever has files open must know.
        let key = |project: &Option<Arc<Project>>| {
            project.as_ref().map(|project| (project.key.clone(), project.folder_key()))
        };
        let announced = core::mem::replace(&mut self.connection.announced, new.clone());
        if key(&announced) != key(&new) {
            turn.outbox.announce(announced, new.clone());
            if let Some(project) = &new {
                self.logger(turn).project_chosen(project);
            }
        }
    }

    /// Answers an ask. Returns whether the connection changed in a way that the next ask may see.
    fn end(&mut self, ask: &PendingAsk, outcome: Outcome, known: &mut Decided, turn: &mut Turn) -> bool {
        let hints = self.hints(ask, &outcome);
        let Decided { evaluation, explanation, answer, .. } = known;
        if explanation.is_none() && (ask.explain || matches!(outcome, Outcome::Unresolved(_))) {
            *explanation = Some(self.context(ask).explain(evaluation.as_ref(), &outcome).into());
        }
        let remembered = self.connection.memory.remembered.clone();
        let is_selection = matches!(outcome, Outcome::Selected { .. });
        if let Some(evaluation) = evaluation {
            let mut reported = core::mem::take(&mut self.connection.reported);
            let once = (!self.is_alone(ask)).then_some(&mut reported);
            self.logger(turn).findings(ask.id, evaluation, &outcome, once);
            self.connection.reported = reported;
        }
        if !self.is_alone(ask) {
            match &outcome {
                Outcome::Selected { project, .. } => self.take_selection(ask, project, turn),
                Outcome::Resolved { project } if self.serves != Serves::Caller => {
                    self.connection.memory.remember(project, &self.policy);
                }
                _ => {}
            }
            // The calls of one caller may be in different projects, so that they have no common one.
            self.connection.has_evidence |=
                self.serves != Serves::Caller && matches!(outcome, Outcome::Resolved { .. } | Outcome::Unresolved(_));
        }
        let outcome = match (outcome, &evaluation) {
            (Outcome::Resolved { project }, Some(evaluation)) if evaluation.stale => {
                Outcome::Resolved { project: Arc::new(Project { stale: true, ..(*project).clone() }) }
            }
            (outcome, _) => outcome,
        };
        let outcome = if ask.purpose == Purpose::Cleared { cleared(outcome) } else { outcome };
        turn.fresh_until = evaluation.as_ref().and_then(|evaluation| evaluation.fresh_until);
        let revision = if self.is_alone(ask) { Some(0) } else { None };
        if !answer.is_some_and(|at| turn.outbox.share_answer(at, ask, &hints)) {
            let explanation = explanation.clone();
            let new = Answer { asks: Vec::new(), outcome, revision: 0, hints, explanation };
            *answer = Some(turn.outbox.answer(ask, revision, new));
        }
        is_selection || remembered != self.connection.memory.remembered
    }

    /// Makes what an ask selects the selection of the connection.
    pub(super) fn take_selection(&mut self, ask: &PendingAsk, project: &Arc<Project>, turn: &mut Turn) {
        let Purpose::Select(by) = &ask.purpose else { return };
        self.connection.has_evidence |= self.serves != Serves::Caller;
        turn.probe_connection = true;
        let given = self.context(ask).selection_text(by, project);
        // The selection belongs to the connection from now on, and so does the report on its folder.
        let known = |path| newest(&ask.disk, path).or_else(|| report(&self.connection.disk, path));
        let known = project.path.as_ref().and_then(|path| Some((path, known(path)?.clone())));
        self.connection.disk.clear();
        if let Some((path, info)) = known {
            self.connection.disk.insert(path.as_str().into(), Box::new(info));
        }
        let project = if project.stale || project.handle.is_some() {
            Project { stale: false, handle: None, ..(**project).clone() }.into()
        } else {
            project.clone()
        };
        self.connection.memory.select(project, given);
    }

    fn hints(&mut self, ask: &PendingAsk, outcome: &Outcome) -> Vec<String> {
        let Outcome::Resolved { project } = outcome else { return Vec::new() };
        if !ask.hints {
            return Vec::new();
        }
        let has_roots = if ask.modern { ask.client.declares_roots } else { self.connection.cycle.has_roots() };
        let is_alone = self.is_alone(ask);
        let reported = &mut self.connection.reported;
        let hints = self.policy.config.hints.iter().enumerate().filter(|(at, hint)| {
            hint.suits(project, has_roots) && (!hint.once || is_alone || reported.first_hint(*at))
        });
        hints.map(|(_, hint)| hint.text.clone()).collect()
    }

    pub(super) fn closed_answer(&self, ask: &PendingAsk) -> Answer {
        let context = self.context(ask);
        let outcome = context.unresolved(Reason::Closed, &[]);
        let explanation = Some(context.explain(None, &outcome).into());
        Answer { asks: Vec::new(), outcome, revision: 0, hints: Vec::new(), explanation }
    }
}

/// The end of an ask for the project whose event has cleared the selection.
fn cleared(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Resolved { project } => Outcome::Cleared { project: Some(project), code: None, message: None },
        Outcome::Unresolved(Unresolved { code, message, .. }) | Outcome::Refused(Refused { code, message, .. }) => {
            Outcome::Cleared { project: None, code: Some(code), message: Some(message) }
        }
        other => other,
    }
}
