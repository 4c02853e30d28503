//! The client's roots as an allow-list.

use std::path::PathBuf;
use std::sync::Arc;

use rootwise::action::{Outcome, RootsState};
use rootwise::endpoint::action::AnnounceRoots;
use rootwise::path::PathProblem;
use rootwise::{Policy, Project, Reason};
use serde::{Deserialize, Serialize};

use crate::inside::resolve_inside_in_time;

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
        self.roots.iter().find(|view| view.usable)
    }

    /// The real paths of the roots that can be used on this machine.
    ///
    /// # Errors
    /// There are none; the text says why.
    pub fn usable_folders(&self) -> Result<Vec<PathBuf>, PathRefusal> {
        let usable = self.roots.iter().filter(|view| view.usable);
        let folders: Vec<PathBuf> = usable.filter_map(|view| view.real_path.as_ref()).map(PathBuf::from).collect();
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
