//! What of a request concerns the project of its call (E2, E13, E14), read as plain JSON values.

use std::collections::BTreeMap;

use rootwise::endpoint::event::{CallStarted, SessionInitialized};
use rootwise::event::{Argument, ClientInitialized, RequestFacts};
use rootwise::policy::{Policy, SourceKind};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const INFO: &str = "io.modelcontextprotocol/clientInfo";

const CONVERSATION: [&str; 6] =
    ["openai/session", "vscode.conversationId", "threadId", "sessionID", "agent-session-id", "assemblySessionId"];

/// A call as its resolver sees it.
pub struct Parts {
    pub facts: RequestFacts,
    pub is_modern: bool,
    /// The client as it calls itself, and the conversation that it names.
    pub client: Option<String>,
    pub conversation: Option<String>,
    /// Whether its result may ask the client.
    pub is_repeatable: bool,
    /// The number of parts that were too large.
    pub too_large: usize,
}

pub fn value(raw: &RawValue) -> Value {
    serde_json::from_str(raw.get()).unwrap_or(Value::Null)
}

fn raw(value: &Value) -> Box<RawValue> {
    to_raw_value(value).unwrap()
}

/// What capabilities say about roots and forms: only an object declares them.
fn declared(capabilities: &Value) -> Value {
    let mut declared = match &capabilities["roots"] {
        Value::Object(roots) if roots.get("listChanged") == Some(&Value::Bool(true)) => {
            json!({ "roots": { "listChanged": true } })
        }
        Value::Object(_) => json!({ "roots": {} }),
        _ => json!({}),
    };
    let elicitation = &capabilities["elicitation"];
    let shows_forms = match &elicitation["form"] {
        Value::Null => elicitation["url"].is_null(),
        form => form.is_object(),
    };
    if elicitation.is_object() && shows_forms {
        declared["elicitation"] = json!({});
    }
    declared
}

/// The client's name, and whether it is too long to be one.
fn named(info: &Value) -> (Option<Value>, bool) {
    match info["name"].as_str() {
        Some(name) if name.len() > 4096 => (None, true),
        Some(name) => (Some(json!({ "name": name })), false),
        None => (None, false),
    }
}

/// A text that is cut one byte after the longest that counts.
pub fn cut(text: &str, policy: &Policy) -> String {
    let most = policy.config().limits.value_bytes as usize + 1;
    text.chars().take(most).collect()
}

pub fn cut_argument(argument: &Argument, policy: &Policy) -> Argument {
    match argument {
        Argument::Text(text) => Argument::Text(cut(text, policy)),
        Argument::Other => Argument::Other,
        other => panic!("no rule for {other:?}"),
    }
}

fn names(policy: &Policy, kind: SourceKind) -> Vec<&String> {
    policy.config().sources.iter().filter(|source| source.from == kind).flat_map(|source| &source.read).collect()
}

pub fn initialize(params: &SessionInitialized) -> (ClientInitialized, usize) {
    let (name, is_long) = params.client_info.as_deref().map_or((None, false), |info| named(&value(info)));
    let read = ClientInitialized::default()
        .protocol_version(params.protocol_version.clone().filter(|version| version.get().len() <= 4096))
        .capabilities(params.capabilities.as_deref().map(|capabilities| raw(&declared(&value(capabilities)))))
        .client_info(name.map(|name| raw(&name)));
    (read, usize::from(is_long))
}

/// The bytes whose numbers the characters of a text are.
fn encoding(text: &str) -> Option<Vec<u8>> {
    let is_byte = |character: char| (character as u32) < 256;
    text.chars().all(is_byte).then(|| text.chars().map(|character| character as u8).collect())
}

pub fn call(started: &CallStarted, policy: &Policy) -> Parts {
    let most = policy.config().limits.event_bytes as usize / 4;
    let mut too_large = 0;
    let meta = started.meta.as_deref().map_or(Value::Null, value);
    let version = started.protocol_version.as_deref();
    let is_modern = version.map_or_else(
        || started.capabilities.is_some() || !meta[VERSION].is_null() || !meta[CAPABILITIES].is_null(),
        |version| version >= "2026-07-28",
    );
    let mut facts = RequestFacts::default();
    let headers = names(policy, SourceKind::Header);
    let is_header = |name: &str| headers.iter().any(|read| read.eq_ignore_ascii_case(name));
    // E32: a value whose characters are the bytes of UTF-8.
    let utf8 = |value: &String| encoding(value).and_then(|bytes| std::str::from_utf8(&bytes).ok().map(str::to_owned));
    let headers_read: BTreeMap<String, String> = started
        .headers
        .iter()
        .map(|(name, value)| (name.clone(), utf8(value).unwrap_or_else(|| value.clone())))
        .collect();
    facts.headers = chosen(&headers_read, policy, is_header);
    let parameters = names(policy, SourceKind::Query);
    facts.query = chosen(&started.query, policy, |name| parameters.iter().any(|read| *read == name));
    facts.argument = started.argument.as_ref().map(|argument| cut_argument(argument, policy));
    if started.meta.as_deref().is_some_and(|meta| meta.get().len() > most) {
        too_large += 1;
    }
    let mut kept = Value::Object(Map::new());
    for pointer in names(policy, SourceKind::Meta) {
        if let Some(text) = meta.pointer(pointer).and_then(Value::as_str) {
            let steps: Vec<&str> = pointer.split('/').skip(1).collect();
            let place = steps.iter().fold(&mut kept, |place, step| &mut place[*step]);
            *place = Value::String(cut(text, policy));
        }
    }
    facts.meta = kept.as_object().is_some_and(|kept| !kept.is_empty()).then(|| raw(&kept));
    if is_modern {
        let info = started.client_info.as_deref().map_or_else(|| meta[INFO].clone(), value);
        let (name, is_long) = named(&info);
        too_large += usize::from(is_long);
        let responses = started.input_responses.as_deref().map_or(Value::Null, value);
        let mut answers = Map::new();
        for key in ["rootwise", "rootwise-project"] {
            let Some(answer) = responses.get(key) else { continue };
            let is_large = answer.to_string().len() > most;
            too_large += usize::from(is_large);
            answers.insert(key.to_owned(), if is_large { Value::Null } else { answer.clone() });
        }
        let capabilities = started.capabilities.as_deref().map_or_else(|| meta[CAPABILITIES].clone(), value);
        facts.capabilities = Some(raw(&declared(&capabilities)));
        facts.client_info = name.map(|name| raw(&name));
        facts.input_responses = (!answers.is_empty()).then(|| raw(&Value::Object(answers)));
    } else if started.session.is_none() {
        facts.capabilities = Some(raw(&json!({})));
    }
    let repeatable = ["tools/call", "prompts/get", "resources/read"];
    let is_repeatable = started.method.as_deref().is_none_or(|method| repeatable.contains(&method));
    let client = facts.client_info.as_deref().and_then(|info| value(info)["name"].as_str().map(str::to_owned));
    let is_of_session = started.session.is_some() && !is_modern;
    let mut ids = CONVERSATION.iter().filter_map(|key| meta[*key].as_str()).filter(|_| !is_of_session);
    let conversation = ids.find(|id| !id.is_empty() && id.len() <= 4096).map(str::to_owned);
    Parts { facts, is_modern, client, conversation, is_repeatable, too_large }
}

fn chosen(all: &BTreeMap<String, String>, policy: &Policy, is_read: impl Fn(&str) -> bool) -> BTreeMap<String, String> {
    let kept = all.iter().filter(|(name, _)| is_read(name));
    kept.map(|(name, value)| (name.clone(), cut(value, policy))).collect()
}
