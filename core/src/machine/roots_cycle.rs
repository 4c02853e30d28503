//! The life cycle of the client's roots on one connection, as a type with one function per event.
//!
//! At most one request is in flight. A change while it is in flight marks it: its answer is stored, and one more request
//! follows. A caller that stops waiting makes it *overdue*: later callers do not wait for it, and its answer still counts.
//! After a failure the next ask tries again, a bounded number of times; "unsupported" ends asking. A change of the roots
//! resets both. `docs/transitions.md` is printed from this type.

mod saved;
mod views;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::api::host::HostFacts;
use crate::id::{RequestToken, Time};
use crate::peer::jsonrpc::RequestId;
use crate::peer::root_list::RootList;
use crate::policy::{OnChange, Policy, RequestWhen, SourceKind};

pub(crate) use saved::SavedCycle;

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
    /// The last request for roots; forms have tokens too.
    last_listing: u32,
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
    Deferred { until: Time },
    /// In a box, because a connection rests most of the time.
    InFlight(Box<InFlightRequest>),
}

/// A request in flight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InFlightRequest {
    pub(crate) token: RequestToken,
    pub(crate) id: RequestId,
    expires_at: Time,
    /// Whether a caller has stopped waiting for it.
    overdue: bool,
    /// Whether a caller has waited for it with all its patience.
    in_vain: bool,
    /// Whether the roots changed since it was sent.
    changed: bool,
    /// An answer that counts only if no second one comes by its `until`.
    held: Option<HeldAnswer>,
}

