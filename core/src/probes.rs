//! Probes: what the host was asked to look at and has not told yet.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;

use crate::action::{Probe, ProbePath};
use crate::cycle::Time;
use crate::evaluate::wanted;
use crate::place::Touched;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Probes {
    open: Vec<OpenProbe>,
    pub(crate) asked: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpenProbe {
    id: u32,
    deadline: Time,
    pub(crate) paths: Vec<ProbePath>,
    /// The paths whose replies serve the whole connection.
    pub(crate) shared: BTreeSet<String>,
    /// Whose question it is.
    pub(crate) wanted_by: BTreeSet<Asker>,
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
    pub(crate) fn open(&mut self, touched: Vec<(Asker, Touched)>, deadline: Time) -> Option<Probe> {
        let index = self.index();
        let mut unknown: Vec<(Asker, Touched)> = Vec::new();
        for (asker, touched) in touched.into_iter().filter(|(_, touched)| !touched.known) {
            let covers = |markers: &[String]| touched.want.markers.iter().all(|marker| markers.contains(marker));
            let open = index.get(&touched.want.path).filter(|(_, markers)| covers(markers));
            match open.and_then(|(at, _)| self.open.get_mut(*at)) {
                Some(probe) => {
                    probe.wanted_by.insert(asker);
                    if touched.shared {
                        probe.shared.insert(touched.want.path);
                    }
                }
                None => unknown.push((asker, touched)),
            }
        }
        let paths = wanted(unknown.iter().map(|(_, touched)| &touched.want));
        if paths.is_empty() {
            return None;
        }
        self.asked = self.asked.saturating_add(1);
        let id = self.asked;
        let wanted_by = unknown.iter().map(|(asker, _)| *asker).collect();
        let shared = unknown.into_iter().filter(|(_, touched)| touched.shared).map(|(_, touched)| touched.want.path);
        self.open.push(OpenProbe { id, deadline, paths: paths.clone(), shared: shared.collect(), wanted_by });
        Some(Probe { probe: id, paths })
    }

    /// Which open probe looks at a path, and for which markers; the newest counts.
    fn index(&self) -> BTreeMap<String, (usize, Vec<String>)> {
        let paths = self.open.iter().enumerate().flat_map(|(at, probe)| probe.paths.iter().map(move |path| (at, path)));
        paths.map(|(at, path)| (path.path.clone(), (at, path.markers.clone()))).collect()
    }

    /// The connection itself still wants to know only about these paths.
    pub(crate) fn keep_for_connection(&mut self, wants: impl Fn(&ProbePath) -> bool) {
        for probe in &mut self.open {
            if !probe.paths.iter().any(&wants) {
                probe.wanted_by.remove(&Asker::Connection);
            }
        }
    }

    /// Drops the probes nobody wants to know any more.
    pub(crate) fn keep_wanted(&mut self, waits: impl Fn(u64) -> bool) {
        self.open.retain(|probe| {
            probe.wanted_by.iter().any(|asker| match asker {
                Asker::Connection => true,
                Asker::Ask(place) => waits(*place),
            })
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
