//! Paths that a tool names and that cannot be used.

use crate::path::PathProblem;

/// The folders that are allowed, where there are none.
pub(crate) const NONE_ALLOWED: &str = "The path is outside the allowed folders: none is allowed.";

/// The text of a problem, with `{folders}`, `{length}`, `{most}` and `{error}` to fill in.
pub(crate) const fn problem(problem: &PathProblem) -> &'static str {
    match problem {
        PathProblem::Empty => "The path is empty or contains a null character.",
        PathProblem::TooLong { .. } => {
            "The path has {length} characters, and no path of this system has more than {most}; pass a shorter one."
        }
        PathProblem::Relative => "The path is relative; pass an absolute path.",
        PathProblem::Outside { .. } => {
            "The path is outside the allowed folders, which are {folders}. Pass a path inside one of them."
        }
        PathProblem::LinkToNowhere => "The path contains a link that leads nowhere.",
        PathProblem::Changing => "The path changes while it is examined; try again.",
        PathProblem::NotUtf8 => "The path leads to a folder or file whose name is not UTF-8.",
        PathProblem::Unreadable { .. } => "The path cannot be examined ({error}).",
        PathProblem::NoAnswer => "The disk did not answer in time; try again, or pass a path on another disk.",
    }
}
