//! The reasons for which a value is rejected or an ask has no project.

use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};
use serde::{Deserialize, Serialize};

/// The reason for which a value is rejected or an ask has no project; the serialised form is the stable code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reason {
    /// No source named a project.
    #[error("no source named a project")]
    NoProject,
    /// The client has several roots and the policy accepts only a single one, or several roots have the name that was given.
    #[error("the client has several roots and none was chosen")]
    Ambiguous,
    /// The connection closed while the ask waited.
    #[error("the connection closed")]
    Closed,
    /// The client cancelled the call, or its stream broke.
    #[error("the call was cancelled")]
    Cancelled,
    /// The call that asked is over.
    #[error("the call is over")]
    CallOver,
    /// The value is a template that the client should have expanded, such as `${workspaceFolder}`.
    #[error("the value is an unexpanded template")]
    Placeholder,
    /// The path is relative where only absolute paths are accepted.
    #[error("the path is relative")]
    Relative,
    /// The URI or path has no single safe reading.
    #[error("the value has no single safe reading")]
    Invalid,
    /// The URI has another scheme than `file`.
    #[error("the value is not a file URI")]
    NotFileUri,
    /// The value exceeds the limit.
    #[error("the value is too long")]
    TooLong,
    /// The path does not exist.
    #[error("the path does not exist")]
    Missing,
    /// The path is not a folder.
    #[error("the path is not a folder")]
    NotDirectory,
    /// The host may not read the path.
    #[error("the path cannot be read")]
    Unreadable,
    /// The host did not report in time whether the path exists.
    #[error("the path was not confirmed in time")]
    Unconfirmed,
    /// The path is outside the folders the operator allows.
    #[error("the path is outside the allowed folders")]
    Outside,
    /// The folder is on the client's machine, which is another one, and the policy requires a folder on this one.
    #[error("the folder is on another machine")]
    OtherMachine,
    /// The path is spelled for another operating system than the host's, such as `C:\x` on a POSIX host.
    #[error("the path is for another operating system")]
    OtherSystem,
    /// The project is a mere name, and the policy requires a folder.
    #[error("the project has no folder")]
    NoPath,
    /// The folder is never a project by itself, such as `/` or the home folder.
    #[error("the folder is excluded")]
    ExcludedDir,
    /// The path has no last component to take a name from.
    #[error("the path has no name")]
    Nameless,
    /// Neither the folder nor one above it has a project marker.
    #[error("no project marker was found")]
    NoMarker,
    /// The name breaks the policy's rule for names.
    #[error("the name is not valid")]
    InvalidName,
    /// The selection is empty.
    #[error("the value is empty")]
    Empty,
    /// The path contains `..` where the policy refuses it.
    #[error("the path contains `..`")]
    Traversal,
    /// The project is not among the client's roots.
    #[error("the project is not among the client's roots")]
    NotInRoots,
    /// The connection's project is pinned permanently.
    #[error("the connection's project is fixed")]
    Immutable,
    /// The policy has no source for selections, or it is off.
    #[error("this server does not let a tool select the project")]
    SelectionOff,
    /// Several clients share the connection, and their calls cannot be told apart.
    #[error("several clients share this connection")]
    SeveralClients,
    /// The connection keeps no state: the caller must pass the project with every call.
    #[error("the project must be passed with every call")]
    PassEachCall,
}

impl Reason {
    /// The stable code.
    ///
    /// ```
    /// assert_eq!(rootwise::Reason::NotInRoots.code(), "not_in_roots");
    /// ```
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::NoProject => "no_project",
            Self::Ambiguous => "ambiguous",
            Self::Closed => "closed",
            Self::Cancelled => "cancelled",
            Self::CallOver => "call_over",
            Self::Placeholder => "placeholder",
            Self::Relative => "relative",
            Self::Invalid => "invalid",
            Self::NotFileUri => "not_file_uri",
            Self::TooLong => "too_long",
            Self::Missing => "missing",
            Self::NotDirectory => "not_directory",
            Self::Unreadable => "unreadable",
            Self::Unconfirmed => "unconfirmed",
            Self::Outside => "outside",
            Self::OtherMachine => "other_machine",
            Self::OtherSystem => "other_system",
            Self::NoPath => "no_path",
            Self::ExcludedDir => "excluded_dir",
            Self::Nameless => "nameless",
            Self::NoMarker => "no_marker",
            Self::InvalidName => "invalid_name",
            Self::Empty => "empty",
            Self::Traversal => "traversal",
            Self::NotInRoots => "not_in_roots",
            Self::Immutable => "immutable",
            Self::SelectionOff => "selection_off",
            Self::SeveralClients => "several_clients",
            Self::PassEachCall => "pass_each_call",
        }
    }

    /// The reason with this code.
    ///
    /// ```
    /// use rootwise::Reason;
    ///
    /// assert_eq!(Reason::from_code("missing"), Some(Reason::Missing));
    /// assert_eq!(Reason::Missing.code(), "missing");
    /// assert_eq!(Reason::from_code("else"), None);
    /// ```
    #[must_use]
    pub fn from_code(code: &str) -> Option<Self> {
        let code: StrDeserializer<'_, Error> = code.into_deserializer();
        Self::deserialize(code).ok()
    }
}
