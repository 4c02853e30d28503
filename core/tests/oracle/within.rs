//! Who may name what (rule 33): the words of a model name only folders that somebody else has named before.

use std::collections::BTreeSet;

use rootwise::Reason;
use rootwise::event::EntryKind;
use rootwise::path;
use rootwise::policy::{Source, SourceKind};

use super::decide::{RootsNow, Says};
use super::history::History;
use super::peer::RawRoot;
use super::record::{Ask, Known};
use super::values::{Eyes, Lexed, Need, Patience, Target, Verdict};
use super::verdict::{Look, is_confined_to_known_folders};

const VERSION_CONTROL: [&str; 4] = [".git", ".hg", ".jj", ".svn"];

/// Whether a source may name a folder.
pub enum MayName {
    Yes,
    No(Reason),
    /// That depends on paths or on the roots.
    NotYet(Says),
}

/// Whether a folder is inside another one.
enum Inside {
    Yes,
    No,
    /// There is no such folder to compare with.
    NoBase,
    NotYet(Vec<Need>),
}

impl History {
    pub fn may_name(&self, source: &Source, target: &Target, ask: Option<&Ask>, eyes: Eyes<'_>) -> MayName {
        let Some(at) = &target.path else { return MayName::Yes };
        // With allowed folders, the disk has shown that a folder of this machine is inside them.
        if !is_confined_to_known_folders(source) || (self.is_confined() && !target.on_client_machine) {
            return MayName::Yes;
        }
        let mut operator = false;
        if !target.on_client_machine {
            for configured in self.policy.config().sources.iter().filter(|source| source.from == SourceKind::Configured)
            {
                let values = if self.is_on(configured) { self.values_of(configured, None) } else { Vec::new() };
                if values.is_empty() {
                    continue;
                }
                let verdict = match self.judge(configured, values, eyes, |_| MayName::Yes) {
                    Ok((verdict, _)) => verdict,
                    Err(waits) => return MayName::NotYet(waits),
                };
                match verdict {
                    Verdict::Good(base) => {
                        operator = true;
                        match self.is_inside_known(&base, target, eyes) {
                            Inside::Yes => return MayName::Yes,
                            Inside::No | Inside::NoBase => {}
                            Inside::NotYet(needs) => return MayName::NotYet(Says::Pending(needs)),
                        }
                    }
                    Verdict::Pending(needs) => return MayName::NotYet(Says::Pending(needs)),
                    Verdict::Bad(_) => {}
                }
            }
        }
        let patience = match eyes {
            Eyes::Ask { patience, .. } => patience,
            Eyes::Connection => Patience::Over,
        };
        let roots = match self.roots_now(ask, patience) {
            RootsNow::Use(roots) => roots.unwrap_or_default(),
            other => return MayName::NotYet(self.says_roots(&other, ask)),
        };
        let named = |raw: &RawRoot| match self.lex_root(raw) {
            Lexed::Place(root) => Some(root),
            _ => None,
        };
        let roots: Vec<Target> = roots.iter().filter_map(named).collect();
        if let Some(says) = self.is_inside_roots(&roots, target, eyes) {
            return says;
        }
        if operator {
            return MayName::No(Reason::Outside);
        }
        if target.on_client_machine {
            return MayName::Yes;
        }
        let markers = self.project_markers();
        match self.look_at_named(source, at, &markers, eyes) {
            Look::Known(known) if !known.there.is_disjoint(&markers) => MayName::Yes,
            Look::Known(_) => MayName::No(Reason::NoMarker),
            Look::Unconfirmed => MayName::No(Reason::Unconfirmed),
            Look::Unknown { refresh } => {
                MayName::NotYet(Says::Pending(vec![self.need(source, at, markers, refresh, eyes)]))
            }
        }
    }

    /// Whether a folder is one of the roots or inside one, if there is any to compare with.
    fn is_inside_roots(&self, roots: &[Target], target: &Target, eyes: Eyes<'_>) -> Option<MayName> {
        // One of the roots is one of them wherever it leads.
        let is_target = |key: &String| *key == target.key || target.root.as_ref().is_some_and(|(_, own)| own == key);
        if roots.iter().any(|root| is_target(&root.key)) {
            return Some(MayName::Yes);
        }
        let mut compared = false;
        let mut needs = Vec::new();
        for root in roots {
            match self.is_inside_known(root, target, eyes) {
                Inside::Yes => return Some(MayName::Yes),
                Inside::No => compared = true,
                Inside::NoBase => {}
                Inside::NotYet(more) => needs.extend(more),
            }
        }
        if !needs.is_empty() {
            return Some(MayName::NotYet(Says::Pending(needs)));
        }
        compared.then_some(MayName::No(Reason::NotInRoots))
    }

