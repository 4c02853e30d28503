//! What the log consists of: one record for each thing that happened or was done, and the types they carry.

use std::collections::{BTreeMap, BTreeSet};

use rootwise::event::{AskVia, EntryKind, Nearest, RequestFacts, SelectBy};
use rootwise::host::HostFacts;

use super::Proj;
use super::peer::RawList;

/// One thing that happened or was done.
#[derive(Clone, Debug)]
pub enum Record {
    /// An accepted event, with the time that counts for it.
    Now(u64),
    Host(HostFacts),
    /// A new connection: nothing before it counts, except that ids go on.
    Fresh,
    Closed,
    /// The client of a modern call gave its name.
    Described {
        name: String,
    },
    Initialized {
        declared: bool,
        /// Whether its user can be shown forms.
        forms: bool,
    },
    /// The client is ready; `said` when it said so itself and did not only make a call.
    Ready {
        said: bool,
    },
    /// A raw request with a whole number for an id.
    Requested {
        number: i64,
    },
    /// A list that counts only if nobody else answers the same request (rule 49).
    Held(Held),
    /// Nobody else did.
    AnsweredAlone,
    /// The client answered a request, in whatever state that was.
    Replied {
        token: u32,
    },
    /// It showed that several clients share the connection (rule 34).
    Several,
    /// A change that is honoured.
    Changed {
        /// Whether the host has a stream for a request now.
        push: bool,
    },
    Sent {
        token: u32,
        at: u64,
        /// The ask whose call carries it.
        carrier: Option<u32>,
    },
    /// A request is over; the asks in `without` go on without its answer.
    Ended {
        token: u32,
        how: End,
        without: Vec<u32>,
    },
    /// An ask waits for a request.
    Waits {
        ask: u32,
        token: u32,
    },
    Overdue {
        token: u32,
        /// Whether somebody waited with all its patience, and not only for a refresh.
        in_vain: bool,
    },
    Deferred {
        until: u64,
    },
    DeferredOver,
    List {
        answers: Option<u32>,
        at: u64,
        roots: RawList,
    },
    ProbeOpened {
        id: u32,
        until: u64,
        paths: BTreeMap<String, BTreeSet<String>>,
    },
    ProbeOver {
        id: u32,
    },
    /// An ask, or the connection itself, waits for what a probe says of a path, at most until a deadline.
    Depends {
        who: Option<u32>,
        probe: u32,
        path: String,
        /// Whether a source of the connection needs it.
        connection: bool,
        until: u64,
    },
    /// Somebody's short wait for a probe is over, while something older is known.
    ProbeOverdue {
        id: u32,
    },
    /// An ask began to wait for a refresh; the wait is short and there is only one (rule 45).
    Refreshes {
        ask: u32,
        until: u64,
    },
    /// What is known counts for the ask from now on.
    RefreshOver {
        ask: u32,
    },
    /// An ask was evaluated and goes on waiting.
    Looked {
        ask: u32,
        /// Whether for roots.
        roots: bool,
    },
    /// The connection's own evaluation may have paths checked, and depends on no earlier probe.
    ConnectionLooks,
    /// The connection knows all it wanted of a probe.
    ConnectionHasAll {
        probe: u32,
    },
    /// The client answered the last request, which was over.
    Late,
    /// The host said what is at a path; it serves these asks, and perhaps the connection.
    Learnt {
        path: String,
        known: Known,
        asks: Vec<u32>,
        connection: bool,
    },
    /// The host did not say; that counts for these asks.
    Unconfirmed {
        path: String,
        asked: BTreeSet<String>,
        asks: Vec<u32>,
    },
    /// The connection drops all results (rule 39).
    Forgotten,
    Asked(Ask),
    /// An ask was answered, or withdrawn.
    Over {
        ask: u32,
        /// Whether from now on there can be a connection project.
        begins: bool,
    },
    Chose(Choice),
    ChoiceGone,
    Announced(Option<Win>),
    Remembered(Win),
    RememberedGone,
    Pinned(Win),
    PinGone,
    HintGiven(usize),
    /// A form was sent, with the call of an ask, which waits for the user now.
    FormSent {
        token: u32,
        ask: u32,
        at: u64,
        from_roots: bool,
    },
    /// A form was in the result of a call.
    FormInResult {
        at: u64,
        from_roots: bool,
    },
    /// The form is answered, or came to nothing.
    FormOver,
    /// The user named a project, which an ask selects; its wait begins anew.
    Named {
        ask: u32,
        by: SelectBy,
        at: u64,
    },
    /// That is selected, and the ask is one for the project again.
    NamedTaken {
        ask: u32,
    },
    /// The user is not asked for an ask any more; its wait begins anew.
    UserOver {
        ask: u32,
        at: u64,
    },
    Project(Option<Win>),
}

