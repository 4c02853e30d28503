//! The reasons for which a URI or a path is refused.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The reason for which a URI or a path is refused.
///
/// The message never repeats the refused text; [`code`](Self::code) is stable across releases.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Refusal {
    /// The text is not a `file:` URI.
    #[error("not a file URI")]
    NotFileUri,
    /// The path depends on a current directory.
    #[error("the path is relative")]
    Relative,
    /// The text names no path at all.
    #[error("the path is empty")]
    EmptyPath,
    /// A percent-encoded separator would turn one name into two.
    #[error("a name holds an encoded separator")]
    EncodedSeparator,
    /// The text holds a NUL, raw or percent-encoded.
    #[error("the text holds a NUL")]
    Nul,
    /// The URI holds a raw ASCII control character.
    #[error("the URI holds a raw control character")]
    Control,
    /// The URI starts or ends with a blank.
    #[error("the URI starts or ends with a blank")]
    OuterBlank,
    /// A `%` is not followed by two hexadecimal digits.
    #[error("a percent sign starts no valid escape")]
    MalformedPercent,
    /// The decoded bytes are not UTF-8.
    #[error("the decoded text is not UTF-8")]
    InvalidUtf8,
    /// The URI names another machine, which a POSIX path cannot express.
    #[error("the URI names another host")]
    RemoteHost,
    /// The host part is not a plain host name.
    #[error("the host is not valid")]
    InvalidHost,
    /// The URI has a query or a fragment, or an unencoded `?` or `#` in a name.
    #[error("the URI has a query or a fragment")]
    QueryOrFragment,
    /// A raw backslash stands where parsers disagree about its meaning.
    #[error("the URI holds a backslash")]
    Backslash,
    /// A Windows path has no drive and no share.
    #[error("the path names no drive")]
    NoDrive,
    /// A Windows path depends on the current directory of its drive.
    #[error("the path is relative to the current directory of a drive")]
    DriveRelative,
    /// A Windows drive stands where a POSIX path cannot have one.
    #[error("a drive where a posix path is expected")]
    DriveOnPosix,
    /// A name below a Windows root looks like a drive.
    #[error("a name looks like a drive")]
    DriveLikeComponent,
    /// A drive comes after other segments, if only dots.
    #[error("a drive comes after other segments")]
    DriveNotFirst,
    /// The path reaches a Windows device, pipe or raw volume.
    #[error("the path is in a device namespace")]
    DeviceNamespace,
    /// A UNC path lacks a usable host or share.
    #[error("the UNC path has no usable host and share")]
    BadUnc,
    /// Dot segments lead above the share of a UNC path.
    #[error("dot segments lead above the share")]
    UncEscape,
    /// A Windows URI has two slashes where its path starts.
    #[error("the path starts with two slashes")]
    LeadingDoubleSlash,
    /// A `..` has two readings, after an empty segment or next to blanks.
    #[error("a dot segment has two readings")]
    AmbiguousDots,
    /// The path leads out of the project.
    #[error("the path is outside the project")]
    Outside,
    /// A name selects a Windows alternate data stream.
    #[error("a name selects an alternate data stream")]
    AlternateStream,
}

impl Refusal {
    /// Returns the stable code.
    ///
    /// ```
    /// assert_eq!(rootwise::path::Refusal::Outside.code(), "outside");
    /// ```
    pub const fn code(self) -> &'static str {
        match self {
            Self::NotFileUri => "not_file_uri",
            Self::Relative => "relative",
            Self::EmptyPath => "empty_path",
            Self::EncodedSeparator => "encoded_separator",
            Self::Nul => "nul",
            Self::Control => "control",
            Self::OuterBlank => "outer_blank",
            Self::MalformedPercent => "malformed_percent",
            Self::InvalidUtf8 => "invalid_utf8",
            Self::RemoteHost => "remote_host",
            Self::InvalidHost => "invalid_host",
            Self::QueryOrFragment => "query_or_fragment",
            Self::Backslash => "backslash",
            Self::NoDrive => "no_drive",
            Self::DriveRelative => "drive_relative",
            Self::DriveOnPosix => "drive_on_posix",
            Self::DriveLikeComponent => "drive_like_component",
            Self::DriveNotFirst => "drive_not_first",
            Self::DeviceNamespace => "device_namespace",
            Self::BadUnc => "bad_unc",
            Self::UncEscape => "unc_escape",
            Self::LeadingDoubleSlash => "leading_double_slash",
            Self::AmbiguousDots => "ambiguous_dots",
            Self::Outside => "outside",
            Self::AlternateStream => "alternate_stream",
        }
    }
}