    /// Whether a folder is inside a known one, by its spelling and by its real path.
    fn is_inside_known(&self, base: &Target, target: &Target, eyes: Eyes<'_>) -> Inside {
        let (Some(folder), Some(at)) = (&base.path, &target.path) else { return Inside::No };
        let Some(real) = target.real.as_ref().filter(|_| !target.on_client_machine) else {
            return if path::is_inside(folder, at, self.client_style(folder)) { Inside::Yes } else { Inside::No };
        };
        let is_in = |folder: &str| path::is_inside(folder, real, self.style());
        if is_in(folder) {
            return Inside::Yes;
        }
        match self.look_for_connection(folder, &BTreeSet::new(), eyes) {
            Look::Known(known) if known.real.as_deref().is_some_and(is_in) => Inside::Yes,
            Look::Known(known) if known.found == EntryKind::Missing => Inside::NoBase,
            Look::Known(_) | Look::Unconfirmed => Inside::No,
            Look::Unknown { refresh } => Inside::NotYet(vec![need(self, folder, self.wished(), refresh, eyes)]),
        }
    }

    /// What shows that a folder is a project.
    pub fn project_markers(&self) -> BTreeSet<String> {
        let of_cwd = self.source(SourceKind::Cwd).and_then(|source| source.refine.as_ref());
        let names = of_cwd.into_iter().flat_map(|refine| &refine.tiers).flat_map(|tier| tier.names.clone());
        names.chain(VERSION_CONTROL.map(str::to_owned)).collect()
    }

    /// Whether a report on the markers of a named folder serves the connection: the source of a selection is one of its own.
    fn is_of_connection(&self, source: &Source, eyes: Eyes<'_>) -> bool {
        let alone = matches!(eyes, Eyes::Ask { ask, .. } if self.is_alone(ask));
        !alone && !source.from.is_per_request()
    }

    fn look_at_named(&self, source: &Source, at: &str, markers: &BTreeSet<String>, eyes: Eyes<'_>) -> Look {
        // One that was seen vouches, whatever else was looked for.
        let enough = |known: &Known| markers.is_subset(&known.asked) || !known.there.is_disjoint(markers);
        if self.is_of_connection(source, eyes) && !self.rechecks(source) {
            return self.look_until(&neutral(), at, markers, eyes, enough);
        }
        self.look_until(source, at, markers, eyes, enough)
    }

    fn need(&self, source: &Source, at: &str, markers: BTreeSet<String>, refresh: bool, eyes: Eyes<'_>) -> Need {
        let connection = self.serves_connection(source, eyes) || self.is_of_connection(source, eyes);
        let own = !connection || self.rechecks(source);
        Need { path: at.to_owned(), markers, connection, own, refresh }
    }

    /// The markers that one look at a folder asks for, where it may be that nothing else vouches for it.
    pub fn vouching_markers(&self, source: &Source, eyes: Eyes<'_>) -> BTreeSet<String> {
        let (ask, patience) = match eyes {
            Eyes::Ask { ask, patience } => (Some(ask), patience),
            Eyes::Connection => (None, Patience::Over),
        };
        let names_folder = |raw: &RawRoot| matches!(self.lex_root(raw), Lexed::Place(_));
        let has_roots = match self.roots_now(ask, patience) {
            RootsNow::Use(roots) => roots.is_some_and(|roots| roots.iter().any(names_folder)),
            _ => false,
        };
        let matter = is_confined_to_known_folders(source) && !self.is_confined() && !has_roots;
        if matter { self.project_markers() } else { BTreeSet::new() }
    }

    /// What is known of a folder that is compared with; it belongs to the connection, whoever names the other one.
    fn look_for_connection(&self, at: &str, markers: &BTreeSet<String>, eyes: Eyes<'_>) -> Look {
        self.look(&neutral(), at, markers, eyes)
    }
}

/// A source whose reports serve the connection.
fn neutral() -> Source {
    Source::new(SourceKind::Cwd)
}

fn need(history: &History, at: &str, markers: BTreeSet<String>, refresh: bool, eyes: Eyes<'_>) -> Need {
    let connection = !matches!(eyes, Eyes::Ask { ask, .. } if history.is_alone(ask));
    Need { path: at.to_owned(), markers, connection, own: !connection, refresh }
}
