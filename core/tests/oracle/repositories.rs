//! The repository of a folder, and the identity that follows from it (rules 66 to 68, 71).

use std::collections::BTreeSet;

use rootwise::Reason;
use rootwise::action::SharedBy;
use rootwise::event::{EntryKind, Nearest};
use rootwise::path;
use rootwise::policy::{FindRepository, Identity, Source, Verify};
use rootwise::project::RepositoryKind;

use super::checkouts::{CONFIGS, HGRC, MAIN_IS_B, MAIN_IS_C};
use super::history::History;
use super::record::{Known, Win};
use super::values::{CONFIG, Eyes, LINKS, MAIN, NEAREST, Need, STORE, Verdict, WORKSPACE};
use super::verdict::Look;

/// A repository as far as it is predicted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repo {
    pub top: String,
    pub inside: String,
    pub kind: RepositoryKind,
    /// The folder by which it is known.
    pub folder: String,
    /// The name of a worktree and its main checkout.
    pub worktree: Option<(String, Option<String>)>,
    pub broken: bool,
    pub remote: Option<String>,
}

impl Repo {
    fn is_bare(&self) -> bool {
        self.worktree.as_ref().is_some_and(|(_, main)| main.is_none())
    }

    pub fn key(&self) -> String {
        if self.is_bare() { format!("bare:{}", self.folder) } else { self.folder.clone() }
    }

    /// The key of the project at its place in the repository.
    fn project_key(&self, identity: Identity) -> String {
        let (key, between) = match &self.remote {
            Some(remote) if identity == Identity::Remote => (format!("remote:{remote}"), "//"),
            _ => (self.key(), "/"),
        };
        if self.inside.is_empty() { key } else { format!("{key}{between}{}", self.inside) }
    }
}

impl Win {
    /// What it has in common with the project after it (rule 19).
    pub fn shares_with(&self, next: &Self) -> Option<SharedBy> {
        let (from, to) = (self.project.repository.as_ref()?, next.project.repository.as_ref()?);
        let are_clones = from.remote.is_some() && from.remote == to.remote;
        match () {
            () if from.top == to.top => Some(SharedBy::Checkout),
            () => (from.key() == to.key() || are_clones).then_some(SharedBy::Repository),
        }
    }
}

/// Why there is no repository to tell yet.
enum Not {
    /// These come first.
    Yet(Need),
    InTime,
}

/// From where somebody looks at the disk.
struct Looker<'a> {
    history: &'a History,
    source: &'a Source,
    eyes: Eyes<'a>,
}

impl Looker<'_> {
    /// What the disk says to a question about a path.
    fn look(&self, path: &str, questions: &[&str]) -> Result<Known, Not> {
        let questions: BTreeSet<String> = questions.iter().map(|question| (*question).to_owned()).collect();
        let connection = self.history.serves_connection(self.source, self.eyes);
        let own = !connection || self.history.rechecks(self.source);
        match self.history.look(self.source, path, &questions, self.eyes) {
            Look::Unknown { refresh } => {
                Err(Not::Yet(Need { path: path.to_owned(), markers: questions, connection, own, refresh }))
            }
            Look::Unconfirmed => Err(Not::InTime),
            Look::Known(known) => Ok(known),
        }
    }
}

/// The real path where the host told it.
fn real(known: &Known, at: &str) -> String {
    known.real.clone().unwrap_or_else(|| at.to_owned())
}

/// Where a `.git` file leads.
fn leads(nearest: &Nearest) -> Option<String> {
    nearest.text.as_deref()?.strip_prefix("gitdir:").map(|to| to.trim().to_owned()).filter(|to| !to.is_empty())
}

/// The remote in the configuration of a repository.
fn remote(known: &Known) -> Option<String> {
    if known.text(CONFIG, "hgrc") == Some(HGRC.0) {
        return HGRC.1.map(str::to_owned);
    }
    let text = known.text(CONFIG, "config")?;
    let main = [MAIN_IS_B, MAIN_IS_C].iter().find_map(|main| text.strip_prefix(main));
    let own = |(config, _): &&(&str, Option<&str>)| *config == main.unwrap_or(text);
    CONFIGS.iter().find(own)?.1.map(str::to_owned)
}

impl History {
    /// The same project with the identity of its repository, where the policy wants that. Hosts here have POSIX paths.
    pub fn identified(&self, mut win: Win, repository: Option<Repo>) -> Win {
        let identity = self.policy.config().identity;
        win.project.key = match &repository {
            Some(repo) if identity != Identity::Folder => repo.project_key(identity),
            _ => win.folder.clone(),
        };
        win.project.repository = repository;
        win
    }

    /// The repository of a folder to which the check of a start led; the error is what has to come first, or what becomes of the
    /// folder where its identity cannot be known in time.
    pub fn repository(
        &self,
        source: &Source,
        start: &str,
        found: &str,
        truth: Option<&str>,
        eyes: Eyes<'_>,
    ) -> Result<Option<Repo>, Verdict> {
        let decides = self.policy.config().identity != Identity::Folder;
        let looks = source.verify != Verify::None || self.is_confined() || decides;
        if self.wished().is_empty() || !looks {
            return Ok(None);
        }
        let looker = Looker { history: self, source, eyes };
        match self.found_repository(&looker, start, found, truth.unwrap_or(found)) {
            Ok(repo) => Ok(repo),
            Err(Not::Yet(need)) => Err(Verdict::Pending(vec![need])),
            Err(Not::InTime) if decides => Err(Verdict::Bad(Reason::Unconfirmed)),
            Err(Not::InTime) => Ok(None),
        }
    }

