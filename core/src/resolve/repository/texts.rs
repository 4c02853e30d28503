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
        let mut line = line.trim();
        if line.starts_with('[') {
            let section = remote_section(line);
            remote = section.map(|(name, _)| name.to_string());
            line = section.map_or("", |(_, rest)| rest);
        }
        if let (Some(name), Some(url)) = (&remote, value(line, "url")) {
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

/// The main checkout of a repository whose data lies elsewhere, in a configuration of Git.
pub(super) fn git_main_checkout(text: &str) -> Option<String> {
    let mut found = None;
    let mut in_core = false;
    for line in text.lines() {
        let mut line = line.trim();
        if let Some((head, rest)) = line.strip_prefix('[').and_then(|section| section.split_once(']')) {
            in_core = head.trim().eq_ignore_ascii_case("core");
            line = rest.trim();
        }
        // Git takes the last one.
        found = value(line, "worktree").filter(|_| in_core).or(found);
    }
    // Git escapes the backslashes of Windows.
    found.map(|path| path.replace("\\\\", "\\"))
}

/// The name of the remote whose section begins, and the rest of the line.
fn remote_section(line: &str) -> Option<(&str, &str)> {
    let (head, name) = line.strip_prefix('[')?.split_once('"')?;
    let (name, rest) = name.split_once("\"]")?;
    head.trim().eq_ignore_ascii_case("remote").then_some((name, rest))
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
        None => value.split(['#', ';']).next().unwrap_or_default().trim_end(),
    };
    (!value.is_empty()).then(|| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::git_remote;

    #[test]
    fn a_configuration_is_read_as_git_reads_it() {
        for (text, url) in [
            ("[remote \"origin\"]\n\turl = https://x.org/a b ; first\n", "https://x.org/a b"),
            ("[remote \"origin\"]\nurl=https://x.org/a#b\n", "https://x.org/a"),
            ("[remote \"origin\"]\nURL = \"https://x.org/a;b\" # c\n", "https://x.org/a;b"),
            ("[remote \"origin\"] url = https://x.org/a\n", "https://x.org/a"),
            ("[remote \"origin\"] # the \"main\" one\nurl = https://x.org/a\n", "https://x.org/a"),
            ("[remote \"up\"]\nurl = u:a\n[remote \"origin\"]\nurl = o:a\nurl = p:a\n[x]\nurl = q:a\n", "o:a"),
            ("[remote \"only\"]\n# url = x:a\n; url = y:a\npushurl = p:a\nurl = o:a\n", "o:a"),
        ] {
            assert_eq!(git_remote(text).as_deref(), Some(url), "{text}");
        }
        for text in
            ["", "[remote \"origin\"]\nurl =\n", "[remote \"a\"]\nurl=a:a\n[remote \"b\"]\nurl=b:b\n", "url = a:a\n"]
        {
            assert_eq!(git_remote(text), None, "{text}");
        }
    }
}
