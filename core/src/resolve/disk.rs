//! The disk as far as probes have reported it.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use serde::{Deserialize, Serialize};

use super::repository::report::{RepositoryQuestions, RepositoryReport};
use crate::api::event::EntryKind;
use crate::api::is_default;
use crate::id::Time;
use crate::policy::MarkerNames;

/// The paths that were probed. Reports are in boxes, because a map has room for eleven, and most connections have one.
pub(crate) type Disk = BTreeMap<Box<str>, Box<PathInfo>>;

/// The report on one path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct PathInfo {
    /// `None` means that the host was asked and did not reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) found: Option<EntryKind>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) real_path: Option<String>,
    /// The markers that were looked for.
    pub(crate) asked: MarkerNames,
    /// Those that exist.
    pub(crate) markers: Vec<String>,
    /// What was asked about repositories, and the answers.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) repository: RepositoryReport,
    /// The time at which the host told it; its age in a snapshot.
    #[serde(rename = "age")]
    pub(crate) at: Time,
}

impl PathInfo {
    /// The host was asked and left the path out of its reply.
    pub(crate) fn unconfirmed(at: Time) -> Self {
        Self {
            found: None,
            real_path: None,
            asked: MarkerNames::default(),
            markers: Vec::new(),
            repository: RepositoryReport::default(),
            at,
        }
    }

    /// Whether one of these markers exists.
    pub(crate) fn has_any(&self, markers: &[String]) -> bool {
        self.markers.iter().any(|marker| markers.contains(marker))
    }

    /// Whether it covers these markers.
    fn covers(&self, markers: &[String]) -> bool {
        markers.iter().all(|marker| self.asked.contains(marker))
    }

    /// Whether it tells all that is wanted.
    pub(crate) fn answers(&self, query: &PathQuery) -> bool {
        self.covers(&query.markers) && self.repository.asked.contains(query.repository)
    }

    /// Keeps what an earlier report said about markers and repositories that this one does not cover.
    pub(crate) fn with_earlier(mut self, earlier: &Self) -> Self {
        if earlier.found == self.found {
            let missed = |marker: &&String| !self.asked.contains(marker);
            let markers: Vec<String> = earlier.markers.iter().filter(missed).cloned().collect();
            let asked = merged(&self.asked, &earlier.asked);
            let takes_over =
                asked.len() > self.asked.len() || !self.repository.asked.contains(earlier.repository.asked);
            self.at = if takes_over { self.at.min(earlier.at) } else { self.at };
            self.markers.extend(markers);
            self.asked = asked;
            self.repository = self.repository.with_earlier(&earlier.repository);
        }
        self
    }
}

/// The times by which reports are too old.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Freshness {
    pub(crate) now: Time,
    pub(crate) max_age: Option<Time>,
}

impl Freshness {
    /// The time until which a report is fresh, if there is a limit.
    pub(crate) fn until(self, at: Time) -> Option<Time> {
        self.max_age.map(|age| at.saturating_add(age))
    }

    pub(crate) fn is_fresh(self, at: Time) -> bool {
        self.until(at).is_none_or(|until| self.now < until)
    }
}

/// The names of both, each once.
fn merged(names: &MarkerNames, more: &MarkerNames) -> MarkerNames {
    if Arc::ptr_eq(names, more) {
        return names.clone();
    }
    names.iter().chain(more.iter().filter(|name| !names.contains(name))).cloned().collect()
}

/// The paths that may still be added to what the host probes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProbeRoom {
    paths: usize,
    bytes: usize,
}

/// Bytes of the paths that the host probes at the same time. The last path may exceed it, so that one always fits.
const PROBE_BYTES: usize = 16 << 10;

impl ProbeRoom {
    pub(crate) const fn new(paths: usize) -> Self {
        Self { paths, bytes: PROBE_BYTES }
    }

    /// Makes room for a path; false means that there is none.
    pub(crate) fn take(&mut self, path: &str) -> bool {
        let has_room = self.paths > 0 && self.bytes > 0;
        if has_room {
            self.paths = self.paths.saturating_sub(1);
            self.bytes = self.bytes.saturating_sub(path.len());
        }
        has_room
    }
}

