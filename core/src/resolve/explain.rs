//! Why this project: what every source said, as one structure and one text.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::action::{Outcome, RootsState};
use crate::display::display;
use crate::error::Reason;
use crate::host::Transport;
use crate::machine::asks::PendingAsk;
use crate::machine::resolver::Resolver;
use crate::peer::root_list::RootList;
use crate::policy::SourceKind;
use crate::project::{Project, RootView};
use crate::resolve::evaluate::{Decision, Finding, RootsAccess, SourceResult};
use crate::write::{write_fields, write_names};

/// What every source said.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase", optional_fields))]
pub struct Explanation {
    /// The policy.
    pub policy: String,
    /// Why there is no project, as a stable code.
    pub code: Option<Reason>,
    /// What happened, where there is no project.
    pub message: Option<String>,
    /// What to do next, where there is no project.
    pub instruction: Option<String>,
    /// The sources in the policy's order.
    pub tried: Vec<Tried>,
    /// The client's roots.
    pub roots: RootsReport,
    /// The client's name for itself, made safe to show.
    pub client: Option<String>,
    /// How the client is connected.
    pub transport: Transport,
    /// How the client speaks.
    pub era: Era,
    /// Answers that came too late to count.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub stale_answers: u32,
    /// All of this as a small table.
    pub text: String,
}

write_fields!(Explanation: policy, code = optional, message = optional, instruction = optional, tried, roots, client = optional, transport, era, stale_answers = optional, text);

/// What one source said.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase", optional_fields))]
pub struct Tried {
    /// The source.
    pub source: SourceKind,
    /// What exactly it read.
    pub via: Option<String>,
    /// What came of it.
    pub verdict: Verdict,
    /// What it named, made safe to show.
    pub value: Option<String>,
    /// Why it is rejected.
    pub reason: Option<Reason>,
    /// More about that reason, as a stable code.
    pub detail: Option<String>,
}

write_fields!(Tried: source, via = optional, verdict, value = optional, reason = optional, detail = optional);

/// What came of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub enum Verdict {
    /// It named the project.
    Won,
    /// It lost and names the same project.
    Agrees,
    /// It lost and names another project.
    Disagrees,
    /// It said nothing.
    Absent,
    /// What it named cannot be used.
    Rejected,
    /// It does not count here: other transport, flag not set, or not for this kind of call.
    Off,
    /// It was not asked: a better one won, or nobody may ask.
    NotAsked,
    /// It has not answered yet.
    Pending,
}

write_names!(Verdict: Won, Agrees, Disagrees, Absent, Rejected, Off, NotAsked, Pending);

impl Verdict {
    const fn word(self) -> &'static str {
        match self {
            Self::Won => "won",
            Self::Agrees => "agrees",
            Self::Disagrees => "disagrees",
            Self::Absent => "absent",
            Self::Rejected => "rejected",
            Self::Off => "off",
            Self::NotAsked => "not asked",
            Self::Pending => "pending",
        }
    }
}

/// The client's roots as far as they are known.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase", optional_fields))]
pub struct RootsReport {
    /// How current they are.
    pub state: RootsState,
    /// The roots, good and bad.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub available: Vec<RootView>,
    /// How many more the client sent than are kept.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub dropped: u32,
}

write_fields!(RootsReport: state, available = optional, dropped = optional);

/// How a client speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub enum Era {
    /// It has not said yet.
    Unknown,
    /// It began with `initialize` (revisions up to 2025-11-25).
    Legacy,
    /// Every request stands alone (revision 2026-07-28).
    Modern,
}

write_names!(Era: Unknown, Legacy, Modern);

impl Resolver {
    /// What every source says to an ask.
    pub(crate) fn findings_of(&self, ask: &PendingAsk) -> Vec<Finding> {
        self.view(ask).evaluate(&mut self.look(ask), true).findings
    }

