//! What the life cycle tells: nothing here changes it.

use alloc::string::ToString;

use super::{Failure, InFlightRequest, MAX_REFRESH_WAIT, MIN_REFRESH_WAIT, Phase, RootsCycle, TokenStatus};
use crate::api::action::RootsState;
use crate::id::{RequestToken, Time};
use crate::peer::jsonrpc::RequestId;
use crate::peer::raw;
use crate::peer::root_list::RootList;
use crate::policy::{Policy, RequestWhen};

impl RootsCycle {
    pub(crate) const fn in_flight(&self) -> Option<&InFlightRequest> {
        match &self.phase {
            Phase::InFlight(in_flight) => Some(in_flight),
            _ => None,
        }
    }

    pub(crate) fn token(&self) -> Option<RequestToken> {
        self.in_flight().map(|in_flight| in_flight.token)
    }

    /// Whether a caller has stopped waiting for the request in flight.
    pub(crate) fn is_overdue(&self) -> bool {
        self.in_flight().is_some_and(|in_flight| in_flight.overdue)
    }

    pub(crate) const fn is_deferred(&self) -> bool {
        matches!(self.phase, Phase::Deferred { .. })
    }

    pub(crate) const fn is_ready(&self) -> bool {
        self.ready
    }

    pub(crate) fn list(&self) -> Option<&RootList> {
        self.list.as_ref().map(|known| &known.list)
    }

    /// Whether there is a list and no newer one is due.
    pub(crate) fn is_current(&self) -> bool {
        self.list.as_ref().is_some_and(|known| !known.stale)
    }

    /// Whether there is a list that a newer one would only confirm, as far as anybody knows.
    pub(crate) fn has_unchanged_list(&self) -> bool {
        self.list.as_ref().is_some_and(|known| !known.changed)
    }

    /// Whether the list is current and young enough.
    pub(crate) fn is_fresh(&self, policy: &Policy, now: Time) -> bool {
        self.is_current() && self.fresh_until(policy).is_none_or(|until| now < until)
    }

    /// The time until which the list is young enough, if there is a limit.
    pub(crate) fn fresh_until(&self, policy: &Policy) -> Option<Time> {
        let (known, age) = (self.list.as_ref()?, policy.config.timing.max_age_ms?);
        Some(known.at.saturating_add(age.into()))
    }

    /// The time for which a caller waits for a newer list where one is known: what this client may be expected to take.
    pub(crate) fn refresh_wait(&self) -> Time {
        self.answer_took
            .map_or(MIN_REFRESH_WAIT, |took| took.saturating_mul(2))
            .clamp(MIN_REFRESH_WAIT, MAX_REFRESH_WAIT)
    }

    pub(crate) const fn stale_answers(&self) -> u32 {
        self.stale_answers
    }

    /// Whether the client's roots count at all.
    pub(crate) fn is_declared(&self, policy: &Policy) -> bool {
        self.declared || !policy.config.roots.require_capability
    }

    /// Whether the client declared roots and has not reported that it does not support them.
    pub(crate) fn has_roots(&self) -> bool {
        self.declared && self.last_failure != Some(Failure::Unsupported)
    }

    /// Whether the client may be asked, once it is ready.
    pub(crate) fn may_ask(&self, policy: &Policy, now: Time) -> bool {
        policy.config.roots.ask != RequestWhen::Never
            && self.is_declared(policy)
            && self.last_failure != Some(Failure::Unsupported)
            && (!self.is_exhausted(policy) || self.has_rested(policy, now))
    }

    /// Whether the last requests were in vain.
    fn is_exhausted(&self, policy: &Policy) -> bool {
        self.silent || self.failures > policy.config.timing.retries
    }

    /// Whether a client that listed its roots before may be asked once more: where a list is known, a vain request costs little.
    fn has_rested(&self, policy: &Policy, now: Time) -> bool {
        let rested = |failed: Time| failed.saturating_add(policy.config.timing.request_timeout_ms.into()) <= now;
        self.list.is_some() && self.failed_at.is_some_and(rested)
    }

    pub(crate) fn deadline(&self) -> Option<Time> {
        match &self.phase {
            Phase::InFlight(in_flight) => {
                let InFlightRequest { expires_at, held, .. } = &**in_flight;
                Some(held.as_ref().map_or(*expires_at, |held| held.until.min(*expires_at)))
            }
            Phase::Deferred { until } => Some(*until),
            Phase::Resting | Phase::Due => None,
        }
    }

    pub(crate) fn token_status(&self, token: RequestToken) -> TokenStatus {
        if self.token() == Some(token) {
            TokenStatus::InFlight
        } else if (1..=self.last_token).contains(&token.0) {
            TokenStatus::Over
        } else {
            TokenStatus::NeverIssued
        }
    }

    /// The token of a raw JSON-RPC id, if it has the form of our ids.
    pub(crate) fn token_of(&self, raw: &str) -> Option<RequestToken> {
        if let Some(in_flight) = self.in_flight().filter(|in_flight| in_flight.id.matches(raw)) {
            return Some(in_flight.token);
        }
        let number = if self.id_prefix.is_empty() {
            raw.to_string()
        } else {
            raw::string(raw)?.strip_prefix(&self.id_prefix)?.to_string()
        };
        let token: u32 = number.parse().ok()?;
        // Only the spelling that was sent: no sign, no leading zeros.
        RequestId::new(&self.id_prefix, token).matches(raw).then_some(RequestToken(token))
    }

    pub(crate) fn state(&self, policy: &Policy, now: Time) -> RootsState {
        if let Phase::InFlight(in_flight) = &self.phase {
            return if in_flight.overdue { RootsState::Overdue } else { RootsState::Pending };
        }
        if let Some(known) = &self.list {
            return if self.is_fresh(policy, now) { known.list.state() } else { RootsState::Stale };
        }
        match self.last_failure {
            Some(Failure::Unsupported) => RootsState::Unsupported,
            Some(Failure::TimedOut) => RootsState::TimedOut,
            Some(Failure::Failed) => RootsState::Failed,
            None if !self.ready => RootsState::NotReady,
            None if self.is_declared(policy) => RootsState::NotAsked,
            None => RootsState::Undeclared,
        }
    }
}
