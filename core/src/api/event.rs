//! What can happen: everything a resolver is told.

#[cfg(feature = "ts")]
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use crate::form::names;
use crate::host::HostFacts;
use crate::map::Map;
use crate::peer::raw::Json;
use crate::read::{self, Faults, Readable, Step, read_fields, read_names};

/// One thing that happened, in the past tense.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(tag = "type", rename_all = "camelCase"))]
#[non_exhaustive]
pub enum Event {
    /// The client sent `initialize`; a second one closes the connection and opens a fresh one, host facts kept.
    ClientInitialized(ClientInitialized),
    /// The client sent `notifications/initialized`.
    ClientReady,
    /// A list of roots arrived.
    RootsListed(RootsListed),
    /// A request for roots came to nothing.
    RootsRefused(RootsRefused),
    /// The client sent `notifications/roots/list_changed`.
    RootsChanged,
    /// The host facts are different from now on.
    HostFactsChanged(HostFactsChanged),
    /// A call asks for its project; ends in exactly one answer unless withdrawn.
    Asked(Asked),
    /// A tool selects the connection's project; ends in exactly one answer unless withdrawn.
    Selected(Selected),
    /// A tool drops the selection; answered like an ask.
    SelectionCleared(SelectionCleared),
    /// The caller of an ask is gone; nothing is answered.
    AskWithdrawn(AskWithdrawn),
    /// The host looked at the paths of a probe.
    Probed(Probed),
    /// The time that `deadline` named has come; early it does nothing.
    DeadlineReached,
    /// One raw JSON-RPC message arrived, for hosts without an SDK.
    Message(Message),
    /// The connection is gone.
    Closed,
}

impl Event {
    /// How many bytes of it a peer wrote.
    pub(crate) fn peer_bytes(&self) -> usize {
        let json = |part: &Option<Json>| part.as_ref().map_or(0, |part| part.text().len());
        let parts = |parts: &[usize]| parts.iter().fold(0_usize, |sum, part| sum.saturating_add(*part));
        match self {
            Self::ClientInitialized(said) => {
                parts(&[json(&said.protocol_version), json(&said.capabilities), json(&said.client_info)])
            }
            Self::RootsListed(listed) => listed.result.text().len(),
            Self::RootsRefused(refused) => refused.message.as_ref().map_or(0, String::len),
            Self::Asked(asked) => asked.facts.bytes().saturating_add(asked.target.as_ref().map_or(0, String::len)),
            Self::Selected(selected) => selected.facts.bytes().saturating_add(selected.by.text().len()),
            Self::SelectionCleared(cleared) => cleared.facts.bytes(),
            Self::Message(message) => message.text.len(),
            Self::ClientReady
            | Self::RootsChanged
            | Self::HostFactsChanged(_)
            | Self::AskWithdrawn(_)
            | Self::Probed(_)
            | Self::DeadlineReached
            | Self::Closed => 0,
        }
    }
}

/// What `initialize` said; every part is the peer's raw JSON and may be anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase", optional_fields))]
pub struct ClientInitialized {
    /// `params.protocolVersion`.
    pub protocol_version: Option<Json>,
    /// `params.capabilities`.
    pub capabilities: Option<Json>,
    /// `params.clientInfo`.
    pub client_info: Option<Json>,
}

read_fields!(ClientInitialized: ; protocol_version, capabilities, client_info);

/// A list of roots, raw.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub struct RootsListed {
    /// The request it answers; without one it is a list the host was given some other way.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub request: Option<u32>,
    /// The raw result, `{"roots": [...]}`.
    pub result: Json,
}

read_fields!(RootsListed: result; request);

/// Why a request for roots came to nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub struct RootsRefused {
    /// The request.
    pub request: u32,
    /// What happened.
    pub kind: RefusalKind,
    /// The JSON-RPC error code of an `error`.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub code: Option<i64>,
    /// The error message of an `error`.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub message: Option<String>,
}

read_fields!(RootsRefused: request, kind; code, message);

/// The ways a request for roots comes to nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub enum RefusalKind {
    /// The client answered with a JSON-RPC error.
    Error,
    /// The host could not send it.
    Undeliverable,
    /// The SDK could not read the answer.
    Unreadable,
    /// The call it travelled with ended; asks that still wait have it sent again.
    Abandoned,
}

read_names!(RefusalKind: Error, Undeliverable, Unreadable, Abandoned);

/// New host facts, whole.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub struct HostFactsChanged {
    /// All of them: nothing of the old ones stays.
    pub facts: HostFacts,
}

read_fields!(HostFactsChanged: facts; );

/// A call that asks for its project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub struct Asked {
    /// The host's id for this ask.
    pub ask: u32,
    /// What is wanted.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub want: Want,
    /// Whether and how this call can carry a question to the client; absent, the facts decide.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub ask_by: Option<AskBy>,
    /// What came with the request.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub facts: RequestFacts,
    /// A path the call touches, to tell several roots apart.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub target: Option<String>,
    /// Whether the answer carries the full explanation even when a project was found.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub explain: bool,
}

read_fields!(Asked: ask; want, ask_by, facts, target, explain);

/// What an ask wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub enum Want {
    /// The project.
    #[default]
    Project,
    /// The client's list of roots.
    Roots,
}

read_names!(Want: Project, Roots);

