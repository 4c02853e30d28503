//! The checks of one path: its place, the operator's limits, and its state on disk.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::disk::{CacheScope, DiskLookup, DiskView, MarkerNeeds, PathInfo, Wanted};
use super::repository::report::RepositoryQuestions;
use super::repository::{Found, Search};
use crate::api::event::EntryKind;
use crate::api::host::HostFacts;
use crate::api::project::{Project, Repository};
use crate::api::reason::Reason;
use crate::path::rejection::Rejection;
use crate::path::{self, Anchor, Parsed, PathStyle, Refusal};
use crate::policy::{ExcludedDirsRule, Files, Links, MarkerNames, Markers, RepositoryRules, Unmarked, Verify};

/// The rules for checking a path.
pub(crate) struct PathVerifier<'a> {
    pub(crate) host: &'a HostFacts,
    pub(crate) excluded_dirs: ExcludedDirsRule,
    pub(crate) links: Links,
    pub(crate) verify: Verify,
    /// The meaning of a file, where a file is possible.
    pub(crate) files: Option<Files>,
    /// Whether a path that does not exist is accepted.
    pub(crate) accept_missing: bool,
    pub(crate) refine: Option<Refine<'a>>,
    /// Markers to look for although no walk needs them.
    pub(crate) markers: Option<&'a MarkerNames>,
    pub(crate) scope: CacheScope,
    /// Whether the path is one on another machine.
    pub(crate) on_client_machine: bool,
    /// How the folder's repository is looked for, if it is.
    pub(crate) repository: Option<RepositoryRules>,
    /// Whether the repository is part of the result; if not, the first probe looks for it nevertheless, so that one probe serves
    /// all.
    pub(crate) finds_repository: bool,
}

/// A walk to a marked folder, and every marker of it.
#[derive(Clone, Copy)]
pub(crate) struct Refine<'a> {
    markers: &'a Markers,
    names: &'a MarkerNames,
    /// The number of folders to check.
    levels: u32,
}

impl<'a> From<(&'a Markers, &'a MarkerNames)> for Refine<'a> {
    fn from((markers, names): (&'a Markers, &'a MarkerNames)) -> Self {
        Self { markers, names, levels: markers.levels }
    }
}

/// The verdict on a path.
#[allow(clippy::large_enum_variant, reason = "it exists only while a path is checked")]
pub(crate) enum Verified {
    Accepted(Folder),
    Rejected(Rejection),
    /// The host must probe first.
    Wait,
}

/// A folder that may be a project.
pub(crate) struct Folder {
    pub(crate) path: String,
    pub(crate) real_path: Option<String>,
    /// Whether it is on another machine.
    pub(crate) on_client_machine: bool,
    pub(crate) repository: Option<Box<Repository>>,
}

impl Folder {
    const fn new(path: String, real_path: Option<String>, on_client_machine: bool) -> Self {
        Self { path, real_path, on_client_machine, repository: None }
    }
}

/// A step of a check: `None` while the host must probe first.
type Step<T> = Result<Option<T>, Rejection>;

