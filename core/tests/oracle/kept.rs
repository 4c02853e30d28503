//! What the connection keeps: a selection, a pin and a remembered project.

use rootwise::Reason;
use rootwise::policy::{Links, Pick, Source, SourceKind, Verify};

use super::Out;
use super::decide::Says;
use super::history::History;
use super::record::Win;
use super::values::{Eyes, Lexed, Target, Verdict};

impl History {
    /// What the pin says: it wins, or where its folder may not be used, nobody does.
    pub fn ask_pin(&self, win: &Win, eyes: Eyes<'_>) -> Says {
        if !self.is_confined() {
            return Says::Wins(win.clone());
        }
        self.look_again(win, eyes).unwrap_or_else(|reason| {
            let status = self.found_by(win).and_then(|source| source.status);
            Says::Ends(Out::Refused(reason, win.project.source, status))
        })
    }

    /// Looks again at the folder of something that the connection keeps (rule 24): at this folder and no other.
    pub fn look_again(&self, win: &Win, eyes: Eyes<'_>) -> Result<Says, Reason> {
        let Some(source) = self.kept_source(win) else { return Ok(Says::Wins(win.clone())) };
        match self.on_disk(&source, kept_folder(win), eyes) {
            Verdict::Good(Target { real, .. }) => Ok(Says::Wins(Win { real, ..win.clone() })),
            Verdict::Pending(needs) => Ok(Says::Pending(needs)),
            Verdict::Bad(reason) => Err(reason),
        }
    }

    /// The source that found something, as far as its rules still count: there is no walk up, and links are not followed.
    pub fn kept_source(&self, win: &Win) -> Option<Source> {
        if win.project.elsewhere || win.project.path.is_none() {
            return None;
        }
        let mut source = self.found_by(win)?.clone();
        source.links = Links::Keep;
        if let Some(refine) = &mut source.refine {
            refine.levels = 1;
        }
        if win.project.root.is_some() {
            // What was the folder of a root must still be one.
            source.verify = Verify::Directory;
        }
        Some(source)
    }

    /// The source that found something.
    pub fn found_by(&self, win: &Win) -> Option<&Source> {
        let via = win.project.via.as_deref().unwrap_or_default();
        let is_first = |source: &&Source| match win.project.source {
            SourceKind::Remembered => source.from.name() == via,
            kind => source.from == kind,
        };
        let reads = |source: &&Source| source.read.iter().any(|name| name == via);
        let sources = || self.policy.sources.iter().filter(is_first);
        sources().find(reads).or_else(|| sources().next())
    }

    pub fn kept_paths(&self, win: &Win) -> Verdict {
        let nothing = Verdict::Pending(Vec::new());
        self.kept_source(win).map_or(nothing, |source| self.on_disk(&source, kept_folder(win), Eyes::Blind))
    }

    /// Every path that the connection names now.
    pub fn named_paths(&self) -> Vec<String> {
        let mut paths = Vec::new();
        let mut add = |verdict: Verdict| {
            if let Verdict::Pending(needs) = verdict {
                paths.extend(needs.into_iter().map(|need| need.path));
            }
        };
        if let Some(win) = self.pin().filter(|_| self.is_confined()) {
            add(self.kept_paths(win));
        }
        let sources = self.policy.sources.iter();
        for source in sources.filter(|source| !source.from.is_per_request() && self.is_on(source)) {
            match source.from {
                SourceKind::Roots => {
                    let roots = self.list().map(|list| list.roots).unwrap_or_default();
                    // Of several where only one may be, none is named.
                    let none = match self.policy.roots.pick {
                        Pick::Chosen => true,
                        Pick::Only => self.different(&roots) > 1,
                        Pick::First => false,
                    };
                    for raw in roots.iter().filter(|_| !none) {
                        if let Lexed::Place(target) = self.lex_root(raw) {
                            let parent = self.parent_of_known_file(&target);
                            add(self.on_disk(source, target, Eyes::Blind));
                            add(parent.map_or(Verdict::Pending(Vec::new()), Verdict::Pending));
                        }
                    }
                }
                SourceKind::Selected => {
                    if let Some(choice) = self.choice().filter(|_| self.rechecks(source)) {
                        add(self.kept_paths(&choice.win));
                    }
                }
                SourceKind::Remembered => {
                    if let Some(win) = self.remembered().filter(|_| self.is_confined()) {
                        add(self.kept_paths(win));
                    }
                }
                _ => {
                    let values = self.values_of(source, None);
                    if !values.is_empty() {
                        add(self.judge(source, values, Eyes::Blind).0);
                    }
                }
            }
        }
        paths
    }
}

/// The folder of something that the connection keeps; if it came from a root, its parent was not meant.
fn kept_folder(win: &Win) -> Target {
    Target {
        path: win.project.path.clone(),
        key: win.project.key.clone(),
        name: win.project.name.clone(),
        root: None,
        real: win.real.clone(),
        elsewhere: win.project.elsewhere,
        own_name: false,
    }
}
