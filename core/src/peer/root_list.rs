//! A list of roots, read entry by entry: a bad entry never loses the others.

use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::raw::{self, Array};
use crate::api::action::RootsState;
use crate::api::host::HostFacts;
use crate::api::project::{Project, RootRef, RootView};
use crate::api::reason::Reason;
use crate::path;
use crate::path::display::display;
use crate::path::host::read_path;
use crate::path::map::map_path;
use crate::path::name::name_with_id;
use crate::path::rejection::Rejection;
use crate::path::uri::{is_file_uri, is_placeholder, looks_like_uri, project_id, project_key};
use crate::policy::{BarePaths, Limits, NonFile, NonObjects, Policy, exceeds, to_usize};

/// A list of roots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RootList {
    pub(crate) entries: Vec<RootEntry>,
    /// The number of entries without a readable URI.
    unreadable: u32,
    /// The number of entries beyond the limit.
    pub(crate) dropped: u32,
}

/// One root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RootEntry {
    pub(crate) sent: SentRoot,
    /// The folder it names, on this machine or on the client's.
    pub(crate) path: Result<String, Rejection>,
    /// The identity of the folder, or of a URI that names none.
    pub(crate) key: Option<String>,
    pub(crate) reference: RootRef,
    /// Whether it was a bare path.
    pub(crate) repaired: bool,
}

/// A root as the client sent it; an overlong URI is cut, since only its beginning can be shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SentRoot {
    /// Position in the list.
    pub(crate) index: u32,
    pub(crate) uri: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    too_long: bool,
}

/// The roots that a text names.
pub(crate) enum FoundRoot<'a> {
    /// This one.
    One(&'a RootEntry),
    /// Those with this name, at least one.
    Named(Vec<&'a RootEntry>),
    None,
}

/// The part of a list that a snapshot keeps: everything that does not follow from the host facts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SavedRoots {
    entries: Vec<SentRoot>,
    unreadable: u32,
    dropped: u32,
}

impl SavedRoots {
    /// Whether it is within the limits of a policy.
    pub(crate) fn fits(&self, limits: &Limits) -> bool {
        let bytes = self.entries.iter().map(SentRoot::bytes).fold(0, usize::saturating_add);
        !exceeds(self.entries.len(), limits.roots) && !exceeds(bytes, limits.roots_bytes)
    }
}

impl RootList {
    /// Reads a raw result.
    pub(crate) fn read(result: &str, policy: &Policy, host: &HostFacts) -> Self {
        let roots = raw::member(result, "roots");
        // A result without a list says as little as an entry without a URI.
        let Some(elements) = roots.and_then(Array::of) else {
            return Self { unreadable: 1, ..Self::default() };
        };
        let all_objects = || { elements }.all(raw::is_object);
        if policy.config.roots.non_objects == NonObjects::EmptyList && !all_objects() {
            return Self { unreadable: 1, ..Self::default() };
        }
        let mut list = Self::default();
        let mut bytes = 0_usize;
        for (index, element) in elements.enumerate() {
            let index = u32::try_from(index).unwrap_or(u32::MAX);
            let Some(sent) = SentRoot::read(index, element, &policy.config.limits) else {
                list.unreadable = list.unreadable.saturating_add(1);
                continue;
            };
            bytes = bytes.saturating_add(sent.bytes());
            // Once a root does not fit, none after it does: the kept ones are the first of the list.
            if list.entries.len() >= to_usize(policy.config.limits.roots)
                || exceeds(bytes, policy.config.limits.roots_bytes)
            {
                list.dropped = list.dropped.saturating_add(1);
            } else {
                list.entries.push(RootEntry::new(sent, policy, host));
            }
        }
        // It stays as long as the connection, and most have one entry.
        list.entries.shrink_to_fit();
        list
    }

    pub(crate) fn restore(saved: SavedRoots, policy: &Policy, host: &HostFacts) -> Self {
        let entries = saved.entries.into_iter().map(|sent| RootEntry::new(sent, policy, host)).collect();
        Self { entries, unreadable: saved.unreadable, dropped: saved.dropped }
    }

    pub(crate) fn save(&self) -> SavedRoots {
        SavedRoots {
            entries: self.entries.iter().map(|entry| entry.sent.clone()).collect(),
            unreadable: self.unreadable,
            dropped: self.dropped,
        }
    }

