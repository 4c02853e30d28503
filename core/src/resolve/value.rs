//! The parser for one value: a path, a URI or a name.

use alloc::string::{String, ToString};

use crate::api::host::HostFacts;
use crate::api::reason::Reason;
use crate::path::uri::{file_uri_to_path, is_placeholder};
use crate::path::{self, PathStyle, Refusal};
use crate::policy::{Format, Relative, exceeds};

/// The rejection of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rejection {
    pub(crate) reason: Reason,
    /// A finer code.
    pub(crate) detail: Option<&'static str>,
    /// The path the value named.
    pub(crate) path: Option<String>,
}

impl Rejection {
    pub(crate) const fn new(reason: Reason) -> Self {
        Self { reason, detail: None, path: None }
    }

    pub(crate) fn at(reason: Reason, path: &str) -> Self {
        Self { reason, detail: None, path: Some(path.to_string()) }
    }

    /// The finer code if there is one, else the code of the reason.
    pub(crate) fn detail(&self) -> &'static str {
        self.detail.unwrap_or_else(|| self.reason.code())
    }
}

impl From<Refusal> for Rejection {
    fn from(refusal: Refusal) -> Self {
        let reason = match refusal {
            Refusal::NotFileUri => Reason::NotFileUri,
            Refusal::Relative => Reason::Relative,
            _ => Reason::Invalid,
        };
        Self { reason, detail: Some(refusal.code()), path: None }
    }
}

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
        let is_name = match self.format {
            Format::Name => true,
            Format::Any => !is_uri && !looks_like_path(text, self.host.style),
            Format::PathOrUri | Format::Path | Format::List => false,
        };
        if is_name {
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

/// Reads an absolute path, or a `file:` URI, as the host spells it, or as a client on another machine does.
pub(crate) fn read_path(text: &str, is_uri: bool, from_client: bool, host: &HostFacts) -> Result<String, Rejection> {
    let read = |style| if is_uri { file_uri_to_path(text, style) } else { path::absolute(text, style) };
    if from_client && !host.reaches_client_folders() {
        return Ok(read(path::guess_style(text))?);
    }
    read(host.style).map_err(|refusal| {
        let is_for_other_system = match host.style {
            PathStyle::Posix => read(PathStyle::Windows).is_ok(),
            // POSIX also reads what is wrong on Windows for another reason, such as `file:///C:x`.
            PathStyle::Windows => path::guess_style(text) == PathStyle::Posix && read(PathStyle::Posix).is_ok(),
        };
        let rejection = Rejection::from(refusal);
        if is_for_other_system { Rejection { reason: Reason::OtherSystem, ..rejection } } else { rejection }
    })
}

pub(crate) fn is_file_uri(text: &str) -> bool {
    text.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"))
}

pub(crate) fn looks_like_uri(text: &str) -> bool {
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    };
    is_file_uri(text) || text.split_once("://").is_some_and(|(scheme, _)| is_scheme(scheme))
}

pub(crate) fn looks_like_path(text: &str, style: PathStyle) -> bool {
    text.contains(['/', '\\']) || path::is_absolute(text, style)
}

/// The place of a client's folder on the server's machine, by the path map.
pub(crate) fn map_path(text: &str, host: &HostFacts) -> Option<String> {
    if !host.reaches_client_folders() {
        return None;
    }
    host.path_map.iter().find_map(|map| {
        let there = if is_file_uri(text) {
            file_uri_to_path(text, map.from_style).ok()?
        } else {
            path::absolute(text, map.from_style).ok()?
        };
        let from = path::absolute(&map.from, map.from_style).ok()?;
        if !path::is_inside(&from, &there, map.from_style) {
            return None;
        }
        let rest = there.get(from.len()..)?.trim_start_matches(['/', '\\']);
        if rest.is_empty() {
            return path::absolute(&map.to, host.style).ok();
        }
        let rest = match map.from_style {
            PathStyle::Windows => rest.replace('\\', "/"),
            PathStyle::Posix => rest.to_string(),
        };
        // On the server's style a name of the client may contain separators: it must not lead out of the mapped folder.
        path::join_inside(&map.to, &rest, host.style).ok()
    })
}
