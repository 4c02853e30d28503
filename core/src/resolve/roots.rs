//! Picking one of the client's roots.

use alloc::collections::BTreeSet;
use alloc::string::String;

use super::disk::DiskView;
use super::evaluate::{EvaluationContext, Finding, RootsAccess, SourceResult};
use super::value::{ParsedValue, Rejection, ValueParser};
use super::verify::{PathVerifier, Verified};
use crate::api::project::Project;
use crate::api::reason::Reason;
use crate::path;
use crate::peer::root_list::{RootEntry, RootList, uri_key};
use crate::policy::{BadOutcome, Format, NonFile, OnUnusable, Pick, Relative, Source};

impl EvaluationContext<'_> {
    pub(super) fn pick_root(&self, at: usize, source: &Source, disk: &mut DiskView<'_>, finding: &mut Finding) {
        let list = match self.roots {
            RootsAccess::Known(list) => list,
            RootsAccess::Wait => return finding.result = SourceResult::WaitRoots,
            RootsAccess::Send => return finding.result = SourceResult::NeedSend,
            RootsAccess::Input => return finding.result = SourceResult::NeedInput,
            RootsAccess::Unavailable(state) => return finding.result = SourceResult::Unavailable(state),
        };
        let rules = &self.policy.roots;
        if list.entries.is_empty() {
            return;
        }
        let unpicked = |reason: Reason, ends: bool| SourceResult::Rejected {
            rejection: Rejection::new(reason),
            ends,
            status: None,
        };
        if rules.pick == Pick::Chosen {
            return finding.result = unpicked(Reason::NotChosen, false);
        }
        let target = self.target.and_then(|target| self.containing(target, list));
        if rules.pick == Pick::Only && target.is_none() && distinct(list) > 1 {
            return finding.result = unpicked(Reason::Ambiguous, rules.ambiguity == BadOutcome::Error);
        }
        let mut first_rejected = None;
        let mut waits = false;
        for entry in target.into_iter().chain(&list.entries) {
            let result = self.judge_root(at, source, entry, list, disk);
            if disk.thorough {
                continue;
            }
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
            Reason::NotFileUri => self.policy.roots.non_file == NonFile::Skip,
            _ => matches!(self.policy.roots.on_unusable, OnUnusable::NextRoot | OnUnusable::Accept),
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
        let rules = &self.policy.roots;
        let rejected =
            |rejection: Rejection, ends: bool| SourceResult::Rejected { rejection, ends, status: source.status };
        let path = match &entry.path {
            Ok(path) => path,
            Err(rejection) if rejection.reason == Reason::NotFileUri => {
                return match rules.non_file {
                    NonFile::NameOnly => {
                        match self.maker().admit(Project::from_root(entry, list, None, self.maker())) {
                            Ok(project) => SourceResult::offers(project),
                            Err(rejection) => rejected(rejection, false),
                        }
                    }
                    NonFile::Error => rejected(rejection.clone(), true),
                    NonFile::Skip | NonFile::NextSource => rejected(rejection.clone(), false),
                };
            }
            Err(rejection) => return rejected(rejection.clone(), rules.on_unusable == OnUnusable::Error),
        };
        let verifier = PathVerifier {
            files: Some(rules.files),
            accept_missing: rules.on_unusable == OnUnusable::Accept,
            ..self.verifier(at, source)
        };
        match verifier.for_client().verify(path, disk) {
            Verified::Accepted(folder) => {
                match self.maker().admit(Project::from_root(entry, list, Some(folder), self.maker())) {
                    Ok(project) => SourceResult::offers(project),
                    Err(rejection) => rejected(rejection, rules.on_unusable == OnUnusable::Error),
                }
            }
            Verified::Wait => SourceResult::WaitDisk,
            Verified::Rejected(rejection) => rejected(rejection, rules.on_unusable == OnUnusable::Error),
        }
    }

    /// The deepest root that contains a path.
    fn containing<'l>(&self, target: &str, list: &'l RootList) -> Option<&'l RootEntry> {
        let parser = ValueParser {
            host: self.host,
            format: Format::PathOrUri,
            relative: Relative::Refuse,
            from_client: true,
            value_bytes: self.policy.limits.value_bytes,
        };
        let Ok(ParsedValue::Path(target)) = parser.parse(target) else { return None };
        let contains = |entry: &&RootEntry| {
            entry.path.as_ref().is_ok_and(|root| path::is_inside(root, &target, self.host.client_style(root)))
        };
        let depth = |entry: &&RootEntry| entry.path.as_ref().map_or(0, String::len);
        // Of equally deep ones the first counts; `max_by_key` alone would take the last.
        list.entries.iter().rev().filter(contains).max_by_key(depth)
    }
}

/// The number of different roots.
fn distinct(list: &RootList) -> usize {
    let mut keys = BTreeSet::new();
    for entry in &list.entries {
        keys.insert(entry.key.clone().unwrap_or_else(|| uri_key(&entry.sent.uri)));
    }
    keys.len()
}
