//! The resolved project.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::is_default;
use super::reason::Reason;
use super::source::SourceKind;
use super::style::PathStyle;

/// The project a client works in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Project {
    /// The identity: the same folder has the same key whatever its spelling, and with another
    /// [`identity`](crate::policy::Identity) the same folder of a repository has it in every worktree or clone.
    pub key: String,
    /// A short hash of the key.
    pub id: String,
    /// A folder name for it, safe on every system: the readable part of its name and its `id`.
    pub slug: String,
    /// The folder's name, or the name it was selected by, as the peer wrote it.
    pub name: String,
    /// The name made safe to show: one line, bounded, without control or invisible characters.
    pub display_name: String,
    /// The folder, if this process can use it: the client is on this machine, or the folder was verified inside
    /// `allowedDirs`. Always there if the policy says `requirePath`, which is the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The folder as the client spells it, if that is not `path`: on another machine, where it was not checked, or by the path map.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_path: Option<String>,
    /// The spelling of its paths and of its key, if it is a folder: a client on another machine may run another system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<PathStyle>,
    /// The canonical URI, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// The real path, if a probe reported it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub real_path: Option<String>,
    /// The repository that the folder belongs to, if the policy looks for it and there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repository: Option<Box<Repository>>,
    /// The nearest package between the `target` of an ask and the project's folder. Only in answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<Box<Package>>,
    /// The source that won.
    pub source: SourceKind,
    /// The exact input that source read: a variable, a header, an option, or for `remembered` the original source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
    /// The client root it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<RootRef>,
    /// The first of the client's other roots, if this one was picked from several; of a project that is a mere name, all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub other_roots: Vec<RootRef>,
    /// The number of other roots that `otherRoots` leaves out because they are too many or too long; ask for the roots
    /// to get all of them.
    #[serde(default, skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub other_roots_omitted: u32,
    /// The text that names it in each call. Only in the answer to a selection that is kept nowhere, because nothing connects the
    /// calls of this client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// Whether the client or the disk did not confirm in time that this still holds: the list of roots or the report that
    /// it rests on is older than `maxAgeMs`, or out of date. Only in answers.
    #[serde(default, skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub stale: bool,
}

/// The repository of a project's folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Repository {
    /// The top folder of this checkout, by its real path.
    pub path: String,
    /// The identity: all worktrees of a repository have the same key.
    pub key: String,
    /// A short hash of the key.
    pub id: String,
    /// The name of the repository's folder, the same in all worktrees.
    pub name: String,
    /// The system that keeps it.
    pub kind: RepositoryKind,
    /// The project's folder relative to the top, with `/` on every system; empty at the top.
    pub inside: String,
    /// The worktree, if this is not the main checkout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<Worktree>,
    /// Whether its `.git` is a file that leads to no repository which confirms it: it was moved, is damaged, or leads out of
    /// `allowedDirs`. It then counts as a repository of its own.
    #[serde(default, skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub broken: bool,
    /// The place of the remote `origin`, or of the only one, as `host/path`: without scheme, user, password and `.git`. Only if
    /// the policy asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
}

/// The systems that keep repositories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum RepositoryKind {
    /// Git, also with Jujutsu beside it.
    Git,
    /// Jujutsu alone.
    Jj,
    /// Mercurial.
    Hg,
}

/// A worktree that its repository knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Worktree {
    /// The name by which the repository knows it.
    pub name: String,
    /// The top folder of the main checkout; a bare repository has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub main: Option<String>,
}

/// A package inside a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Package {
    /// Its folder, spelled like the project's.
    pub path: String,
    /// The folder's name.
    pub name: String,
    /// The folder relative to the project's, with `/` on every system.
    pub inside: String,
    /// The marker by which it is one.
    pub marker: String,
}

impl AsRef<Self> for Project {
    fn as_ref(&self) -> &Self {
        self
    }
}

/// A client root as a project refers to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RootRef {
    /// Position in the client's list.
    pub index: u32,
    /// The URI as the client sent it, made safe to show.
    pub uri: String,
    /// The root's own name, made safe to show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The folder that the URI names on this machine. It is not verified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The folder that the URI names on the client's machine, if that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_path: Option<String>,
}

/// A client root as the roots view shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RootView {
    /// The root itself.
    #[serde(flatten)]
    pub root: RootRef,
    /// The real path of the folder, if a probe reported it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub real_path: Option<String>,
    /// The reason for which it is no folder that can be used here, as a stable code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<Reason>,
    /// Whether the folder exists on this machine; absent where nobody has checked that for this client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exists: Option<bool>,
    /// Whether it is a folder on this machine without a problem, whose real path is known: paths can be compared with it.
    #[serde(default, skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub usable: bool,
}
