//! Judging one value: what it names, whether it may be a project, and what the disk says about it.

use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::action::ProbePath;
use crate::error::Reason;
use crate::event::Found;
use crate::find::contains;
use crate::form::fields;
use crate::host::HostFacts;
use crate::map::Map;
use crate::path::{self, PathStyle, Refusal};
use crate::policy::{ExcludedDirsRule, Files, Format, Markers, Relative, Unmarked, Verify};
use crate::uri::{file_uri_to_path, is_placeholder};

/// Why a value is not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bad {
    pub(crate) reason: Reason,
    pub(crate) detail: Option<&'static str>,
    pub(crate) path: Option<String>,
}

impl Bad {
    pub(crate) const fn new(reason: Reason) -> Self {
        Self { reason, detail: None, path: None }
    }

    /// The finer code where there is one, else the reason's.
    pub(crate) fn detail(&self) -> &'static str {
        self.detail.unwrap_or_else(|| self.reason.code())
    }

    fn at(reason: Reason, path: &str) -> Self {
        Self { reason, detail: None, path: Some(path.to_string()) }
    }
}

impl From<Refusal> for Bad {
    fn from(refusal: Refusal) -> Self {
        let reason = match refusal {
            Refusal::NotFileUri => Reason::NotFileUri,
            Refusal::Relative => Reason::Relative,
            _ => Reason::Invalid,
        };
        Self { reason, detail: Some(refusal.code()), path: None }
    }
}

/// What a value names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Thing {
    Path(String),
    Name(String),
}

/// How a value is read.
pub(crate) struct Reading<'a> {
    pub(crate) host: &'a HostFacts,
    pub(crate) format: Format,
    pub(crate) relative: Relative,
    /// Whether the client spelled it, so that the path map applies.
    pub(crate) from_client: bool,
    pub(crate) value_bytes: u32,
}

impl Reading<'_> {
    pub(crate) fn read(&self, text: &str) -> Result<Thing, Bad> {
        if usize::try_from(self.value_bytes).is_ok_and(|most| text.len() > most) {
            return Err(Bad::new(Reason::TooLong));
        }
        if is_placeholder(text) {
            return Err(Bad::new(Reason::Placeholder));
        }
        let is_uri = is_file_uri(text) || contains(text, "://");
        let is_name = match self.format {
            Format::Name => true,
            Format::Any => !is_uri && !text.contains(['/', '\\']) && !path::is_absolute(text, self.host.style),
            Format::PathOrUri | Format::List => false,
        };
        if is_name {
            return Ok(Thing::Name(text.to_string()));
        }
        if self.from_client
            && let Some(mapped) = mapped(text, self.host)
        {
            return Ok(Thing::Path(mapped));
        }
        if is_uri {
            return Ok(Thing::Path(file_uri_to_path(text, self.host.style)?));
        }
        match path::absolute(text, self.host.style) {
            Ok(path) => Ok(Thing::Path(path)),
            Err(refusal) => self.join(text, refusal),
        }
    }

    fn join(&self, text: &str, refusal: Refusal) -> Result<Thing, Bad> {
        match &self.host.cwd {
            Some(cwd) if self.relative == Relative::Cwd && self.host.is_local() && refusal == Refusal::Relative => {
                Ok(Thing::Path(path::join(cwd, text, self.host.style)?))
            }
            _ => Err(refusal.into()),
        }
    }
}

pub(crate) fn is_file_uri(text: &str) -> bool {
    text.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"))
}

/// Where the path map says that a client's folder is.
pub(crate) fn mapped(text: &str, host: &HostFacts) -> Option<String> {
    host.path_map.iter().find_map(|map| {
        let there = if is_file_uri(text) {
            file_uri_to_path(text, map.from_style).ok()?
        } else {
            path::absolute(text, map.from_style).ok()?
        };
        let from = path::absolute(&map.from, map.from_style).ok()?;
        if !path::is_inside(&from, &there, map.from_style) {
            return None;
        }
        let rest = there.get(from.len()..)?.trim_start_matches(['/', '\\']);
        let rest = match map.from_style {
            PathStyle::Windows => rest.replace('\\', "/"),
            PathStyle::Posix => rest.to_string(),
        };
        path::join(&map.to, &rest, host.style).ok()
    })
}

