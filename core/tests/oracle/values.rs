//! From a text to a place, and from a place to a verdict (rules 22 to 26).

use std::collections::BTreeSet;

use rootwise::Reason;
use rootwise::event::Found;
use rootwise::path::uri;
use rootwise::path::{self, PathStyle, Refusal};
use rootwise::policy::{
    BadOutcome, BarePaths, ExcludedDirsRule, Files, Format, Links, Markers, NameFrom, Recheck, Relative, Source,
    SourceKind, Unmarked, Verify,
};

use super::history::{Ask, History, Kind, Known, Win};
use super::peer::{self, RawRoot};

/// A path to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    pub path: String,
    /// What to look for in it.
    pub markers: BTreeSet<String>,
    /// Whether the result serves the connection (rule 24).
    pub connection: bool,
    /// Whether the ask must look for itself.
    pub own: bool,
}

/// What a value names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub path: Option<String>,
    pub key: String,
    pub name: String,
    /// The position of the root it is, and that root's key.
    pub root: Option<(u32, String)>,
    /// The real path, where the host told it.
    pub real: Option<String>,
    /// Whether it is on another machine (rule 31).
    pub elsewhere: bool,
    /// Whether the client named it.
    pub own_name: bool,
}

/// What comes of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Good(Target),
    Bad(Reason),
    /// It depends on these paths.
    Pending(Vec<Need>),
}

/// A root before the disk is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lexed {
    Place(Target),
    /// A URI of another scheme.
    NonFile(String),
    Bad(Reason),
}

/// Whether an ask still waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    Lasts,
    Over,
}

/// From where a path is looked at.
#[derive(Clone, Copy, Debug)]
pub enum Eyes<'a> {
    /// For the connection.
    Connection,
    /// For one ask.
    Ask { ask: &'a Ask, patience: Patience },
    /// Knowing nothing, to find out what would be looked at.
    Blind,
}

enum Look {
    Known(Known),
    Unconfirmed,
    Unknown,
}

pub fn is_asked_for(kind: SourceKind) -> bool {
    matches!(kind, SourceKind::Host | SourceKind::Argument | SourceKind::Header | SourceKind::Query)
}

/// Whether a bad value of a source can end an ask at all.
pub fn can_end(source: &Source) -> bool {
    let usual = if is_asked_for(source.from) { BadOutcome::Error } else { BadOutcome::Next };
    let otherwise = source.on_bad.otherwise.unwrap_or(usual);
    otherwise == BadOutcome::Error || source.on_bad.reasons.iter().any(|(_, outcome)| *outcome == BadOutcome::Error)
}

pub fn is_bad_end(source: &Source, reason: Reason) -> bool {
    let usual = if is_asked_for(source.from) { BadOutcome::Error } else { BadOutcome::Next };
    let otherwise = source.on_bad.otherwise.unwrap_or(usual);
    *source.on_bad.reasons.get(&reason).unwrap_or(&otherwise) == BadOutcome::Error
}

fn places_rule(source: &Source) -> ExcludedDirsRule {
    let chosen = is_asked_for(source.from) || matches!(source.from, SourceKind::Selected | SourceKind::Configured);
    source.excluded_dirs.unwrap_or(if chosen { ExcludedDirsRule::Allow } else { ExcludedDirsRule::Refuse })
}

fn place_reason(source: &Source) -> Reason {
    if places_rule(source) == ExcludedDirsRule::Named { Reason::Nameless } else { Reason::ExcludedDir }
}

pub fn is_file_uri(text: &str) -> bool {
    text.get(..5).is_some_and(|front| front.eq_ignore_ascii_case("file:"))
}

/// Whether a text is a URI with an authority, of any scheme.
fn is_other_uri(text: &str) -> bool {
    text.split_once("://").is_some_and(|(scheme, _)| {
        let rest = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(rest)
    })
}

/// Whether a text begins with a drive and a separator, however its colon is written.
fn starts_with_drive(text: &str) -> bool {
    let text = text.to_ascii_lowercase().replace("%3a", ":").replace('|', ":").replace('\\', "/");
    text.starts_with(|first: char| first.is_ascii_lowercase()) && text.get(1..3) == Some(":/")
}

