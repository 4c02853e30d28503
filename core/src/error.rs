//! The errors of the crate. Peer faults are data, never errors: see [`Reason`](crate::Reason).

use alloc::format;
use alloc::string::{String, ToString};

use serde::Deserialize;

use crate::id::{AskId, CallId, ChannelId, ProbeId, SessionId};
use crate::path::display::display;

mod place;

pub(crate) use place::{Refusal, place};

/// A mistake of the host in calling [`Resolver::handle`](crate::Resolver::handle); the resolver is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Misuse {
    /// An ask, a selection or a clearing arrived after the connection closed.
    #[error("ask {0} came after the connection closed; create a new resolver for a new connection")]
    Closed(AskId),
    /// An ask has the id of an ask that still waits.
    #[error("ask {0} is still waiting; give every ask its own id until it is answered")]
    DuplicateAsk(AskId),
    /// A session was opened that is open.
    #[error("session {0} is open already; give every session its own id until it is closed")]
    DuplicateSession(SessionId),
    /// A call was started that has not ended.
    #[error("call {0} has not ended; give every call its own id until it ends")]
    DuplicateCall(CallId),
    /// A channel was opened that is open, or that belongs to another session.
    #[error("channel {0} is in use; give every channel its own id until it is closed")]
    DuplicateChannel(ChannelId),
    /// A probe reply has an id that was never issued.
    #[error("probe {0} was never requested; repeat the id of the probe action")]
    UnknownProbe(ProbeId),
    /// An event exceeds the limit.
    #[error("the event has {bytes} bytes and the limit is {limit}; bound peer input before passing it on")]
    EventTooLarge {
        /// Size of the event.
        bytes: usize,
        /// The limit in force.
        limit: u32,
    },
    /// The text is not an event.
    #[error("not an event at {place}: {problem}")]
    BadEvent {
        /// The field, as a path from the top.
        place: String,
        /// The problem; never repeats a value or a key of the peer.
        problem: String,
    },
    /// The new host facts are invalid, or an ask names an argument that the policy does not read.
    #[error(transparent)]
    HostFacts(#[from] ConfigError),
    /// The saved state of a session is not usable.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
}

impl Misuse {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Closed(_) => "closed",
            Self::DuplicateAsk(_) => "duplicate_ask",
            Self::DuplicateSession(_) => "duplicate_session",
            Self::DuplicateCall(_) => "duplicate_call",
            Self::DuplicateChannel(_) => "duplicate_channel",
            Self::UnknownProbe(_) => "unknown_probe",
            Self::EventTooLarge { .. } => "event_too_large",
            Self::BadEvent { .. } => "bad_event",
            Self::HostFacts(error) => error.code(),
            Self::Snapshot(error) => error.code(),
        }
    }

    /// Both texts are made safe to show: the name of a field may be anything.
    pub(crate) fn bad_event(place: impl Into<String>, problem: impl Into<String>) -> Self {
        let ConfigError { place, problem } = ConfigError::new(place, problem);
        Self::BadEvent { place, problem }
    }
}

/// A policy or host facts that are invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("bad options at {place}: {problem}")]
#[non_exhaustive]
pub struct ConfigError {
    /// The field, as a path from the top.
    pub place: String,
    /// The problem and what is expected.
    pub problem: String,
}

impl ConfigError {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        "bad_options"
    }

    /// An error in the options of a host, with the place and the problem. Both may repeat what a file or a caller wrote, and
    /// are made safe to show.
    ///
    /// ```
    /// use rootwise::ConfigError;
    ///
    /// let error = ConfigError::new("allowedDirs[0]", "must be an absolute path");
    /// assert_eq!(error.to_string(), "bad options at allowedDirs[0]: must be an absolute path");
    /// assert_eq!(error.code(), "bad_options");
    /// ```
    pub fn new(place: impl Into<String>, problem: impl Into<String>) -> Self {
        let shown = |text: String| display(&text, SHOWN_CHARS);
        Self { place: shown(place.into()), problem: shown(problem.into()) }
    }
}

/// Characters of a place or a problem.
const SHOWN_CHARS: usize = 1024;

/// Parses JSON that a host wrote; the error names the field.
pub(crate) fn parse_json<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, ConfigError> {
    read(text).map_err(|error| unreadable(text, &error, &refusal::<T>))
}

fn unreadable<'a>(text: &'a str, error: &serde_json::Error, read: Refusal<'_, 'a>) -> ConfigError {
    if error.is_syntax() || error.is_eof() {
        let place = format!("line {} column {}", error.line(), error.column());
        return ConfigError::new(place, format!("not JSON: {error}"));
    }
    let place = place(text, error, read);
    ConfigError::new(if place == "." { "the top".into() } else { place }, error.to_string())
}

/// Reads JSON. There is one reader of each type, because it is the largest part of a WebAssembly module.
#[inline(never)]
pub(crate) fn read<'a, T: Deserialize<'a>>(text: &'a str) -> serde_json::Result<T> {
    serde_json::from_str(text)
}

/// The error of reading a text, for [`place()`].
pub(crate) fn refusal<'a, T: Deserialize<'a>>(text: &'a str) -> Option<serde_json::Error> {
    read::<T>(text).err()
}

/// A snapshot that cannot be restored. Start a fresh resolver instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The text is damaged or not a snapshot.
    #[error("not a usable snapshot: it is damaged, or not a snapshot; start a fresh resolver instead")]
    Damaged,
    /// Another version of the format wrote it.
    #[error("not a usable snapshot: it has another version; start a fresh resolver instead")]
    Version,
    /// It was saved under a policy with another name, other sources or another pin rule.
    #[error("not a usable snapshot: it belongs to another policy; start a fresh resolver instead")]
    OtherPolicy,
    /// It is not sealed with the key of this host, or it is sealed and the host has no key.
    #[error("not a usable snapshot: it is not sealed with the key that was given; start a fresh resolver instead")]
    Seal,
    /// A part of the state contradicts the rest or breaks a limit.
    #[error("not a usable snapshot: {0} is inconsistent; start a fresh resolver instead")]
    Impossible(&'static str),
    /// The options given with it are invalid.
    #[error(transparent)]
    Config(#[from] ConfigError),
}

impl SnapshotError {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Damaged | Self::Version | Self::OtherPolicy | Self::Seal | Self::Impossible(_) => "bad_snapshot",
            Self::Config(error) => error.code(),
        }
    }
}
