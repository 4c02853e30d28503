//! The consequences of an event: which asks end, what is sent and probed, and the connection's project.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::asks::{NewAsk, PendingAsk, Purpose};
use super::connection::is_allowed;
use super::probes::Asker;
use super::resolver::{CachedAnswer, Resolver, Turn};
use crate::api::action::{Answer, Outcome, ProbePath};
use crate::api::event::AskBy;
use crate::api::project::Project;
use crate::api::reason::Reason;
use crate::id::AskId;
use crate::policy::{SourceKind, count};
use crate::resolve::ask::{AskContext, Step};
use crate::resolve::disk::{DiskView, PathQuery};
use crate::resolve::evaluate::{Decision, Evaluation};

impl Resolver {
    /// Takes an ask, and ends it at once if possible.
    pub(super) fn asked(&mut self, new: NewAsk, turn: &mut Turn) {
        let (id, plain) = (new.id, new.plain);
        let remembered = self.connection.memory.remembered.clone();
        let initialized = self.connection.client.is_some();
        let mut ask = self.asks.read(new, initialized, self.now, &self.policy, &self.host);
        if ask.purpose == Purpose::Clear && !ask.modern && !self.connection.memory.is_immutable(&self.policy) {
            self.connection.memory.clear_selection();
            ask.purpose = Purpose::Project;
        }
        if self.asks.len() >= count(self.policy.limits.waiting_asks)
            && matches!(self.context(&ask).decide().step, Step::Wait { .. })
        {
            ask.expired = true;
            self.logger(turn).too_many_asks(ask.id);
        }
        let by_request = ask.by == AskBy::Request;
        turn.probe_connection |= matches!(ask.purpose, Purpose::Select(_)) && !ask.modern;
        self.asks.push(ask);
        self.settle(turn);
        let unchanged = remembered == self.connection.memory.remembered;
        if plain && by_request && unchanged && !turn.outbox.changed_connection() {
            self.cached = turn.outbox.only_project(id).map(|project| CachedAnswer {
                hints: self.lasting_hints(&project),
                until: self.connection.cycle.list_expires_at(&self.policy),
                project,
            });
        }
    }

    /// Decides everything again after an event.
    pub(super) fn settle(&mut self, turn: &mut Turn) {
        let mut queries;
        loop {
            queries = Vec::new();
            let asks = self.asks.take();
            // A selection can end asks that wait for a worse source. Each ends one ask, so the loop ends.
            if !self.settle_asks(asks, &mut queries, turn) {
                break;
            }
        }
        self.settle_connection(queries, turn);
    }

    /// Ends the asks that can end, and keeps the others waiting. Returns whether one of them made a selection.
    fn settle_asks(&mut self, asks: Vec<PendingAsk>, queries: &mut Vec<(Asker, PathQuery)>, turn: &mut Turn) -> bool {
        let mut sender = None;
        let mut selected = false;
        for mut ask in asks {
            let decision = self.context(&ask).decide();
            match decision.step {
                Step::End(outcome) => {
                    selected |= matches!(outcome, Outcome::Selected { .. }) && !ask.modern;
                    self.end(&ask, outcome, decision.evaluation, turn);
                }
                Step::Wait { for_roots, send } => {
                    queries.extend(decision.queries.into_iter().map(|query| (Asker::Ask(ask.place), query)));
                    if send && sender.is_none() {
                        sender = Some(ask.id);
                    }
                    ask.waits_for_roots = for_roots;
                    if for_roots {
                        ask.joined = self.connection.cycle.token().or(ask.joined);
                    }
                    self.asks.push(ask);
                }
            }
        }
        self.send_if_due(sender, turn);
        selected
    }

    fn send_if_due(&mut self, sender: Option<AskId>, turn: &mut Turn) {
        let Self { policy, host, connection, asks, .. } = self;
        let cycle = &mut connection.cycle;
        let reads_roots = policy.source(SourceKind::Roots).is_some();
        let due = cycle.take_due() && reads_roots && host.may_push() && cycle.may_ask(policy);
        let waiting = asks.first_waiting_for_roots();
        if cycle.flight().is_some() || !cycle.is_ready() || (sender.is_none() && !due) {
            if !host.may_push() && waiting.is_none() {
                cycle.drop_deferred();
            }
            return;
        }
        let flight = cycle.sent(policy, self.now);
        turn.outbox.send(&flight, sender.or(waiting), policy.roots.request.empty_params);
        asks.join(flight.token);
    }

    /// Decides the connection's project, and what the host must probe.
    fn settle_connection(&mut self, mut queries: Vec<(Asker, PathQuery)>, turn: &mut Turn) {
        if self.connection.has_evidence && !self.connection.closed {
            let mut view = DiskView::new(&[], Some(&self.connection.disk), false);
            let evaluation = self.explainer().evaluate(&mut view, false);
            let needed = view.queries;
            let disk = &self.connection.disk;
            let is_known = |path: &ProbePath| disk.get(&path.path).is_some_and(|info| info.covers(&path.markers));
            self.probes.keep_for_connection(|path| !turn.probe_connection && !is_known(path));
            if turn.probe_connection {
                queries.extend(needed.into_iter().map(|query| (Asker::Connection, query)));
            }
            self.update_project(&evaluation.decision, turn);
        }
        if turn.prune_disk && !self.connection.disk.is_empty() {
            self.prune_disk();
        }
        let deadline = self.now.saturating_add(self.policy.timing.wait_ms.into());
        turn.outbox.probe(self.probes.open(queries, deadline));
        let asks = &self.asks;
        self.probes.keep_needed(|place| asks.has_place(place));
    }