/// What the host found at one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fact {
    /// Nothing here means that the host was asked and did not say.
    pub(crate) found: Option<Found>,
    pub(crate) real_path: Option<String>,
    pub(crate) asked: Vec<String>,
    pub(crate) markers: Vec<String>,
}

fields!(Fact: asked, markers; found, real_path);

impl Fact {
    /// Whether it says all that somebody wants to know.
    pub(crate) fn answers(&self, want: &ProbePath) -> bool {
        want.markers.iter().all(|marker| self.asked.contains(marker))
    }

    /// Keeps what an earlier look said about markers that this one did not look for.
    pub(crate) fn with_earlier(mut self, earlier: &Self) -> Self {
        if earlier.found == self.found {
            let missed = |marker: &&String| !self.asked.contains(marker);
            let markers: Vec<String> = earlier.markers.iter().filter(missed).cloned().collect();
            let asked: Vec<String> = earlier.asked.iter().filter(missed).cloned().collect();
            self.markers.extend(markers);
            self.asked.extend(asked);
        }
        self
    }
}

pub(crate) type Disk = Map<Fact>;

/// What one evaluation may know of the disk, and what it turned out to need.
pub(crate) struct Look<'a> {
    /// Replies to probes of this ask.
    pub(crate) own: &'a [Arc<Disk>],
    /// Replies that serve the whole connection.
    pub(crate) shared: Option<&'a Disk>,
    /// Whether nobody will wait for another reply.
    pub(crate) gave_up: bool,
    /// Whether paths that cannot matter any more are named too.
    pub(crate) thorough: bool,
    /// Paths looked at, whether known or not.
    pub(crate) touched: Vec<Touched>,
}

/// A path an evaluation looked at.
#[derive(Clone, Debug)]
pub(crate) struct Touched {
    pub(crate) want: ProbePath,
    pub(crate) known: bool,
    /// Whether the reply may serve the whole connection.
    pub(crate) shared: bool,
}

/// What is known of a path.
enum Seen<'a> {
    Known(&'a Fact),
    Unconfirmed,
    Unknown,
}

impl<'a> Look<'a> {
    pub(crate) const fn new(own: &'a [Arc<Disk>], shared: Option<&'a Disk>, gave_up: bool) -> Self {
        Self { own, shared, gave_up, thorough: false, touched: Vec::new() }
    }

    /// What is known of a path, with these markers looked for; with `any`, a fact without them is enough.
    fn at(&mut self, path: &str, markers: &[String], any: bool, reach: Reach) -> Seen<'a> {
        let enough = |fact: &&Fact| any || markers.iter().all(|marker| fact.asked.contains(marker));
        let usable = |fact: &&Fact| match reach.reads {
            SharedUse::None => false,
            SharedUse::Folders => fact.found == Some(Found::Directory),
            SharedUse::All => true,
        };
        let own = self.own.iter().rev().filter_map(|disk| disk.get(path));
        let common = self.shared.and_then(|disk| disk.get(path)).filter(usable);
        let mut facts = own.chain(common).filter(enough);
        // What somebody found out counts for more than that somebody else did not.
        let fact = facts.clone().find(|fact| fact.found.is_some()).or_else(|| facts.next());
        let want = ProbePath { path: path.to_string(), markers: markers.to_vec() };
        let shared = reach.serves_shared && self.shared.is_some();
        self.touched.push(Touched { want, known: fact.is_some(), shared });
        match fact {
            Some(Fact { found: None, .. }) => Seen::Unconfirmed,
            Some(fact) => Seen::Known(fact),
            None if self.gave_up => Seen::Unconfirmed,
            None => Seen::Unknown,
        }
    }
}

/// How a path is judged.
pub(crate) struct Judge<'a> {
    pub(crate) host: &'a HostFacts,
    pub(crate) places: ExcludedDirsRule,
    pub(crate) verify: Verify,
    /// What a file stands for, where that is a question.
    pub(crate) files: Option<Files>,
    /// Whether a path the disk speaks against is taken all the same.
    pub(crate) accept_missing: bool,
    pub(crate) refine: Option<&'a Markers>,
    pub(crate) reach: Reach,
}

/// Whom a reply serves.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reach {
    /// How much of what the connection knows already is good enough.
    pub(crate) reads: SharedUse,
    /// Whether the connection may keep it.
    pub(crate) serves_shared: bool,
}

