//! The explanation of a decision, as a person reads it.

use core::fmt;

use crate::api::action::RootsState;
use crate::api::explanation::Verdict;
use crate::api::host::Transport;

pub(crate) const FOUND: &str = "Project: {name} ({place}), from {source}\n";
pub(crate) const NO_FOLDER: &str = "no folder";
pub(crate) const NOT_FOUND: &str = "No project: {message}\n";
pub(crate) const NOT_YET: &str = "No project yet.\n";
pub(crate) const INSTRUCTION: &str = "What to do: {instruction}\n";
pub(crate) const CIRCUMSTANCES: &str = "\nPolicy {policy}; {client} over {transport}; roots: {roots}";
pub(crate) const REFINED: &str = " (project: {path})";
pub(crate) const OTHER_FOLDER: &str = " (same repository, other folder)";
pub(crate) const UNKNOWN_CLIENT: &str = "unknown client";

/// The number of roots that are known, of those that were not kept, and of answers that came too late.
pub(crate) const AVAILABLE: &str = " ({count})";
pub(crate) const DROPPED: &str = ", {count} more not kept";
pub(crate) const IGNORED: &str = "; {count} answers ignored";

/// The transport of the connection.
pub(crate) const fn transport(transport: Transport) -> &'static str {
    match transport {
        Transport::Stdio => "stdio",
        Transport::Http => "http",
        Transport::Other => "another transport",
    }
}

/// The verdict on a source.
pub(crate) const fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Won => "won",
        Verdict::Agrees | Verdict::OtherFolder => "agrees",
        Verdict::Disagrees => "disagrees",
        Verdict::Absent => "absent",
        Verdict::Rejected => "rejected",
        Verdict::Off => "off",
        Verdict::NotAsked => "not asked",
        Verdict::Pending => "pending",
    }
}

/// The state in words, such as `not declared by the client`.
impl fmt::Display for RootsState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(roots(*self))
    }
}

/// The state of the list of roots.
pub(crate) const fn roots(state: RootsState) -> &'static str {
    match state {
        RootsState::NotAsked => "not asked for",
        RootsState::NotReady => "not ready",
        RootsState::Undeclared => "not declared by the client",
        RootsState::Unsupported => "not supported by the client",
        RootsState::Pending => "asked for, no answer yet",
        RootsState::Overdue => "asked for, answer overdue",
        RootsState::TimedOut => "asked for, never answered",
        RootsState::Failed => "asked for, failed",
        RootsState::Empty => "none",
        RootsState::AllInvalid => "none that can be read",
        RootsState::Ok => "listed",
        RootsState::Stale => "listed, may have changed",
        RootsState::SeveralClients => "not one client's: several share this connection",
    }
}
