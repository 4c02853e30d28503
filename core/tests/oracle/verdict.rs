//! From a place to a verdict: what the disk, the allowed folders and the excluded ones say about it.

use std::collections::BTreeSet;

use rootwise::Reason;
use rootwise::event::EntryKind;
use rootwise::path::{self, PathStyle};
use rootwise::policy::{
    ExcludedDirsRule, Files, FindRepository, Identity, Links, Markers, NameFrom, Recheck, Source, SourceKind, Unmarked,
    Verify, Within,
};

use super::history::History;
use super::places::starts_with_drive;
use super::record::{Ask, Kind, Known, Win};
use super::repositories::Repo;
use super::values::{Eyes, NEAREST, Need, Patience, Target, Verdict, is_asked_for};

/// What is known of a path.
pub enum Look {
    Known(Known),
    Unconfirmed,
    /// Nothing that counts; it is a refresh if there is something older.
    Unknown {
        refresh: bool,
    },
}

fn places_rule(source: &Source) -> ExcludedDirsRule {
    let operator = matches!(source.from, SourceKind::Selected | SourceKind::Configured);
    let chosen = (is_asked_for(source.from) || operator) && !is_confined_to_known_folders(source);
    source.excluded_dirs.unwrap_or(if chosen { ExcludedDirsRule::Allow } else { ExcludedDirsRule::Refuse })
}

/// Whether an ask looks at what it selects.
fn is_selection(ask: &Ask, source: &Source) -> bool {
    matches!(ask.kind, Kind::Select(_)) && source.from == SourceKind::Selected
}

/// Whether a source names only folders that somebody else has named before (rule 33).
pub fn is_confined_to_known_folders(source: &Source) -> bool {
    let words_of_a_model = matches!(source.from, SourceKind::Argument | SourceKind::Selected);
    let usual = if words_of_a_model { Within::KnownFolders } else { Within::Anywhere };
    source.within.unwrap_or(usual) == Within::KnownFolders
}

fn place_reason(source: &Source) -> Reason {
    if places_rule(source) == ExcludedDirsRule::Named { Reason::Nameless } else { Reason::ExcludedDir }
}

impl History {
    /// Whether every ask looks again: where the policy says so, and where the operator confines projects.
    pub fn rechecks(&self, source: &Source) -> bool {
        source.recheck == Recheck::EachAsk || self.is_confined()
    }

    /// Whether a disk check serves the connection (rule 38).
    pub fn serves_connection(&self, source: &Source, eyes: Eyes<'_>) -> bool {
        match eyes {
            Eyes::Ask { ask, .. } => {
                let selects = is_selection(ask, source) && !self.rechecks(source);
                !self.is_alone(ask) && !source.from.is_per_request() && !selects
            }
            Eyes::Connection => true,
        }
    }

    /// What is known of a path (rules 32 and 38).
    pub fn look(&self, source: &Source, at: &str, markers: &BTreeSet<String>, eyes: Eyes<'_>) -> Look {
        self.look_until(source, at, markers, eyes, |known| markers.is_subset(&known.asked))
    }

    /// The same, where a report may be enough that does not tell about all markers.
    pub fn look_until(
        &self,
        source: &Source,
        at: &str,
        markers: &BTreeSet<String>,
        eyes: Eyes<'_>,
        enough: impl Fn(&Known) -> bool + Copy,
    ) -> Look {
        let Eyes::Ask { ask, patience } = eyes else {
            // The connection uses the latest results, whatever their age.
            return match self.known(at, None).filter(enough) {
                Some(known) => Look::Known(known),
                None => Look::Unknown { refresh: false },
            };
        };
        // What was found for an ask serves it in any case.
        if let Some(own) = self.known(at, Some(ask.id)).filter(enough) {
            return Look::Known(own);
        }
        // What the connection knows serves its sources; a selection takes folders that were seen as seen.
        let seen = |known: &Known| match () {
            _ if self.rechecks(source) => false,
            _ if is_selection(ask, source) => !self.is_alone(ask) && known.found == EntryKind::Directory,
            _ => self.serves_connection(source, eyes),
        };
        if let Some(fresh) = self.known_fresh(at, None).filter(enough).filter(seen) {
            return Look::Known(fresh);
        }
        let unconfirmed = self.is_unconfirmed(at, markers, ask);
        match self.known(at, None).filter(enough).filter(seen) {
            Some(old)
                if patience == Patience::Over
                    || unconfirmed
                    || self.refresh_is_over(ask)
                    || self.is_behind_overdue_probe(at) =>
            {
                self.reads(true);
                Look::Known(old)
            }
            Some(_) => Look::Unknown { refresh: true },
            None if patience == Patience::Over || unconfirmed => Look::Unconfirmed,
            None => Look::Unknown { refresh: false },
        }
    }