/// Whether and how a call can carry a question to the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub enum AskBy {
    /// It cannot: answered at once from what is known.
    None,
    /// A request may be sent and its answer awaited (revisions up to 2025-11-25).
    Request,
    /// The call may return "needs input" and be made again (revision 2026-07-28).
    InputRequired,
}

read_names!(AskBy: None, Request, InputRequired);

/// What came with one request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase", optional_fields))]
pub struct RequestFacts {
    /// What the host itself knows of the caller: an authenticated workspace, or a handle the server issued.
    pub host: Option<String>,
    /// The call's project argument.
    pub argument: Option<String>,
    /// HTTP headers; names match in any case.
    #[cfg_attr(feature = "ts", ts(optional = nullable, as = "BTreeMap<String, String>"))]
    pub headers: Map<String>,
    /// HTTP query parameters.
    #[cfg_attr(feature = "ts", ts(optional = nullable, as = "BTreeMap<String, String>"))]
    pub query: Map<String>,
    /// The request's raw `_meta`.
    pub meta: Option<Json>,
    /// The client's raw capabilities, where an SDK lifted them out of `_meta`.
    pub capabilities: Option<Json>,
    /// The client's raw self-description, where an SDK lifted it out of `_meta`.
    pub client_info: Option<Json>,
    /// The raw `inputResponses` of a call made again.
    pub input_responses: Option<Json>,
}

read_fields!(RequestFacts: ; host, argument, headers, query, meta, capabilities, client_info, input_responses);

impl RequestFacts {
    fn bytes(&self) -> usize {
        let text = |part: &Option<String>| part.as_ref().map_or(0, String::len);
        let json = |part: &Option<Json>| part.as_ref().map_or(0, |part| part.text().len());
        let map = |map: &Map<String>| {
            map.iter().fold(0_usize, |sum, (key, value)| sum.saturating_add(key.len()).saturating_add(value.len()))
        };
        let parts = [
            text(&self.host),
            text(&self.argument),
            map(&self.headers),
            map(&self.query),
            json(&self.meta),
            json(&self.capabilities),
            json(&self.client_info),
            json(&self.input_responses),
        ];
        parts.into_iter().fold(0, usize::saturating_add)
    }
}

/// A tool that selects the connection's project.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub struct Selected {
    /// The host's id for this ask.
    pub ask: u32,
    /// What is selected.
    pub by: SelectBy,
    /// As in [`Asked`].
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub ask_by: Option<AskBy>,
    /// As in [`Asked`].
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub facts: RequestFacts,
    /// As in [`Asked`].
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub explain: bool,
}

read_fields!(Selected: ask, by; ask_by, facts, explain);

/// How a selection names its project.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub enum SelectBy {
    /// By name.
    Name(String),
    /// By path.
    Path(String),
    /// By URI.
    Uri(String),
    /// One of the client's roots, by its URI, path or name.
    Root(String),
    /// Whatever it is: a `file:` URI, a path if it has a separator, else a name.
    Value(String),
}

impl Readable for SelectBy {
    fn read(text: &str, faults: &mut Faults) -> Self {
        let object = read::object(text, faults);
        let (key, value) = read::only_member(&object).unwrap_or_default();
        let make = match key {
            "name" => Self::Name,
            "path" => Self::Path,
            "uri" => Self::Uri,
            "root" => Self::Root,
            "value" => Self::Value,
            _ => {
                faults.note("must have one of these alone: name, path, uri, root, value");
                Self::Value
            }
        };
        faults.within(Step::Key(key), |faults| make(String::read(value, faults)))
    }
}

impl SelectBy {
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Name(text) | Self::Path(text) | Self::Uri(text) | Self::Root(text) | Self::Value(text) => text,
        }
    }
}

/// A tool that drops the selection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub struct SelectionCleared {
    /// The host's id for this ask.
    pub ask: u32,
    /// As in [`Asked`].
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub ask_by: Option<AskBy>,
    /// As in [`Asked`].
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub facts: RequestFacts,
    /// As in [`Asked`].
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub explain: bool,
}

read_fields!(SelectionCleared: ask; ask_by, facts, explain);

/// An ask whose caller is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub struct AskWithdrawn {
    /// The ask.
    pub ask: u32,
}

read_fields!(AskWithdrawn: ask; );

/// What the host found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub struct Probed {
    /// The probe.
    pub probe: u32,
    /// What is at each path; a path left out counts as not confirmed.
    pub paths: Vec<ProbedPath>,
}

read_fields!(Probed: probe, paths; );

/// What is at one path.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub struct ProbedPath {
    /// The path as the probe spelled it.
    pub path: String,
    /// What is there.
    pub found: Found,
    /// The real path, links followed.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub real_path: Option<String>,
    /// Which of the markers asked for are there, as file or folder.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub markers: Vec<String>,
}

read_fields!(ProbedPath: path, found; real_path, markers);

/// What can be at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub enum Found {
    /// A folder.
    Directory,
    /// Anything else that exists.
    File,
    /// Nothing.
    Missing,
    /// The host may not look.
    Unreadable,
}

names!(Found: Directory, File, Missing, Unreadable);

/// One raw message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub struct Message {
    /// The message or batch as it arrived, without its line end.
    pub text: String,
}

read_fields!(Message: text; );
