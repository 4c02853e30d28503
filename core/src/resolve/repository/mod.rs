//! The repository of a folder: what the reports on its `.git`, `.jj` or `.hg` say.
//!
//! Everything that a repository's files say is data of a stranger. A `.git` file may lead anywhere, so that a worktree counts as
//! one only if the repository that it names lists it and says the same; otherwise a downloaded folder could claim to be any
//! other project of the user.

mod remote;
pub(crate) mod report;
mod texts;

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};

use self::report::{Marked, RepositoryQuestions};
use super::disk::{CacheScope, DiskLookup, DiskView, MarkerNeeds, PathInfo, Wanted};
use super::verify::{Folder, FolderKind, folder_kind, is_closed_share};
use crate::api::action::SharedBy;
use crate::api::event::EntryKind;
use crate::api::host::HostFacts;
use crate::api::project::{Project, Repository, RepositoryKind, Worktree};
use crate::path::map::map_path;
use crate::path::name::slug_with_id;
use crate::path::uri::project_id;
use crate::path::{self, Parsed};
use crate::policy::{Identity, MarkerNames, RepositoryRules};

/// What the key of a repository without a main checkout starts with. A folder has no such key: whoever can put files into a
/// folder could otherwise make it the repository of another one.
const BARE: &str = "bare:";

/// A search for the repository of a folder.
pub(super) struct Search<'a> {
    pub(super) host: &'a HostFacts,
    pub(super) rules: RepositoryRules,
    pub(super) scope: CacheScope,
}

/// The result of a search that may need further probes.
pub(super) enum Found<T> {
    Here(T),
    Nothing,
    /// The host was asked and did not reply in time.
    Unconfirmed,
    /// The host must probe first.
    Wait,
}

/// Passes on what ends a search early.
macro_rules! here {
    ($found:expr) => {
        match $found {
            Found::Here(value) => value,
            Found::Nothing => return Found::Nothing,
            Found::Unconfirmed => return Found::Unconfirmed,
            Found::Wait => return Found::Wait,
        }
    };
}

/// Where a repository keeps its data, as far as its checkout says so.
struct Checkout {
    /// The folder that gives the repository its identity.
    identity: String,
    worktree: Option<Worktree>,
    broken: bool,
    /// The folder with its configuration.
    config: Option<String>,
}

impl Checkout {
    /// A checkout that shares its repository with no other one.
    fn own(marked: &Marked, config: Option<String>) -> Self {
        Self { identity: marked.path.clone(), worktree: None, broken: false, config }
    }

    fn broken(marked: &Marked) -> Self {
        Self { broken: true, ..Self::own(marked, None) }
    }

    /// The same with this main checkout.
    fn of(self, main: String) -> Self {
        let worktree = self.worktree.map(|worktree| Worktree { main: Some(main.clone()), ..worktree });
        Self { identity: main, worktree, ..self }
    }
}