    fn found_repository(&self, looker: &Looker<'_>, start: &str, found: &str, at: &str) -> Result<Option<Repo>, Not> {
        let mut known = looker.look(start, &[NEAREST])?;
        let from = real(&known, start);
        let lies_between = |nearest: &Nearest| !path::is_inside(&nearest.path, at, self.style());
        // What was found from below the folder holds for the folder too, unless it lies between them.
        let holds = path::is_inside(at, &from, self.style()) && !known.nearest.as_ref().is_some_and(lies_between);
        if start != found && !holds {
            known = looker.look(found, &[NEAREST])?;
        }
        let Some(nearest) = known.nearest.filter(|nearest| {
            let top = &nearest.path;
            let is_top = path::parent(top, self.style()).is_none();
            path::is_inside(top, at, self.style()) && self.is_allowed(top) && !is_top && !self.is_home(top)
        }) else {
            return Ok(None);
        };
        let top = nearest.path.clone();
        let kind = match nearest.name.as_str() {
            ".jj" => RepositoryKind::Jj,
            ".hg" => RepositoryKind::Hg,
            _ => RepositoryKind::Git,
        };
        let inside = at.strip_prefix(top.as_str()).unwrap_or_default().trim_start_matches('/').to_owned();
        let own = Repo { inside, kind, folder: top.clone(), worktree: None, broken: false, remote: None, top };
        let (repo, config) = self.checkout(looker, &nearest, own)?;
        let remote = match config.filter(|_| self.wants_remote()) {
            Some(config) => {
                let known = looker.look(&config, &[CONFIG])?;
                remote(&known).filter(|_| self.is_allowed(&real(&known, &config)))
            }
            None => None,
        };
        Ok(Some(Repo { remote, ..repo }))
    }

    fn wants_remote(&self) -> bool {
        let config = self.policy.config();
        config.identity == Identity::Remote || config.repository == FindRepository::Remote
    }

    /// What the entry of a repository leads to, and the folder with its configuration.
    fn checkout(&self, looker: &Looker<'_>, nearest: &Nearest, own: Repo) -> Result<(Repo, Option<String>), Not> {
        let entry = format!("{}/{}", own.top, nearest.name);
        if own.kind == RepositoryKind::Jj {
            let config = if self.wants_remote() { self.config_of_jj(looker, &entry)? } else { None };
            return Ok((own, config));
        }
        if nearest.found == EntryKind::Directory {
            return Ok((own, Some(entry)));
        }
        let broken = (Repo { broken: true, ..own.clone() }, None);
        let led = leads(nearest).and_then(|to| path::join(&own.top, &to, self.style()).ok());
        let Some(data) = led.filter(|data| self.is_allowed(data)) else { return Ok(broken) };
        let there = looker.look(&data, &[LINKS])?;
        let data = real(&there, &data);
        if there.found != EntryKind::Directory || !self.is_allowed(&data) {
            return Ok(broken);
        }
        // A submodule, or a repository with its data elsewhere.
        let Some(common) = there.text(LINKS, "commondir") else { return Ok((own, Some(data))) };
        let common = path::join(&data, common.trim(), self.style()).unwrap();
        let (worktrees, name) = data.rsplit_once('/').unwrap();
        let back = there.text(LINKS, "gitdir").map(str::trim);
        let confirms = worktrees == format!("{common}/worktrees") && back == Some(entry.as_str());
        if !confirms || !self.is_allowed(&common) {
            return Ok(broken);
        }
        let main = match common.strip_suffix("/.git").filter(|main| self.is_allowed(main)) {
            Some(main) => Some(main.to_owned()),
            None => self.main_elsewhere(looker, &common)?,
        };
        let folder = main.clone().unwrap_or_else(|| common.clone());
        Ok((Repo { folder, worktree: Some((name.to_owned(), main)), ..own }, Some(common)))
    }

    /// The main checkout that the configuration of a common folder names, if its `.git` file leads back.
    fn main_elsewhere(&self, looker: &Looker<'_>, common: &str) -> Result<Option<String>, Not> {
        let questions: &[&str] = if self.wants_remote() { &[MAIN, CONFIG] } else { &[MAIN] };
        let there = looker.look(common, questions)?;
        // What a worktree has of its own counts first.
        let texts = ["config.worktree", "config"].map(|name| there.text(MAIN, name));
        let names = |text: &&str| text.contains("worktree =");
        let Some(text) = texts.into_iter().flatten().find(names) else { return Ok(None) };
        let to = if text.starts_with(MAIN_IS_B) { "../../../b" } else { "../../../c" };
        let main = path::join(&real(&there, common), to, self.style()).unwrap();
        if !self.is_allowed(&main) {
            return Ok(None);
        }
        let leads_back = |nearest: &Nearest| {
            let back = leads(nearest).and_then(|to| path::join(&main, &to, self.style()).ok());
            nearest.path == main && nearest.name == ".git" && back.as_deref() == Some(common)
        };
        Ok(looker.look(&main, &[NEAREST])?.nearest.filter(leads_back).map(|nearest| nearest.path))
    }

    /// The folder with the configuration of the repository of Git in which Jujutsu keeps its data (rule 71).
    fn config_of_jj(&self, looker: &Looker<'_>, entry: &str) -> Result<Option<String>, Not> {
        let there = looker.look(entry, &[WORKSPACE])?;
        let repo = there.text(WORKSPACE, "repo").map_or("repo", str::trim);
        let store = path::join(&real(&there, entry), &format!("{repo}/store"), self.style()).unwrap();
        if !self.is_allowed(&store) {
            return Ok(None);
        }
        let there = looker.look(&store, &[STORE])?;
        let Some(target) = there.text(STORE, "git_target") else { return Ok(None) };
        let data = path::join(&real(&there, &store), target.trim(), self.style()).unwrap();
        Ok(Some(data).filter(|data| self.is_allowed(data)))
    }
}
