//! What can happen: everything a resolver is told.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::host::HostFacts;
use crate::json::Json;

/// One thing that happened, in the past tense.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "camelCase")]
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
            Self::Asked(asked) => asked.facts.bytes().saturating_add(asked.about.as_ref().map_or(0, String::len)),
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ClientInitialized {
    /// `params.protocolVersion`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol_version: Option<Json>,
    /// `params.capabilities`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Json>,
    /// `params.clientInfo`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_info: Option<Json>,
}

/// A list of roots, raw.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RootsListed {
    /// The request it answers; without one it is a list the host was given some other way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<u32>,
    /// The raw result, `{"roots": [...]}`.
    pub result: Json,
}

/// Why a request for roots came to nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RootsRefused {
    /// The request.
    pub request: u32,
    /// What happened.
    pub kind: RefusalKind,
    /// The JSON-RPC error code of an `error`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<i64>,
    /// The error message of an `error`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// The ways a request for roots comes to nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
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

/// New host facts, whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HostFactsChanged {
    /// All of them: nothing of the old ones stays.
    pub facts: HostFacts,
}

/// A call that asks for its project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Asked {
    /// The host's id for this ask.
    pub ask: u32,
    /// What is wanted.
    #[serde(default, skip_serializing_if = "is_default")]
    pub want: Want,
    /// Whether and how this call can carry a question to the client; absent, the facts decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask_by: Option<AskBy>,
    /// What came with the request.
    #[serde(default, skip_serializing_if = "is_default")]
    pub facts: RequestFacts,
    /// A path the call touches, to tell several roots apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// Whether the answer carries the full explanation even when a project was found.
    #[serde(default, skip_serializing_if = "is_default")]
    pub explain: bool,
}

/// What an ask wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum Want {
    /// The project.
    #[default]
    Project,
    /// The client's list of roots.
    Roots,
}

/// Whether and how a call can carry a question to the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum AskBy {
    /// It cannot: answered at once from what is known.
    None,
    /// A request may be sent and its answer awaited (revisions up to 2025-11-25).
    Request,
    /// The call may return "needs input" and be made again (revision 2026-07-28).
    Return,
}

/// What came with one request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct RequestFacts {
    /// What the host itself knows of the caller: an authenticated workspace, or a handle the server issued.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The call's project argument.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument: Option<String>,
    /// HTTP headers; names match in any case.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub headers: BTreeMap<String, String>,
    /// HTTP query parameters.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub query: BTreeMap<String, String>,
    /// The request's raw `_meta`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meta: Option<Json>,
    /// The client's raw capabilities, where an SDK lifted them out of `_meta`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Json>,
    /// The client's raw self-description, where an SDK lifted it out of `_meta`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_info: Option<Json>,
    /// The raw `inputResponses` of a call made again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_responses: Option<Json>,
}

impl RequestFacts {
    fn bytes(&self) -> usize {
        let text = |part: &Option<String>| part.as_ref().map_or(0, String::len);
        let json = |part: &Option<Json>| part.as_ref().map_or(0, |part| part.text().len());
        let map = |map: &BTreeMap<String, String>| {
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Selected {
    /// The host's id for this ask.
    pub ask: u32,
    /// What is selected.
    pub by: SelectBy,
    /// As in [`Asked`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask_by: Option<AskBy>,
    /// As in [`Asked`].
    #[serde(default, skip_serializing_if = "is_default")]
    pub facts: RequestFacts,
    /// As in [`Asked`].
    #[serde(default, skip_serializing_if = "is_default")]
    pub explain: bool,
}

/// How a selection names its project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
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

impl SelectBy {
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Name(text) | Self::Path(text) | Self::Uri(text) | Self::Root(text) | Self::Value(text) => text,
        }
    }
}

/// A tool that drops the selection.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SelectionCleared {
    /// The host's id for this ask.
    pub ask: u32,
    /// As in [`Asked`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask_by: Option<AskBy>,
    /// As in [`Asked`].
    #[serde(default, skip_serializing_if = "is_default")]
    pub facts: RequestFacts,
    /// As in [`Asked`].
    #[serde(default, skip_serializing_if = "is_default")]
    pub explain: bool,
}

/// An ask whose caller is gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AskWithdrawn {
    /// The ask.
    pub ask: u32,
}

/// What the host found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Probed {
    /// The probe.
    pub probe: u32,
    /// What is at each path; a path left out counts as not confirmed.
    pub paths: Vec<ProbedPath>,
}

/// What is at one path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProbedPath {
    /// The path as the probe spelled it.
    pub path: String,
    /// What is there.
    pub found: Found,
    /// The real path, links followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub real_path: Option<String>,
    /// Which of the markers asked for are there, as file or folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub markers: Vec<String>,
}

/// What can be at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
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

/// One raw message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Message {
    /// The message or batch as it arrived, without its line end.
    pub text: String,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
