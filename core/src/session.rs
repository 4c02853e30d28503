//! Recovery of sessions: finds the session in which a project was last worked on, from records that the host loads out of
//! any store.

mod timestamp;

use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;

use serde::{Deserialize, Serialize};

use crate::error::ConfigError;
use crate::path::uri::{is_file_uri, project_key};
use crate::path::{self, PathStyle};
use crate::peer::root_list::{URI_KEY, uri_key};

pub use timestamp::Timestamp;

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
    /// Sessions last used before this time count as archived, unless they are pinned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archived_before: Option<Timestamp>,
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
    /// Other projects in which it is found as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub linked_projects: Vec<String>,
    /// The time of its last use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub updated_at: Option<Timestamp>,
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
    /// As the first of the project's sessions, none of which has a time.
    Undated,
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
            Self::Undated => "undated",
            Self::UnknownId => "unknown_id",
            Self::NoSession => "no_session",
            Self::NoProject => "no_project",
        }
    }
}

/// Finds a session: the one asked for, else the project's pinned one, else its newest.
///
/// Of several pinned sessions the newest counts. Sessions of the same age keep the order they were given in; those without
/// a time come last.
///
/// # Errors
/// Some times are numbers and some are texts, so that nobody can say which is newer.
pub fn recover_session(request: &RecoverRequest) -> Result<Recovery, ConfigError> {
    check_times(request)?;
    let key = request.project.as_deref().map(|project| identity(project, request.style));
    let belongs = |session: &SessionRecord| {
        let mut own = session.project.iter().chain(&session.linked_projects);
        key.as_ref().is_some_and(|key| own.any(|project| identity(project, request.style) == *key))
    };
    let archived = |session: &SessionRecord| {
        let too_old = match (session.last_use(), &request.archived_before) {
            (Some(used), Some(before)) => used < before.instant(),
            _ => false,
        };
        session.archived || (too_old && !session.pinned)
    };
    let belonging = request.sessions.iter().enumerate().filter(|(_, session)| !archived(session) && belongs(session));
    // Equal sessions keep their order.
    let rank = |(at, session): &(usize, &SessionRecord)| (Reverse((session.pinned, session.last_use())), *at);
    let mut ranked: Vec<(usize, &SessionRecord)> = belonging.collect();
    ranked.sort_unstable_by_key(rank);
    let candidates: Vec<&SessionRecord> = ranked.into_iter().map(|(_, session)| session).collect();

    let found = match (&request.session_id, candidates.first()) {
        (Some(id), _) => {
            let session = request.sessions.iter().find(|session| session.id == *id);
            session.map_or(Err(RecoveryOutcome::UnknownId), |session| Ok((RecoveryOutcome::Explicit, session)))
        }
        (None, Some(first)) if first.pinned => Ok((RecoveryOutcome::Pinned, *first)),
        (None, Some(first)) if first.updated_at.is_some() => Ok((RecoveryOutcome::Newest, *first)),
        (None, Some(first)) => Ok((RecoveryOutcome::Undated, *first)),
        (None, None) if key.is_some() => Err(RecoveryOutcome::NoSession),
        (None, None) => Err(RecoveryOutcome::NoProject),
    };
    let (outcome, session) = match found {
        Ok((outcome, session)) => (outcome, Some(session)),
        Err(outcome) => (outcome, None),
    };
    Ok(Recovery {
        outcome,
        session_id: session.map(|session| session.id.clone()),
        other_project: key.is_some() && session.is_some_and(|session| session.project.is_some() && !belongs(session)),
        candidates: candidates.into_iter().map(|session| session.id.clone()).collect(),
    })
}

/// Times can be compared only if all of them are numbers or all of them are texts.
fn check_times(request: &RecoverRequest) -> Result<(), ConfigError> {
    let times = request.sessions.iter().filter_map(|session| session.updated_at.as_ref());
    let mut times = times.chain(&request.archived_before);
    let first = times.next().map(Timestamp::is_text);
    if times.any(|time| Some(time.is_text()) != first) {
        return Err(ConfigError::new("sessions", "has times as numbers and times as texts; write all of them one way"));
    }
    Ok(())
}

impl SessionRecord {
    fn last_use(&self) -> Option<(i128, i128)> {
        self.updated_at.as_ref().map(Timestamp::instant)
    }
}

/// One form for all spellings of a project; a text that is neither a path nor a URI stands for itself, as keys do.
fn identity(project: &str, style: PathStyle) -> String {
    let key = if is_file_uri(project) { project_key(project, style) } else { path::key(project, style) };
    let is_uri = project.contains("://") && !project.starts_with(URI_KEY);
    key.unwrap_or_else(|_| if is_uri { uri_key(project) } else { project.into() })
}
