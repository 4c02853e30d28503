//! Events: everything a resolver is told.

use alloc::boxed::Box;
use alloc::string::String;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::host::HostFacts;
use super::is_default;
use crate::id::{AskId, RequestToken};

pub use super::probed::{EntryKind, Nearest, Probed, ProbedPath};
pub use super::request::{Argument, RequestFacts};

/// One event, in the past tense.
///
/// In JSON the variant's name stands in the field `type`, beside the fields of the variant.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "camelCase")]
#[non_exhaustive]
pub enum Event {
    /// The client sent `initialize`. A second one closes the connection and opens a fresh one with the same host facts.
    ClientInitialized(ClientInitialized),
    /// The client sent `notifications/initialized`.
    ClientReady,
    /// A list of roots arrived.
    RootsListed(RootsListed),
    /// The client's user answered the question for the project.
    UserAnswered(UserAnswered),
    /// A request failed.
    RequestRefused(RequestRefused),
    /// The client sent `notifications/roots/list_changed`.
    RootsChanged(RootsChanged),
    /// The host facts changed.
    HostFactsChanged(HostFactsChanged),
    /// A call asks for its project; ends in exactly one answer unless withdrawn.
    Asked(Asked),
    /// A tool selects the connection's project; ends in exactly one answer unless withdrawn.
    Selected(Selected),
    /// A tool clears the selection; answered like an ask.
    SelectionCleared(SelectionCleared),
    /// The caller of an ask is gone; no answer follows.
    AskWithdrawn(AskWithdrawn),
    /// The host probed the paths of a probe action.
    Probed(Probed),
    /// The time that `deadline` named has come; an early event has no effect.
    DeadlineReached,
    /// A raw JSON-RPC message arrived, for hosts without an SDK.
    Message(Message),
    /// The connection closed.
    Closed,
}

macro_rules! into_event {
    ($($payload:ident),*) => {
        $(impl From<$payload> for Event {
            fn from(payload: $payload) -> Self {
                Self::$payload(payload)
            }
        })*
    };
}

into_event!(
    ClientInitialized,
    RootsListed,
    UserAnswered,
    RequestRefused,
    RootsChanged,
    HostFactsChanged,
    Asked,
    Selected,
    SelectionCleared,
    AskWithdrawn,
    Probed,
    Message
);

/// The parameters of `initialize`: raw JSON from the peer, of any shape.
///
/// ```
/// use rootwise::event::ClientInitialized;
/// use serde_json::value::RawValue;
///
/// # use rootwise::{HostFacts, PathStyle, Policy, Resolver};
/// # let mut resolver = Resolver::new(Policy::recommended(), HostFacts::new(PathStyle::Posix))?;
/// let capabilities = RawValue::from_string(r#"{ "roots": {} }"#.into())?;
/// resolver.handle(ClientInitialized::default().capabilities(capabilities), 0)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[non_exhaustive]
pub struct ClientInitialized {
    /// `params.protocolVersion`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(type = "unknown", optional))]
    pub protocol_version: Option<Box<RawValue>>,
    /// `params.capabilities`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(type = "unknown", optional))]
    pub capabilities: Option<Box<RawValue>>,
    /// `params.clientInfo`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(type = "unknown", optional))]
    pub client_info: Option<Box<RawValue>>,
}

setters!(ClientInitialized {
    ;
    protocol_version: Box<RawValue>,
    capabilities: Box<RawValue>,
    client_info: Box<RawValue>,
});

