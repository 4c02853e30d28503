//! The place of an error in JSON that a host wrote.
//!
//! `serde_path_to_error` tracks places around a reader, and a second copy of every reader would be a tenth of a WebAssembly
//! module. So types are read without it. After an error, it follows the text once more, cut off in the part that the type's
//! reader refused: the place where the text ends is the place of the error.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use serde::Deserialize;
use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Deserializer, Error};
use serde_path_to_error::Segment;

/// The error of reading a part of a text.
pub(crate) type Refusal<'f, 'a> = &'f dyn Fn(&'a str) -> Option<Error>;

/// The path to what a reader refused, like `sources[1].from`; `.` for the top.
pub(crate) fn place<'a>(text: &'a str, error: &Error, read: Refusal<'_, 'a>) -> String {
    let start = refused_start(text, read);
    let message = error.to_string();
    let path = match (ends_in(start), start.char_indices().next_back()) {
        (Some(End { path, is_string: true }), _) => Some(path),
        // After a key, or after a string.
        (_, Some((at, '"'))) => match path_to_end(&[start, ":\""].concat()) {
            Some(path) if is_of_parent(&message) => parent(path),
            Some(path) => Some(path),
            None => start.get(..at).and_then(path_to_end),
        },
        // After a list or an object that is wrong as a whole.
        (_, Some((at, '}' | ']'))) => start.get(..at).and_then(path_to_end),
        // At the start of another list or object, or in another value.
        _ => {
            let before = start.strip_suffix(['{', '[']).unwrap_or_else(|| start.trim_end_matches(is_of_scalar));
            path_to_end(&[before, "\""].concat())
        }
    };
    // Known only with the value.
    let path = if message.starts_with("duplicate key") { path.and_then(parent) } else { path };
    written(&path.unwrap_or_default())
}

/// The shortest start of a text that a reader refuses for another reason than its end.
fn refused_start<'a>(text: &'a str, read: Refusal<'_, 'a>) -> &'a str {
    let start = |length: usize| (0..=length).rev().find_map(|length| text.get(..length)).unwrap_or_default();
    let (mut accepted, mut refused) = (0_usize, text.len());
    loop {
        let middle = accepted.midpoint(refused);
        if middle == accepted {
            return start(refused);
        }
        if read(start(middle)).is_some_and(|error| !error.is_eof()) {
            refused = middle;
        } else {
            accepted = middle;
        }
    }
}

/// Where a text ends too early.
struct End {
    path: Vec<Segment>,
    is_string: bool,
}

fn ends_in(text: &str) -> Option<End> {
    let end = |text: &str| {
        let error = serde_path_to_error::deserialize::<_, Passed>(&mut Deserializer::from_str(text)).err()?;
        let mut path: Vec<_> = error.path().iter().cloned().collect();
        // Before the next key.
        path.pop_if(|last| matches!(last, Segment::Unknown));
        let is_string = error.inner().to_string().starts_with("EOF while parsing a string");
        error.inner().is_eof().then_some(End { path, is_string })
    };
    // A lone surrogate in a value that is kept as text ends no other.
    end(text).or_else(|| end(&text.replace("\\u", "\\/")))
}

fn path_to_end(text: &str) -> Option<Vec<Segment>> {
    ends_in(text).map(|end| end.path)
}

/// Whether a key is an error of its object or enum.
fn is_of_parent(message: &str) -> bool {
    ["duplicate field", "unknown variant"].into_iter().any(|problem| message.starts_with(problem))
}

fn parent(mut path: Vec<Segment>) -> Option<Vec<Segment>> {
    path.pop().map(|_| path)
}

/// Whether a character is of a number, `true`, `false` or `null`.
const fn is_of_scalar(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '+' | '-' | '.')
}

/// As `serde_path_to_error` writes paths.
fn written(path: &[Segment]) -> String {
    let mut text = String::new();
    for segment in path {
        if !text.is_empty() && !matches!(segment, Segment::Seq { .. }) {
            text.push('.');
        }
        text.push_str(&segment.to_string());
    }
    if text.is_empty() { ".".into() } else { text }
}

/// Any value, of which nothing is kept.
struct Passed;

impl<'de> Deserialize<'de> for Passed {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Passed {
    type Value = Self;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while items.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self, A::Error> {
        while members.next_entry::<IgnoredAny, Self>()?.is_some() {}
        Ok(self)
    }
}
