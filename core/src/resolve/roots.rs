//! Picking one of the client's roots.

use alloc::string::{String, ToString};

use super::disk::DiskView;
use super::evaluate::{EvaluationContext, Finding, RootsAccess, SourceResult};
use super::sources::rejected;
use super::value::{ParsedValue, ValueParser};
use super::verify::{PathVerifier, Verified};
use crate::api::project::{Project, RootView};
use crate::api::reason::Reason;
use crate::path;
use crate::path::rejection::Rejection;
use crate::peer::root_list::{RootEntry, RootList};
use crate::policy::{BadOutcome, Format, Links, NonFile, OnUnusable, Pick, Relative, Source, SourceKind, Verify};

impl EvaluationContext<'_> {
    pub(super) fn pick_root(&self, at: usize, source: &Source, disk: &mut DiskView<'_>, finding: &mut Finding) {
        let list = match self.roots {
            RootsAccess::Known(list) => {
                disk.use_roots();
                list
            }
            RootsAccess::Wait => return finding.result = SourceResult::WaitRoots,
            RootsAccess::Send => return finding.result = SourceResult::NeedSend,
            RootsAccess::Input => return finding.result = SourceResult::NeedInput,
            RootsAccess::Unavailable(state) => return finding.result = SourceResult::Unavailable(state),
        };
        let rules = &self.policy.config.roots;
        if list.entries.is_empty() {
            return;
        }
        let target = match self.target.map_or(Ok(None), |target| self.containing(target, list)) {
            Ok(root) => root,
            // It was meant to tell them apart, and a guess could pick the wrong one.
            Err(rejection) if has_several(list) => {
                finding.value = self.target.map(ToString::to_string);
                return finding.result = SourceResult::Rejected { rejection, ends: true, status: source.status };
            }
            Err(_) => None,
        };
        finding.is_guess = target.is_none() && has_several(list);
        if rules.pick == Pick::Only && finding.is_guess {
            let (rejection, ends) = (Rejection::new(Reason::Ambiguous), rules.ambiguity == BadOutcome::Error);
            return finding.result = SourceResult::Rejected { rejection, ends, status: None };
        }
        let mut first_rejected = None;
        let mut waits = false;
        for entry in target.into_iter().chain(&list.entries) {
            let result = self.judge_root(at, source, entry, list, disk);
            match result {
                SourceResult::Rejected { rejection, ends, status } => {
                    let stop = ends || !self.continues_after(&rejection);
                    // That a folder is on another machine says more than what is wrong with the roots before it.
                    if first_rejected.is_none() || ends || rejection.reason == Reason::OtherMachine {
                        finding.value = Some(entry.sent.uri.clone());
                        first_rejected = Some(SourceResult::Rejected { rejection, ends, status });
                    }
                    if stop {
                        break;
                    }
                }
                // The later ones are checked too, so that one probe serves all.
                SourceResult::WaitDisk => waits = true,
                result => {
                    if !waits {
                        finding.value = Some(entry.sent.uri.clone());
                        finding.named.clone_from(&entry.key);
                        return finding.result = result;
                    }
                    break;
                }
            }
            if waits && rules.on_unusable != OnUnusable::NextRoot {
                break;
            }
        }
        finding.result = if waits { SourceResult::WaitDisk } else { first_rejected.unwrap_or(SourceResult::Absent) };
    }

    fn continues_after(&self, rejection: &Rejection) -> bool {
        match rejection.reason {
            Reason::NotFileUri => self.policy.config.roots.non_file == NonFile::Skip,
            _ => matches!(self.policy.config.roots.on_unusable, OnUnusable::NextRoot | OnUnusable::Accept),
        }
    }

    fn judge_root(
        &self,
        at: usize,
        source: &Source,
        entry: &RootEntry,
        list: &RootList,
        disk: &mut DiskView<'_>,
    ) -> SourceResult {
        let rules = &self.policy.config.roots;
        let rejected =
            |rejection: Rejection, ends: bool| SourceResult::Rejected { rejection, ends, status: source.status };
        let path = match &entry.path {
            Ok(path) => path,
            Err(_) if entry.is_identity(self.policy) => {
                return match self.factory().require_path(Project::from_root(entry, list, None, self.factory())) {
                    Ok(project) => SourceResult::offers(project),
                    Err(rejection) => rejected(rejection, false),
                };
            }
            Err(rejection) if rejection.reason == Reason::NotFileUri => {
                return rejected(rejection.clone(), rules.non_file == NonFile::Error);
            }
            Err(rejection) => return rejected(rejection.clone(), rules.on_unusable == OnUnusable::Error),
        };
        let verifier = PathVerifier {
            files: Some(rules.files),
            accept_missing: self.accepts_missing(source),
            ..self.verifier(at, source)
        };
        match verifier.for_client().verify(path, disk) {
            Verified::Accepted(folder) => {
                match self.factory().require_path(Project::from_root(entry, list, Some(folder), self.factory())) {
                    Ok(project) => SourceResult::offers(project),
                    Err(rejection) => rejected(rejection, rules.on_unusable == OnUnusable::Error),
                }
            }
            Verified::Wait => SourceResult::WaitDisk,
            Verified::Rejected(rejection) => rejected(rejection, rules.on_unusable == OnUnusable::Error),
        }
    }

    /// The project of the root that a value names, if there is one; the error is what comes of the value otherwise.
    pub(super) fn named_root(
        &self,
        at: usize,
        source: &Source,
        name: &str,
        disk: &mut DiskView<'_>,
    ) -> Result<Option<Project>, SourceResult> {
        let list = match self.roots {
            RootsAccess::Known(list) => list,
            RootsAccess::Wait => return Err(SourceResult::WaitRoots),
            RootsAccess::Send => return Err(SourceResult::NeedSend),
            RootsAccess::Input => return Err(SourceResult::NeedInput),
            RootsAccess::Unavailable(_) => return Ok(None),
        };
        disk.use_roots();
        let named = list.named(name, self.host);
        let entry = match named.as_slice() {
            [] if list.entries.is_empty() => return Ok(None),
            [] => return Err(rejected(source, Rejection::new(Reason::NotInRoots))),
            [entry] => entry,
            _ => return Err(rejected(source, Rejection::new(Reason::Ambiguous))),
        };
        let made = |folder| {
            let project = Project::from_root(entry, list, folder, self.factory()).called(name, entry);
            Ok(Some(Project { source: source.from, ..project }))
        };
        let verifier = PathVerifier { files: Some(self.policy.config.roots.files), ..self.verifier(at, source) };
        match &entry.path {
            Ok(path) => match verifier.for_client().verify(path, disk) {
                Verified::Accepted(folder) => made(Some(folder)),
                Verified::Rejected(rejection) => Err(rejected(source, rejection)),
                Verified::Wait => Err(SourceResult::WaitDisk),
            },
            Err(_) if entry.is_identity(self.policy) => made(None),
            Err(rejection) => Err(rejected(source, rejection.clone())),
        }
    }

    /// A root as a list shows it: verified as a folder, whether or not it would be picked. `None` while the host must probe.
    pub(super) fn root_view(&self, entry: &RootEntry, disk: &mut DiskView<'_>) -> Option<RootView> {
        let mut view = entry.view();
        let Ok(path) = &entry.path else { return Some(view) };
        let default = Source::new(SourceKind::Roots);
        let at = self.policy.config.sources.iter().position(|source| source.from == SourceKind::Roots);
        let source = at.and_then(|at| self.policy.config.sources.get(at)).unwrap_or(&default);
        let verifier = PathVerifier {
            files: Some(self.policy.config.roots.files),
            links: Links::Keep,
            verify: Verify::Directory,
            refine: None,
            markers: None,
            finds_repository: false,
            ..self.verifier(at.unwrap_or(0), source)
        };
        match verifier.for_client().verify(path, disk) {
            Verified::Wait => return None,
            Verified::Accepted(folder) if folder.on_client_machine => {
                view.problem = self.policy.config.require_path.then_some(Reason::OtherMachine);
            }
            Verified::Accepted(folder) => {
                view.root.path = Some(folder.path);
                view.exists = Some(true);
                view.usable = folder.real_path.is_some();
                view.real_path = folder.real_path;
            }
            Verified::Rejected(rejection) => {
                view.problem = Some(rejection.reason);
                view.exists = matches!(rejection.reason, Reason::Missing | Reason::OtherSystem).then_some(false);
                // The folder of a client on another machine is one of this machine only if that was verified.
                view.root.path.take_if(|_| !self.host.is_local());
            }
        }
        Some(view)
    }

    /// The deepest root that contains a path; the error says why the path can be compared with none.
    fn containing<'l>(&self, target: &str, list: &'l RootList) -> Result<Option<&'l RootEntry>, Rejection> {
        let parser = ValueParser {
            host: self.host,
            format: Format::PathOrUri,
            relative: Relative::Refuse,
            from_client: true,
            value_bytes: self.policy.config.limits.value_bytes,
        };
        let (ParsedValue::Path(target) | ParsedValue::Name(target)) = parser.parse(target)?;
        let contains = |entry: &&RootEntry| {
            entry.path.as_ref().is_ok_and(|root| path::is_inside(root, &target, self.host.client_style(root)))
        };
        let depth = |entry: &&RootEntry| entry.path.as_ref().map_or(0, String::len);
        // Of equally deep ones the first counts; `max_by_key` alone would take the last.
        Ok(list.entries.iter().rev().filter(contains).max_by_key(depth))
    }
}

/// Whether there are different roots.
fn has_several(list: &RootList) -> bool {
    let mut identities = list.entries.iter().map(RootEntry::identity);
    let first = identities.next();
    identities.any(|other| Some(other) != first)
}