fn reason(refusal: Refusal) -> Reason {
    match refusal {
        Refusal::NotFileUri => Reason::NotFileUri,
        Refusal::Relative | Refusal::NoDrive | Refusal::DriveRelative => Reason::Relative,
        _ => Reason::Invalid,
    }
}

impl History {
    fn style(&self) -> PathStyle {
        self.host().style
    }

    fn is_too_long(&self, text: &str) -> bool {
        text.len() > usize::try_from(self.policy.limits.value_bytes).unwrap()
    }

    pub fn has_separator(&self, text: &str) -> bool {
        text.contains('/') || (self.style() == PathStyle::Windows && text.contains('\\'))
    }

    /// Where the client's folder is found here, if the host says so.
    fn mapped(&self, text: &str) -> Option<String> {
        if self.is_elsewhere() {
            return None;
        }
        self.host().path_map.iter().find_map(|map| {
            let theirs = if is_file_uri(text) {
                uri::file_uri_to_path(text, map.from_style)
            } else {
                path::absolute(text, map.from_style)
            };
            let theirs = theirs.ok()?;
            if !path::is_inside(&map.from, &theirs, map.from_style) {
                return None;
            }
            let from = path::absolute(&map.from, map.from_style).ok()?;
            let rest = theirs.get(from.len()..)?.replace('\\', "/");
            path::join(&map.to, rest.trim_start_matches('/'), self.style())
                .or_else(|_| path::absolute(&map.to, self.style()))
                .ok()
        })
    }

    /// Reads a path or a `file:` URI.
    pub fn place(&self, text: &str, relative: Relative, from_client: bool) -> Result<String, Reason> {
        if self.is_too_long(text) {
            return Err(Reason::TooLong);
        }
        if uri::is_placeholder(text) {
            return Err(Reason::Placeholder);
        }
        if from_client && let Some(mapped) = self.mapped(text) {
            return Ok(mapped);
        }
        let style = if from_client { self.client_style(text) } else { self.style() };
        let here = !from_client || !self.is_elsewhere();
        if is_file_uri(text) {
            return uri::file_uri_to_path(text, style).map_err(|refusal| {
                if here && self.is_foreign_uri(text) { Reason::OtherSystem } else { reason(refusal) }
            });
        }
        if is_other_uri(text) {
            return Err(Reason::NotFileUri);
        }
        if here && self.is_foreign_path(text) {
            return Err(Reason::OtherSystem);
        }
        self.joined(text, relative, style)
    }

    /// Whether a URI that is refused here is one of the other system (rule 23).
    fn is_foreign_uri(&self, text: &str) -> bool {
        let rest = text.split_at(5).1;
        match self.style() {
            PathStyle::Posix => uri::file_uri_to_path(text, PathStyle::Windows).is_ok(),
            PathStyle::Windows => {
                !starts_with_drive(rest.trim_start_matches('/'))
                    && uri::file_uri_to_path(text, PathStyle::Posix).is_ok()
            }
        }
    }

    /// Whether a path is an absolute one of the other system only (rule 23).
    pub fn is_foreign_path(&self, text: &str) -> bool {
        match self.style() {
            PathStyle::Posix => !text.starts_with('/') && path::is_absolute(text, PathStyle::Windows),
            PathStyle::Windows => text.starts_with('/') && !path::is_absolute(text, PathStyle::Windows),
        }
    }

    /// Reads a path; a URI is nothing else.
    fn path_place(&self, text: &str, relative: Relative, from_client: bool) -> Result<String, Reason> {
        if self.is_too_long(text) {
            return Err(Reason::TooLong);
        }
        if uri::is_placeholder(text) {
            return Err(Reason::Placeholder);
        }
        let style = if from_client { self.client_style(text) } else { self.style() };
        match self.mapped(text).filter(|_| from_client && !is_file_uri(text)) {
            Some(mapped) => Ok(mapped),
            None if (!from_client || !self.is_elsewhere()) && self.is_foreign_path(text) => Err(Reason::OtherSystem),
            None => self.joined(text, relative, style),
        }
    }

