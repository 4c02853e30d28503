//! The client's roots as an allow-list, and paths checked against all of them on disk.

use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rootwise::action::{Outcome, RootsState};
use rootwise::endpoint::action::AnnounceRoots;
use rootwise::{Policy, Project, Reason};
use serde::{Deserialize, Serialize};

use crate::disk::{in_time, patience};
use crate::display::list_of;

/// One of the client's roots, with the result of its check.
pub type RootEntry = rootwise::project::RootView;

/// The client's roots, usable or not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Roots {
    /// The roots, in the client's order, each with the result of its check.
    pub roots: Arc<Vec<RootEntry>>,
    /// Whether the client has listed its roots at all.
    pub answered: bool,
    /// Whether this is the client's list as far as anybody knows: no change was reported, and it is not too old.
    pub current: bool,
    /// The same in detail.
    pub state: RootsState,
    /// The list as a person or a model reads it.
    pub text: String,
    /// The reason for which none of the roots can be used on this machine, if that is so.
    pub unusable: Option<String>,
}

impl Roots {
    /// The roots of an answer, if it has some.
    #[must_use]
    pub fn of_answer(outcome: &Outcome) -> Option<Self> {
        let Outcome::Listed { roots, state, answered, current, text, unusable } = outcome else { return None };
        let (roots, text, unusable) = (roots.clone(), text.clone(), unusable.clone());
        Some(Self { roots, answered: *answered, current: *current, state: *state, text, unusable })
    }

    /// The roots that a client has announced.
    #[must_use]
    pub fn announced(change: &AnnounceRoots) -> Self {
        let (roots, text, unusable) = (change.roots.clone(), change.text.clone(), change.unusable.clone());
        Self { roots, answered: true, current: change.current, state: change.state, text, unusable }
    }

    /// The first root that can be used on this machine.
    #[must_use]
    pub fn first_usable(&self) -> Option<&RootEntry> {
        self.roots.iter().find(|view| view.real_path.is_some() && view.problem.is_none())
    }

    /// The real paths of the roots that can be used on this machine.
    ///
    /// # Errors
    /// There are none; the text says why.
    pub fn usable_folders(&self) -> Result<Vec<PathBuf>, PathRefusal> {
        let usable = |view: &RootEntry| view.real_path.as_ref().filter(|_| view.problem.is_none()).map(PathBuf::from);
        let folders: Vec<PathBuf> = self.roots.iter().filter_map(usable).collect();
        let message = || self.unusable.clone().unwrap_or_else(|| self.text.clone());
        if folders.is_empty() { Err(PathRefusal { reason: None, message: message() }) } else { Ok(folders) }
    }

    /// Returns the real path of a file or folder inside these roots; a relative path starts from the project, or else from the
    /// first root that can be used. Waits for the disk as [`resolve_inside_in_time`] does.
    ///
    /// # Errors
    /// The path is outside every root, or no root can be used on this machine; the text says which.
    pub fn resolve(&self, path: &str, project: Option<&Project>, policy: &Policy) -> Result<PathBuf, PathRefusal> {
        let base = project.and_then(|project| project.path.as_ref());
        let base = base.or_else(|| self.first_usable().and_then(|view| view.root.path.as_ref()));
        resolve_inside_in_time(self.usable_folders()?, path, base.map(PathBuf::from), policy)
    }
}

/// Characters of the folders that a message names.
const VALUE_CHARS: usize = 1_024;

/// A path that may not be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct PathRefusal {
    /// The reason; none if there is no root that this machine can use.
    pub reason: Option<Reason>,
    /// What happened.
    pub message: String,
}

impl PathRefusal {
    pub(crate) const NO_ROOTS: &'static str = "no_roots";

    fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { reason: Some(reason), message: message.into() }
    }

    /// The stable code: that of the reason, or `no_roots`.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self.reason {
            Some(reason) => reason.code(),
            None => Self::NO_ROOTS,
        }
    }
}

/// Characters of the longest path that a system takes.
const MAX_PATH: usize = if cfg!(windows) { 32_767 } else { 4_096 };