    /// Forgets the paths that no source of the connection names any more.
    fn prune_disk(&mut self) {
        let mut view = DiskView::thorough(&self.connection.disk);
        self.explainer().evaluate(&mut view, true);
        let named: Vec<String> = view.queries.into_iter().map(|query| query.path.path).collect();
        let mut disk = core::mem::take(&mut self.connection.disk);
        for path in named {
            if let Some(info) = disk.remove(&path) {
                self.connection.disk.insert(path, info);
            }
        }
    }

    fn update_project(&mut self, decision: &Decision, turn: &mut Turn) {
        let new = match decision {
            Decision::Won(project) => Some(project.clone()),
            Decision::Refused(_) | Decision::Unresolved(_) | Decision::NeedsInput => None,
            Decision::Waiting { .. } => {
                let list = self.connection.cycle.list();
                let is_gone = |project: &Arc<Project>| {
                    project.source == SourceKind::Roots && !list.is_some_and(|list| list.has(project))
                };
                let keeps = |project: &Arc<Project>| !is_gone(project) && is_allowed(project, &self.policy, &self.host);
                self.connection.project.clone().filter(keeps)
            }
        };
        if let Decision::Won(project) = decision {
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
        let key = |project: &Option<Arc<Project>>| project.as_ref().map(|project| project.key.clone());
        let announced = core::mem::replace(&mut self.connection.announced, new.clone());
        if key(&announced) != key(&new) {
            turn.outbox.announce(announced, new.clone());
            if let Some(project) = &new {
                self.logger(turn).project_chosen(project);
            }
        }
    }

    pub(super) fn context<'a>(&'a self, ask: &'a PendingAsk) -> AskContext<'a> {
        AskContext { policy: &self.policy, host: &self.host, connection: &self.connection, ask, now: self.now }
    }

    fn end(&mut self, ask: &PendingAsk, outcome: Outcome, evaluation: Option<Evaluation>, turn: &mut Turn) {
        let hints = self.hints(ask, &outcome);
        let explained = ask.explain || matches!(outcome, Outcome::Unresolved(_));
        let explanation = explained.then(|| self.context(ask).explain(evaluation.as_ref(), &outcome));
        if let Some(evaluation) = &evaluation {
            let mut reported = core::mem::take(&mut self.connection.reported);
            self.logger(turn).findings(ask, evaluation, &outcome, &mut reported);
            self.connection.reported = reported;
        }
        if !ask.modern {
            match &outcome {
                Outcome::Selected { project, .. } => self.remember_selection(ask, project),
                Outcome::Resolved { project } => self.connection.memory.remember(project, &self.policy),
                _ => {}
            }
            self.connection.has_evidence |=
                matches!(outcome, Outcome::Resolved { .. } | Outcome::Unresolved(_) | Outcome::Selected { .. });
        }
        let revision = if ask.modern { Some(0) } else { None };
        turn.outbox.answer(ask.place, revision, Answer { ask: ask.id, outcome, revision: 0, hints, explanation });
    }

    fn remember_selection(&mut self, ask: &PendingAsk, project: &Arc<Project>) {
        let Purpose::Select(by) = &ask.purpose else { return };
        let given = self.context(ask).selection_text(by, project);
        // The selection belongs to the connection from now on, and so does the report on its folder.
        if let Some(path) = &project.path
            && let Some(info) = ask.disk.iter().rev().find_map(|disk| disk.get(path))
        {
            self.connection.disk.insert(path.clone(), info.clone());
        }
        self.connection.memory.select(project.clone(), given);
    }

    fn hints(&mut self, ask: &PendingAsk, outcome: &Outcome) -> Vec<String> {
        let Outcome::Resolved { project } = outcome else { return Vec::new() };
        let reported = &mut self.connection.reported;
        let hints = self.policy.hints.iter().enumerate().filter(|(at, hint)| {
            hint.sources.contains(&project.source) && (!hint.once || ask.modern || reported.first_hint(*at))
        });
        hints.map(|(_, hint)| hint.text.clone()).collect()
    }

    /// The hints that come with every answer from this source.
    fn lasting_hints(&self, project: &Project) -> Vec<String> {
        let lasting = self.policy.hints.iter().filter(|hint| !hint.once && hint.sources.contains(&project.source));
        lasting.map(|hint| hint.text.clone()).collect()
    }

    pub(super) fn closed_answer(&self, ask: &PendingAsk) -> Answer {
        let context = self.context(ask);
        let outcome = context.unresolved(Reason::Closed, &[]);
        let explanation = Some(context.explain(None, &outcome));
        Answer { ask: ask.id, outcome, revision: 0, hints: Vec::new(), explanation }
    }
}
