//! Actions: everything a resolver tells the host to do.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::explanation::Explanation;
use super::project::{Project, RootView};
use super::reason::Reason;
use super::source::SourceKind;
use crate::id::{AskId, ProbeId, RequestToken};

/// One thing to do.
///
/// The actions of an event have a fixed order: answers in the order of their asks, announce, cancel, send, probe, forward,
/// log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "camelCase")]
#[non_exhaustive]
pub enum Action {
    /// Answer an ask.
    Answer(Box<Answer>),
    /// Tell listeners that the connection's project changed.
    Announce(Announce),
    /// Give up a request.
    Cancel(Cancel),
    /// Send a request to the client.
    SendRequest(SendRequest),
    /// Probe paths and reply with a `probed` event.
    Probe(Probe),
    /// Process a message that is not for the resolver.
    Forward(Forward),
    /// Write a log line.
    Log(Log),
}

/// The end of an ask, or of several that end alike.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Answer {
    /// The asks that it ends, in the order of their arrival.
    pub asks: Vec<AskId>,
    /// The outcome.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// A counter that grows by one whenever the connection's project visibly changes.
    pub revision: u32,
    /// Texts to show beside the result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub hints: Vec<String>,
    /// The result of every source; present if no project was found, and on request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Arc<Explanation>>,
}

/// The ways an ask ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "outcome", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum Outcome {
    /// The project was found.
    Resolved {
        /// The project.
        project: Arc<Project>,
    },
    /// The selection was accepted.
    Selected {
        /// The project.
        project: Arc<Project>,
        /// The policy's confirmation.
        message: String,
    },
    /// The selection was cleared.
    Cleared {
        /// The project that counts instead.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional))]
        project: Option<Arc<Project>>,
        /// The reason for which there is none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional))]
        code: Option<Reason>,
        /// This reason as a sentence.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional))]
        message: Option<String>,
    },
    /// The client's roots were listed.
    Listed {
        /// The roots, usable or not.
        roots: Arc<Vec<RootView>>,
        /// The state of the list.
        state: RootsState,
        /// Whether the client has listed its roots at all.
        answered: bool,
        /// Whether this is its list as far as anybody knows: it was listed, and nothing has reported a change or is too old.
        current: bool,
        /// The list as a person or a model reads it.
        text: String,
        /// The reason for which none of the roots can be used on this machine, if that is so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional))]
        unusable: Option<String>,
    },
    /// Return these input requests; the client then retries the call.
    NeedsInput {
        /// The input requests by key.
        input_requests: BTreeMap<String, InputRequest>,
    },
    /// A given value was refused.
    Refused(Refused),
    /// No project was found.
    Unresolved(Unresolved),
}

/// The key of the question for the client's roots among a call's input requests.
pub const INPUT_KEY: &str = "rootwise";

/// The key of the question for the client's user.
pub const FORM_KEY: &str = "rootwise-project";

/// A request in the `input_required` result of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct InputRequest {
    /// The method.
    pub method: RequestMethod,
    /// The parameters, if the method has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(type = "{ [key in string]: unknown }", optional))]
    #[cfg_attr(feature = "schema", schemars(with = "Option<BTreeMap<String, Value>>"))]
    pub params: Option<Value>,
}

/// The methods a resolver sends to a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub enum RequestMethod {
    /// `roots/list`
    #[serde(rename = "roots/list")]
    RootsList,
    /// `elicitation/create`
    #[serde(rename = "elicitation/create")]
    ElicitationCreate,
}

impl RequestMethod {
    /// The name of the method.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RootsList => "roots/list",
            Self::ElicitationCreate => "elicitation/create",
        }
    }
}

/// A refused value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Refused {
    /// The stable code.
    pub code: Reason,
    /// The source of the value.
    pub source: SourceKind,
    /// What happened, with the value in display form.
    pub message: String,
    /// The next step for the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instruction: Option<String>,
    /// The HTTP status the policy gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
}

/// The absence of a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Unresolved {
    /// The stable code.
    pub code: Reason,
    /// What happened.
    pub message: String,
    /// The next step for the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instruction: Option<String>,
}

