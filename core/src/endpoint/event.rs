//! Events: everything an endpoint is told.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

pub use crate::api::event::RequestRefused;
use crate::api::event::{Argument, ProbedPath, SelectBy, Want};
use crate::api::host::{HostFacts, Transport};
use crate::api::{is_default, unique_keys};
use crate::id::{AskId, CallId, ChannelId, ProbeId, RequestToken, SessionId};

/// One event of an endpoint, in the past tense.
///
/// In JSON the variant's name stands in the field `type`, beside the fields of the variant.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "camelCase")]
#[non_exhaustive]
pub enum EndpointEvent {
    /// A client connected.
    SessionOpened(SessionOpened),
    /// A session ended: everything that waits for it is answered.
    SessionClosed(SessionClosed),
    /// The client of a session sent `initialize`.
    ClientInitialized(SessionInitialized),
    /// The client of a session sent `notifications/initialized`.
    ClientReady(SessionReady),
    /// The client of a session sent `notifications/roots/list_changed`.
    RootsChanged(SessionRootsChanged),
    /// A request arrived in a session whose requests are watched.
    RequestSeen(RequestSeen),
    /// The client of a session sends no more messages; it may still read.
    InputClosed(InputClosed),
    /// A raw JSON-RPC message arrived, for hosts without an SDK.
    Message(SessionMessage),
    /// A stream outside calls opened, or the client resumed a stream that was cut.
    ChannelOpened(ChannelOpened),
    /// A stream ended before its calls.
    ChannelClosed(ChannelClosed),
    /// A call arrived.
    CallStarted(CallStarted),
    /// The handler of a call of revision 2026-07-28 returned; ends in one `callResult` unless the call ends first.
    CallReturned(CallReturned),
    /// A call is over; the last event of a call.
    CallEnded(CallEnded),
    /// A call or session asks for its project or its roots; ends in exactly one answer unless withdrawn.
    Asked(CallAsked),
    /// A call selects the session's project; answered like an ask.
    Selected(CallSelected),
    /// A call clears the selection; answered like an ask.
    SelectionCleared(CallCleared),
    /// Nobody waits for an ask any more; no answer follows.
    AskWithdrawn(EndpointAskWithdrawn),
    /// The client answered a request.
    RequestAnswered(RequestAnswered),
    /// A request failed.
    RequestRefused(RequestRefused),
    /// The host probed the paths of a probe action.
    Probed(EndpointProbed),
    /// The time that `deadline` named has come; an early event has no effect.
    DeadlineReached,
    /// The facts of the process changed.
    HostFactsChanged(EndpointFactsChanged),
    /// Whether lists of roots are announced changed.
    RootsWatched(RootsWatched),
}

