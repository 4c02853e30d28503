//! The environment, sorted: a value is shown only if its name is about projects and it looks like a place.

use std::collections::{BTreeMap, BTreeSet};

use rootwise::Policy;
use rootwise::endpoint::inputs::PolicyInputs;
use rootwise::policy::PRESETS;
use serde::Serialize;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Signals {
    /// Variables about projects, with their values.
    pub(crate) shown: BTreeMap<String, String>,
    /// The names of all others.
    pub(crate) hidden: BTreeSet<String>,
}

pub(crate) fn signals(variables: impl IntoIterator<Item = (String, String)>) -> Signals {
    let read: BTreeSet<String> = PRESETS
        .iter()
        .filter_map(|(name, _)| Policy::preset(name).ok())
        .flat_map(|policy| PolicyInputs::of(&policy).env)
        .chain(["PWD", "OLDPWD", "INIT_CWD"].map(str::to_owned))
        .collect();
    let mut signals = Signals::default();
    for (name, value) in variables {
        if !read.contains(&name) && !tells(&name) {
            signals.hidden.insert(name);
        } else if value.is_empty() || is_place(&value) || has_placeholder(&value) {
            signals.shown.insert(name, value);
        } else {
            signals.shown.insert(name, "(hidden: not a path)".into());
        }
    }
    signals
}

/// Whether a variable of this name is about projects: `MY_PROJECT`, `REPO_ROOT`, `WORKSPACE_FOLDER_PATHS`.
fn tells(name: &str) -> bool {
    const ENDINGS: [&str; 9] =
        ["_FOLDER_PATHS", "_DIR", "_DIRS", "_ROOT", "_PATH", "_PATHS", "_FOLDER", "_FOLDERS", ""];
    const SUBJECTS: [&str; 5] = ["PROJECT", "WORKSPACE", "WORKSPACES", "REPO", "REPOSITORY"];
    ENDINGS.iter().filter_map(|ending| name.strip_suffix(ending)).any(|start| {
        SUBJECTS
            .iter()
            .any(|subject| start.strip_suffix(subject).is_some_and(|rest| rest.is_empty() || rest.ends_with('_')))
    })
}

/// Whether a value is a path, a `file:` URI or a list of them: such values hold no secret.
fn is_place(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let mut letters = lower.chars();
    let is_drive = letters.next().is_some_and(|letter| letter.is_ascii_lowercase())
        && letters.next() == Some(':')
        && matches!(letters.next(), Some('/' | '\\'));
    is_drive || ["\\\\", "/", "file:"].iter().any(|start| lower.starts_with(start))
}

/// Whether a client left a `${placeholder}` in it.
fn has_placeholder(value: &str) -> bool {
    value.split_once("${").is_some_and(|(_, rest)| rest.contains('}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_places_in_variables_about_projects_are_shown() {
        let variables = [
            ("CLAUDE_PROJECT_DIR", "/work/app"),
            ("MY_PROJECT", "s3cret"),
            ("REPO_ROOT", r"C:\code"),
            ("WORKSPACE_FOLDER_PATHS", "${workspaceFolder}"),
            ("SECRET_TOKEN", "/looks/like/a/path"),
            ("PROJECTILE", "/x"),
        ];
        let signals = signals(variables.map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert_eq!(
            signals.shown.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect::<Vec<_>>(),
            [
                ("CLAUDE_PROJECT_DIR", "/work/app"),
                ("MY_PROJECT", "(hidden: not a path)"),
                ("REPO_ROOT", r"C:\code"),
                ("WORKSPACE_FOLDER_PATHS", "${workspaceFolder}"),
            ]
        );
        assert_eq!(signals.hidden.iter().map(String::as_str).collect::<Vec<_>>(), ["PROJECTILE", "SECRET_TOKEN"]);
    }
}
