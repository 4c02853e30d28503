//! Raw JSON-RPC messages, for hosts without an SDK.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::value::RawValue;

use super::raw::{self, Object};
use crate::api::action::MessageKind;
use crate::api::event::ClientInitialized;

/// A text, by its outer form.
pub(crate) enum ParsedText<'a> {
    One(ParsedMessage<'a>),
    Batch(Vec<ParsedMessage<'a>>),
    /// It contains no message.
    Other(MessageKind),
}

/// One message.
pub(crate) struct ParsedMessage<'a> {
    pub(crate) kind: MessageKind,
    pub(crate) text: &'a str,
    pub(crate) content: Content<'a>,
}

/// The part of a message that concerns the resolver.
pub(crate) enum Content<'a> {
    Initialize {
        /// The raw id.
        id: &'a str,
        params: ClientInitialized,
    },
    Initialized,
    RootsChanged,
    /// Another request of the client, except `ping`, which may come before the end of the handshake.
    Call {
        /// The raw id.
        id: &'a str,
    },
    Response {
        /// The raw id.
        id: &'a str,
        reply: Reply,
    },
    Other,
}

pub(crate) enum Reply {
    Result(Box<RawValue>),
    Error { code: Option<i64>, message: Option<String> },
}

impl<'a> ParsedText<'a> {
    pub(crate) fn parse(text: &'a str) -> Self {
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return Self::Other(MessageKind::Blank);
        }
        if !trimmed.starts_with('[') {
            return Self::One(ParsedMessage::parse(trimmed));
        }
        match raw::array(trimmed) {
            Some(elements) => {
                Self::Batch(elements.into_iter().map(|element| ParsedMessage::parse(element.get())).collect())
            }
            None => Self::Other(MessageKind::Broken),
        }
    }
}

impl<'a> ParsedMessage<'a> {
    fn parse(text: &'a str) -> Self {
        let (kind, content) = match Object::read(text) {
            None => (MessageKind::Broken, Content::Other),
            Some(message) if message.has("method") => {
                let has_id = message.has("id");
                let kind = if has_id { MessageKind::Request } else { MessageKind::Notification };
                (kind, call(&message, has_id))
            }
            Some(message) if message.has("result") || message.has("error") => {
                (MessageKind::Response, response(&message))
            }
            Some(_) => (MessageKind::Broken, Content::Other),
        };
        Self { kind, text, content }
    }
}

fn call<'a>(message: &Object<'a>, has_id: bool) -> Content<'a> {
    let id = message.get("id").map_or("null", RawValue::get);
    match (message.string("method").as_deref(), has_id) {
        (Some("initialize"), true) => {
            let params = message.get("params").and_then(|params| Object::read(params.get()));
            let part = |key: &str| params.as_ref()?.get(key).map(ToOwned::to_owned);
            let params = ClientInitialized {
                protocol_version: part("protocolVersion"),
                capabilities: part("capabilities"),
                client_info: part("clientInfo"),
            };
            Content::Initialize { id, params }
        }
        (Some("notifications/initialized"), false) => Content::Initialized,
        (Some("notifications/roots/list_changed"), false) => Content::RootsChanged,
        (Some("ping"), _) | (_, false) => Content::Other,
        (_, true) => Content::Call { id },
    }
}

fn response<'a>(message: &Object<'a>) -> Content<'a> {
    let Some(id) = message.get("id") else { return Content::Other };
    let reply = match (message.has("error"), message.get("result")) {
        (false, Some(result)) => Reply::Result(result.to_owned()),
        _ => {
            let error = message.get("error").and_then(|error| Object::read(error.get()));
            let code = error.as_ref().and_then(|error| error.get("code")?.get().parse().ok());
            Reply::Error { code, message: error.and_then(|error| error.string("message")) }
        }
    };
    Content::Response { id: id.get(), reply }
}