    pub(crate) fn state(&self) -> RootsState {
        if self.entries.iter().any(|entry| entry.path.is_ok()) {
            RootsState::Ok
        } else if self.entries.is_empty() && self.unreadable == 0 {
            RootsState::Empty
        } else {
            RootsState::AllInvalid
        }
    }

    /// Whether a project is one of the roots, or was made from one.
    pub(crate) fn has(&self, project: &Project) -> bool {
        let made_from = |entry: &RootEntry| {
            project.root.as_ref().is_some_and(|root| match (root.folder(), &entry.path) {
                (Some(made), Ok(path)) => made == path,
                // With other host facts, the same root may name no folder any more.
                (Some(_), Err(_)) => false,
                (None, _) => root.uri == entry.reference.uri,
            })
        };
        let key = project.folder_key();
        self.entries.iter().any(|entry| entry.key.as_ref() == Some(&key) || made_from(entry))
    }

    pub(crate) fn views(&self) -> Vec<RootView> {
        self.entries.iter().map(RootEntry::view).collect()
    }

    /// The first roots beside this one, as many as an answer carries, and the number of the others.
    pub(crate) fn first(&self, beside: Option<&RootEntry>) -> (Vec<&RootEntry>, u32) {
        let (mut first, mut omitted, mut bytes) = (Vec::new(), 0_u32, 0_usize);
        for entry in &self.entries {
            if beside.is_some_and(|beside| beside.sent.index == entry.sent.index) {
                continue;
            }
            bytes = bytes.saturating_add(entry.reference.bytes());
            if first.len() < ANSWER_ROOTS && bytes <= ANSWER_ROOTS_BYTES {
                first.push(entry);
            } else {
                omitted = omitted.saturating_add(1);
            }
        }
        (first, omitted)
    }

    /// The different roots with this name: their own or the handle of their folder, or else that folder's name.
    pub(crate) fn named(&self, name: &str, host: &HostFacts) -> Vec<&RootEntry> {
        let named = self.distinct(|entry| entry.is_called(name) || entry.has_handle(name, host));
        if named.is_empty() { self.distinct(|entry| entry.has_folder_named(name, host)) } else { named }
    }

    /// What a text names among the roots.
    pub(crate) fn find(&self, given: &str, host: &HostFacts) -> FoundRoot<'_> {
        let style = host.client_style(given);
        let key = match map_path(given, host) {
            Some(here) => path::key(&here, host.style),
            None if is_file_uri(given) => project_key(given, style),
            None => path::key(given, style),
        };
        let key = key.ok();
        let by_uri = self.entries.iter().find(|entry| entry.sent.uri == given);
        let by_key = || self.entries.iter().find(|entry| key.is_some() && entry.key == key);
        // As a list shows it, unless it shows two roots alike.
        let by_display = || {
            let mut shown = self.entries.iter().filter(|entry| entry.reference.uri == given);
            shown.next().filter(|_| shown.next().is_none())
        };
        if let Some(entry) = by_uri.or_else(by_key) {
            return FoundRoot::One(entry);
        }
        match (self.named(given, host), by_display()) {
            (named, _) if !named.is_empty() => FoundRoot::Named(named),
            (_, Some(entry)) => FoundRoot::One(entry),
            (_, None) => FoundRoot::None,
        }
    }

    /// The different roots that can be projects, each by a text that names no other; none if a form cannot offer all of them.
    pub(crate) fn choices(&self, policy: &Policy, host: &HostFacts) -> Option<Vec<String>> {
        let needs_folder = policy.config.require_path;
        let roots = self.distinct(|entry| entry.path.is_ok() || (!needs_folder && entry.is_identity(policy)));
        if !(2..=ANSWER_ROOTS).contains(&roots.len()) || self.dropped > 0 {
            return None;
        }
        let most = to_usize(policy.config.limits.value_chars);
        let names = |text: &String, entry: &RootEntry| match self.find(text, host) {
            FoundRoot::One(found) => found.identity() == entry.identity(),
            FoundRoot::Named(named) => {
                named.len() == 1 && named.iter().all(|found| found.identity() == entry.identity())
            }
            FoundRoot::None => false,
        };
        let choice = |entry: &&RootEntry| {
            let RootRef { uri, name, .. } = &entry.reference;
            let folder = entry.path.as_ref().ok().map(|path| display(path, most));
            [name.clone(), folder, Some(uri.clone())].into_iter().flatten().find(|text| names(text, entry))
        };
        let choices = roots.iter().map(choice).collect::<Option<Vec<_>>>()?;
        let bytes = choices.iter().map(String::len).fold(0, usize::saturating_add);
        (bytes <= ANSWER_ROOTS_BYTES).then_some(choices)
    }

    fn distinct(&self, wanted: impl Fn(&RootEntry) -> bool) -> Vec<&RootEntry> {
        let mut keys = BTreeSet::new();
        self.entries.iter().filter(|entry| wanted(entry) && keys.insert(entry.identity())).collect()
    }

    /// The roots by name if they have one, within a number of characters.
    pub(crate) fn names(&self, most: usize) -> String {
        let shown = |entry: &RootEntry| entry.reference.name.as_ref().unwrap_or(&entry.reference.uri).clone();
        listing(self.entries.iter().map(shown), most)
    }

    /// The different roots with their folders, within a number of characters.
    pub(crate) fn folders(&self, most: usize) -> String {
        folders(self.distinct(|_| true).into_iter(), most)
    }
}

