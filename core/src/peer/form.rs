//! What the client's user answers to a form.

use alloc::string::String;

use super::raw;

/// The field of the form.
pub(crate) const PROJECT_FIELD: &str = "project";

/// An answer to the question for the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FormAnswer {
    /// The user named a project.
    Project(String),
    /// The user named none, or the answer cannot be read.
    Nothing,
}

impl FormAnswer {
    /// Reads a result: `{"action": "accept", "content": {"project": "..."}}`.
    pub(crate) fn read(result: &str) -> Self {
        let [action, content] = raw::members(result, ["action", "content"]).unwrap_or_default();
        let accepted = action.string().filter(|action| action == "accept").and_then(|_| content.get());
        let project = accepted.and_then(|content| raw::string(raw::member(content.get(), PROJECT_FIELD)?.get()));
        project.map_or(Self::Nothing, Self::Project)
    }
}
