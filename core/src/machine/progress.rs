//! How far an ask is while it waits: with the client's user, with its roots, and with its patience.

use crate::api::event::AskVia;
use crate::id::{RequestToken, Time};

/// How far an ask is with the client's user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UserProgress {
    /// The user is not asked for it, or not any more.
    Apart,
    /// The user may be asked before it ends.
    MayAsk,
    /// It selects what the user named, and then goes on as it would have, in the same way.
    Selects { by: AskVia },
    /// It selects what the user named when nobody waited any more, and has no answer.
    Late,
}

/// How much longer an ask waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// For everything, until its deadline.
    Full,
    /// The same, except that it waits for newer versions of what is known only until an earlier time.
    Refreshing { until: Time },
    /// Until its deadline for what is not known at all: what is known counts.
    TakesOld,
    /// No longer.
    Over,
}

/// What an ask waits for, by its last decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WaitsFor {
    /// The disk, or nothing yet.
    Disk,
    /// The client's roots, and nothing of a higher rank.
    Roots,
    /// The client's user.
    User,
}

/// The requests for roots that the call of an ask carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Carrier {
    /// None that was abandoned; the last one, if there is one.
    Reliable(Option<RequestToken>),
    /// The same after one was abandoned.
    Unreliable(Option<RequestToken>),
}

impl Carrier {
    /// The call carries another request, or none.
    pub(super) const fn carry(&mut self, request: Option<RequestToken>) {
        let (Self::Reliable(carried) | Self::Unreliable(carried)) = self;
        *carried = request;
    }

    /// A request was abandoned that the ask had joined; returns how far it is with the client's roots then.
    pub(super) fn lose(&mut self, request: RequestToken) -> RootsProgress {
        match *self {
            Self::Reliable(Some(carried)) if carried == request => *self = Self::Unreliable(None),
            Self::Unreliable(Some(carried)) if carried == request => return RootsProgress::Lost,
            _ => {}
        }
        RootsProgress::Apart
    }
}

/// How far an ask is with the client's roots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RootsProgress {
    /// It has joined no request, or the last one was abandoned.
    Apart,
    /// It joined a request that is in flight, or that another one follows; perhaps after one that was answered.
    Joined { request: RequestToken, answered: bool },
    /// Its request was answered, so that this list counts whatever its age.
    Answered,
    /// Its request failed: it continues without roots that it would have to wait for.
    Failed,
    /// Its call lost a second request: the same, but it has waited for nothing.
    Lost,
}

impl RootsProgress {
    pub(crate) const fn joined(self) -> Option<RequestToken> {
        match self {
            Self::Joined { request, .. } => Some(request),
            Self::Apart | Self::Answered | Self::Failed | Self::Lost => None,
        }
    }

    /// Whether the ask has waited for a request until its end.
    pub(crate) const fn has_waited(self) -> bool {
        matches!(self, Self::Answered | Self::Failed | Self::Joined { answered: true, .. })
    }

    /// Whether it no longer waits for roots.
    pub(crate) const fn goes_without(self) -> bool {
        matches!(self, Self::Failed | Self::Lost)
    }

    pub(crate) const fn join(&mut self, request: RequestToken) {
        *self = Self::Joined { request, answered: self.has_waited() };
    }
}