impl PathVerifier<'_> {
    pub(crate) fn verify(&self, path: &str, disk: &mut DiskView<'_>) -> Verified {
        match self.check(path, disk) {
            Ok(Some(folder)) => Verified::Accepted(folder),
            Ok(None) => Verified::Wait,
            Err(rejection) if self.accepts(path, rejection.reason) => {
                Verified::Accepted(Folder::new(path.to_string(), None, self.on_client_machine))
            }
            Err(rejection) if self.reveals_disk_state(rejection.reason) => {
                Verified::Rejected(Rejection::at(Reason::Outside, path))
            }
            Err(rejection) => Verified::Rejected(rejection),
        }
    }

    /// Whether the operator confines projects to certain folders: then a path counts only by its real path, as a probe
    /// reports it.
    const fn is_confined(&self) -> bool {
        self.host.allowed_dirs.is_some()
    }

    /// Whether a reason would tell a remote caller about this disk: everything that is not verified to be inside the
    /// allowed folders gets the same answer.
    fn reveals_disk_state(&self, reason: Reason) -> bool {
        self.is_confined() && !self.host.is_local() && is_found_by_probe(reason)
    }

    /// Whether a path is accepted as it is spelled, whatever the disk says or does not say about it.
    fn accepts(&self, path: &str, reason: Reason) -> bool {
        self.accept_missing
            && is_found_by_probe(reason)
            && !self.is_confined()
            && !is_closed_share(path, self.host)
            && self.check_excluded(path, false).is_ok()
    }

    /// The same for a path that the client spelled: if its folder is on another machine, nothing is checked here.
    pub(crate) fn for_client(self) -> Self {
        if self.host.reaches_client_folders() {
            return self;
        }
        Self { verify: Verify::None, refine: None, markers: None, repository: None, on_client_machine: true, ..self }
    }

    /// The same for the folder of a project that was found before: it is checked where it is. What was the folder of a
    /// root must still be a folder.
    pub(crate) fn for_stored(self, project: &Project) -> Self {
        let looks = self.verify != Verify::None || self.is_confined();
        let verify = if project.root.is_some() && looks { Verify::Directory } else { self.verify };
        let refine = self.refine.map(|refine| Refine { levels: 1, ..refine });
        Self { links: Links::Keep, verify, refine, ..self }
    }

    fn check(&self, path: &str, disk: &mut DiskView<'_>) -> Step<Folder> {
        if path.chars().any(char::is_control) {
            // A URI may contain them, but no user means such a folder.
            return Err(Rejection { detail: Some(Refusal::Control.code()), ..Rejection::new(Reason::Invalid) });
        }
        self.check_allowed(path)?;
        // A marker may yet vouch for some excluded folders, never for the others.
        self.check_excluded(path, self.refine.is_some())?;
        let Some(folder) = self.check_disk(path, disk)? else { return Ok(None) };
        self.check_real(&folder.path, folder.real_path.as_deref(), self.refine.is_some())?;
        let folder = self.followed(folder)?;
        let Some(refine) = self.refine else { return self.with_repository(path, folder, disk) };
        let Some(marked) = self.walk(&folder.path, refine, disk)? else { return Ok(None) };
        let is_marked = marked.is_some();
        let folder = match marked {
            Some(marked) if marked.path != folder.path => {
                self.check_real(&marked.path, marked.real_path.as_deref(), true)?;
                marked
            }
            _ => {
                self.check_real(&folder.path, folder.real_path.as_deref(), is_marked)?;
                folder
            }
        };
        self.check_excluded(&folder.path, is_marked)?;
        self.check_allowed(&folder.path)?;
        self.with_repository(path, folder, disk)
    }

    /// Adds the repository to a folder to which the check of a path led. A project whose identity depends on a repository that
    /// cannot be checked in time would be mistaken for another one.
    fn with_repository(&self, start: &str, folder: Folder, disk: &mut DiskView<'_>) -> Step<Folder> {
        let looks = |rules: &RepositoryRules| {
            self.finds_repository && (rules.decides || self.verify != Verify::None || self.is_confined())
        };
        let Some(rules) = self.repository.filter(looks) else { return Ok(Some(folder)) };
        let search = Search { host: self.host, rules, scope: self.scope };
        match search.find(start, &folder, disk) {
            Found::Here(repository) => Ok(Some(Folder { repository: Some(repository.into()), ..folder })),
            Found::Unconfirmed if rules.decides => Err(Rejection::at(Reason::Unconfirmed, &folder.path)),
            Found::Nothing | Found::Unconfirmed => Ok(Some(folder)),
            Found::Wait => Ok(None),
        }
    }

    /// The folder that stands for a probed one: itself, or what it really is.
    fn followed(&self, folder: Folder) -> Result<Folder, Rejection> {
        match (self.links, folder.real_path) {
            (Links::Follow, Some(real)) if is_closed_share(&real, self.host) => {
                Err(Rejection::at(Reason::Unconfirmed, &folder.path))
            }
            (Links::Follow, Some(real)) => Ok(Folder { path: real.clone(), real_path: Some(real), ..folder }),
            (_, real_path) => Ok(Folder { real_path, ..folder }),
        }
    }

    /// Checks the real path of a folder: a link must lead neither out of the allowed folders nor to an excluded one.
    fn check_real(&self, path: &str, real_path: Option<&str>, marked: bool) -> Result<(), Rejection> {
        match real_path {
            Some(real) => {
                self.check_allowed(real).map_err(|_| Rejection::at(Reason::Outside, path))?;
                let hidden = self.is_confined() && !self.host.is_local();
                self.check_excluded(real, marked)
                    .map_err(|rejection| Rejection::at(if hidden { Reason::Outside } else { rejection.reason }, path))
            }
            None if self.is_confined() => Err(Rejection::at(Reason::Outside, path)),
            None => Ok(()),
        }
    }

    fn check_allowed(&self, path: &str) -> Result<(), Rejection> {
        if self.host.allows(path) { Ok(()) } else { Err(Rejection::at(Reason::Outside, path)) }
    }

    fn check_excluded(&self, path: &str, marked: bool) -> Result<(), Rejection> {
        let kind =
            if self.on_client_machine { kind_on_client_machine(path, self.host) } else { folder_kind(path, self.host) };
        let refused = match (self.excluded_dirs, kind) {
            (ExcludedDirsRule::Allow, _) | (_, FolderKind::Ordinary) => None,
            (ExcludedDirsRule::Named, FolderKind::Top) => Some(Reason::Nameless),
            (ExcludedDirsRule::Named, _) => None,
            (ExcludedDirsRule::Refuse, FolderKind::Top | FolderKind::Home) => Some(Reason::ExcludedDir),
            (ExcludedDirsRule::Refuse, FolderKind::SystemOrTemp) => (!marked).then_some(Reason::ExcludedDir),
        };
        refused.map_or(Ok(()), |reason| Err(Rejection::at(reason, path)))
    }

    fn check_disk(&self, path: &str, disk: &mut DiskView<'_>) -> Step<Folder> {
        let on_client_machine = self.on_client_machine;
        let as_spelled = |real_path| Ok(Some(Folder::new(path.to_string(), real_path, on_client_machine)));
        let verify = if self.is_confined() { self.verify.max(Verify::Exists) } else { self.verify };
        let style = if on_client_machine { self.host.client_style(path) } else { self.host.style };
        if path::is_unc(path, style) && !self.host.probe_shares {
            return Err(Rejection::at(Reason::Unconfirmed, path));
        }
        if verify == Verify::None {
            return as_spelled(None);
        }
        let none = MarkerNames::default();
        let markers = self.refine.map(|refine| refine.names).or(self.markers).unwrap_or(&none);
        let wanted = Wanted::markers(markers, MarkerNeeds::Nothing).wishing(RepositoryQuestions::by(self.repository));
        let info = match disk.lookup(path, wanted, self.scope) {
            DiskLookup::Known(info) => info,
            DiskLookup::Unconfirmed => return Err(Rejection::at(Reason::Unconfirmed, path)),
            DiskLookup::Unknown => {
                self.request_walk(path, disk);
                return Ok(None);
            }
        };
        let real = info.real_path.clone();
        match (info.found, verify) {
            (Some(EntryKind::Directory), _) => as_spelled(real),
            (Some(EntryKind::File), _) if self.files == Some(Files::Parent) => {
                let parent = path::parent(path, style).ok_or_else(|| Rejection::at(Reason::NotDirectory, path))?;
                self.check_allowed(&parent)?;
                self.check_excluded(&parent, false)?;
                if !self.is_confined() {
                    // The parent of a linked file is not the parent of what the link leads to.
                    let real_path = real.filter(|real| real == path).and_then(|real| path::parent(&real, style));
                    return Ok(Some(Folder::new(parent, real_path, on_client_machine)));
                }
                match disk.lookup(&parent, Wanted::markers(&none, MarkerNeeds::Nothing), self.scope) {
                    DiskLookup::Known(info) if info.found == Some(EntryKind::Directory) => {
                        Ok(Some(Folder::new(parent, info.real_path.clone(), on_client_machine)))
                    }
                    DiskLookup::Known(_) => Err(Rejection::at(Reason::NotDirectory, path)),
                    DiskLookup::Unconfirmed => Err(Rejection::at(Reason::Unconfirmed, path)),
                    DiskLookup::Unknown => Ok(None),
                }
            }
            (Some(EntryKind::File), Verify::Exists) if self.files.is_none() => as_spelled(real),
            (Some(EntryKind::File), _) => Err(Rejection::at(Reason::NotDirectory, path)),
            (Some(EntryKind::Unreadable), _) => Err(Rejection::at(Reason::Unreadable, path)),
            _ => Err(Rejection::at(reason_for_missing(path, style), path)),
        }
    }

    /// Walks up to the best marked folder, if there is one.
    fn walk(&self, start: &str, refine: Refine<'_>, disk: &mut DiskView<'_>) -> Step<Option<Folder>> {
        let mut seen: Vec<(String, &PathInfo)> = Vec::new();
        let mut waiting = false;
        for folder in self.folders(start, refine.levels) {
            match disk.lookup(&folder, Wanted::markers(refine.names, MarkerNeeds::All), self.scope) {
                DiskLookup::Known(info) => seen.push((folder, info)),
                DiskLookup::Unconfirmed => {}
                DiskLookup::Unknown => waiting = true,
            }
        }
        if waiting {
            return Ok(None);
        }
        for tier in &refine.markers.tiers {
            let least = crate::policy::to_usize(tier.at_least);
            let marked =
                |info: &PathInfo| tier.names.iter().filter(|name| info.markers.contains(name)).count() >= least;
            if let Some((path, info)) = seen.iter().find(|(_, info)| marked(info)) {
                let real_path = info.real_path.clone();
                return Ok(Some(Some(Folder::new(path.clone(), real_path, self.on_client_machine))));
            }
        }
        match refine.markers.otherwise {
            Unmarked::Start => Ok(Some(None)),
            Unmarked::Reject => Err(Rejection::at(Reason::NoMarker, start)),
        }
    }

    /// Records the folders above the start of a walk that cannot begin yet, so that one probe serves all. (A link that is
    /// followed needs another.)
    fn request_walk(&self, start: &str, disk: &mut DiskView<'_>) {
        if let Some(refine) = self.refine {
            for folder in self.folders(start, refine.levels).filter(|folder| folder != start) {
                let _ = disk.lookup(&folder, Wanted::markers(refine.names, MarkerNeeds::All), self.scope);
            }
        }
    }

    /// The folder and those above it, below home, below the top, and inside the allowed folders.
    fn folders(&self, start: &str, levels: u32) -> impl Iterator<Item = String> {
        let is_open = |folder: &String| {
            !matches!(folder_kind(folder, self.host), FolderKind::Top | FolderKind::Home)
                && self.check_allowed(folder).is_ok()
        };
        let upwards = core::iter::successors(Some(start.to_string()), |folder| path::parent(folder, self.host.style));
        upwards.take(crate::policy::to_usize(levels)).take_while(is_open)
    }
}

