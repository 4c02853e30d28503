//! The JSON-RPC messages of a resolver, for hosts without an SDK.

use alloc::format;
use alloc::string::{String, ToString};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::raw;
use crate::api::action::RequestMethod;
use crate::api::to_json;

/// A JSON-RPC id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum RequestId {
    Number(u32),
    Text(String),
}

impl RequestId {
    pub(crate) fn new(prefix: &str, token: u32) -> Self {
        if prefix.is_empty() { Self::Number(token) } else { Self::Text(format!("{prefix}{token}")) }
    }

    /// Compares with raw JSON; ids match by type and spelling.
    pub(crate) fn matches(&self, raw: &str) -> bool {
        match self {
            Self::Number(number) => raw == number.to_string(),
            Self::Text(text) => raw::string(raw).as_ref() == Some(text),
        }
    }
}

/// A request.
pub(crate) fn request(id: &RequestId, method: RequestMethod, params: Option<&Value>) -> String {
    to_json(&Request { jsonrpc: VERSION, id, method, params })
}

/// A notification that cancels a request that got no answer in time.
pub(crate) fn cancelled(id: &RequestId) -> String {
    let params = CancelledParams { request_id: id, reason: "timeout" };
    to_json(&Cancelled { jsonrpc: VERSION, method: "notifications/cancelled", params })
}

const VERSION: &str = "2.0";

#[derive(Serialize)]
struct Request<'a> {
    jsonrpc: &'static str,
    id: &'a RequestId,
    method: RequestMethod,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<&'a Value>,
}

#[derive(Serialize)]
struct Cancelled<'a> {
    jsonrpc: &'static str,
    method: &'static str,
    params: CancelledParams<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CancelledParams<'a> {
    request_id: &'a RequestId,
    reason: &'static str,
}