    /// Takes note of what a decision reads.
    pub fn reads(&self, old: bool) {
        self.read_old.set(self.read_old.get() | old);
    }

    /// Whether somebody has waited for a path in vain.
    fn is_behind_overdue_probe(&self, at: &str) -> bool {
        self.open_probes().into_iter().any(|(probe, _, asked)| asked.contains_key(at) && self.is_overdue(probe))
    }

    /// What the disk, the ceiling and the refused places say about a target. A remote caller learns nothing about the disk:
    /// whatever is not verified inside the allowed folders is outside.
    pub fn on_disk(&self, source: &Source, target: Target, eyes: Eyes<'_>) -> Verdict {
        let from_client = matches!(
            source.from,
            SourceKind::Argument
                | SourceKind::Header
                | SourceKind::Query
                | SourceKind::Meta
                | SourceKind::Roots
                | SourceKind::Selected
        );
        let verdict = if from_client && self.is_elsewhere() {
            self.judged_elsewhere(source, target)
        } else {
            self.judged_on_disk(source, target, eyes)
        };
        match verdict {
            Verdict::Good(target) => self.with_required_path(target),
            Verdict::Bad(
                Reason::Missing
                | Reason::OtherSystem
                | Reason::NotDirectory
                | Reason::Unreadable
                | Reason::Unconfirmed
                | Reason::NoMarker,
            ) if self.is_confined() && !self.is_local() => Verdict::Bad(Reason::Outside),
            verdict => verdict,
        }
    }

    /// Whether the client's folders are out of reach: it is on another machine, and no folder here is allowed to it.
    pub fn is_elsewhere(&self) -> bool {
        !self.is_local() && !self.is_confined()
    }

    /// Rule 31: nothing on this machine is checked, and only the top of a disk is refused.
    fn judged_elsewhere(&self, source: &Source, target: Target) -> Verdict {
        match &target.path {
            Some(at) if path::is_unc(at, self.client_style(at)) => Verdict::Bad(Reason::Unconfirmed),
            Some(at)
                if places_rule(source) != ExcludedDirsRule::Allow
                    && path::parent(at, self.client_style(at)).is_none() =>
            {
                Verdict::Bad(place_reason(source))
            }
            Some(_) => Verdict::Good(Target { on_client_machine: true, ..target }),
            None => Verdict::Good(target),
        }
    }

    /// Rule 31: what a project without a folder here becomes.
    pub fn with_required_path(&self, target: Target) -> Verdict {
        match &target.path {
            _ if !self.policy.config().require_path => Verdict::Good(target),
            Some(_) if target.on_client_machine => Verdict::Bad(Reason::OtherMachine),
            Some(_) => Verdict::Good(target),
            None => Verdict::Bad(Reason::NoPath),
        }
    }

    /// Whether the operator confines projects to folders: then only the real path of something that exists counts.
    pub fn is_confined(&self) -> bool {
        self.host().allowed_dirs.is_some()
    }

