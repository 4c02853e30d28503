//! The explanation of a decision, from the evaluation it rests on.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::ask::AskContext;
use super::disk::DiskView;
use super::evaluate::{Evaluation, EvaluationContext, Finding, RootsAccess, SourceResult};
use super::view::ConnectionView;
use crate::api::action::{Outcome, RootsState};
use crate::api::explanation::{Era, Explanation, RootsReport, SourceReport, Verdict};
use crate::api::host::HostFacts;
use crate::api::project::Project;
use crate::path::display::display;
use crate::peer::client::Client;
use crate::peer::root_list::{RootEntry, RootList};
use crate::policy::{Policy, SourceKind, fill, to_usize};
use crate::texts::explanation as text;

impl AskContext<'_> {
    /// Explains how the ask ended, from its evaluation if that covers every source.
    pub(crate) fn explain(&self, evaluation: Option<&Evaluation>, outcome: &Outcome) -> Explanation {
        let winner = match outcome {
            Outcome::Resolved { project } | Outcome::Selected { project, .. } => Some(project),
            _ => None,
        };
        let fresh;
        let sources = self.policy.config.sources.len();
        let evaluation = match evaluation.filter(|evaluation| evaluation.findings.len() == sources) {
            Some(evaluation) => evaluation,
            None => {
                fresh = self.evaluation_context().evaluate(&mut self.disk_view(), true);
                &fresh
            }
        };
        let Self { policy, host, connection, .. } = *self;
        let explainer = Explainer { policy, host, connection };
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
            let state = match self.ask.roots {
                RootsAccess::Known(list) => self.list_state(list),
                RootsAccess::Unavailable(state) => state,
                RootsAccess::Input | RootsAccess::Wait | RootsAccess::Send => RootsState::NotAsked,
            };
            explanation.roots = brief(state, self.visible_roots(), Some(self.ask.client));
            explanation.era = Era::Modern;
            if self.ask.alone {
                explanation.stale_answers = 0;
            }
        }
        explanation.client =
            self.client_name().map(|name| display(name, to_usize(self.policy.config.limits.value_chars)));
        explanation.text = render(&explanation, winner);
        explanation
    }
}

/// Explains the state of a connection.
#[derive(Clone, Copy)]
pub(crate) struct Explainer<'a> {
    pub(crate) policy: &'a Policy,
    pub(crate) host: &'a HostFacts,
    pub(crate) connection: ConnectionView<'a>,
}

impl<'a> Explainer<'a> {
    pub(crate) fn explain(&self) -> Explanation {
        let evaluation =
            self.evaluate(&mut DiskView::of_connection(self.connection.disk, self.connection.now, 0), true);
        let winner = evaluation.winner();
        let mut explanation = self.explanation(&evaluation.findings, winner);
        explanation.text = render(&explanation, winner);
        explanation
    }

    /// Evaluates the policy for the connection itself, without any request.
    pub(crate) fn evaluate(&self, disk: &mut DiskView<'a>, all: bool) -> Evaluation {
        let ConnectionView { shared, memory, list, roots_state, .. } = self.connection;
        let context = EvaluationContext {
            policy: self.policy,
            host: self.host,
            values: None,
            target: None,
            memory: Some(memory).filter(|_| !shared),
            roots: match list {
                Some(list) if !shared => RootsAccess::Known(list),
                _ => RootsAccess::Unavailable(roots_state),
            },
            list: list.filter(|_| !shared),
            list_fresh_until: None,
            list_is_stale: false,
            shared,
            dedicated: self.host.is_dedicated() && !shared,
        };
        context.evaluate(disk, all)
    }

    pub(crate) fn roots(&self) -> RootsReport {
        let ConnectionView { roots_state, list, client, .. } = self.connection;
        report(roots_state, list, client)
    }

    fn explanation(&self, findings: &[Finding], winner: Option<&Arc<Project>>) -> Explanation {
        let ConnectionView { client, list, roots_state, stale_answers, .. } = self.connection;
        Explanation {
            policy: self.policy.config.name.clone(),
            code: None,
            message: None,
            instruction: None,
            tried: self.tried(findings, winner),
            roots: brief(roots_state, list, client),
            client: client.and_then(|client| client.name.as_ref()).map(|name| self.shown(name)),
            transport: self.host.transport,
            era: if client.is_some() { Era::Legacy } else { Era::Unknown },
            stale_answers,
            text: String::new(),
        }
    }

