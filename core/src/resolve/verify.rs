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
pub(crate) struct Rejection {
    pub(crate) reason: Reason,
    pub(crate) detail: Option<&'static str>,
    pub(crate) path: Option<String>,
}

impl Rejection {
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

impl From<Refusal> for Rejection {
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
pub(crate) enum ParsedValue {
    Path(String),
    Name(String),
}

/// How a value is read.
pub(crate) struct ValueParser<'a> {
    pub(crate) host: &'a HostFacts,
    pub(crate) format: Format,
    pub(crate) relative: Relative,
    /// Whether the client spelled it, so that the path map applies.
    pub(crate) from_client: bool,
    pub(crate) value_bytes: u32,
}

impl ValueParser<'_> {
    pub(crate) fn read(&self, text: &str) -> Result<ParsedValue, Rejection> {
        if usize::try_from(self.value_bytes).is_ok_and(|most| text.len() > most) {
            return Err(Rejection::new(Reason::TooLong));
        }
        if is_placeholder(text) {
            return Err(Rejection::new(Reason::Placeholder));
        }
        let is_uri = is_file_uri(text) || contains(text, "://");
        let is_name = match self.format {
            Format::Name => true,
            Format::Any => !is_uri && !text.contains(['/', '\\']) && !path::is_absolute(text, self.host.style),
            Format::PathOrUri | Format::List => false,
        };
        if is_name {
            return Ok(ParsedValue::Name(text.to_string()));
        }
        if self.from_client
            && let Some(mapped) = mapped(text, self.host)
        {
            return Ok(ParsedValue::Path(mapped));
        }
        if is_uri {
            return Ok(ParsedValue::Path(file_uri_to_path(text, self.host.style)?));
        }
        match path::absolute(text, self.host.style) {
            Ok(path) => Ok(ParsedValue::Path(path)),
            Err(refusal) => self.join(text, refusal),
        }
    }

