//! The log, and every question asked of it. Nothing here remembers: each answer is read off the log again.

use std::cell::Cell;
use std::collections::BTreeSet;

use rootwise::action::RootsState;
use rootwise::explanation::Era;
use rootwise::host::{HostFacts, Transport};
use rootwise::policy::{Policy, RequestWhen, Source, SourceKind};

use super::peer::{RawList, RawRoot};
use super::record::{Ask, Choice, End, Held, Known, List, Record, Request, Win};
use super::values::NEAREST;

/// Everything that happened.
#[derive(Clone, Debug)]
pub struct History {
    pub policy: Policy,
    pub records: Vec<Record>,
    /// Whether the decision that is being made has read something that is not fresh (rule 46).
    pub read_old: Cell<bool>,
}

impl History {
    pub fn new(policy: Policy, host: HostFacts) -> Self {
        Self { policy, records: vec![Record::Host(host), Record::Fresh], read_old: Cell::new(false) }
    }

    pub fn note(&mut self, record: Record) {
        self.records.push(record);
    }

    /// The records of this connection, with their places.
    pub fn here(&self) -> impl DoubleEndedIterator<Item = (usize, &Record)> {
        let fresh = |record: &Record| matches!(record, Record::Fresh);
        let start = self.records.iter().rposition(fresh).unwrap_or(0);
        self.records.iter().enumerate().skip(start)
    }

    pub fn last<'a, T>(&'a self, pick: impl Fn(usize, &'a Record) -> Option<T>) -> Option<T> {
        self.here().rev().find_map(|(place, record)| pick(place, record))
    }

    pub fn any(&self, test: impl Fn(&Record) -> bool) -> bool {
        self.here().any(|(_, record)| test(record))
    }

    // Time, host and handshake.

    pub fn now(&self) -> u64 {
        let times = self.records.iter().rev().find_map(|record| match record {
            Record::Now(now) => Some(*now),
            _ => None,
        });
        times.unwrap_or(0)
    }

    /// The time of a place in the log.
    fn time_of(&self, place: usize) -> u64 {
        let times = self.records.iter().take(place).rev().find_map(|record| match record {
            Record::Now(now) => Some(*now),
            _ => None,
        });
        times.unwrap_or(0)
    }

    /// Whether what arrived at a time counts without a refresh (rule 32).
    pub fn is_fresh(&self, at: u64) -> bool {
        self.was_fresh(at, self.now())
    }

    fn was_fresh(&self, at: u64, then: u64) -> bool {
        self.policy.config().timing.max_age_ms.is_none_or(|most| then.saturating_sub(at) < u64::from(most))
    }

    pub fn host(&self) -> &HostFacts {
        let facts = self.records.iter().rev().find_map(|record| match record {
            Record::Host(facts) => Some(facts),
            _ => None,
        });
        facts.unwrap()
    }

    pub fn is_local(&self) -> bool {
        let host = self.host();
        host.local.unwrap_or(host.transport == Transport::Stdio)
    }

    pub fn may_push(&self) -> bool {
        // The stream that a change came with counts for the request that it causes.
        let stream = self.last(|_, record| match record {
            Record::Changed { push: true } => Some(true),
            Record::Sent { .. } => Some(false),
            _ => None,
        });
        self.host_may_push() || stream == Some(true)
    }

    pub fn host_may_push(&self) -> bool {
        let host = self.host();
        host.push.unwrap_or(host.transport == Transport::Stdio)
    }

    /// Whether the working directory and the variables say where the client works (rule 35).
    pub fn is_dedicated(&self) -> bool {
        let host = self.host();
        host.dedicated.unwrap_or(host.transport == Transport::Stdio && self.is_local())
    }

    /// Whether several clients have shown themselves, on this connection or on one before it (rule 34).
    pub fn is_shared(&self) -> bool {
        self.records.iter().any(|record| matches!(record, Record::Several))
    }

    /// The name with which the first modern call on this pipe described its client.
    pub fn first_name(&self) -> Option<&str> {
        self.records.iter().find_map(|record| match record {
            Record::Described { name } => Some(name.as_str()),
            _ => None,
        })
    }

