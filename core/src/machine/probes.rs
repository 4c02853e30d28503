//! The probes that the host has not answered yet, and who needs which path of them.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::api::action::{Probe, ProbePath};
use crate::api::event::ProbedPath;
use crate::collect::inserted;
use crate::id::{ProbeId, Time};
use crate::policy::to_usize;
use crate::resolve::disk::{Disk, OpenProbes, PathInfo, PathQuery, ProbeRoom};
use crate::resolve::repository::report::RepositoryReport;

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
    /// The end of the longest wait for it.
    deadline: Time,
    /// Whether somebody has stopped waiting for it because older reports are known.
    overdue: bool,
    pub(crate) paths: Vec<PathQuery>,
    /// Those who need the reply, and the positions of the paths they need.
    needed_by: BTreeMap<Asker, Positions>,
}

/// The one who needs a reply: an ask, by its place, or the connection itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Asker {
    Connection,
    Ask(u64),
}

/// A set of positions, one bit each: hundreds of asks may need the same thousands of paths.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Positions(Vec<u64>);

impl Positions {
    const fn place(at: usize) -> (usize, u64) {
        (at / 64, 1 << (at % 64))
    }

    fn insert(&mut self, at: usize) {
        let (word, bit) = Self::place(at);
        if self.0.len() <= word {
            self.0.resize(word.saturating_add(1), 0);
        }
        if let Some(bits) = self.0.get_mut(word) {
            *bits |= bit;
        }
    }

    /// Adds others; returns whether there were new ones.
    fn add(&mut self, others: &Self) -> bool {
        let mut grew = false;
        if self.0.len() < others.0.len() {
            self.0.resize(others.0.len(), 0);
        }
        for (bits, more) in self.0.iter_mut().zip(&others.0) {
            grew |= more & !*bits != 0;
            *bits |= more;
        }
        grew
    }

    fn contains(&self, at: usize) -> bool {
        let (word, bit) = Self::place(at);
        self.0.get(word).is_some_and(|bits| bits & bit != 0)
    }
}

impl OpenProbe {
    pub(crate) fn serves_connection(&self) -> bool {
        self.needed_by.contains_key(&Asker::Connection)
    }

    /// What a reply says about each path, in the order of the paths. A path that the host left out is unconfirmed.
    pub(crate) fn read_reply(&self, paths: Vec<ProbedPath>, now: Time) -> Vec<PathInfo> {
        let mut reports = BTreeMap::new();
        for report in paths {
            // Of two reports on one path the first counts.
            reports.entry(report.path.clone()).or_insert_with(|| Box::new(report));
        }
        let tell = |query: &PathQuery| {
            let Some(report) = reports.remove(&query.path) else {
                let repository = RepositoryReport::unanswered(query.repository);
                return PathInfo { asked: query.markers.clone(), repository, ..PathInfo::unconfirmed(now) };
            };
            let ProbedPath { found, real_path, mut markers, nearest, files, .. } = *report;
            markers.retain(|marker| query.markers.contains(marker));
            let repository = RepositoryReport::read(query.repository, nearest, &files);
            PathInfo { found: Some(found), real_path, asked: query.markers.clone(), markers, repository, at: now }
        };
        self.paths.iter().map(tell).collect()
    }

    /// Whether the connection itself needs paths, and is told about all of them.
    pub(crate) fn connection_learns_all(&self, told: &[PathInfo]) -> bool {
        self.needed_by
            .get(&Asker::Connection)
            .is_some_and(|needs| told.iter().enumerate().all(|(at, info)| !needs.contains(at) || info.found.is_some()))
    }