    fn join(&self, text: &str, refusal: Refusal) -> Result<ParsedValue, Rejection> {
        match &self.host.cwd {
            Some(cwd) if self.relative == Relative::Cwd && self.host.is_local() && refusal == Refusal::Relative => {
                Ok(ParsedValue::Path(path::join(cwd, text, self.host.style)?))
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
pub(crate) struct PathInfo {
    /// Nothing here means that the host was asked and did not say.
    pub(crate) found: Option<Found>,
    pub(crate) real_path: Option<String>,
    pub(crate) asked: Vec<String>,
    pub(crate) markers: Vec<String>,
}

fields!(PathInfo: asked, markers; found, real_path);

impl PathInfo {
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

pub(crate) type Disk = Map<PathInfo>;

/// What one evaluation may know of the disk, and what it turned out to need.
pub(crate) struct DiskView<'a> {
    /// Replies to probes of this ask.
    pub(crate) own: &'a [Arc<Disk>],
    /// Replies that serve the whole connection.
    pub(crate) shared: Option<&'a Disk>,
    /// Whether nobody will wait for another reply.
    pub(crate) gave_up: bool,
    /// Whether paths that cannot matter any more are named too.
    pub(crate) thorough: bool,
    /// Paths looked at, whether known or not.
    pub(crate) touched: Vec<PathQuery>,
}

/// A path an evaluation looked at.
#[derive(Clone, Debug)]
pub(crate) struct PathQuery {
    pub(crate) want: ProbePath,
    pub(crate) known: bool,
    /// Whether the reply may serve the whole connection.
    pub(crate) shared: bool,
}

/// What is known of a path.
enum DiskLookup<'a> {
    Known(&'a PathInfo),
    Unconfirmed,
    Unknown,
}

impl<'a> DiskView<'a> {
    pub(crate) const fn new(own: &'a [Arc<Disk>], shared: Option<&'a Disk>, gave_up: bool) -> Self {
        Self { own, shared, gave_up, thorough: false, touched: Vec::new() }
    }

    /// What is known of a path, with these markers looked for; with `any`, a fact without them is enough.
    fn at(&mut self, path: &str, markers: &[String], any: bool, reach: CacheScope) -> DiskLookup<'a> {
        let enough = |fact: &&PathInfo| any || markers.iter().all(|marker| fact.asked.contains(marker));
        let usable = |fact: &&PathInfo| match reach.reads {
            CacheReads::None => false,
            CacheReads::Folders => fact.found == Some(Found::Directory),
            CacheReads::All => true,
        };
        let own = self.own.iter().rev().filter_map(|disk| disk.get(path));
        let common = self.shared.and_then(|disk| disk.get(path)).filter(usable);
        let mut facts = own.chain(common).filter(enough);
        // What somebody found out counts for more than that somebody else did not.
        let fact = facts.clone().find(|fact| fact.found.is_some()).or_else(|| facts.next());
        let want = ProbePath { path: path.to_string(), markers: markers.to_vec() };
        let shared = reach.serves_shared && self.shared.is_some();
        self.touched.push(PathQuery { want, known: fact.is_some(), shared });
        match fact {
            Some(PathInfo { found: None, .. }) => DiskLookup::Unconfirmed,
            Some(fact) => DiskLookup::Known(fact),
            None if self.gave_up => DiskLookup::Unconfirmed,
            None => DiskLookup::Unknown,
        }
    }
}

/// How a path is judged.
pub(crate) struct PathVerifier<'a> {
    pub(crate) host: &'a HostFacts,
    pub(crate) places: ExcludedDirsRule,
    pub(crate) verify: Verify,
    /// What a file stands for, where that is a question.
    pub(crate) files: Option<Files>,
    /// Whether a path the disk speaks against is taken all the same.
    pub(crate) accept_missing: bool,
    pub(crate) refine: Option<&'a Markers>,
    pub(crate) reach: CacheScope,
}

/// Whom a reply serves.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CacheScope {
    /// How much of what the connection knows already is good enough.
    pub(crate) reads: CacheReads,
    /// Whether the connection may keep it.
    pub(crate) serves_shared: bool,
}

/// How much of what the connection knows serves again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CacheReads {
    #[default]
    None,
    /// Folders that were there; what was missing may have been made since.
    Folders,
    All,
}

/// What came of judging a path.
pub(crate) enum Verified {
    Good {
        path: String,
        real_path: Option<String>,
    },
    Rejected(Rejection),
    /// The host has to look first.
    Wait,
}

