//! Probes: what the host was asked to look at and has not told yet.

use alloc::string::String;
use alloc::vec::Vec;

use crate::action::{Probe, ProbePath};
use crate::machine::roots_cycle::Time;
use crate::map::Map;
use crate::resolve::verify::PathQuery;
use crate::sort::sort_by;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Probes {
    open: Vec<OpenProbe>,
    pub(crate) asked: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpenProbe {
    id: u32,
    deadline: Time,
    pub(crate) paths: Vec<OpenPath>,
    /// Whose question it is, in order.
    pub(crate) wanted_by: Vec<Asker>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpenPath {
    pub(crate) want: ProbePath,
    /// Whether the reply serves the whole connection.
    pub(crate) shared: bool,
}

impl OpenProbe {
    /// Another one wants to know.
    fn serve(&mut self, asker: Asker) {
        if let Err(at) = self.wanted_by.binary_search(&asker) {
            self.wanted_by.insert(at, asker);
        }
    }
}

/// Who wants to know: an ask, by its place, or the connection itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Asker {
    Connection,
    Ask(u64),
}

impl Probes {
    /// No open probe, after a number of them.
    pub(crate) const fn after(asked: u32) -> Self {
        Self { open: Vec::new(), asked }
    }

    pub(crate) const fn was_asked(&self, id: u32) -> bool {
        id >= 1 && id <= self.asked
    }

    pub(crate) fn deadline(&self) -> Option<Time> {
        self.open.iter().map(|probe| probe.deadline).min()
    }

    /// Opens one probe for all that is unknown and not being looked at already.
    pub(crate) fn open(&mut self, mut touched: Vec<(Asker, PathQuery)>, deadline: Time) -> Option<Probe> {
        touched.retain(|(_, touched)| !touched.known);
        if touched.is_empty() {
            return None;
        }
        let open = self.index();
        touched.retain(|(asker, PathQuery { want, shared, .. })| {
            let newest = open.partition_point(|(path, ..)| *path < want.path);
            let Some((_, probe, at)) = open.get(newest).filter(|(path, ..)| *path == want.path) else { return true };
            let Some(probe) = self.open.get_mut(*probe) else { return true };
            let Some(path) = probe.paths.get_mut(*at) else { return true };
            let covered = want.markers.iter().all(|marker| path.want.markers.contains(marker));
            if covered {
                path.shared |= shared;
                probe.serve(*asker);
            }
            !covered
        });
        if touched.is_empty() {
            return None;
        }
        self.asked = self.asked.saturating_add(1);
        let mut new = OpenProbe { id: self.asked, deadline, paths: Vec::new(), wanted_by: Vec::new() };
        // Each path with its place among those of the new probe, once it has one.
        let mut places = Map::of(touched.iter().map(|(_, touched)| (touched.want.path.clone(), usize::MAX)).collect());
        for (asker, PathQuery { want, shared, .. }) in touched {
            new.serve(asker);
            let Some(place) = places.get_mut(&want.path) else { continue };
            match new.paths.get_mut(*place) {
                Some(path) => {
                    path.shared |= shared;
                    for marker in want.markers {
                        if !path.want.markers.contains(&marker) {
                            path.want.markers.push(marker);
                        }
                    }
                }
                None => {
                    *place = new.paths.len();
                    new.paths.push(OpenPath { want, shared });
                }
            }
        }
        let probe = Probe { probe: new.id, paths: new.paths.iter().map(|path| path.want.clone()).collect() };
        self.open.push(new);
        Some(probe)
    }

    /// Every path that is being looked at, in order, the newest look first: which probe, which of its paths.
    fn index(&self) -> Vec<(String, usize, usize)> {
        let mut index = Vec::new();
        for (probe, open) in self.open.iter().enumerate() {
            for (at, path) in open.paths.iter().enumerate() {
                index.push((path.want.path.clone(), probe, at));
            }
        }
        sort_by(&mut index, |one, other| one.0.cmp(&other.0).then(other.1.cmp(&one.1)));
        index
    }

    /// The connection itself still wants to know only about these paths.
    pub(crate) fn keep_for_connection(&mut self, wants: impl Fn(&ProbePath) -> bool) {
        for probe in &mut self.open {
            if !probe.paths.iter().any(|path| wants(&path.want)) {
                probe.wanted_by.retain(|asker| *asker != Asker::Connection);
            }
        }
    }

    /// Drops the probes nobody wants to know any more.
    pub(crate) fn keep_wanted(&mut self, waits: impl Fn(u64) -> bool) {
        self.open.retain_mut(|probe| {
            probe.wanted_by.retain(|asker| match asker {
                Asker::Connection => true,
                Asker::Ask(place) => waits(*place),
            });
            !probe.wanted_by.is_empty()
        });
    }

    pub(crate) fn close(&mut self, id: u32) -> Option<OpenProbe> {
        let at = self.open.iter().position(|probe| probe.id == id)?;
        Some(self.open.remove(at))
    }

    pub(crate) fn expire(&mut self, now: Time) -> Vec<OpenProbe> {
        let (over, open) = core::mem::take(&mut self.open).into_iter().partition(|probe| probe.deadline <= now);
        self.open = open;
        over
    }

    /// Drops every probe; what the host still tells about them does nothing.
    pub(crate) fn close_all(&mut self) {
        self.open.clear();
    }
}
