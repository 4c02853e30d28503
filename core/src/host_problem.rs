//! What goes wrong in a host, around the calls of its clients.

use alloc::string::String;

use serde::{Deserialize, Serialize};

use crate::api::reason::Reason;
use crate::path::display::display;
use crate::texts::{fill, host as texts};

/// Something that goes wrong in a host. Its code and texts are the same in every language.
///
/// ```
/// use rootwise::host_problem::HostProblem;
///
/// let told = HostProblem::StoreFailed.told();
/// assert_eq!(told.code, "unconfirmed");
/// assert!(told.message.ends_with("try again later."));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "problem", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub enum HostProblem {
    /// No call of a client is being served.
    NoCall,
    /// The call was served without Rootwise.
    NotReached,
    /// A background task asked, which runs outside of its call.
    BackgroundTask,
    /// The client is asked first, and then repeats the call.
    NeedsInput,
    /// The store of sessions cannot be reached.
    StoreFailed,
    /// Other replicas changed the session at the same time, again and again.
    SessionChanged,
    /// For a log: the store of sessions failed.
    StoreError {
        /// The words of the store.
        error: String,
    },
    /// For a log: a state from the store is of another version, policy or session.
    StateRefused {
        /// What is wrong with it.
        error: String,
    },
    /// For a log: the endpoint refused an event.
    EventFailed {
        /// The type of the event.
        event: String,
        /// What is wrong with it.
        error: String,
    },
    /// The server's function that tells who makes a call failed.
    CallerUnknown {
        /// The words of the function.
        error: String,
    },
    /// The server's function that tells a caller's folders failed.
    FoldersUnknown {
        /// The words of the function.
        error: String,
    },
}

/// A stable code and texts for a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Told {
    /// The stable code.
    pub code: &'static str,
    /// What happened.
    pub message: String,
    /// The next step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instruction: Option<&'static str>,
}

/// The code of code that serves no call.
const NO_CALL: &str = "no_call";
/// The code of a call whose client is asked first.
const NEEDS_INPUT: &str = "needs_input";
/// The code of a log line.
const EVENT_FAILED: &str = "event_failed";

/// Characters of an error that comes from elsewhere.
const MAX_CHARS: usize = 1_024;

impl HostProblem {
    /// The code and the texts.
    #[must_use]
    pub fn told(&self) -> Told {
        let (code, message) = match self {
            Self::NoCall => (NO_CALL, texts::NO_CALL.into()),
            Self::NotReached => (NO_CALL, texts::NOT_REACHED.into()),
            Self::BackgroundTask => (NO_CALL, texts::BACKGROUND_TASK.into()),
            Self::NeedsInput => (NEEDS_INPUT, texts::ASKED_FIRST.into()),
            Self::StoreFailed => (Reason::Unconfirmed.code(), texts::STORE_FAILED.into()),
            Self::SessionChanged => (Reason::Unconfirmed.code(), texts::SESSION_CHANGED.into()),
            Self::StoreError { error } => (EVENT_FAILED, with(texts::STORE_ERROR, error)),
            Self::StateRefused { error } => (EVENT_FAILED, with(texts::STATE_REFUSED, error)),
            Self::EventFailed { event, error } => {
                let values = [("event", &*display(event, MAX_CHARS)), ("error", &*display(error, MAX_CHARS))];
                (EVENT_FAILED, fill(texts::EVENT_FAILED, &values))
            }
            Self::CallerUnknown { error } => (Reason::Unconfirmed.code(), with(texts::CALLER_UNKNOWN, error)),
            Self::FoldersUnknown { error } => (Reason::Outside.code(), with(texts::FOLDERS_UNKNOWN, error)),
        };
        let instruction = matches!(self, Self::BackgroundTask).then_some(texts::TAKE_IT_ALONG);
        Told { code, message, instruction }
    }
}

fn with(template: &str, error: &str) -> String {
    fill(template, &[("error", &display(error, MAX_CHARS))])
}