    /// Whether this connection follows another one on the same pipe.
    pub fn is_second(&self) -> bool {
        self.records.iter().filter(|record| matches!(record, Record::Initialized { .. })).count() > 1
    }

    pub fn is_closed(&self) -> bool {
        self.any(|record| matches!(record, Record::Closed))
    }

    /// Whether `initialize` was seen and, if so, whether it declared roots.
    pub fn initialized(&self) -> Option<bool> {
        self.last(|_, record| match record {
            Record::Initialized { declared, .. } => Some(*declared),
            _ => None,
        })
    }

    pub fn is_ready(&self) -> bool {
        self.any(|record| matches!(record, Record::Ready { .. }))
    }

    pub fn era(&self) -> Era {
        if self.initialized().is_some() { Era::Legacy } else { Era::Unknown }
    }

    // Requests.

    /// The number of requests ever sent; tokens count from one.
    pub fn tokens(&self) -> u32 {
        let is_sent = |record: &&Record| matches!(record, Record::Sent { .. } | Record::FormSent { .. });
        let sent = self.records.iter().filter(is_sent);
        u32::try_from(sent.count()).unwrap()
    }

    /// The last request for roots.
    pub fn last_token(&self) -> Option<u32> {
        self.records.iter().rev().find_map(|record| match record {
            Record::Sent { token, .. } => Some(*token),
            _ => None,
        })
    }

    /// Whether the client has answered a request: one of the last eight that it answered.
    pub fn was_replied(&self, token: u32) -> bool {
        let replied = self.records.iter().rev().filter_map(|record| match record {
            Record::Replied { token } => Some(*token),
            _ => None,
        });
        replied.take(8).any(|known| known == token)
    }

    /// The id of this client's last raw request.
    pub fn last_number(&self) -> Option<i64> {
        self.last(|_, record| match record {
            Record::Requested { number } => Some(*number),
            _ => None,
        })
    }

    /// The id of the last raw request before this connection.
    pub fn earlier_number(&self) -> Option<i64> {
        let fresh = |record: &Record| matches!(record, Record::Fresh);
        let start = self.records.iter().rposition(fresh).unwrap_or(0);
        self.records.iter().take(start).rev().find_map(|record| match record {
            Record::Requested { number } => Some(*number),
            _ => None,
        })
    }

    /// The answer to the request in flight that waits for a second one.
    pub fn held(&self) -> Option<Held> {
        let request = self.in_flight()?;
        self.last(|place, record| match record {
            Record::Held(held) if place > request.place => Some(held.clone()),
            _ => None,
        })
    }

    pub fn end_of_hold(&self, held: &Held) -> u64 {
        let life = self.in_flight().map_or(u64::MAX, |request| {
            request.at.saturating_add(self.policy.config().timing.request_timeout_ms.into())
        });
        held.at.saturating_add(250).min(life)
    }

    /// Whether a second client may answer too.
    pub fn may_be_answered_twice(&self) -> bool {
        let alone = self.any(|record| matches!(record, Record::AnsweredAlone));
        self.host().transport != Transport::Http && self.is_second() && !alone
    }

    pub fn in_flight(&self) -> Option<Request> {
        let (place, token, at) = self.last(|place, record| match record {
            Record::Sent { token, at, .. } => Some((place, *token, *at)),
            _ => None,
        })?;
        let over = self.any(|record| matches!(record, Record::Ended { token: ended, .. } if *ended == token));
        let overdue = self.any(|record| matches!(record, Record::Overdue { token: late, .. } if *late == token));
        (!over).then_some(Request { token, at, place, overdue })
    }

    /// Whether a change that counts came after a place in the log.
    pub fn changed_since(&self, start: usize) -> bool {
        self.here().any(|(place, record)| place > start && matches!(record, Record::Changed { .. }))
    }

    /// A request that waits for its time: where it was put off, and until when.
    pub fn deferred(&self) -> Option<(usize, u64)> {
        self.last(|place, record| match record {
            Record::Deferred { until } => Some(Some((place, *until))),
            Record::DeferredOver | Record::Sent { .. } => Some(None),
            _ => None,
        })?
    }

