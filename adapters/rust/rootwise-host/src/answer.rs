//! What the answer to each kind of ask means to its caller.

use std::path::PathBuf;
use std::sync::Arc;

use rootwise::action::Answer;
use rootwise::path::not_inside;
use rootwise::{Explanation, Outcome, Project};

use crate::error::NoProject;
use crate::roots::Roots;

/// An accepted selection.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Selection {
    /// The project.
    pub project: Arc<Project>,
    /// The policy's confirmation.
    pub message: String,
}

impl Selection {
    /// A selection, for servers that answer one themselves.
    #[must_use]
    pub fn new(project: impl Into<Arc<Project>>, message: impl Into<String>) -> Self {
        Self { project: project.into(), message: message.into() }
    }
}

/// The project of an answer.
///
/// # Errors
/// The answer carries no project.
pub fn project_of(answer: Answer) -> Result<Arc<Project>, NoProject> {
    match answer.outcome {
        Outcome::Resolved { project } | Outcome::Selected { project, .. } => Ok(project),
        _ => Err(answer.into()),
    }
}

/// The project and the hints of an answer to an ask with `hints`.
///
/// # Errors
/// The answer carries no project.
pub fn project_and_hints_of(mut answer: Answer) -> Result<(Arc<Project>, Vec<String>), NoProject> {
    let hints = std::mem::take(&mut answer.hints);
    Ok((project_of(answer)?, hints))
}

/// The roots of an answer to an ask with `Want::Roots`.
///
/// # Errors
/// The client must be asked first, or the connection ended.
pub fn roots_of(answer: Answer) -> Result<Roots, NoProject> {
    Roots::of_answer(&answer.outcome).ok_or_else(|| answer.into())
}

/// The selection of an answer.
///
/// # Errors
/// The selection was refused, or the client must be asked first.
pub fn selection_of(answer: Answer) -> Result<Selection, NoProject> {
    match answer.outcome {
        Outcome::Selected { project, message } => Ok(Selection { project, message }),
        _ => Err(answer.into()),
    }
}

/// The project that counts after a selection was removed, if there is one.
///
/// # Errors
/// The policy does not let the project change, the client must be asked first, or the connection ended.
pub fn unselected_of(answer: Answer) -> Result<Option<Arc<Project>>, NoProject> {
    match answer.outcome {
        Outcome::Cleared { project, .. } => Ok(project),
        _ => Err(answer.into()),
    }
}

/// The explanation of an answer to an ask with `explain`.
///
/// # Errors
/// The client must be asked first, or the connection ended.
pub fn explanation_of(answer: Answer) -> Result<Arc<Explanation>, NoProject> {
    match (&answer.outcome, &answer.explanation) {
        (Outcome::NeedsInput { .. }, _) | (_, None) => Err(answer.into()),
        (_, Some(explanation)) => Ok(explanation.clone()),
    }
}

/// Whether a path that was resolved is inside. One that this machine refuses to read or examine is not.
///
/// # Errors
/// The client must be asked first, the connection ended, or the disk does not answer.
pub fn is_inside(resolved: Result<PathBuf, NoProject>) -> Result<bool, NoProject> {
    match resolved {
        Ok(_) => Ok(true),
        Err(error) if not_inside().contains(&error.code()) => Ok(false),
        Err(error) => Err(error),
    }
}
