//! What one request says about its project.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::unique_keys;

/// The facts of one request.
///
/// ```
/// use rootwise::event::{Argument, RequestFacts};
///
/// let headers = [("x-project-path".to_owned(), "/work/app".to_owned())].into();
/// let facts = RequestFacts::default().headers(headers).argument(Argument::from("/work/api"));
/// assert!(!facts.is_empty() && RequestFacts::default().is_empty());
/// ```
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[non_exhaustive]
pub struct RequestFacts {
    /// What the server itself knows about the caller: an authenticated workspace, or a handle the server issued.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The call's project argument, of any type: what is not a text is refused.
    #[serde(skip_serializing_if = "Option::is_none", with = "super::argument")]
    #[cfg_attr(feature = "ts", ts(type = "unknown", optional))]
    #[cfg_attr(feature = "schema", schemars(with = "Option<serde_json::Value>"))]
    pub argument: Option<Argument>,
    /// HTTP headers; names match in any case.
    #[serde(deserialize_with = "unique_keys", skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub headers: BTreeMap<String, String>,
    /// HTTP query parameters.
    #[serde(deserialize_with = "unique_keys", skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub query: BTreeMap<String, String>,
    /// The raw `_meta` of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(type = "unknown", optional))]
    pub meta: Option<Box<RawValue>>,
    /// The client's raw capabilities, where an SDK lifted them out of `_meta`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(type = "unknown", optional))]
    pub capabilities: Option<Box<RawValue>>,
    /// The client's raw self-description, where an SDK lifted it out of `_meta`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(type = "unknown", optional))]
    pub client_info: Option<Box<RawValue>>,
    /// The raw `inputResponses` of a retried call.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(type = "unknown", optional))]
    pub input_responses: Option<Box<RawValue>>,
    /// The folders to which this caller is confined, within those of the host facts, which must have some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_dirs: Option<Vec<String>>,
}

impl RequestFacts {
    /// Whether the request says nothing about its project.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.capabilities.is_none() && self.client_info.is_none() && self.only_describe_client()
    }

    /// Whether the request says nothing but what its client is.
    pub(crate) fn only_describe_client(&self) -> bool {
        let Self {
            server,
            argument,
            headers,
            query,
            meta,
            capabilities: _,
            client_info: _,
            input_responses,
            allowed_dirs,
        } = self;
        server.is_none()
            && argument.is_none()
            && headers.is_empty()
            && query.is_empty()
            && meta.is_none()
            && input_responses.is_none()
            && allowed_dirs.is_none()
    }
}

setters!(RequestFacts {
    headers: BTreeMap<String, String>,
    query: BTreeMap<String, String>;
    server: String,
    argument: Argument,
    meta: Box<RawValue>,
    capabilities: Box<RawValue>,
    client_info: Box<RawValue>,
    input_responses: Box<RawValue>,
    allowed_dirs: Vec<String>,
});

/// The project argument of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Argument {
    /// A text.
    Text(String),
    /// Anything else, which is refused.
    Other,
}

impl<T: Into<String>> From<T> for Argument {
    fn from(text: T) -> Self {
        Self::Text(text.into())
    }
}