impl PathVerifier<'_> {
    pub(crate) fn judge(&self, path: &str, look: &mut DiskView<'_>) -> Verified {
        match self.try_judge(path, look) {
            Ok(Some((path, real_path))) => Verified::Good { path, real_path },
            Ok(None) => Verified::Wait,
            Err(bad) => Verified::Rejected(bad),
        }
    }

    fn try_judge(&self, path: &str, look: &mut DiskView<'_>) -> Result<Option<(String, Option<String>)>, Rejection> {
        if path.chars().any(char::is_control) {
            // Legal in a URI, and never what anybody meant by a project.
            return Err(Rejection { detail: Some(Refusal::Control.code()), ..Rejection::new(Reason::Invalid) });
        }
        self.check_ceiling(path)?;
        // A marker may yet vouch for some places, never for the others.
        self.check_place(path, self.refine.is_some())?;
        let Some((mut path, real_path)) = self.verified(path, look)? else {
            return Ok(None);
        };
        if let Some(real) = &real_path {
            self.check_ceiling(real).map_err(|_| Rejection::at(Reason::Outside, &path))?;
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

    fn check_ceiling(&self, path: &str) -> Result<(), Rejection> {
        let allowed = &self.host.allowed_dirs;
        let inside = allowed.is_empty() || allowed.iter().any(|base| path::is_inside(base, path, self.host.style));
        if inside { Ok(()) } else { Err(Rejection::at(Reason::Outside, path)) }
    }

    fn check_place(&self, path: &str, marked: bool) -> Result<(), Rejection> {
        let place = place_kind(path, self.host);
        let refused = match (self.places, place) {
            (ExcludedDirsRule::Allow, _) | (_, PlaceKind::Ordinary) => None,
            (ExcludedDirsRule::Named, PlaceKind::Top) => Some(Reason::Nameless),
            (ExcludedDirsRule::Named, _) => None,
            (ExcludedDirsRule::Refuse, PlaceKind::Top | PlaceKind::Home) => Some(Reason::ExcludedDir),
            (ExcludedDirsRule::Refuse, PlaceKind::Scratch) => (!marked).then_some(Reason::ExcludedDir),
        };
        refused.map_or(Ok(()), |reason| Err(Rejection::at(reason, path)))
    }

    fn verified(&self, path: &str, look: &mut DiskView<'_>) -> Result<Option<(String, Option<String>)>, Rejection> {
        if self.verify == Verify::None {
            return Ok(Some((path.to_string(), None)));
        }
        let style = self.host.style;
        let unconfirmed = || match self.accept_missing {
            true => Ok(Some((path.to_string(), None))),
            false => Err(Rejection::at(Reason::Unconfirmed, path)),
        };
        if path::is_unc(path, style) && !self.host.probe_shares {
            return unconfirmed();
        }
        if look.thorough {
            self.touch_walk(path, look);
        }
        let markers = self.refine.map_or_else(Vec::new, names);
        let fact = match look.at(path, &markers, true, self.reach) {
            DiskLookup::Known(fact) => fact,
            DiskLookup::Unconfirmed => return unconfirmed(),
            DiskLookup::Unknown => {
                self.touch_walk(path, look);
                return Ok(None);
            }
        };
        let real = fact.real_path.clone();
        match (fact.found, self.verify) {
            (Some(Found::Directory), _) => Ok(Some((path.to_string(), real))),
            (Some(Found::File), _) if self.files == Some(Files::Parent) => {
                let parent = path::parent(path, style).ok_or_else(|| Rejection::at(Reason::NotDirectory, path))?;
                self.check_ceiling(&parent)?;
                self.check_place(&parent, false)?;
                Ok(Some((parent, real.and_then(|real| path::parent(&real, style)))))
            }
            (Some(Found::File), Verify::Exists) if self.files.is_none() => Ok(Some((path.to_string(), real))),
            _ if self.accept_missing => Ok(Some((path.to_string(), None))),
            (Some(Found::File), _) => Err(Rejection::at(Reason::NotDirectory, path)),
            (Some(Found::Unreadable), _) => Err(Rejection::at(Reason::Unreadable, path)),
            _ => Err(Rejection::at(Reason::Missing, path)),
        }
    }

    /// Walks up to the best marked folder: nothing while the host has to look, else the folder, if any is marked.
    fn walk(
        &self,
        start: &str,
        markers: &Markers,
        look: &mut DiskView<'_>,
    ) -> Result<Option<Option<String>>, Rejection> {
        let names = names(markers);
        let mut seen: Vec<(String, &PathInfo)> = Vec::new();
        let mut waiting = false;
        for folder in self.folders(start, markers.levels) {
            match look.at(&folder, &names, false, self.reach) {
                DiskLookup::Known(fact) => seen.push((folder, fact)),
                DiskLookup::Unconfirmed => {}
                DiskLookup::Unknown => waiting = true,
            }
        }
        if waiting {
            return Ok(None);
        }
        for tier in &markers.tiers {
            let least = usize::try_from(tier.at_least).unwrap_or(usize::MAX);
            let marked =
                |fact: &PathInfo| tier.names.iter().filter(|name| fact.markers.contains(name)).count() >= least;
            if let Some((folder, _)) = seen.iter().find(|(_, fact)| marked(fact)) {
                return Ok(Some(Some(folder.clone())));
            }
        }
        match markers.otherwise {
            Unmarked::Start => Ok(Some(None)),
            Unmarked::Reject => Err(Rejection::at(Reason::NoMarker, start)),
        }
    }

    /// Names the folders of a walk that cannot begin yet, so that one probe serves both.
    fn touch_walk(&self, start: &str, look: &mut DiskView<'_>) {
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
