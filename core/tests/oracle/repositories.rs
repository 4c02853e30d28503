//! The repository of a folder, and the identity that follows from it (rules 66 to 68).

use rootwise::Reason;
use rootwise::action::SharedBy;
use rootwise::event::EntryKind;
use rootwise::path;
use rootwise::policy::{Identity, Source, Verify};

use super::history::History;
use super::record::{Known, Win};
use super::values::{Eyes, LINKS, MAIN, Need, Verdict};
use super::verdict::Look;

/// A repository as far as it is predicted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repo {
    pub top: String,
    pub inside: String,
    /// The folder by which it is known.
    pub folder: String,
    /// The name of a worktree and its main checkout.
    pub worktree: Option<(String, Option<String>)>,
    pub broken: bool,
}

impl Repo {
    fn is_bare(&self) -> bool {
        self.worktree.as_ref().is_some_and(|(_, main)| main.is_none())
    }

    pub fn key(&self) -> String {
        if self.is_bare() { format!("bare:{}", self.folder) } else { self.folder.clone() }
    }
}

impl Win {
    /// What it has in common with the project after it (rule 19).
    pub fn shares_with(&self, next: &Self) -> Option<SharedBy> {
        let (from, to) = (self.project.repository.as_ref()?, next.project.repository.as_ref()?);
        match () {
            () if from.top == to.top => Some(SharedBy::Checkout),
            () => (from.key() == to.key()).then_some(SharedBy::Repository),
        }
    }
}

impl History {
    /// The same project with the identity of its repository, where the policy wants that. Hosts here have POSIX paths.
    pub fn identified(&self, mut win: Win, repository: Option<Repo>) -> Win {
        win.project.key = match &repository {
            Some(repo) if self.policy.config().identity != Identity::Folder => match repo.inside.as_str() {
                "" => repo.key(),
                inside => format!("{}/{inside}", repo.key()),
            },
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
        let wished = self.wished();
        if wished.is_empty() || !looks {
            return Ok(None);
        }
        let connection = self.serves_connection(source, eyes);
        let own = !connection || self.rechecks(source);
        let late = || if decides { Err(Verdict::Bad(Reason::Unconfirmed)) } else { Ok(None) };
        let look = |path: &str, question: &std::collections::BTreeSet<String>| -> Result<Option<Known>, Verdict> {
            match self.look(source, path, question, eyes) {
                Look::Unknown { refresh } => {
                    let need = Need { path: path.to_owned(), markers: question.clone(), connection, own, refresh };
                    Err(Verdict::Pending(vec![need]))
                }
                Look::Unconfirmed => Ok(None),
                Look::Known(known) => Ok(Some(known)),
            }
        };
        let at = truth.unwrap_or(found);
        let Some(mut known) = look(start, &wished)? else { return late() };
        let from = known.real.as_deref().unwrap_or(start);
        let between = known.nearest.as_ref().is_some_and(|top| !path::is_inside(top, at, self.style()));
        // What was found from below the folder holds for the folder too, unless it lies between them.
        if start != found && (between || !path::is_inside(at, from, self.style())) {
            match look(found, &wished)? {
                Some(of_folder) => known = of_folder,
                None => return late(),
            }
        }
        let counts = |top: &&String| {
            let is_top = path::parent(top, self.style()).is_none();
            path::is_inside(top, at, self.style()) && self.is_allowed(top) && !is_top && !self.is_home(top)
        };
        let Some(top) = known.nearest.as_ref().filter(counts) else { return Ok(None) };
        let inside = at.strip_prefix(top.as_str()).unwrap_or_default().trim_start_matches('/').to_owned();
        let own_repository = Repo { top: top.clone(), inside, folder: top.clone(), worktree: None, broken: false };
        let broken = Repo { broken: true, ..own_repository.clone() };
        let Some(leads) = &known.leads else { return Ok(Some(own_repository)) };
        let Some(data) = leads.as_ref().filter(|data| self.is_allowed(data)) else { return Ok(Some(broken)) };
        let question = |name: &str| [name.to_owned()].into();
        let Some(there) = look(data, &question(LINKS))? else { return late() };
        let real = there.real.clone().unwrap_or_else(|| data.clone());
        if there.found != EntryKind::Directory || !self.is_allowed(&real) {
            return Ok(Some(broken));
        }
        let Some((common, back)) = &there.links else { return Ok(Some(own_repository)) };
        let common = path::join(&real, common, self.style()).unwrap();
        let (worktrees, name) = real.rsplit_once('/').unwrap();
        let confirms = worktrees == format!("{common}/worktrees") && *back == format!("{top}/.git");
        if !confirms || !self.is_allowed(&common) {
            return Ok(Some(broken));
        }
        let main = common.strip_suffix("/.git").map(str::to_owned).filter(|main| self.is_allowed(main));
        if main.is_none() && look(&common, &question(MAIN))?.is_none() {
            return late();
        }
        let folder = main.clone().unwrap_or(common);
        Ok(Some(Repo { folder, worktree: Some((name.to_owned(), main)), ..own_repository }))
    }
}