/// How much of what the connection knows serves again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SharedUse {
    #[default]
    None,
    /// Folders that were there; what was missing may have been made since.
    Folders,
    All,
}

/// What came of judging a path.
pub(crate) enum Judged {
    Good {
        path: String,
        real_path: Option<String>,
    },
    Bad(Bad),
    /// The host has to look first.
    Wait,
}

impl Judge<'_> {
    pub(crate) fn judge(&self, path: &str, look: &mut Look<'_>) -> Judged {
        match self.try_judge(path, look) {
            Ok(Some((path, real_path))) => Judged::Good { path, real_path },
            Ok(None) => Judged::Wait,
            Err(bad) => Judged::Bad(bad),
        }
    }

    fn try_judge(&self, path: &str, look: &mut Look<'_>) -> Result<Option<(String, Option<String>)>, Bad> {
        if path.chars().any(char::is_control) {
            // Legal in a URI, and never what anybody meant by a project.
            return Err(Bad { detail: Some(Refusal::Control.code()), ..Bad::new(Reason::Invalid) });
        }
        self.check_ceiling(path)?;
        // A marker may yet vouch for some places, never for the others.
        self.check_place(path, self.refine.is_some())?;
        let Some((mut path, real_path)) = self.verified(path, look)? else {
            return Ok(None);
        };
        if let Some(real) = &real_path {
            self.check_ceiling(real).map_err(|_| Bad::at(Reason::Outside, &path))?;
        }
        if let Some(markers) = self.refine {
            let Some(found) = self.walk(&path, markers, look)? else {
                return Ok(None);
            };
            let marked = found.is_some();
            let moved = found.as_deref().is_some_and(|found| found != path);
            path = found.unwrap_or(path);
            self.check_place(&path, marked)?;
            self.check_ceiling(&path)?;
            let real_path = if moved { None } else { real_path };
            return Ok(Some((path, real_path)));
        }
        Ok(Some((path, real_path)))
    }

    fn check_ceiling(&self, path: &str) -> Result<(), Bad> {
        let allowed = &self.host.allowed_dirs;
        let inside = allowed.is_empty() || allowed.iter().any(|base| path::is_inside(base, path, self.host.style));
        if inside { Ok(()) } else { Err(Bad::at(Reason::Outside, path)) }
    }

    fn check_place(&self, path: &str, marked: bool) -> Result<(), Bad> {
        let place = place_kind(path, self.host);
        let refused = match (self.places, place) {
            (ExcludedDirsRule::Allow, _) | (_, PlaceKind::Ordinary) => None,
            (ExcludedDirsRule::Named, PlaceKind::Top) => Some(Reason::Nameless),
            (ExcludedDirsRule::Named, _) => None,
            (ExcludedDirsRule::Refuse, PlaceKind::Top | PlaceKind::Home) => Some(Reason::ExcludedDir),
            (ExcludedDirsRule::Refuse, PlaceKind::Scratch) => (!marked).then_some(Reason::ExcludedDir),
        };
        refused.map_or(Ok(()), |reason| Err(Bad::at(reason, path)))
    }

    fn verified(&self, path: &str, look: &mut Look<'_>) -> Result<Option<(String, Option<String>)>, Bad> {
        if self.verify == Verify::None {
            return Ok(Some((path.to_string(), None)));
        }
        let style = self.host.style;
        let unconfirmed = || match self.accept_missing {
            true => Ok(Some((path.to_string(), None))),
            false => Err(Bad::at(Reason::Unconfirmed, path)),
        };
        if path::is_unc(path, style) && !self.host.probe_shares {
            return unconfirmed();
        }
        if look.thorough {
            self.touch_walk(path, look);
        }
        let markers = self.refine.map_or_else(Vec::new, names);
        let fact = match look.at(path, &markers, true, self.reach) {
            Seen::Known(fact) => fact,
            Seen::Unconfirmed => return unconfirmed(),
            Seen::Unknown => {
                self.touch_walk(path, look);
                return Ok(None);
            }
        };
        let real = fact.real_path.clone();
        match (fact.found, self.verify) {
            (Some(Found::Directory), _) => Ok(Some((path.to_string(), real))),
            (Some(Found::File), _) if self.files == Some(Files::Parent) => {
                let parent = path::parent(path, style).ok_or_else(|| Bad::at(Reason::NotDirectory, path))?;
                self.check_ceiling(&parent)?;
                self.check_place(&parent, false)?;
                Ok(Some((parent, real.and_then(|real| path::parent(&real, style)))))
            }
            (Some(Found::File), Verify::Exists) if self.files.is_none() => Ok(Some((path.to_string(), real))),
            _ if self.accept_missing => Ok(Some((path.to_string(), None))),
            (Some(Found::File), _) => Err(Bad::at(Reason::NotDirectory, path)),
            (Some(Found::Unreadable), _) => Err(Bad::at(Reason::Unreadable, path)),
            _ => Err(Bad::at(Reason::Missing, path)),
        }
    }

    /// Walks up to the best marked folder: nothing while the host has to look, else the folder, if any is marked.
    fn walk(&self, start: &str, markers: &Markers, look: &mut Look<'_>) -> Result<Option<Option<String>>, Bad> {
        let names = names(markers);
        let mut seen: Vec<(String, &Fact)> = Vec::new();
        let mut waiting = false;
        for folder in self.folders(start, markers.levels) {
            match look.at(&folder, &names, false, self.reach) {
                Seen::Known(fact) => seen.push((folder, fact)),
                Seen::Unconfirmed => {}
                Seen::Unknown => waiting = true,
            }
        }
        if waiting {
            return Ok(None);
        }
        for tier in &markers.tiers {
            let least = usize::try_from(tier.at_least).unwrap_or(usize::MAX);
            let marked = |fact: &Fact| tier.names.iter().filter(|name| fact.markers.contains(name)).count() >= least;
            if let Some((folder, _)) = seen.iter().find(|(_, fact)| marked(fact)) {
                return Ok(Some(Some(folder.clone())));
            }
        }
        match markers.otherwise {
            Unmarked::Start => Ok(Some(None)),
            Unmarked::Reject => Err(Bad::at(Reason::NoMarker, start)),
        }
    }

    /// Names the folders of a walk that cannot begin yet, so that one probe serves both.
    fn touch_walk(&self, start: &str, look: &mut Look<'_>) {
        if let Some(markers) = self.refine {
            let names = names(markers);
            for folder in self.folders(start, markers.levels) {
                let _ = look.at(&folder, &names, false, self.reach);
            }
        }
    }

    /// The folder and those above it, below home and below the top.
    fn folders(&self, start: &str, levels: u32) -> Vec<String> {
        let mut folders = Vec::new();
        let mut here = Some(start.to_string());
        while let Some(folder) = here {
            let stop = matches!(place_kind(&folder, self.host), PlaceKind::Top | PlaceKind::Home);
            if stop || u32::try_from(folders.len()).is_ok_and(|count| count >= levels) {
                break;
            }
            here = path::parent(&folder, self.host.style);
            folders.push(folder);
        }
        folders
    }
}