    /// Whether somebody waited for a request with all its patience.
    pub fn is_in_vain(&self, request: u32) -> bool {
        self.any(|record| matches!(record, Record::Overdue { token, in_vain: true } if *token == request))
    }

    pub fn last_sent_at(&self) -> Option<u64> {
        self.last(|_, record| match record {
            Record::Sent { at, .. } => Some(*at),
            _ => None,
        })
    }

    fn last_clearing(&self) -> usize {
        let cleared = self.last(|place, record| match record {
            Record::Changed { .. } | Record::Fresh => Some(place),
            _ => None,
        });
        cleared.unwrap_or(0)
    }

    pub fn is_unsupported(&self) -> bool {
        let since = self.last_clearing();
        self.here()
            .any(|(place, record)| place > since && matches!(record, Record::Ended { how: End::Unsupported, .. }))
    }

    /// Whether the last request that was not lost on its way got no answer, and neither a change nor a late answer came since
    /// it was sent.
    fn is_silent(&self) -> bool {
        let end = self.last(|place, record| match record {
            Record::Ended { token, how, .. } if !how.abandoned() => Some((place, *token, *how)),
            _ => None,
        });
        let Some((ended, token, End::TimedOut)) = end else { return false };
        let sent = self.last(|place, record| match record {
            Record::Sent { token: sent, .. } if *sent == token => Some(place),
            _ => None,
        });
        let late = self.here().any(|(place, record)| place > ended && matches!(record, Record::Late));
        !late && !self.changed_since(sent.unwrap_or(0))
    }

    /// Whether a list is known and the client has rested since its last failure (rule 11).
    fn has_rested(&self) -> bool {
        let failed = self.last(|place, record| match record {
            Record::Ended { how, .. } if how.failed() || *how == End::LostRefresh => Some(self.time_of(place)),
            _ => None,
        });
        let rested =
            |at: u64| self.now().saturating_sub(at) >= u64::from(self.policy.config().timing.request_timeout_ms);
        self.list().is_some() && failed.is_some_and(rested)
    }

    /// Failed attempts in a row.
    fn failures(&self) -> u32 {
        let since = self.last_clearing();
        let mut count = 0;
        for (place, record) in self.here() {
            if let Record::Ended { how, .. } = record
                && place > since
            {
                count = match how {
                    End::Abandoned => count,
                    End::LostRefresh => count + 1,
                    how if how.failed() => count + 1,
                    _ => 0,
                };
            }
        }
        count
    }

    pub fn source(&self, kind: SourceKind) -> Option<&Source> {
        self.policy.config().sources.iter().find(|source| source.from == kind)
    }

    /// What the policy and the client's declarations say about asking, whether or not the client is ready.
    pub fn asking_is_possible(&self) -> bool {
        self.policy.config().roots.ask != RequestWhen::Never
            && (!self.policy.config().roots.require_capability || self.initialized() == Some(true))
    }

    /// Rule 8.
    pub fn may_ask(&self) -> bool {
        self.policy.config().roots.ask != RequestWhen::Never
            && self.is_ready()
            && (!self.policy.config().roots.require_capability || self.initialized() == Some(true))
            && !self.is_unsupported()
            && ((!self.is_silent() && self.failures() < self.policy.config().timing.retries.saturating_add(1))
                || self.has_rested())
    }

    // The list.

    pub fn list(&self) -> Option<List> {
        self.last(|place, record| match record {
            Record::List { answers, at, roots } => {
                let sent = answers.and_then(|token| {
                    self.last(|place, record| match record {
                        Record::Sent { token: sent, .. } if *sent == token => Some(place),
                        _ => None,
                    })
                });
                Some(List { place, at: *at, roots: roots.clone(), asked_at_place: sent.unwrap_or(place) })
            }
            _ => None,
        })
    }

    /// The list before the newest one.
    pub fn older_list(&self) -> Option<&RawList> {
        let mut lists = self.here().rev().filter_map(|(_, record)| match record {
            Record::List { roots, .. } => Some(roots),
            _ => None,
        });
        lists.nth(1)
    }

    /// Whether a list counts without a refresh (rule 32).
    pub fn is_current(&self, list: &List) -> bool {
        !self.is_stale(list) && self.is_fresh(list.at)
    }

