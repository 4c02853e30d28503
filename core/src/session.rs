//! Recovery of sessions: finds the session in which a project was last worked on, from records that the host loads out of
//! any store.

mod timestamp;

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cmp::Reverse;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::timestamp::{EXPECTED, Time};
use crate::api::project::Project;
use crate::error::ConfigError;
use crate::path::uri::{is_file_uri, project_key};
use crate::path::{self, PathStyle};
use crate::peer::root_list::{URI_KEY, uri_key};

/// The session to find, and the sessions to search.
///
/// ```
/// use rootwise::session::{RecoverRequest, SessionRecord, recover_session};
///
/// let session = |id, day: &str| SessionRecord::new(id).project("/work/app").updated_at(day);
/// let sessions = vec![
///     session("plan", "2025-11-02T08:00:00Z").pinned(true),
///     session("draft", "2026-03-01T08:00:00Z").archived(true),
///     session("other", "2026-04-01T08:00:00Z").linked_to("/work/api"),
/// ];
/// let request = RecoverRequest::new(sessions).archived_before("2026-01-01T00:00:00Z");
/// let found = |request: RecoverRequest| Ok::<_, rootwise::ConfigError>(recover_session(&request)?.session_id);
/// assert_eq!(found(request.clone().project("/work/app"))?.as_deref(), Some("plan")); // a pinned session wins
/// assert_eq!(found(request.clone().project("/work/api"))?.as_deref(), Some("other")); // a linked project counts
/// assert_eq!(found(request.session_id("draft"))?.as_deref(), Some("draft")); // an archived one is found by its id
/// # Ok::<(), rootwise::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct RecoverRequest {
    /// The id of the wanted session; it wins over everything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The project as an answer carries it, or its key, path or root URI. A blank text is no project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectRef>,
    /// Sessions last used before this time count as archived, unless they are pinned. A number, whose unit is the
    /// store's choice, or a date and time by ISO 8601.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(type = "number | string | null"))]
    #[cfg_attr(feature = "schema", schemars(schema_with = "timestamp::schema"))]
    pub archived_before: Option<Value>,
    /// The sessions the host knows, in any order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sessions: Vec<SessionRecord>,
}

impl RecoverRequest {
    /// A search among these sessions.
    #[must_use]
    pub fn new(sessions: Vec<SessionRecord>) -> Self {
        Self { sessions, ..Self::default() }
    }

    /// Sets the [`project`](field@Self::project).
    #[must_use]
    pub fn project(self, project: impl Into<ProjectRef>) -> Self {
        Self { project: Some(project.into()), ..self }
    }

    /// Sets the [`session_id`](field@Self::session_id).
    #[must_use]
    pub fn session_id(self, id: impl Into<String>) -> Self {
        Self { session_id: Some(id.into()), ..self }
    }

    /// Sets [`archived_before`](field@Self::archived_before).
    #[must_use]
    pub fn archived_before(self, time: impl Into<Value>) -> Self {
        Self { archived_before: Some(time.into()), ..self }
    }
}

/// A session as the host stores it; further fields are ignored.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SessionRecord {
    /// The session's id.
    pub id: String,
    /// The project it was started in: best its key, else the project, its path or its root URI. A session without one, or
    /// with a blank text, belongs to no project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectRef>,
    /// Other projects in which it is found as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub linked_projects: Vec<ProjectRef>,
    /// The time of its last use: a number, whose unit is the store's choice, or a date and time by ISO 8601.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(type = "number | string | null"))]
    #[cfg_attr(feature = "schema", schemars(schema_with = "timestamp::schema"))]
    pub updated_at: Option<Value>,
    /// Whether it is the project's primary session.
    #[serde(default, skip_serializing_if = "crate::api::is_default")]
    pub pinned: bool,
    /// Whether it is found only by its id.
    #[serde(default, skip_serializing_if = "crate::api::is_default")]
    pub archived: bool,
}

