//! The life cycle of the client's roots on one connection, as a type with one function per event.
//!
//! At most one request is in flight. A change while it is in flight marks it: its answer is stored, and one more request
//! follows. A caller that stops waiting makes it *overdue*: later callers do not wait for it, and its answer still counts.
//! After a failure the next ask tries again, a bounded number of times; "unsupported" ends asking. A change of the roots
//! resets both. `docs/transitions.md` is printed from this type.

mod saved;
mod state;

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::api::action::RootsState;
use crate::api::host::HostFacts;
use crate::id::{RequestToken, Time};
use crate::peer::raw;
use crate::peer::root_list::RootList;
use crate::policy::{Ask, OnChange, Policy, SourceKind, WhileAsking};

pub(crate) use saved::SavedCycle;
pub use state::CycleState;

/// The bounds of the wait for a newer list, in milliseconds: a person notices more than the first, and a client that takes
/// longer than the second is not worth the wait, because the last list counts meanwhile.
const MIN_REFRESH_WAIT: Time = 250;
const MAX_REFRESH_WAIT: Time = 1_000;

/// Requests whose answers are noted, so that a second answer shows: more than can be under way.
const MAX_ANSWERED: usize = 8;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RootsCycle {
    ready: bool,
    declared: bool,
    phase: Phase,
    /// The end of the last request, unless it was answered.
    last_failure: Option<Failure>,
    /// Failures in a row.
    failures: u32,
    /// Whether the last request got no answer, and nothing has happened since that would promise one.
    silent: bool,
    /// The time of the last failure.
    failed_at: Option<Time>,
    /// The time that the client took for its last answer.
    answer_took: Option<Time>,
    /// The last requests that the client answered.
    answered: Vec<RequestToken>,
    /// Whether the host has an open stream for the request that a change causes.
    pushes: bool,
    list: Option<KnownList>,
    last_sent: Option<Time>,
    last_token: u32,
    stale_answers: u32,
    id_prefix: String,
}

/// Whether a request is on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Phase {
    /// None, and none is scheduled.
    Resting,
    /// The client became ready or its roots changed: one is sent at the end of this event.
    Due,
    /// The roots changed, and the next request must wait for the minimum interval.
    Deferred {
        until: Time,
    },
    InFlight(Flight),
}

/// A request in flight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Flight {
    pub(crate) token: RequestToken,
    pub(crate) id: RequestId,
    dies_at: Time,
    /// Whether a caller has stopped waiting for it.
    overdue: bool,
    /// Whether a caller has waited for it with all its patience.
    in_vain: bool,
    /// Whether the roots changed since it was sent.
    changed: bool,
    /// An answer that counts only if no second one comes until a time.
    held: Option<HeldAnswer>,
}

/// An answer that counts later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HeldAnswer {
    pub(crate) list: RootList,
    pub(crate) arrived: Time,
    until: Time,
}

/// A JSON-RPC id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum RequestId {
    Number(u32),
    Text(String),
}

impl RequestId {
    fn new(prefix: &str, token: u32) -> Self {
        if prefix.is_empty() { Self::Number(token) } else { Self::Text(format!("{prefix}{token}")) }
    }

    /// Compares with raw JSON; ids match by type and spelling.
    fn matches(&self, raw: &str) -> bool {
        match self {
            Self::Number(number) => raw == number.to_string(),
            Self::Text(text) => raw::string(raw).as_ref() == Some(text),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct KnownList {
    list: RootList,
    at: Time,
    /// Whether a newer list is due.
    stale: bool,
    /// Whether that is so because the client reported a change.
    changed: bool,
}

/// The end of a request without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Failure {
    TimedOut,
    Failed,
    Unsupported,
}

/// The request that a token refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenStatus {
    InFlight,
    Over,
    NeverIssued,
}

/// What a failure means for the asks that wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AfterFailure {
    /// One more request follows, because the roots changed meanwhile or the request never reached its end.
    Again,
    /// They continue without roots.
    Without,
}

impl RootsCycle {
    pub(crate) const fn new(id_prefix: String) -> Self {
        Self {
            ready: false,
            declared: false,
            phase: Phase::Resting,
            last_failure: None,
            failures: 0,
            silent: false,
            failed_at: None,
            answer_took: None,
            answered: Vec::new(),
            pushes: false,
            list: None,
            last_sent: None,
            last_token: 0,
            stale_answers: 0,
            id_prefix,
        }
    }