    fn tried(&self, findings: &[Finding], winner: Option<&Arc<Project>>) -> Vec<SourceReport> {
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
                SourceResult::Offers(project) => {
                    let agrees = winner.map(|winner| finding.agrees(winner, findings));
                    (compared(project, &mut unnamed_winner, winner, agrees), None, None)
                }
            };
            let source = finding.at.and_then(|at| self.policy.config.sources.get(at));
            tried.push(SourceReport {
                source: finding.source,
                via: finding.via.clone(),
                reads: match verdict {
                    Verdict::Absent => source.map(|source| source.read.clone()).unwrap_or_default(),
                    _ => Vec::new(),
                },
                verdict,
                value: finding.value.as_ref().map(|value| self.shown(value)),
                path: match &finding.result {
                    SourceResult::Offers(project) => {
                        let is_other = finding.named.as_ref().is_some_and(|named| *named != project.folder_key());
                        project.folder().filter(|_| is_other).map(|folder| self.shown(folder))
                    }
                    _ => None,
                },
                reason,
                detail: detail.map(ToString::to_string),
            });
        }
        tried
    }

    fn shown(&self, value: &str) -> String {
        display(value, to_usize(self.policy.config.limits.value_chars))
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

fn compared(
    project: &Project,
    unnamed: &mut Option<&Arc<Project>>,
    winner: Option<&Arc<Project>>,
    agrees: Option<bool>,
) -> Verdict {
    // With an identity of a repository, several folders have one key.
    let is_same = |winner: &Arc<Project>| winner.key == project.key && winner.folder_key() == project.folder_key();
    let same_source = unnamed.is_some_and(|winner| winner.source == project.source && is_same(winner));
    if same_source {
        *unnamed = None;
        return Verdict::Won;
    }
    match agrees {
        Some(true) if winner.is_some_and(|winner| winner.key == project.key && !is_same(winner)) => {
            Verdict::OtherFolder
        }
        Some(true) => Verdict::Agrees,
        Some(false) => Verdict::Disagrees,
        None => Verdict::NotAsked,
    }
}

/// Characters of the project's folder in the text.
const PLACE_CHARS: usize = 1024;

/// The explanation as a person reads it.
fn render(explanation: &Explanation, winner: Option<&Arc<Project>>) -> String {
    let mut shown = match (winner, &explanation.message) {
        (Some(project), _) => {
            let place = project.folder().map(String::as_str).or(project.uri.as_deref()).unwrap_or(text::NO_FOLDER);
            let place = display(place, PLACE_CHARS);
            let source = source_label(project.source, project.via.as_deref());
            fill(text::FOUND, &[("name", &project.display_name), ("place", &place), ("source", &source)])
        }
        (None, Some(message)) => fill(text::NOT_FOUND, &[("message", message)]),
        (None, None) => text::NOT_YET.to_string(),
    };
    if let Some(instruction) = &explanation.instruction {
        shown.push_str(&fill(text::INSTRUCTION, &[("instruction", instruction)]));
    }
    shown.push('\n');
    let labels: Vec<String> =
        explanation.tried.iter().map(|tried| source_label(tried.source, tried.via.as_deref())).collect();
    let width = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
    for (tried, label) in explanation.tried.iter().zip(&labels) {
        let verdict = text::verdict(tried.verdict);
        let reads = if tried.reads.is_empty() { String::new() } else { format!("({})", tried.reads.join(", ")) };
        let value = tried.value.as_deref().unwrap_or(&reads);
        let why = tried.reason.map_or_else(String::new, |reason| {
            let detail = tried.detail.as_ref().filter(|detail| *detail != reason.code());
            detail.map_or_else(|| format!("({})", reason.code()), |detail| format!("({}: {detail})", reason.code()))
        });
        let folder = tried.path.as_ref().map_or_else(String::new, |path| fill(text::REFINED, &[("path", path)]));
        let other = if tried.verdict == Verdict::OtherFolder { text::OTHER_FOLDER } else { "" };
        let line = format!("  {label:<width$}  {verdict:<9}  {value}{folder}{other} {why}");
        shown.push_str(line.trim_end());
        shown.push('\n');
    }
    let RootsReport { state, available, omitted, dropped, .. } = &explanation.roots;
    shown.push_str(&fill(
        text::CIRCUMSTANCES,
        &[
            ("policy", &explanation.policy),
            ("client", explanation.client.as_deref().unwrap_or(text::UNKNOWN_CLIENT)),
            ("transport", text::transport(explanation.transport)),
            ("roots", text::roots(*state)),
        ],
    ));
    let available = available.len().saturating_add(to_usize(*omitted));
    let counts = [
        (text::AVAILABLE, available),
        (text::DROPPED, to_usize(*dropped)),
        (text::IGNORED, to_usize(explanation.stale_answers)),
    ];
    for (template, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
        shown.push_str(&fill(template, &[("count", &count.to_string())]));
    }
    shown.push('\n');
    shown
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