/// Roots with their folders, and with their names if they have some.
pub(crate) fn folders<'a>(entries: impl Iterator<Item = &'a RootEntry>, most: usize) -> String {
    let shown = |entry: &RootEntry| {
        let RootRef { uri, name, .. } = &entry.reference;
        let folder = entry.path.as_ref().map_or_else(|_| uri.clone(), |path| display(path, most));
        name.as_ref().map_or_else(|| folder.clone(), |name| format!("{name} ({folder})"))
    };
    listing(entries.map(shown), most)
}

/// Texts within a number of characters; the rest are counted.
pub(crate) fn listing(shown: impl Iterator<Item = String>, most: usize) -> String {
    let mut shown = shown.peekable();
    let mut listing = String::new();
    let mut room = most;
    while let Some(next) = shown.next_if(|next| next.chars().count() <= room) {
        room = room.saturating_sub(next.chars().count());
        if !listing.is_empty() {
            listing.push_str(", ");
        }
        listing.push_str(&next);
    }
    match shown.count() {
        0 => listing,
        more if listing.is_empty() => format!("{more} more"),
        more => format!("{listing} and {more} more"),
    }
}

/// The roots, and the bytes of them, that an answer carries beside the root that it is about.
pub(crate) const ANSWER_ROOTS: usize = 32;
pub(crate) const ANSWER_ROOTS_BYTES: usize = 4 << 10;

impl SentRoot {
    fn bytes(&self) -> usize {
        self.uri.len().saturating_add(self.name.as_ref().map_or(0, String::len))
    }

    fn read(index: u32, element: &str, limits: &Limits) -> Option<Self> {
        let [uri, name] = raw::members(element, ["uri", "name"])?;
        let uri = uri.string()?;
        let name = name.string().filter(|name| !exceeds(name.len(), limits.name_bytes));
        if !exceeds(uri.len(), limits.value_bytes) {
            return Some(Self { index, uri, name, too_long: false });
        }
        Some(Self { index, uri: uri.chars().take(to_usize(limits.value_chars)).collect(), name, too_long: true })
    }
}

impl RootRef {
    /// The folder, on whichever machine it is.
    pub(crate) fn folder(&self) -> Option<&String> {
        self.path.as_ref().or(self.client_path.as_ref())
    }

    /// The size of its texts.
    pub(crate) fn bytes(&self) -> usize {
        let optional = [&self.name, &self.path].into_iter().flatten().map(String::len);
        optional.fold(self.uri.len(), usize::saturating_add)
    }
}