    // The events.

    /// The client sent `initialize` on a fresh connection.
    pub(crate) const fn client_initialized(&mut self, declares_roots: bool) {
        self.declared = declares_roots;
    }

    /// The client sent `notifications/initialized` or made a call; later ones have no effect.
    pub(crate) fn client_ready(&mut self, policy: &Policy) {
        if !self.ready && policy.roots.ask == Ask::Eager {
            self.phase = Phase::Due;
        }
        self.ready = true;
    }

    /// A request is sent.
    pub(crate) fn sent(&mut self, policy: &Policy, now: Time) -> Flight {
        self.last_token = self.last_token.saturating_add(1);
        self.last_sent = Some(now);
        self.pushes = false;
        let flight = Flight {
            token: RequestToken(self.last_token),
            id: RequestId::new(&self.id_prefix, self.last_token),
            dies_at: now.saturating_add(policy.timing.life_ms.into()),
            overdue: false,
            in_vain: false,
            changed: false,
            held: None,
        };
        self.phase = Phase::InFlight(flight.clone());
        flight
    }

    /// A list counts that arrived at a time, as the answer to the request in flight or from the host. Returns whether it is
    /// the newest there will be.
    pub(crate) fn listed(
        &mut self,
        list: RootList,
        arrived: Time,
        answers_flight: bool,
        policy: &Policy,
        now: Time,
    ) -> bool {
        if answers_flight {
            self.answer_took = self.last_sent.map(|sent| arrived.saturating_sub(sent));
            self.note_answer(self.token());
        }
        let changed = answers_flight && self.end_flight();
        self.list = Some(KnownList { list, at: arrived, stale: changed, changed });
        if answers_flight {
            self.last_failure = None;
            self.failures = 0;
            self.silent = false;
        }
        if changed {
            self.schedule(policy, now);
        }
        !changed
    }

    /// The request in flight was answered, but another client may answer it too.
    pub(crate) fn hold(&mut self, list: RootList, now: Time) {
        if let Phase::InFlight(flight) = &mut self.phase {
            flight.held = Some(HeldAnswer { list, arrived: now, until: now.saturating_add(MIN_REFRESH_WAIT) });
        }
    }

    /// Whether an answer to the request in flight is held.
    pub(crate) fn holds_answer(&self) -> bool {
        self.flight().is_some_and(|flight| flight.held.is_some())
    }

    /// Takes the answer for which no second one came in time.
    pub(crate) fn take_held(&mut self, now: Time) -> Option<HeldAnswer> {
        let Phase::InFlight(flight) = &mut self.phase else { return None };
        let (held, dies_at) = (&mut flight.held, flight.dies_at);
        held.take_if(|held| held.until.min(dies_at) <= now)
    }

    /// The request in flight failed.
    pub(crate) fn failed(&mut self, failure: Failure, policy: &Policy, now: Time) -> AfterFailure {
        let changed = self.end_flight();
        self.failures = self.failures.saturating_add(1);
        self.last_failure = Some(failure);
        self.failed_at = Some(now);
        self.silent = failure == Failure::TimedOut && !changed;
        if let Some(known) = &mut self.list {
            known.stale = true;
        }
        if changed && failure == Failure::Failed {
            self.schedule(policy, now);
            return AfterFailure::Again;
        }
        AfterFailure::Without
    }

    /// The stream that carried the request in flight ended. That says nothing about the client, so it is not a failure; the
    /// next ask sends a new request. But if a caller waited in vain before, the request counts as one without an answer; and
    /// if one stopped waiting for a refresh, the client takes at least that long, and does not get many more chances.
    pub(crate) fn abandoned(&mut self, policy: &Policy, now: Time) -> AfterFailure {
        match self.flight() {
            Some(flight) if flight.in_vain && !flight.changed => return self.failed(Failure::TimedOut, policy, now),
            Some(flight) if flight.overdue && !flight.changed => {
                self.failures = self.failures.saturating_add(1);
                self.failed_at = Some(now);
                self.answer_took = self.last_sent.map(|sent| now.saturating_sub(sent));
            }
            _ => {}
        }
        let changed = self.end_flight();
        if let Some(known) = &mut self.list {
            known.stale = true;
        }
        if changed {
            self.schedule(policy, now);
        }
        AfterFailure::Again
    }

    /// The client answered the request in flight with an error.
    pub(crate) fn refused_by_client(&mut self) {
        self.note_answer(self.token());
    }