    fn joined(&self, text: &str, relative: Relative, style: PathStyle) -> Result<String, Reason> {
        match path::absolute(text, style) {
            Err(Refusal::Relative) if relative == Relative::Cwd && self.is_local() => {
                let cwd = self.host().cwd.as_deref().ok_or(Reason::Relative)?;
                path::join(cwd, text, self.style()).map_err(reason)
            }
            other => other.map_err(reason),
        }
    }

    /// The target of a path. Only a client elsewhere spells in the other style, and no path is valid in both.
    pub fn target(&self, at: String) -> Result<Target, Reason> {
        let style = self.client_style(&at);
        let key = path::key(&at, style).map_err(reason)?;
        let name = path::basename(&at, style).unwrap_or_else(|| at.clone());
        Ok(Target { path: Some(at), key, name, root: None, real: None, elsewhere: false, own_name: false })
    }

    pub fn named(name: &str) -> Target {
        let key = format!("name:{name}");
        Target { path: None, key, name: name.to_owned(), root: None, real: None, elsewhere: false, own_name: false }
    }

    /// What one text of a source names.
    fn read_text(&self, source: &Source, text: &str) -> Result<Target, Reason> {
        let from_client =
            matches!(source.from, SourceKind::Meta | SourceKind::Argument | SourceKind::Header | SourceKind::Query);
        let is_name = match source.format {
            Format::Name => true,
            Format::Any => !is_file_uri(text) && !self.has_separator(text),
            Format::PathOrUri | Format::Path | Format::List => false,
        };
        if is_name {
            if self.is_too_long(text) {
                return Err(Reason::TooLong);
            }
            if uri::is_placeholder(text) {
                return Err(Reason::Placeholder);
            }
            return Ok(Self::named(text));
        }
        let place = match source.format {
            Format::Path => self.path_place(text, source.relative, from_client),
            _ => self.place(text, source.relative, from_client),
        };
        self.target(place?)
    }

    /// The texts a value stands for, best first.
    fn texts(&self, source: &Source, value: &str) -> Vec<String> {
        if source.format != Format::List {
            return vec![value.to_owned()];
        }
        if value.starts_with('[')
            && let Some(parts) = peer::elements(value)
        {
            let texts = parts.iter().filter_map(|part| peer::string(part));
            return texts.filter(|text| !text.trim().is_empty()).take(self.most_roots()).collect();
        }
        let windows = self.style() == PathStyle::Windows;
        let parts: Vec<&str> = value.split(|c| c == ',' || (windows && c == ';')).collect();
        let mut texts = vec![value.to_owned()];
        if parts.len() > 1 {
            let trimmed = parts.into_iter().map(str::trim);
            texts.extend(trimmed.filter(|part| !part.is_empty()).map(str::to_owned));
        }
        texts.truncate(self.most_roots());
        texts
    }

    /// The verdict on the values of any source but `roots`, and the name of the one that is good: the first usable counts.
    pub fn judge(
        &self,
        source: &Source,
        values: Vec<(Option<String>, String)>,
        eyes: Eyes<'_>,
    ) -> (Verdict, Option<String>) {
        let mut needs = Vec::new();
        let mut first_bad = None;
        let blind = matches!(eyes, Eyes::Blind);
        let texts = values.into_iter().flat_map(|(via, value)| {
            let texts = self.texts(source, &value).into_iter();
            texts.map(move |text| (via.clone(), text))
        });
        for (via, text) in texts {
            let verdict = match self.read_text(source, &text) {
                Ok(target) => self.on_disk(source, target, eyes),
                Err(reason) => Verdict::Bad(reason),
            };
            match verdict {
                Verdict::Good(target) if needs.is_empty() => return (Verdict::Good(target), via),
                Verdict::Good(_) => break,
                Verdict::Bad(reason) => {
                    first_bad = first_bad.or(Some(reason));
                    let ends = is_bad_end(source, reason);
                    if ends && !blind && source.format != Format::List {
                        break;
                    }
                }
                Verdict::Pending(more) => {
                    needs.extend(more);
                }
            }
        }
        let verdict =
            if needs.is_empty() { Verdict::Bad(first_bad.unwrap_or(Reason::Invalid)) } else { Verdict::Pending(needs) };
        (verdict, None)
    }

