//! The client's self-description, in `initialize` or with a modern request.

use alloc::boxed::Box;
use alloc::string::String;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::raw::{self, Object};
use crate::api::event::{ClientInitialized, RequestFacts};
use crate::api::is_default;
use crate::policy::exceeds;

const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const META_INFO: &str = "io.modelcontextprotocol/clientInfo";
const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// The relevant part of a client's self-description.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct Client {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) declares_roots: bool,
    /// Whether it says that it reports changes of its roots; changes count either way.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) reports_changes: bool,
}

impl Client {
    pub(crate) fn from_initialize(params: &ClientInitialized, name_bytes: u32) -> Self {
        Self::new(text(&params.capabilities), text(&params.client_info), name_bytes)
    }

    /// Reads a request: the client, and whether only a client of revision 2026-07-28 sends such a request.
    pub(crate) fn from_request(facts: &RequestFacts, name_bytes: u32) -> (Self, bool) {
        let meta = facts.meta.as_ref().and_then(|meta| Object::read(meta.get()));
        let part = |key: &str| meta.as_ref()?.get(key).map(RawValue::get);
        let capabilities = text(&facts.capabilities).or_else(|| part(META_CAPABILITIES));
        let info = text(&facts.client_info).or_else(|| part(META_INFO));
        let looks_modern = facts.capabilities.is_some()
            || meta.as_ref().is_some_and(|meta| meta.has(META_VERSION) || meta.has(META_CAPABILITIES));
        (Self::new(capabilities, info, name_bytes), looks_modern)
    }

    fn new(capabilities: Option<&str>, info: Option<&str>, name_bytes: u32) -> Self {
        let name = info.and_then(Object::read).and_then(|info| info.string("name"));
        // Only an object declares roots: `null`, `true` or a string are mistakes.
        let roots = capabilities.and_then(|text| raw::pointer(text, "/roots"));
        Self {
            name: name.filter(|name| !exceeds(name.len(), name_bytes)),
            declares_roots: roots.is_some_and(|text| text.starts_with('{')),
            reports_changes: roots.and_then(|text| raw::pointer(text, "/listChanged")) == Some("true"),
        }
    }
}

fn text(value: &Option<Box<RawValue>>) -> Option<&str> {
    value.as_deref().map(RawValue::get)
}
