//! JSON from a peer, read part by part, so that one bad part never spoils the rest.
//!
//! Nested values stay unparsed text until they are needed. `RawValue` skips over text iteratively, so depth costs nothing;
//! a lone surrogate, a duplicate key or a wrong type spoils only the value that contains it. Peer data never becomes a
//! `serde_json::Value`, whose parser recurses.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The members of an object: each readable key with the raw text of its value.
///
/// Members whose key is not valid Unicode are left out. A key that appears twice has no value: two readers might pick
/// different ones.
#[derive(Debug, Default)]
pub(crate) struct Object<'a>(Vec<(Cow<'a, str>, Option<&'a RawValue>)>);

impl<'a> Object<'a> {
    /// Reads an object; any other text is `None`.
    pub(crate) fn read(text: &'a str) -> Option<Self> {
        let Members(mut members) = serde_json::from_str(text).ok()?;
        members.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        members.dedup_by(|(later, _), (first, value)| {
            let same = later == first;
            if same {
                *value = None;
            }
            same
        });
        Some(Self(members))
    }

    /// The value of a key that appears exactly once.
    pub(crate) fn get(&self, key: &str) -> Option<&'a RawValue> {
        self.member(key).copied().flatten()
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.member(key).is_some()
    }

    /// The value of a key, if it is a string.
    pub(crate) fn string(&self, key: &str) -> Option<String> {
        string(self.get(key)?.get())
    }

    /// The members in the order of their keys; no value stands for a key that appears twice.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&str, Option<&'a RawValue>)> {
        self.0.iter().map(|(key, value)| (key.as_ref(), *value))
    }

    /// The object as text, without one of its members and without those that appear twice.
    pub(crate) fn without(&self, unwanted: &str) -> String {
        let size = |(key, value): (&str, Option<&RawValue>)| {
            key.len().saturating_add(value.map_or(0, |value| value.get().len()))
        };
        let mut text = String::with_capacity(self.members().map(size).fold(64, usize::saturating_add));
        text.push('{');
        for (key, value) in self.members().filter(|(key, _)| *key != unwanted) {
            let Some(value) = value else { continue };
            if text.len() > 1 {
                text.push(',');
            }
            text.extend(serde_json::to_string(key));
            text.push(':');
            text.push_str(value.get());
        }
        text.push('}');
        text
    }

    fn member(&self, key: &str) -> Option<&Option<&'a RawValue>> {
        let at = self.0.binary_search_by(|(known, _)| known.as_ref().cmp(key)).ok()?;
        self.0.get(at).map(|(_, value)| value)
    }
}

/// The elements of an array; any other text is `None`.
pub(crate) fn array(text: &str) -> Option<Vec<&RawValue>> {
    serde_json::from_str(text).ok()
}

/// A string; a lone surrogate or another type is `None`.
pub(crate) fn string(text: &str) -> Option<String> {
    serde_json::from_str(text).ok()
}

/// Follows a JSON pointer (RFC 6901) through objects.
pub(crate) fn pointer<'a>(text: &'a str, pointer: &str) -> Option<&'a str> {
    let mut here = text;
    for step in pointer.strip_prefix('/')?.split('/') {
        let key = step.replace("~1", "/").replace("~0", "~");
        here = Object::read(here)?.get(&key)?.get();
    }
    Some(here)
}

struct Members<'a>(Vec<(Cow<'a, str>, Option<&'a RawValue>)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor;

        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = Members<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some((key, value)) = map.next_entry::<&'de RawValue, &'de RawValue>()? {
                    if let Some(key) = key_text(key.get()) {
                        members.push((key, Some(value)));
                    }
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(MembersVisitor)
    }
}

fn key_text(raw: &str) -> Option<Cow<'_, str>> {
    if raw.contains('\\') {
        return string(raw).map(Cow::Owned);
    }
    // The parser has checked it already, and without escapes the text stands for itself.
    Some(Cow::Borrowed(raw.strip_prefix('"')?.strip_suffix('"')?))
}
