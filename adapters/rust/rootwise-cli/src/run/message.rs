//! JSON-RPC messages: what a router reads of them, and those that it writes itself. Everything else passes as the bytes that came.

use std::borrow::Cow;
use std::collections::BTreeMap;

use bytes::{Bytes, BytesMut};
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

/// The parts of a message that decide where it goes.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Head<'m> {
    #[serde(borrow)]
    pub(crate) id: Option<&'m RawValue>,
    pub(crate) method: Option<String>,
    #[serde(borrow)]
    pub(crate) params: Option<&'m RawValue>,
    #[serde(borrow)]
    pub(crate) result: Option<&'m RawValue>,
    #[serde(borrow)]
    pub(crate) error: Option<&'m RawValue>,
}

/// A line in which bytes that are no UTF-8 are replaced, so that one of them hides no message.
pub(crate) fn readable(line: &Bytes) -> Bytes {
    match String::from_utf8_lossy(line) {
        Cow::Borrowed(_) => line.clone(),
        Cow::Owned(text) => text.into(),
    }
}

/// The id of a request, as JSON: `1` and `"1"` differ.
pub(crate) type Id = Box<str>;

pub(crate) enum Kind {
    Request(Id, String),
    Notification(String),
    Response(Id),
    /// No message, or a batch of them.
    Other,
}

impl<'m> Head<'m> {
    pub(crate) fn of(line: &'m [u8]) -> Self {
        object(line).unwrap_or_default()
    }

    pub(crate) fn kind(&mut self) -> Kind {
        let id = self.id.map(|id| Id::from(id.get()));
        match (id, self.method.take()) {
            (Some(id), Some(method)) => Kind::Request(id, method),
            (None, Some(method)) => Kind::Notification(method),
            (Some(id), None) if self.result.is_some() || self.error.is_some() => Kind::Response(id),
            _ => Kind::Other,
        }
    }
}

/// The parameters of a call that can concern its project.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Params<'m> {
    #[serde(borrow, rename = "_meta")]
    pub(crate) meta: Option<&'m RawValue>,
    pub(crate) name: Option<Cow<'m, str>>,
    #[serde(borrow)]
    pub(crate) arguments: Option<&'m RawValue>,
    #[serde(borrow)]
    pub(crate) input_responses: Option<&'m RawValue>,
    pub(crate) request_state: Option<String>,
    #[serde(borrow)]
    pub(crate) request_id: Option<&'m RawValue>,
    #[serde(borrow)]
    pub(crate) progress_token: Option<&'m RawValue>,
    #[serde(borrow)]
    pub(crate) cursor: Option<&'m RawValue>,
}

impl<'m> Params<'m> {
    pub(crate) fn of(params: Option<&'m RawValue>) -> Self {
        params.and_then(|params| object(params.get().as_bytes())).unwrap_or_default()
    }
}

/// Reads an object; without this check, serde also takes a list for one, member by member.
fn object<'m, T: Deserialize<'m>>(text: &'m [u8]) -> Option<T> {
    text.trim_ascii_start().starts_with(b"{").then(|| serde_json::from_slice(text).ok()).flatten()
}

/// A message as a line.
pub(crate) fn line(message: &Value) -> Bytes {
    let mut text = message.to_string();
    text.push('\n');
    text.into()
}

/// The id as a value.
fn value(id: &str) -> Value {
    serde_json::from_str(id).unwrap_or_default()
}

pub(crate) fn request(id: &str, method: &str, params: &Value) -> Bytes {
    line(&json!({ "jsonrpc": "2.0", "id": value(id), "method": method, "params": params }))
}

pub(crate) fn notification(method: &str) -> Bytes {
    line(&json!({ "jsonrpc": "2.0", "method": method }))
}

pub(crate) fn cancelled(id: &str, reason: &str) -> Bytes {
    let params = json!({ "requestId": value(id), "reason": reason });
    line(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }))
}

pub(crate) fn result(id: &str, result: &Value) -> Bytes {
    line(&json!({ "jsonrpc": "2.0", "id": value(id), "result": result }))
}

/// A message with other words in place of these parts of it; everything else stays as the bytes that came.
pub(crate) fn replaced<'p>(message: &[u8], parts: impl IntoIterator<Item = (&'p str, &'p str)>) -> Bytes {
    let place = |part: &str| (part.as_ptr() as usize).wrapping_sub(message.as_ptr() as usize);
    let mut parts: Vec<(usize, &str, &str)> = parts.into_iter().map(|(part, with)| (place(part), part, with)).collect();
    parts.sort_unstable_by_key(|(at, ..)| *at);
    let (mut filled, mut done) = (BytesMut::with_capacity(message.len()), 0);
    for (at, part, with) in parts {
        filled.extend_from_slice(message.get(done..at).unwrap_or_default());
        filled.extend_from_slice(with.as_bytes());
        done = at.saturating_add(part.len());
    }
    filled.extend_from_slice(message.get(done..).unwrap_or_default());
    filled.freeze()
}

