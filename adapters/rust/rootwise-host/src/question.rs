//! Questions to a resolver.

use std::sync::Arc;

use rootwise::action::Answer;
use rootwise::event::{Asked, Event, Selected, SelectionCleared};
use rootwise::{AskId, Outcome, Project};

use crate::error::NoProject;

/// A question to a resolver; the connection sets its id.
#[derive(Clone, Debug)]
pub enum Question {
    /// Which project does this call belong to?
    Ask(Asked),
    /// Make this the project of the connection.
    Select(Selected),
    /// Forget the selection.
    Clear(SelectionCleared),
}

impl Question {
    pub(crate) fn with_id(self, id: AskId) -> Event {
        match self {
            Self::Ask(asked) => Asked { ask: id, ..asked }.into(),
            Self::Select(selected) => Selected { ask: id, ..selected }.into(),
            Self::Clear(cleared) => SelectionCleared { ask: id, ..cleared }.into(),
        }
    }
}

impl From<Asked> for Question {
    fn from(asked: Asked) -> Self {
        Self::Ask(asked)
    }
}

impl From<Selected> for Question {
    fn from(selected: Selected) -> Self {
        Self::Select(selected)
    }
}

impl From<SelectionCleared> for Question {
    fn from(cleared: SelectionCleared) -> Self {
        Self::Clear(cleared)
    }
}

/// Gives a question among the events an id of the connection, so that its answer reaches nobody else.
pub(crate) fn with_own_id(event: Event, next: impl FnOnce() -> AskId) -> Event {
    match event {
        Event::Asked(asked) => Question::Ask(asked).with_id(next()),
        Event::Selected(selected) => Question::Select(selected).with_id(next()),
        Event::SelectionCleared(cleared) => Question::Clear(cleared).with_id(next()),
        other => other,
    }
}

/// The project of an answer, or the reason for which it has none.
///
/// # Errors
/// The answer carries no project.
pub fn project_of(answer: Answer) -> Result<Arc<Project>, NoProject> {
    match answer.outcome {
        Outcome::Resolved { project } | Outcome::Selected { project, .. } => Ok(project),
        _ => Err(answer.into()),
    }
}
