//! Recovery of sessions: finds the session in which a project was last worked on, from records that the host loads out of
//! any store.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::path::uri::project_key;
use crate::path::{self, PathStyle};
use crate::peer::root_list::{URI_KEY, uri_key};
use crate::resolve::value::is_file_uri;

/// The session to find, and the sessions to search.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecoverRequest {
    /// The spelling of paths in the URIs.
    pub style: PathStyle,
    /// The id of the wanted session; it wins over everything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The project: its root URI, its path, or its key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The sessions the host knows, in any order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sessions: Vec<SessionRecord>,
}

/// A session as the host stores it; further fields are ignored.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionRecord {
    /// The session's id.
    pub id: String,
    /// The project it was started in: root URI, path or key; a session without one belongs to no project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The time of its last use, as a number of any unit; any other value counts as oldest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(type = "unknown", optional = nullable))]
    pub updated_at: Option<Box<RawValue>>,
    /// Whether it is the project's primary session.
    #[serde(default, skip_serializing_if = "crate::api::is_default")]
    pub pinned: bool,
    /// Whether it is found only by its id.
    #[serde(default, skip_serializing_if = "crate::api::is_default")]
    pub archived: bool,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Recovery {
    /// How the session was found, or why not.
    pub outcome: RecoveryOutcome,
    /// The session's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Whether the session was started in another project than the given one; worth a log line.
    pub other_project: bool,
    /// The project's sessions, best first, for a person who wants to choose.
    pub candidates: Vec<String>,
}

/// How a session was found, or why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RecoveryOutcome {
    /// By its id.
    Explicit,
    /// As the project's primary session.
    Pinned,
    /// As the project's newest session.
    Newest,
    /// No session has this id.
    UnknownId,
    /// The project has no session yet.
    NoSession,
    /// Neither an id nor a project was given: bind a root so that sessions can be found again.
    NoProject,
}

impl RecoveryOutcome {
    /// The stable code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Explicit => "explicit",
            Self::Pinned => "pinned",
            Self::Newest => "newest",
            Self::UnknownId => "unknown_id",
            Self::NoSession => "no_session",
            Self::NoProject => "no_project",
        }
    }
}

/// Finds a session: the one asked for, else the project's pinned one, else its newest.
///
/// Of several pinned sessions the newest counts. Sessions of the same age keep the order they were given in.
#[must_use]
pub fn recover_session(request: &RecoverRequest) -> Recovery {
    let key = request.project.as_deref().map(|project| identity(project, request.style));
    let belongs = |session: &SessionRecord| {
        let own = session.project.as_deref().map(|project| identity(project, request.style));
        own.is_some() && own == key
    };
    let belonging = request.sessions.iter().enumerate().filter(|(_, session)| !session.archived && belongs(session));
    // Equal sessions keep their order.
    let rank = |(at, session): &(usize, &SessionRecord)| (Reverse((session.pinned, last_use(session))), *at);
    let mut ranked: Vec<(usize, &SessionRecord)> = belonging.collect();
    ranked.sort_unstable_by_key(rank);
    let candidates: Vec<&SessionRecord> = ranked.into_iter().map(|(_, session)| session).collect();

    let found = match (&request.session_id, candidates.first()) {
        (Some(id), _) => {
            let session = request.sessions.iter().find(|session| session.id == *id);
            session.map_or(Err(RecoveryOutcome::UnknownId), |session| Ok((RecoveryOutcome::Explicit, session)))
        }
        (None, Some(first)) if first.pinned => Ok((RecoveryOutcome::Pinned, *first)),
        (None, Some(first)) => Ok((RecoveryOutcome::Newest, *first)),
        (None, None) if key.is_some() => Err(RecoveryOutcome::NoSession),
        (None, None) => Err(RecoveryOutcome::NoProject),
    };
    let (outcome, session) = match found {
        Ok((outcome, session)) => (outcome, Some(session)),
        Err(outcome) => (outcome, None),
    };
    Recovery {
        outcome,
        session_id: session.map(|session| session.id.clone()),
        other_project: key.is_some() && session.is_some_and(|session| session.project.is_some() && !belongs(session)),
        candidates: candidates.into_iter().map(|session| session.id.clone()).collect(),
    }
}

/// One form for all spellings of a project; a text that is neither a path nor a URI stands for itself, as keys do.
fn identity(project: &str, style: PathStyle) -> String {
    let key = if is_file_uri(project) { project_key(project, style) } else { path::key(project, style) };
    let is_uri = project.contains("://") && !project.starts_with(URI_KEY);
    key.unwrap_or_else(|_| if is_uri { uri_key(project) } else { project.into() })
}

/// The time of the last use, as a number: its whole part exactly, since a clock may count nanoseconds, then its fraction.
type LastUse = (i128, i64);

fn last_use(session: &SessionRecord) -> Option<LastUse> {
    let text = session.updated_at.as_ref()?.get();
    if let Ok(whole) = text.parse() {
        return Some((whole, 0));
    }
    let number: f64 = serde_json::from_str(text).ok()?;
    Some(split(number))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "the casts saturate, and only the order of the results counts"
)]
fn split(number: f64) -> LastUse {
    let whole = number as i128;
    (whole, ((number - whole as f64) * 1e9) as i64)
}