fn names(markers: &Markers) -> Vec<String> {
    let mut names = Vec::new();
    for name in markers.tiers.iter().flat_map(|tier| &tier.names) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PlaceKind {
    Ordinary,
    /// `/`, a drive, a share.
    Top,
    Home,
    /// A temporary, system or install folder.
    Scratch,
}

fn place_kind(path: &str, host: &HostFacts) -> PlaceKind {
    let style = host.style;
    let same = |other: &String| path::key(other, style).is_ok_and(|other| path::key(path, style) == Ok(other));
    let below = |other: &String| path::is_inside(other, path, style);
    if path::basename(path, style).is_none() {
        PlaceKind::Top
    } else if host.excluded_dirs.home.as_ref().is_some_and(same) {
        PlaceKind::Home
    } else if host.excluded_dirs.temporary.iter().any(same)
        || host.excluded_dirs.install.iter().any(below)
        || is_system(path, style)
    {
        PlaceKind::Scratch
    } else {
        PlaceKind::Ordinary
    }
}

/// `System32` of any drive, where desktop programs on Windows start their servers.
fn is_system(path: &str, style: PathStyle) -> bool {
    style == PathStyle::Windows
        && path::key(path, style).is_ok_and(|key| {
            let mut parts = key.split('\\').skip(1);
            parts.next() == Some("WINDOWS") && parts.next() == Some("SYSTEM32")
        })
}
