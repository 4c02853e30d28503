//! The explanation of a decision, from the evaluation it rests on.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::ask::AskContext;
use super::disk::DiskView;
use super::evaluate::{Evaluation, EvaluationContext, Finding, RootsAccess, SourceResult};
use crate::api::action::{Outcome, RootsState};
use crate::api::explanation::{Era, Explanation, RootsReport, Tried, Verdict};
use crate::api::host::{HostFacts, Transport};
use crate::api::project::Project;
use crate::id::Time;
use crate::machine::connection::Connection;
use crate::path::display::display;
use crate::peer::client::Client;
use crate::peer::root_list::{RootEntry, RootList};
use crate::policy::{Policy, SourceKind, count};

impl AskContext<'_> {
    /// Explains how the ask ended, from its evaluation if that covers every source.
    pub(crate) fn explain(&self, evaluation: Option<&Evaluation>, outcome: &Outcome) -> Explanation {
        let winner = match outcome {
            Outcome::Resolved { project } | Outcome::Selected { project, .. } => Some(project),
            _ => None,
        };
        let fresh;
        let sources = self.policy.sources.len();
        let evaluation = match evaluation.filter(|evaluation| evaluation.findings.len() == sources) {
            Some(evaluation) => evaluation,
            None => {
                fresh = self.evaluation_context().evaluate(&mut self.disk_view(), true);
                &fresh
            }
        };
        let Self { policy, host, connection, now, .. } = *self;
        let explainer = Explainer { policy, host, connection, now };
        let mut explanation = explainer.explanation(&evaluation.findings, winner);
        let (code, message, instruction) = match outcome {
            Outcome::Unresolved(unresolved) => (unresolved.code, &unresolved.message, &unresolved.instruction),
            Outcome::Refused(refused) => (refused.code, &refused.message, &refused.instruction),
            _ => return self.finish(explanation, winner),
        };
        explanation.code = Some(code);
        explanation.message = Some(message.clone());
        explanation.instruction.clone_from(instruction);
        self.finish(explanation, winner)
    }

    /// Adds what only the request knows, and the text.
    fn finish(&self, mut explanation: Explanation, winner: Option<&Arc<Project>>) -> Explanation {
        if self.ask.modern {
            let state = match self.roots_access() {
                RootsAccess::Known(list) => list.state(),
                RootsAccess::Unavailable(state) => state,
                RootsAccess::Input | RootsAccess::Wait | RootsAccess::Send => RootsState::NotAsked,
            };
            explanation.roots = brief(state, self.visible_roots(), Some(&self.ask.client));
            explanation.era = Era::Modern;
            explanation.stale_answers = 0;
        }
        explanation.client = self.client_name().map(|name| display(name, count(self.policy.limits.value_chars)));
        explanation.text = render(&explanation, winner);
        explanation
    }
}

/// Explains the state of a connection.
#[derive(Clone, Copy)]
pub(crate) struct Explainer<'a> {
    pub(crate) policy: &'a Policy,
    pub(crate) host: &'a HostFacts,
    pub(crate) connection: &'a Connection,
    pub(crate) now: Time,
}

impl<'a> Explainer<'a> {
    pub(crate) fn explain(&self) -> Explanation {
        let evaluation = self.evaluate(&mut DiskView::of_connection(&self.connection.disk, self.now, 0), true);
        let winner = evaluation.winner();
        let mut explanation = self.explanation(&evaluation.findings, winner);
        explanation.text = render(&explanation, winner);
        explanation
    }

    /// Evaluates the policy for the connection itself, without any request.
    pub(crate) fn evaluate(&self, disk: &mut DiskView<'a>, all: bool) -> Evaluation {
        let shared = self.connection.sharing.is_shown();
        let list = self.connection.cycle.list();
        let context = EvaluationContext {
            policy: self.policy,
            host: self.host,
            values: None,
            target: None,
            memory: Some(&self.connection.memory).filter(|_| !shared),
            roots: match list {
                Some(list) if !shared => RootsAccess::Known(list),
                _ => RootsAccess::Unavailable(self.roots_state()),
            },
            list_fresh_until: None,
            list_is_stale: false,
            shared,
            dedicated: self.host.is_dedicated() && !shared,
        };
        context.evaluate(disk, all)
    }

