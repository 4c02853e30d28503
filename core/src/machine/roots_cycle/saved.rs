//! The life cycle in a snapshot.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::{Failure, HeldAnswer, InFlightRequest, KnownList, MAX_ANSWERED, MIN_REFRESH_WAIT, Phase, RootsCycle};
use crate::api::host::HostFacts;
use crate::id::{RequestToken, Time};
use crate::peer::jsonrpc::RequestId;
use crate::peer::root_list::{RootList, SavedRoots};
use crate::policy::{Policy, is_plain_prefix};

/// The state in a snapshot; times are relative to the moment it was saved.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SavedCycle {
    ready: bool,
    declared: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    in_flight: Option<SavedRequest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deferred_in: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_failure: Option<Failure>,
    failures: u32,
    #[serde(default, skip_serializing_if = "crate::api::is_default")]
    silent: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failed_ago: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answer_took: Option<Time>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    answered: Vec<RequestToken>,
    #[serde(default, skip_serializing_if = "crate::api::is_default")]
    pushes: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    list: Option<SavedList>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sent_ago: Option<Time>,
    last_token: u32,
    /// Absent if it is the last token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_listing: Option<u32>,
    stale_answers: u32,
    id_prefix: String,
}

impl SavedCycle {
    pub(crate) const fn last_token(&self) -> RequestToken {
        RequestToken(self.last_token)
    }

    /// Checks what a resolver could not have saved; returns the part that is impossible. A closed connection awaits nothing.
    pub(crate) fn check(&self, closed: bool, policy: &Policy) -> Result<(), &'static str> {
        if !is_plain_prefix(&self.id_prefix) {
            return Err("its id prefix");
        }
        let awaits = self.in_flight.is_some() || self.deferred_in.is_some();
        let was_sent = |in_flight: &SavedRequest| (1..=self.last_token).contains(&in_flight.token.0);
        if (closed && awaits) || !self.in_flight.as_ref().is_none_or(was_sent) {
            return Err("its request in flight");
        }
        let held = self.in_flight.as_ref().and_then(|in_flight| in_flight.held.as_ref());
        let lists = self.list.as_ref().map(|known| &known.roots).into_iter().chain(held.map(|held| &held.roots));
        if !lists.into_iter().all(|list| list.fits(&policy.config.limits)) {
            return Err("its list of roots");
        }
        if self.answered.len() > MAX_ANSWERED {
            return Err("its answered requests");
        }
        let list_age = self.list.as_ref().map(|known| known.age);
        let held_age = held.map(|held| held.age);
        if [list_age, held_age, self.failed_ago, self.answer_took, self.sent_ago]
            .into_iter()
            .flatten()
            .any(Time::is_negative)
        {
            return Err("its times");
        }
        Ok(())
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SavedRequest {
    token: RequestToken,
    id: RequestId,
    expires_in: Time,
    overdue: bool,
    #[serde(default, skip_serializing_if = "crate::api::is_default")]
    in_vain: bool,
    changed: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    held: Option<SavedAnswer>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SavedAnswer {
    roots: SavedRoots,
    age: Time,
    counts_in: Time,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SavedList {
    roots: SavedRoots,
    age: Time,
    stale: bool,
    changed: bool,
}

impl RootsCycle {
    /// `keep_deferred` tells whether a deferred request outlives the asks that wait for it.
    pub(crate) fn save(&self, now: Time, keep_deferred: bool) -> SavedCycle {
        let in_ms = |at: Time| at.saturating_sub(now);
        let ago = |at: Time| now.saturating_sub(at);
        SavedCycle {
            ready: self.ready,
            declared: self.declared,
            in_flight: self.in_flight().map(|in_flight| SavedRequest {
                token: in_flight.token,
                id: in_flight.id.clone(),
                expires_in: in_ms(in_flight.expires_at),
                overdue: in_flight.overdue,
                in_vain: in_flight.in_vain,
                changed: in_flight.changed,
                held: in_flight.held.as_ref().map(|held| SavedAnswer {
                    roots: held.list.save(),
                    age: ago(held.arrived),
                    counts_in: in_ms(held.until),
                }),
            }),
            deferred_in: match &self.phase {
                Phase::Deferred { until } if keep_deferred => Some(in_ms(*until)),
                _ => None,
            },
            last_failure: self.last_failure,
            failures: self.failures,
            silent: self.silent,
            failed_ago: self.failed_at.map(ago),
            answer_took: self.answer_took,
            answered: self.answered.clone(),
            pushes: self.pushes,
            list: self.list.as_ref().map(|known| SavedList {
                roots: known.list.save(),
                age: ago(known.at),
                stale: known.stale,
                changed: known.changed,
            }),
            sent_ago: self.last_sent.map(ago),
            last_token: self.last_token,
            last_listing: Some(self.last_listing).filter(|last| *last != self.last_token),
            stale_answers: self.stale_answers,
            id_prefix: self.id_prefix.clone(),
        }
    }

    pub(crate) fn restore(
        saved: SavedCycle,
        id_prefix: Option<&str>,
        now: Time,
        policy: &Policy,
        host: &HostFacts,
    ) -> Self {
        // The times of the policy may have become shorter since.
        let longest = |wait: Time, most: u32| now.saturating_add(wait.min(most.into()));
        let phase = match (saved.in_flight, saved.deferred_in) {
            (Some(in_flight), _) => Phase::InFlight(Box::new(InFlightRequest {
                token: in_flight.token,
                id: in_flight.id,
                expires_at: longest(in_flight.expires_in, policy.config.timing.request_timeout_ms),
                overdue: in_flight.overdue,
                in_vain: in_flight.in_vain,
                changed: in_flight.changed,
                held: in_flight.held.map(|held| HeldAnswer {
                    list: RootList::restore(held.roots, policy, host),
                    arrived: now.saturating_sub(held.age),
                    until: now.saturating_add(held.counts_in.min(MIN_REFRESH_WAIT)),
                }),
            })),
            (None, Some(wait)) => Phase::Deferred { until: longest(wait, policy.config.timing.min_interval_ms) },
            (None, None) => Phase::Resting,
        };
        Self {
            ready: saved.ready,
            declared: saved.declared,
            phase,
            last_failure: saved.last_failure,
            failures: saved.failures,
            silent: saved.silent,
            failed_at: saved.failed_ago.map(|ago| now.saturating_sub(ago)),
            answer_took: saved.answer_took,
            answered: saved.answered,
            pushes: saved.pushes,
            list: saved.list.map(|known| KnownList {
                list: RootList::restore(known.roots, policy, host),
                at: now.saturating_sub(known.age),
                stale: known.stale,
                changed: known.changed,
            }),
            last_sent: saved.sent_ago.map(|ago| now.saturating_sub(ago)),
            last_token: saved.last_token,
            last_listing: saved.last_listing.unwrap_or(saved.last_token),
            stale_answers: saved.stale_answers,
            id_prefix: id_prefix.map_or(saved.id_prefix, ToString::to_string),
        }
    }
}
