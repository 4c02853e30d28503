//! JSON from a peer, read part by part, so that one bad part never spoils the rest.
//!
//! Nested values stay unparsed text until they are needed. `RawValue` skips over text iteratively, so depth costs nothing;
//! a lone surrogate, a duplicate key or a wrong type spoils only the value that contains it. Peer data never becomes a
//! `serde_json::Value`, whose parser recurses. Nor are members or elements collected: a peer can put a hundred thousand of
//! them into a message, each of a few bytes.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// A member of an object.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Member<'a> {
    #[default]
    Absent,
    Once(&'a RawValue),
    /// Its key appears several times, so it has no value: two readers might pick different ones.
    Ambiguous,
}

impl<'a> Member<'a> {
    /// The value of a key that appears exactly once.
    pub(crate) const fn get(self) -> Option<&'a RawValue> {
        match self {
            Self::Once(value) => Some(value),
            Self::Absent | Self::Ambiguous => None,
        }
    }

    pub(crate) const fn is_present(self) -> bool {
        !matches!(self, Self::Absent)
    }

    /// The value, if it is a string.
    pub(crate) fn string(self) -> Option<String> {
        string(self.get()?.get())
    }
}

/// The members of an object with these keys; any other text is `None`.
pub(crate) fn members<'a, const N: usize>(text: &'a str, keys: [&str; N]) -> Option<[Member<'a>; N]> {
    let mut members = [Member::Absent; N];
    let is_object = for_each_member(text, &mut |key, value| {
        let wanted = key_text(key).and_then(|key| keys.iter().position(|wanted| *wanted == key));
        if let Some(member) = wanted.and_then(|at| members.get_mut(at)) {
            *member = if member.is_present() { Member::Ambiguous } else { Member::Once(value) };
        }
    });
    is_object.then_some(members)
}

/// The value of a key that appears exactly once in an object.
pub(crate) fn member<'a>(text: &'a str, key: &str) -> Option<&'a RawValue> {
    let [member] = members(text, [key])?;
    member.get()
}

/// Whether a text is an object.
pub(crate) fn is_object(text: &str) -> bool {
    members(text, []).is_some()
}

/// Passes on the raw key and the value of each member, in order. Returns whether the text is an object; if it is not, some
/// may have been passed on already.
pub(crate) fn for_each_member<'a>(text: &'a str, visit: &mut dyn FnMut(&'a RawValue, &'a RawValue)) -> bool {
    let mut parser = serde_json::Deserializer::from_str(text);
    begins(text, '{') && parser.deserialize_map(Members(visit)).is_ok() && parser.end().is_ok()
}

/// The elements of an array, one after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Array<'a> {
    /// The text from the next element on.
    rest: &'a str,
}

impl<'a> Array<'a> {
    /// Reads an array; any other text is `None`.
    pub(crate) fn read(text: &'a str) -> Option<Self> {
        if begins(text, '[') { Self::of(serde_json::from_str(text).ok()?) } else { None }
    }

    /// The elements of a value, if it is an array.
    pub(crate) fn of(value: &'a RawValue) -> Option<Self> {
        Some(Self { rest: value.get().strip_prefix('[')? })
    }
}

impl<'a> Iterator for Array<'a> {
    type Item = &'a str;

    /// Each element gets a parser of its own, which is gone when the element is used: a parser keeps a byte for every level
    /// of the text that it has read.
    fn next(&mut self) -> Option<&'a str> {
        let mut elements = serde_json::Deserializer::from_str(self.rest).into_iter::<&RawValue>();
        let element = elements.next()?.ok()?;
        // The array as a whole is valid, so a comma or its end follows.
        let rest = self.rest.get(elements.byte_offset()..)?.trim_start();
        self.rest = rest.strip_prefix(',').unwrap_or(rest);
        Some(element.get())
    }
}

/// Whether a text begins like a type of JSON. The error of a parser that finds another type would repeat the text.
fn begins(text: &str, with: char) -> bool {
    text.trim_start().starts_with(with)
}

/// A string; a lone surrogate or another type is `None`.
pub(crate) fn string(text: &str) -> Option<String> {
    if begins(text, '"') { serde_json::from_str(text).ok() } else { None }
}

/// A string, or the keys of an object in alphabetical order: clients name several folders in this way. Only the first ones that
/// the client wrote count.
pub(crate) fn texts(text: &str, most: usize) -> Vec<String> {
    let mut texts: Vec<String> = string(text).into_iter().collect();
    for_each_member(text, &mut |key, _| {
        texts.extend(key_text(key).filter(|_| texts.len() < most).map(Cow::into_owned));
    });
    texts.sort_unstable();
    texts
}

/// Follows a JSON pointer (RFC 6901) through objects.
pub(crate) fn pointer<'a>(text: &'a str, pointer: &str) -> Option<&'a str> {
    let mut here = text;
    for step in pointer.strip_prefix('/')?.split('/') {
        let key = step.replace("~1", "/").replace("~0", "~");
        here = member(here, &key)?.get();
    }
    Some(here)
}

/// The text of a key, unless it is not valid Unicode.
pub(crate) fn key_text(key: &RawValue) -> Option<Cow<'_, str>> {
    let raw = key.get();
    if raw.contains('\\') {
        return string(raw).map(Cow::Owned);
    }
    // The parser has checked it already, and without escapes the text stands for itself.
    Some(Cow::Borrowed(raw.strip_prefix('"')?.strip_suffix('"')?))
}

struct Members<'v, 'a>(&'v mut dyn FnMut(&'a RawValue, &'a RawValue));

impl<'de> Visitor<'de> for Members<'_, 'de> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some((key, value)) = map.next_entry()? {
            (self.0)(key, value);
        }
        Ok(())
    }
}