    pub fn is_stale(&self, list: &List) -> bool {
        let failed = self.here().any(|(place, record)| {
            place > list.place && matches!(record, Record::Ended { how, .. } if how.unanswered())
        });
        failed || self.changed_since(list.asked_at_place)
    }

    /// Whether an ask waited for an answer that then came and was up to date, and for no request since that was abandoned.
    pub fn was_served(&self, ask: &Ask) -> bool {
        let lost = self.last(|place, record| match record {
            Record::Ended { token, how, .. } if how.abandoned() => {
                (self.waited_for(ask, place) == Some(*token)).then_some(place)
            }
            _ => None,
        });
        self.here().any(|(place, record)| match record {
            Record::List { answers, .. } if place > ask.place.max(lost.unwrap_or(0)) => {
                let sent = |token: u32| {
                    self.last(|place, record| match record {
                        Record::Sent { token: sent, .. } if *sent == token => Some(place),
                        _ => None,
                    })
                };
                let asked = answers.and_then(sent).unwrap_or(place);
                let changed = self
                    .here()
                    .any(|(at, record)| at > asked && at < place && matches!(record, Record::Changed { .. }));
                answers.is_some() && self.waited_for(ask, place) == *answers && !changed
            }
            _ => false,
        })
    }

    /// What the view of the roots shows; `readable` tells whether a root of the list can be read.
    pub fn roots_state(&self, readable: impl Fn(&RawRoot) -> bool) -> RootsState {
        if self.is_shared() {
            return RootsState::SeveralClients;
        }
        if let Some(request) = self.in_flight() {
            return if request.overdue { RootsState::Overdue } else { RootsState::Pending };
        }
        if let Some(list) = self.list() {
            return if !self.is_current(&list) { RootsState::Stale } else { state_of(&list.roots, readable) };
        }
        if self.is_unsupported() {
            return RootsState::Unsupported;
        }
        let ended = self.last(|_, record| match record {
            Record::Ended { how, .. } if *how != End::Dropped && !how.abandoned() => Some(*how),
            _ => None,
        });
        match ended {
            Some(End::TimedOut) => RootsState::TimedOut,
            Some(how) if how.failed() => RootsState::Failed,
            _ if !self.is_ready() => RootsState::NotReady,
            _ if self.policy.config().roots.require_capability && self.initialized() != Some(true) => {
                RootsState::Undeclared
            }
            _ => RootsState::NotAsked,
        }
    }

    /// How long an ask waits for a refresh: twice as long as the client took for its last answer, within bounds (rule 45).
    pub fn refresh_wait(&self) -> u64 {
        let sent_at = |token: &u32| {
            self.last(|_, record| match record {
                Record::Sent { token: sent, at, .. } if sent == token => Some(*at),
                _ => None,
            })
        };
        let took = self.last(|place, record| match record {
            // It takes at least as long as somebody waited in vain.
            Record::Ended { token, how: End::LostRefresh, .. } => {
                sent_at(token).map(|sent| self.time_of(place).saturating_sub(sent))
            }
            Record::List { answers: Some(token), at, .. } => sent_at(token).map(|sent| at.saturating_sub(sent)),
            _ => None,
        });
        took.unwrap_or(0).saturating_mul(2).clamp(250, 1_000)
    }

    /// What is known of a path, by the connection or by one ask, and is fresh.
    pub fn known_fresh(&self, path: &str, by: Option<u32>) -> Option<Known> {
        self.known(path, by).filter(|known| self.is_fresh(known.at))
    }