impl SessionRecord {
    /// A session that belongs to no project yet.
    ///
    /// ```
    /// use rootwise::session::{RecoverRequest, RecoveryOutcome, SessionRecord, recover_session};
    ///
    /// let session = |id, time: &str| SessionRecord::new(id).project("/work/app").updated_at(time);
    /// let sessions = vec![session("old", "2026-01-01T08:00:00Z"), session("new", "2026-02-01T08:00:00Z")];
    /// let found = recover_session(&RecoverRequest::new(sessions).project("/work/app"))?;
    /// assert_eq!((found.session_id.as_deref(), found.outcome), (Some("new"), RecoveryOutcome::Newest));
    /// # Ok::<(), rootwise::ConfigError>(())
    /// ```
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), ..Self::default() }
    }

    /// Sets the [`project`](field@Self::project).
    #[must_use]
    pub fn project(self, project: impl Into<ProjectRef>) -> Self {
        Self { project: Some(project.into()), ..self }
    }

    /// Adds one of the [`linked_projects`](field@Self::linked_projects).
    #[must_use]
    pub fn linked_to(mut self, project: impl Into<ProjectRef>) -> Self {
        self.linked_projects.push(project.into());
        self
    }

    /// Sets [`updated_at`](field@Self::updated_at).
    #[must_use]
    pub fn updated_at(self, time: impl Into<Value>) -> Self {
        Self { updated_at: Some(time.into()), ..self }
    }

    /// Sets [`pinned`](field@Self::pinned).
    #[must_use]
    pub fn pinned(self, pinned: bool) -> Self {
        Self { pinned, ..self }
    }

    /// Sets [`archived`](field@Self::archived).
    #[must_use]
    pub fn archived(self, archived: bool) -> Self {
        Self { archived, ..self }
    }
}

/// A project as a search for sessions names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    untagged,
    expecting = "not a project; pass one as an answer carries it, or its key, path or root URI as a text"
)]
#[non_exhaustive]
pub enum ProjectRef {
    /// A project as an answer carries it; further fields are ignored.
    Project {
        /// Its identity.
        key: String,
        /// The spelling of its paths.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional = nullable))]
        style: Option<PathStyle>,
    },
    /// The key, the path or the root URI of a project.
    Text(String),
}

impl From<&Project> for ProjectRef {
    fn from(project: &Project) -> Self {
        Self::Project { key: project.key.clone(), style: project.style }
    }
}

impl From<&str> for ProjectRef {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for ProjectRef {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl ProjectRef {
    /// The style in which the caller writes paths: the project's, else what the spelling suggests. No key looks like
    /// one of the other style.
    fn style(&self) -> PathStyle {
        match self {
            Self::Project { style: Some(style), .. } => *style,
            Self::Project { key: text, style: None } | Self::Text(text) => PathStyle::of(text),
        }
    }

