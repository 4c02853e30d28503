//! The client's roots: when they are asked for, which one counts, and what a change does.

use alloc::string::String;
use alloc::vec::Vec;

use super::BadOutcome;
use crate::form::{fields, names};

/// How the client's roots are asked for and picked from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub struct RootsRules {
    /// When to ask.
    pub ask: Ask,
    /// Whether only a client that declared roots is asked.
    pub require_capability: bool,
    /// Which root counts.
    pub pick: Pick,
    /// What an unusable root does.
    pub on_unusable: OnUnusable,
    /// What a root that is no `file:` URI does.
    pub non_file: NonFile,
    /// What an absolute path in place of a URI is.
    pub bare_paths: BarePaths,
    /// What a root that is a file stands for.
    pub files: Files,
    /// Whether several roots end the ask, where `pick` is `only`, or give way to the next source.
    pub ambiguity: BadOutcome,
    /// What a change does.
    pub on_change: OnChange,
    /// What a change does while a request is in flight.
    pub while_asking: WhileAsking,
    /// After how long a list is asked for again.
    pub max_age_ms: Option<u32>,
    /// After how long an empty list is asked for again.
    pub empty_max_age_ms: Option<u32>,
    /// How the requests look.
    #[cfg_attr(feature = "ts", ts(optional = nullable, type = "Partial<RequestForm>"))]
    pub request: RequestForm,
    /// Which errors mean that the client has no roots method.
    #[cfg_attr(feature = "ts", ts(optional = nullable, type = "Partial<UnsupportedErrors>"))]
    pub unsupported: UnsupportedErrors,
}

fields!(RootsRules by default: ask, require_capability, pick, on_unusable, non_file, bare_paths, files, ambiguity, on_change, while_asking, max_age_ms, empty_max_age_ms, request, unsupported);

impl Default for RootsRules {
    fn default() -> Self {
        Self {
            ask: Ask::Lazy,
            require_capability: true,
            pick: Pick::First,
            on_unusable: OnUnusable::NextRoot,
            non_file: NonFile::Skip,
            bare_paths: BarePaths::Refuse,
            files: Files::Parent,
            ambiguity: BadOutcome::Error,
            on_change: OnChange::Refetch,
            while_asking: WhileAsking::Coalesce,
            max_age_ms: None,
            empty_max_age_ms: Some(30_000),
            request: RequestForm::default(),
            unsupported: UnsupportedErrors::default(),
        }
    }
}

/// When roots are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub enum Ask {
    /// As soon as the client is ready.
    Eager,
    /// When an ask needs them.
    Lazy,
    /// Anew for every ask that needs them.
    EachRequest,
    /// Never: a list comes only from the host.
    Never,
}

names!(Ask: Eager, Lazy, EachRequest, Never);

/// Which root counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub enum Pick {
    /// The one that contains what the ask is about, else the first.
    First,
    /// The only one there is.
    Only,
    /// The one a tool selects.
    Chosen,
}

names!(Pick: First, Only, Chosen);

/// What an unusable root does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub enum OnUnusable {
    /// It is taken although the disk says otherwise.
    Accept,
    /// The next root is looked at.
    NextRoot,
    /// The next source is looked at.
    NextSource,
    /// The ask ends with an error.
    Error,
}

names!(OnUnusable: Accept, NextRoot, NextSource, Error);

/// What a root that is no `file:` URI does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub enum NonFile {
    /// The next root is looked at.
    Skip,
    /// The next source is looked at.
    NextSource,
    /// The ask ends with an error.
    Error,
    /// It is a project without a path, named by its last segment.
    NameOnly,
}

names!(NonFile: Skip, NextSource, Error, NameOnly);

/// What an absolute path in place of a URI is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub enum BarePaths {
    /// A path, with a notice.
    Repair,
    /// No root.
    Refuse,
}

names!(BarePaths: Repair, Refuse);

/// What a root that is a file stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub enum Files {
    /// The folder it is in.
    Parent,
    /// Nothing.
    Refuse,
}

names!(Files: Parent, Refuse);

/// What `list_changed` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub enum OnChange {
    /// Nothing.
    Ignore,
    /// The next ask that needs roots asks again.
    Invalidate,
    /// Roots are asked for again at once, where the host may push; else as `invalidate`.
    Refetch,
}

names!(OnChange: Ignore, Invalidate, Refetch);

/// What `list_changed` does while a request is in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub enum WhileAsking {
    /// One more request follows.
    Coalesce,
    /// It is dropped.
    Drop,
}

names!(WhileAsking: Coalesce, Drop);

/// How requests for roots look.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub struct RequestForm {
    /// What precedes the number in a request id; an empty prefix makes the id a number.
    pub id_prefix: String,
    /// Whether an empty `params` object is sent.
    pub empty_params: bool,
}

fields!(RequestForm by default: id_prefix, empty_params);

impl Default for RequestForm {
    fn default() -> Self {
        Self { id_prefix: "rootwise-".into(), empty_params: false }
    }
}

/// Which errors mean that the client has no roots method.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub struct UnsupportedErrors {
    /// These codes do.
    pub codes: Vec<i64>,
    /// So do messages that contain one of these, in any ASCII case.
    pub messages: Vec<String>,
}

fields!(UnsupportedErrors by default: codes, messages);

impl Default for UnsupportedErrors {
    fn default() -> Self {
        let messages = ["not supported", "unsupported", "method not found", "unknown method", "not implemented"];
        Self { codes: [-32601].into(), messages: messages.map(String::from).into() }
    }
}