    /// Notes that the client answered a request; returns whether it had answered it before.
    fn note_answer(&mut self, token: Option<RequestToken>) -> bool {
        let Some(token) = token.filter(|token| self.token_status(*token) != TokenStatus::NeverIssued) else {
            return false;
        };
        if self.answered.contains(&token) {
            return true;
        }
        if self.answered.len() == MAX_ANSWERED {
            self.answered.remove(0);
        }
        self.answered.push(token);
        false
    }

    /// The client sent `list_changed`; `pushes` tells whether a request outside a call would reach it now.
    pub(crate) fn changed(&mut self, pushes: bool, policy: &Policy, now: Time) {
        if policy.roots.on_change == OnChange::Ignore {
            return;
        }
        if self.last_failure == Some(Failure::Unsupported) {
            self.last_failure = Some(Failure::Failed);
        }
        self.failures = 0;
        self.silent = false;
        if let Phase::InFlight(flight) = &mut self.phase {
            if policy.roots.while_asking == WhileAsking::Drop {
                return;
            }
            flight.changed = true;
        }
        let asked_before = self.last_sent.is_some() || self.list.is_some();
        if let Some(known) = &mut self.list {
            known.stale = true;
            known.changed = true;
        }
        let refetch = policy.roots.on_change == OnChange::Refetch
            && match policy.roots.ask {
                Ask::Eager => true,
                Ask::Lazy | Ask::EachRequest => asked_before,
                Ask::Never => false,
            };
        if refetch && self.phase == Phase::Resting {
            self.schedule(policy, now);
        }
        self.pushes |= pushes && self.phase != Phase::Resting;
    }

    /// Time passed. Returns the request whose life is over; the caller cancels it.
    pub(crate) fn expired(&mut self, policy: &Policy, now: Time) -> Option<Flight> {
        match &self.phase {
            Phase::InFlight(flight) if flight.dies_at <= now => {
                let flight = flight.clone();
                self.failed(Failure::TimedOut, policy, now);
                Some(flight)
            }
            Phase::Deferred { until } if *until <= now => {
                self.phase = Phase::Due;
                None
            }
            _ => None,
        }
    }

    /// A caller stopped waiting for a request, which would only have refreshed what is known or which it needed.
    pub(crate) fn caller_gave_up(&mut self, token: RequestToken, is_refresh: bool) {
        if let Phase::InFlight(flight) = &mut self.phase
            && flight.token == token
        {
            flight.overdue = true;
            flight.in_vain |= !is_refresh;
        }
    }

    /// An answer arrived that does not belong to the request in flight. If the client answers the last request, however
    /// late, it is not silent. Returns whether the client had answered the request before.
    pub(crate) fn ignored_answer(&mut self, by_client: Option<RequestToken>) -> bool {
        self.stale_answers = self.stale_answers.saturating_add(1);
        self.silent = self.silent && by_client != Some(RequestToken(self.last_token));
        self.note_answer(by_client)
    }

    /// The connection closed.
    pub(crate) fn closed(&mut self) {
        self.phase = Phase::Resting;
    }

    /// Whether a request that no ask carries can be sent.
    pub(crate) fn can_push(&self, host: &HostFacts) -> bool {
        host.may_push() || self.pushes
    }

    /// The host facts changed, and with them the meaning of the roots.
    pub(crate) fn host_changed(&mut self, policy: &Policy, host: &HostFacts) {
        let held = match &mut self.phase {
            Phase::InFlight(flight) => flight.held.as_mut().map(|held| &mut held.list),
            _ => None,
        };
        for list in self.list.as_mut().map(|known| &mut known.list).into_iter().chain(held) {
            *list = RootList::restore(list.keep(), policy, host);
        }
    }

    /// Takes the request that is due without any ask.
    pub(crate) fn take_due(&mut self) -> bool {
        let due = self.phase == Phase::Due;
        if due {
            self.phase = Phase::Resting;
        }
        due
    }

    /// Drops a deferred request that no ask waits for any more.
    pub(crate) fn drop_deferred(&mut self) {
        if matches!(self.phase, Phase::Deferred { .. }) {
            self.phase = Phase::Resting;
        }
    }

    /// The same cycle on a fresh connection: tokens keep counting, and late answers to earlier ones can still show a second
    /// client.
    pub(crate) fn reopened(&self) -> Self {
        let answered = self.answered.clone();
        Self { last_token: self.last_token, answered, ..Self::new(self.id_prefix.clone()) }
    }