/// An answer that counts later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HeldAnswer {
    pub(crate) list: RootList,
    pub(crate) arrived: Time,
    until: Time,
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
            last_listing: 0,
            stale_answers: 0,
            id_prefix,
        }
    }

    /// The client sent `initialize` on a fresh connection.
    pub(crate) const fn client_initialized(&mut self, declares_roots: bool) {
        self.declared = declares_roots;
    }

    /// The client sent `notifications/initialized` or made a call; later ones have no effect.
    pub(crate) fn client_ready(&mut self, policy: &Policy) {
        if !self.ready && policy.config.roots.ask == RequestWhen::Eager {
            self.phase = Phase::Due;
        }
        self.ready = true;
    }

    /// A request is sent.
    pub(crate) fn sent(&mut self, policy: &Policy, now: Time) -> InFlightRequest {
        let (token, id) = self.next_id();
        self.last_listing = token.0;
        self.last_sent = Some(now);
        self.pushes = false;
        let in_flight = InFlightRequest {
            token,
            id,
            expires_at: now.saturating_add(policy.config.timing.request_timeout_ms.into()),
            overdue: false,
            in_vain: false,
            changed: false,
            held: None,
        };
        self.phase = Phase::InFlight(in_flight.clone().into());
        in_flight
    }

    /// The token and the id of the next request of the connection, for whatever it asks.
    pub(crate) fn next_id(&mut self) -> (RequestToken, RequestId) {
        self.last_token = self.last_token.saturating_add(1);
        (RequestToken(self.last_token), RequestId::new(&self.id_prefix, self.last_token))
    }

    /// A list counts that arrived at a time, as the answer to the request in flight or from the host. Returns whether it is
    /// the newest there will be.
    pub(crate) fn listed(
        &mut self,
        list: RootList,
        arrived: Time,
        answers_request: bool,
        policy: &Policy,
        now: Time,
    ) -> bool {
        if answers_request {
            self.answer_took = self.last_sent.map(|sent| arrived.saturating_sub(sent));
            self.note_answer(self.token());
        }
        let changed = answers_request && self.end_request();
        self.list = Some(KnownList { list, at: arrived, stale: changed, changed });
        if answers_request {
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
        if let Phase::InFlight(in_flight) = &mut self.phase {
            in_flight.held = Some(HeldAnswer { list, arrived: now, until: now.saturating_add(MIN_REFRESH_WAIT) });
        }
    }

    /// Whether an answer to the request in flight is held.
    pub(crate) fn holds_answer(&self) -> bool {
        self.in_flight().is_some_and(|in_flight| in_flight.held.is_some())
    }

    /// Takes the answer for which no second one came in time.
    pub(crate) fn take_held(&mut self, now: Time) -> Option<HeldAnswer> {
        let Phase::InFlight(in_flight) = &mut self.phase else { return None };
        let (held, expires_at) = (&mut in_flight.held, in_flight.expires_at);
        held.take_if(|held| held.until.min(expires_at) <= now)
    }

    /// The request in flight failed.
    pub(crate) fn failed(&mut self, failure: Failure, policy: &Policy, now: Time) -> AfterFailure {
        let changed = self.end_request();
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
        match self.in_flight() {
            Some(in_flight) if in_flight.in_vain && !in_flight.changed => {
                return self.failed(Failure::TimedOut, policy, now);
            }
            Some(in_flight) if in_flight.overdue && !in_flight.changed => {
                self.failures = self.failures.saturating_add(1);
                self.failed_at = Some(now);
                self.answer_took = self.last_sent.map(|sent| now.saturating_sub(sent));
            }
            _ => {}
        }
        let changed = self.end_request();
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
    pub(crate) fn note_answer(&mut self, token: Option<RequestToken>) -> bool {
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
        if policy.config.roots.on_change == OnChange::Ignore {
            return;
        }
        if self.last_failure == Some(Failure::Unsupported) {
            self.last_failure = Some(Failure::Failed);
        }
        self.failures = 0;
        self.silent = false;
        if let Phase::InFlight(in_flight) = &mut self.phase {
            in_flight.changed = true;
        }
        let asked_before = self.last_sent.is_some() || self.list.is_some();
        if let Some(known) = &mut self.list {
            known.stale = true;
            known.changed = true;
        }
        let refetch = policy.config.roots.on_change == OnChange::Refetch
            && match policy.config.roots.ask {
                RequestWhen::Eager => true,
                RequestWhen::Lazy | RequestWhen::EachRequest => asked_before,
                RequestWhen::Never => false,
            };
        if refetch && self.phase == Phase::Resting {
            self.schedule(policy, now);
        }
        self.pushes |= pushes && self.phase != Phase::Resting;
    }

    /// Time passed. Returns the request whose life is over; the caller cancels it.
    pub(crate) fn expired(&mut self, policy: &Policy, now: Time) -> Option<InFlightRequest> {
        match &self.phase {
            Phase::InFlight(in_flight) if in_flight.expires_at <= now => {
                let in_flight = InFlightRequest::clone(in_flight);
                self.failed(Failure::TimedOut, policy, now);
                Some(in_flight)
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
        if let Phase::InFlight(in_flight) = &mut self.phase
            && in_flight.token == token
        {
            in_flight.overdue = true;
            in_flight.in_vain |= !is_refresh;
        }
    }

    /// An answer arrived that does not belong to the request in flight. If the client answers the last request, however
    /// late, it is not silent. Returns whether the client had answered the request before.
    pub(crate) fn ignored_answer(&mut self, by_client: Option<RequestToken>) -> bool {
        self.stale_answers = self.stale_answers.saturating_add(1);
        self.silent = self.silent && by_client != Some(RequestToken(self.last_listing));
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
            Phase::InFlight(in_flight) => in_flight.held.as_mut().map(|held| &mut held.list),
            _ => None,
        };
        for list in self.list.as_mut().map(|known| &mut known.list).into_iter().chain(held) {
            *list = RootList::restore(list.save(), policy, host);
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
    fn end_request(&mut self) -> bool {
        match core::mem::replace(&mut self.phase, Phase::Resting) {
            Phase::InFlight(in_flight) => in_flight.changed,
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
        let earliest = self.last_sent.map(|sent| sent.saturating_add(policy.config.timing.min_interval_ms.into()));
        self.phase = match earliest.filter(|earliest| *earliest > now) {
            Some(until) => Phase::Deferred { until },
            None => Phase::Due,
        };
    }
}
