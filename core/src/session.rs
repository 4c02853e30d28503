//! Finding the session a project was last worked on in, from records the host loads out of any store.

use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;

use crate::find::contains;
use crate::path::{self, PathStyle};
use crate::peer::raw::Json;
use crate::peer::root_list::{URI_KEY, uri_key};
use crate::read::read_fields;
use crate::resolve::verify::is_file_uri;
use crate::sort::sort_by;
use crate::uri::project_key;
use crate::write::{Written, quote, write_fields};

/// What is looked for, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub struct RecoverRequest {
    /// How paths are spelled in the URIs.
    pub style: PathStyle,
    /// The session asked for by name; it wins over everything else.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub session_id: Option<String>,
    /// The project: its root URI, its path, or its key.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub project: Option<String>,
    /// The sessions the host knows, in any order.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub sessions: Vec<SessionRecord>,
}

read_fields!(RecoverRequest: style; session_id, project, sessions);

/// A session as the host stores it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub struct SessionRecord {
    /// The session's id.
    pub id: String,
    /// The project it was started in: root URI, path or key; a session without one belongs to no project.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub project: Option<String>,
    /// When it was last used, as a number of any unit; anything else counts as oldest.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub updated_at: Option<Json>,
    /// Whether it is the project's primary session.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub pinned: bool,
    /// Whether it is found only by its id.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub archived: bool,
}

read_fields!(SessionRecord: id; project, updated_at, pinned, archived; ..);

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase", optional_fields))]
pub struct Recovery {
    /// How it was found, or why not.
    pub outcome: RecoveryOutcome,
    /// The session's id.
    pub session_id: Option<String>,
    /// Whether the session was started in another project than the one given; worth a line in the log.
    pub other_project: bool,
    /// The project's sessions, best first, for somebody who wants to choose.
    pub candidates: Vec<String>,
}

write_fields!(Recovery: outcome, session_id = optional, other_project, candidates);

/// How a session was found, or why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "snake_case"))]
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

impl Written for RecoveryOutcome {
    fn write(&self, out: &mut String) {
        quote(self.code(), out);
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
    // Equals keep their order.
    let mut ranked: Vec<_> =
        belonging.map(|(at, session)| (Reverse((session.pinned, age(session))), at, session)).collect();
    sort_by(&mut ranked, |a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
    let candidates: Vec<&SessionRecord> = ranked.into_iter().map(|(.., session)| session).collect();

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

/// One form for all spellings of a project; a text that is no path and no URI stands for itself, as keys do.
fn identity(project: &str, style: PathStyle) -> String {
    let key = if is_file_uri(project) { project_key(project, style) } else { path::key(project, style) };
    let is_uri = contains(project, "://") && !project.starts_with(URI_KEY);
    key.unwrap_or_else(|_| if is_uri { uri_key(project) } else { project.into() })
}

/// When a session was last used, in an order that needs no floating point; nothing comes before everything.
fn age(session: &SessionRecord) -> Option<Age> {
    let text = session.updated_at.as_ref()?.text();
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |text| (true, text));
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut digits = String::from(whole);
    digits.push_str(fraction);
    let significant = digits.trim_start_matches('0');
    // The value is `0.digits` times ten to this power.
    let zeros = digits.len().saturating_sub(significant.len());
    let point = i64::try_from(whole.len()).ok()?.saturating_sub(i64::try_from(zeros).ok()?);
    let exponent = exponent.parse().unwrap_or_else(|_| if exponent.starts_with('-') { i64::MIN } else { i64::MAX });
    let size = (point.saturating_add(exponent), significant.trim_end_matches('0').into());
    Some(match (significant.is_empty(), negative) {
        (true, _) => Age::Zero,
        (false, true) => Age::Negative(Reverse(size)),
        (false, false) => Age::Positive(size),
    })
}

/// A number, by its power of ten and its digits.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Age {
    Negative(Reverse<(i64, String)>),
    Zero,
    Positive((i64, String)),
}
