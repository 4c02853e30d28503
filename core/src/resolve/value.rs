//! The parser for one value: a path, a URI or a name.

use alloc::string::{String, ToString};

use crate::api::host::HostFacts;
use crate::api::reason::Reason;
use crate::path::host::read_path;
use crate::path::map::map_path;
use crate::path::rejection::Rejection;
use crate::path::uri::{is_file_uri, is_placeholder, looks_like_uri};
use crate::path::{self, PathStyle};
use crate::policy::{Format, Relative, exceeds};

/// The meaning of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ParsedValue {
    Path(String),
    Name(String),
}

/// The rules for reading a value.
pub(crate) struct ValueParser<'a> {
    pub(crate) host: &'a HostFacts,
    pub(crate) format: Format,
    pub(crate) relative: Relative,
    /// Whether the client spelled it, so that the path map applies.
    pub(crate) from_client: bool,
    pub(crate) value_bytes: u32,
}

impl ValueParser<'_> {
    pub(crate) fn parse(&self, text: &str) -> Result<ParsedValue, Rejection> {
        if exceeds(text.len(), self.value_bytes) {
            return Err(Rejection::new(Reason::TooLong));
        }
        if is_placeholder(text) {
            return Err(Rejection::new(Reason::Placeholder));
        }
        let is_uri = self.format != Format::Path && looks_like_uri(text);
        if self.format == Format::Any && !is_uri && !looks_like_path(text, self.host.style) {
            return Ok(ParsedValue::Name(text.to_string()));
        }
        if self.from_client
            && (self.format != Format::Path || !is_file_uri(text))
            && let Some(mapped) = map_path(text, self.host)
        {
            return Ok(ParsedValue::Path(mapped));
        }
        match read_path(text, is_uri, self.from_client, self.host) {
            Err(rejection) if rejection.reason == Reason::Relative && !is_uri => self.join_cwd(text, rejection),
            read => Ok(ParsedValue::Path(read?)),
        }
    }

    fn join_cwd(&self, text: &str, rejection: Rejection) -> Result<ParsedValue, Rejection> {
        match &self.host.cwd {
            Some(cwd) if self.relative == Relative::Cwd && (self.host.is_local() || !self.from_client) => {
                Ok(ParsedValue::Path(path::join(cwd, text, self.host.style)?))
            }
            _ => Err(rejection),
        }
    }
}

pub(crate) fn looks_like_path(text: &str, style: PathStyle) -> bool {
    text.contains(['/', '\\']) || path::is_absolute(text, style)
}
