//! The sentences of an endpoint.

use crate::api::event::EntryKind;
use crate::api::reason::Reason;

/// The reason for which a client cannot be asked with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CannotAsk {
    /// Nothing ties the client's next request to this one.
    NoSession,
    /// No stream reaches the client.
    NoStream,
    /// The result of the call cannot be `input_required`.
    NotRepeatable,
}

impl CannotAsk {
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::NoSession => {
                "This server keeps no session for this client, so the client cannot be asked for its roots."
            }
            Self::NoStream => {
                "The client cannot be asked for its roots here: responses are single JSON documents, and the client has no \
                 open GET stream."
            }
            Self::NotRepeatable => {
                "A client of 2026-07-28 can be asked for its roots only by a tool, a prompt or a resource, not by a list."
            }
        }
    }
}

pub(crate) const USE_SESSIONS: &str =
    "Clients of 2026-07-28 send their roots with the call; for earlier ones, use a transport with sessions.";

/// What the operator of a server does whose tool cannot work for every client.
pub(crate) const CANNOT_SELECT: &str = "The tool `{tool}` refuses calls that belong to no session, because nothing would keep what they select: set the option \
     `argument`, so that each call can name its project, and `declare`, so that models know it.";

pub(crate) const WAIT_EXPIRED: &str =
    "The client did not answer roots/list in time; this call uses what is known without it.";

/// The problem with a caller's folders where the connection has none.
pub(crate) const NO_COMMON_DIRS: &str =
    "a caller is confined only where the session or the host facts have allowed folders too";

/// The problem with an argument that an ask names.
pub(crate) const ARGUMENT_UNREAD: &str = "the policy has no source \"argument\", so nothing would read it; add \
     { \"from\": \"argument\" } to its sources, or leave the argument out";

/// The problem with one of the operator's folders, with its path.
pub(crate) const fn unusable_dir(found: EntryKind) -> &'static str {
    match found {
        EntryKind::Directory => "",
        EntryKind::Missing => "an allowed folder does not exist, so that nothing in it is allowed: {path}",
        EntryKind::File => "an allowed path is not a folder, so that nothing in it is allowed: {path}",
        EntryKind::Unreadable => "this process cannot read an allowed folder: {path}",
    }
}

/// The message of an answer that the endpoint gives itself.
pub(crate) const fn ended(reason: Reason) -> &'static str {
    match reason {
        Reason::Cancelled => "The call was cancelled.",
        Reason::CallOver => {
            "The call that asked is over. Ask for the project while the call runs and keep the result for work that outlives \
             it."
        }
        Reason::Unconfirmed => "The project of this call is not known yet.",
        _ => "The connection is closed.",
    }
}

/// The reason that a client is given for a cancelled request.
pub(crate) const NO_ANSWER: &str = "timeout";
pub(crate) const STREAM_BROKE: &str = "its stream broke";
pub(crate) const STREAM_CUT: &str = "its stream was cut";
pub(crate) const CALL_CANCELLED: &str = "its call was cancelled";
pub(crate) const INPUT_CLOSED: &str = "the client closed its input";
pub(crate) const CLIENT_INITIALIZED: &str = "the client sent initialize again";
pub(crate) const SESSION_CLOSED: &str = "the connection is closed";

/// A part of an event that was too large.
pub(crate) const fn too_large(part: Part) -> &'static str {
    match part {
        Part::Answer => "the client's answer to a request is too large and counts as unreadable",
        Part::ClientInfo => "the client's description of itself is too large and was left out",
        Part::Meta => "the request's `_meta` is too large; only the values that the policy reads were kept",
        Part::InputResponse => "an answer that came with the call is too large and counts as unreadable",
    }
}

/// The parts of events that can be too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Answer,
    ClientInfo,
    Meta,
    InputResponse,
}
