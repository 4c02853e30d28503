//! A disk in memory.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use crate::PathStyle;
use crate::action::{FindNearest, ProbePath, ReadFiles};
use crate::event::{EntryKind, Nearest, ProbedPath};
use crate::path;

/// A disk in memory, with folders, files, links and entries that cannot be read. Nothing else exists on it.
///
/// ```
/// use rootwise::PathStyle;
/// use rootwise::testing::Disk;
///
/// let disk = Disk::new(PathStyle::Posix)
///     .file("/work/app/.git")
///     .folder("/work/app/src")
///     .link("/home/me/app", "/work/app");
/// assert_eq!(disk.real_path("/home/me/app/src").as_deref(), Some("/work/app/src"));
/// assert_eq!(disk.real_path("/work/api"), None);
/// assert!(disk.folders().contains(&"/work/app".into()));
///
/// let disk = Disk::new(PathStyle::Windows).unreadable(r"C:\secret");
/// assert_eq!((disk.style(), disk.paths()), (PathStyle::Windows, vec![r"C:\".to_owned(), r"C:\secret".to_owned()]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disk {
    style: PathStyle,
    /// By key, with the spelling.
    entries: BTreeMap<String, (String, Entry)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Entry {
    Folder,
    /// With its text.
    File(String),
    Unreadable,
    Link(String),
}

/// Links that are followed for one path, as systems bound them.
const MAX_LINKS: u32 = 40;

impl Disk {
    /// An empty disk.
    ///
    /// ```
    /// use rootwise::testing::Disk;
    /// use rootwise::PathStyle;
    ///
    /// let disk = Disk::new(PathStyle::Posix).file("/work/app/.git").link("/work/link", "/work/app");
    /// assert_eq!(disk.real_path("/work/link").as_deref(), Some("/work/app"));
    /// assert_eq!(disk.without("/work/app").real_path("/work/link"), None);
    /// ```
    #[must_use]
    pub const fn new(style: PathStyle) -> Self {
        Self { style, entries: BTreeMap::new() }
    }

    /// A disk with two projects that have markers, folders without one, a home, a file, a link into a project, one that leads
    /// out of the projects, one that leads nowhere, and a folder that cannot be read.
    #[must_use]
    pub fn sample(style: PathStyle) -> Self {
        let top = match style {
            PathStyle::Posix => "",
            PathStyle::Windows => "C:",
        };
        let at = |path: &str| top.to_owned() + path;
        Self::new(style)
            .file(at("/work/app/.git"))
            .folder(at("/work/app/sub"))
            .file(at("/work/api/package.json"))
            .folder(at("/work/plain"))
            .file(at("/work/notes.txt"))
            .folder(at("/home/me"))
            .folder(at("/elsewhere/x"))
            .link(at("/work/link"), at("/work/api"))
            .link(at("/work/out"), at("/elsewhere/x"))
            .link(at("/work/dangling"), at("/nowhere"))
            .unreadable(at("/work/locked"))
    }

    /// Adds a folder, with those above it.
    #[must_use]
    pub fn folder(self, path: impl AsRef<str>) -> Self {
        self.with(path.as_ref(), Entry::Folder)
    }

    /// Adds a file, with the folders above it; a marker is one.
    #[must_use]
    pub fn file(self, path: impl AsRef<str>) -> Self {
        self.file_with(path, "")
    }

    /// Adds a file with a text, with the folders above it.
    ///
    /// ```
    /// use rootwise::PathStyle;
    /// use rootwise::action::{FindNearest, ProbePath};
    /// use rootwise::testing::Disk;
    ///
    /// let disk = Disk::new(PathStyle::Posix).file_with("/work/fix/.git", "gitdir: /work/app/.git/worktrees/fix").folder("/work/fix/src");
    /// let wanted = ProbePath::new("/work/fix/src").nearest(FindNearest::new(vec![".git".into()]).bytes(100));
    /// let nearest = disk.examine(&wanted).nearest.unwrap();
    /// assert_eq!((&*nearest.path, nearest.text.as_deref()), ("/work/fix", Some("gitdir: /work/app/.git/worktrees/fix")));
    /// ```
    #[must_use]
    pub fn file_with(self, path: impl AsRef<str>, text: impl Into<String>) -> Self {
        self.with(path.as_ref(), Entry::File(text.into()))
    }

    /// Adds a link to an absolute path, which need not exist, with the folders above the link.
    #[must_use]
    pub fn link(self, path: impl AsRef<str>, target: impl Into<String>) -> Self {
        self.with(path.as_ref(), Entry::Link(target.into()))
    }

    /// Adds an entry that the host may not examine, with the folders above it.
    #[must_use]
    pub fn unreadable(self, path: impl AsRef<str>) -> Self {
        self.with(path.as_ref(), Entry::Unreadable)
    }

    /// Removes an entry and everything below it.
    #[must_use]
    pub fn without(mut self, path: impl AsRef<str>) -> Self {
        let style = self.style;
        self.entries.retain(|_, (spelled, _)| !path::is_inside(path.as_ref(), spelled, style));
        self
    }