    /// Ends the request in flight; returns whether the roots changed meanwhile.
    fn end_flight(&mut self) -> bool {
        match core::mem::replace(&mut self.phase, Phase::Resting) {
            Phase::InFlight(flight) => flight.changed,
            other => {
                self.phase = other;
                false
            }
        }
    }

    /// Schedules a request that a change causes, not earlier than the interval allows.
    fn schedule(&mut self, policy: &Policy, now: Time) {
        if policy.source(SourceKind::Roots).is_none() || !self.may_ask(policy, now) {
            return;
        }
        let earliest = self.last_sent.map(|sent| sent.saturating_add(policy.timing.min_interval_ms.into()));
        self.phase = match earliest.filter(|earliest| *earliest > now) {
            Some(until) => Phase::Deferred { until },
            None => Phase::Due,
        };
    }

    // The views.

    pub(crate) const fn flight(&self) -> Option<&Flight> {
        match &self.phase {
            Phase::InFlight(flight) => Some(flight),
            _ => None,
        }
    }

    pub(crate) fn token(&self) -> Option<RequestToken> {
        self.flight().map(|flight| flight.token)
    }

    /// Whether a caller has stopped waiting for the request in flight.
    pub(crate) fn is_overdue(&self) -> bool {
        self.flight().is_some_and(|flight| flight.overdue)
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
        let (known, age) = (self.list.as_ref()?, policy.timing.max_age_ms?);
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
        self.declared || !policy.roots.require_capability
    }

    /// Whether the client declared roots and has not reported that it does not support them.
    pub(crate) fn has_roots(&self) -> bool {
        self.declared && self.last_failure != Some(Failure::Unsupported)
    }

    /// Whether the client may be asked, once it is ready.
    pub(crate) fn may_ask(&self, policy: &Policy, now: Time) -> bool {
        policy.roots.ask != Ask::Never
            && self.is_declared(policy)
            && self.last_failure != Some(Failure::Unsupported)
            && (!self.is_exhausted(policy) || self.has_rested(policy, now))
    }

    /// Whether the last requests were in vain.
    fn is_exhausted(&self, policy: &Policy) -> bool {
        self.silent || self.failures > policy.timing.retries
    }

    /// Whether a client that listed its roots before may be asked once more: where a list is known, a vain request costs little.
    fn has_rested(&self, policy: &Policy, now: Time) -> bool {
        let rested = |failed: Time| failed.saturating_add(policy.timing.life_ms.into()) <= now;
        self.list.is_some() && self.failed_at.is_some_and(rested)
    }

    pub(crate) fn deadline(&self) -> Option<Time> {
        match &self.phase {
            Phase::InFlight(Flight { dies_at, held, .. }) => {
                Some(held.as_ref().map_or(*dies_at, |held| held.until.min(*dies_at)))
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
        if let Some(flight) = self.flight().filter(|flight| flight.id.matches(raw)) {
            return Some(flight.token);
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

    pub(crate) fn state(&self, policy: &Policy) -> CycleState {
        if let Phase::InFlight(flight) = &self.phase {
            return match (flight.overdue, flight.changed) {
                (false, false) => CycleState::InFlight,
                (false, true) => CycleState::InFlightChanged,
                (true, false) => CycleState::Overdue,
                (true, true) => CycleState::OverdueChanged,
            };
        }
        if let Some(known) = &self.list {
            return match known.list.state() {
                _ if known.stale => CycleState::Stale,
                RootsState::Empty => CycleState::Empty,
                RootsState::AllInvalid => CycleState::AllInvalid,
                _ => CycleState::Ok,
            };
        }
        match self.last_failure {
            Some(Failure::Unsupported) => CycleState::Unsupported,
            Some(Failure::TimedOut) => CycleState::TimedOut,
            Some(Failure::Failed) => CycleState::Failed,
            None if !self.ready => CycleState::NotReady,
            None if self.is_declared(policy) => CycleState::Idle,
            None => CycleState::Undeclared,
        }
    }

    /// The state for a reader: a list that is too old is stale too.
    pub(crate) fn roots_state(&self, policy: &Policy, now: Time) -> RootsState {
        match self.state(policy).roots_state() {
            RootsState::Ok | RootsState::Empty | RootsState::AllInvalid if !self.is_fresh(policy, now) => {
                RootsState::Stale
            }
            state => state,
        }
    }
}
