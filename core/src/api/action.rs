//! What the host must do: everything a resolver gives back.

use alloc::boxed::Box;
#[cfg(feature = "ts")]
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::error::Reason;
use crate::explain::Explanation;
use crate::map::Map;
use crate::peer::raw::Json;
use crate::policy::SourceKind;
use crate::project::{Project, RootView};
use crate::write::{Members, Written, WrittenFields, quote, write_fields, write_names};

/// One thing to do. The actions of an event come in a fixed order: answers as the asks came, announce, cancel, send,
/// probe, hand back, notices.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(tag = "type", rename_all = "camelCase"))]
#[non_exhaustive]
pub enum Action {
    /// Answer an ask.
    Answer(Box<Answer>),
    /// Tell whoever cares that the connection's project is another one.
    Announce(Announce),
    /// Give up a request.
    Cancel(Cancel),
    /// Send a request to the client.
    SendRequest(SendRequest),
    /// DiskView at paths and report with a `probed` event.
    Probe(Probe),
    /// Process a message that is not the resolver's.
    Forward(Forward),
    /// Log a line.
    Log(Log),
}

impl Written for Action {
    fn write(&self, out: &mut String) {
        let (kind, fields): (_, &dyn WrittenFields) = match self {
            Self::Answer(answer) => ("answer", &**answer),
            Self::Announce(announce) => ("announce", announce),
            Self::Cancel(cancel) => ("cancel", cancel),
            Self::SendRequest(request) => ("sendRequest", request),
            Self::Probe(probe) => ("probe", probe),
            Self::Forward(message) => ("forward", message),
            Self::Log(log) => ("log", log),
        };
        Members::object(out, |members| {
            members.field("type", &kind);
            fields.write_fields(members);
        });
    }
}

/// The end of one ask.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase", optional_fields))]
pub struct Answer {
    /// The ask.
    pub ask: u32,
    /// How it ended.
    #[cfg_attr(feature = "ts", ts(flatten))]
    pub outcome: Outcome,
    /// Grows by one whenever the connection's project visibly changes.
    pub revision: u32,
    /// Texts worth showing beside the result.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub hints: Vec<String>,
    /// What every source said; there when nothing was found, and on request.
    pub explanation: Option<Explanation>,
}

write_fields!(Answer: ask, outcome = flat, revision, hints = optional, explanation = optional);

/// The ways an ask ends.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "ts",
    derive(ts_rs::TS),
    ts(tag = "outcome", rename_all = "camelCase", rename_all_fields = "camelCase")
)]
#[non_exhaustive]
pub enum Outcome {
    /// This is the project.
    Resolved {
        /// The project.
        project: Arc<Project>,
    },
    /// The selection holds.
    Selected {
        /// The project.
        project: Arc<Project>,
        /// The policy's confirmation.
        message: String,
    },
    /// These are the client's roots.
    Listed {
        /// The roots, good and bad.
        roots: Vec<RootView>,
        /// How current they are.
        state: RootsState,
    },
    /// Return these input requests; the client makes the call again.
    NeedsInput {
        /// Ready-made input requests by key.
        #[cfg_attr(feature = "ts", ts(as = "BTreeMap<String, Json>"))]
        input_requests: Map<Json>,
    },
    /// A value that was given is not acceptable.
    Refused(Refused),
    /// No project.
    Unresolved(Unresolved),
}

impl WrittenFields for Outcome {
    fn write_fields(&self, members: &mut Members<'_>) {
        match self {
            Self::Resolved { project } => {
                members.field("outcome", &"resolved");
                members.field("project", project);
            }
            Self::Selected { project, message } => {
                members.field("outcome", &"selected");
                members.field("project", project);
                members.field("message", message);
            }
            Self::Listed { roots, state } => {
                members.field("outcome", &"listed");
                members.field("roots", roots);
                members.field("state", state);
            }
            Self::NeedsInput { input_requests } => {
                members.field("outcome", &"needsInput");
                members.field("input_requests", input_requests);
            }
            Self::Refused(refused) => {
                members.field("outcome", &"refused");
                refused.write_fields(members);
            }
            Self::Unresolved(unresolved) => {
                members.field("outcome", &"unresolved");
                unresolved.write_fields(members);
            }
        }
    }
}

/// Why a value is not acceptable.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase", optional_fields))]
pub struct Refused {
    /// The stable code.
    pub code: Reason,
    /// The source of the value.
    pub source: SourceKind,
    /// What happened, with the value in display form.
    pub message: String,
    /// What to do next.
    pub instruction: Option<String>,
    /// The HTTP status the policy wants for it.
    pub status: Option<u16>,
}

write_fields!(Refused: code, source, message, instruction = optional, status = optional);

/// Why there is no project.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase", optional_fields))]
pub struct Unresolved {
    /// The stable code.
    pub code: Reason,
    /// What happened.
    pub message: String,
    /// What to do next.
    pub instruction: Option<String>,
}