    fn with(mut self, path: &str, entry: Entry) -> Self {
        let mut next = path::absolute(path, self.style).ok().map(|path| (path, entry));
        while let Some((path, entry)) = next {
            next = path::parent(&path, self.style).map(|parent| (parent, Entry::Folder));
            let is_above = next.is_some() && entry == Entry::Folder;
            if let Ok(key) = path::key(&path, self.style) {
                match self.entries.get(&key) {
                    Some(_) if is_above => break,
                    _ => drop(self.entries.insert(key, (path, entry))),
                }
            }
        }
        self
    }

    /// The spelling of its paths.
    #[must_use]
    pub const fn style(&self) -> PathStyle {
        self.style
    }

    /// The folders and the links to folders, by spelling.
    #[must_use]
    pub fn folders(&self) -> Vec<String> {
        let is_folder = |spelled: &&String| self.examined(spelled).1 == EntryKind::Directory;
        self.entries.values().map(|(spelled, _)| spelled).filter(is_folder).cloned().collect()
    }

    /// Everything on it, by spelling.
    #[must_use]
    pub fn paths(&self) -> Vec<String> {
        self.entries.values().map(|(spelled, _)| spelled.clone()).collect()
    }

    /// The path with every link followed, if it exists.
    #[must_use]
    pub fn real_path(&self, path: &str) -> Option<String> {
        self.examined(path).0
    }

    /// What a host reports about a path.
    #[must_use]
    pub fn examine(&self, wanted: &ProbePath) -> ProbedPath {
        let (real_path, found) = self.examined(&wanted.path);
        let has = |marker: &&String| {
            let inside = real_path.as_ref().and_then(|real| path::join(real, marker, self.style).ok());
            inside.is_some_and(|path| self.examined(&path).1 != EntryKind::Missing)
        };
        let is_folder = found == EntryKind::Directory;
        let markers = wanted.markers.iter().filter(|_| is_folder).filter(has).cloned().collect();
        let nearest = wanted.nearest.as_ref().and_then(|find| self.nearest(real_path.clone()?, find));
        let files = wanted.files.as_ref().zip(real_path.as_ref().filter(|_| is_folder));
        let files = files.map_or_else(BTreeMap::new, |(read, folder)| self.texts(folder, read));
        ProbedPath { path: wanted.path.clone(), found, real_path, markers, nearest, files }
    }

    fn nearest(&self, start: String, find: &FindNearest) -> Option<Nearest> {
        let upwards = core::iter::successors(Some(start), |folder| path::parent(folder, self.style));
        let mut open = upwards.take_while(|folder| self.is_within(folder, find.within.as_ref()));
        open.find_map(|folder| {
            find.names.iter().find_map(|name| {
                let (_, found) = self.examined(&path::join(&folder, name, self.style).ok()?);
                let text = self.text(&folder, name, find.bytes);
                let exists = found != EntryKind::Missing;
                exists.then(|| Nearest { path: folder.clone(), name: name.clone(), found, text })
            })
        })
    }

    fn texts(&self, folder: &str, read: &ReadFiles) -> BTreeMap<String, String> {
        let names = read.names.iter().filter(|_| self.is_within(folder, read.within.as_ref()));
        names.filter_map(|name| Some((name.clone(), self.text(folder, name, read.bytes)?))).collect()
    }

    fn text(&self, folder: &str, name: &str, most: u32) -> Option<String> {
        match self.entry(&path::join(folder, name, self.style).ok()?) {
            Some((_, Entry::File(text))) if u32::try_from(text.len()).is_ok_and(|bytes| bytes <= most) => {
                Some(text.clone())
            }
            _ => None,
        }
    }

    fn is_within(&self, folder: &str, within: Option<&Vec<String>>) -> bool {
        within.is_none_or(|dirs| dirs.iter().any(|dir| path::is_inside(dir, folder, self.style)))
    }

    fn examined(&self, path: &str) -> (Option<String>, EntryKind) {
        let nothing = (None, EntryKind::Missing);
        let Ok(mut here) = path::absolute(path, self.style) else { return nothing };
        for _ in 0..MAX_LINKS {
            match self.first_link(&here) {
                Some((link, target)) => {
                    let rest = here.get(link.len()..).unwrap_or_default().trim_start_matches(['/', '\\']);
                    match path::join(target, rest, self.style) {
                        Ok(next) => here = next,
                        Err(_) if rest.is_empty() => here = target.clone(),
                        Err(_) => return nothing,
                    }
                }
                None => {
                    return match self.entry(&here) {
                        Some((spelled, Entry::Folder)) => (Some(spelled.clone()), EntryKind::Directory),
                        Some((spelled, Entry::File(_))) => (Some(spelled.clone()), EntryKind::File),
                        Some((_, Entry::Unreadable)) => (None, EntryKind::Unreadable),
                        Some((_, Entry::Link(_))) | None => nothing,
                    };
                }
            }
        }
        (None, EntryKind::Unreadable)
    }

    fn entry(&self, path: &str) -> Option<&(String, Entry)> {
        self.entries.get(&path::key(path, self.style).ok()?)
    }

    /// The highest link on the way to a path, and its target.
    fn first_link(&self, path: &str) -> Option<(String, &String)> {
        let mut found = None;
        let mut here = Some(path.to_owned());
        while let Some(path) = here {
            here = path::parent(&path, self.style);
            if let Some((_, Entry::Link(target))) = self.entry(&path) {
                found = Some((path, target));
            }
        }
        found
    }
}
