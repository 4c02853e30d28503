//! What a resolved project is.

use alloc::string::String;
use alloc::vec::Vec;

use crate::policy::SourceKind;
use crate::read::read_fields;
use crate::write::{text, write_fields};

/// The project a client works in.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase", optional_fields))]
pub struct Project {
    /// Identity: the same folder has the same key whatever its spelling; lexical, never the real path.
    pub key: String,
    /// Short hash of the key, fit for file names.
    pub id: String,
    /// The folder's name, or the name it was selected by; as the peer wrote it.
    pub name: String,
    /// The name made safe to show: one line, bounded, without control or invisible characters.
    pub display_name: String,
    /// The folder on the server's machine, where there is one.
    pub path: Option<String>,
    /// The canonical URI, where there is one.
    pub uri: Option<String>,
    /// The real path, where a probe told it.
    pub real_path: Option<String>,
    /// The source that won.
    pub source: SourceKind,
    /// What exactly that source read: a variable, a header, an option, or for `remembered` the first source.
    pub via: Option<String>,
    /// The client root it came from.
    pub root: Option<RootRef>,
    /// The client's other roots, where this one was picked from several.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub other_roots: Vec<RootRef>,
}

write_fields!(Project: key, id, name, display_name, path = optional, uri = optional, real_path = optional, source, via = optional, root = optional, other_roots = optional);

read_fields!(Project: key, id, name, display_name, source; path, uri, real_path, via, root, other_roots);

impl Project {
    /// The project as JSON, as every language's package gives it.
    #[must_use]
    pub fn to_json(&self) -> String {
        text(self)
    }
}

/// A client root as a project refers to it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase", optional_fields))]
pub struct RootRef {
    /// Position in the client's list.
    pub index: u32,
    /// The URI as the client sent it, made safe to show.
    pub uri: String,
    /// The root's own name, made safe to show.
    pub name: Option<String>,
    /// The folder on the server's machine, where the URI names one.
    pub path: Option<String>,
}

write_fields!(RootRef: index, uri, name = optional, path = optional);

read_fields!(RootRef: index, uri; name, path);

/// A client root as the roots view shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase", optional_fields))]
pub struct RootView {
    /// The root itself.
    #[cfg_attr(feature = "ts", ts(flatten))]
    pub root: RootRef,
    /// Why it names no folder here, as a stable code.
    pub problem: Option<crate::error::Reason>,
}

write_fields!(RootView: root = flat, problem = optional);