    /// What each ask is told, by its place. Asks that need the same paths share one copy.
    pub(crate) fn tell_asks(&self, told: &[PathInfo]) -> Vec<(u64, Arc<Disk>)> {
        let mut copies: BTreeMap<&Positions, Arc<Disk>> = BTreeMap::new();
        let mut tell = |needs| {
            let copy = copies.entry(needs).or_insert_with(|| {
                let all = self.paths.iter().zip(told).enumerate();
                let needed = all.filter(|(at, _)| needs.contains(*at));
                Arc::new(inserted(
                    needed.map(|(_, (query, info))| (query.path.as_str().into(), Box::new(info.clone()))),
                ))
            });
            copy.clone()
        };
        let asks = self.needed_by.iter().filter_map(|(asker, needs)| match asker {
            Asker::Connection => None,
            Asker::Ask(place) => Some((*place, tell(needs))),
        });
        asks.collect()
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
    /// that nobody needs any more. Everyone waits for each open probe that covers what it needs, at most until a deadline.
    pub(crate) fn open(
        &mut self,
        wanted: &[Wanted],
        deadline: Time,
        most_paths: u32,
        allowed_dirs: Option<&Vec<String>>,
        waits: impl Fn(u64) -> bool,
    ) -> Option<Probe> {
        self.join(wanted, deadline);
        self.keep_needed(waits);
        let mut room = ProbeRoom::new(to_usize(most_paths));
        for open in self.open.iter().flat_map(|probe| &probe.paths) {
            room.take(&open.path);
        }
        let by_path = by_path(&self.open);
        let mut paths: Vec<PathQuery> = Vec::new();
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        for Wanted { askers, paths: queries } in wanted {
            for query in queries {
                let mut probed = by_path.get(query.path.as_str()).into_iter().flatten();
                if probed.any(|place| covers(&self.open, *place, query)) {
                    continue;
                }
                match places.get(query.path.as_str()).and_then(|at| paths.get_mut(*at)) {
                    Some(known) => known.add(query),
                    None if room.take(&query.path) => {
                        places.insert(&query.path, paths.len());
                        paths.push(query.clone());
                    }
                    None => self.owes_connection |= askers.contains(&Asker::Connection),
                }
            }
        }
        if paths.is_empty() {
            return None;
        }
        self.requested = self.requested.saturating_add(1);
        let id = ProbeId(self.requested);
        let to_probe = |query: &PathQuery| ProbePath {
            path: query.path.clone(),
            markers: query.markers.to_vec(),
            nearest: query.repository.find(allowed_dirs),
            files: query.repository.files(allowed_dirs),
        };
        let probe = Probe { probe: id, paths: paths.iter().map(to_probe).collect() };
        self.open.push(OpenProbe { id, deadline, overdue: false, paths, needed_by: BTreeMap::new() });
        self.join(wanted, deadline);
        Some(probe)
    }

    /// Lets everyone wait for the open probes that cover what it needs.
    fn join(&mut self, wanted: &[Wanted], deadline: Time) {
        let by_path = by_path(&self.open);
        let joined: Vec<BTreeMap<usize, Joined>> =
            wanted.iter().map(|wanted| self.covering(wanted, &by_path)).collect();
        for (Wanted { askers, .. }, joined) in wanted.iter().zip(joined) {
            for (probe, Joined { all, shared }) in joined {
                let Some(probe) = self.open.get_mut(probe) else { continue };
                for (at, open) in probe.paths.iter_mut().enumerate() {
                    open.shared |= shared.contains(at);
                }
                for asker in askers {
                    if probe.needed_by.entry(*asker).or_default().add(&all) {
                        probe.deadline = probe.deadline.max(deadline);
                    }
                }
            }
        }
    }

    /// The open probes that cover wanted paths, and which paths of them.
    fn covering(&self, wanted: &Wanted, by_path: &ByPath<'_>) -> BTreeMap<usize, Joined> {
        let mut joined: BTreeMap<usize, Joined> = BTreeMap::new();
        for query in &wanted.paths {
            for (probe, at) in by_path.get(query.path.as_str()).into_iter().flatten().copied() {
                if covers(&self.open, (probe, at), query) {
                    let joined = joined.entry(probe).or_default();
                    joined.all.insert(at);
                    if query.shared {
                        joined.shared.insert(at);
                    }
                }
            }
        }
        joined
    }

    /// The connection itself still needs only the probes with one of these paths.
    pub(crate) fn keep_for_connection(&mut self, needs: impl Fn(&PathQuery) -> bool) {
        for OpenProbe { paths, needed_by, .. } in &mut self.open {
            let needed = |positions: &Positions| {
                paths.iter().enumerate().any(|(at, open)| positions.contains(at) && needs(open))
            };
            if !needed_by.get(&Asker::Connection).is_some_and(needed) {
                needed_by.remove(&Asker::Connection);
            }
        }
    }

    /// Drops the probes that are no longer needed.
    fn keep_needed(&mut self, waits: impl Fn(u64) -> bool) {
        self.open.retain_mut(|probe| {
            probe.needed_by.retain(|asker, _| match asker {
                Asker::Connection => true,
                Asker::Ask(place) => waits(*place),
            });
            // The next asks do not wait for an overdue one, but its reply still counts.
            probe.overdue || !probe.needed_by.is_empty()
        });
    }

    /// The ask at this place has stopped waiting for newer reports.
    pub(crate) fn give_up(&mut self, place: u64) {
        for probe in self.open.iter_mut().filter(|probe| probe.needed_by.contains_key(&Asker::Ask(place))) {
            probe.overdue = true;
        }
    }

    pub(crate) fn close(&mut self, id: ProbeId) -> Option<OpenProbe> {
        let at = self.open.iter().position(|probe| probe.id == id)?;
        let closed = self.open.remove(at);
        if self.open.is_empty() {
            // A connection rests most of the time.
            self.open = Vec::new();
        }
        Some(closed)
    }

    /// Drops the probes for which nobody waits any more; returns whether the connection had waited for one. It then owes
    /// the connection nothing more: a host that does not reply is not asked again because time passed.
    pub(crate) fn expire(&mut self, now: Time) -> bool {
        let mut awaited = false;
        self.open.retain(|probe| {
            let over = probe.deadline <= now;
            awaited |= over && probe.serves_connection();
            !over
        });
        self.owes_connection &= !awaited;
        awaited
    }

    /// Drops every probe; later replies to them have no effect.
    pub(crate) fn close_all(&mut self) {
        self.open.clear();
        self.owes_connection = false;
    }
}

impl OpenProbes for Probes {
    fn is_overdue(&self, path: &str) -> bool {
        let probes = self.open.iter().filter(|probe| probe.overdue);
        probes.flat_map(|probe| &probe.paths).any(|query| query.path == path)
    }
}

/// The positions of the paths of an open probe for which somebody waits, and of those whose replies serve the whole
/// connection.
#[derive(Default)]
struct Joined {
    all: Positions,
    shared: Positions,
}

/// For every path that is being probed, its probes and its positions there.
type ByPath<'a> = BTreeMap<&'a str, Vec<(usize, usize)>>;

fn by_path(open: &[OpenProbe]) -> ByPath<'_> {
    let mut places = ByPath::new();
    for (probe, open) in open.iter().enumerate() {
        for (at, query) in open.paths.iter().enumerate() {
            places.entry(&query.path).or_default().push((probe, at));
        }
    }
    places
}

/// Whether a path of an open probe will tell all that is wanted.
fn covers(open: &[OpenProbe], (probe, at): (usize, usize), wanted: &PathQuery) -> bool {
    let open = open.get(probe).and_then(|probe| probe.paths.get(at));
    open.is_some_and(|open| {
        open.repository.contains(wanted.repository) && wanted.markers.iter().all(|marker| open.markers.contains(marker))
    })
}
