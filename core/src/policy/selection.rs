//! Selections: what a tool may select, and what outlives a call.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::SourceKind;

/// The state that outlives a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Memory {
    /// Whether the connection's first project is pinned.
    pub pin: Pin,
    /// The sources that can pin; an empty list means every source of the connection.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pin_from: Vec<SourceKind>,
    /// Whether `remembered` keeps a root that a newer list no longer contains.
    #[serde(skip_serializing_if = "super::is_default")]
    pub keep_lost_root: bool,
}

/// Whether the connection's first project is pinned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Pin {
    /// No pinning.
    #[default]
    No,
    /// Pinned until a tool selects a project or clears the selection.
    Sticky,
    /// Pinned permanently.
    Immutable,
}

/// The rules for a tool's selection.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Selection {
    /// The meaning of a bare name.
    pub names: Names,
    /// The form of a name.
    pub name_rule: NameRule,
    /// Whether `..` is resolved or refused.
    pub traversal: Traversal,
    /// When the selection must be one of the client's roots, if the client has any.
    pub enforce_roots: EnforceRoots,
    /// The test for being one of them.
    pub root_match: RootMatch,
}

/// The meaning of a bare name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Names {
    /// The name of one of the client's roots.
    #[default]
    Roots,
    /// Any name: the root with that name if there is one, else a project without a path.
    Any,
}

/// The form of a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum NameRule {
    /// Any text that is not empty.
    #[default]
    Any,
    /// Letters, digits, underscores and hyphens.
    Word,
}

/// Whether `..` is resolved or refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Traversal {
    /// It is resolved.
    #[default]
    Resolve,
    /// It is refused.
    Refuse,
}

/// When a selection must be one of the client's roots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum EnforceRoots {
    /// Never.
    #[default]
    Off,
    /// At the time of the selection.
    OnSelect,
}

/// The test for being one of the roots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum RootMatch {
    /// The same folder.
    #[default]
    Key,
    /// The same URI, character by character.
    ExactUri,
}

/// When the client's user is asked for the project. The answer is a selection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Elicit {
    /// Never.
    #[default]
    Never,
    /// If the client has several roots and nothing says which one is meant.
    Ambiguous,
    /// Also if no project was found.
    Unresolved,
}