    fn judged_on_disk(&self, source: &Source, target: Target, eyes: Eyes<'_>) -> Verdict {
        let Some(start) = target.path.clone() else {
            return Verdict::Good(target);
        };
        let is_root = target.root.is_some();
        if let Err(reason) = self.acceptable(source, &start) {
            return Verdict::Bad(reason);
        }
        let verify = if self.is_confined() { source.verify.max(Verify::Exists) } else { source.verify };
        let lists = matches!(eyes, Eyes::Ask { ask: Ask { kind: Kind::Roots, .. }, .. });
        if verify == Verify::None && source.refine.is_none() {
            let repository = if lists { Ok(None) } else { self.repository(source, &start, &start, None, eyes) };
            return repository
                .map_or_else(|verdict| verdict, |repository| Verdict::Good(Target { repository, ..target }));
        }
        // A share is not contacted, and so never confirmed.
        if path::is_unc(&start, self.style()) {
            return Verdict::Bad(Reason::Unconfirmed);
        }
        let markers = source.refine.as_ref().map(all_markers).unwrap_or_default();
        let follows = source.links == Links::Follow;
        let walk_from = |from: &str| source.refine.as_ref().map(|refine| self.walk(from, refine)).unwrap_or_default();
        let mut walk = walk_from(&start);
        let mut wanted: Vec<(String, BTreeSet<String>)> = Vec::new();
        // What is gathered to be probed is not read yet.
        let old = self.read_old.get();
        let vouching = self.vouching_markers(source, eyes);
        if verify != Verify::None && !walk.contains(&start) {
            wanted.push((start.clone(), markers.clone()));
        }
        wanted.extend(walk.iter().map(|folder| (folder.clone(), markers.clone())));
        let connection = self.serves_connection(source, eyes);
        let own = !connection || self.rechecks(source);
        let need = |path: &str, markers: &BTreeSet<String>, refresh: bool| Need {
            path: path.to_owned(),
            markers: markers.clone(),
            connection,
            own,
            refresh,
        };
        let unknown_of = |at: &str, markers: &BTreeSet<String>| match self.look(source, at, markers, eyes) {
            Look::Unknown { refresh } => Some(need(at, markers, refresh)),
            _ => None,
        };
        let mut unknown: Vec<Need> = wanted.iter().filter_map(|(at, markers)| unknown_of(at, markers)).collect();
        // An old report on the start makes the look at it a refresh, whatever markers it knows.
        if matches!(self.look(source, &start, &BTreeSet::new(), eyes), Look::Unknown { refresh: true }) {
            unknown.iter_mut().filter(|need| need.path == start).for_each(|need| need.refresh = true);
        }
        self.read_old.set(old);
        // Whoever looks at the start anyway looks for what may have to vouch for it.
        for need in unknown.iter_mut().filter(|need| need.path == start && source.refine.is_none()) {
            need.markers.extend(vouching.iter().cloned());
        }
        // The same look finds the repository (rule 66).
        if verify != Verify::None && matches!(self.look(source, &start, &BTreeSet::new(), eyes), Look::Unknown { .. }) {
            unknown.iter_mut().filter(|need| need.path == start).for_each(|need| need.markers.extend(self.wished()));
        }
        let mut found = start.clone();
        let mut truth = None;
        if verify != Verify::None {
            // What the start itself is needs no markers.
            let known = match self.look(source, &start, &BTreeSet::new(), eyes) {
                Look::Known(known) => known,
                Look::Unconfirmed => return Verdict::Bad(Reason::Unconfirmed),
                Look::Unknown { .. } => return Verdict::Pending(unknown),
            };
            match known.found {
                EntryKind::Directory => {}
                // What a Windows URI names here (rule 23).
                EntryKind::Missing
                    if self.style() == PathStyle::Posix && starts_with_drive(start.trim_start_matches('/')) =>
                {
                    return Verdict::Bad(Reason::OtherSystem);
                }
                EntryKind::Missing => return Verdict::Bad(Reason::Missing),
                EntryKind::Unreadable => return Verdict::Bad(Reason::Unreadable),
                EntryKind::File if is_root && self.policy.config().roots.files == Files::Parent => {
                    found = match path::parent(&start, self.style()) {
                        // What may not be a project is not probed.
                        Some(parent) if !self.is_allowed(&parent) => return Verdict::Bad(Reason::Outside),
                        Some(parent) if self.is_excluded_dir(&parent, places_rule(source), false) => {
                            return Verdict::Bad(place_reason(source));
                        }
                        Some(parent) => parent,
                        None => return Verdict::Bad(Reason::NotDirectory),
                    };
                }
                EntryKind::File if verify == Verify::Directory || is_root => {
                    return Verdict::Bad(Reason::NotDirectory);
                }
                EntryKind::File => {}
                other => panic!("no rule for {other:?}"),
            }
            let of_parent = found != start;
            let real = match (of_parent, self.is_confined()) {
                (false, _) => known.real.clone(),
                // The parent of a linked file is not the parent of what the link leads to.
                (true, false) => {
                    let as_spelled = known.real.as_ref().filter(|real| **real == start);
                    as_spelled.and_then(|real| path::parent(real, self.style()))
                }
                (true, true) => match self.look(source, &found, &BTreeSet::new(), eyes) {
                    Look::Known(parent) if parent.found == EntryKind::Directory => parent.real,
                    Look::Known(_) => return Verdict::Bad(Reason::NotDirectory),
                    Look::Unconfirmed => return Verdict::Bad(Reason::Unconfirmed),
                    Look::Unknown { refresh } => {
                        return Verdict::Pending(vec![need(&found, &BTreeSet::new(), refresh)]);
                    }
                },
            };
            if let Err(reason) = self.acceptable_in_truth(source, real.as_deref(), source.refine.is_some()) {
                return Verdict::Bad(reason);
            }
            truth = real;
            if follows {
                found = truth.clone().unwrap_or(found);
                walk = walk_from(&found);
                unknown = walk.iter().filter_map(|folder| unknown_of(folder, &markers)).collect();
            }
        }
        // A start that will not do spares the walk.
        if !unknown.is_empty() {
            return Verdict::Pending(unknown);
        }
        // A walk reads every folder on its way, also above the one that it stops at.
        for folder in &walk {
            self.look(source, folder, &markers, eyes);
        }
        let mut vouched = false;
        if let Some(refine) = &source.refine {
            match self.marked(source, &walk, refine, eyes) {
                Some(folder) => {
                    if folder != found {
                        let real = match self.look(source, &folder, &markers, eyes) {
                            Look::Known(known) => known.real,
                            _ => None,
                        };
                        if let Err(reason) = self.acceptable_in_truth(source, real.as_deref(), true) {
                            return Verdict::Bad(reason);
                        }
                        truth = real;
                    }
                    found = folder;
                    vouched = true;
                }
                None if refine.otherwise == Unmarked::Reject => {
                    return Verdict::Bad(Reason::NoMarker);
                }
                None => {}
            }
        }
        if !self.is_allowed(&found) {
            return Verdict::Bad(Reason::Outside);
        }
        if self.is_excluded_dir(&found, places_rule(source), vouched) {
            return Verdict::Bad(place_reason(source));
        }
        if let (Some(_), Err(reason)) = (&truth, self.acceptable_in_truth(source, truth.as_deref(), vouched)) {
            return Verdict::Bad(reason);
        }
        let repository = if lists { Ok(None) } else { self.repository(source, &start, &found, truth.as_deref(), eyes) };
        let repository = match repository {
            Ok(repository) => repository,
            Err(verdict) => return verdict,
        };
        if found == start {
            return Verdict::Good(Target { real: truth, repository, ..target });
        }
        match self.target(found) {
            Ok(moved) => {
                // The name that the client gives its root stays.
                let own = target.own_name && self.policy.config().name_from == NameFrom::RootName;
                let name = if own { target.name } else { moved.name };
                Verdict::Good(Target { root: target.root, name, real: truth, shown: target.shown, repository, ..moved })
            }
            Err(reason) => Verdict::Bad(reason),
        }
    }

