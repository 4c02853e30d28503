//! Asks that wait and probes that are open, read off the log.

use std::collections::{BTreeMap, BTreeSet};

use rootwise::event::AskVia;

use super::history::History;
use super::record::{Ask, Kind, Record, User};
use super::user::USER_WAIT;

impl History {
    /// Until when an ask waits for refreshes, if it began to.
    pub fn refresh_until(&self, ask: &Ask) -> Option<u64> {
        self.last(|place, record| match record {
            Record::Refreshes { ask: id, until } if place > ask.since && *id == ask.id => Some(*until),
            _ => None,
        })
    }

    pub fn refresh_is_over(&self, ask: &Ask) -> bool {
        let over = |record: &Record| matches!(record, Record::RefreshOver { ask: id } if *id == ask.id);
        self.here().any(|(place, record)| place > ask.since && over(record))
    }

    /// The asks that wait, as they came.
    pub fn waiting(&self) -> Vec<Ask> {
        let mut waiting: Vec<Ask> = Vec::new();
        let wait = u64::from(self.policy.config().timing.caller_timeout_ms);
        for (place, record) in self.records.iter().enumerate() {
            let mut change = |id: &u32, user, begins: Option<u64>, kind: Option<Kind>| {
                if let Some(ask) = waiting.iter_mut().find(|ask| ask.id == *id) {
                    ask.user = user;
                    ask.kind = kind.unwrap_or_else(|| ask.kind.clone());
                    if let Some(until) = begins {
                        ask.since = place;
                        ask.until = until;
                    }
                }
            };
            match record {
                Record::FormSent { ask, at, .. } => change(ask, User::Waits, Some(at.saturating_add(USER_WAIT)), None),
                Record::Named { ask, by, at } => {
                    change(ask, User::Named, Some(at.saturating_add(wait)), Some(Kind::Select(by.clone())));
                }
                Record::NamedTaken { ask } => change(ask, User::Apart, None, Some(Kind::Project)),
                Record::UserOver { ask, at } => change(ask, User::Apart, Some(at.saturating_add(wait)), None),
                Record::Asked(ask) => waiting.push(ask.clone()),
                Record::Over { ask, .. } => waiting.retain(|known| known.id != *ask),
                _ => {}
            }
        }
        // Another round would lose what the user has named.
        for ask in waiting.iter_mut().filter(|ask| ask.user == User::Named && ask.modern) {
            ask.by = AskVia::None;
        }
        waiting
    }

    /// The request that an ask waited for last, before a place in the log; none if that one was abandoned.
    pub fn waited_for(&self, ask: &Ask, before: usize) -> Option<u32> {
        let mut last = None;
        for (_, record) in self.here().filter(|(place, _)| *place > ask.place && *place < before) {
            match record {
                Record::Waits { ask: id, token } if *id == ask.id => last = Some(*token),
                Record::Ended { token, how, .. } if how.abandoned() && last == Some(*token) => last = None,
                _ => {}
            }
        }
        last
    }

    /// Whether the call of an ask carried a request.
    pub fn carried(&self, ask: &Ask, request: u32) -> bool {
        self.here().any(|(place, record)| {
            place > ask.place
                && matches!(record, Record::Sent { token, carrier, .. } if (*token, *carrier) == (request, Some(ask.id)))
        })
    }

    /// Whether the call of an ask carried a request that was abandoned.
    pub fn lost_request(&self, ask: &Ask) -> bool {
        self.here().any(|(_, record)| {
            matches!(record, Record::Ended { token, how, .. } if how.abandoned() && self.carried(ask, *token))
        })
    }

    /// Whether an ask waited for roots when it was last evaluated.
    pub fn waits_for_roots(&self, ask: &Ask) -> bool {
        let waits = self.last(|place, record| match record {
            Record::Looked { ask: id, roots } if place > ask.place && *id == ask.id => Some(*roots),
            Record::FormSent { ask: id, .. } if place > ask.place && *id == ask.id => Some(false),
            _ => None,
        });
        waits == Some(true)
    }

    /// Whether an ask waited for a request until it failed; one that was lost on its way told nothing.
    pub fn was_refused(&self, ask: &Ask) -> bool {
        self.here().any(|(place, record)| {
            place > ask.place
                && matches!(record, Record::Ended { how, without, .. } if !how.abandoned() && without.contains(&ask.id))
        })
    }

    /// Whether an ask's request failed and it goes on without.
    pub fn goes_without(&self, ask: &Ask) -> bool {
        self.here().any(|(place, record)| {
            place > ask.place && matches!(record, Record::Ended { without, .. } if without.contains(&ask.id))
        })
    }

    // The disk.

    pub fn probes_given_out(&self) -> u32 {
        let opened = |record: &&Record| matches!(record, Record::ProbeOpened { .. });
        u32::try_from(self.records.iter().filter(opened).count()).unwrap()
    }

    /// The probes that are open: id, end and paths.
    pub fn open_probes(&self) -> Vec<(u32, u64, BTreeMap<String, BTreeSet<String>>)> {
        let mut open: Vec<(u32, u64, BTreeMap<String, BTreeSet<String>>)> = Vec::new();
        for record in &self.records {
            match record {
                Record::ProbeOpened { id, until, paths } => open.push((*id, *until, paths.clone())),
                Record::ProbeOver { id } => open.retain(|(known, ..)| known != id),
                // It lasts as long as anybody's wait for it.
                Record::Depends { probe, until, .. } => {
                    if let Some(open) = open.iter_mut().find(|(id, ..)| id == probe) {
                        open.1 = open.1.max(*until);
                    }
                }
                _ => {}
            }
        }
        open
    }

    /// Whether somebody's short wait for a probe is over.
    pub fn is_overdue(&self, probe: u32) -> bool {
        self.any(|record| matches!(record, Record::ProbeOverdue { id } if *id == probe))
    }

    /// Whether what a probe says of a path serves the connection.
    pub fn is_for_connection(&self, probe: u32, path: &str) -> bool {
        self.any(|record| {
            matches!(record, Record::Depends { probe: on, path: at, connection: true, .. } if *on == probe && at == path)
        })
    }

    /// The paths of a probe that an ask depends on.
    pub fn ask_depends(&self, ask: &Ask, probe: u32) -> BTreeSet<String> {
        let depends = self.here().filter_map(|(place, record)| match record {
            Record::Depends { who, probe: on, path, .. }
                if place > ask.place && *who == Some(ask.id) && *on == probe =>
            {
                Some(path.clone())
            }
            _ => None,
        });
        depends.collect()
    }

    /// The paths of a probe that the connection itself depends on.
    pub fn connection_depends(&self, probe: u32) -> BTreeSet<String> {
        let mut paths = BTreeSet::new();
        for (_, record) in self.here() {
            match record {
                Record::ConnectionLooks => paths.clear(),
                Record::ConnectionHasAll { probe: on } if *on == probe => paths.clear(),
                Record::Depends { who: None, probe: on, path, .. } if *on == probe => {
                    paths.insert(path.clone());
                }
                _ => {}
            }
        }
        paths
    }
}
