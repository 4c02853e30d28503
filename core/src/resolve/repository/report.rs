//! What a host is asked about repositories, and what it replied, already read.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::{remote, texts};
use crate::api::action::{FindNearest, ReadFiles};
use crate::api::event::{EntryKind, Nearest};
use crate::api::is_default;
use crate::policy::RepositoryRules;

/// The entries by which a folder is the top of a repository. Of several in one folder the first counts.
const NAMES: [&str; 3] = [".git", ".jj", ".hg"];
/// The files by which a worktree and its repository name each other.
const LINKS: [&str; 2] = ["commondir", "gitdir"];
/// The files that name the remotes of a repository, of Git and of Mercurial.
const CONFIG: [&str; 2] = ["config", "hgrc"];

/// The files that name the main checkout of a repository whose data lies elsewhere. The second one counts first.
const MAIN: [&str; 2] = ["config", "config.worktree"];
/// The file that names the repository of a further workspace of Jujutsu.
const WORKSPACE: [&str; 1] = ["repo"];
/// The file that names the Git repository in which Jujutsu keeps its data.
const STORE: [&str; 1] = ["git_target"];

/// The size of a file that holds one path.
const PATH_BYTES: u32 = 4 << 10;
/// The size of a configuration: one with hundreds of branches.
const CONFIG_BYTES: u32 = 64 << 10;

/// A set of questions about one path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct RepositoryQuestions(u8);

impl RepositoryQuestions {
    pub(crate) const NONE: Self = Self(0);
    /// Which folder at or above it is the top of a repository?
    pub(crate) const NEAREST: Self = Self(1);
    /// Which repository do the files of a worktree name?
    pub(crate) const LINKS: Self = Self(2);
    /// Which remote does the configuration name?
    pub(crate) const CONFIG: Self = Self(4);
    /// Where does the configuration say that the main checkout is?
    pub(crate) const MAIN: Self = Self(8);
    /// Which repository of Jujutsu does a workspace belong to?
    pub(crate) const WORKSPACE: Self = Self(16);
    /// Where does a repository of Jujutsu keep its data?
    pub(crate) const STORE: Self = Self(32);

    /// What is wished to know about a folder under rules.
    pub(crate) fn by(rules: Option<RepositoryRules>) -> Self {
        rules.map_or(Self::NONE, |_| Self::NEAREST)
    }

    pub(crate) const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    pub(crate) const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The search that the host is asked for.
    pub(crate) fn find(self, within: Option<&Vec<String>>) -> Option<FindNearest> {
        let names = NAMES.map(ToOwned::to_owned).into();
        let find = FindNearest { names, within: within.cloned(), bytes: PATH_BYTES };
        self.contains(Self::NEAREST).then_some(find)
    }

    /// The files that the host is asked for.
    pub(crate) fn files(self, within: Option<&Vec<String>>) -> Option<ReadFiles> {
        let of = |question, files: &'static [&'static str]| files.iter().filter(move |_| self.contains(question));
        let mut names: Vec<String> = Vec::new();
        for name in of(Self::LINKS, &LINKS)
            .chain(of(Self::CONFIG, &CONFIG))
            .chain(of(Self::MAIN, &MAIN))
            .chain(of(Self::WORKSPACE, &WORKSPACE))
            .chain(of(Self::STORE, &STORE))
        {
            if !names.iter().any(|known| known == name) {
                names.push((*name).to_owned());
            }
        }
        let is_large = self.contains(Self::CONFIG) || self.contains(Self::MAIN);
        let bytes = if is_large { CONFIG_BYTES } else { PATH_BYTES };
        (!names.is_empty()).then(|| ReadFiles { names, within: within.cloned(), bytes })
    }
}

/// What was asked about one path, and the answers. Most paths have none, so that they take little room.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct RepositoryReport {
    pub(crate) asked: RepositoryQuestions,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) nearest: Option<Box<Marked>>,
    /// What its files say, if they were asked for and say something.
    #[serde(default, skip_serializing_if = "is_default")]
    files: Option<Box<FilesReport>>,
}

/// What the files of a repository or a worktree say.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct FilesReport {
    /// The repository of a worktree, as its `commondir` names it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) common: Option<String>,
    /// The worktree, as the `gitdir` of its repository names it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) back: Option<String>,
    /// The remote, in its normal form.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) remote: Option<String>,
    /// The main checkout, as the configuration names it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) main: Option<String>,
    /// The repository of Jujutsu, or the place of its data, as a file names it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) store: Option<String>,
}