impl RootEntry {
    fn new(sent: SentRoot, policy: &Policy, host: &HostFacts) -> Self {
        let limits = &policy.config.limits;
        let (path, repaired) = locate(&sent, policy, host);
        let key = match &path {
            Ok(path) => path::key(path, host.client_style(path)).ok(),
            Err(rejection) if rejection.reason == Reason::NotFileUri || is_identity(&sent, rejection, policy) => {
                Some(uri_key(&sent.uri))
            }
            Err(_) => None,
        };
        let name = sent.name.as_ref().map(|name| display(name, to_usize(limits.name_chars)));
        let folder = path.as_ref().ok().cloned();
        let (here, on_client_machine) = if host.reaches_client_folders() { (folder, None) } else { (None, folder) };
        let reference = RootRef {
            index: sent.index,
            uri: display(&sent.uri, to_usize(limits.value_chars)),
            name: name.filter(|name| !name.is_empty()),
            path: here,
            client_path: on_client_machine,
        };
        Self { sent, path, key, reference, repaired }
    }

    /// Whether this is its own name, as the client sent it or as a message shows it.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        [&self.sent.name, &self.reference.name].into_iter().flatten().any(|own| own.trim() == name)
    }

    fn has_folder_named(&self, name: &str, host: &HostFacts) -> bool {
        self.path.as_ref().is_ok_and(|path| path::basename(path, host.client_style(path)).as_deref() == Some(name))
    }

    fn has_handle(&self, handle: &str, host: &HostFacts) -> bool {
        let Some((folder, _)) = handle.rsplit_once('-') else { return false };
        self.has_folder_named(folder, host) && name_with_id(folder, &project_id(&self.identity())) == handle
    }

    /// Whether it is a project without a folder: its URI is its identity.
    pub(crate) fn is_identity(&self, policy: &Policy) -> bool {
        self.path.as_ref().is_err_and(|rejection| is_identity(&self.sent, rejection, policy))
    }

    /// What tells it from other roots.
    pub(crate) fn identity(&self) -> Cow<'_, str> {
        self.key.as_ref().map_or_else(|| uri_key(&self.sent.uri).into(), Cow::from)
    }

    pub(crate) fn view(&self) -> RootView {
        let problem = self.path.as_ref().err().map(|rejection| rejection.reason);
        // A folder of another system is none of this machine.
        let exists = (problem == Some(Reason::OtherSystem)).then_some(false);
        RootView { root: self.reference.clone(), real_path: None, problem, exists, usable: false }
    }
}

/// Whether a root that names no folder here is a project by its URI alone: one of another scheme; and where no project needs a
/// folder, also a `file:` URI with a host, a fragment or a name that no folder here can have.
fn is_identity(sent: &SentRoot, rejection: &Rejection, policy: &Policy) -> bool {
    policy.config.roots.non_file == NonFile::NameOnly
        && match rejection.reason {
            Reason::NotFileUri => true,
            Reason::Invalid | Reason::OtherSystem => !policy.config.require_path && is_file_uri(&sent.uri),
            _ => false,
        }
}

/// The prefix of the identity of a URI that names no folder here.
pub(crate) const URI_KEY: &str = "uri:";

/// The identity of a URI that names no folder here, in a space of its own.
pub(crate) fn uri_key(uri: &str) -> String {
    let mut key = String::from(URI_KEY);
    key.push_str(uri);
    key
}

/// The folder that a root names, and whether it was a bare path.
fn locate(sent: &SentRoot, policy: &Policy, host: &HostFacts) -> (Result<String, Rejection>, bool) {
    let uri = sent.uri.as_str();
    if sent.too_long {
        return (Err(Rejection::new(Reason::TooLong)), false);
    }
    if is_placeholder(uri) {
        return (Err(Rejection::new(Reason::Placeholder)), false);
    }
    let is_uri = is_file_uri(uri);
    if !is_uri && policy.config.roots.bare_paths == BarePaths::Refuse {
        return (Err(Rejection::new(Reason::NotFileUri)), false);
    }
    match map_path(uri, host).map_or_else(|| read_path(uri, is_uri, true, host), Ok) {
        Err(rejection) if !is_uri && rejection.reason != Reason::OtherSystem => {
            (Err(Rejection::new(Reason::NotFileUri)), false)
        }
        path => {
            let repaired = !looks_like_uri(uri) && path.is_ok();
            (path, repaired)
        }
    }
}

/// The last segment of a URI as it was sent, still percent-encoded.
pub(crate) fn raw_basename(uri: &str) -> Option<String> {
    let last = uri.trim_end_matches('/').rsplit('/').next();
    last.filter(|last| !last.is_empty() && !last.ends_with(':')).map(ToString::to_string)
}