/// An answer that may not be the only one.
#[derive(Clone, Debug)]
pub struct Held {
    pub token: u32,
    pub at: u64,
    pub result: String,
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Answered,
    Unsupported,
    Refused,
    Abandoned,
    /// Abandoned after somebody had waited for it as a refresh.
    LostRefresh,
    TimedOut,
    /// The connection ended first.
    Dropped,
}

impl End {
    pub fn failed(self) -> bool {
        !matches!(self, Self::Answered | Self::Dropped) && !self.abandoned()
    }

    /// Whether its stream ended.
    pub fn abandoned(self) -> bool {
        matches!(self, Self::Abandoned | Self::LostRefresh)
    }

    /// Whether the request ended without an answer, so that a list from before it is stale.
    pub fn unanswered(self) -> bool {
        self.failed() || self.abandoned()
    }
}

/// What the host said about one path.
#[derive(Clone, Debug)]
pub struct Known {
    /// When it was said.
    pub at: u64,
    pub found: EntryKind,
    pub real: Option<String>,
    /// The markers that were asked for.
    pub asked: BTreeSet<String>,
    /// The markers that are there.
    pub there: BTreeSet<String>,
    /// The nearest folder with a repository's entry, where that was asked for.
    pub nearest: Option<Nearest>,
    /// The texts of files, by the question that asked for them and their name.
    pub texts: BTreeMap<&'static str, BTreeMap<String, String>>,
}

impl Known {
    pub fn text(&self, question: &str, name: &str) -> Option<&str> {
        self.texts.get(question)?.get(name).map(String::as_str)
    }
}

/// A winner, with what is needed to judge it again later.
#[derive(Clone, Debug)]
pub struct Win {
    pub project: Proj,
    /// The key of the root it came from.
    pub root_key: Option<String>,
    /// The key of its folder, whatever the identity of projects is.
    pub folder: String,
    /// The real path it was verified by.
    pub real: Option<String>,
    /// It is one of several roots, and nothing says that it is the one that is meant.
    pub guess: bool,
}

/// A selection.
#[derive(Clone, Debug)]
pub struct Choice {
    pub win: Win,
    /// The URI it has, to compare letter for letter.
    pub uri: Option<String>,
}

/// An ask as it came.
#[derive(Clone, Debug)]
pub struct Ask {
    pub id: u32,
    /// Its place in the log.
    pub place: usize,
    /// Where in the log its present wait began, and when that ends.
    pub since: usize,
    pub until: u64,
    pub kind: Kind,
    pub user: User,
    pub by: AskVia,
    pub modern: bool,
    pub facts: RequestFacts,
    pub target: Option<String>,
    pub hints: bool,
}

/// How far an ask is with the client's user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum User {
    /// The user is not asked for it.
    Apart,
    MayAsk,
    /// It waits for the user, and for nothing else.
    Waits,
    /// It selects what the user named.
    Named,
    /// It does, and nobody waits for that.
    Late,
}

/// What an ask is for.
#[derive(Clone, Debug)]
pub enum Kind {
    Project,
    Roots,
    Select(SelectBy),
    /// A removal of the selection that is refused.
    Clear,
    /// The project that counts after a removal (rule 74).
    Cleared,
}

/// A list of roots and its place in the log.
#[derive(Clone, Debug)]
pub struct List {
    pub place: usize,
    pub at: u64,
    pub roots: RawList,
    /// From where on a change makes it stale: the sending of its request, or its own arrival.
    pub asked_at_place: usize,
}

/// A request in flight.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    pub token: u32,
    pub at: u64,
    pub place: usize,
    /// Somebody's wait for it has ended.
    pub overdue: bool,
}