    /// Whether every ask looks again: where the policy says so, and where the operator confines projects.
    pub fn rechecks(&self, source: &Source) -> bool {
        source.recheck == Recheck::EachAsk || self.is_confined()
    }

    /// Whether a look at the disk serves the connection (rule 24).
    fn serves_connection(&self, source: &Source, eyes: Eyes<'_>) -> bool {
        match eyes {
            Eyes::Ask { ask, .. } => {
                let selects = matches!(ask.kind, Kind::Select(_)) && !self.rechecks(source);
                !ask.modern && !source.from.is_per_request() && !selects
            }
            Eyes::Connection | Eyes::Blind => true,
        }
    }

    fn look(&self, source: &Source, at: &str, markers: &BTreeSet<String>, eyes: Eyes<'_>) -> Look {
        if matches!(eyes, Eyes::Blind) {
            return Look::Unknown;
        }
        // What was found for an ask serves it in any case.
        let own = match eyes {
            Eyes::Ask { ask, .. } => self.known(at, Some(ask.id)),
            Eyes::Connection | Eyes::Blind => None,
        };
        // What the connection knows serves its sources; a selection takes folders that were seen as seen.
        let seen = |known: &Known| match eyes {
            Eyes::Ask { ask, .. } if matches!(ask.kind, Kind::Select(_)) => {
                !ask.modern && known.found == Found::Directory && !self.rechecks(source)
            }
            Eyes::Ask { .. } => self.serves_connection(source, eyes) && !self.rechecks(source),
            Eyes::Connection | Eyes::Blind => true,
        };
        let shared = self.known(at, None).filter(seen);
        for known in own.into_iter().chain(shared) {
            if markers.is_subset(&known.asked) {
                return Look::Known(known);
            }
        }
        match eyes {
            Eyes::Ask { patience: Patience::Over, .. } => Look::Unconfirmed,
            Eyes::Ask { ask, .. } if self.is_unconfirmed(at, markers, ask) => Look::Unconfirmed,
            _ => Look::Unknown,
        }
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

    /// Rule 31: nothing on this machine is looked at, and only the top of a disk is refused.
    fn judged_elsewhere(&self, source: &Source, target: Target) -> Verdict {
        match &target.path {
            Some(at) if path::is_unc(at, self.client_style(at)) => Verdict::Bad(Reason::Unconfirmed),
            Some(at)
                if places_rule(source) != ExcludedDirsRule::Allow
                    && path::parent(at, self.client_style(at)).is_none() =>
            {
                Verdict::Bad(place_reason(source))
            }
            Some(_) => Verdict::Good(Target { elsewhere: true, ..target }),
            None => Verdict::Good(target),
        }
    }

    /// Rule 31: what a project without a folder here becomes.
    pub fn with_required_path(&self, target: Target) -> Verdict {
        match &target.path {
            _ if !self.policy.require_path => Verdict::Good(target),
            Some(_) if target.elsewhere => Verdict::Bad(Reason::OtherMachine),
            Some(_) => Verdict::Good(target),
            None => Verdict::Bad(Reason::NoPath),
        }
    }

    /// The style in which a client spells: its own, where it is on another machine.
    pub fn client_style(&self, text: &str) -> PathStyle {
        if !self.is_elsewhere() {
            return self.style();
        }
        let path = if is_file_uri(text) { text.split_at(5).1.trim_start_matches('/') } else { text };
        let path = path.to_ascii_lowercase().replace("%3a", ":").replace('|', ":");
        let drive = path.starts_with(|first: char| first.is_ascii_lowercase()) && path.get(1..2) == Some(":");
        if drive || text.starts_with(r"\\") { PathStyle::Windows } else { PathStyle::Posix }
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
        if verify == Verify::None && source.refine.is_none() {
            return Verdict::Good(target);
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
        if verify != Verify::None && !walk.contains(&start) {
            wanted.push((start.clone(), markers.clone()));
        }
        wanted.extend(walk.iter().map(|folder| (folder.clone(), markers.clone())));
        let connection = self.serves_connection(source, eyes);
        let own = !connection || self.rechecks(source);
        let is_unknown =
            |at: &str, markers: &BTreeSet<String>| matches!(self.look(source, at, markers, eyes), Look::Unknown);
        let mut unknown: Vec<Need> = wanted
            .into_iter()
            .filter(|(at, markers)| is_unknown(at, markers))
            .map(|(path, markers)| Need { path, markers, connection, own })
            .collect();
        let mut found = start.clone();
        let mut truth = None;
        if verify != Verify::None {
            // What the start itself is needs no markers.
            let known = match self.look(source, &start, &BTreeSet::new(), eyes) {
                Look::Known(known) => known,
                Look::Unconfirmed => return Verdict::Bad(Reason::Unconfirmed),
                Look::Unknown if follows && matches!(eyes, Eyes::Blind) => {
                    // Whoever names the paths of a source names those of its walk too, as far as they are known.
                    let known = self.known(&start, None).filter(|known| known.found == Found::Directory);
                    let real = known.map(|known| known.real.unwrap_or(start));
                    let more = real.map(|real| walk_from(&real)).unwrap_or_default().into_iter();
                    unknown.extend(more.map(|path| Need { path, markers: markers.clone(), connection, own }));
                    return Verdict::Pending(unknown);
                }
                Look::Unknown => return Verdict::Pending(unknown),
            };
            match known.found {
                Found::Directory => {}
                // What a Windows URI names here (rule 23).
                Found::Missing
                    if self.style() == PathStyle::Posix && starts_with_drive(start.trim_start_matches('/')) =>
                {
                    return Verdict::Bad(Reason::OtherSystem);
                }
                Found::Missing => return Verdict::Bad(Reason::Missing),
                Found::Unreadable => return Verdict::Bad(Reason::Unreadable),
                Found::File if is_root && self.policy.roots.files == Files::Parent => {
                    found = match path::parent(&start, self.style()) {
                        Some(parent) => parent,
                        None => return Verdict::Bad(Reason::NotDirectory),
                    };
                }
                Found::File if verify == Verify::Directory || is_root => {
                    return Verdict::Bad(Reason::NotDirectory);
                }
                Found::File => {}
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
                    Look::Known(parent) => parent.real,
                    Look::Unconfirmed => return Verdict::Bad(Reason::Unconfirmed),
                    Look::Unknown => {
                        let need = Need { path: found, markers: BTreeSet::new(), connection, own };
                        return Verdict::Pending(vec![need]);
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
                let more = walk.iter().filter(|folder| is_unknown(folder, &markers));
                unknown =
                    more.map(|path| Need { path: path.clone(), markers: markers.clone(), connection, own }).collect();
            }
        }
        // A start that will not do spares the walk.
        if !unknown.is_empty() {
            return Verdict::Pending(unknown);
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
        if found == start {
            return Verdict::Good(Target { real: truth, ..target });
        }
        match self.target(found) {
            Ok(moved) => {
                // The name that the client gives its root stays.
                let own = target.own_name && self.policy.name_from == NameFrom::RootName;
                let name = if own { target.name } else { moved.name };
                Verdict::Good(Target { root: target.root, name, real: truth, ..moved })
            }
            Err(reason) => Verdict::Bad(reason),
        }
    }

    /// Whether a root is accepted as it is spelled, whatever the disk says about it.
    pub fn is_accepted_as_is(&self, source: &Source, target: &Target) -> bool {
        let at = target.path.as_deref().unwrap_or_default();
        let is_share = path::is_unc(at, self.style()) && !self.host().probe_shares;
        !self.is_confined() && !is_share && !self.is_excluded_dir(at, places_rule(source), false)
    }

    /// The folder that a root means of which the connection knows that it is a file.
    pub fn parent_of_known_file(&self, target: &Target) -> Option<Vec<Need>> {
        let at = target.path.as_deref()?;
        let is_file = self.known(at, None).is_some_and(|known| known.found == Found::File);
        let counts = is_file && self.is_confined() && self.policy.roots.files == Files::Parent;
        let parent = path::parent(at, self.style()).filter(|_| counts)?;
        Some(vec![Need { path: parent, markers: BTreeSet::new(), connection: true, own: false }])
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
        let Some(at) = &win.project.path else { return !self.policy.require_path };
        let is_own = |name: &str| ["host", "configured", "env", "cwd"].contains(&name);
        // What is remembered says where it came from.
        let own = match win.project.source {
            SourceKind::Remembered => win.project.via.as_deref().is_some_and(is_own),
            source => is_own(source.name()),
        };
        if win.project.elsewhere {
            return !self.policy.require_path;
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

    fn is_allowed(&self, at: &str) -> bool {
        let allowed = &self.host().allowed_dirs;
        allowed.as_ref().is_none_or(|dirs| dirs.iter().any(|base| path::is_inside(base, at, self.style())))
    }

    fn is_home(&self, at: &str) -> bool {
        let home = self.host().excluded_dirs.home.as_deref();
        home.is_some_and(|home| self.is_same(home, at))
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
        }
    }

    /// The folders a walk looks at: up to below home and below the top.
    fn walk(&self, start: &str, refine: &Markers) -> Vec<String> {
        let most = refine.levels.min(self.policy.limits.walk_levels);
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

    /// What a root is, before the disk is asked.
    pub fn lex_root(&self, raw: &RawRoot) -> Lexed {
        let text = raw.uri.as_str();
        let bare = !is_file_uri(text);
        if self.is_too_long(text) {
            return Lexed::Bad(Reason::TooLong);
        }
        if uri::is_placeholder(text) {
            return Lexed::Bad(Reason::Placeholder);
        }
        let is_path = path::is_absolute(text, self.client_style(text)) || self.mapped(text).is_some();
        let is_foreign = !self.is_elsewhere() && self.is_foreign_path(text);
        if bare && !((is_path || is_foreign) && self.policy.roots.bare_paths == BarePaths::Repair) {
            return Lexed::NonFile(text.to_owned());
        }
        let read = self.place(text, Relative::Refuse, true).and_then(|at| self.target(at));
        match read {
            Ok(mut target) => {
                target.root = Some((raw.index, target.key.clone()));
                let own = raw.name.as_deref().filter(|name| !name.trim().is_empty());
                match (self.policy.name_from, own) {
                    (NameFrom::RootName, Some(own)) => {
                        target.name = own.to_owned();
                        target.own_name = true;
                    }
                    (NameFrom::RawBasename, _) => {
                        let last = text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
                        if !last.is_empty() && target.path.as_deref() != Some("/") {
                            target.name = last.to_owned();
                        }
                    }
                    _ => {}
                }
                Lexed::Place(target)
            }
            Err(reason) => Lexed::Bad(reason),
        }
    }

    /// The problem a list of roots shows for one of them: why it cannot be read, not what the place is.
    pub fn problem(&self, raw: &RawRoot) -> Option<Reason> {
        match self.lex_root(raw) {
            Lexed::Place(_) => None,
            Lexed::NonFile(_) => Some(Reason::NotFileUri),
            Lexed::Bad(reason) => Some(reason),
        }
    }

    /// A root of another scheme as a project without a path.
    pub fn name_only(&self, raw: &RawRoot) -> Target {
        let text = raw.uri.as_str();
        let own =
            raw.name.clone().filter(|name| self.policy.name_from == NameFrom::RootName && !name.trim().is_empty());
        let segments = text.trim_end_matches('/').rsplit('/');
        Target {
            path: None,
            key: format!("uri:{text}"),
            name: own.unwrap_or_else(|| segments.take(1).collect()),
            root: Some((raw.index, format!("uri:{text}"))),
            real: None,
            elsewhere: false,
            own_name: false,
        }
    }
}

fn all_markers(refine: &Markers) -> BTreeSet<String> {
    let names = refine.tiers.iter().flat_map(|tier| &tier.names);
    names.cloned().collect()
}