    /// One form for all spellings of a project; a text that is neither a path nor a URI of this style stands for itself, as
    /// names do. A blank text is no project.
    fn identity(&self, style: PathStyle) -> Option<String> {
        let identity = match self {
            Self::Project { key, .. } => key.clone(),
            Self::Text(text) => {
                let key = if is_file_uri(text) { project_key(text, style) } else { path::key(text, style) };
                let is_uri = text.contains("://") && !text.starts_with(URI_KEY);
                key.unwrap_or_else(|_| if is_uri { uri_key(text) } else { text.clone() })
            }
        };
        Some(identity).filter(|identity| !identity.trim().is_empty())
    }
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
    /// The candidates whose time could not be used; each may be newer than the session that was found. Worth a log line.
    pub problems: Vec<RecoveryProblem>,
}

/// A session whose time could not be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RecoveryProblem {
    /// The session's id.
    pub session_id: String,
    /// What is wrong with its time, as a stable code.
    pub code: TimeProblem,
    /// What is wrong, and what to write instead.
    pub message: String,
}

/// Why the time of a session could not be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TimeProblem {
    /// It is neither a number nor a date and time by ISO 8601.
    #[error("`updatedAt` is {EXPECTED}")]
    Unreadable,
    /// It is a number and the other times are texts, or the reverse.
    #[error(
        "`updatedAt` is a number and other times are texts, or the reverse, so nobody can say which is newer; write all of them one way"
    )]
    NotComparable,
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
    /// As the first of the project's sessions, none of which has a time that could be used.
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
/// Of several pinned sessions the newest counts. Sessions of the same age keep the order they were given in. Those without
/// a time come after those with one, in the order they were given in, and so do those whose time cannot be used: it cannot be
/// read, or it is a number where other times of the project, or `archived_before`, are texts, or the reverse. The result lists these
/// as problems.
///
/// Paths and URIs in the records are read in the style of the given project.
///
/// ```
/// use rootwise::session::{RecoverRequest, RecoveryOutcome, SessionRecord, recover_session};
///
/// let sessions = vec![
///     SessionRecord::new("main").project("/work/app").updated_at(1).pinned(true),
///     SessionRecord::new("newest").project("/work/app").updated_at(2),
///     SessionRecord::new("another project").project("/work/blog").updated_at(3),
/// ];
/// let found = recover_session(&RecoverRequest::new(sessions).project("file:///work/app"))?;
/// assert_eq!((found.session_id.as_deref(), found.outcome), (Some("main"), RecoveryOutcome::Pinned));
/// # Ok::<(), rootwise::ConfigError>(())
/// ```
///
/// # Errors
/// `archived_before` cannot be read.
pub fn recover_session(request: &RecoverRequest) -> Result<Recovery, ConfigError> {
    let archived_before = match &request.archived_before {
        Some(written) => Some(Time::read(written).ok_or_else(|| ConfigError::new("archivedBefore", EXPECTED))?),
        None => None,
    };
    let asked = request.project.as_ref().and_then(|project| {
        let style = project.style();
        Some((project.identity(style)?, style))
    });
    let belongs = |session: &SessionRecord| {
        let mut own = session.project.iter().chain(&session.linked_projects);
        asked.as_ref().is_some_and(|(key, style)| own.any(|project| project.identity(*style).as_ref() == Some(key)))
    };
    let belonging = request.sessions.iter().filter(|session| !session.archived && belongs(session));
    let mut candidates: Vec<Candidate<'_>> = belonging.map(Candidate::new).collect();
    let in_texts = match &archived_before {
        Some(before) => before.is_text,
        None => candidates.iter().any(|candidate| matches!(candidate.time, Ok(Some(Time { is_text: true, .. })))),
    };
    for candidate in &mut candidates {
        if matches!(candidate.time, Ok(Some(time)) if time.is_text != in_texts) {
            candidate.time = Err(TimeProblem::NotComparable);
        }
    }
    if let Some(before) = archived_before {
        let too_old = |candidate: &Candidate<'_>| candidate.instant().is_some_and(|used| used < before.instant);
        candidates.retain(|candidate| candidate.session.pinned || !too_old(candidate));
    }
    // Stable: equal sessions keep their order.
    candidates.sort_by_key(|candidate| Reverse((candidate.session.pinned, candidate.instant())));

    let found = match (&request.session_id, candidates.first()) {
        (Some(id), _) => {
            let session = request.sessions.iter().find(|session| session.id == *id);
            session.map_or(Err(RecoveryOutcome::UnknownId), |session| Ok((RecoveryOutcome::Explicit, session)))
        }
        (None, Some(first)) if first.session.pinned => Ok((RecoveryOutcome::Pinned, first.session)),
        (None, Some(first)) if first.instant().is_some() => Ok((RecoveryOutcome::Newest, first.session)),
        (None, Some(first)) => Ok((RecoveryOutcome::Undated, first.session)),
        (None, None) if asked.is_some() => Err(RecoveryOutcome::NoSession),
        (None, None) => Err(RecoveryOutcome::NoProject),
    };
    let (outcome, session) = match found {
        Ok((outcome, session)) => (outcome, Some(session)),
        Err(outcome) => (outcome, None),
    };
    let has_project = |session: &SessionRecord| {
        session.project.as_ref().is_some_and(|project| project.identity(project.style()).is_some())
    };
    Ok(Recovery {
        outcome,
        session_id: session.map(|session| session.id.clone()),
        other_project: asked.is_some() && session.is_some_and(|session| has_project(session) && !belongs(session)),
        candidates: candidates.iter().map(|candidate| candidate.session.id.clone()).collect(),
        problems: candidates.iter().filter_map(Candidate::problem).collect(),
    })
}

/// A session of the project, and the time of its last use if it has one.
struct Candidate<'a> {
    session: &'a SessionRecord,
    time: Result<Option<Time>, TimeProblem>,
}

impl<'a> Candidate<'a> {
    fn new(session: &'a SessionRecord) -> Self {
        let read = |written| Time::read(written).ok_or(TimeProblem::Unreadable);
        Self { session, time: session.updated_at.as_ref().map(read).transpose() }
    }

    /// The time of its last use; a session without one, or with one that cannot be used, sorts below all others.
    fn instant(&self) -> Option<timestamp::Instant> {
        self.time.ok().flatten().map(|time| time.instant)
    }

    fn problem(&self) -> Option<RecoveryProblem> {
        let code = self.time.err()?;
        Some(RecoveryProblem { session_id: self.session.id.clone(), code, message: code.to_string() })
    }
}
