//! What comes of a verdict, and how the client spells the folder that wins (rule 72).

use rootwise::Reason;
use rootwise::path;
use rootwise::policy::{Source, SourceKind};

use super::decide::{Says, own_roots};
use super::history::History;
use super::peer::RawList;
use super::places::is_file_uri;
use super::record::Win;
use super::values::{Eyes, Lexed, Shown, Target, Verdict, is_bad_end};
use super::{Out, Proj};

impl History {
    pub fn says(&self, source: &Source, verdict: Verdict, via: Option<String>) -> Says {
        match verdict {
            Verdict::Good(target) => Says::Wins(self.win(source.from, target, via).into()),
            Verdict::Pending(needs) => Says::Pending(needs),
            Verdict::Bad(reason) if is_bad_end(source, reason) => {
                Says::Ends(Out::Refused(reason, source.from, source.status))
            }
            Verdict::Bad(reason) => {
                let tells = matches!(reason, Reason::OtherMachine | Reason::Ambiguous);
                Says::GivesWay(tells.then_some(reason))
            }
        }
    }

    pub fn win(&self, source: SourceKind, target: Target, via: Option<String>) -> Win {
        let repository = target.repository.clone();
        let win = Win {
            folder: target.key.clone(),
            project: Proj {
                repository: None,
                client_path: self.client_path(&target),
                // A POSIX path starts with `/`; no path of Windows does.
                is_windows: target.path.as_ref().map(|path| !path.starts_with('/')),
                key: target.key,
                name: target.name,
                path: target.path,
                on_client_machine: target.on_client_machine,
                source,
                via,
                root: target.root.as_ref().map(|(index, _)| *index),
                package: None,
                stale: false,
            },
            root_key: target.root.map(|(_, key)| key),
            real: target.real,
            guess: false,
        };
        self.identified(win, repository)
    }

    /// What a text of the client shows of its spelling: the first entry that contains the folder, or none.
    pub fn shown(&self, text: &str) -> Shown {
        let entries = 0..self.host().path_map.len();
        let contains = |at: &usize| {
            let map = &self.host().path_map[*at];
            let theirs = if is_file_uri(text) {
                path::uri::file_uri_to_path(text, map.from_style)
            } else {
                path::absolute(text, map.from_style)
            };
            theirs.is_ok_and(|theirs| path::is_inside(&map.from, &theirs, map.from_style))
        };
        entries.into_iter().find(contains).map_or(Shown::AsHere, Shown::By)
    }

    /// The same for what a model wrote: where no entry contains it, the deepest root around it shows more.
    pub fn shown_by_model(&self, target: Target, eyes: Eyes<'_>) -> Target {
        let (Shown::AsHere, Some(at)) = (target.shown, &target.path) else { return target };
        // The roots of several clients on one connection count as off (rule 48).
        let roots = match eyes {
            _ if self.is_shared() => None,
            Eyes::Ask { ask, .. } => match own_roots(&ask.facts).filter(|_| ask.modern) {
                Some(own) => Some(RawList::read(&own, self.policy.config())),
                None => self.list().filter(|_| !self.is_alone(ask)).map(|list| list.roots),
            },
            Eyes::Connection => self.list().map(|list| list.roots),
        };
        let mut around: Option<Target> = None;
        for raw in roots.iter().flat_map(|roots| roots.iter()) {
            let Lexed::Place(root) = self.lex_root(raw) else { continue };
            let depth = |target: &Target| target.path.as_ref().map_or(0, String::len);
            let contains = root.path.as_ref().is_some_and(|root| path::is_inside(root, at, self.style()));
            if contains && around.as_ref().is_none_or(|best| depth(&root) > depth(best)) {
                around = Some(root);
            }
        }
        let shown = around.map_or(target.shown, |root| root.shown);
        Target { shown, ..target }
    }

    /// How the client spells a folder of this machine, if in another way.
    fn client_path(&self, target: &Target) -> Option<String> {
        let here = target.path.as_ref().filter(|_| !target.on_client_machine && !self.is_elsewhere())?;
        let maps = &self.host().path_map;
        let by = |at: usize| {
            let map = &maps[at];
            let rest = path::is_inside(&map.to, here, self.style()).then(|| here.get(map.to.len()..))??;
            // A name may have no spelling in the client's style, such as one with a colon.
            if rest.is_empty() {
                Some(map.from.clone())
            } else {
                path::join_inside(&map.from, rest.trim_start_matches('/'), map.from_style).ok()
            }
        };
        let theirs = match target.shown {
            Shown::Nothing => (0..maps.len()).find_map(by),
            Shown::AsHere => None,
            Shown::By(used) => by(used)
                .or_else(|| (0..maps.len()).filter(|at| maps[*at].from_style == maps[used].from_style).find_map(by)),
        };
        theirs.filter(|theirs| theirs != here)
    }
}
