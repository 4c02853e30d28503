//! The client's roots as an allow-list, and paths checked against all of them on disk.

use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rootwise::action::{Outcome, RootsState};
use rootwise::endpoint::action::AnnounceRoots;
use rootwise::path::PathProblem;
use rootwise::{PathStyle, Policy, Project, Reason};
use serde::{Deserialize, Serialize};

use crate::disk::{in_time, patience};

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

    /// The stable code: that of the reason, or `no_roots`.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self.reason {
            Some(reason) => reason.code(),
            None => Self::NO_ROOTS,
        }
    }
}

impl From<PathProblem> for PathRefusal {
    fn from(problem: PathProblem) -> Self {
        Self { reason: Some(problem.reason()), message: problem.to_string() }
    }
}

const STYLE: PathStyle = if cfg!(windows) { PathStyle::Windows } else { PathStyle::Posix };

/// Returns the real path that a tool's path names, if it is inside one of the folders. Links are followed; the end of the
/// path need not exist yet. Use the returned path and not the given one: a link can change between the check and the use.
///
/// Folders that do not exist allow nothing. A relative path starts from `base`. Blocks while it examines the disk.
///
/// ```
/// let folder = std::env::temp_dir();
/// let inside = rootwise_host::resolve_inside(&[&folder], "new/file.txt", Some(&folder))?;
/// assert!(inside.ends_with("new/file.txt"));
/// assert_eq!(rootwise_host::resolve_inside(&[&folder], "/", None).unwrap_err().code(), "outside");
/// # Ok::<(), rootwise_host::PathRefusal>(())
/// ```
///
/// # Errors
/// The path is outside every folder, or cannot be examined.
pub fn resolve_inside<P: AsRef<Path>>(folders: &[P], path: &str, base: Option<&Path>) -> Result<PathBuf, PathRefusal> {
    if path.is_empty() || path.contains('\0') {
        return Err(PathProblem::Empty.into());
    }
    let length = path.chars().count();
    if length > PathProblem::longest(STYLE) {
        return Err(PathProblem::TooLong { length, style: STYLE }.into());
    }
    let path = Path::new(path);
    let wanted = match base {
        _ if path.is_absolute() => path.to_owned(),
        Some(base) => base.join(path),
        None => return Err(PathProblem::Relative.into()),
    };
    let real = real_of(&normal(&wanted))?;
    let is_inside = |folder: &P| folder.as_ref().canonicalize().is_ok_and(|folder| real.starts_with(folder));
    if folders.iter().any(is_inside) {
        return Ok(real);
    }
    let names = folders.iter().map(|folder| folder.as_ref().to_string_lossy().into_owned());
    Err(PathProblem::outside(names).into())
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
    let look = move || resolve_inside(&folders, &wanted, base.as_deref());
    in_time(path, patience, look).unwrap_or_else(|| Err(PathProblem::NoAnswer.into()))
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
                return Err(PathProblem::LinkToNowhere.into());
            }
            continue;
        };
        let Ok(rest) = path.strip_prefix(existing) else { break };
        let Some(first) = rest.components().next() else { return Ok(real) };
        if !is_there(&real.join(first))? {
            return Ok(real.join(rest));
        }
    }
    Err(PathProblem::Changing.into())
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
        Err(error) => Err(PathProblem::Unreadable { error: error.kind().to_string() }.into()),
    }
}