    /// What a look for a repository asks for, where there is one.
    pub fn wished(&self) -> BTreeSet<String> {
        let config = self.policy.config();
        let finds = config.repository != FindRepository::No || config.identity != Identity::Folder;
        finds.then(|| NEAREST.to_owned()).into_iter().collect()
    }

    /// Whether a root is accepted as it is spelled, whatever the disk says about it.
    pub fn is_accepted_as_is(&self, source: &Source, target: &Target) -> bool {
        let at = target.path.as_deref().unwrap_or_default();
        let is_share = path::is_unc(at, self.style()) && !self.host().probe_shares;
        !self.is_confined() && !is_share && !self.is_excluded_dir(at, places_rule(source), false)
    }

    /// What can be said about a path without the disk.
    fn acceptable(&self, source: &Source, at: &str) -> Result<(), Reason> {
        if !self.is_allowed(at) {
            return Err(Reason::Outside);
        }
        // Where there is a walk, a marker may still vouch for the place.
        if self.is_excluded_dir(at, places_rule(source), source.refine.is_some()) {
            return Err(place_reason(source));
        }
        Ok(())
    }

    /// Whether the allowed folders let the connection keep a project: by its spelling and by its real path.
    pub fn keeps(&self, win: &Win) -> bool {
        let tells = |repo: &Repo| self.is_allowed(&repo.top) && self.is_allowed(&repo.folder);
        if !win.project.repository.as_ref().is_none_or(tells) {
            return false;
        }
        let Some(at) = &win.project.path else { return !self.policy.config().require_path };
        let is_own = |name: &str| ["server", "configured", "env", "cwd"].contains(&name);
        // What is remembered says where it came from.
        let own = match win.project.source {
            SourceKind::Remembered => win.project.via.as_deref().is_some_and(is_own),
            source => is_own(source.name()),
        };
        if win.project.on_client_machine {
            return !self.policy.config().require_path;
        }
        if self.is_elsewhere() && !own {
            return false;
        }
        !self.is_confined() || (self.is_allowed(at) && win.real.as_ref().is_some_and(|real| self.is_allowed(real)))
    }