    pub(crate) fn explain_ask(&self, ask: &PendingAsk, outcome: &Outcome) -> Explanation {
        let winner = match outcome {
            Outcome::Resolved { project } | Outcome::Selected { project, .. } => Some(project),
            _ => None,
        };
        let mut explanation = self.explanation(&self.findings_of(ask), winner);
        match outcome {
            Outcome::Unresolved(unresolved) => {
                explanation.code = Some(unresolved.code);
                explanation.message = Some(unresolved.message.clone());
                explanation.instruction.clone_from(&unresolved.instruction);
            }
            Outcome::Refused(refused) => {
                explanation.code = Some(refused.code);
                explanation.message = Some(refused.message.clone());
                explanation.instruction.clone_from(&refused.instruction);
            }
            _ => {}
        }
        if ask.modern {
            let state = match self.roots_access(ask) {
                RootsAccess::Known(list) => list.state(),
                RootsAccess::Unavailable(state) => state,
                RootsAccess::Input | RootsAccess::Wait | RootsAccess::Send => RootsState::NotAsked,
            };
            explanation.roots = self.roots_report(state, ask.input.as_ref());
            explanation.era = Era::Modern;
            explanation.stale_answers = 0;
        }
        explanation.client = self.client_name(ask).map(|name| self.shown(&name));
        explanation.text = render(&explanation, winner);
        explanation
    }

    pub(crate) fn explain_connection(&self) -> Explanation {
        let (evaluation, _) = self.evaluate_connection(true, false);
        let winner = match &evaluation.decision {
            Decision::Won(project) => Some(project),
            _ => None,
        };
        let mut explanation = self.explanation(&evaluation.findings, winner);
        explanation.text = render(&explanation, winner);
        explanation
    }

    fn explanation(&self, findings: &[Finding], winner: Option<&Arc<Project>>) -> Explanation {
        let client = self.connection.client.as_ref().and_then(|client| client.name.as_ref());
        Explanation {
            policy: self.policy.name.clone(),
            code: None,
            message: None,
            instruction: None,
            tried: self.tried(findings, winner),
            roots: self.roots_report(self.roots_state(), self.connection.cycle.list.as_ref()),
            client: client.map(|name| self.shown(name)),
            transport: self.host.transport,
            era: self.era(),
            stale_answers: self.connection.cycle.stale_answers,
            text: String::new(),
        }
    }

    fn roots_report(&self, state: RootsState, list: Option<&RootList>) -> RootsReport {
        RootsReport {
            state,
            available: list.map(|list| list.views(&self.policy.limits)).unwrap_or_default(),
            dropped: list.map_or(0, |list| list.dropped),
        }
    }

    fn tried(&self, findings: &[Finding], winner: Option<&Arc<Project>>) -> Vec<Tried> {
        let mut unnamed_winner = winner;
        let mut tried = Vec::with_capacity(findings.len());
        for finding in findings {
            let (verdict, reason, detail) = match &finding.said {
                SourceResult::Off => (Verdict::Off, None, None),
                SourceResult::Absent => (Verdict::Absent, None, None),
                SourceResult::NeedSend | SourceResult::NeedInput => (Verdict::NotAsked, None, None),
                SourceResult::Unavailable(state) => (without_roots(*state), None, None),
                SourceResult::WaitRoots => (Verdict::Pending, None, None),
                // Nobody looks at the disk for a source that cannot win any more.
                SourceResult::WaitDisk if winner.is_some() => (Verdict::NotAsked, None, None),
                SourceResult::WaitDisk => (Verdict::Pending, None, None),
                SourceResult::Rejected { bad, .. } => (Verdict::Rejected, Some(bad.reason), bad.detail),
                SourceResult::Offers(project) => (self.compared(project, &mut unnamed_winner, winner), None, None),
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

    fn compared<'w>(
        &self,
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

    fn shown(&self, value: &str) -> String {
        display(value, usize::try_from(self.policy.limits.value_chars).unwrap_or(usize::MAX))
    }
}

/// The explanation as a person reads it.
fn render(explanation: &Explanation, winner: Option<&Arc<Project>>) -> String {
    let mut text = match (winner, &explanation.message) {
        (Some(project), _) => {
            let place = project.path.as_deref().or(project.uri.as_deref()).unwrap_or("no folder");
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
        let verdict = tried.verdict.word();
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
    let roots = explanation.roots.state.words();
    text.push_str(&format!("\nPolicy {}; {client} over {transport}; roots: {roots}", explanation.policy));
    let available = explanation.roots.available.len();
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

impl RootsState {
    const fn words(self) -> &'static str {
        match self {
            Self::NotAsked => "not asked for",
            Self::NotReady => "not ready",
            Self::Undeclared => "not declared by the client",
            Self::Unsupported => "not supported by the client",
            Self::Pending => "asked for, no answer yet",
            Self::Overdue => "asked for, answer overdue",
            Self::TimedOut => "asked for, never answered",
            Self::Failed => "asked for, failed",
            Self::Empty => "none",
            Self::AllInvalid => "none that can be read",
            Self::Ok => "listed",
            Self::Stale => "listed, may have changed",
        }
    }
}