/// Whether a path is on a share that may not be contacted: opening a UNC path contacts its host, so that without
/// `probe_shares` it is never a project.
pub(super) fn is_closed_share(path: &str, host: &HostFacts) -> bool {
    path::is_unc(path, host.style) && !host.probe_shares
}

/// Whether a reason is about the disk, not about the place.
const fn is_found_by_probe(reason: Reason) -> bool {
    matches!(
        reason,
        Reason::Missing
            | Reason::OtherSystem
            | Reason::NotDirectory
            | Reason::Unreadable
            | Reason::Unconfirmed
            | Reason::NoMarker
    )
}

/// A POSIX path that begins with a drive comes from the URI of a Windows path.
fn reason_for_missing(path: &str, style: PathStyle) -> Reason {
    let drive = path.strip_prefix('/').filter(|_| style == PathStyle::Posix);
    if drive.is_some_and(|path| path::is_absolute(path, PathStyle::Windows)) {
        Reason::OtherSystem
    } else {
        Reason::Missing
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FolderKind {
    Ordinary,
    /// `/`, a drive, a share.
    Top,
    Home,
    /// A temporary, system or install folder.
    SystemOrTemp,
}

/// The kind of a folder on another machine, where only the top is known: home and the others are folders of this one.
fn kind_on_client_machine(path: &str, host: &HostFacts) -> FolderKind {
    match path::basename(path, host.client_style(path)) {
        Some(_) => FolderKind::Ordinary,
        None => FolderKind::Top,
    }
}

pub(super) fn folder_kind(path: &str, host: &HostFacts) -> FolderKind {
    let style = host.style;
    let dirs = &host.excluded_dirs;
    let Ok(folder) = Parsed::absolute(path, style) else { return FolderKind::Ordinary };
    let below = |other: &String| Parsed::absolute(other, style).is_ok_and(|other| folder.below(&other).is_some());
    let same = |other: &String| {
        Parsed::absolute(other, style).is_ok_and(|other| folder.below(&other).is_some_and(<[_]>::is_empty))
    };
    if folder.names.is_empty() {
        FolderKind::Top
    } else if dirs.home.iter().any(same) {
        FolderKind::Home
    } else if dirs.temporary.iter().any(same) || dirs.install.iter().any(below) || is_system(&folder) {
        FolderKind::SystemOrTemp
    } else {
        FolderKind::Ordinary
    }
}

/// `System32` of any drive, where desktop programs on Windows start their servers.
fn is_system(folder: &Parsed<'_>) -> bool {
    match folder.names.as_slice() {
        [windows, system, ..] if matches!(folder.anchor, Anchor::Drive(_)) => {
            windows.eq_ignore_ascii_case("windows") && system.eq_ignore_ascii_case("system32")
        }
        _ => false,
    }
}