/// A raw list of roots.
///
/// ```
/// use rootwise::event::{Asked, RootsListed};
/// use serde_json::value::RawValue;
///
/// # use rootwise::{HostFacts, PathStyle, Policy, Resolver};
/// # let mut resolver = Resolver::new(Policy::recommended(), HostFacts::new(PathStyle::Posix))?;
/// // A list that the host obtained in another way than by a request.
/// let result = RawValue::from_string(r#"{ "roots": [{ "uri": "file:///work/app" }] }"#.into())?;
/// resolver.handle(RootsListed::new(result), 0)?;
/// assert!(resolver.roots().state.is_current());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct RootsListed {
    /// The request it answers; absent for a list that the host obtained in another way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestToken>,
    /// The raw result, `{"roots": [...]}`.
    #[cfg_attr(feature = "ts", ts(type = "unknown"))]
    pub result: Box<RawValue>,
}

impl RootsListed {
    /// A list that the host obtained in another way than by a request.
    #[must_use]
    pub const fn new(result: Box<RawValue>) -> Self {
        Self { request: None, result }
    }
}

setters!(RootsListed { ; request: RequestToken });

/// The answer of the client's user.
///
/// ```
/// use rootwise::event::{Event, UserAnswered};
/// use serde_json::value::RawValue;
///
/// let result = RawValue::from_string(r#"{ "action": "decline" }"#.into())?;
/// let event: Event = UserAnswered::new(3, result).into();
/// # assert!(matches!(event, Event::UserAnswered(_)));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct UserAnswered {
    /// The request that it answers.
    pub request: RequestToken,
    /// The raw result, `{"action": "accept", "content": {"project": "..."}}`.
    #[cfg_attr(feature = "ts", ts(type = "unknown"))]
    pub result: Box<RawValue>,
}

impl UserAnswered {
    /// The answer to a request.
    #[must_use]
    pub fn new(request: impl Into<RequestToken>, result: Box<RawValue>) -> Self {
        Self { request: request.into(), result }
    }
}

/// The failure of a request.
///
/// ```
/// use rootwise::event::{RefusalKind, RequestRefused};
///
/// let refused = RequestRefused::new(1, RefusalKind::Error).code(-32601).message("Method not found".to_owned());
/// assert_eq!(refused.code, Some(-32601));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct RequestRefused {
    /// The request.
    pub request: RequestToken,
    /// The kind of failure.
    pub kind: RefusalKind,
    /// The JSON-RPC error code of an `error`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<i64>,
    /// The error message of an `error`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl RequestRefused {
    /// A failure without an error of the client.
    #[must_use]
    pub fn new(request: impl Into<RequestToken>, kind: RefusalKind) -> Self {
        Self { request: request.into(), kind, code: None, message: None }
    }
}

setters!(RequestRefused { ; code: i64, message: String });

/// The ways a request can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum RefusalKind {
    /// The client answered with a JSON-RPC error.
    Error,
    /// The host could not send the request.
    Undeliverable,
    /// The SDK could not read the answer.
    Unreadable,
    /// The stream that carried the request ended; the resolver sends it again for asks that still wait.
    Abandoned,
}

/// A change of the client's roots.
///
/// ```
/// use rootwise::event::RootsChanged;
///
/// # use rootwise::{HostFacts, PathStyle, Policy, Resolver};
/// # let mut resolver = Resolver::new(Policy::recommended(), HostFacts::new(PathStyle::Posix))?;
/// // No stream is open outside calls: the next call asks for the new list.
/// assert!(resolver.handle(RootsChanged::new(false), 0)?.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[non_exhaustive]
pub struct RootsChanged {
    /// Whether the host has an open stream on which a request outside a call reaches this client now; otherwise the host
    /// facts decide.
    #[serde(skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub push: bool,
}

impl RootsChanged {
    /// A change; `push` tells whether the host has an open stream for the request that it causes.
    #[must_use]
    pub const fn new(push: bool) -> Self {
        Self { push }
    }
}

/// New host facts.
///
/// ```
/// use rootwise::event::HostFactsChanged;
///
/// # use rootwise::{HostFacts, PathStyle, Policy, Resolver};
/// # let mut resolver = Resolver::new(Policy::recommended(), HostFacts::new(PathStyle::Posix))?;
/// let mut facts = HostFacts::new(PathStyle::Posix);
/// facts.arguments.insert("project".into(), "/work/app".into());
/// resolver.handle(HostFactsChanged::new(facts), 0)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct HostFactsChanged {
    /// All facts; they replace the old ones as a whole.
    pub facts: HostFacts,
}

