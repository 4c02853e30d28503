//! Names made from names: for folders, indexes and the like.

use alloc::string::String;

use serde::{Deserialize, Serialize};

use super::uri::project_id;

/// The characters that a sanitised name consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum NameForm {
    /// Letters and digits of any script, `_` and `-`: the pattern `[\w-]`.
    Word,
    /// Lower-case ASCII letters, digits and `_`: the pattern `[a-z0-9_]`.
    Identifier,
}

/// The most characters of a name in a slug.
const READABLE: usize = 40;

/// Returns a name that consists only of certain characters: every run of others becomes one `-` or `_`, except at the ends,
/// where it is dropped. `My-cool project` becomes `My-cool-project` as a word and `my_cool_project` as an identifier.
///
/// Different names may come out the same; if nothing is left, it is `project` or `index`. For a folder use [`project_slug`].
///
/// ```
/// use rootwise::path::name::{NameForm, sanitize_name};
///
/// assert_eq!(sanitize_name("My-cool project", NameForm::Word), "My-cool-project");
/// assert_eq!(sanitize_name("My-cool project", NameForm::Identifier), "my_cool_project");
/// assert_eq!(sanitize_name("…", NameForm::Word), "project");
/// ```
pub fn sanitize_name(name: &str, form: NameForm) -> String {
    match form {
        NameForm::Word => joined(name, '-', |c| c.is_alphanumeric() || c == '_' || c == '-', |c| c, "project"),
        NameForm::Identifier => joined(name, '_', |c| c.is_ascii_alphanumeric(), |c| c.to_ascii_lowercase(), "index"),
    }
}

/// Returns the name of a folder for a project: readable, different for different keys, and safe on every system.
///
/// It consists of lower-case ASCII letters, digits and `-`, has at most 57 characters, is no reserved name of Windows, and
/// does not depend on the case or the Unicode form of a file system. `My Project` becomes `my-project-9a8f1c3d2b4e5f60`.
///
/// ```
/// use rootwise::path::name::project_slug;
/// use rootwise::path::uri::project_id;
///
/// let slug = project_slug("My Project", "/work/My Project");
/// assert_eq!(slug, format!("my-project-{}", project_id("/work/My Project")));
/// ```
pub fn project_slug(name: &str, key: &str) -> String {
    slug_with_id(name, &project_id(key))
}

/// The name of a folder that shares it with another one.
pub(crate) fn name_with_id(name: &str, id: &str) -> String {
    let id: String = id.chars().take(4).collect();
    [name, &id].join("-")
}

pub(crate) fn slug_with_id(name: &str, id: &str) -> String {
    let mut slug = joined(name, '-', |c| c.is_ascii_alphanumeric(), |c| c.to_ascii_lowercase(), "project");
    // ASCII only, so a byte is a character.
    slug.truncate(READABLE);
    slug.truncate(slug.trim_end_matches('-').len());
    slug.push('-');
    slug.push_str(id);
    slug
}

fn joined(name: &str, gap: char, keeps: impl Fn(char) -> bool, write: impl Fn(char) -> char, empty: &str) -> String {
    let mut made = String::new();
    for word in name.split(|c| !keeps(c)).filter(|word| !word.is_empty()) {
        if !made.is_empty() {
            made.push(gap);
        }
        made.extend(word.chars().map(&write));
    }
    if made.is_empty() { empty.into() } else { made }
}
