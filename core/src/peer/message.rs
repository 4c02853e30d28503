//! Raw JSON-RPC messages, for hosts without an SDK.

use alloc::borrow::ToOwned;
use alloc::string::String;

use serde_json::value::RawValue;

use super::raw::{self, Array, Member};
use crate::api::action::MessageKind;
use crate::api::event::ClientInitialized;

/// A text, by its outer form.
pub(crate) enum ParsedText<'a> {
    One(ParsedMessage<'a>),
    Batch(Array<'a>),
    /// It contains no message.
    Other(MessageKind),
}

/// One message.
pub(crate) struct ParsedMessage<'a> {
    pub(crate) kind: MessageKind,
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
    /// Another request of the client.
    Call {
        /// The raw id.
        id: &'a str,
        /// Whether it is a `ping`, which may come before the end of the handshake.
        is_ping: bool,
    },
    Response {
        /// The raw id.
        id: &'a str,
        reply: Reply<'a>,
    },
    Other,
}

pub(crate) enum Reply<'a> {
    Result(&'a RawValue),
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
        Array::read(trimmed).map_or(Self::Other(MessageKind::Broken), Self::Batch)
    }
}

impl<'a> ParsedMessage<'a> {
    pub(crate) fn parse(text: &'a str) -> Self {
        let members = raw::members(text, ["id", "method", "params", "result", "error"]);
        let [id, method, params, result, error] = members.unwrap_or_default();
        let (kind, content) = if method.is_present() {
            let kind = if id.is_present() { MessageKind::Request } else { MessageKind::Notification };
            (kind, call(id, method, params))
        } else if result.is_present() || error.is_present() {
            (MessageKind::Response, response(id, result, error))
        } else {
            (MessageKind::Broken, Content::Other)
        };
        Self { kind, content }
    }
}

fn call<'a>(id: Member<'a>, method: Member<'a>, params: Member<'a>) -> Content<'a> {
    let raw_id = id.get().map_or("null", RawValue::get);
    match (method.string().as_deref(), id.is_present()) {
        (Some("initialize"), true) => {
            let keys = ["protocolVersion", "capabilities", "clientInfo"];
            let parts = params.get().and_then(|params| raw::members(params.get(), keys)).unwrap_or_default();
            let [protocol_version, capabilities, client_info] = parts.map(|part| part.get().map(ToOwned::to_owned));
            let params = ClientInitialized { protocol_version, capabilities, client_info };
            Content::Initialize { id: raw_id, params }
        }
        (Some("notifications/initialized"), false) => Content::Initialized,
        (Some("notifications/roots/list_changed"), false) => Content::RootsChanged,
        (_, false) => Content::Other,
        (method, true) => Content::Call { id: raw_id, is_ping: method == Some("ping") },
    }
}

fn response<'a>(id: Member<'a>, result: Member<'a>, error: Member<'a>) -> Content<'a> {
    let Some(id) = id.get() else { return Content::Other };
    let reply = match (error.is_present(), result.get()) {
        (false, Some(result)) => Reply::Result(result),
        _ => {
            let error = error.get().and_then(|error| raw::members(error.get(), ["code", "message"]));
            let [code, message] = error.unwrap_or_default();
            Reply::Error { code: code.get().and_then(|code| code.get().parse().ok()), message: message.string() }
        }
    };
    Content::Response { id: id.get(), reply }
}
