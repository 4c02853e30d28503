//! The folders that a model may name: the client's roots, the operator's project, and what is inside these.

use alloc::string::String;

use super::disk::{CacheReads, CacheScope, DiskLookup, DiskView, MarkerNeeds, PathInfo, Wanted};
use super::evaluate::{EvaluationContext, RootsAccess, SourceResult};
use super::repository::report::RepositoryQuestions;
use crate::api::event::EntryKind;
use crate::api::project::Project;
use crate::api::reason::Reason;
use crate::path;
use crate::path::rejection::Rejection;
use crate::policy::{MarkerNames, Source, SourceKind, Within};

/// The folder that is named.
#[derive(Clone, Copy)]
struct Folder<'a> {
    path: &'a str,
    real_path: Option<&'a String>,
    /// Whether it is on this machine.
    is_here: bool,
}

/// The result of a comparison that may need a probe.
enum Contained {
    Yes,
    No,
    /// There is nothing to compare with.
    NoBase,
    Unknown,
}

/// Folders to compare with belong to the connection, whoever names the other one.
const SCOPE: CacheScope = CacheScope { reads: CacheReads::All, keeps: true };

impl<'a> EvaluationContext<'a> {
    /// Checks that a source may name the folder of a project. What it returns must come first.
    pub(super) fn check_within(
        &self,
        source: &Source,
        project: &Project,
        disk: &mut DiskView<'_>,
    ) -> Result<Option<SourceResult>, Rejection> {
        let Some(path) = project.folder() else { return Ok(None) };
        let folder = Folder { path, real_path: project.real_path.as_ref(), is_here: project.path.is_some() };
        // A folder that is verified inside `allowedDirs` is within the operator's word.
        if source.within() == Within::Anywhere || (self.host.allowed_dirs.is_some() && folder.is_here) {
            return Ok(None);
        }
        let operator = if folder.is_here { self.operator_project(disk) } else { None };
        match operator {
            Some(SourceResult::Offers(ref project)) => {
                match project.path.as_ref().map(|base| self.contains(base, folder, disk)) {
                    Some(Contained::Yes) => return Ok(None),
                    Some(Contained::Unknown) => return Ok(Some(SourceResult::WaitDisk)),
                    Some(Contained::No | Contained::NoBase) | None => {}
                }
            }
            Some(waits) => return Ok(Some(waits)),
            None => {}
        }
        let list = match self.roots {
            RootsAccess::Known(list) => {
                disk.use_roots();
                Some(list)
            }
            RootsAccess::Wait => return Ok(Some(SourceResult::WaitRoots)),
            RootsAccess::Send => return Ok(Some(SourceResult::NeedSend)),
            RootsAccess::Input => return Ok(Some(SourceResult::NeedInput)),
            RootsAccess::Unavailable(_) => None,
        };
        if list.is_some_and(|list| list.has(project)) {
            return Ok(None);
        }
        let roots = || list.into_iter().flat_map(|list| &list.entries).filter_map(|entry| entry.path.as_ref().ok());
        // Of several roots, one that needs no disk check spares the others one.
        if roots().any(|root| self.is_plainly_inside(root, folder)) {
            return Ok(None);
        }
        let mut has_roots = false;
        let mut waits = false;
        for root in roots() {
            match self.contains(root, folder, disk) {
                Contained::Yes => return Ok(None),
                Contained::No => has_roots = true,
                Contained::NoBase => {}
                Contained::Unknown => waits = true,
            }
        }
        if waits {
            return Ok(Some(SourceResult::WaitDisk));
        }
        if has_roots {
            return Err(Rejection::at(Reason::NotInRoots, path));
        }
        if operator.is_some() {
            return Err(Rejection::at(Reason::Outside, path));
        }
        if folder.is_here { self.check_marked(source, path, disk) } else { Ok(None) }
    }

    /// The markers that one probe should look for, if it may be that only a marker vouches for the folders of a source.
    pub(super) fn wanted_markers(&self, source: &Source) -> Option<&'a MarkerNames> {
        let has_roots = match self.roots {
            RootsAccess::Known(list) => list.entries.iter().any(|entry| entry.path.is_ok()),
            RootsAccess::Unavailable(_) | RootsAccess::Wait | RootsAccess::Send | RootsAccess::Input => false,
        };
        let is_vouched_for = source.within() == Within::Anywhere || self.host.allowed_dirs.is_some();
        (!has_roots && !is_vouched_for).then(|| self.policy.project_markers())
    }

    /// The project that the operator named, or what must come first.
    fn operator_project(&self, disk: &mut DiskView<'_>) -> Option<SourceResult> {
        let sources =
            self.policy.config.sources.iter().enumerate().filter(|(_, source)| source.from == SourceKind::Configured);
        let mut results = sources.map(|(at, source)| self.ask(at, source, disk).result);
        results.find(|result| matches!(result, SourceResult::Offers(_) | SourceResult::WaitDisk))
    }

    /// Whether a folder is another one or inside it as far as their texts tell.
    fn is_plainly_inside(&self, base: &str, folder: Folder<'_>) -> bool {
        let style = if folder.is_here { self.host.style } else { self.host.client_style(base) };
        path::is_inside(base, folder.real_path.map_or(folder.path, String::as_str), style)
    }

    /// Whether a folder is another one or inside it: by real path, or by spelling where nothing else is known.
    fn contains(&self, base: &str, folder: Folder<'_>, disk: &mut DiskView<'_>) -> Contained {
        if self.is_plainly_inside(base, folder) {
            return Contained::Yes;
        }
        let Some(real) = folder.real_path else { return Contained::No };
        let none = MarkerNames::default();
        let wishes = RepositoryQuestions::by(self.policy.repository_rules());
        match disk.lookup(base, Wanted::markers(&none, MarkerNeeds::Nothing).wishing(wishes), SCOPE) {
            DiskLookup::Known(info)
                if info.real_path.as_ref().is_some_and(|base| path::is_inside(base, real, self.host.style)) =>
            {
                Contained::Yes
            }
            DiskLookup::Known(PathInfo { found: Some(EntryKind::Missing), .. }) => Contained::NoBase,
            DiskLookup::Known(_) | DiskLookup::Unconfirmed => Contained::No,
            DiskLookup::Unknown => Contained::Unknown,
        }
    }

    /// Checks that a folder has a project marker itself.
    fn check_marked(
        &self,
        source: &Source,
        path: &str,
        disk: &mut DiskView<'_>,
    ) -> Result<Option<SourceResult>, Rejection> {
        let (markers, scope) = (self.policy.project_markers(), self.cache_scope(source));
        match disk.lookup(path, Wanted::markers(markers, MarkerNeeds::One), scope) {
            DiskLookup::Known(info) if info.has_any(markers) => Ok(None),
            DiskLookup::Known(_) => Err(Rejection::at(Reason::NoMarker, path)),
            DiskLookup::Unconfirmed => Err(Rejection::at(Reason::Unconfirmed, path)),
            DiskLookup::Unknown => Ok(Some(SourceResult::WaitDisk)),
        }
    }
}
