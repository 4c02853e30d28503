//! The kinds of sources a project can come from.

use core::fmt;

use serde::{Deserialize, Serialize};

/// The kinds of sources.
///
/// ```
/// use rootwise::policy::SourceKind;
///
/// assert_eq!(SourceKind::Header.name(), "header");
/// assert!(SourceKind::Header.is_per_request() && !SourceKind::Roots.is_per_request());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum SourceKind {
    /// The server's own knowledge of the caller.
    Server,
    /// An argument of the call.
    Argument,
    /// An HTTP header.
    Header,
    /// An HTTP query parameter.
    Query,
    /// A `_meta` entry.
    Meta,
    /// A tool's selection.
    Selected,
    /// The command line, or the server's own variable.
    Configured,
    /// The client's roots.
    Roots,
    /// The last project of this connection.
    Remembered,
    /// A variable that the client sets.
    Env,
    /// The server's working directory.
    Cwd,
}

impl SourceKind {
    /// Every kind, in the order of the recommended policy.
    pub(crate) const ALL: [Self; 11] = [
        Self::Server,
        Self::Argument,
        Self::Header,
        Self::Query,
        Self::Meta,
        Self::Selected,
        Self::Configured,
        Self::Roots,
        Self::Remembered,
        Self::Env,
        Self::Cwd,
    ];

    /// The name in JSON and in texts.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Argument => "argument",
            Self::Header => "header",
            Self::Query => "query",
            Self::Meta => "meta",
            Self::Selected => "selected",
            Self::Configured => "configured",
            Self::Roots => "roots",
            Self::Remembered => "remembered",
            Self::Env => "env",
            Self::Cwd => "cwd",
        }
    }

    /// Whether it belongs to one request, and never to the connection.
    #[must_use]
    pub const fn is_per_request(self) -> bool {
        matches!(self, Self::Server | Self::Argument | Self::Header | Self::Query | Self::Meta)
    }
}

impl fmt::Display for SourceKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
