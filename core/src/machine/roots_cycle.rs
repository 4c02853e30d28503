//! The life cycle of the client's roots on one connection: everything that affects it lives here.
//!
//! At most one request is in flight. A change while it is makes it *dirty*: its answer is stored, and one more request
//! follows. A caller that stops waiting makes it *overdue*: later callers do not wait for it, and its answer still
//! counts. After a failure the next ask tries again, a bounded number of times; "unsupported" ends asking. Both are
//! forgotten when the client says that its roots changed.

use alloc::format;
use alloc::string::String;

use crate::action::RootsState;
use crate::peer::root_list::RootList;
use crate::policy::{Ask, OnChange, Policy, WhileAsking};

/// Milliseconds; signed, because a restored time can lie before the new clock's origin.
pub(crate) type Time = i64;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cycle {
    /// The newest list that arrived.
    pub(crate) list: Option<RootList>,
    pub(crate) list_at: Time,
    /// Whether a newer list is due.
    pub(crate) stale: bool,
    pub(crate) flight: Option<Flight>,
    /// Whether a request is due without any ask: the client is ready, or its roots changed.
    pub(crate) due: bool,
    /// When a request that a change caused may be sent.
    pub(crate) deferred: Option<Time>,
    pub(crate) last_sent: Option<Time>,
    pub(crate) unsupported: bool,
    pub(crate) failures: u32,
    pub(crate) last_failure: Option<Failure>,
    pub(crate) last_token: u32,
    pub(crate) stale_answers: u32,
}

/// A request in flight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Flight {
    pub(crate) token: u32,
    /// The JSON-RPC id as JSON text.
    pub(crate) id: String,
    pub(crate) dies_at: Time,
    pub(crate) overdue: bool,
    pub(crate) dirty: bool,
}

/// How the last request failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    TimedOut,
    Other,
}

/// What a token refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenStatus {
    InFlight,
    Over,
    NeverIssued,
}

impl Cycle {
    pub(crate) fn token_status(&self, token: u32) -> TokenStatus {
        if self.flight.as_ref().is_some_and(|flight| flight.token == token) {
            TokenStatus::InFlight
        } else if token >= 1 && token <= self.last_token {
            TokenStatus::Over
        } else {
            TokenStatus::NeverIssued
        }
    }

    /// Puts the next request in flight.
    pub(crate) fn send(&mut self, policy: &Policy, id_prefix: &str, now: Time) -> &Flight {
        self.last_token = self.last_token.saturating_add(1);
        let token = self.last_token;
        let id = if id_prefix.is_empty() { format!("{token}") } else { format!("\"{id_prefix}{token}\"") };
        self.due = false;
        self.deferred = None;
        self.last_sent = Some(now);
        let dies_at = now.saturating_add(policy.timing.life_ms.into());
        self.flight.insert(Flight { token, id, dies_at, overdue: false, dirty: false })
    }

    /// A list arrived, from the request in flight or from the host. Tells whether it is the newest there will be.
    pub(crate) fn listed(&mut self, list: RootList, answers_flight: bool, policy: &Policy, now: Time) -> bool {
        let dirty = answers_flight && self.flight.take().is_some_and(|flight| flight.dirty);
        self.list = Some(list);
        self.list_at = now;
        self.stale = dirty;
        if answers_flight {
            self.unsupported = false;
            self.failures = 0;
            self.last_failure = None;
        }
        if dirty {
            self.change_due(policy, now);
        }
        !dirty
    }

    /// The request in flight failed. Tells whether one more request follows because of a change.
    pub(crate) fn failed(&mut self, failure: Failure, unsupported: bool, policy: &Policy, now: Time) -> bool {
        let dirty = self.flight.take().is_some_and(|flight| flight.dirty);
        self.failures = self.failures.saturating_add(1);
        self.last_failure = Some(failure);
        self.unsupported = unsupported;
        self.stale = self.list.is_some();
        let again = dirty && !unsupported && failure != Failure::TimedOut;
        if again {
            self.change_due(policy, now);
        }
        again
    }

    /// The client's roots changed.
    pub(crate) fn changed(&mut self, policy: &Policy, now: Time) {
        if policy.roots.on_change == OnChange::Ignore {
            return;
        }
        if let Some(flight) = &mut self.flight {
            if policy.roots.while_asking == WhileAsking::Drop {
                return;
            }
            flight.dirty = true;
        }
        self.unsupported = false;
        self.failures = 0;
        let asked_before = self.last_sent.is_some() || self.list.is_some();
        self.stale = self.list.is_some();
        let refetch = policy.roots.on_change == OnChange::Refetch
            && match policy.roots.ask {
                Ask::Eager => true,
                Ask::Lazy | Ask::EachRequest => asked_before,
                Ask::Never => false,
            };
        if refetch && self.flight.is_none() {
            self.change_due(policy, now);
        }
    }

    /// A request that a change causes is due, no sooner than the interval allows.
    fn change_due(&mut self, policy: &Policy, now: Time) {
        let earliest = self.last_sent.map(|sent| sent.saturating_add(policy.timing.min_interval_ms.into()));
        match earliest.filter(|earliest| *earliest > now) {
            Some(earliest) => self.deferred = Some(earliest),
            None => self.due = true,
        }
    }

    /// Whether the list has reached its age.
    pub(crate) fn is_aged(&self, policy: &Policy, now: Time) -> bool {
        self.expires_at(policy).is_some_and(|at| at <= now)
    }

    pub(crate) fn expires_at(&self, policy: &Policy) -> Option<Time> {
        let list = self.list.as_ref()?;
        let empty = (list.state() == RootsState::Empty).then_some(policy.roots.empty_max_age_ms).flatten();
        let age = match (policy.roots.max_age_ms, empty) {
            (Some(any), Some(empty)) => any.min(empty),
            (any, empty) => any.or(empty)?,
        };
        Some(self.list_at.saturating_add(age.into()))
    }

    /// How current the list is, apart from what the client declared.
    pub(crate) fn state(&self) -> Option<RootsState> {
        if let Some(flight) = &self.flight {
            return Some(if flight.overdue { RootsState::Overdue } else { RootsState::Pending });
        }
        if let Some(list) = &self.list {
            return Some(if self.stale { RootsState::Stale } else { list.state() });
        }
        match self.last_failure {
            _ if self.unsupported => Some(RootsState::Unsupported),
            Some(Failure::TimedOut) => Some(RootsState::TimedOut),
            Some(Failure::Other) => Some(RootsState::Failed),
            None => None,
        }
    }
}
