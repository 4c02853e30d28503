//! Actions: everything an endpoint tells the host to do.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::api::action::{
    Answer, InputRequest, Level, LogCode, MessageKind, Probe, RequestMethod, RootsState, SharedBy,
};
use crate::api::is_default;
use crate::api::project::{Project, RootView};
use crate::id::{AskId, CallId, ChannelId, RequestToken, SessionId};

/// One thing to do. The actions of an event come in the order of these variants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "camelCase")]
#[non_exhaustive]
pub enum EndpointAction {
    /// Answer asks.
    Answer(Box<Answer>),
    /// Tell listeners that the project of a session changed.
    Announce(AnnounceProject),
    /// Tell listeners that the roots of a session changed.
    AnnounceRoots(AnnounceRoots),
    /// Return the result of a call.
    CallResult(CallResult),
    /// Stop waiting for a request.
    Cancel(CancelRequest),
    /// Send a request to a client.
    SendRequest(RouteRequest),
    /// Probe paths and reply with a `probed` event.
    Probe(Probe),
    /// Process a message that is not for the endpoint.
    Forward(ForwardMessage),
    /// From now on, report the requests of this session.
    WatchRequests(WatchRequests),
    /// Write a log line.
    Log(EndpointLog),
}

/// A change of a session's project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AnnounceProject {
    /// The session.
    pub session: SessionId,
    /// The previous project.
    pub from: Option<Arc<Project>>,
    /// The new project.
    pub to: Option<Arc<Project>>,
    /// What both have in common.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub shared: Option<SharedBy>,
    /// Whether the session ended.
    #[serde(default, skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub ended: bool,
}

/// A change of a session's roots.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AnnounceRoots {
    /// The session.
    pub session: SessionId,
    /// The roots, each verified.
    pub roots: Arc<Vec<RootView>>,
    /// The state of the list.
    pub state: RootsState,
    /// Whether this is the client's list as far as anybody knows.
    pub current: bool,
    /// The list as a person or a model reads it.
    pub text: String,
    /// The reason for which none of the roots can be used on this machine, if that is so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unusable: Option<String>,
    /// The roots that were announced before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<Arc<Vec<RootView>>>,
}

/// The result of a call of revision 2026-07-28.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CallResult {
    /// The call.
    pub call: CallId,
    /// Questions for the client: the result is `input_required`, with the handler's own questions and these. Absent, the
    /// handler's result stays as it is.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub input_requests: BTreeMap<String, InputRequest>,
    /// The `requestState` of that result, where the handler has none of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_state: Option<String>,
}

/// A request for which nobody waits any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CancelRequest {
    /// The request; hosts with an SDK abort it.
    pub request: RequestToken,
    /// The reason, for the client.
    pub reason: String,
    /// The complete `notifications/cancelled` message for hosts without an SDK, if the client should be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// A request to send, and the way it travels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RouteRequest {
    /// The endpoint's id for the request; the event of the answer repeats it.
    pub request: RequestToken,
    /// The session of the client.
    pub session: SessionId,
    /// The call that it travels with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
    /// The stream that it travels on; absent where the transport is one channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<ChannelId>,
    /// The method.
    pub method: RequestMethod,
    /// The parameters, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(type = "{ [key in string]: unknown }", optional))]
    #[cfg_attr(feature = "schema", schemars(with = "Option<BTreeMap<String, Value>>"))]
    pub params: Option<Value>,
    /// The complete JSON-RPC request for hosts without an SDK.
    pub message: String,
}

/// A message that is not for the endpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ForwardMessage {
    /// The session.
    pub session: SessionId,
    /// The kind of message.
    pub kind: MessageKind,
    /// The original text, or the rest of a batch.
    pub text: String,
}

/// A session whose requests are to be reported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct WatchRequests {
    /// The session.
    pub session: SessionId,
}

/// A log line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct EndpointLog {
    /// The level.
    pub level: Level,
    /// The stable code.
    pub code: LogCode,
    /// The session that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// The ask that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<AskId>,
    /// The text.
    pub message: String,
}
