//! A list of the client's roots.

use super::cause;
use crate::api::action::RootsState;

/// No root is there.
pub(crate) const NONE: &str = "The client has listed no folders: {why}.";

/// The heads of a list.
pub(crate) const ONE: &str = "The client works in this folder{state}:\n{lines}";
pub(crate) const SEVERAL: &str = "The client works in {count} folders{state}:\n{lines}";

/// One root.
pub(crate) const LINE: &str = "{number}. {name}{place}{current}";
pub(crate) const NAMED: &str = "{name}: ";
pub(crate) const REAL_PATH: &str = "{folder} (really {real})";
pub(crate) const CURRENT: &str = " (the current project)";
pub(crate) const UNUSABLE_ROOT: &str = "{uri} cannot be used: {problem}";
pub(crate) const MORE: &str = "and {count} more";

/// None of the roots is of use.
pub(crate) const NONE_USABLE: &str = "None of the client's folders can be used on this machine: {roots}.";
pub(crate) const NO_REAL_PATH: &str = "its real path is not known";
pub(crate) const ELSEWHERE: &str = "it is on the client's machine";

/// The reason for which there is no list.
pub(crate) fn without_list(state: RootsState) -> &'static str {
    cause::roots(state).unwrap_or("it has not been asked yet")
}

/// What else is to be said about a list.
pub(crate) const fn state(state: RootsState) -> &'static str {
    match state {
        RootsState::Stale => ", as far as it said; they may have changed",
        RootsState::Pending | RootsState::Overdue | RootsState::TimedOut => {
            ", as it said before; it has not answered the latest question yet"
        }
        RootsState::Failed | RootsState::Unsupported => ", as it said before; the latest question failed",
        _ => "",
    }
}
