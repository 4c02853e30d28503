//! The parts of a peer's message that concern its project. The rest may be of any size and stays outside: what is too large
//! gets a substitute, so that no message of a peer is an error of the host.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use super::event::{CallStarted, SessionInitialized};
use super::inputs::PolicyInputs;
use crate::api::action::{FORM_KEY, INPUT_KEY};
use crate::api::event::{Argument, ClientInitialized, RequestFacts};
use crate::collect::inserted;
use crate::peer::client::{CONVERSATION_KEYS, Client, META_CAPABILITIES, META_INFO, META_VERSION};
use crate::peer::raw;
use crate::policy::{Limits, Policy, to_usize};
use crate::resolve::sources::bounded;
use crate::texts::endpoint::Part;

/// Bytes of a client's name, revision or id of a request; nobody could read a longer one.
pub(super) const MAX_NAME_BYTES: usize = 4 << 10;

/// The first revision whose calls are stateless; revisions are dates, so they compare as texts.
const MODERN: &str = "2026-07-28";

/// What a call says about its client.
pub(super) struct Described {
    /// Whether it is of revision 2026-07-28.
    pub(super) is_modern: bool,
    /// The client's name for itself.
    pub(super) client: Option<String>,
    /// The conversation that the call belongs to.
    pub(super) conversation: Option<String>,
}

/// Reads parts, and notes what was too large.
pub(super) struct Reader<'p> {
    pub(super) policy: &'p Policy,
    pub(super) inputs: &'p PolicyInputs,
    pub(super) too_large: Vec<Part>,
}

impl Reader<'_> {
    /// `initialize`, without what says nothing about roots.
    pub(super) fn initialize(&mut self, params: &SessionInitialized) -> ClientInitialized {
        ClientInitialized {
            protocol_version: params.protocol_version.clone().filter(|version| version.get().len() <= MAX_NAME_BYTES),
            capabilities: params.capabilities.as_deref().map(known_capabilities),
            client_info: params.client_info.as_deref().and_then(|info| self.client_info(info)),
        }
    }

    /// The facts of a call, and what it says about its client.
    pub(super) fn call(&mut self, started: &CallStarted) -> (RequestFacts, Described) {
        let limits = &self.policy.config.limits;
        let meta = started.meta.as_deref().map(RawValue::get);
        let members = meta.and_then(|meta| raw::members(meta, [META_CAPABILITIES, META_INFO, META_VERSION]));
        let [capabilities, info, version] = members.unwrap_or_default();
        let looks_modern = started.capabilities.is_some() || capabilities.is_present() || version.is_present();
        let is_modern = started.protocol_version.as_deref().map_or(looks_modern, |version| version >= MODERN);
        let header = |name: &str| self.inputs.headers.contains(&name.to_ascii_lowercase());
        let mut facts = RequestFacts {
            headers: read(&started.headers, limits, header, decoded),
            query: read(&started.query, limits, |name| self.inputs.query.contains(name), |text| text.into()),
            argument: started.argument.clone().map(|argument| bounded_argument(argument, limits)),
            ..RequestFacts::default()
        };
        facts.meta = meta.and_then(|meta| self.meta(meta));
        if is_modern {
            let capabilities = started.capabilities.as_deref().or_else(|| capabilities.get());
            facts.capabilities = Some(capabilities.map_or_else(no_capabilities, known_capabilities));
            let info = started.client_info.as_deref().or_else(|| info.get());
            facts.client_info = info.and_then(|info| self.client_info(info));
            facts.input_responses = started.input_responses.as_deref().and_then(|responses| self.input(responses));
        } else if started.session.is_none() {
            // With capabilities of its own, even none, a call reads nothing of its connection.
            facts.capabilities = Some(no_capabilities());
        }
        let is_of_session = started.session.is_some() && !is_modern;
        let conversation = meta.filter(|_| !is_of_session).and_then(conversation);
        let client = facts.client_info.as_deref().and_then(|info| raw::string(raw::member(info.get(), "name")?.get()));
        (facts, Described { is_modern, client, conversation })
    }

    /// The client's name for itself.
    fn client_info(&mut self, info: &RawValue) -> Option<Box<RawValue>> {
        let name = raw::string(raw::member(info.get(), "name")?.get())?;
        if name.len() > MAX_NAME_BYTES {
            self.too_large.push(Part::ClientInfo);
            return None;
        }
        to_raw_value(&json!({ "name": name })).ok()
    }

    /// The values of `_meta` that the policy reads.
    fn meta(&mut self, meta: &str) -> Option<Box<RawValue>> {
        if meta.len() > self.max_bytes() {
            self.too_large.push(Part::Meta);
        }
        let mut kept = Value::Object(Map::new());
        for names in &self.inputs.meta {
            let found = names.iter().try_fold(meta, |text, name| raw::member(text, name).map(RawValue::get));
            let limits = &self.policy.config.limits;
            let Some(found) = found else { continue };
            let mut texts = raw::texts(found, to_usize(limits.roots)).into_iter().map(|text| bounded(text, limits));
            if raw::is_object(found) {
                insert(&mut kept, names, texts.map(|key| (key, Value::Null)).collect::<Map<_, _>>().into());
            } else if let Some(text) = texts.next() {
                insert(&mut kept, names, text.into());
            }
        }
        kept.as_object().filter(|kept| !kept.is_empty()).and_then(|kept| to_raw_value(kept).ok())
    }

    /// The answers to our own questions. If a key is there, it is an answer, even as junk.
    fn input(&mut self, responses: &RawValue) -> Option<Box<RawValue>> {
        let keys = [INPUT_KEY, FORM_KEY];
        let responses = raw::members(responses.get(), keys)?;
        let mut answers = BTreeMap::new();
        for (key, response) in keys.into_iter().zip(responses).filter(|(_, response)| response.is_present()) {
            let answer = response.get().filter(|answer| answer.get().len() <= self.max_bytes());
            if response.get().is_some() && answer.is_none() {
                self.too_large.push(Part::InputResponse);
            }
            answers.insert(key, answer);
        }
        if answers.is_empty() { None } else { to_raw_value(&answers).ok() }
    }

    /// The bytes of one part, beside which the others fit into an event.
    fn max_bytes(&self) -> usize {
        to_usize(self.policy.config.limits.event_bytes / 4)
    }
}

