//! The decision on one ask: end it with an outcome, or let it wait.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::cause::cause;
use super::disk::{DiskView, Freshness, PathQuery, Patience};
use super::evaluate::{Decision, Evaluation, EvaluationContext, Finding, RootsAccess, refused_folders};
use super::project::ProjectFactory;
use super::view::{AskView, ConnectionView, Purpose};
use crate::api::action::{INPUT_KEY, InputRequest, Outcome, Refused, RequestMethod, RootsState, Unresolved};
use crate::api::host::HostFacts;
use crate::api::project::{Project, RootView};
use crate::api::reason::Reason;
use crate::collect::inserted;
use crate::id::Time;
use crate::path::display::display;
use crate::peer::root_list::{RootList, folders, listing};
use crate::policy::{Policy, SourceKind, Templates, Values, to_usize};
use crate::texts::standard::{EXAMPLE_PROJECT, NO_FOLDERS, NO_VALUE, UNNAMED_CLIENT};

/// One ask, and everything that decides it.
#[derive(Clone, Copy)]
pub(crate) struct AskContext<'a> {
    pub(crate) policy: &'a Policy,
    pub(crate) host: &'a HostFacts,
    pub(crate) connection: ConnectionView<'a>,
    pub(crate) ask: AskView<'a>,
}

/// The decision on an ask.
#[derive(Clone)]
pub(crate) struct AskDecision {
    pub(crate) step: Step,
    /// The evaluation it rests on.
    pub(crate) evaluation: Option<Evaluation>,
    /// The paths to probe first.
    pub(crate) queries: Vec<PathQuery>,
    /// Whether it waits for a newer version of what is known.
    pub(crate) refreshes: bool,
}

#[derive(Clone)]
pub(crate) enum Step {
    End(Outcome),
    Wait { for_roots: bool, send: bool },
}

impl From<Step> for AskDecision {
    fn from(step: Step) -> Self {
        Self { step, evaluation: None, queries: Vec::new(), refreshes: false }
    }
}

impl<'a> AskContext<'a> {
    pub(crate) fn decide(&self) -> AskDecision {
        match self.ask.purpose {
            Purpose::Project | Purpose::Cleared => self.decide_project(),
            Purpose::Roots => self.decide_roots(),
            Purpose::Select(by) => self.decide_selection(by),
            Purpose::Clear => {
                let (reason, given) = if self.ask.alone {
                    (Reason::PassEachCall, EXAMPLE_PROJECT)
                } else if self.connection.shared {
                    (Reason::SeveralClients, NO_VALUE)
                } else {
                    (Reason::Immutable, NO_VALUE)
                };
                Step::End(self.refuse_selection(reason, given, None)).into()
            }
        }
    }

    /// Answer, log lines and explanation all come from this one evaluation.
    fn decide_project(&self) -> AskDecision {
        let mut disk = self.disk_view();
        let evaluation = self.evaluate(&mut disk);
        let step = match &evaluation.decision {
            Decision::Won(project) => match self.package(project, &mut disk) {
                None => Step::Wait { for_roots: false, send: false },
                Some(None) => Step::End(Outcome::Resolved { project: project.clone() }),
                Some(package) => {
                    let project = Project { package, ..(**project).clone() };
                    Step::End(Outcome::Resolved { project: project.into() })
                }
            },
            Decision::Refused(at) => Step::End(self.refusal(&evaluation, *at)),
            Decision::Unresolved(reason) => Step::End(self.unresolved(*reason, &evaluation.findings)),
            Decision::NeedsInput => Step::End(needs_input()),
            Decision::Waiting { .. } if matches!(self.ask.patience, Patience::GaveUp) => {
                Step::End(self.unresolved(Reason::NoProject, &evaluation.findings))
            }
            Decision::Waiting { for_roots, send } => Step::Wait { for_roots: *for_roots, send: *send },
        };
        self.decision(step, Some(evaluation), disk)
    }

    pub(super) fn decision(&self, step: Step, evaluation: Option<Evaluation>, disk: DiskView<'_>) -> AskDecision {
        let refreshes = match step {
            Step::End(_) => false,
            Step::Wait { for_roots: true, .. } => disk.refreshes || self.ask.refreshes_roots,
            Step::Wait { .. } => disk.refreshes,
        };
        AskDecision { step, evaluation, queries: disk.queries, refreshes }
    }

    fn decide_roots(&self) -> AskDecision {
        let mut disk = self.disk_view();
        let step = match self.ask.roots {
            RootsAccess::Wait => Step::Wait { for_roots: true, send: false },
            RootsAccess::Send => Step::Wait { for_roots: true, send: true },
            RootsAccess::Input => Step::End(needs_input()),
            RootsAccess::Known(list) => self.list_roots(list, &mut disk),
            RootsAccess::Unavailable(state) => Step::End(self.listed(Vec::new(), state, false)),
        };
        self.decision(step, None, disk)
    }

    /// Lists the roots, each one verified.
    fn list_roots(&self, list: &RootList, disk: &mut DiskView<'_>) -> Step {
        let context = self.evaluation_context();
        let views: Vec<Option<RootView>> = list.entries.iter().map(|entry| context.root_view(entry, disk)).collect();
        let Some(roots) = views.into_iter().collect::<Option<Vec<_>>>() else {
            return Step::Wait { for_roots: false, send: false };
        };
        let state = if disk.is_stale() && !self.ask.alone { RootsState::Stale } else { self.list_state(list) };
        Step::End(self.listed(roots, state, true))
    }

    /// The state of a list: that of the connection has an age, one that came with the call itself has none.
    pub(super) fn list_state(&self, list: &RootList) -> RootsState {
        if self.ask.input.is_some() { list.state() } else { self.connection.roots_state }
    }

