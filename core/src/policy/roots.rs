//! The client's roots: when to request them, which one to pick, and how to react to changes.

use alloc::string::String;

use serde::{Deserialize, Serialize};

use super::BadOutcome;

/// The rules for requesting the client's roots and picking one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[non_exhaustive]
pub struct RootsRules {
    /// When to request the roots.
    pub ask: RequestWhen,
    /// Whether to ask only clients that declared roots.
    pub require_capability: bool,
    /// Which root to pick.
    pub pick: Pick,
    /// The effect of an unusable root.
    pub on_unusable: OnUnusable,
    /// The effect of an entry that is not an object.
    pub non_objects: NonObjects,
    /// The effect of a root that is not a `file:` URI.
    pub non_file: NonFile,
    /// The treatment of an absolute path instead of a URI.
    pub bare_paths: BarePaths,
    /// The meaning of a root that is a file.
    pub files: Files,
    /// Whether several roots end the ask, if `pick` is `only`, or yield to the next source.
    pub ambiguity: BadOutcome,
    /// The effect of a change.
    pub on_change: OnChange,
    /// The form of the requests.
    #[cfg_attr(feature = "ts", ts(optional = nullable, type = "Partial<RequestForm>"))]
    pub request: RequestForm,
}

impl Default for RootsRules {
    fn default() -> Self {
        Self {
            ask: RequestWhen::Lazy,
            require_capability: true,
            pick: Pick::First,
            on_unusable: OnUnusable::NextRoot,
            non_objects: NonObjects::Skip,
            non_file: NonFile::Skip,
            bare_paths: BarePaths::Refuse,
            files: Files::Parent,
            ambiguity: BadOutcome::Error,
            on_change: OnChange::Refetch,
            request: RequestForm::default(),
        }
    }
}

/// When to request the roots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum RequestWhen {
    /// As soon as the client is ready.
    Eager,
    /// When an ask needs them.
    Lazy,
    /// For every ask that needs them.
    EachRequest,
    /// Never: only the host supplies a list.
    Never,
}

/// Which root to pick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Pick {
    /// The root that contains the target of the ask, else the first.
    First,
    /// The only root.
    Only,
}

/// The effect of an unusable root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum OnUnusable {
    /// It is accepted even if the folder does not exist.
    Accept,
    /// The next root is tried.
    NextRoot,
    /// The next source is tried.
    NextSource,
    /// The ask ends with an error.
    Error,
}

/// The effect of an entry of the list that is not an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum NonObjects {
    /// It is skipped.
    Skip,
    /// The whole list counts as empty.
    EmptyList,
}

/// The effect of a root that is not a `file:` URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum NonFile {
    /// The next root is tried.
    Skip,
    /// The next source is tried.
    NextSource,
    /// The ask ends with an error.
    Error,
    /// It is a project without a path, named by its last segment.
    NameOnly,
}

/// The treatment of an absolute path instead of a URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum BarePaths {
    /// It is accepted with a log line.
    Repair,
    /// It is refused.
    Refuse,
}

/// The meaning of a root that is a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Files {
    /// The folder that contains it.
    Parent,
    /// None: it is refused.
    Refuse,
}

/// The effect of `list_changed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum OnChange {
    /// None.
    Ignore,
    /// The next ask that needs roots requests them again.
    Invalidate,
    /// The roots are requested again at once if the host may push; otherwise as `invalidate`.
    Refetch,
}

/// The form of `roots/list` requests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[non_exhaustive]
pub struct RequestForm {
    /// The text before the number in a request id; with an empty prefix the id is a number.
    pub id_prefix: String,
    /// Whether an empty `params` object is sent.
    pub empty_params: bool,
}

impl Default for RequestForm {
    fn default() -> Self {
        Self { id_prefix: "rootwise-".into(), empty_params: false }
    }
}
