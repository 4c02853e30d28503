//! The texts in a repository's files.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The path that a file holds: one line, without blanks around it.
pub(super) fn path(text: &str) -> Option<String> {
    let path = text.trim();
    (!path.is_empty() && !path.contains(['\n', '\0'])).then(|| path.to_string())
}

/// The URL of the remote `origin`, or of the only one, in a configuration of Git.
pub(super) fn git_remote(text: &str) -> Option<String> {
    let mut remotes: Vec<(String, String)> = Vec::new();
    let mut remote: Option<String> = None;
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with('[') {
            remote = remote_section(line);
        } else if let (Some(name), Some(url)) = (&remote, value(line, "url")) {
            // Of several URLs of one remote the first is the one to fetch from.
            if !remotes.iter().any(|(known, _)| known == name) {
                remotes.push((name.clone(), url));
            }
        }
    }
    let origin = remotes.iter().position(|(name, _)| name == "origin");
    let only = (remotes.len() == 1).then_some(0);
    origin.or(only).map(|at| remotes.swap_remove(at).1)
}

/// The name of the remote whose section begins.
fn remote_section(line: &str) -> Option<String> {
    let (head, name) = line.strip_prefix('[')?.split_once('"')?;
    let (name, _) = name.rsplit_once('"')?;
    head.trim().eq_ignore_ascii_case("remote").then(|| name.to_string())
}

/// The URL of the path `default` in a configuration of Mercurial.
pub(super) fn hg_remote(text: &str) -> Option<String> {
    let mut in_paths = false;
    for line in text.lines() {
        if line.starts_with('[') {
            in_paths = line.trim() == "[paths]";
        } else if in_paths && let Some(url) = value(line, "default") {
            return Some(url);
        }
    }
    None
}

/// The value of a name: without quotes and without a comment.
fn value(line: &str, wanted: &str) -> Option<String> {
    let (name, value) = line.split_once('=')?;
    if !name.trim().eq_ignore_ascii_case(wanted) {
        return None;
    }
    let value = value.trim();
    let value = match value.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next().unwrap_or_default(),
        None => value.split([' ', '\t', '#', ';']).next().unwrap_or_default(),
    };
    (!value.is_empty()).then(|| value.to_string())
}
