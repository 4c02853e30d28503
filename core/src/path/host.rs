//! Paths as a host reads them: whose machine they are on, and their style.

use alloc::string::String;

use super::PathStyle;
use super::rejection::Rejection;
use super::uri::file_uri_to_path;
use crate::api::host::{HostFacts, Transport};
use crate::api::reason::Reason;
use crate::path;

impl HostFacts {
    /// Whether a path is inside the allowed folders by its spelling.
    pub(crate) fn allows(&self, path: &str) -> bool {
        self.allowed_dirs.as_ref().is_none_or(|dirs| dirs.iter().any(|dir| path::is_inside(dir, path, self.style)))
    }

    pub(crate) fn is_local(&self) -> bool {
        self.local.unwrap_or(self.transport == Transport::Stdio)
    }

    /// Whether this process can use the folders that the client names: they are on this machine, or the operator allows
    /// folders here, and then each one is verified.
    pub(crate) fn reaches_client_folders(&self) -> bool {
        self.is_local() || self.allowed_dirs.is_some()
    }

    /// The style of a path or URI that the client spelled: the client's own, if it is on another machine.
    pub(crate) fn client_style(&self, text: &str) -> PathStyle {
        if self.reaches_client_folders() { self.style } else { PathStyle::of(text) }
    }
}

/// Reads an absolute path, or a `file:` URI, as the host spells it, or as a client on another machine does.
pub(crate) fn read_path(text: &str, is_uri: bool, from_client: bool, host: &HostFacts) -> Result<String, Rejection> {
    let read = |style| if is_uri { file_uri_to_path(text, style) } else { path::absolute(text, style) };
    if from_client && !host.reaches_client_folders() {
        return Ok(read(PathStyle::of(text))?);
    }
    read(host.style).map_err(|refusal| {
        let is_for_other_system = match host.style {
            PathStyle::Posix => read(PathStyle::Windows).is_ok(),
            // POSIX also reads what is wrong on Windows for another reason, such as `file:///C:x`.
            PathStyle::Windows => PathStyle::of(text) == PathStyle::Posix && read(PathStyle::Posix).is_ok(),
        };
        let rejection = Rejection::from(refusal);
        if is_for_other_system { Rejection { reason: Reason::OtherSystem, ..rejection } } else { rejection }
    })
}