    /// Evaluates the sources: all of them where the explanation or a report on disagreements needs them.
    pub(super) fn evaluate(&self, disk: &mut DiskView<'_>) -> Evaluation {
        self.evaluation_context().evaluate(disk, self.ask.explain || self.policy.config.report_disagreement)
    }

    pub(super) fn evaluation_context(&self) -> EvaluationContext<'a> {
        let is_connected = !self.ask.alone;
        let shared = is_connected && self.connection.shared;
        EvaluationContext {
            policy: self.policy,
            host: self.host,
            values: Some(self.ask.values),
            target: self.ask.target,
            memory: (is_connected && !shared).then_some(self.connection.memory),
            roots: self.ask.roots,
            list: self.visible_roots().filter(|_| !shared),
            list_fresh_until: self.ask.list_fresh_until.filter(|_| is_connected),
            list_is_stale: is_connected && self.ask.list_is_stale,
            shared,
            dedicated: self.host.is_dedicated() && !self.connection.shared,
        }
    }

    pub(super) const fn factory(&self) -> ProjectFactory<'a> {
        ProjectFactory { policy: self.policy, host: self.host }
    }

    pub(super) fn disk_view(&self) -> DiskView<'a> {
        let shared = (!self.ask.alone).then_some(self.connection.disk);
        let max_age = self.policy.config.timing.max_age_ms.map(Time::from);
        let freshness = Freshness { now: self.connection.now, max_age };
        let probe_paths = to_usize(self.policy.config.limits.probe_paths);
        DiskView::new(self.ask.disk, shared, self.ask.patience, freshness, probe_paths)
    }

    fn refusal(&self, evaluation: &Evaluation, at: usize) -> Outcome {
        let Some((finding, rejection, status)) = evaluation.refused(at) else {
            return self.unresolved(Reason::NoProject, &evaluation.findings);
        };
        if rejection.reason == Reason::Ambiguous && matches!(finding.source, SourceKind::Roots | SourceKind::Meta) {
            return self.unresolved(rejection.reason, &evaluation.findings);
        }
        let source = finding.source;
        let value = finding.value.as_deref().unwrap_or_default();
        let (list, folders) = self.listings(rejection.reason, value);
        let advice = self.refusal_advice(rejection.reason);
        let values = Values::new()
            .with("value", value)
            .with("list", &list)
            .with("folders", &folders)
            .with("advice", &advice)
            .with("path", rejection.path.as_deref().unwrap_or(value))
            .with("source", source.name())
            .with("reason", rejection.reason.code())
            .with("detail", rejection.detail());
        let templates = Templates(self.policy);
        Outcome::Refused(Refused {
            code: rejection.reason,
            source,
            message: templates.refused(source.name(), rejection.reason, &values),
            instruction: templates.refused_instruction(rejection.reason, &values),
            status,
        })
    }

    pub(crate) fn unresolved(&self, reason: Reason, findings: &[Finding]) -> Outcome {
        let templates = Templates(self.policy);
        let client = self.client_name();
        let several = if reason == Reason::Ambiguous { refused_folders(findings) } else { &[] };
        let (list, folders) = self.folders_to_name(reason, several);
        let advice = self.advice(reason, findings);
        let cause = cause(findings, self.visible_roots(), self.host.is_local());
        let values = Values::new()
            .with("cause", &cause)
            .with("list", &list)
            .with("folders", &folders)
            .with("advice", &advice)
            .with("client", client.unwrap_or(UNNAMED_CLIENT))
            .with("reason", reason.code());
        Outcome::Unresolved(Unresolved {
            code: reason,
            message: templates.unresolved(reason, &values),
            instruction: templates.instruction(reason, &values),
        })
    }

    pub(super) fn client_name(&self) -> Option<&'a str> {
        if self.ask.modern {
            return self.ask.client.name.as_deref();
        }
        self.connection.client?.name.as_deref()
    }

    /// The roots this ask may see.
    pub(super) fn visible_roots(&self) -> Option<&'a RootList> {
        self.ask.input.or_else(|| self.connection.list.filter(|_| !self.ask.alone))
    }

    /// What a caller could name where nothing says which folder is meant: those of the request, else the roots.
    pub(super) fn folders_to_name(&self, reason: Reason, several: &[String]) -> (String, String) {
        if several.is_empty() {
            return self.listings(reason, "");
        }
        let most = to_usize(self.policy.config.limits.value_chars);
        let folders = listing(several.iter().map(|folder| display(folder, most)), most);
        (folders.clone(), folders)
    }

    /// The same as a message lists them: by name, and with their folders. A name that several roots share is followed by
    /// the folders of these alone.
    pub(super) fn listings(&self, reason: Reason, given: &str) -> (String, String) {
        let most = to_usize(self.policy.config.limits.value_chars);
        let Some(list) = self.visible_roots().filter(|list| !list.entries.is_empty()) else {
            return (NO_VALUE.to_string(), NO_FOLDERS.to_string());
        };
        let named = if reason == Reason::Ambiguous { list.named(given.trim(), self.host) } else { Vec::new() };
        let folders = if named.is_empty() { list.folders(most) } else { folders(named.into_iter(), most) };
        (list.names(most), folders)
    }
}

pub(super) fn needs_input() -> Outcome {
    Outcome::NeedsInput { input_requests: inserted([needs_roots()]) }
}

/// The question for the client's roots in the result of a call.
pub(crate) fn needs_roots() -> (String, InputRequest) {
    (INPUT_KEY.to_string(), InputRequest { method: RequestMethod::RootsList, params: None })
}
