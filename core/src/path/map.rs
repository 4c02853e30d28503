//! The path map: folders of the client, and where this machine has them.

use alloc::format;
use alloc::string::{String, ToString};

use percent_encoding::percent_decode_str;

use super::uri::{file_uri_to_path, is_file_uri, looks_like_uri};
use super::{PathStyle, absolute, is_inside, join_inside};
use crate::api::host::HostFacts;

/// Whether a text is a URI of another scheme than `file`.
pub(crate) fn is_remote(text: &str) -> bool {
    looks_like_uri(text) && !is_file_uri(text)
}

/// A folder, on the machine that a URI names or on the client's own.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Scheme and host in lower case.
    machine: Option<String>,
    path: String,
}

impl Place {
    pub(crate) fn of(text: &str, style: PathStyle) -> Option<Self> {
        if !is_remote(text) {
            let read = if is_file_uri(text) { file_uri_to_path(text, style) } else { absolute(text, style) };
            return Some(Self { machine: None, path: read.ok()? });
        }
        let (scheme, rest) = text.split_once("://")?;
        let (host, path) = rest.split_at_checked(rest.find('/').unwrap_or(rest.len()))?;
        // Clients write `wsl+Ubuntu` and `wsl%2BUbuntu`.
        let host = percent_decode_str(host).decode_utf8().ok().filter(|host| !host.is_empty())?;
        let path = if path.is_empty() { "/" } else { path };
        let path = file_uri_to_path(&format!("file://{path}"), PathStyle::Posix).ok()?;
        Some(Self { machine: Some(format!("{scheme}://{host}").to_ascii_lowercase()), path })
    }
}

/// The place of a client's folder on the server's machine, by the path map.
pub(crate) fn map_path(text: &str, host: &HostFacts) -> Option<String> {
    if !host.reaches_client_folders() {
        return None;
    }
    host.path_map.iter().find_map(|map| {
        let (there, from) = (Place::of(text, map.from_style)?, Place::of(&map.from, map.from_style)?);
        if there.machine != from.machine {
            return None;
        }
        transfer(&there.path, (&from.path, map.from_style), (&map.to, host.style))
    })
}

/// A folder of the server's machine as the client spells it, by the path map; none where that makes no difference.
pub(crate) fn client_path(path: &str, host: &HostFacts) -> Option<String> {
    if !host.reaches_client_folders() {
        return None;
    }
    let maps = host.path_map.iter().filter(|map| !is_remote(&map.from));
    let there = maps.into_iter().find_map(|map| transfer(path, (&map.to, host.style), (&map.from, map.from_style)))?;
    Some(there).filter(|there| there != path)
}

/// A path below one folder as the same path below another; none if it is not below it, or has no such spelling.
pub(crate) fn transfer(path: &str, from: (&str, PathStyle), to: (&str, PathStyle)) -> Option<String> {
    let (path, folder) = (absolute(path, from.1).ok()?, absolute(from.0, from.1).ok()?);
    if !is_inside(&folder, &path, from.1) {
        return None;
    }
    let rest = path.get(folder.len()..)?.trim_start_matches(['/', '\\']);
    if rest.is_empty() {
        return absolute(to.0, to.1).ok();
    }
    let rest = match from.1 {
        PathStyle::Windows => rest.replace('\\', "/"),
        PathStyle::Posix => rest.to_string(),
    };
    // On the other style a name may contain separators: it must not lead out of the folder.
    join_inside(to.0, &rest, to.1).ok()
}