write_fields!(Unresolved: code, message, instruction = optional);

/// How current the list of roots is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub enum RootsState {
    /// Nobody asked yet.
    NotAsked,
    /// The handshake is not over.
    NotReady,
    /// The client declared no roots and the policy asks only those that do.
    Undeclared,
    /// The client said it has no such method.
    Unsupported,
    /// A request is in flight.
    Pending,
    /// A request is in flight and a caller has given up on it.
    Overdue,
    /// The request's life ended without an answer.
    TimedOut,
    /// The request came to nothing in another way.
    Failed,
    /// The client has no roots.
    Empty,
    /// None of the client's roots can be read.
    AllInvalid,
    /// There is a list.
    Ok,
    /// There is a list, and a newer one is due.
    Stale,
}

write_names!(RootsState: NotAsked, NotReady, Undeclared, Unsupported, Pending, Overdue, TimedOut, Failed, Empty, AllInvalid, Ok, Stale);

/// A change of the connection's project.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub struct Announce {
    /// What it was.
    pub from: Option<Arc<Project>>,
    /// What it is.
    pub to: Option<Arc<Project>>,
}

write_fields!(Announce: from, to);

/// A request to give up.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase", optional_fields))]
pub struct Cancel {
    /// The request; SDK hosts abort it.
    pub request: u32,
    /// The ready-made `notifications/cancelled` for hosts without an SDK.
    pub message: String,
}

write_fields!(Cancel: request, message);

/// A request to send.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase", optional_fields))]
pub struct SendRequest {
    /// The resolver's token; the answer's event repeats it.
    pub request: u32,
    /// Always `roots/list`.
    pub method: &'static str,
    /// The params, where the policy sends any.
    pub params: Option<Json>,
    /// The ask whose call the request should travel with.
    pub relates_to: Option<u32>,
    /// The ready-made JSON-RPC request for hosts without an SDK.
    pub message: String,
}

write_fields!(SendRequest: request, method, params = optional, relates_to = optional, message);

/// Paths to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase", optional_fields))]
pub struct Probe {
    /// The probe's id; the reply repeats it.
    pub probe: u32,
    /// The paths.
    pub paths: Vec<ProbePath>,
}

write_fields!(Probe: probe, paths);

/// One path to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase", optional_fields))]
pub struct ProbePath {
    /// The path.
    pub path: String,
    /// Names to look for in it.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub markers: Vec<String>,
}

write_fields!(ProbePath: path, markers = optional);

/// A message that is not the resolver's.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase", optional_fields))]
pub struct Forward {
    /// What it is.
    pub kind: MessageKind,
    /// The original text, or the rest of a batch.
    pub text: String,
}

write_fields!(Forward: kind, text);

/// What a raw message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub enum MessageKind {
    /// It has a method and an id.
    Request,
    /// It has a method and no id.
    Notification,
    /// It has no method, and a result or an error.
    Response,
    /// An array of messages.
    Batch,
    /// Nothing but blanks.
    Blank,
    /// None of these.
    Broken,
}

write_names!(MessageKind: Request, Notification, Response, Batch, Blank, Broken);

/// A line for the log.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase", optional_fields))]
pub struct Log {
    /// How much it matters.
    pub level: Level,
    /// The stable code.
    pub code: LogCode,
    /// The ask it belongs to.
    pub ask: Option<u32>,
    /// The line.
    pub message: String,
}

write_fields!(Log: level, code, ask = optional, message);

/// How much a log line matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub enum Level {
    /// Only for whoever looks for the cause of something.
    Debug,
    /// Worth a line.
    Info,
    /// Something is wrong and was worked around.
    Warning,
}

write_names!(Level: Debug, Info, Warning);

/// What a log line is about; the serialised form is the stable code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum LogCode {
    /// The connection's project was chosen; given only where the policy has a text for its source.
    ProjectChosen,
    /// Two sources name different projects.
    Disagreement,
    /// A source named something unusable and the next one was looked at.
    ValueRejected,
    /// A request for roots came to nothing.
    RootsFailed,
    /// The client has no roots method.
    RootsUnsupported,
    /// A list was cut to the limit.
    RootsCut,
    /// A root was spelled as a bare path and taken as one.
    RootRepaired,
    /// An answer to a request that no longer counts was ignored.
    AnswerStale,
    /// An answer to a request never made was ignored.
    AnswerUnexpected,
    /// The selected project is no longer among the roots.
    SelectedRootLeft,
    /// More asks wait than the limit allows.
    TooManyAsks,
    /// Notices of this event were left out.
    LogsDropped,
}

impl Written for LogCode {
    fn write(&self, out: &mut String) {
        quote(self.code(), out);
    }
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
            Self::TooManyAsks => "too_many_asks",
            Self::LogsDropped => "logs_dropped",
        }
    }
}