/// The state of the list of roots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum RootsState {
    /// No request was sent yet.
    NotAsked,
    /// The handshake is not complete.
    NotReady,
    /// The client declared no roots, and the policy asks only clients that do.
    Undeclared,
    /// The client does not support the method.
    Unsupported,
    /// A request is in flight.
    Pending,
    /// A request is in flight and a caller has stopped waiting for it.
    Overdue,
    /// The request expired without an answer.
    TimedOut,
    /// The request failed in another way.
    Failed,
    /// The client has no roots.
    Empty,
    /// None of the client's roots can be read.
    AllInvalid,
    /// The list is current.
    Ok,
    /// A newer list is due.
    Stale,
    /// Several clients share the connection, so that no list is the list of one of them.
    SeveralClients,
}

impl RootsState {
    /// Whether the client has listed its roots, and nothing has happened since that could have changed them.
    #[must_use]
    pub const fn is_current(self) -> bool {
        matches!(self, Self::Ok | Self::Empty | Self::AllInvalid)
    }
}

/// A change of the connection's project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Announce {
    /// The previous project.
    pub from: Option<Arc<Project>>,
    /// The new project.
    pub to: Option<Arc<Project>>,
    /// What both have in common.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub shared: Option<SharedBy>,
}

/// What the projects before and after a change have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum SharedBy {
    /// The same checkout of a repository: the new project is another folder of it.
    Checkout,
    /// The same repository: the new project is in another worktree of it, or in another clone where the policy finds the remote.
    Repository,
}

/// A request to give up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Cancel {
    /// The request; hosts with an SDK abort it.
    pub request: RequestToken,
    /// The complete `notifications/cancelled` message for hosts without an SDK.
    pub message: String,
}

/// A request to send.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SendRequest {
    /// The resolver's token; the event of the answer repeats it.
    pub request: RequestToken,
    /// The method.
    pub method: RequestMethod,
    /// The parameters, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(type = "{ [key in string]: unknown }", optional))]
    #[cfg_attr(feature = "schema", schemars(with = "Option<BTreeMap<String, Value>>"))]
    pub params: Option<Value>,
    /// The ask whose call should carry the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relates_to: Option<AskId>,
    /// The complete JSON-RPC request for hosts without an SDK.
    pub message: String,
}

/// Paths to probe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Probe {
    /// The id of the probe; the reply repeats it.
    pub probe: ProbeId,
    /// The paths.
    pub paths: Vec<ProbePath>,
}

/// One path to probe.
///
/// ```
/// use rootwise::action::{ProbePath, ReadFiles};
///
/// let wanted = ProbePath::new("/work/app").files(ReadFiles::new(vec!["package.json".into()], 4_096));
/// assert!(wanted.files.is_some_and(|files| files.bytes == 4_096));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ProbePath {
    /// The path.
    pub path: String,
    /// File names to look for in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub markers: Vec<String>,
    /// The nearest folder to look for, from its real path upwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearest: Option<FindNearest>,
    /// Small files in it to read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<ReadFiles>,
}

impl ProbePath {
    /// A path of which only the state is wanted.
    #[must_use]
    pub fn new(path: impl Into<String>) -> Self {
        Self { path: path.into(), markers: Vec::new(), nearest: None, files: None }
    }
}

setters!(ProbePath { markers: Vec<String>; nearest: FindNearest, files: ReadFiles });

/// A search for the nearest folder that has an entry with one of these names: the real path of the probed path, then each
/// folder above it. A host that does not search reports nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FindNearest {
    /// The names; of several in one folder the first counts.
    pub names: Vec<String>,
    /// The folders to which the search is confined: it ends at the first folder that is not inside one of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Vec<String>>,
    /// The size up to which the text of a file with such a name is reported.
    pub bytes: u32,
}

impl FindNearest {
    /// A search for these names that reports no text.
    #[must_use]
    pub fn new(names: Vec<String>) -> Self {
        Self { names, within: None, bytes: 0 }
    }
}

setters!(FindNearest { bytes: u32; within: Vec<String> });