impl HostFactsChanged {
    /// New facts instead of the old ones.
    #[must_use]
    pub const fn new(facts: HostFacts) -> Self {
        Self { facts }
    }
}

/// A call that asks for its project.
///
/// ```
/// use rootwise::event::{Argument, AskVia, Asked, RequestFacts, Want};
/// use rootwise::{Action, Outcome};
///
/// # use rootwise::{HostFacts, PathStyle, Policy, Resolver};
/// # let mut resolver = Resolver::new(Policy::recommended(), HostFacts::new(PathStyle::Posix))?;
/// let facts = RequestFacts::default().argument(Argument::from("relative/path"));
/// let actions = resolver.handle(Asked::new(1).ask_via(AskVia::None).facts(facts).explain(true), 0)?;
/// let [Action::Answer(answer), ..] = actions.as_slice() else { panic!("{actions:?}") };
/// assert!(matches!(&answer.outcome, Outcome::Refused(refused) if refused.code == rootwise::Reason::Relative));
/// // The list of roots instead of the project.
/// resolver.handle(Asked::new(2).want(Want::Roots), 0)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct Asked {
    /// The host's id for this ask.
    pub ask: AskId,
    /// The wanted result.
    #[serde(default, skip_serializing_if = "is_default")]
    pub want: Want,
    /// Whether and how this call can carry a question to the client; if absent, the facts decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask_via: Option<AskVia>,
    /// The facts of the request.
    #[serde(default, skip_serializing_if = "RequestFacts::is_empty")]
    pub facts: RequestFacts,
    /// A path that the call touches, to tell several roots apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Whether the answer carries the full explanation even when a project was found.
    #[serde(default, skip_serializing_if = "is_default")]
    pub explain: bool,
    /// Whether the client's user is not to be asked for it, because no call of the client waits for the answer.
    #[serde(default, skip_serializing_if = "is_default")]
    pub quiet: bool,
    /// Whether the answer carries the hints of the policy, because the caller shows them.
    #[serde(default, skip_serializing_if = "is_default")]
    pub hints: bool,
}

impl Asked {
    /// An ask without request-specific facts.
    #[must_use]
    pub fn new(ask: impl Into<AskId>) -> Self {
        Self { ask: ask.into(), ..Self::default() }
    }
}

setters!(Asked { ask: AskId, want: Want, facts: RequestFacts, explain: bool, quiet: bool, hints: bool; ask_via: AskVia, target: String });

/// The result an ask wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum AskVia {
    /// It cannot: the ask is answered at once from what is known.
    None,
    /// The host may send a request and await its answer (revisions up to 2025-11-25).
    Request,
    /// The call may return `input_required` and be retried (revision 2026-07-28).
    InputRequired,
}

/// A tool that selects the connection's project.
///
/// ```
/// use rootwise::event::{SelectBy, Selected};
/// use rootwise::Action;
///
/// # use rootwise::{HostFacts, PathStyle, Policy, Resolver};
/// # let mut resolver = Resolver::new(Policy::recommended(), HostFacts::new(PathStyle::Posix))?;
/// let actions = resolver.handle(Selected::new(1, SelectBy::Path("/work/app".into())), 0)?;
/// // The folder is checked first.
/// assert!(matches!(actions.as_slice(), [Action::Probe(_)]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct Selected {
    /// The host's id for this ask.
    pub ask: AskId,
    /// The selection.
    pub by: SelectBy,
    /// As in [`Asked`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask_via: Option<AskVia>,
    /// As in [`Asked`].
    #[serde(default, skip_serializing_if = "RequestFacts::is_empty")]
    pub facts: RequestFacts,
    /// As in [`Asked`].
    #[serde(default, skip_serializing_if = "is_default")]
    pub explain: bool,
}