impl Search<'_> {
    /// Finds the repository of a folder to which a check of another path led.
    pub(super) fn find(&self, start: &str, folder: &Folder, disk: &mut DiskView<'_>) -> Found<Repository> {
        let real = folder.real_path.as_deref().unwrap_or(&folder.path);
        let marked = here!(self.marked(start, &folder.path, real, disk));
        let checkout = here!(self.checkout(&marked, disk));
        let remote = match checkout.config.as_deref().filter(|_| self.rules.remote) {
            Some(config) => {
                // It may be a link, and the host knows no folders of a caller.
                let (real, info) = here!(self.look(config, RepositoryQuestions::CONFIG, disk));
                info.repository.files().remote.clone().filter(|_| self.may_use(&real))
            }
            None => None,
        };
        let Some(inside) = self.inside(&marked.path, real) else { return Found::Nothing };
        let is_bare = checkout.worktree.as_ref().is_some_and(|worktree| worktree.main.is_none());
        let key = path::key(&checkout.identity, self.host.style).unwrap_or_else(|_| checkout.identity.clone());
        let key = if is_bare { format!("{BARE}{key}") } else { key };
        Found::Here(Repository {
            name: self.name(&checkout.identity),
            id: project_id(&key),
            key,
            kind: match marked.name.as_str() {
                ".jj" => RepositoryKind::Jj,
                ".hg" => RepositoryKind::Hg,
                _ => RepositoryKind::Git,
            },
            path: marked.path,
            inside,
            worktree: checkout.worktree,
            broken: checkout.broken,
            remote,
        })
    }

    /// The nearest marked folder at or above a folder. The report on the path where the check started tells it too, if that is
    /// below the folder and the marked one is not between them.
    fn marked(&self, start: &str, folder: &str, real: &str, disk: &mut DiskView<'_>) -> Found<Marked> {
        let style = self.host.style;
        let (from, info) = here!(self.look(start, RepositoryQuestions::NEAREST, disk));
        let mut found = info.repository.nearest.as_deref();
        let is_above = |marked: &Marked| path::is_inside(&marked.path, real, style);
        if start != folder && !(path::is_inside(real, &from, style) && found.is_none_or(is_above)) {
            let (_, info) = here!(self.look(folder, RepositoryQuestions::NEAREST, disk));
            found = info.repository.nearest.as_deref();
        }
        let counts = |marked: &&Marked| {
            is_above(marked)
                && self.may_use(&marked.path)
                && !matches!(folder_kind(&marked.path, self.host), FolderKind::Top | FolderKind::Home)
        };
        let Some(marked) = found.filter(counts) else { return Found::Nothing };
        let path = path::absolute(&marked.path, style).unwrap_or_else(|_| marked.path.clone());
        Found::Here(Marked { path, ..marked.clone() })
    }

    fn checkout(&self, marked: &Marked, disk: &mut DiskView<'_>) -> Found<Checkout> {
        let style = self.host.style;
        let Ok(entry) = path::join(&marked.path, &marked.name, style) else { return Found::Nothing };
        if marked.name == ".jj" && self.rules.remote {
            let config = here!(self.config_of_jj(&entry, disk));
            return Found::Here(Checkout::own(marked, config));
        }
        if marked.is_folder || marked.name != ".git" {
            return Found::Here(Checkout::own(marked, Some(entry)));
        }
        let data = marked.leads_to.as_ref().and_then(|to| self.led(&marked.path, to));
        let Some(data) = data.filter(|data| self.may_use(data)) else {
            return Found::Here(Checkout::broken(marked));
        };
        let (data, info) = match self.look(&data, RepositoryQuestions::LINKS, disk) {
            Found::Here((data, info)) if info.found == Some(EntryKind::Directory) && self.may_use(&data) => {
                (data, info)
            }
            Found::Here(_) | Found::Nothing => return Found::Here(Checkout::broken(marked)),
            Found::Unconfirmed => return Found::Unconfirmed,
            Found::Wait => return Found::Wait,
        };
        let Some(common) = &info.repository.files().common else {
            // A submodule, or a repository that keeps its data elsewhere.
            return Found::Here(Checkout::own(marked, Some(data)));
        };
        let Some(worktree) = self.worktree(&data, common, info.repository.files().back.as_deref(), &entry) else {
            return Found::Here(Checkout::broken(marked));
        };
        match self.main_elsewhere(&worktree, disk) {
            Found::Here(main) => Found::Here(worktree.of(main)),
            Found::Nothing => Found::Here(worktree),
            Found::Unconfirmed => Found::Unconfirmed,
            Found::Wait => Found::Wait,
        }
    }

    /// A worktree, if the repository that it names keeps it among its worktrees and names it too.
    fn worktree(&self, data: &str, common: &str, back: Option<&str>, entry: &str) -> Option<Checkout> {
        let style = self.host.style;
        let key = |path: &str| path::key(path, style).ok();
        let worktrees = path::parent(data, style)?;
        let common = self.led(data, common)?;
        let is_listed = path::basename(&worktrees, style)? == "worktrees"
            && key(&path::parent(&worktrees, style)?)? == key(&common)?
            && key(&self.led(data, back?)?)? == key(entry)?;
        if !is_listed || !self.may_use(&common) {
            return None;
        }
        let is_main = path::basename(&common, style).is_some_and(|name| name == ".git");
        let main = path::parent(&common, style).filter(|main| is_main && self.may_use(main));
        Some(Checkout {
            identity: main.clone().unwrap_or_else(|| common.clone()),
            worktree: Some(Worktree { name: path::basename(data, style)?, main }),
            broken: false,
            config: Some(common),
        })
    }

    /// The main checkout of a worktree's repository whose data lies elsewhere, as that of a submodule does: the configuration
    /// names it, and its `.git` leads back.
    fn main_elsewhere(&self, worktree: &Checkout, disk: &mut DiskView<'_>) -> Found<String> {
        let is_known = worktree.worktree.as_ref().is_none_or(|worktree| worktree.main.is_some());
        let Some(common) = worktree.config.as_deref().filter(|_| !is_known) else { return Found::Nothing };
        let remote = if self.rules.remote { RepositoryQuestions::CONFIG } else { RepositoryQuestions::NONE };
        let (common, info) = here!(self.look(common, RepositoryQuestions::MAIN.with(remote), disk));
        let main = info.repository.files().main.as_ref().and_then(|to| self.led(&common, to));
        let Some(main) = main.filter(|main| self.may_use(main)) else { return Found::Nothing };
        let (_, info) = here!(self.look(&main, RepositoryQuestions::NEAREST, disk));
        let key = |path: &str| path::key(path, self.host.style).ok();
        let leads_back = |marked: &Marked| {
            let data = marked.leads_to.as_ref().and_then(|to| self.led(&marked.path, to));
            marked.name == ".git"
                && self.may_use(&marked.path)
                && key(&marked.path) == key(&main)
                && data.and_then(|data| key(&data)).is_some_and(|data| Some(data) == key(&common))
        };
        match info.repository.nearest.as_deref().filter(|marked| leads_back(marked)) {
            Some(marked) => Found::Here(marked.path.clone()),
            None => Found::Nothing,
        }
    }

    /// The folder with the configuration of a repository of Jujutsu, which keeps its data in one of Git.
    fn config_of_jj(&self, entry: &str, disk: &mut DiskView<'_>) -> Found<Option<String>> {
        let (entry, info) = here!(self.look(entry, RepositoryQuestions::WORKSPACE, disk));
        let repo = info.repository.files().store.as_deref().unwrap_or("repo");
        let store = self.led(&entry, repo).and_then(|repo| path::join(&repo, "store", self.host.style).ok());
        let Some(store) = store.filter(|store| self.may_use(store)) else { return Found::Here(None) };
        let (store, info) = here!(self.look(&store, RepositoryQuestions::STORE, disk));
        let data = info.repository.files().store.as_ref().and_then(|to| self.led(&store, to));
        Found::Here(data.filter(|data| self.may_use(data)))
    }

    /// Where a text in a folder of the repository leads. Git may have written it on the client's machine.
    fn led(&self, folder: &str, to: &str) -> Option<String> {
        map_path(to, self.host).or_else(|| path::join(folder, to, self.host.style).ok())
    }

    /// A report on a path, and the real path.
    fn look<'d>(
        &self,
        path: &str,
        questions: RepositoryQuestions,
        disk: &mut DiskView<'d>,
    ) -> Found<(String, &'d PathInfo)> {
        let none = MarkerNames::default();
        let wanted = Wanted::markers(&none, MarkerNeeds::Nothing).asking(questions);
        match disk.lookup(path, wanted, self.scope) {
            DiskLookup::Known(info) => {
                let real = info.real_path.clone().unwrap_or_else(|| path.to_owned());
                Found::Here((real, info))
            }
            DiskLookup::Unconfirmed => Found::Unconfirmed,
            DiskLookup::Unknown => Found::Wait,
        }
    }

    /// Whether a path that a file names may be checked and told.
    fn may_use(&self, path: &str) -> bool {
        self.host.allows(path) && !is_closed_share(path, self.host) && !path.chars().any(char::is_control)
    }

    /// A folder relative to one above it.
    fn inside(&self, top: &str, folder: &str) -> Option<String> {
        relative(top, folder, self.host)
    }

    /// The name of a repository: that of its folder; of a bare one without `.git`, or of the folder above if that leaves no name.
    fn name(&self, identity: &str) -> String {
        let style = self.host.style;
        let name = path::basename(identity, style).unwrap_or_else(|| identity.to_string());
        let plain = name.strip_suffix(".git").unwrap_or(&name);
        if plain.is_empty() || plain.starts_with('.') {
            path::parent(identity, style).and_then(|above| path::basename(&above, style)).unwrap_or(name)
        } else {
            plain.to_string()
        }
    }
}

