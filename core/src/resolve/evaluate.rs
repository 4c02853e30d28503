//! The walk over the policy's sources: what each one says, and the decision that follows.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::disk::{CacheReads, CacheScope, DiskView};
use super::memory::Memory;
use super::sources::{RequestValues, rejected};
use super::verify::{Folder, PathVerifier, Refine, Verified};
use crate::api::action::RootsState;
use crate::api::host::HostFacts;
use crate::api::project::Project;
use crate::api::reason::Reason;
use crate::id::Time;
use crate::path;
use crate::path::host::read_path;
use crate::path::map::map_path;
use crate::path::rejection::Rejection;
use crate::path::uri::is_file_uri;
use crate::peer::root_list::RootList;
use crate::policy::{OnUnusable, Policy, Recheck, RootMatch, Source, SourceKind};

/// Everything an evaluation may see.
#[derive(Clone, Copy)]
pub(crate) struct EvaluationContext<'a> {
    pub(crate) policy: &'a Policy,
    pub(crate) host: &'a HostFacts,
    /// The values of the request; none for the connection's own project.
    pub(crate) values: Option<&'a RequestValues>,
    pub(crate) target: Option<&'a str>,
    /// The connection's memory; none for a stateless ask.
    pub(crate) memory: Option<&'a Memory>,
    pub(crate) roots: RootsAccess<'a>,
    /// The last list that the client sent, whatever its age.
    pub(crate) list: Option<&'a RootList>,
    /// The time until which that list is fresh, if there is a limit.
    pub(crate) list_fresh_until: Option<Time>,
    /// Whether that list is not fresh.
    pub(crate) list_is_stale: bool,
    /// Whether the connection, if there is one, belongs to several clients.
    pub(crate) shared: bool,
    /// Whether the working directory and the variables of this process say where the client works.
    pub(crate) dedicated: bool,
}

/// The client's roots as one evaluation may use them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RootsAccess<'a> {
    Known(&'a RootList),
    /// An answer is on its way and worth waiting for.
    Wait,
    /// A request must be sent first.
    Send,
    /// The call must return with them.
    Input,
    /// There are none, for this reason.
    Unavailable(RootsState),
}

/// The result of one source, with its origin.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub(crate) source: SourceKind,
    /// The exact input it read.
    pub(crate) via: Option<String>,
    /// The raw value.
    pub(crate) value: Option<String>,
    /// The identity of the folder that the value names, from where a walk may have led to another one.
    pub(crate) named: Option<String>,
    pub(crate) result: SourceResult,
    /// Whether it could still decide the ask when it was asked.
    pub(crate) matters: bool,
    /// The position of the source in the policy; a pin has none.
    pub(crate) at: Option<usize>,
    /// Whether nothing says that the folder which it offers is the one of several that is meant.
    pub(crate) is_guess: bool,
    /// The folders of which a place in `_meta` names several, where nothing says which one is meant.
    pub(crate) several: Vec<String>,
}

impl Finding {
    const fn new(source: SourceKind) -> Self {
        let result = SourceResult::Absent;
        Self {
            source,
            via: None,
            value: None,
            named: None,
            result,
            matters: true,
            at: None,
            is_guess: false,
            several: Vec::new(),
        }
    }

    /// Whether it agrees with the project that won: it offers the same one, or its value names the same folder.
    pub(crate) fn agrees(&self, winner: &Project, findings: &[Self]) -> bool {
        let SourceResult::Offers(offered) = &self.result else { return false };
        let won = |finding: &&Self| match &finding.result {
            SourceResult::Offers(project) => project.source == winner.source && project.key == winner.key,
            _ => false,
        };
        let named_by_winner = || findings.iter().find(won).and_then(|finding| finding.named.as_ref());
        offered.key == winner.key || (self.named.is_some() && self.named.as_ref() == named_by_winner())
    }