/// Returns the real path that a tool's path names, if it is inside one of the folders. Links are followed; the end of the
/// path need not exist yet. Use the returned path and not the given one: a link can change between the check and the use.
///
/// Folders that do not exist allow nothing. A relative path starts from `base`. Blocks while it examines the disk.
///
/// # Errors
/// The path is outside every folder, or cannot be examined.
pub fn resolve_inside<P: AsRef<Path>>(folders: &[P], path: &str, base: Option<&Path>) -> Result<PathBuf, PathRefusal> {
    if path.is_empty() || path.contains('\0') {
        return Err(PathRefusal::new(Reason::Invalid, "The path is empty or contains a null character."));
    }
    let length = path.chars().count();
    if length > MAX_PATH {
        let text = format!(
            "The path has {length} characters, and no path of this system has more than {MAX_PATH}; pass a shorter one."
        );
        return Err(PathRefusal::new(Reason::Invalid, text));
    }
    let path = Path::new(path);
    let wanted = match base {
        _ if path.is_absolute() => path.to_owned(),
        Some(base) => base.join(path),
        None => return Err(PathRefusal::new(Reason::Relative, "The path is relative; pass an absolute path.")),
    };
    let real = real_of(&normal(&wanted))?;
    let is_inside = |folder: &P| folder.as_ref().canonicalize().is_ok_and(|folder| real.starts_with(folder));
    if folders.iter().any(is_inside) {
        return Ok(real);
    }
    let names = folders.iter().map(|folder| folder.as_ref().to_string_lossy().into_owned());
    Err(PathRefusal::new(
        Reason::Outside,
        match folders {
            [] => "The path is outside the allowed folders: none is allowed.".into(),
            _ => {
                format!("The path is outside the allowed folders, which are {}.", list_of(names, ", ", VALUE_CHARS))
            }
        },
    ))
}

/// As [`resolve_inside`], on another thread, and no longer than a caller of the policy waits for the disk. Blocks until then.
///
/// # Errors
/// The path is outside every folder, or cannot be examined, or the disk does not answer.
pub fn resolve_inside_in_time(
    folders: Vec<PathBuf>,
    path: &str,
    base: Option<PathBuf>,
    policy: &Policy,
) -> Result<PathBuf, PathRefusal> {
    let (wanted, patience): (String, Duration) = (path.to_owned(), patience(policy));
    in_time(path, patience, move || resolve_inside(&folders, &wanted, base.as_deref())).unwrap_or_else(|| {
        let text = "The disk did not answer in time; try again, or pass a path on another disk.";
        Err(PathRefusal::new(Reason::Unconfirmed, text))
    })
}

/// The path without `.` and `..`, by spelling.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

/// How often a path is examined that changes meanwhile.
const MAX_LOOKS: u32 = 16;

/// The real path of a file that may not exist yet: links are followed as far as the path exists. The result is what was
/// examined: where a link turned meanwhile, the path is examined again.
fn real_of(path: &Path) -> Result<PathBuf, PathRefusal> {
    for _ in 0..MAX_LOOKS {
        let existing = existing_part(path)?;
        let Some(real) = examined(existing.canonicalize())? else {
            // A link that leads nowhere could lead anywhere by the time it is used.
            if existing.is_symlink() {
                return Err(PathRefusal::new(Reason::Outside, "The path contains a link that leads nowhere."));
            }
            continue;
        };
        let Ok(rest) = path.strip_prefix(existing) else { break };
        let Some(first) = rest.components().next() else { return Ok(real) };
        if !is_there(&real.join(first))? {
            return Ok(real.join(rest));
        }
    }
    Err(PathRefusal::new(Reason::Unreadable, "The path changes while it is examined; try again."))
}

/// The longest beginning of a path that exists, links included; found by halving, because a path can have thousands of parts.
fn existing_part(path: &Path) -> Result<&Path, PathRefusal> {
    let parts: Vec<&Path> = path.ancestors().collect();
    let mut fault = None;
    let first = parts.partition_point(|part| match is_there(part) {
        Ok(is_there) => !is_there,
        Err(refusal) => {
            fault = Some(refusal);
            false
        }
    });
    match fault {
        Some(refusal) => Err(refusal),
        None => Ok(parts.get(first).copied().unwrap_or(path)),
    }
}

fn is_there(path: &Path) -> Result<bool, PathRefusal> {
    Ok(examined(path.symlink_metadata())?.is_some())
}

/// What a disk check found; nothing if nothing is there.
fn examined<T>(found: std::io::Result<T>) -> Result<Option<T>, PathRefusal> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => {
            Err(PathRefusal::new(Reason::Unreadable, format!("The path cannot be examined ({}).", error.kind())))
        }
    }
}