/// A path relative to a folder above it or the same one, with `/` as the separator.
pub(super) fn relative(top: &str, path: &str, host: &HostFacts) -> Option<String> {
    let (top, path) = (Parsed::absolute(top, host.style).ok()?, Parsed::absolute(path, host.style).ok()?);
    Some(path.below(&top)?.join("/"))
}

impl Project {
    /// The identity of its folder, whatever the policy says about the identity of projects.
    pub(crate) fn folder_key(&self) -> String {
        let key = |(folder, style): (&String, _)| path::key(folder, style).unwrap_or_else(|_| folder.clone());
        self.folder().zip(self.style).map_or_else(|| self.key.clone(), key)
    }

    /// The same project with the identity that the policy wants.
    pub(crate) fn identified(mut self, identity: Identity) -> Self {
        let by_repository = self.repository.as_ref().and_then(|repository| repository.identity(identity));
        let (key, name) = by_repository.unwrap_or_else(|| (self.folder_key(), self.name.clone()));
        self.id = project_id(&key);
        self.slug = slug_with_id(&name, &self.id);
        self.key = key;
        self
    }
}

impl Project {
    /// What it has in common with the project after it.
    pub(crate) fn shared_with(&self, next: &Self) -> Option<SharedBy> {
        let (from, to) = (self.repository.as_ref()?, next.repository.as_ref()?);
        let is_clone = from.remote.is_some() && from.remote == to.remote;
        if from.path == to.path {
            Some(SharedBy::Checkout)
        } else {
            (from.key == to.key || is_clone).then_some(SharedBy::Repository)
        }
    }
}

impl Repository {
    /// The folder by which it is known.
    pub(super) fn folder(&self) -> &str {
        self.key.strip_prefix(BARE).unwrap_or(&self.key)
    }

    /// The key and the readable name of the project at this place of the repository.
    fn identity(&self, identity: Identity) -> Option<(String, String)> {
        let (key, name) = match (identity, &self.remote) {
            (Identity::Folder, _) => return None,
            (Identity::Remote, Some(remote)) => {
                (format!("remote:{remote}"), remote.rsplit('/').next().unwrap_or(remote).to_owned())
            }
            (Identity::Remote | Identity::Repository, _) => (self.key.clone(), self.name.clone()),
        };
        let Some(folder) = self.inside.rsplit('/').next().filter(|name| !name.is_empty()) else {
            return Some((key, name));
        };
        let style = path::PathStyle::of(self.folder());
        let space = if self.key.starts_with(BARE) { BARE } else { "" };
        let key = match (identity, &self.remote) {
            (Identity::Remote, Some(_)) => format!("{key}//{}", self.inside),
            _ => path::join(self.folder(), &self.inside, style)
                .and_then(|path| path::key(&path, style))
                .map_or(key, |path| format!("{space}{path}")),
        };
        Some((key, folder.to_owned()))
    }
}
