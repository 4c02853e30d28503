//! Reasons (what is wrong with a value, or why there is no project) and misuse (what the host did wrong).

use alloc::string::String;

use crate::read::Fault;
use crate::write::{Written, quote};

/// Why a value is not taken or an ask has no project; the serialised form is the stable code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Reason {
    /// No source named a project.
    NoProject,
    /// The client has several roots and the policy takes only a single one.
    Ambiguous,
    /// The client has roots and the policy leaves the choice to a tool.
    NotChosen,
    /// The connection closed while the ask waited.
    Closed,
    /// A template that the client should have filled in, such as `${workspaceFolder}`.
    Placeholder,
    /// A relative path where only an absolute one is taken.
    Relative,
    /// A URI or path that has no single safe reading.
    Invalid,
    /// A URI of another scheme than `file`.
    NotFileUri,
    /// Longer than the limit.
    TooLong,
    /// Nothing is there.
    Missing,
    /// Something other than a folder is there.
    NotDirectory,
    /// The host may not look there.
    Unreadable,
    /// The host did not say in time what is there.
    Unconfirmed,
    /// Outside the folders the operator allows.
    Outside,
    /// A place that is nobody's project, such as `/` or the home folder.
    ExcludedDir,
    /// A path without a last component to take a name from.
    Nameless,
    /// No project marker was found there or above.
    NoMarker,
    /// A name that breaks the policy's rule for names.
    InvalidName,
    /// A selection by an empty value.
    Empty,
    /// A `..` where the policy refuses it.
    Traversal,
    /// Not among the client's roots.
    NotInRoots,
    /// The client's roots, which it should be among, cannot be had.
    NoRoots,
    /// The project of this connection is fixed.
    Immutable,
    /// A selection on a connection that keeps nothing: the value belongs on every call.
    PassEachCall,
}

macro_rules! codes {
    ($($variant:ident => $code:literal,)*) => {
        impl Reason {
            /// The stable code.
            #[must_use]
            pub const fn code(self) -> &'static str {
                match self {
                    $(Self::$variant => $code,)*
                }
            }

            pub(crate) fn from_code(code: &str) -> Option<Self> {
                [$(Self::$variant),*].into_iter().find(|reason| reason.code() == code)
            }
        }
    };
}

codes! {
    NoProject => "no_project",
    Ambiguous => "ambiguous",
    NotChosen => "not_chosen",
    Closed => "closed",
    Placeholder => "placeholder",
    Relative => "relative",
    Invalid => "invalid",
    NotFileUri => "not_file_uri",
    TooLong => "too_long",
    Missing => "missing",
    NotDirectory => "not_directory",
    Unreadable => "unreadable",
    Unconfirmed => "unconfirmed",
    Outside => "outside",
    ExcludedDir => "excluded_dir",
    Nameless => "nameless",
    NoMarker => "no_marker",
    InvalidName => "invalid_name",
    Empty => "empty",
    Traversal => "traversal",
    NotInRoots => "not_in_roots",
    NoRoots => "no_roots",
    Immutable => "immutable",
    PassEachCall => "pass_each_call",
}

/// What the host did wrong; the resolver is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Misuse {
    /// An ask, a selection or a clearing after the connection closed.
    #[error("ask {0} came after the connection closed; make a new resolver for a new connection")]
    Closed(u32),
    /// An ask with the id of one that still waits.
    #[error("ask {0} is still waiting; give every ask an id of its own until it is answered")]
    DuplicateAsk(u32),
    /// A probe reply with an id that was never given out.
    #[error("probe {0} was never asked for; repeat the id of the probe action")]
    UnknownProbe(u32),
    /// An event larger than the limit.
    #[error("the event has {bytes} bytes and the limit is {limit}; cut peer input off before passing it on")]
    EventTooLarge {
        /// Size of the event.
        bytes: usize,
        /// The limit in force.
        limit: u32,
    },
    /// Wire text that is no event.
    #[error("not an event at {place}: {problem}")]
    BadEvent {
        /// Where in the text.
        place: String,
        /// What is wrong, without peer text.
        problem: String,
    },
    /// A policy or host facts that cannot work.
    #[error("bad options at {place}: {problem}")]
    BadOptions {
        /// The field, as a path from the top.
        place: String,
        /// What is wrong and what is expected.
        problem: String,
    },
    /// A snapshot that is damaged, foreign or of another version.
    #[error("not a usable snapshot: {0}; start a fresh resolver instead")]
    BadSnapshot(&'static str),
}

impl Written for Reason {
    fn write(&self, out: &mut String) {
        quote(self.code(), out);
    }
}

impl From<Fault> for Misuse {
    fn from(Fault { place, problem }: Fault) -> Self {
        let place = if place.is_empty() { "the top".into() } else { place };
        Self::BadOptions { place, problem }
    }
}

impl Misuse {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Closed(_) => "closed",
            Self::DuplicateAsk(_) => "duplicate_ask",
            Self::UnknownProbe(_) => "unknown_probe",
            Self::EventTooLarge { .. } => "event_too_large",
            Self::BadEvent { .. } => "bad_event",
            Self::BadOptions { .. } => "bad_options",
            Self::BadSnapshot(_) => "bad_snapshot",
        }
    }
}
