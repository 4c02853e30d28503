//! Probes: what the host was asked to look at and has not told yet.

use alloc::collections::BTreeSet;
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
    pub(crate) fn open(&mut self, touched: Vec<Touched>, deadline: Time) -> Option<Probe> {
        let unknown: Vec<Touched> =
            touched.into_iter().filter(|touched| !touched.known && !self.is_open(&touched.want)).collect();
        let paths = wanted(unknown.iter().map(|touched| &touched.want));
        if paths.is_empty() {
            return None;
        }
        let shared = unknown.iter().filter(|touched| touched.shared).map(|touched| touched.want.path.clone()).collect();
        self.asked = self.asked.saturating_add(1);
        let id = self.asked;
        self.open.push(OpenProbe { id, deadline, paths: paths.clone(), shared });
        Some(Probe { probe: id, paths })
    }

    fn is_open(&self, want: &ProbePath) -> bool {
        let covers = |path: &ProbePath| {
            path.path == want.path && want.markers.iter().all(|marker| path.markers.contains(marker))
        };
        self.open.iter().flat_map(|probe| &probe.paths).any(covers)
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
