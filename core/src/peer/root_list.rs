//! ValueParser a list of roots, entry by entry: a bad entry never loses the others.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::action::RootsState;
use crate::display::display;
use crate::error::Reason;
use crate::find::last_part;
use crate::form::fields;
use crate::host::HostFacts;
use crate::limits::Limits;
use crate::path;
use crate::peer::raw::{self, Object};
use crate::policy::{BarePaths, Policy};
use crate::project::{Project, RootRef, RootView};
use crate::resolve::verify::{Rejection, is_file_uri, mapped};
use crate::uri::{file_uri_to_path, is_placeholder};

/// A list of roots as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RootList {
    pub(crate) entries: Vec<RootEntry>,
    /// Entries without a readable URI.
    pub(crate) unreadable: u32,
    /// Entries beyond the limit.
    pub(crate) dropped: u32,
}

/// One root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RootEntry {
    pub(crate) sent: SentRoot,
    /// Where it is on the server's machine.
    pub(crate) path: Result<String, Rejection>,
    /// Whether it was a bare path.
    pub(crate) repaired: bool,
}

/// What the client sent; over-long URIs are kept cut, since only their beginning can be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SentRoot {
    /// Position in the list.
    pub(crate) index: u32,
    pub(crate) uri: String,
    pub(crate) name: Option<String>,
    pub(crate) too_long: bool,
}

fields!(SentRoot: index, uri, too_long; name);

impl RootList {
    /// Reads a raw result.
    pub(crate) fn read(result: &str, policy: &Policy, host: &HostFacts) -> Self {
        let elements = Object::read(result).and_then(|result| raw::array(result.get("roots")?));
        // A result that is no list at all says as little as an entry without a URI.
        let Some(elements) = elements else {
            return Self { unreadable: 1, ..Self::default() };
        };
        let mut list = Self::default();
        for (index, element) in elements.iter().enumerate() {
            let index = u32::try_from(index).unwrap_or(u32::MAX);
            match read_root(index, element, &policy.limits) {
                None => list.unreadable = list.unreadable.saturating_add(1),
                Some(_) if list.is_full(&policy.limits) => list.dropped = list.dropped.saturating_add(1),
                Some(sent) => list.entries.push(RootEntry::new(sent, policy, host)),
            }
        }
        list
    }

    /// Makes a list again from what was kept of it.
    pub(crate) fn restore(kept: &KeptList, policy: &Policy, host: &HostFacts) -> Self {
        let entry = |sent: &SentRoot| RootEntry::new(sent.clone(), policy, host);
        Self { entries: kept.entries.iter().map(entry).collect(), unreadable: kept.unreadable, dropped: kept.dropped }
    }

    /// What is worth keeping of the list: all that does not follow from the host facts.
    pub(crate) fn keep(&self) -> KeptList {
        KeptList {
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
    pub(crate) fn has(&self, project: &Project, host: &HostFacts, limits: &Limits) -> bool {
        let made_from = |entry: &RootEntry| {
            project.root.as_ref().is_some_and(|root| match (&root.path, &entry.path) {
                (Some(made), Ok(path)) => made == path,
                _ => root.uri == entry.reference(limits).uri,
            })
        };
        self.entries.iter().any(|entry| entry.key(host).as_deref() == Some(&project.key) || made_from(entry))
    }

    pub(crate) fn views(&self, limits: &Limits) -> Vec<RootView> {
        self.entries
            .iter()
            .map(|entry| RootView {
                root: entry.reference(limits),
                problem: entry.path.as_ref().err().map(|bad| bad.reason),
            })
            .collect()
    }

    /// The roots as a message lists them: by name where they have one.
    pub(crate) fn listing(&self, limits: &Limits) -> String {
        let mut listing = String::new();
        for entry in &self.entries {
            let reference = entry.reference(limits);
            if !listing.is_empty() {
                listing.push_str(", ");
            }
            listing.push_str(&reference.name.unwrap_or(reference.uri));
        }
        listing
    }

    fn is_full(&self, limits: &Limits) -> bool {
        usize::try_from(limits.roots).is_ok_and(|most| self.entries.len() >= most)
    }
}

impl RootEntry {
    fn new(sent: SentRoot, policy: &Policy, host: &HostFacts) -> Self {
        let (path, repaired) = locate(&sent, policy, host);
        Self { sent, path, repaired }
    }

    /// The identity of the folder, or of a URI that names none.
    pub(crate) fn key(&self, host: &HostFacts) -> Option<String> {
        match &self.path {
            Ok(path) => path::key(path, host.style).ok(),
            Err(bad) if bad.reason == Reason::NotFileUri => Some(uri_key(&self.sent.uri)),
            Err(_) => None,
        }
    }

    pub(crate) fn reference(&self, limits: &Limits) -> RootRef {
        let most = |chars: u32| usize::try_from(chars).unwrap_or(usize::MAX);
        let name = self.sent.name.as_ref().map(|name| display(name, most(limits.name_chars)));
        RootRef {
            index: self.sent.index,
            uri: display(&self.sent.uri, most(limits.value_chars)),
            name: name.filter(|name| !name.is_empty()),
            path: self.path.as_ref().ok().cloned(),
        }
    }
}

/// What the identity of a URI that names no folder here begins with.
pub(crate) const URI_KEY: &str = "uri:";

/// The identity of a URI that names no folder here, in a space of its own.
pub(crate) fn uri_key(uri: &str) -> String {
    let mut key = String::from(URI_KEY);
    key.push_str(uri);
    key
}

/// What a snapshot keeps of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeptList {
    entries: Vec<SentRoot>,
    unreadable: u32,
    dropped: u32,
}

fields!(KeptList: entries, unreadable, dropped;);

fn read_root(index: u32, element: &str, limits: &Limits) -> Option<SentRoot> {
    let fits = |text: &str, most: u32| usize::try_from(most).is_ok_and(|most| text.len() <= most);
    let root = Object::read(element)?;
    let uri = root.string("uri")?;
    let name = root.string("name").filter(|name| fits(name, limits.name_bytes));
    if fits(&uri, limits.value_bytes) {
        return Some(SentRoot { index, uri, name, too_long: false });
    }
    let most = usize::try_from(limits.value_chars).unwrap_or(usize::MAX);
    Some(SentRoot { index, uri: uri.chars().take(most).collect(), name, too_long: true })
}

fn locate(sent: &SentRoot, policy: &Policy, host: &HostFacts) -> (Result<String, Rejection>, bool) {
    let uri = sent.uri.as_str();
    if sent.too_long {
        return (Err(Rejection::new(Reason::TooLong)), false);
    }
    if is_placeholder(uri) {
        return (Err(Rejection::new(Reason::Placeholder)), false);
    }
    if is_file_uri(uri) {
        let path = mapped(uri, host).map_or_else(|| file_uri_to_path(uri, host.style).map_err(Rejection::from), Ok);
        return (path, false);
    }
    let bare = || mapped(uri, host).or_else(|| path::absolute(uri, host.style).ok());
    match policy.roots.bare_paths {
        BarePaths::Repair => match bare() {
            Some(path) => (Ok(path), true),
            None => (Err(Rejection::new(Reason::NotFileUri)), false),
        },
        BarePaths::Refuse => (Err(Rejection::new(Reason::NotFileUri)), false),
    }
}

/// The last segment of a URI as it was sent, still percent-encoded.
pub(crate) fn raw_basename(uri: &str) -> Option<String> {
    let end = uri.trim_end_matches('/');
    let last = Some(last_part(end, '/')).filter(|last| !last.is_empty() && !last.ends_with(':'));
    last.map(ToString::to_string)
}
