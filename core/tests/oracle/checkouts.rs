//! The repositories on the disk of a case: one at `/p`, and one inside it at `/p/a` of many kinds, each as its files say.

use proptest::prelude::*;
use proptest::sample::select;
use rootwise::event::{EntryKind, Nearest};

/// What stands at `/p/a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inner {
    /// A repository with a folder `.git`.
    Own,
    /// A worktree of the outer repository, which confirms it.
    OfOuter,
    /// The same, and the outer one names another folder.
    Lies,
    /// A worktree of a bare repository, which confirms it.
    OfBare,
    /// A `.git` file that leads out of the folders that may be allowed.
    OfElsewhere,
    /// A submodule of the outer repository.
    Submodule,
    /// A worktree of a submodule, whose main checkout is `/p/b`.
    OfSubmodule,
    /// The same, and two files of the submodule name different main checkouts.
    OfSubmoduleByOwn,
    /// The same, and `/p/b` is that of another submodule.
    OfOtherSubmodule,
    /// A repository of Jujutsu with its data inside.
    Jujutsu,
    /// A workspace of Jujutsu whose data is in the outer repository.
    Workspace,
    /// A repository of Mercurial.
    Mercurial,
}

const KINDS: [Inner; 12] = [
    Inner::Own,
    Inner::OfOuter,
    Inner::Lies,
    Inner::OfBare,
    Inner::OfElsewhere,
    Inner::Submodule,
    Inner::OfSubmodule,
    Inner::OfSubmoduleByOwn,
    Inner::OfOtherSubmodule,
    Inner::Jujutsu,
    Inner::Workspace,
    Inner::Mercurial,
];

/// Configurations, each with the remote that rule 67 finds in it.
pub const CONFIGS: [(&str, Option<&str>); 7] = [
    ("", None),
    ("[remote \"origin\"]\n\turl = https://me:secret@Example.org/acme/app.git\n", Some("example.org/acme/app")),
    (
        "[remote \"up\"]\n\turl = /srv/app\n[remote \"origin\"]\n\turl = git@example.org:acme/app\n",
        Some("example.org/acme/app"),
    ),
    ("[remote \"up\"]\n\turl = ssh://git@example.org:2222/acme/lib.git\n", Some("example.org:2222/acme/lib")),
    ("[remote \"up\"]\n\turl = https://example.org/a\n[remote \"down\"]\n\turl = https://example.org/b\n", None),
    ("[remote \"origin\"]\n\turl = /srv/app.git\n", None),
    ("\u{fffd}[[remote\n=\n", None),
];

/// The same for Mercurial.
pub const HGRC: (&str, Option<&str>) =
    ("[paths]\ndefault = https://example.org/acme/app\n", Some("example.org/acme/app"));

/// What names `/p/b` as the main checkout of a submodule, and what names another folder.
pub const MAIN_IS_B: &str = "[core]\n\tworktree = ../../../b\n";
pub const MAIN_IS_C: &str = "[core]\n\tworktree = ../../../c\n";

/// All repositories of a case.
#[derive(Clone, Copy, Debug)]
pub struct Checkouts {
    pub inner: Inner,
    outer_config: &'static str,
    inner_config: &'static str,
}

pub fn checkouts() -> impl Strategy<Value = Checkouts> {
    let config = || select(CONFIGS.to_vec()).prop_map(|(text, _)| text);
    // Often clones of one repository.
    (select(KINDS.to_vec()), config(), prop::option::of(config())).prop_map(|(inner, outer_config, other)| Checkouts {
        inner,
        outer_config,
        inner_config: other.unwrap_or(outer_config),
    })
}

impl Checkouts {
    /// The nearest repository at or above a path.
    pub fn nearest(self, path: &str) -> Option<Nearest> {
        let is_below = |top: &str| path.strip_prefix(top).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let leads =
            |top: &str, to: &str| Some(Nearest::new(top, ".git", EntryKind::File).text(format!("gitdir: {to}\n")));
        let folder = |top: &str, name: &str| Some(Nearest::new(top, name, EntryKind::Directory));
        match self.inner {
            _ if !is_below("/p") => None,
            Inner::OfSubmodule | Inner::OfSubmoduleByOwn if is_below("/p/b") => leads("/p/b", "../.git/modules/b"),
            Inner::OfOtherSubmodule if is_below("/p/b") => leads("/p/b", "../.git/modules/c"),
            _ if !is_below("/p/a") => folder("/p", ".git"),
            Inner::Own => folder("/p/a", ".git"),
            Inner::OfOuter | Inner::Lies => leads("/p/a", "/p/.git/worktrees/a"),
            Inner::OfBare => leads("/p/a", "/p/data.git/worktrees/a"),
            Inner::OfElsewhere => leads("/p/a", "/q/.git/worktrees/a"),
            Inner::Submodule => leads("/p/a", "../.git/modules/a"),
            Inner::OfSubmodule | Inner::OfSubmoduleByOwn | Inner::OfOtherSubmodule => {
                leads("/p/a", "/p/.git/modules/b/worktrees/a")
            }
            Inner::Jujutsu | Inner::Workspace => folder("/p/a", ".jj"),
            Inner::Mercurial => folder("/p/a", ".hg"),
        }
    }

    /// The text of a file in a folder with data of a repository.
    pub fn text(self, folder: &str, name: &str) -> Option<String> {
        let is_worktree = folder.ends_with("/worktrees/a");
        let text = match (folder, name) {
            (_, "commondir") if is_worktree => "../..\n",
            (_, "gitdir") if is_worktree && self.inner == Inner::Lies => "/p/b/.git\n",
            (_, "gitdir") if is_worktree => "/p/a/.git\n",
            ("/p/.git", "config") => self.outer_config,
            ("/p/.git/modules/b", "config") => {
                let main = if self.inner == Inner::OfSubmoduleByOwn { MAIN_IS_C } else { MAIN_IS_B };
                return Some(format!("{main}{}", self.inner_config));
            }
            ("/p/.git/modules/b", "config.worktree") if self.inner == Inner::OfSubmoduleByOwn => MAIN_IS_B,
            ("/p/a/.hg", "hgrc") => HGRC.0,
            ("/p/a/.jj", "repo") if self.inner == Inner::Workspace => "/p/b/.jj/repo",
            ("/p/b/.jj/repo/store", "git_target") => "../../../../.git",
            ("/p/a/.jj/repo/store", "git_target") => "git",
            ("/p/a/.git" | "/p/data.git" | "/q/.git" | "/p/.git/modules/a" | "/p/a/.jj/repo/store/git", "config") => {
                self.inner_config
            }
            _ => return None,
        };
        Some(text.to_owned())
    }
}