impl Selected {
    /// A selection by a call without request-specific facts.
    #[must_use]
    pub fn new(ask: impl Into<AskId>, by: SelectBy) -> Self {
        let facts = RequestFacts::default();
        Self { ask: ask.into(), by, ask_via: None, facts, explain: false }
    }
}

setters!(Selected { ask: AskId, facts: RequestFacts, explain: bool; ask_via: AskVia });

/// The ways a selection can name its project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum SelectBy {
    /// By name.
    Name(String),
    /// By path.
    Path(String),
    /// By URI.
    Uri(String),
    /// One of the client's roots, by its URI, path or name.
    Root(String),
    /// By any of these: a `file:` URI, a path if it has a separator, else a name.
    Value(String),
}

impl SelectBy {
    /// The text of the selection.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Name(text) | Self::Path(text) | Self::Uri(text) | Self::Root(text) | Self::Value(text) => text,
        }
    }
}

/// A tool that clears the selection.
///
/// ```
/// use rootwise::event::SelectionCleared;
/// use rootwise::Action;
///
/// # use rootwise::{HostFacts, PathStyle, Policy, Resolver};
/// # let mut resolver = Resolver::new(Policy::recommended(), HostFacts::new(PathStyle::Posix))?;
/// // Answered with the project that counts instead, if there is one.
/// let actions = resolver.handle(SelectionCleared::new(1), 0)?;
/// assert!(matches!(actions.as_slice(), [Action::Answer(_), ..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct SelectionCleared {
    /// The host's id for this ask.
    pub ask: AskId,
    /// As in [`Asked`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask_via: Option<AskVia>,
    /// As in [`Asked`].
    #[serde(default, skip_serializing_if = "RequestFacts::is_empty")]
    pub facts: RequestFacts,
    /// As in [`Asked`].
    #[serde(default, skip_serializing_if = "is_default")]
    pub explain: bool,
}

impl SelectionCleared {
    /// A clearing by a call that brings no facts of its own.
    #[must_use]
    pub fn new(ask: impl Into<AskId>) -> Self {
        Self { ask: ask.into(), ..Self::default() }
    }
}

setters!(SelectionCleared { ask: AskId, facts: RequestFacts, explain: bool; ask_via: AskVia });

/// An ask whose caller is gone.
///
/// ```
/// use rootwise::event::{AskWithdrawn, SelectBy, Selected};
///
/// # use rootwise::{HostFacts, PathStyle, Policy, Resolver};
/// # let mut resolver = Resolver::new(Policy::recommended(), HostFacts::new(PathStyle::Posix))?;
/// resolver.handle(Selected::new(1, SelectBy::Path("/work/app".into())), 0)?;
/// assert!(resolver.handle(AskWithdrawn::new(1), 5)?.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct AskWithdrawn {
    /// The ask.
    pub ask: AskId,
}

impl AskWithdrawn {
    /// The caller of this ask is gone.
    #[must_use]
    pub fn new(ask: impl Into<AskId>) -> Self {
        Self { ask: ask.into() }
    }
}

/// One raw message.
///
/// ```
/// use rootwise::event::Message;
/// use rootwise::Action;
///
/// # use rootwise::{HostFacts, PathStyle, Policy, Resolver};
/// # let mut resolver = Resolver::new(Policy::recommended(), HostFacts::new(PathStyle::Posix))?;
/// let text = r#"{ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "capabilities": {} } }"#;
/// let actions = resolver.handle(Message::new(text), 0)?;
/// // The host's own code answers it.
/// assert!(matches!(actions.as_slice(), [Action::Forward(_)]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct Message {
    /// The message or batch as it arrived, without its line end.
    pub text: String,
}

impl Message {
    /// The text of a message or of a batch.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }
}