/// Adds a report: it replaces an earlier one, and the absence of a report replaces none.
pub(crate) fn learn(disk: &mut Disk, path: &str, info: PathInfo, freshness: Freshness) {
    if info.found.is_none() {
        return;
    }
    let info = match disk.get(path).filter(|earlier| freshness.is_fresh(earlier.at)) {
        Some(earlier) => info.with_earlier(earlier),
        None => info,
    };
    disk.insert(path.into(), Box::new(info));
}

/// The report on a path.
pub(crate) fn report<'a>(disk: &'a Disk, path: &str) -> Option<&'a PathInfo> {
    disk.get(path).map(Box::as_ref)
}

/// The newest report on a path in replies, oldest first.
pub(crate) fn newest<'a>(replies: &'a [Arc<Disk>], path: &str) -> Option<&'a PathInfo> {
    replies.iter().rev().filter_map(|disk| report(disk, path)).find(|info| info.found.is_some())
}

/// The disk as one evaluation sees it, and the paths it turned out to need.
pub(crate) struct DiskView<'a> {
    /// Replies to probes of this ask.
    own: &'a [Arc<Disk>],
    /// Replies that serve the whole connection.
    shared: Option<&'a Disk>,
    patience: Patience<'a>,
    freshness: Freshness,
    /// Whether unknown paths are recorded, and what is found can matter.
    pub(crate) recording: bool,
    /// The recorded paths.
    pub(crate) queries: Vec<PathQuery>,
    /// Room for more of them.
    room: ProbeRoom,
    /// Whether a path was not recorded because there was no room.
    pub(crate) is_cut: bool,
    /// Whether a recorded path is known, but not by a fresh report.
    pub(crate) refreshes: bool,
    /// The oldest report that was used.
    oldest: Option<Time>,
    /// Whether a report that was used is too old, and none that the one who looks has waited for.
    is_stale: bool,
    /// Whether the client's list of roots was used.
    pub(crate) used_roots: bool,
}

/// How much longer the one who looks waits for replies.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Patience<'a> {
    /// For everything, except for probes that are overdue where an older report is known.
    Waits(&'a dyn OpenProbes),
    /// Only for what is not known at all.
    TakesOld,
    /// Not at all.
    GaveUp,
}

/// The probes that the host has not answered yet.
pub(crate) trait OpenProbes: fmt::Debug {
    /// Whether nobody waits for a newer report on a path.
    fn is_overdue(&self, path: &str) -> bool;
}

/// A path that an evaluation needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PathQuery {
    pub(crate) path: String,
    pub(crate) markers: MarkerNames,
    pub(crate) repository: RepositoryQuestions,
    /// Whether the reply may serve the whole connection.
    pub(crate) shared: bool,
}

impl PathQuery {
    /// Adds what another query wants of the same path.
    pub(crate) fn add(&mut self, other: &Self) {
        self.markers = merged(&self.markers, &other.markers);
        self.repository = self.repository.with(other.repository);
    }
}

/// The use of the connection's knowledge of the disk for one path.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CacheScope {
    /// The part of it that may answer.
    pub(crate) reads: CacheReads,
    /// Whether the connection may keep the reply.
    pub(crate) keeps: bool,
}

/// The part of the connection's knowledge that may answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CacheReads {
    #[default]
    None,
    /// Folders that existed; a missing one may have been created since.
    Folders,
    All,
}

/// What a lookup wants to know about a path, beside its state.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'m> {
    pub(crate) markers: &'m MarkerNames,
    pub(crate) needs: MarkerNeeds,
    pub(crate) repository: RepositoryQuestions,
    /// What the host is asked as well if it has to be asked anyway, because somebody will want it.
    pub(crate) wishes: RepositoryQuestions,
}

impl<'m> Wanted<'m> {
    pub(crate) const fn markers(markers: &'m MarkerNames, needs: MarkerNeeds) -> Self {
        Self { markers, needs, repository: RepositoryQuestions::NONE, wishes: RepositoryQuestions::NONE }
    }

    pub(crate) const fn asking(self, repository: RepositoryQuestions) -> Self {
        Self { repository, ..self }
    }

    pub(crate) const fn wishing(self, wishes: RepositoryQuestions) -> Self {
        Self { wishes, ..self }
    }
}

