//! The states of the life cycle.

use crate::api::action::RootsState;

/// The states of the life cycle, as `docs/transitions.md` shows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CycleState {
    /// The handshake is not complete.
    NotReady,
    /// The client declared no roots, and the policy asks only clients that do.
    Undeclared,
    /// No request was sent yet.
    Idle,
    /// A request is in flight.
    InFlight,
    /// A request is in flight, and the roots changed since it was sent.
    InFlightChanged,
    /// A request is in flight, and a caller has stopped waiting for it.
    Overdue,
    /// The same, and the roots changed since it was sent.
    OverdueChanged,
    /// The last request expired, and there is no list.
    TimedOut,
    /// The last request failed, and there is no list.
    Failed,
    /// The client does not support the method, and there is no list.
    Unsupported,
    /// The list is current and has a usable root.
    Ok,
    /// The list is current and empty.
    Empty,
    /// The list is current, and none of its roots can be read.
    AllInvalid,
    /// A newer list is due.
    Stale,
    /// The connection closed.
    Closed,
}

impl CycleState {
    /// The name in the documentation.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotReady => "not ready",
            Self::Undeclared => "undeclared",
            Self::Idle => "idle",
            Self::InFlight => "in flight",
            Self::InFlightChanged => "in flight, changed",
            Self::Overdue => "overdue",
            Self::OverdueChanged => "overdue, changed",
            Self::TimedOut => "timed out",
            Self::Failed => "failed",
            Self::Unsupported => "unsupported",
            Self::Ok => "ok",
            Self::Empty => "empty",
            Self::AllInvalid => "all invalid",
            Self::Stale => "stale",
            Self::Closed => "closed",
        }
    }

    pub(super) const fn roots_state(self) -> RootsState {
        match self {
            Self::NotReady | Self::Closed => RootsState::NotReady,
            Self::Undeclared => RootsState::Undeclared,
            Self::Idle => RootsState::NotAsked,
            Self::InFlight | Self::InFlightChanged => RootsState::Pending,
            Self::Overdue | Self::OverdueChanged => RootsState::Overdue,
            Self::TimedOut => RootsState::TimedOut,
            Self::Failed => RootsState::Failed,
            Self::Unsupported => RootsState::Unsupported,
            Self::Ok => RootsState::Ok,
            Self::Empty => RootsState::Empty,
            Self::AllInvalid => RootsState::AllInvalid,
            Self::Stale => RootsState::Stale,
        }
    }
}
