//! Probes: what the host was asked to look at and has not told yet.

use alloc::vec::Vec;

use crate::action::{Probe, ProbePath};
use crate::cycle::Time;
use crate::map::Map;
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
    pub(crate) paths: Vec<OpenPath>,
    /// Whose question it is.
    pub(crate) wanted_by: Vec<Asker>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpenPath {
    pub(crate) want: ProbePath,
    /// Whether the reply serves the whole connection.
    pub(crate) shared: bool,
}

impl OpenProbe {
    /// Another one wants to know; they come in runs.
    fn serve(&mut self, asker: Asker) {
        if self.wanted_by.last() != Some(&asker) && !self.wanted_by.contains(&asker) {
            self.wanted_by.push(asker);
        }
    }
}

/// Who wants to know: an ask, by its place, or the connection itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asker {
    Connection,
    Ask(u64),
}

/// Paths, each with a probe and a place in its paths.
type Index = Map<(usize, usize)>;

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
        let id = self.asked.saturating_add(1);
        let mut new = OpenProbe { id, deadline, paths: Vec::new(), wanted_by: Vec::new() };
        let (open, mut opening) = (self.index(), Index::default());
        for (asker, Touched { want, shared, .. }) in touched.into_iter().filter(|(_, touched)| !touched.known) {
            if let Some((probe, at)) = open.get(&want.path)
                && let Some(probe) = self.open.get_mut(*probe)
                && let Some(path) = probe.paths.get_mut(*at)
                && want.markers.iter().all(|marker| path.want.markers.contains(marker))
            {
                path.shared |= shared;
                probe.serve(asker);
                continue;
            }
            new.serve(asker);
            match opening.get(&want.path).and_then(|(_, at)| new.paths.get_mut(*at)) {
                Some(path) => {
                    path.shared |= shared;
                    for marker in want.markers {
                        if !path.want.markers.contains(&marker) {
                            path.want.markers.push(marker);
                        }
                    }
                }
                None => {
                    opening.insert(want.path.clone(), (0, new.paths.len()));
                    new.paths.push(OpenPath { want, shared });
                }
            }
        }
        if new.paths.is_empty() {
            return None;
        }
        self.asked = id;
        let paths = new.paths.iter().map(|path| path.want.clone()).collect();
        self.open.push(new);
        Some(Probe { probe: id, paths })
    }

    /// Where each path is being looked at: which probe, which of its paths; the newest counts.
    fn index(&self) -> Index {
        let mut index = Index::default();
        for (probe, open) in self.open.iter().enumerate() {
            for (path, looked_at) in open.paths.iter().enumerate() {
                index.insert(looked_at.want.path.clone(), (probe, path));
            }
        }
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