/// What a report must tell about the markers of a lookup to be enough.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MarkerNeeds {
    Nothing,
    /// Which of them exist.
    All,
    /// That one of them exists, or that none does.
    One,
}

/// The result of a lookup.
pub(crate) enum DiskLookup<'a> {
    Known(&'a PathInfo),
    /// The host was asked and did not reply in time.
    Unconfirmed,
    Unknown,
}

impl<'a> DiskView<'a> {
    pub(crate) const fn new(
        own: &'a [Arc<Disk>],
        shared: Option<&'a Disk>,
        patience: Patience<'a>,
        freshness: Freshness,
        probe_paths: usize,
    ) -> Self {
        Self {
            own,
            shared,
            patience,
            freshness,
            recording: true,
            queries: Vec::new(),
            room: ProbeRoom::new(probe_paths),
            is_cut: false,
            refreshes: false,
            oldest: None,
            is_stale: false,
            used_roots: false,
        }
    }

    /// The view of the connection itself, for which reports of any age count.
    pub(crate) const fn of_connection(shared: &'a Disk, now: Time, probe_paths: usize) -> Self {
        let freshness = Freshness { now, max_age: None };
        Self::new(&[], Some(shared), Patience::TakesOld, freshness, probe_paths)
    }

    /// Notes that the client's list of roots was used.
    pub(crate) const fn use_roots(&mut self) {
        self.used_roots |= self.recording;
    }

    /// Whether an old report was used.
    pub(crate) const fn is_stale(&self) -> bool {
        self.is_stale
    }

    /// The time until which the reports that were used are fresh.
    pub(crate) fn fresh_until(&self) -> Option<Time> {
        self.oldest.and_then(|at| self.freshness.until(at))
    }

    /// Looks up a path.
    pub(crate) fn lookup(&mut self, path: &str, wanted: Wanted<'_>, scope: CacheScope) -> DiskLookup<'a> {
        let Wanted { markers, needs, repository, .. } = wanted;
        let enough = |info: &&PathInfo| {
            info.repository.asked.contains(repository)
                && match needs {
                    MarkerNeeds::Nothing => true,
                    MarkerNeeds::All => info.covers(markers),
                    MarkerNeeds::One => info.covers(markers) || info.has_any(markers),
                }
        };
        let usable = |info: &&PathInfo| match scope.reads {
            CacheReads::None => false,
            CacheReads::Folders => info.found == Some(EntryKind::Directory),
            CacheReads::All => true,
        };
        let shared = self.shared.and_then(|disk| report(disk, path)).filter(usable).filter(enough);
        let left_out =
            self.own.iter().filter_map(|disk| report(disk, path)).find(|info| info.found.is_none() && enough(info));
        // A report counts for more than the absence of another one.
        let takes_old = left_out.is_some()
            || match self.patience {
                Patience::Waits(probes) => probes.is_overdue(path),
                Patience::TakesOld | Patience::GaveUp => true,
            };
        let counts = |info: &&PathInfo| takes_old || self.freshness.is_fresh(info.at);
        let own = newest(self.own, path).filter(enough);
        let reported = own.or_else(|| shared.filter(counts));
        let Some(info) = reported.or(left_out) else {
            if self.recording {
                self.record(path, wanted, scope, shared.is_some());
            }
            return match self.patience {
                Patience::GaveUp => DiskLookup::Unconfirmed,
                _ => DiskLookup::Unknown,
            };
        };
        if info.found.is_none() {
            return DiskLookup::Unconfirmed;
        }
        if self.recording {
            self.oldest = Some(self.oldest.map_or(info.at, |oldest| oldest.min(info.at)));
            self.is_stale |= own.is_none() && !self.freshness.is_fresh(info.at);
        }
        DiskLookup::Known(info)
    }

    fn record(&mut self, path: &str, wanted: Wanted<'_>, scope: CacheScope, is_known: bool) {
        if self.room.take(path) {
            let shared = scope.keeps && self.shared.is_some();
            let (markers, repository) = (wanted.markers, wanted.repository.with(wanted.wishes));
            self.queries.push(PathQuery { path: path.to_string(), markers: markers.clone(), repository, shared });
            self.refreshes |= is_known;
        } else {
            self.is_cut = true;
        }
    }
}
