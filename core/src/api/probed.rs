//! What a host found on its disk.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::id::ProbeId;

/// The reply to a probe.
///
/// ```
/// use rootwise::event::{EntryKind, Probed, ProbedPath, SelectBy, Selected};
/// use rootwise::Action;
///
/// # use rootwise::{HostFacts, PathStyle, Policy, Resolver};
/// # let mut resolver = Resolver::new(Policy::recommended(), HostFacts::new(PathStyle::Posix))?;
/// let actions = resolver.handle(Selected::new(1, SelectBy::Path("/work/app".into())), 0)?;
/// let [Action::Probe(probe)] = actions.as_slice() else { panic!("{actions:?}") };
/// let state = |path: &str| ProbedPath::new(path, EntryKind::Directory).markers(vec![".git".into()]);
/// let paths = probe.paths.iter().map(|wanted| state(&wanted.path)).collect();
/// resolver.handle(Probed::new(probe.probe, paths), 5)?;
/// assert_eq!(resolver.project().map(|project| &*project.name), Some("app"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct Probed {
    /// The probe.
    pub probe: ProbeId,
    /// The state of each path; an omitted path counts as unconfirmed.
    pub paths: Vec<ProbedPath>,
}

impl Probed {
    /// The reply to this probe.
    #[must_use]
    pub fn new(probe: impl Into<ProbeId>, paths: Vec<ProbedPath>) -> Self {
        Self { probe: probe.into(), paths }
    }
}

/// The state of one path.
///
/// ```
/// use rootwise::event::{EntryKind, ProbedPath};
///
/// let app = ProbedPath::new("/work/app", EntryKind::Directory).real_path("/disk/app".to_owned()).markers(vec![".git".into()]);
/// assert_eq!(app.markers, [".git"]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct ProbedPath {
    /// The path as the probe spelled it.
    pub path: String,
    /// The kind of file system entry.
    pub found: EntryKind,
    /// The real path, with all links resolved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub real_path: Option<String>,
    /// Those of the requested markers that exist, as file or folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub markers: Vec<String>,
    /// The nearest folder that was looked for, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearest: Option<Nearest>,
    /// The texts of the files that were to be read, by name, as far as they could be.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
}

/// The nearest folder with an entry that was looked for.
///
/// ```
/// use rootwise::event::{EntryKind, Nearest};
///
/// let worktree = Nearest::new("/work/app-fix", ".git", EntryKind::File).text("gitdir: /work/app/.git/worktrees/app-fix".to_owned());
/// assert_eq!(worktree.found, EntryKind::File);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct Nearest {
    /// The folder, by its real path.
    pub path: String,
    /// The name of the entry in it.
    pub name: String,
    /// The kind of the entry, with links followed.
    pub found: EntryKind,
    /// Its text, if it is a regular file in UTF-8 that is not too large, and no link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl Nearest {
    /// An entry without a text.
    #[must_use]
    pub fn new(path: impl Into<String>, name: impl Into<String>, found: EntryKind) -> Self {
        Self { path: path.into(), name: name.into(), found, text: None }
    }
}

setters!(Nearest { ; text: String });

impl ProbedPath {
    /// A path without a known real path and without markers.
    #[must_use]
    pub fn new(path: impl Into<String>, found: EntryKind) -> Self {
        Self { path: path.into(), found, real_path: None, markers: Vec::new(), nearest: None, files: BTreeMap::new() }
    }
}

setters!(ProbedPath { markers: Vec<String>, files: BTreeMap<String, String>; real_path: String, nearest: Nearest });

/// The kinds of file system entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum EntryKind {
    /// A folder.
    Directory,
    /// Anything else that exists.
    File,
    /// Nothing.
    Missing,
    /// The host has no permission to tell.
    Unreadable,
}
