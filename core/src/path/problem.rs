//! What a host finds wrong with a path that a tool names.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use serde::Deserialize;

use super::display::display;
use crate::api::reason::Reason;
use crate::api::style::PathStyle;
use crate::texts::fill;
use crate::texts::roots::MORE;

/// Characters of one value, and of a list of values.
const MAX_CHARS: usize = 1_024;

/// The folders that are allowed, where there are none.
const NONE_ALLOWED: &str = "The path is outside the allowed folders: none is allowed.";

/// A problem with a path that a tool names: what a host finds when it checks the path on its disk. Its text is the same in
/// every language.
///
/// ```
/// use rootwise::path::PathProblem;
///
/// let problem = PathProblem::outside(["/work/app"]);
/// assert_eq!(problem.reason(), rootwise::Reason::Outside);
/// assert!(problem.to_string().contains("/work/app"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "problem", rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub enum PathProblem {
    /// It is empty or contains a null character.
    Empty,
    /// It is longer than any path of its system.
    TooLong {
        /// Its characters.
        length: usize,
        /// How paths are spelled on this machine.
        style: PathStyle,
    },
    /// It is relative, and there is no folder to start from.
    Relative,
    /// It is outside every allowed folder.
    Outside {
        /// The allowed folders.
        folders: Vec<String>,
    },
    /// It contains a link whose target does not exist, and which could lead anywhere by the time it is used.
    LinkToNowhere,
    /// It led to another place whenever it was examined.
    Changing,
    /// It leads to a name that is not UTF-8.
    NotUtf8,
    /// The system refused to examine it.
    Unreadable {
        /// The system's word for it.
        error: String,
    },
    /// The disk did not answer in time.
    NoAnswer,
}

impl PathProblem {
    /// A path outside these folders.
    pub fn outside<F: Into<String>>(folders: impl IntoIterator<Item = F>) -> Self {
        Self::Outside { folders: folders.into_iter().map(Into::into).collect() }
    }

    /// The stable reason.
    #[must_use]
    pub const fn reason(&self) -> Reason {
        match self {
            Self::Empty | Self::TooLong { .. } => Reason::Invalid,
            Self::Relative => Reason::Relative,
            Self::Outside { .. } | Self::LinkToNowhere => Reason::Outside,
            Self::Changing | Self::NotUtf8 | Self::Unreadable { .. } => Reason::Unreadable,
            Self::NoAnswer => Reason::Unconfirmed,
        }
    }

    /// Characters of the longest path that a system takes.
    ///
    /// ```
    /// assert_eq!(rootwise::path::PathProblem::longest(rootwise::PathStyle::Posix), 4_096);
    /// ```
    #[must_use]
    pub const fn longest(style: PathStyle) -> usize {
        match style {
            PathStyle::Posix => 4_096,
            PathStyle::Windows => 32_767,
        }
    }
}

impl fmt::Display for PathProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = text(self);
        formatter.write_str(&match self {
            Self::TooLong { length, style } => {
                let (length, most) = (length.to_string(), Self::longest(*style).to_string());
                fill(text, &[("length", &length), ("most", &most)])
            }
            Self::Outside { folders } if folders.is_empty() => NONE_ALLOWED.to_string(),
            Self::Outside { folders } => fill(text, &[("folders", &list(folders))]),
            Self::Unreadable { error } => fill(text, &[("error", &display(error, MAX_CHARS))]),
            _ => text.to_string(),
        })
    }
}

/// Values as safe text, as many as fit; the rest are counted.
fn list(values: &[String]) -> String {
    let mut fitting: Vec<String> = Vec::new();
    let mut room = MAX_CHARS;
    for value in values {
        let text = display(value, MAX_CHARS);
        let size = text.chars().count().saturating_add(2);
        if size > room && !fitting.is_empty() {
            break;
        }
        room = room.saturating_sub(size);
        fitting.push(text);
    }
    let rest = values.len().saturating_sub(fitting.len());
    if rest > 0 {
        fitting.push(fill(MORE, &[("count", &rest.to_string())]));
    }
    fitting.join(", ")
}

/// The text of a problem, with `{folders}`, `{length}`, `{most}` and `{error}` to fill in.
const fn text(problem: &PathProblem) -> &'static str {
    match problem {
        PathProblem::Empty => "The path is empty or contains a null character.",
        PathProblem::TooLong { .. } => {
            "The path has {length} characters, and no path of this system has more than {most}; pass a shorter one."
        }
        PathProblem::Relative => "The path is relative; pass an absolute path.",
        PathProblem::Outside { .. } => {
            "The path is outside the allowed folders, which are {folders}. Pass a path inside one of them."
        }
        PathProblem::LinkToNowhere => "The path contains a link that leads nowhere.",
        PathProblem::Changing => "The path changes while it is examined; try again.",
        PathProblem::NotUtf8 => "The path leads to a folder or file whose name is not UTF-8.",
        PathProblem::Unreadable { .. } => "The path cannot be examined ({error}).",
        PathProblem::NoAnswer => "The disk did not answer in time; try again, or pass a path on another disk.",
    }
}