    fn roots_state(&self) -> RootsState {
        match self.connection.sharing.is_shown() {
            true => RootsState::SeveralClients,
            false => self.connection.cycle.roots_state(self.policy, self.now),
        }
    }

    pub(crate) fn roots(&self) -> RootsReport {
        let cycle = &self.connection.cycle;
        report(self.roots_state(), cycle.list(), self.connection.client.as_ref())
    }

    fn explanation(&self, findings: &[Finding], winner: Option<&Arc<Project>>) -> Explanation {
        let client = self.connection.client.as_ref();
        Explanation {
            policy: self.policy.name.clone(),
            code: None,
            message: None,
            instruction: None,
            tried: self.tried(findings, winner),
            roots: brief(self.roots_state(), self.connection.cycle.list(), client),
            client: client.and_then(|client| client.name.as_ref()).map(|name| self.shown(name)),
            transport: self.host.transport,
            era: if client.is_some() { Era::Legacy } else { Era::Unknown },
            stale_answers: self.connection.cycle.stale_answers(),
            text: String::new(),
        }
    }

    fn tried(&self, findings: &[Finding], winner: Option<&Arc<Project>>) -> Vec<Tried> {
        let mut unnamed_winner = winner;
        let mut tried = Vec::with_capacity(findings.len());
        for finding in findings {
            let (verdict, reason, detail) = match &finding.result {
                SourceResult::Off => (Verdict::Off, None, None),
                SourceResult::Absent => (Verdict::Absent, None, None),
                SourceResult::NeedSend | SourceResult::NeedInput => (Verdict::NotAsked, None, None),
                SourceResult::Unavailable(state) => (without_roots(*state), None, None),
                SourceResult::WaitRoots => (Verdict::Pending, None, None),
                // The disk is not probed for a source that can no longer win.
                SourceResult::WaitDisk if winner.is_some() => (Verdict::NotAsked, None, None),
                SourceResult::WaitDisk => (Verdict::Pending, None, None),
                SourceResult::Rejected { rejection, .. } => {
                    (Verdict::Rejected, Some(rejection.reason), rejection.detail)
                }
                SourceResult::Offers(project) => (compared(project, &mut unnamed_winner, winner), None, None),
            };
            tried.push(Tried {
                source: finding.source,
                via: finding.via.clone(),
                verdict,
                value: finding.value.as_ref().map(|value| self.shown(value)),
                reason,
                detail: detail.map(ToString::to_string),
            });
        }
        tried
    }

    fn shown(&self, value: &str) -> String {
        display(value, count(self.policy.limits.value_chars))
    }
}

/// All roots.
fn report(state: RootsState, list: Option<&RootList>, client: Option<&Client>) -> RootsReport {
    RootsReport {
        state,
        list_changed: client.is_some_and(|client| client.reports_changes),
        available: list.map(RootList::views).unwrap_or_default(),
        omitted: 0,
        dropped: list.map_or(0, |list| list.dropped),
    }
}

/// The roots as an explanation carries them.
fn brief(state: RootsState, list: Option<&RootList>, client: Option<&Client>) -> RootsReport {
    let Some(list) = list else { return report(state, None, client) };
    let (first, omitted) = list.first(None);
    let available = first.into_iter().map(RootEntry::view).collect();
    RootsReport { available, omitted, dropped: list.dropped, ..report(state, None, client) }
}

fn compared<'w>(
    project: &Project,
    unnamed: &mut Option<&'w Arc<Project>>,
    winner: Option<&'w Arc<Project>>,
) -> Verdict {
    let same_source = unnamed.is_some_and(|winner| winner.source == project.source && winner.key == project.key);
    if same_source {
        *unnamed = None;
        return Verdict::Won;
    }
    match winner {
        Some(winner) if winner.key == project.key => Verdict::Agrees,
        Some(_) => Verdict::Disagrees,
        None => Verdict::NotAsked,
    }
}