/// The id of a conversation in `_meta`; one that nobody would choose is none.
fn conversation(meta: &str) -> Option<String> {
    let ids = raw::members(meta, CONVERSATION_KEYS)?.into_iter();
    let mut ids = ids.filter_map(|id| raw::string(id.get()?.get()));
    ids.find(|id| !id.is_empty() && id.len() <= MAX_NAME_BYTES)
}

/// The capabilities of a client that declares none.
fn no_capabilities() -> Box<RawValue> {
    json_text("{}")
}

/// The part of a client's capabilities about roots and forms.
fn known_capabilities(capabilities: &RawValue) -> Box<RawValue> {
    let client = Client::new(Some(capabilities.get()), None, 0);
    json_text(match (client.declares_roots, client.reports_changes, client.shows_forms) {
        (false, _, false) => "{}",
        (true, false, false) => r#"{"roots":{}}"#,
        (true, true, false) => r#"{"roots":{"listChanged":true}}"#,
        (false, _, true) => r#"{"elicitation":{}}"#,
        (true, false, true) => r#"{"roots":{},"elicitation":{}}"#,
        (true, true, true) => r#"{"roots":{"listChanged":true},"elicitation":{}}"#,
    })
}

fn json_text(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.into()).unwrap_or_default()
}

fn read(
    all: &BTreeMap<String, String>,
    limits: &Limits,
    is_read: impl Fn(&str) -> bool,
    decode: fn(&str) -> String,
) -> BTreeMap<String, String> {
    let kept = all.iter().filter(|(name, _)| is_read(name));
    inserted(kept.map(|(name, value)| (name.clone(), bounded(decode(value), limits))))
}

/// The text of a header, of which hosts pass each byte as the character with its number: clients write UTF-8.
fn decoded(value: &str) -> String {
    let bytes = value.chars().map(|byte| u8::try_from(u32::from(byte)).ok());
    let bytes: Option<Vec<u8>> = if value.is_ascii() { None } else { bytes.collect() };
    bytes.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_else(|| value.into())
}

/// An argument without the end of a text that is too long.
pub(super) fn bounded_argument(argument: Argument, limits: &Limits) -> Argument {
    match argument {
        Argument::Text(text) => Argument::Text(bounded(text, limits)),
        Argument::Other => Argument::Other,
    }
}

/// Puts a value where names lead to.
fn insert(tree: &mut Value, names: &[String], value: Value) {
    let Some((last, path)) = names.split_last() else { return };
    let place = path.iter().try_fold(tree, |tree, name| {
        Some(tree.as_object_mut()?.entry(name.clone()).or_insert_with(|| Value::Object(Map::new())))
    });
    if let Some(map) = place.and_then(Value::as_object_mut) {
        map.insert(last.clone(), value);
    }
}