/// Files to read in a folder. Only a regular file counts, never a link, a pipe or a device, and only a text in UTF-8.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ReadFiles {
    /// The names of the files.
    pub names: Vec<String>,
    /// The folders to which reading is confined: nothing is read if the real path of the folder is not inside one of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Vec<String>>,
    /// The size up to which a file is read; a larger one is not reported.
    pub bytes: u32,
}

impl ReadFiles {
    /// Files of at most this size.
    #[must_use]
    pub fn new(names: Vec<String>, bytes: u32) -> Self {
        Self { names, within: None, bytes }
    }
}

setters!(ReadFiles { ; within: Vec<String> });

/// A message that is not for the resolver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Forward {
    /// The kind of message.
    pub kind: MessageKind,
    /// The original text, or the rest of a batch.
    pub text: String,
}

/// The kinds of raw messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum MessageKind {
    /// It has a method and an id.
    Request,
    /// It has a method and no id.
    Notification,
    /// It has no method, and a result or an error.
    Response,
    /// It is an array of messages.
    Batch,
    /// It is blank.
    Blank,
    /// It is none of these.
    Broken,
}

/// A log line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Log {
    /// The level.
    pub level: Level,
    /// The stable code.
    pub code: LogCode,
    /// The ask it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<AskId>,
    /// The text.
    pub message: String,
}

/// The level of a log line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Level {
    /// For finding the cause of a problem.
    Debug,
    /// For the operator's information.
    Info,
    /// A problem that was worked around.
    Warning,
}

/// The subject of a log line; the serialised form is the stable code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LogCode {
    /// The connection's project was chosen; logged only if the policy has a text for its source.
    ProjectChosen,
    /// Two sources name different projects.
    Disagreement,
    /// A source named an unusable value, and the next source was tried.
    ValueRejected,
    /// A `roots/list` request failed.
    RootsFailed,
    /// The client does not support `roots/list`.
    RootsUnsupported,
    /// A list exceeded the limit.
    RootsCut,
    /// A root was a bare path and was accepted as one.
    RootRepaired,
    /// An answer to a finished request was ignored.
    AnswerStale,
    /// An answer to a request that was never sent was ignored.
    AnswerUnexpected,
    /// The selected project is no longer among the roots.
    SelectedRootLeft,
    /// Several clients share the connection.
    SeveralClients,
    /// The client's user is asked for the project.
    UserAsked,
    /// The client's user was asked for the project and named none that can be used.
    UserDeclined,
    /// More asks wait than the limit allows.
    TooManyAsks,
    /// Log lines of this event were dropped.
    LogsDropped,
    /// A caller stopped waiting for the client's roots.
    WaitExpired,
    /// The client cannot be asked for its roots.
    CannotAsk,
    /// The server has a tool that selects a project, and no parameter by which calls without a session can name it.
    CannotSelect,
    /// A part of a peer's message was too large and was left out or counts as unreadable.
    EventFailed,
    /// A folder of `allowedDirs` does not exist, is no folder or cannot be read.
    AllowedDirUnusable,
}

impl LogCode {
    /// The stable code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::ProjectChosen => "project_chosen",
            Self::Disagreement => "disagreement",
            Self::ValueRejected => "value_rejected",
            Self::RootsFailed => "roots_failed",
            Self::RootsUnsupported => "roots_unsupported",
            Self::RootsCut => "roots_cut",
            Self::RootRepaired => "root_repaired",
            Self::AnswerStale => "answer_stale",
            Self::AnswerUnexpected => "answer_unexpected",
            Self::SelectedRootLeft => "selected_root_left",
            Self::SeveralClients => "several_clients",
            Self::UserAsked => "user_asked",
            Self::UserDeclined => "user_declined",
            Self::TooManyAsks => "too_many_asks",
            Self::LogsDropped => "logs_dropped",
            Self::WaitExpired => "wait_expired",
            Self::CannotAsk => "cannot_ask",
            Self::CannotSelect => "cannot_select",
            Self::EventFailed => "event_failed",
            Self::AllowedDirUnusable => "allowed_dir_unusable",
        }
    }

    pub(crate) fn from_code(code: &str) -> Option<Self> {
        let code: StrDeserializer<'_, Error> = code.into_deserializer();
        Self::deserialize(code).ok()
    }
}