/// The nearest folder with a repository's entry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Marked {
    /// The folder, by its real path.
    pub(crate) path: String,
    pub(crate) name: String,
    pub(crate) is_folder: bool,
    /// Where a `.git` file leads.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) leads_to: Option<String>,
}

impl FilesReport {
    const NONE: Self = Self { common: None, back: None, remote: None, main: None, store: None };

    fn boxed(self) -> Option<Box<Self>> {
        (self != Self::NONE).then(|| self.into())
    }
}

impl RepositoryReport {
    /// What its files say.
    pub(crate) fn files(&self) -> &FilesReport {
        self.files.as_deref().unwrap_or(&FilesReport::NONE)
    }

    /// The host was asked and did not reply.
    pub(crate) fn unanswered(asked: RepositoryQuestions) -> Self {
        Self { asked, ..Self::default() }
    }

    /// Reads a reply as far as it answers the questions. Texts that a host should not have sent count as absent.
    pub(crate) fn read(asked: RepositoryQuestions, nearest: Option<Nearest>, files: &BTreeMap<String, String>) -> Self {
        let text = |name: &str, most: u32| {
            let fits = |text: &&String| u32::try_from(text.len()).is_ok_and(|bytes| bytes <= most);
            files.get(name).filter(fits)
        };
        let link = |name| text(name, PATH_BYTES).filter(|_| asked.contains(RepositoryQuestions::LINKS));
        let config = |name| text(name, CONFIG_BYTES).filter(|_| asked.contains(RepositoryQuestions::CONFIG));
        let [common, back] = LINKS.map(|name| link(name).and_then(|text| texts::path(text)));
        let [git, hg] = CONFIG;
        let remote = config(git).and_then(|text| texts::git_remote(text));
        let remote = remote.or_else(|| config(hg).and_then(|text| texts::hg_remote(text)));
        let main = |name| {
            let text = text(name, CONFIG_BYTES).filter(|_| asked.contains(RepositoryQuestions::MAIN));
            text.and_then(|text| texts::git_main_checkout(text))
        };
        let [main, own] = MAIN.map(main);
        let one = |question, [name]: [&str; 1]| {
            text(name, PATH_BYTES).filter(|_| asked.contains(question)).and_then(|text| texts::path(text))
        };
        let workspace = one(RepositoryQuestions::WORKSPACE, WORKSPACE);
        let nearest = nearest.filter(|nearest| {
            let exists = matches!(nearest.found, EntryKind::Directory | EntryKind::File);
            asked.contains(RepositoryQuestions::NEAREST) && exists && NAMES.contains(&nearest.name.as_str())
        });
        Self {
            asked,
            nearest: nearest.map(|Nearest { path, name, found, text }| {
                let fits = |text: &String| u32::try_from(text.len()).is_ok_and(|bytes| bytes <= PATH_BYTES);
                let leads_to = text.filter(fits).and_then(|text| texts::path(text.strip_prefix("gitdir:")?));
                Box::new(Marked { path, name, is_folder: found == EntryKind::Directory, leads_to })
            }),
            files: FilesReport {
                common,
                back,
                remote: remote.and_then(|url| remote::normal(&url)),
                main: own.or(main),
                store: workspace.or_else(|| one(RepositoryQuestions::STORE, STORE)),
            }
            .boxed(),
        }
    }

    /// Keeps the answers of an earlier report to questions that this one was not asked.
    pub(crate) fn with_earlier(self, earlier: &Self) -> Self {
        let is_new = |question| self.asked.contains(question);
        let (new, old) = (self.files(), earlier.files());
        let of = |is_new, read: fn(&FilesReport) -> &Option<String>| read(if is_new { new } else { old }).clone();
        let links = is_new(RepositoryQuestions::LINKS);
        let files = FilesReport {
            common: of(links, |files| &files.common),
            back: of(links, |files| &files.back),
            remote: of(is_new(RepositoryQuestions::CONFIG), |files| &files.remote),
            main: of(is_new(RepositoryQuestions::MAIN), |files| &files.main),
            store: of(is_new(RepositoryQuestions::WORKSPACE) || is_new(RepositoryQuestions::STORE), |files| {
                &files.store
            }),
        }
        .boxed();
        Self {
            asked: self.asked.with(earlier.asked),
            nearest: if is_new(RepositoryQuestions::NEAREST) { self.nearest } else { earlier.nearest.clone() },
            files,
        }
    }
}