    /// The decision that follows if nothing else decides; `at` is its position among the findings.
    fn follows(&self, at: usize) -> Option<Decision> {
        match &self.result {
            SourceResult::Rejected { ends: true, .. } => Some(Decision::Refused(at)),
            SourceResult::Offers(project) => Some(Decision::Won(project.clone())),
            SourceResult::WaitDisk => Some(Decision::Waiting { for_roots: false, send: false }),
            SourceResult::WaitRoots => Some(Decision::Waiting { for_roots: true, send: false }),
            SourceResult::NeedSend => Some(Decision::Waiting { for_roots: true, send: true }),
            SourceResult::NeedInput => Some(Decision::NeedsInput),
            SourceResult::Off | SourceResult::Absent | SourceResult::Unavailable(_) | SourceResult::Rejected { .. } => {
                None
            }
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum SourceResult {
    Off,
    Absent,
    /// The client's roots are not available.
    Unavailable(RootsState),
    Rejected {
        rejection: Rejection,
        /// Whether it ends the ask.
        ends: bool,
        status: Option<u16>,
    },
    Offers(Arc<Project>),
    WaitDisk,
    WaitRoots,
    NeedSend,
    NeedInput,
}

impl SourceResult {
    pub(crate) fn offers(project: Project) -> Self {
        Self::Offers(Arc::new(project))
    }
}

/// The decision that follows from all findings.
#[derive(Clone, Debug)]
pub(crate) enum Decision {
    Won(Arc<Project>),
    /// The value of the finding at this position ends the ask.
    Refused(usize),
    Unresolved(Reason),
    NeedsInput,
    Waiting {
        for_roots: bool,
        send: bool,
    },
}

/// The findings in the policy's order, and the decision.
#[derive(Clone, Debug)]
pub(crate) struct Evaluation {
    pub(crate) findings: Vec<Finding>,
    pub(crate) decision: Decision,
    /// Whether the decision rests on something that is not fresh.
    pub(crate) stale: bool,
    /// The time until which everything that it rests on is fresh, if there is a limit.
    pub(crate) fresh_until: Option<Time>,
}

impl Evaluation {
    /// Whether the project is one of several folders, and nothing says that it is the one that is meant.
    pub(crate) fn is_guess(&self) -> bool {
        self.guess().is_some()
    }

    /// The folders of a place in `_meta` of which nothing says which one is meant, if the decision rests on them.
    pub(crate) fn several(&self) -> &[String] {
        self.guess().map_or_else(|| refused_folders(&self.findings), |guess| &guess.several)
    }

    fn guess(&self) -> Option<&Finding> {
        let won = |finding: &Finding| match (&finding.result, &self.decision) {
            (SourceResult::Offers(offered), Decision::Won(project)) => Arc::ptr_eq(offered, project),
            _ => false,
        };
        self.findings.iter().find(|finding| finding.is_guess && won(finding))
    }

    /// The finding that ends the ask, its rejection and its HTTP status.
    pub(crate) fn refused(&self, at: usize) -> Option<(&Finding, &Rejection, Option<u16>)> {
        let finding = self.findings.get(at)?;
        match &finding.result {
            SourceResult::Rejected { rejection, status, .. } => Some((finding, rejection, *status)),
            _ => None,
        }
    }

    pub(crate) const fn winner(&self) -> Option<&Arc<Project>> {
        match &self.decision {
            Decision::Won(project) => Some(project),
            _ => None,
        }
    }
}

/// The folders of a place in `_meta` that was refused because it names several.
pub(super) fn refused_folders(findings: &[Finding]) -> &[String] {
    let is_refused = |finding: &&Finding| match &finding.result {
        SourceResult::Rejected { rejection, .. } => {
            rejection.reason == Reason::Ambiguous && !finding.several.is_empty()
        }
        _ => false,
    };
    findings.iter().find(is_refused).map_or(&[], |finding| &finding.several)
}

impl EvaluationContext<'_> {
    /// Asks the sources, best first, and stops where nothing more can matter. With `all`, every source is asked; those
    /// that can no longer matter do not cause a probe.
    pub(crate) fn evaluate(&self, disk: &mut DiskView<'_>, all: bool) -> Evaluation {
        let mut findings: Vec<Finding> = Vec::with_capacity(self.policy.config.sources.len());
        // What follows from the values of the caller, which are judged before ranking, and what from the ranking.
        let mut judged: Option<Decision> = None;
        let mut ranked: Option<Decision> = None;
        let mut pin = self.memory.and_then(|memory| memory.pin.as_ref());
        let mut settled = false;
        for (at, source) in self.policy.config.sources.iter().enumerate() {
            settled |= ranked.as_ref().is_some_and(|ranked| !matches!(ranked, Decision::Waiting { .. }));
            if !settled
                && !source.from.is_per_request()
                && let Some(project) = pin.take()
            {
                let finding = self.ask_pin(project, disk);
                let follows = finding.follows(findings.len());
                if !matches!(finding.result, SourceResult::Offers(_)) {
                    findings.push(finding);
                }
                ranked = ranked.or(follows);
                // The sources below cannot win, whatever becomes of the pin.
                settled = true;
            }
            let can_end = self.values.is_some() && source.can_end_ask();
            let matters = !settled || can_end;
            if !matters && !all {
                continue;
            }
            disk.recording = matters;
            let finding = Finding { matters, at: Some(at), ..self.ask(at, source, disk) };
            let follows = finding.follows(findings.len());
            findings.push(finding);
            if can_end {
                match (&judged, &follows) {
                    // A bad value counts whatever a better one turns out to be; of several bad ones the best is named.
                    (None | Some(Decision::Waiting { .. } | Decision::NeedsInput), Some(Decision::Refused(_)))
                    | (None, Some(Decision::Waiting { .. } | Decision::NeedsInput)) => judged.clone_from(&follows),
                    _ => {}
                }
            }
            if ranked.is_none() {
                ranked = follows;
            }
        }
        let decision = match (judged, ranked) {
            // A better value may still spare the client a question.
            (Some(Decision::Waiting { .. } | Decision::NeedsInput), Some(waiting @ Decision::Waiting { .. })) => {
                waiting
            }
            (Some(judged), _) => judged,
            (None, Some(ranked)) => ranked,
            (None, None) if self.shared => Decision::Unresolved(Reason::SeveralClients),
            (None, None) => Decision::Unresolved(unresolved_reason(&findings)),
        };
        let list_until = self.list_fresh_until.filter(|_| disk.used_roots);
        let fresh_until = [list_until, disk.fresh_until()].into_iter().flatten().min();
        Evaluation { findings, decision, stale: self.rests_on_stale(disk), fresh_until }
    }

    /// Whether what was used is not fresh.
    pub(super) fn rests_on_stale(&self, disk: &DiskView<'_>) -> bool {
        disk.is_stale() || (disk.used_roots && self.list_is_stale)
    }

    pub(super) fn ask(&self, at: usize, source: &Source, disk: &mut DiskView<'_>) -> Finding {
        let mut finding = Finding::new(source.from);
        if self.is_off(source) {
            finding.result = SourceResult::Off;
            return finding;
        }
        match source.from {
            SourceKind::Roots => self.pick_root(at, source, disk, &mut finding),
            SourceKind::Selected => self.check_selected(source, disk, &mut finding),
            SourceKind::Remembered => finding.result = self.remembered(source, disk),
            _ => self.read_values(at, source, disk, &mut finding),
        }
        if let SourceResult::Offers(project) = &finding.result {
            let value = finding.value.get_or_insert_with(|| project.folder().unwrap_or(&project.name).clone());
            if finding.named.is_none() {
                finding.named = self.named_folder(source, value);
            }
        }
        finding
    }

    /// The identity of the folder that a text names, if it is the path or URI of one.
    fn named_folder(&self, source: &Source, text: &str) -> Option<String> {
        let from_client = source.from.is_spelled_by_client();
        let mapped = if from_client { map_path(text, self.host) } else { None };
        let path = mapped.or_else(|| read_path(text, is_file_uri(text), from_client, self.host).ok())?;
        path::key(&path, if from_client { self.host.client_style(&path) } else { self.host.style }).ok()
    }

    pub(super) fn is_off(&self, source: &Source) -> bool {
        let when = &source.when;
        let needs_memory = matches!(source.from, SourceKind::Selected | SourceKind::Remembered);
        (!when.transports.is_empty() && !when.transports.contains(&self.host.transport))
            || when.argument.as_ref().is_some_and(|argument| !self.host.arguments.contains_key(argument))
            || (when.dedicated.unwrap_or_else(|| source.from.is_of_process()) && !self.dedicated)
            || (needs_memory && self.memory.is_none())
    }

    /// Whether a selection would count: the policy has a source for it that is not off.
    pub(super) fn lets_select(&self) -> bool {
        self.policy.source(SourceKind::Selected).is_some_and(|source| !self.is_off(source))
    }

    fn check_selected(&self, source: &Source, disk: &mut DiskView<'_>, finding: &mut Finding) {
        let Some(selected) = self.memory.and_then(|memory| memory.selected.as_ref()) else { return };
        finding.value = Some(selected.given.clone());
        let is_name = selected.project.folder().is_none() && selected.project.root.is_none();
        let selected_project = match self.list.filter(|_| is_name) {
            Some(list) => Arc::new(Project::with_roots((*selected.project).clone(), list)),
            None => selected.project.clone(),
        };
        finding.result = match self.recheck_stored(&selected_project, disk) {
            Ok(SourceResult::Offers(project)) => {
                self.recheck_stored_within(source, project, disk).unwrap_or_else(|rejection| {
                    // What does not count for now is no fault that could end an ask.
                    SourceResult::Rejected { rejection, ends: false, status: None }
                })
            }
            Ok(result) => result,
            Err(rejection) => rejected(source, rejection),
        };
    }

    /// Whether a source may still name a project that it named before.
    fn recheck_stored_within(
        &self,
        source: &Source,
        project: Arc<Project>,
        disk: &mut DiskView<'_>,
    ) -> Result<SourceResult, Rejection> {
        Ok(self.check_within(source, &project, disk)?.unwrap_or(SourceResult::Offers(project)))
    }

    /// Checks a pin or a remembered project: its folder, and whether its source may still name it.
    fn check_memory(&self, project: &Arc<Project>, disk: &mut DiskView<'_>) -> Result<SourceResult, Rejection> {
        match (self.recheck_stored(project, disk)?, self.origin(project)) {
            (SourceResult::Offers(project), Some((_, source))) => self.recheck_stored_within(source, project, disk),
            (result, _) => Ok(result),
        }
    }

    /// Whether a selection is one of the roots; an empty list enforces nothing.
    pub(super) fn is_among(&self, project: &Project, given: &str, list: &RootList) -> bool {
        let key = project.folder_key();
        list.entries.is_empty()
            || list.entries.iter().any(|entry| match self.policy.config.selection.root_match {
                RootMatch::Key => entry.key.as_ref() == Some(&key),
                // A bare name is no URI, however it is spelled.
                RootMatch::ExactUri => {
                    entry.sent.uri == given && (project.folder().is_some() || project.root.is_some())
                }
            })
    }

    fn remembered(&self, source: &Source, disk: &mut DiskView<'_>) -> SourceResult {
        let Some(project) = self.memory.and_then(|memory| memory.remembered.as_ref()) else {
            return SourceResult::Absent;
        };
        match self.check_memory(project, disk) {
            Ok(SourceResult::Offers(project)) => {
                let via = Some(project.source.name().to_owned());
                SourceResult::offers(Project { via, source: SourceKind::Remembered, ..(*project).clone() })
            }
            Ok(result) => result,
            Err(rejection) => rejected(source, rejection),
        }
    }

    /// Asks the pin. A pin that may not be used ends the ask: what is pinned never gives way to another project.
    fn ask_pin(&self, project: &Arc<Project>, disk: &mut DiskView<'_>) -> Finding {
        let result = self.check_memory(project, disk).unwrap_or_else(|rejection| {
            let status = self.origin(project).and_then(|(_, source)| source.status);
            SourceResult::Rejected { rejection, ends: true, status }
        });
        Finding { value: project.folder().cloned(), result, ..Finding::new(project.source) }
    }

    /// Looks again at the folder of a project that the connection keeps. The project stays the one it is: no link takes
    /// its place, and no walk leads up from it. A link to another folder changes its real path.
    fn recheck_stored(&self, project: &Arc<Project>, disk: &mut DiskView<'_>) -> Result<SourceResult, Rejection> {
        let unchanged = || Ok(SourceResult::Offers(project.clone()));
        let (Some(path), Some((at, source))) = (&project.path, self.origin(project)) else { return unchanged() };
        let verifier = PathVerifier { accept_missing: self.accepts_missing(source), ..self.verifier(at, source) };
        match verifier.for_stored(project).verify(path, disk) {
            Verified::Wait => Ok(SourceResult::WaitDisk),
            Verified::Rejected(rejection) => Err(rejection),
            Verified::Accepted(Folder { real_path, repository, .. })
                if project.real_path == real_path && project.repository == repository =>
            {
                unchanged()
            }
            Verified::Accepted(Folder { real_path, repository, .. }) => {
                let project = Project { real_path, repository, ..(**project).clone() };
                Ok(SourceResult::offers(project.identified(self.policy.config.identity)))
            }
        }
    }

    /// Whether a folder of this source counts although it does not exist.
    pub(super) fn accepts_missing(&self, source: &Source) -> bool {
        source.from == SourceKind::Roots && self.policy.config.roots.on_unusable == OnUnusable::Accept
    }

    /// The source that found a project, and its position.
    fn origin(&self, project: &Project) -> Option<(usize, &Source)> {
        let kind = project.origin();
        let reads = |source: &Source| project.via.as_ref().is_some_and(|via| source.read.contains(via));
        let sources = || self.policy.config.sources.iter().enumerate().filter(|(_, source)| source.from == kind);
        sources().find(|(_, source)| reads(source)).or_else(|| sources().next())
    }

    pub(super) fn verifier<'s>(&'s self, at: usize, source: &'s Source) -> PathVerifier<'s> {
        PathVerifier {
            host: self.host,
            excluded_dirs: source.excluded_dirs_rule(),
            links: source.links,
            verify: source.verify,
            files: None,
            accept_missing: false,
            refine: source.refine.as_ref().zip(self.policy.marker_names(at)).map(Refine::from),
            markers: self.wanted_markers(source),
            scope: self.cache_scope(source),
            on_client_machine: false,
            repository: self.policy.repository_rules(),
            finds_repository: true,
        }
    }

    pub(super) fn cache_scope(&self, source: &Source) -> CacheScope {
        if source.from.is_per_request() {
            return CacheScope::default();
        }
        let again = rechecks(source, self.host) && self.values.is_some();
        CacheScope { reads: if again { CacheReads::None } else { CacheReads::All }, keeps: true }
    }
}

/// Whether every ask checks the disk again: also if the operator confines projects, because a link may lead elsewhere now.
pub(super) fn rechecks(source: &Source, host: &HostFacts) -> bool {
    source.recheck == Recheck::EachAsk || host.allowed_dirs.is_some()
}

fn unresolved_reason(findings: &[Finding]) -> Reason {
    let has = |wanted: Reason| {
        findings.iter().any(
            |finding| matches!(&finding.result, SourceResult::Rejected { rejection, .. } if rejection.reason == wanted),
        )
    };
    [Reason::Ambiguous, Reason::OtherMachine].into_iter().find(|reason| has(*reason)).unwrap_or(Reason::NoProject)
}