/// Members by name; their values stay as they came.
pub(crate) type Members = BTreeMap<String, Box<RawValue>>;

/// A message with other parameters; what `change` leaves alone stays as it came.
pub(crate) fn with_params(message: &[u8], change: impl FnOnce(&mut Members) -> Option<()>) -> Option<Bytes> {
    let mut members: Members = serde_json::from_slice(message).ok()?;
    let mut params = members_of(members.get("params").map(AsRef::as_ref));
    change(&mut params)?;
    members.insert("params".into(), to_raw_value(&params).ok()?);
    let mut text = serde_json::to_vec(&members).ok()?;
    text.push(b'\n');
    Some(text.into())
}

/// The members of an object; none if it is no object.
pub(crate) fn members_of(value: Option<&RawValue>) -> Members {
    value.and_then(|value| serde_json::from_str(value.get()).ok()).unwrap_or_default()
}

/// JSON-RPC's code for a fault of the server.
pub(crate) const INTERNAL_ERROR: i64 = -32_603;
pub(crate) const INVALID_PARAMS: i64 = -32_602;
pub(crate) const INVALID_REQUEST: i64 = -32_600;
pub(crate) const METHOD_NOT_FOUND: i64 = -32_601;

/// An error with a stable code of ours in its data.
pub(crate) fn error(id: &str, number: i64, code: &str, message: &str) -> Bytes {
    let error = json!({ "code": number, "message": message, "data": { "code": code } });
    line(&json!({ "jsonrpc": "2.0", "id": value(id), "error": error }))
}

/// The same message with another id.
pub(crate) fn with_id(message: &[u8], id: &str) -> Option<Bytes> {
    Some(replaced(message, [(Head::of(message).id?.get(), id)]))
}

/// The result of a tool that failed: the model reads the text.
pub(crate) fn tool_result(text: &str, is_error: bool, is_modern: bool) -> Value {
    let mut result = json!({ "content": [{ "type": "text", "text": text }], "isError": is_error });
    if let (true, Some(result)) = (is_modern, result.as_object_mut()) {
        result.insert("resultType".into(), "complete".into());
    }
    result
}

#[cfg(test)]
#[allow(clippy::panic, clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;

    #[test]
    fn messages_are_sorted_by_their_members() {
        let kind = |text: &str| match Head::of(text.as_bytes()).kind() {
            Kind::Request(id, method) => format!("request {id} {method}"),
            Kind::Notification(method) => format!("notification {method}"),
            Kind::Response(id) => format!("response {id}"),
            Kind::Other => "other".into(),
        };
        assert_eq!(kind(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#), "request 1 ping");
        assert_eq!(kind(r#"{"jsonrpc":"2.0","id":"1","method":"ping","params":{}}"#), "request \"1\" ping");
        assert_eq!(kind(r#"{"jsonrpc":"2.0","method":"a/b"}"#), "notification a/b");
        assert_eq!(kind(r#"{"jsonrpc":"2.0","id":7,"result":{}}"#), "response 7");
        assert_eq!(kind(r#"{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":""}}"#), "response 7");
        for other in ["", "Listening on stdio", "[]", r#"["x","ping"]"#, "{", r#"{"id":7}"#, r#"{"method":3}"#] {
            assert_eq!(kind(other), "other", "{other}");
        }
    }

    #[test]
    fn an_id_keeps_its_type() {
        let read = |line: &[u8]| serde_json::from_slice::<Value>(line).unwrap();
        let result = result("\"7\"", &json!({}));
        assert_eq!(read(&result), json!({ "jsonrpc": "2.0", "id": "7", "result": {} }));
        assert!(result.ends_with(b"}\n"), "one line");
        // Numbers that no f64 holds, spaces and the order of members stay.
        let renamed =
            with_id(b"{ \"n\":1e999,\"id\" : 1 , \"jsonrpc\":\"2.0\",\"method\":\"ping\"}\n", "\"rootwise:1\"")
                .unwrap();
        assert_eq!(renamed, "{ \"n\":1e999,\"id\" : \"rootwise:1\" , \"jsonrpc\":\"2.0\",\"method\":\"ping\"}\n");
        assert_eq!(with_id(b"[]\n", "1"), None);
    }
}
