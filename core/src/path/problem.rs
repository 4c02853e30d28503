//! What a host finds wrong with a path that a tool names.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use serde::Deserialize;

use super::display::display;
use super::refusal::Refusal;
use crate::api::reason::Reason;
use crate::api::style::PathStyle;
use crate::texts::roots::MORE;
use crate::texts::{fill, path as texts};

/// Characters of one value, and of a list of values.
const MAX_CHARS: usize = 1_024;

/// Characters of a value beside others.
const MAX_SHOWN: usize = 256;

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
#[serde(tag = "problem", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
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
    LinkToNowhere {
        /// The part of the path that is the link.
        part: String,
        /// The target.
        leads_to: String,
    },
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
    /// The project has no folder on this machine.
    NoFolder {
        /// Its folder on the client's machine, if it has one.
        #[serde(default)]
        client_path: Option<String>,
    },
    /// The folder of the project does not exist.
    ProjectMissing {
        /// The folder.
        project: String,
    },
    /// A part of the path leads out of the project: by `..`, because it is absolute, or by a link.
    OutsideProject {
        /// The part, as far as it leads out.
        part: String,
        /// Where it leads.
        leads_to: String,
        /// The folder of the project.
        project: String,
    },
    /// A part of the path is a file, so that nothing can be below it.
    NotAFolder {
        /// The part.
        part: String,
    },
    /// It is spelled for another operating system than this one.
    OtherSystem,
    /// It has no single safe reading.
    NoReading {
        /// The path.
        part: String,
        /// Why.
        refusal: Refusal,
    },
}

/// The codes with which a path itself is refused, so that it is not inside; with every other code, nobody knows.
///
/// ```
/// let codes = rootwise::path::not_inside();
/// assert!(codes.contains(&"outside") && !codes.contains(&"closed"));
/// ```
#[must_use]
pub fn not_inside() -> Vec<&'static str> {
    let mut codes: Vec<_> = REFUSES_PATH.iter().map(|reason| reason.code()).collect();
    codes.push(NO_ROOTS);
    codes
}

/// The code of a client that has no usable root.
const NO_ROOTS: &str = "no_roots";

const REFUSES_PATH: [Reason; 6] = [
    Reason::Outside,
    Reason::Invalid,
    Reason::NotFileUri,
    Reason::OtherSystem,
    Reason::NotDirectory,
    Reason::Unreadable,
];

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
            Self::Outside { .. } | Self::OutsideProject { .. } | Self::LinkToNowhere { .. } => Reason::Outside,
            Self::NoFolder { client_path: Some(_) } => Reason::OtherMachine,
            Self::NoFolder { client_path: None } => Reason::NoPath,
            Self::ProjectMissing { .. } => Reason::Missing,
            Self::NotAFolder { .. } => Reason::NotDirectory,
            Self::OtherSystem => Reason::OtherSystem,
            Self::NoReading { refusal: Refusal::NotFileUri, .. } => Reason::NotFileUri,
            Self::NoReading { .. } => Reason::Invalid,
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
        let text = template(self);
        formatter.write_str(&match self {
            Self::TooLong { length, style } => {
                let (length, most) = (length.to_string(), Self::longest(*style).to_string());
                fill(text, &[("length", &length), ("most", &most)])
            }
            Self::Outside { folders } if folders.is_empty() => texts::NONE_ALLOWED.to_string(),
            Self::Outside { folders } => fill(text, &[("folders", &list(folders))]),
            Self::Unreadable { error } => fill(text, &[("error", &display(error, MAX_CHARS))]),
            Self::NoFolder { client_path: Some(folder) } => fill(text, &[("folder", &shown(folder))]),
            Self::ProjectMissing { project } => fill(text, &[("folder", &shown(project))]),
            Self::OutsideProject { part, leads_to, project } => {
                let values = [("part", &*shown(part)), ("to", &shown(leads_to)), ("folder", &shown(project))];
                fill(text, &values)
            }
            Self::LinkToNowhere { part, leads_to } => fill(text, &[("part", &*shown(part)), ("to", &shown(leads_to))]),
            Self::NotAFolder { part } => fill(text, &[("part", &shown(part))]),
            Self::NoReading { part, refusal } => {
                fill(text, &[("part", &*shown(part)), ("error", &refusal.to_string())])
            }
            _ => text.to_string(),
        })
    }
}

/// One value as safe text, short enough that a sentence with three of them can be read.
fn shown(value: &str) -> String {
    display(value, MAX_SHOWN)
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

/// The text of a problem, with its values to fill in.
const fn template(problem: &PathProblem) -> &'static str {
    match problem {
        PathProblem::Empty => texts::EMPTY,
        PathProblem::TooLong { .. } => texts::TOO_LONG,
        PathProblem::Relative => texts::RELATIVE,
        PathProblem::Outside { .. } => texts::OUTSIDE,
        PathProblem::LinkToNowhere { .. } => texts::LINK_TO_NOWHERE,
        PathProblem::Changing => texts::CHANGING,
        PathProblem::NotUtf8 => texts::NOT_UTF8,
        PathProblem::Unreadable { .. } => texts::UNREADABLE,
        PathProblem::NoFolder { client_path: None } => texts::NO_FOLDER,
        PathProblem::NoFolder { client_path: Some(_) } => texts::FOLDER_ELSEWHERE,
        PathProblem::ProjectMissing { .. } => texts::PROJECT_MISSING,
        PathProblem::OutsideProject { .. } => texts::OUTSIDE_PROJECT,
        PathProblem::NotAFolder { .. } => texts::NOT_A_FOLDER,
        PathProblem::OtherSystem => texts::OTHER_SYSTEM,
        PathProblem::NoReading { .. } => texts::NO_READING,
        PathProblem::NoAnswer => texts::NO_ANSWER,
    }
}
