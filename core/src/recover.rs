//! Finding the session a project was last worked on in, from records the host loads out of any store.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::intake::uri_key;
use crate::json::Json;
use crate::path::{self, PathStyle};
use crate::place::is_file_uri;
use crate::uri::project_key;

/// What is looked for, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecoverRequest {
    /// How paths are spelled in the URIs.
    pub style: PathStyle,
    /// The session asked for by name; it wins over everything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The project: its root URI, its path, or its key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The sessions the host knows, in any order.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub sessions: Vec<SessionRecord>,
}

/// A session as the host stores it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SessionRecord {
    /// The session's id.
    pub id: String,
    /// The project it was started in: root URI, path or key; a session without one belongs to no project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// When it was last used, as a number of any unit; anything else counts as oldest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Json>,
    /// Whether it is the project's primary session.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub pinned: bool,
    /// Whether it is found only by its id.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub archived: bool,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct Recovery {
    /// How it was found, or why not.
    pub outcome: RecoveryOutcome,
    /// The session's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Whether the session was started in another project than the one given; worth a line in the log.
    pub other_project: bool,
    /// The project's sessions, best first, for somebody who wants to choose.
    pub candidates: Vec<String>,
}

/// How a session was found, or why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
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
    /// Neither an id nor a project was given: bind a root to have sessions found again.
    NoProject,
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
    let mut candidates: Vec<&SessionRecord> =
        request.sessions.iter().filter(|session| !session.archived && belongs(session)).collect();
    // The sort is stable: equals keep their order.
    candidates.sort_by(|a, b| b.pinned.cmp(&a.pinned).then_with(|| age(b).total_cmp(&age(a))));

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

/// One form for all spellings of a project; a text that is no path and no URI stands for itself, as keys of names do.
fn identity(project: &str, style: PathStyle) -> String {
    let key = if is_file_uri(project) { project_key(project, style) } else { path::key(project, style) };
    key.unwrap_or_else(|_| if project.contains("://") { uri_key(project) } else { project.into() })
}

fn age(session: &SessionRecord) -> f64 {
    let number = session.updated_at.as_ref().and_then(|at| serde_json::from_str::<f64>(at.text()).ok());
    number.filter(|at| at.is_finite()).unwrap_or(f64::NEG_INFINITY)
}