    /// The same for the real path, as far as the host told it: a link leads neither out nor to a refused place.
    fn acceptable_in_truth(&self, source: &Source, real: Option<&str>, vouched: bool) -> Result<(), Reason> {
        match real {
            Some(real) if !self.is_allowed(real) => Err(Reason::Outside),
            Some(real) if self.is_excluded_dir(real, places_rule(source), vouched) => {
                Err(if self.is_confined() && !self.is_local() { Reason::Outside } else { place_reason(source) })
            }
            None if self.is_confined() => Err(Reason::Outside),
            _ => Ok(()),
        }
    }

    pub fn is_allowed(&self, at: &str) -> bool {
        let allowed = &self.host().allowed_dirs;
        allowed.as_ref().is_none_or(|dirs| dirs.iter().any(|base| path::is_inside(base, at, self.style())))
    }

    pub fn is_home(&self, at: &str) -> bool {
        self.host().excluded_dirs.home.iter().any(|home| self.is_same(home, at))
    }

    fn is_same(&self, one: &str, other: &str) -> bool {
        path::is_inside(one, other, self.style()) && path::is_inside(other, one, self.style())
    }

    fn is_excluded_dir(&self, at: &str, rule: ExcludedDirsRule, vouched: bool) -> bool {
        let is_top = path::parent(at, self.style()).is_none();
        let places = &self.host().excluded_dirs;
        let temporary = places.temporary.iter().any(|folder| self.is_same(folder, at));
        let install = places.install.iter().any(|folder| path::is_inside(folder, at, self.style()));
        match rule {
            ExcludedDirsRule::Allow => false,
            ExcludedDirsRule::Named => is_top,
            ExcludedDirsRule::Refuse => is_top || self.is_home(at) || (!vouched && (temporary || install)),
            other => panic!("no rule for {other:?}"),
        }
    }

    /// The folders a walk checks: up to below home and below the top.
    fn walk(&self, start: &str, refine: &Markers) -> Vec<String> {
        let most = refine.levels.min(self.policy.config().limits.walk_levels);
        let mut folders = Vec::new();
        let mut here = Some(start.to_owned());
        while let Some(folder) = here {
            let parent = path::parent(&folder, self.style());
            let stop = parent.is_none() || self.is_home(&folder) || !self.is_allowed(&folder);
            if stop || folders.len() >= most as usize {
                break;
            }
            folders.push(folder);
            here = parent.filter(|_| !stop);
        }
        folders
    }

    fn marked(&self, source: &Source, walk: &[String], refine: &Markers, eyes: Eyes<'_>) -> Option<String> {
        let markers = all_markers(refine);
        for tier in &refine.tiers {
            for folder in walk {
                let Look::Known(known) = self.look(source, folder, &markers, eyes) else {
                    continue;
                };
                let there = tier.names.iter().filter(|name| known.there.contains(*name)).count();
                if there >= tier.at_least as usize {
                    return Some(folder.clone());
                }
            }
        }
        None
    }
}

fn all_markers(refine: &Markers) -> BTreeSet<String> {
    let names = refine.tiers.iter().flat_map(|tier| &tier.names);
    names.cloned().collect()
}
