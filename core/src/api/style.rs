//! The spelling of paths.

use serde::{Deserialize, Serialize};

/// The rules by which a path is read.
///
/// ```
/// use rootwise::PathStyle;
///
/// let here = if cfg!(windows) { PathStyle::Windows } else { PathStyle::Posix };
/// assert_eq!(PathStyle::native(), here);
/// assert_eq!(PathStyle::of(r"C:\code\app"), PathStyle::Windows);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "every path is read by one of the two")]
pub enum PathStyle {
    /// One root, `/` between names.
    Posix,
    /// Drives and UNC shares, `\` or `/` between names.
    Windows,
}

#[cfg(feature = "std")]
impl PathStyle {
    /// The style of the system this code was built for.
    #[must_use]
    pub const fn native() -> Self {
        if cfg!(windows) { Self::Windows } else { Self::Posix }
    }
}
