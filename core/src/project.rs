//! What a resolved project is.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::policy::SourceKind;

/// The project a client works in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase")]
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The canonical URI, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// The real path, where a probe told it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub real_path: Option<String>,
    /// The source that won.
    pub source: SourceKind,
    /// What exactly that source read: a variable, a header, an option, or for `remembered` the first source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
    /// The client root it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<RootRef>,
    /// The client's other roots, where this one was picked from several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub other_roots: Vec<RootRef>,
}

/// A client root as a project refers to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct RootRef {
    /// Position in the client's list.
    pub index: u32,
    /// The URI as the client sent it, made safe to show.
    pub uri: String,
    /// The root's own name, made safe to show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The folder on the server's machine, where the URI names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// A client root as the roots view shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct RootView {
    /// The root itself.
    #[serde(flatten)]
    pub root: RootRef,
    /// Why it names no folder here, as a stable code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<crate::error::Reason>,
}
