//! The probes that the host has not answered yet.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;

use crate::api::action::{Probe, ProbePath};
use crate::id::{ProbeId, Time};
use crate::policy::count;
use crate::resolve::disk::{PathQuery, ProbeRoom};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Probes {
    open: Vec<OpenProbe>,
    /// The number of probes that were ever requested.
    requested: u32,
    /// Whether the connection itself needs paths for which there was no room.
    pub(crate) owes_connection: bool,
}

/// Paths, and those who need them.
#[derive(Debug)]
pub(crate) struct Wanted {
    pub(crate) askers: Vec<Asker>,
    pub(crate) paths: Vec<PathQuery>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpenProbe {
    id: ProbeId,
    deadline: Time,
    pub(crate) paths: Vec<OpenPath>,
    /// Those who need the reply, in order.
    wanted_by: Vec<Asker>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpenPath {
    pub(crate) path: ProbePath,
    /// Whether the reply serves the whole connection.
    pub(crate) shared: bool,
}

/// The one who needs a reply: an ask, by its place, or the connection itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Asker {
    Connection,
    Ask(u64),
}

impl OpenProbe {
    pub(crate) fn serves(&self, asker: Asker) -> bool {
        self.wanted_by.binary_search(&asker).is_ok()
    }

    fn serve(&mut self, asker: Asker) {
        if let Err(at) = self.wanted_by.binary_search(&asker) {
            self.wanted_by.insert(at, asker);
        }
    }

    pub(crate) fn into_paths(self) -> impl Iterator<Item = ProbePath> {
        self.paths.into_iter().map(|open| open.path)
    }
}

impl Probes {
    /// No open probe, after a number of them.
    pub(crate) const fn after(requested: u32) -> Self {
        Self { open: Vec::new(), requested, owes_connection: false }
    }

    pub(crate) const fn requested(&self) -> u32 {
        self.requested
    }

    pub(crate) const fn was_requested(&self, id: ProbeId) -> bool {
        id.0 >= 1 && id.0 <= self.requested
    }

    pub(crate) fn deadline(&self) -> Option<Time> {
        self.open.iter().map(|probe| probe.deadline).min()
    }

    /// Opens one probe for the wanted paths that are not being probed already, as far as there is room; drops the probes
    /// that nobody needs any more.
    pub(crate) fn open(
        &mut self,
        wanted: Vec<Wanted>,
        deadline: Time,
        most_paths: u32,
        waits: impl Fn(u64) -> bool,
    ) -> Option<Probe> {
        let wanted = self.join(wanted);
        self.keep_needed(waits);
        let mut room = ProbeRoom::new(count(most_paths));
        for open in self.open.iter().flat_map(|probe| &probe.paths) {
            room.take(&open.path.path);
        }
        let id = ProbeId(self.requested.saturating_add(1));
        let mut new = OpenProbe { id, deadline, paths: Vec::new(), wanted_by: Vec::new() };
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        for Wanted { askers, paths } in wanted {
            let mut serves = false;
            for PathQuery { path, shared } in paths {
                match places.get(&path.path).and_then(|at| new.paths.get_mut(*at)) {
                    Some(known) => {
                        known.shared |= shared;
                        for marker in path.markers {
                            if !known.path.markers.contains(&marker) {
                                known.path.markers.push(marker);
                            }
                        }
                    }
                    None if room.take(&path.path) => {
                        places.insert(path.path.clone(), new.paths.len());
                        new.paths.push(OpenPath { path, shared });
                    }
                    None => {
                        self.owes_connection |= askers.contains(&Asker::Connection);
                        continue;
                    }
                }
                serves = true;
            }
            for asker in askers.into_iter().filter(|_| serves) {
                new.serve(asker);
            }
        }
        if new.paths.is_empty() {
            return None;
        }
        self.requested = id.0;
        let probe = Probe { probe: new.id, paths: new.paths.iter().map(|open| open.path.clone()).collect() };
        self.open.push(new);
        Some(probe)
    }

    /// Lets those who want a path that is being probed wait for that probe; returns what is not being probed.
    fn join(&mut self, mut wanted: Vec<Wanted>) -> Vec<Wanted> {
        if wanted.is_empty() || self.open.is_empty() {
            return wanted;
        }
        let open = self.newest_by_path();
        for Wanted { askers, paths } in &mut wanted {
            let mut joined = BTreeSet::new();
            paths.retain(|PathQuery { path: wanted, shared }| {
                let Some((at, place)) = open.get(&wanted.path) else { return true };
                let Some(probe) = self.open.get_mut(*at) else { return true };
                let Some(known) = probe.paths.get_mut(*place) else { return true };
                let covered = wanted.markers.iter().all(|marker| known.path.markers.contains(marker));
                if covered {
                    known.shared |= shared;
                    joined.insert(*at);
                }
                !covered
            });
            for at in joined {
                if let Some(probe) = self.open.get_mut(at) {
                    askers.iter().for_each(|asker| probe.serve(*asker));
                }
            }
        }
        wanted.retain(|wanted| !wanted.paths.is_empty());
        wanted
    }

    /// For every path that is being probed, its newest probe and its position there.
    fn newest_by_path(&self) -> BTreeMap<String, (usize, usize)> {
        let mut newest = BTreeMap::new();
        for (probe, open) in self.open.iter().enumerate() {
            for (at, path) in open.paths.iter().enumerate() {
                newest.insert(path.path.path.clone(), (probe, at));
            }
        }
        newest
    }

    /// The connection itself still needs only the probes with one of these paths.
    pub(crate) fn keep_for_connection(&mut self, needs: impl Fn(&ProbePath) -> bool) {
        for probe in &mut self.open {
            if !probe.paths.iter().any(|open| needs(&open.path)) {
                probe.wanted_by.retain(|asker| *asker != Asker::Connection);
            }
        }
    }

    /// Drops the probes that are no longer needed.
    fn keep_needed(&mut self, waits: impl Fn(u64) -> bool) {
        self.open.retain_mut(|probe| {
            probe.wanted_by.retain(|asker| match asker {
                Asker::Connection => true,
                Asker::Ask(place) => waits(*place),
            });
            !probe.wanted_by.is_empty()
        });
    }

    pub(crate) fn close(&mut self, id: ProbeId) -> Option<OpenProbe> {
        let at = self.open.iter().position(|probe| probe.id == id)?;
        Some(self.open.remove(at))
    }

    pub(crate) fn expire(&mut self, now: Time) -> Vec<OpenProbe> {
        let (over, open) = core::mem::take(&mut self.open).into_iter().partition(|probe| probe.deadline <= now);
        self.open = open;
        over
    }

    /// Drops every probe; later replies to them have no effect.
    pub(crate) fn close_all(&mut self) {
        self.open.clear();
        self.owes_connection = false;
    }
}
