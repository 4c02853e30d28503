//! The disk as far as probes have reported it.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::api::event::Found;
use crate::policy::MarkerNames;

/// The paths that were probed.
pub(crate) type Disk = BTreeMap<String, PathInfo>;

/// The report on one path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct PathInfo {
    /// `None` means that the host was asked and did not reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) found: Option<Found>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) real_path: Option<String>,
    /// The markers that were looked for.
    pub(crate) asked: MarkerNames,
    /// Those that exist.
    pub(crate) markers: Vec<String>,
}

impl PathInfo {
    /// The host was asked and left the path out of its reply.
    pub(crate) fn unconfirmed() -> Self {
        Self { found: None, real_path: None, asked: MarkerNames::default(), markers: Vec::new() }
    }

    /// Whether it covers these markers.
    pub(crate) fn covers(&self, markers: &[String]) -> bool {
        markers.iter().all(|marker| self.asked.contains(marker))
    }

    /// Keeps what an earlier report said about markers that this one does not cover.
    pub(crate) fn with_earlier(mut self, earlier: &Self) -> Self {
        if earlier.found == self.found {
            let missed = |marker: &&String| !self.asked.contains(marker);
            let markers: Vec<String> = earlier.markers.iter().filter(missed).cloned().collect();
            let asked = merged(&self.asked, &earlier.asked);
            self.markers.extend(markers);
            self.asked = asked;
        }
        self
    }
}

/// The names of both, each once.
pub(crate) fn merged(names: &MarkerNames, more: &MarkerNames) -> MarkerNames {
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
pub(crate) fn learn(disk: &mut Disk, path: &str, info: PathInfo) {
    if info.found.is_none() {
        return;
    }
    let info = match disk.get(path) {
        Some(earlier) => info.with_earlier(earlier),
        None => info,
    };
    disk.insert(path.to_string(), info);
}

/// The newest report on a path in replies, oldest first.
pub(crate) fn newest<'a>(replies: &'a [Arc<Disk>], path: &str) -> Option<&'a PathInfo> {
    replies.iter().rev().filter_map(|disk| disk.get(path)).find(|info| info.found.is_some())
}

/// The disk as one evaluation sees it, and the paths it turned out to need.
pub(crate) struct DiskView<'a> {
    /// Replies to probes of this ask.
    own: &'a [Arc<Disk>],
    /// Replies that serve the whole connection.
    shared: Option<&'a Disk>,
    /// Whether no caller will wait for another reply.
    gave_up: bool,
    /// Whether unknown paths are recorded.
    pub(crate) recording: bool,
    /// Whether known paths, and paths that can no longer matter, are recorded too.
    pub(crate) thorough: bool,
    /// The recorded paths.
    pub(crate) queries: Vec<PathQuery>,
    /// Room for more of them, unless all are recorded.
    room: ProbeRoom,
    /// Whether a path was not recorded because there was no room.
    pub(crate) is_cut: bool,
}

/// A path that an evaluation needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PathQuery {
    pub(crate) path: String,
    pub(crate) markers: MarkerNames,
    /// Whether the reply may serve the whole connection.
    pub(crate) shared: bool,
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

/// The result of a lookup.
pub(crate) enum DiskLookup<'a> {
    Known(&'a PathInfo),
    /// The host was asked and did not reply in time.
    Unconfirmed,
    Unknown,
}

impl<'a> DiskView<'a> {
    pub(crate) const fn new(own: &'a [Arc<Disk>], shared: Option<&'a Disk>, gave_up: bool, probe_paths: usize) -> Self {
        let room = ProbeRoom::new(probe_paths);
        Self { own, shared, gave_up, recording: true, thorough: false, queries: Vec::new(), room, is_cut: false }
    }

    /// The view that names every path of the connection's sources.
    pub(crate) fn thorough(shared: &'a Disk) -> Self {
        Self { thorough: true, ..Self::new(&[], Some(shared), false, 0) }
    }

    /// Looks up a path and these markers; with `any`, a report without the markers is enough.
    pub(crate) fn lookup(&mut self, path: &str, markers: &MarkerNames, any: bool, scope: CacheScope) -> DiskLookup<'a> {
        let enough = |info: &&PathInfo| any || info.covers(markers);
        let usable = |info: &&PathInfo| match scope.reads {
            CacheReads::None => false,
            CacheReads::Folders => info.found == Some(Found::Directory),
            CacheReads::All => true,
        };
        let shared = self.shared.and_then(|disk| disk.get(path)).filter(usable);
        // A report counts for more than the absence of another one.
        let reported = newest(self.own, path).filter(enough).or_else(|| shared.filter(enough));
        let left_out =
            || self.own.iter().filter_map(|disk| disk.get(path)).find(|info| info.found.is_none() && enough(info));
        let info = reported.or_else(left_out);
        if self.thorough || (info.is_none() && self.recording) {
            if self.thorough || self.room.take(path) {
                let shared = scope.keeps && self.shared.is_some();
                self.queries.push(PathQuery { path: path.to_string(), markers: markers.clone(), shared });
            } else {
                self.is_cut = true;
            }
        }
        match info {
            Some(PathInfo { found: None, .. }) => DiskLookup::Unconfirmed,
            Some(info) => DiskLookup::Known(info),
            None if self.gave_up => DiskLookup::Unconfirmed,
            None => DiskLookup::Unknown,
        }
    }
}
