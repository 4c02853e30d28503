//! Repositories: whether they are looked for, and whether they decide which folders are the same project.

use serde::{Deserialize, Serialize};

use super::Policy;

/// What the probe of a project's folder finds out about its repository.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum FindRepository {
    /// Nothing.
    #[default]
    No,
    /// The repository and its worktree. Of an ordinary repository the probe of the folder tells both; a worktree takes one probe
    /// more.
    Local,
    /// Its remote as well, which takes one probe more.
    Remote,
}

/// What makes two folders the same project: the same `key`, `id` and `slug`, for stored data, the recovery of sessions and
/// announcements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Identity {
    /// The folder.
    #[default]
    Folder,
    /// The repository and the place inside it: worktrees share a project. A folder without a repository counts by itself.
    Repository,
    /// The remote of the repository and the place inside it: clones share a project too. A repository without a remote counts
    /// by itself. Whoever can write a repository's configuration can claim any remote.
    Remote,
}

/// How the repository of a folder is looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RepositoryRules {
    /// Whether its remote is wanted.
    pub(crate) remote: bool,
    /// Whether the identity of the project depends on it.
    pub(crate) decides: bool,
}

impl Policy {
    /// How the repository of a folder is looked for, if it is.
    pub(crate) fn repository_rules(&self) -> Option<RepositoryRules> {
        let needed = match self.config.identity {
            Identity::Folder => FindRepository::No,
            Identity::Repository => FindRepository::Local,
            Identity::Remote => FindRepository::Remote,
        };
        let find = self.config.repository.max(needed);
        (find != FindRepository::No).then_some(RepositoryRules {
            remote: find == FindRepository::Remote,
            decides: self.config.identity != Identity::Folder,
        })
    }
}