    /// What is known of a path, by the connection or by one ask, whatever its age.
    pub fn known(&self, path: &str, by: Option<u32>) -> Option<Known> {
        let mut known: Option<Known> = None;
        for (_, record) in self.here() {
            match record {
                Record::Learnt { path: at, known: new, asks, connection } if at == path => {
                    let counts = by.map_or(*connection, |ask| asks.contains(&ask));
                    if counts {
                        // A later look may have asked for other markers.
                        let mut merged = new.clone();
                        let fresh = |old: &&Known| by.is_some() || self.was_fresh(old.at, new.at);
                        if let Some(old) = known.as_ref().filter(|old| old.found == new.found).filter(fresh) {
                            if !old.asked.is_subset(&new.asked) {
                                merged.at = old.at;
                            }
                            merged.asked.extend(old.asked.iter().cloned());
                            let kept = old.there.difference(&new.asked).cloned();
                            merged.there.extend(kept.collect::<Vec<_>>());
                            if !new.asked.contains(NEAREST) {
                                merged.nearest.clone_from(&old.nearest);
                            }
                            for (question, texts) in &old.texts {
                                merged.texts.entry(question).or_insert_with(|| texts.clone());
                            }
                        }
                        known = Some(merged);
                    }
                }
                Record::Forgotten if by.is_none() => known = None,
                // Ids may be used again once an ask is over.
                Record::Asked(ask) if by == Some(ask.id) => known = None,
                _ => {}
            }
        }
        known
    }

    /// Whether an ask has heard that nobody knows about a path.
    pub fn is_unconfirmed(&self, path: &str, markers: &BTreeSet<String>, ask: &Ask) -> bool {
        self.here().any(|(place, record)| {
            place > ask.place
                && matches!(record, Record::Unconfirmed { path: at, asked, asks }
                    if at == path && asks.contains(&ask.id) && markers.is_subset(asked))
        })
    }

    // Memory.

    pub fn choice(&self) -> Option<&Choice> {
        self.last(|_, record| match record {
            Record::Chose(choice) => Some(Some(choice)),
            Record::ChoiceGone => Some(None),
            _ => None,
        })?
    }

    pub fn remembered(&self) -> Option<&Win> {
        self.last(|_, record| match record {
            Record::Remembered(win) => Some(Some(win)),
            Record::RememberedGone => Some(None),
            _ => None,
        })?
    }

    pub fn pin(&self) -> Option<&Win> {
        self.last(|_, record| match record {
            Record::Pinned(win) => Some(Some(win)),
            Record::PinGone => Some(None),
            _ => None,
        })?
    }

    pub fn hint_was_given(&self, index: usize) -> bool {
        self.any(|record| matches!(record, Record::HintGiven(given) if *given == index))
    }

    /// The project that was announced last.
    pub fn announced(&self) -> Option<Win> {
        self.last(|_, record| match record {
            Record::Announced(win) => Some(win.clone()),
            _ => None,
        })?
    }

    pub fn project(&self) -> Option<&Win> {
        self.last(|_, record| match record {
            Record::Project(win) => Some(win.as_ref()),
            _ => None,
        })?
    }

    /// Rule 19: whether there can be a connection project yet.
    pub fn has_begun(&self) -> bool {
        self.any(|record| match record {
            Record::Over { begins, .. } => *begins,
            Record::List { .. } | Record::Chose(_) => true,
            Record::Ended { how, .. } => how.unanswered(),
            _ => false,
        })
    }

    /// The earliest time at which something is over.
    pub fn deadline(&self) -> Option<u64> {
        if self.is_closed() {
            return None;
        }
        let timing = &self.policy.config().timing;
        let life = self.in_flight().map(|request| request.at.saturating_add(timing.request_timeout_ms.into()));
        let asks = self.waiting().into_iter().map(|ask| ask.until);
        let probes = self.open_probes().into_iter().map(|(_, until, _)| until);
        let deferred = self.deferred().map(|(_, until)| until);
        let waiting = self.waiting();
        let begun = waiting.iter().filter(|ask| !self.refresh_is_over(ask));
        let refreshes = begun.filter_map(|ask| self.refresh_until(ask));
        let hold = self.held().map(|held| self.end_of_hold(&held));
        let form = self.end_of_form();
        life.into_iter().chain(form).chain(asks).chain(probes).chain(deferred).chain(refreshes).chain(hold).min()
    }
}

/// The state of a list that is up to date.
pub fn state_of(roots: &RawList, readable: impl Fn(&RawRoot) -> bool) -> RootsState {
    if roots.says_none {
        RootsState::Empty
    } else if roots.iter().any(readable) {
        RootsState::Ok
    } else {
        RootsState::AllInvalid
    }
}
