//! What a client says about itself, in `initialize` or with a modern request.

use alloc::string::String;

use crate::event::{ClientInitialized, RequestFacts};
use crate::form::fields;
use crate::peer::raw::{self, Json, Object};

const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const META_INFO: &str = "io.modelcontextprotocol/clientInfo";
const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// What is known of a client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Client {
    pub(crate) name: Option<String>,
    pub(crate) declares_roots: bool,
}

fields!(Client: ; name, declares_roots);

impl Client {
    pub(crate) fn of_initialize(said: &ClientInitialized, name_bytes: u32) -> Self {
        Self {
            name: name(said.client_info.as_ref().map(Json::text), name_bytes),
            declares_roots: declares_roots(said.capabilities.as_ref().map(Json::text)),
        }
    }

    pub(crate) fn of_request(facts: &RequestFacts, name_bytes: u32) -> Self {
        let meta = facts.meta.as_ref().and_then(|meta| Object::read(meta.text()));
        let part =
            |given: &Option<Json>, key: &str| given.clone().or_else(|| Json::from_text(meta.as_ref()?.get(key)?));
        let capabilities = part(&facts.capabilities, META_CAPABILITIES);
        let info = part(&facts.client_info, META_INFO);
        Self {
            name: name(info.as_ref().map(Json::text), name_bytes),
            declares_roots: declares_roots(capabilities.as_ref().map(Json::text)),
        }
    }
}

/// Whether a request carries what only a client of revision 2026-07-28 sends.
pub(crate) fn looks_modern(facts: &RequestFacts) -> bool {
    if facts.capabilities.is_some() {
        return true;
    }
    let meta = facts.meta.as_ref().and_then(|meta| Object::read(meta.text()));
    meta.is_some_and(|meta| meta.has(META_VERSION) || meta.has(META_CAPABILITIES))
}

/// Only an object declares roots: `null`, `true` or a string are somebody's mistake.
fn declares_roots(capabilities: Option<&str>) -> bool {
    let roots = capabilities.and_then(|text| raw::pointer(text, "/roots"));
    roots.is_some_and(|text| text.starts_with('{'))
}

fn name(info: Option<&str>, name_bytes: u32) -> Option<String> {
    let name = Object::read(info?)?.string("name")?;
    usize::try_from(name_bytes).is_ok_and(|most| name.len() <= most).then_some(name)
}
