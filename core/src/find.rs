//! Looking for a text in a text: the standard library's searcher brings 9 kB into the WebAssembly module, for texts that
//! are nearly always a line.

use alloc::string::String;

/// As `str::contains`.
pub(crate) fn contains(text: &str, part: &str) -> bool {
    part.is_empty() || text.char_indices().any(|(at, _)| text.get(at..).is_some_and(|rest| rest.starts_with(part)))
}

/// What follows the last of these characters, or everything.
pub(crate) fn last_part(text: &str, mark: char) -> &str {
    text.rsplit_once(mark).map_or(text, |(_, last)| last)
}

/// As `str::replace`, of a part that is not empty.
pub(crate) fn replaced(text: &str, part: &str, with: char) -> String {
    let mut made = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let behind = rest.strip_prefix(part);
        made.push(if behind.is_some() { with } else { c });
        rest = behind.unwrap_or_else(|| rest.get(c.len_utf8()..).unwrap_or_default());
    }
    made
}
