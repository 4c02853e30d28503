//! The client's self-description, in `initialize` or with a modern request.

use alloc::boxed::Box;
use alloc::string::String;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::raw::{self, Member};
use crate::api::event::{ClientInitialized, RequestFacts};
use crate::api::is_default;
use crate::policy::exceeds;

pub(crate) const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
pub(crate) const META_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// The keys of `_meta` by which clients name the conversation that a call belongs to: ChatGPT, VS Code, Codex, opencode, Goose, droid.
pub(crate) const CONVERSATION_KEYS: [&str; 6] =
    ["openai/session", "vscode.conversationId", "threadId", "sessionID", "agent-session-id", "assemblySessionId"];
pub(crate) const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// The relevant part of a client's self-description.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct Client {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) declares_roots: bool,
    /// Whether it says that it reports changes of its roots; changes count either way.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) reports_changes: bool,
    /// Whether its user can be asked to fill in a form.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) shows_forms: bool,
}

impl Client {
    pub(crate) fn from_initialize(params: &ClientInitialized, name_bytes: u32) -> Self {
        Self::new(text(&params.capabilities), text(&params.client_info), name_bytes)
    }

    /// Reads a request: the client, and whether only a client of revision 2026-07-28 sends such a request.
    pub(crate) fn from_request(facts: &RequestFacts, name_bytes: u32) -> (Self, bool) {
        let meta = text(&facts.meta).and_then(|meta| raw::members(meta, [META_CAPABILITIES, META_INFO, META_VERSION]));
        let [meta_capabilities, meta_info, meta_version] = meta.unwrap_or_default();
        let capabilities = text(&facts.capabilities).or_else(|| meta_capabilities.get().map(RawValue::get));
        let info = text(&facts.client_info).or_else(|| meta_info.get().map(RawValue::get));
        let looks_modern = facts.capabilities.is_some() || meta_version.is_present() || meta_capabilities.is_present();
        (Self::new(capabilities, info, name_bytes), looks_modern)
    }

    pub(crate) fn new(capabilities: Option<&str>, info: Option<&str>, name_bytes: u32) -> Self {
        let name = info.and_then(|info| raw::string(raw::member(info, "name")?.get()));
        // Only an object declares roots: `null`, `true` or a string are mistakes.
        let roots = capabilities.and_then(|text| raw::pointer(text, "/roots"));
        Self {
            name: name.filter(|name| !exceeds(name.len(), name_bytes)),
            declares_roots: roots.is_some_and(|text| text.starts_with('{')),
            reports_changes: roots.and_then(|text| raw::pointer(text, "/listChanged")) == Some("true"),
            shows_forms: capabilities.and_then(|text| raw::pointer(text, "/elicitation")).is_some_and(shows_forms),
        }
    }
}

/// Whether a capability for elicitation covers forms: it names them, or it is older than the other kind. Some SDKs write what is
/// absent as `null`.
fn shows_forms(elicitation: &str) -> bool {
    let is_absent = |member: &Member<'_>| !member.is_present() || member.get().is_some_and(|text| text.get() == "null");
    raw::members(elicitation, ["form", "url"]).is_some_and(|[form, url]| match form.get() {
        Some(text) if !is_absent(&form) => raw::is_object(text.get()),
        _ => is_absent(&form) && is_absent(&url),
    })
}

fn text(value: &Option<Box<RawValue>>) -> Option<&str> {
    value.as_deref().map(RawValue::get)
}

/// Whether an error of the client means that it does not support `roots/list`: by the code of JSON-RPC, or by its message,
/// because many clients send another code.
pub(crate) fn means_unsupported(code: Option<i64>, message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    code == Some(-32601) || UNSUPPORTED_MESSAGES.iter().any(|part| message.contains(part))
}

const UNSUPPORTED_MESSAGES: [&str; 5] =
    ["not supported", "unsupported", "method not found", "unknown method", "not implemented"];
