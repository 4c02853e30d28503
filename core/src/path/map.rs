//! The path map: folders of the client, and where this machine has them.

use alloc::format;
use alloc::string::String;

use percent_encoding::percent_decode_str;

use super::parse::Parsed;
use super::uri::{file_uri_to_path, is_file_uri, looks_like_uri};
use super::{PathStyle, absolute, join_inside};
use crate::api::host::{HostFacts, PathMap};

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

    /// Whether it is on the machine of an entry, whose name may end with `+*`: any machine of that kind.
    fn is_on_machine_of(&self, from: &Self) -> bool {
        match (&self.machine, &from.machine) {
            (Some(machine), Some(wanted)) => match wanted.strip_suffix('*').filter(|kind| kind.ends_with('+')) {
                Some(kind) => machine.len() > kind.len() && machine.starts_with(kind),
                None => machine == wanted,
            },
            (machine, wanted) => machine == wanted,
        }
    }
}

/// What a text shows of how the client spells its folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spelling<'a> {
    /// Nothing: the server itself was given the text.
    Unknown,
    /// The client spells them as this machine does.
    AsHere,
    /// This entry of the path map contains the folder.
    Mapped(&'a PathMap),
}

impl<'a> Spelling<'a> {
    /// What a text of the client shows.
    pub(crate) fn of(text: &str, host: &'a HostFacts) -> Self {
        mapped(text, host).map_or(Self::AsHere, |(map, _)| Self::Mapped(map))
    }
}

/// The place of a client's folder on the server's machine, by the path map.
pub(crate) fn map_path(text: &str, host: &HostFacts) -> Option<String> {
    mapped(text, host).map(|(_, path)| path)
}

/// The entry of the path map that contains a client's folder, and the folder's place on the server's machine.
fn mapped<'h>(text: &str, host: &'h HostFacts) -> Option<(&'h PathMap, String)> {
    if !host.reaches_client_folders() {
        return None;
    }
    host.path_map.iter().find_map(|map| {
        let (there, from) = (Place::of(text, map.from_style)?, Place::of(&map.from, map.from_style)?);
        if !there.is_on_machine_of(&from) {
            return None;
        }
        Some((map, transfer(&there.path, (&from.path, map.from_style), (&map.to, host.style))?))
    })
}

/// A folder of the server's machine as the client spells it, by the path map; none where that makes no difference.
pub(crate) fn client_path(path: &str, spelling: Spelling<'_>, host: &HostFacts) -> Option<String> {
    if !host.reaches_client_folders() {
        return None;
    }
    let spelled = |map: &PathMap| {
        let from = Place::of(&map.from, map.from_style)?;
        transfer(path, (&map.to, host.style), (&from.path, map.from_style))
    };
    let mut folders = host.path_map.iter().filter(|map| !is_remote(&map.from));
    let there = match spelling {
        Spelling::Unknown => folders.find_map(spelled),
        Spelling::AsHere => None,
        // A walk or a link may have led out of the entry's folder.
        Spelling::Mapped(used) => {
            spelled(used).or_else(|| folders.filter(|map| map.from_style == used.from_style).find_map(spelled))
        }
    };
    there.filter(|there| there != path)
}

/// A path below one folder as the same path below another; none if it is not below it, or has no such spelling.
pub(crate) fn transfer(path: &str, from: (&str, PathStyle), to: (&str, PathStyle)) -> Option<String> {
    let (path, folder) = (Parsed::absolute(path, from.1).ok()?, Parsed::absolute(from.0, from.1).ok()?);
    let rest = path.below(&folder)?.join("/");
    if rest.is_empty() {
        return absolute(to.0, to.1).ok();
    }
    // On the other style a name may contain separators: it must not lead out of the folder.
    join_inside(to.0, &rest, to.1).ok()
}