/// Characters of the project's folder in the text.
const PLACE_CHARS: usize = 1024;

/// The explanation as a person reads it.
fn render(explanation: &Explanation, winner: Option<&Arc<Project>>) -> String {
    let mut text = match (winner, &explanation.message) {
        (Some(project), _) => {
            let place = project.folder().map(String::as_str).or(project.uri.as_deref()).unwrap_or("no folder");
            let place = display(place, PLACE_CHARS);
            format!(
                "Project: {} ({place}), from {}\n",
                project.display_name,
                source_label(project.source, project.via.as_deref())
            )
        }
        (None, Some(message)) => format!("No project: {message}\n"),
        (None, None) => String::from("No project yet.\n"),
    };
    if let Some(instruction) = &explanation.instruction {
        text.push_str(&format!("What to do: {instruction}\n"));
    }
    text.push('\n');
    let labels: Vec<String> =
        explanation.tried.iter().map(|tried| source_label(tried.source, tried.via.as_deref())).collect();
    let width = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
    for (tried, label) in explanation.tried.iter().zip(&labels) {
        let verdict = verdict_word(tried.verdict);
        let value = tried.value.as_deref().unwrap_or_default();
        let why = tried.reason.map_or_else(String::new, |reason| {
            let detail = tried.detail.as_ref().filter(|detail| *detail != reason.code());
            detail.map_or_else(|| format!("({})", reason.code()), |detail| format!("({}: {detail})", reason.code()))
        });
        let line = format!("  {label:<width$}  {verdict:<9}  {value} {why}");
        text.push_str(line.trim_end());
        text.push('\n');
    }
    let client = explanation.client.as_deref().unwrap_or("unknown client");
    let transport = match explanation.transport {
        Transport::Stdio => "stdio",
        Transport::Http => "http",
        Transport::Other => "another transport",
    };
    let roots = roots_words(explanation.roots.state);
    text.push_str(&format!("\nPolicy {}; {client} over {transport}; roots: {roots}", explanation.policy));
    let available = explanation.roots.available.len().saturating_add(count(explanation.roots.omitted));
    if available > 0 {
        text.push_str(&format!(" ({available})"));
    }
    if explanation.roots.dropped > 0 {
        text.push_str(&format!(", {} more not kept", explanation.roots.dropped));
    }
    if explanation.stale_answers > 0 {
        text.push_str(&format!("; {} answers ignored", explanation.stale_answers));
    }
    text.push('\n');
    text
}

const fn without_roots(state: RootsState) -> Verdict {
    match state {
        RootsState::Pending | RootsState::Overdue => Verdict::Pending,
        RootsState::Unsupported | RootsState::TimedOut | RootsState::Failed => Verdict::Absent,
        _ => Verdict::NotAsked,
    }
}

fn source_label(source: SourceKind, via: Option<&str>) -> String {
    via.map_or_else(|| source.name().into(), |via| format!("{} {}", source.name(), display(via, 64)))
}

const fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Won => "won",
        Verdict::Agrees => "agrees",
        Verdict::Disagrees => "disagrees",
        Verdict::Absent => "absent",
        Verdict::Rejected => "rejected",
        Verdict::Off => "off",
        Verdict::NotAsked => "not asked",
        Verdict::Pending => "pending",
    }
}

const fn roots_words(state: RootsState) -> &'static str {
    match state {
        RootsState::NotAsked => "not asked for",
        RootsState::NotReady => "not ready",
        RootsState::Undeclared => "not declared by the client",
        RootsState::Unsupported => "not supported by the client",
        RootsState::Pending => "asked for, no answer yet",
        RootsState::Overdue => "asked for, answer overdue",
        RootsState::TimedOut => "asked for, never answered",
        RootsState::Failed => "asked for, failed",
        RootsState::Empty => "none",
        RootsState::AllInvalid => "none that can be read",
        RootsState::Ok => "listed",
        RootsState::Stale => "listed, may have changed",
        RootsState::SeveralClients => "not one client's: several share this connection",
    }
}
