//! Why no source named a project.

use crate::api::action::RootsState;

pub(crate) const NOTHING: &str = "no source named one";
pub(crate) const NO_REPORT: &str = "the disk did not confirm the client's root in time";
pub(crate) const REJECTED_ROOT: &str = "the client's root `{value}` cannot be used ({reason})";
pub(crate) const REJECTED_VALUE: &str = "the {source} value `{value}` cannot be used ({reason})";

/// Between two causes.
pub(crate) const AND: &str = "; ";

/// What became of the client's roots, if they are the cause.
pub(crate) const fn roots(state: RootsState) -> Option<&'static str> {
    Some(match state {
        RootsState::NotAsked => "the client cannot be asked for its roots in this call",
        RootsState::NotReady => "no client has completed the handshake",
        RootsState::Undeclared => "the client declares no roots",
        RootsState::Unsupported => "the client does not support roots",
        RootsState::Pending | RootsState::Overdue | RootsState::TimedOut => {
            "the client did not answer the request for its roots"
        }
        RootsState::Failed => "the request for the client's roots failed",
        RootsState::Empty => "the client has no roots",
        RootsState::AllInvalid => "none of the client's roots can be read",
        RootsState::SeveralClients => "several clients share this connection, and their calls cannot be told apart",
        RootsState::Ok | RootsState::Stale => return None,
    })
}