/// A struct of one event: its fields, a constructor that takes those without a default, and the conversion.
macro_rules! events {
    ($(
        $(#[$docs:meta])*
        $variant:ident($name:ident) {
            $($(#[$must_docs:meta])* $must:ident: $must_type:ty,)*
            $(; $($(#[$may_docs:meta])* $may:ident: $may_type:ty,)*)?
        }
    )*) => {
        $(
            $(#[$docs])*
            #[derive(Clone, Debug, Serialize, Deserialize)]
            #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
            #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
            #[serde(rename_all = "camelCase", deny_unknown_fields)]
            #[non_exhaustive]
            pub struct $name {
                $($(#[$must_docs])* pub $must: $must_type,)*
                $($($(#[$may_docs])* pub $may: $may_type,)*)?
            }

            impl $name {
                #[doc = concat!("Creates the event; everything that is not given is absent.")]
                #[must_use]
                #[allow(clippy::missing_const_for_fn, clippy::new_without_default, reason = "the same for all events")]
                pub fn new($($must: impl Into<$must_type>),*) -> Self {
                    Self { $($must: $must.into(),)* $($($may: Default::default(),)*)? }
                }
            }

            impl From<$name> for EndpointEvent {
                fn from(event: $name) -> Self {
                    Self::$variant(event)
                }
            }
        )*
    };
}

events! {
    /// A client that connected.
    ///
    /// ```
    /// # use rootwise::endpoint::event::*;
    /// # use rootwise::host::Transport;
    /// # use rootwise::{Endpoint, HostFacts, PathStyle, Policy};
    /// # let mut endpoint = Endpoint::new(Policy::recommended(), &HostFacts::new(PathStyle::Posix))?;
    /// let mut opened = SessionOpened::new(1, Transport::Http);
    /// opened.local = Some(true);
    /// endpoint.handle(opened, 0)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    SessionOpened(SessionOpened) {
        /// The host's id for the session.
        session: SessionId,
        /// The transport.
        transport: Transport,
        ;
        /// Whether the client is on this machine; by default as the host facts say, and true over stdio.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        local: Option<bool>,
        /// Whether the host may send requests outside a call; by default true, and false over HTTP.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        push: Option<bool>,
        /// A session that another process saved; the client is asked for its roots again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        saved: Option<String>,
        /// A secret of at least 32 bytes that seals the session's snapshots.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        snapshot_key: Option<String>,
        /// Starts the ids of requests; distinct in every process that continues the same session.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id_prefix: Option<String>,
        /// The folders to which the session's user is confined, within those of the host facts; its calls may have others.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        allowed_dirs: Option<Vec<String>>,
    }

    /// A session that ended.
    ///
    /// ```
    /// # use rootwise::endpoint::event::*;
    /// # use rootwise::host::Transport;
    /// # use rootwise::{Endpoint, HostFacts, PathStyle, Policy};
    /// # let mut endpoint = Endpoint::new(Policy::recommended(), &HostFacts::new(PathStyle::Posix))?;
    /// endpoint.handle(SessionOpened::new(1, Transport::Stdio), 0)?;
    /// endpoint.handle(SessionClosed::new(1), 5)?;
    /// assert!(endpoint.explain(1).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    SessionClosed(SessionClosed) {
        /// The session.
        session: SessionId,
    }

    /// The parameters of `initialize`: raw JSON from the peer, of any shape.
    ///
    /// ```
    /// # use rootwise::endpoint::event::*;
    /// # use rootwise::host::Transport;
    /// # use rootwise::{Endpoint, HostFacts, PathStyle, Policy};
    /// # let mut endpoint = Endpoint::new(Policy::recommended(), &HostFacts::new(PathStyle::Posix))?;
    /// endpoint.handle(SessionOpened::new(1, Transport::Stdio), 0)?;
    /// let mut initialized = SessionInitialized::new(1);
    /// initialized.capabilities = Some(serde_json::value::to_raw_value(&serde_json::json!({ "roots": {} }))?);
    /// endpoint.handle(initialized, 0)?;
    /// // The client may be asked from here on.
    /// endpoint.handle(SessionReady::new(1), 1)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ClientInitialized(SessionInitialized) {
        /// The session.
        session: SessionId,
        ;
        /// `params.protocolVersion`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(type = "unknown", optional))]
        protocol_version: Option<Box<RawValue>>,
        /// `params.capabilities`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(type = "unknown", optional))]
        capabilities: Option<Box<RawValue>>,
        /// `params.clientInfo`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(type = "unknown", optional))]
        client_info: Option<Box<RawValue>>,
        /// The JSON-RPC id of the request.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(type = "unknown", optional))]
        id: Option<Box<RawValue>>,
        /// The JSON-RPC id of the last request before it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(type = "unknown", optional))]
        previous_id: Option<Box<RawValue>>,
    }

    /// A client that completed its handshake.
    ClientReady(SessionReady) {
        /// The session.
        session: SessionId,
    }

    /// A change of the client's roots.
    RootsChanged(SessionRootsChanged) {
        /// The session.
        session: SessionId,
    }

    /// A request of a client that may share its session with others.
    RequestSeen(RequestSeen) {
        /// The session.
        session: SessionId,
        /// Its JSON-RPC id.
        #[cfg_attr(feature = "ts", ts(type = "unknown"))]
        id: Box<RawValue>,
        ;
        /// Its method.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        method: Option<String>,
    }

    /// A client that sends no more messages.
    InputClosed(InputClosed) {
        /// The session.
        session: SessionId,
    }

    /// A raw message.
    ///
    /// ```
    /// # use rootwise::endpoint::event::*;
    /// # use rootwise::host::Transport;
    /// # use rootwise::{Endpoint, HostFacts, PathStyle, Policy};
    /// # let mut endpoint = Endpoint::new(Policy::recommended(), &HostFacts::new(PathStyle::Posix))?;
    /// endpoint.handle(SessionOpened::new(1, Transport::Stdio), 0)?;
    /// let text = r#"{ "jsonrpc": "2.0", "id": 1, "method": "ping" }"#;
    /// let output = endpoint.handle(SessionMessage::new(1, text), 0)?;
    /// // The host's own code answers it.
    /// assert!(matches!(output.actions.as_slice(), [rootwise::endpoint::action::EndpointAction::Forward(_)]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Message(SessionMessage) {
        /// The session.
        session: SessionId,
        /// One JSON-RPC message as text.
        text: String,
    }

    /// A stream outside calls, or one that was resumed.
    ChannelOpened(ChannelOpened) {
        /// The session.
        session: SessionId,
        /// The host's id for the stream.
        channel: ChannelId,
    }

    /// A stream that ended before its calls.
    ///
    /// ```
    /// # use rootwise::endpoint::event::*;
    /// # use rootwise::host::Transport;
    /// # use rootwise::{Endpoint, HostFacts, PathStyle, Policy};
    /// # let mut endpoint = Endpoint::new(Policy::recommended(), &HostFacts::new(PathStyle::Posix))?;
    /// endpoint.handle(SessionOpened::new(1, Transport::Http), 0)?;
    /// endpoint.handle(ChannelOpened::new(1, 9), 0)?;
    /// // The client may resume it.
    /// endpoint.handle(ChannelClosed::new(9, ChannelEnd::Cut), 5)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ChannelClosed(ChannelClosed) {
        /// The stream.
        channel: ChannelId,
        /// Whether the client may resume it.
        end: ChannelEnd,
    }

    /// A call, with the parts of its request as they came.
    ///
    /// ```
    /// # use rootwise::endpoint::event::*;
    /// # use rootwise::host::Transport;
    /// # use rootwise::{Endpoint, HostFacts, PathStyle, Policy};
    /// # let mut endpoint = Endpoint::new(Policy::recommended(), &HostFacts::new(PathStyle::Posix))?;
    /// endpoint.handle(SessionOpened::new(1, Transport::Http), 0)?;
    /// let mut started = CallStarted::new(1);
    /// (started.session, started.method) = (Some(1.into()), Some("tools/call".into()));
    /// started.headers.insert("x-project-path".into(), "/work/app".into());
    /// endpoint.handle(started, 0)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    CallStarted(CallStarted) {
        /// The host's id for the call.
        call: CallId,
        ;
        /// The session that it belongs to; without one the call is stateless.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<SessionId>,
        /// The stream that can carry requests with this call. Over HTTP, absent means that its response cannot carry any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        channel: Option<ChannelId>,
        /// The transport of a call without a session; by default HTTP.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        transport: Option<Transport>,
        /// Whether the client of a call without a session is on this machine; by default as the host facts say.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        local: Option<bool>,
        /// The method of the request.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        method: Option<String>,
        /// The revision of the protocol that the request follows.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        protocol_version: Option<String>,
        /// HTTP headers; names match in any case.
        #[serde(default, deserialize_with = "unique_keys", skip_serializing_if = "BTreeMap::is_empty")]
        #[cfg_attr(feature = "ts", ts(optional = nullable))]
        headers: BTreeMap<String, String>,
        /// HTTP query parameters.
        #[serde(default, deserialize_with = "unique_keys", skip_serializing_if = "BTreeMap::is_empty")]
        #[cfg_attr(feature = "ts", ts(optional = nullable))]
        query: BTreeMap<String, String>,
        /// The raw `_meta` of the request.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(type = "unknown", optional))]
        meta: Option<Box<RawValue>>,
        /// The client's raw capabilities, where an SDK took them out of `_meta`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(type = "unknown", optional))]
        capabilities: Option<Box<RawValue>>,
        /// The client's raw self-description, where an SDK took it out of `_meta`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(type = "unknown", optional))]
        client_info: Option<Box<RawValue>>,
        /// The raw `inputResponses` of a repeated call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(type = "unknown", optional))]
        input_responses: Option<Box<RawValue>>,
        /// The `requestState` of a repeated call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_state: Option<String>,
        /// The argument that names the project, of any type: what is not a text is refused.
        #[serde(default, skip_serializing_if = "Option::is_none", with = "crate::api::argument")]
        #[cfg_attr(feature = "ts", ts(type = "unknown", optional))]
        #[cfg_attr(feature = "schema", schemars(with = "Option<serde_json::Value>"))]
        argument: Option<Argument>,
        /// Who makes the call, as the host has authenticated it: what a call without a session selects counts for the next calls
        /// of the same caller.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        caller: Option<String>,
        /// The folders to which the caller is confined, within those of the host facts; by default those of the session.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        allowed_dirs: Option<Vec<String>>,
    }

    /// A handler that returned.
    CallReturned(CallReturned) {
        /// The call.
        call: CallId,
        /// Whether the handler's own result is `input_required`.
        input_required: bool,
    }

    /// A call that is over.
    ///
    /// ```
    /// # use rootwise::endpoint::event::*;
    /// # use rootwise::host::Transport;
    /// # use rootwise::{Endpoint, HostFacts, PathStyle, Policy};
    /// # let mut endpoint = Endpoint::new(Policy::recommended(), &HostFacts::new(PathStyle::Posix))?;
    /// let mut ended = CallEnded::new(1);
    /// ended.cancelled = true;
    /// endpoint.handle(CallStarted::new(1), 0)?;
    /// endpoint.handle(ended, 5)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    CallEnded(CallEnded) {
        /// The call.
        call: CallId,
        ;
        /// Whether its client cancelled it.
        #[serde(default, skip_serializing_if = "is_default")]
        #[cfg_attr(feature = "ts", ts(optional = nullable))]
        cancelled: bool,
    }

    /// An ask of a call, or of a session if it has no request-specific facts.
    ///
    /// ```
    /// # use rootwise::endpoint::event::*;
    /// # use rootwise::host::Transport;
    /// # use rootwise::{Endpoint, HostFacts, PathStyle, Policy};
    /// # let mut endpoint = Endpoint::new(Policy::recommended(), &HostFacts::new(PathStyle::Posix))?;
    /// endpoint.handle(CallStarted::new(1), 0)?;
    /// let mut asked = CallAsked::new(1);
    /// // The caller shows the policy's hints.
    /// (asked.call, asked.hints) = (Some(1.into()), true);
    /// let output = endpoint.handle(asked, 0)?;
    /// assert!(!output.actions.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Asked(CallAsked) {
        /// The host's id for this ask.
        ask: AskId,
        ;
        /// The call that asks.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<CallId>,
        /// The session that asks, outside any call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<SessionId>,
        /// The wanted result.
        #[serde(default, skip_serializing_if = "is_default")]
        #[cfg_attr(feature = "ts", ts(optional = nullable))]
        want: Want,
        /// A path that the call touches, to tell several roots apart.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target: Option<String>,
        /// The project that the call names, in place of the call's own argument.
        #[serde(default, skip_serializing_if = "Option::is_none", with = "crate::api::argument")]
        #[cfg_attr(feature = "ts", ts(type = "unknown", optional))]
        #[cfg_attr(feature = "schema", schemars(with = "Option<serde_json::Value>"))]
        argument: Option<Argument>,
        /// The server's own knowledge of the caller: an authenticated workspace, or a handle that the server issued.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        server: Option<String>,
        /// Whether the answer carries the full explanation even when a project was found.
        #[serde(default, skip_serializing_if = "is_default")]
        #[cfg_attr(feature = "ts", ts(optional = nullable))]
        explain: bool,
        /// Whether the answer carries the hints of the policy, because the caller shows them.
        #[serde(default, skip_serializing_if = "is_default")]
        #[cfg_attr(feature = "ts", ts(optional = nullable))]
        hints: bool,
        /// Whether it is answered in this event, from what is known.
        #[serde(default, skip_serializing_if = "is_default")]
        #[cfg_attr(feature = "ts", ts(optional = nullable))]
        peek: bool,
    }

    /// A selection.
    ///
    /// ```
    /// # use rootwise::endpoint::event::*;
    /// # use rootwise::host::Transport;
    /// # use rootwise::{Endpoint, HostFacts, PathStyle, Policy};
    /// # let mut endpoint = Endpoint::new(Policy::recommended(), &HostFacts::new(PathStyle::Posix))?;
    /// endpoint.handle(SessionOpened::new(1, Transport::Stdio), 0)?;
    /// let mut selected = CallSelected::new(1, rootwise::event::SelectBy::Path("/work/app".into()));
    /// selected.session = Some(1.into());
    /// endpoint.handle(selected, 0)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Selected(CallSelected) {
        /// The host's id for this ask.
        ask: AskId,
        /// The selection.
        by: SelectBy,
        ;
        /// As in [`CallAsked`].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<CallId>,
        /// As in [`CallAsked`].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<SessionId>,
        /// As in [`CallAsked`].
        #[serde(default, skip_serializing_if = "is_default")]
        #[cfg_attr(feature = "ts", ts(optional = nullable))]
        explain: bool,
    }

    /// The removal of a selection.
    SelectionCleared(CallCleared) {
        /// The host's id for this ask.
        ask: AskId,
        ;
        /// As in [`CallAsked`].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<CallId>,
        /// As in [`CallAsked`].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<SessionId>,
        /// As in [`CallAsked`].
        #[serde(default, skip_serializing_if = "is_default")]
        #[cfg_attr(feature = "ts", ts(optional = nullable))]
        explain: bool,
    }

    /// An ask for which nobody waits.
    AskWithdrawn(EndpointAskWithdrawn) {
        /// The ask.
        ask: AskId,
    }

    /// The client's answer to a request.
    RequestAnswered(RequestAnswered) {
        /// The request.
        request: RequestToken,
        /// The raw result.
        #[cfg_attr(feature = "ts", ts(type = "unknown"))]
        result: Box<RawValue>,
    }

    /// The reply to a probe.
    Probed(EndpointProbed) {
        /// The probe.
        probe: ProbeId,
        /// The state of each path; an omitted path counts as unconfirmed.
        paths: Vec<ProbedPath>,
    }

    /// New facts of the process, for all sessions.
    HostFactsChanged(EndpointFactsChanged) {
        /// All facts; they replace the old ones as a whole.
        facts: HostFacts,
    }

    /// Whether lists of roots are announced.
    RootsWatched(RootsWatched) {
        /// Whether they are.
        watched: bool,
    }
}

impl From<RequestRefused> for EndpointEvent {
    fn from(event: RequestRefused) -> Self {
        Self::RequestRefused(event)
    }
}

/// The ways a stream ends before its calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum ChannelEnd {
    /// It is gone for good.
    Broken,
    /// The client may come back for it.
    Cut,
}
